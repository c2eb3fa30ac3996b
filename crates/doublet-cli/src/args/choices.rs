//! The words that options choose from, and the library's values behind them.

use clap::ValueEnum;
use clap::builder::PossibleValue;
use doublet::cluster::Linkage;
use doublet::dedup::Remove;
use doublet::method::Method;
use doublet::method::simhash::Voters;
use doublet::method::terms::Candidates;
use doublet::method::terms::weights::Weighting;
use doublet::options::{FingerprintKind, Format, Numbers, TokenKind};
use doublet::scores::Metric;
use doublet::sketch::{MeetBy, SketchKind};

/// An enum of the command line: its words and the library's values.
macro_rules! choice {
    ($name:ident -> $target:ty { $($variant:ident = $word:literal => $value:expr),+ $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $(#[value(name = $word)] $variant),+ }

        impl $name {
            pub(crate) fn value(self) -> $target {
                match self { $(Self::$variant => $value),+ }
            }

            #[allow(dead_code, reason = "some are described by the library's own names")]
            pub(super) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

choice!(FormatArgument -> Format {
    Jsonl = "jsonl" => Format::JsonLines,
    Csv = "csv" => Format::Csv,
    Tsv = "tsv" => Format::Tsv,
    Parquet = "parquet" => Format::Parquet,
    Text = "text" => Format::Text,
    Lines = "lines" => Format::Lines,
    Html = "html" => Format::Html,
    Xml = "xml" => Format::Xml,
    Warc = "warc" => Format::Warc,
});
choice!(TokensArgument -> TokenKind {
    Words = "words" => TokenKind::Words,
    Spaces = "spaces" => TokenKind::Spaces,
    Characters = "characters" => TokenKind::Characters,
});
/// A method by its name in the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MethodArgument(Method);

impl MethodArgument {
    const ALL: [Self; Method::ALL.len()] = {
        let mut all = [Self(Method::Shingles); Method::ALL.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = Self(Method::ALL[at]);
            at += 1;
        }
        all
    };

    pub(crate) fn new(method: Method) -> Self {
        Self(method)
    }

    pub(crate) fn value(self) -> Method {
        self.0
    }
}

impl ValueEnum for MethodArgument {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

choice!(BackgroundMethod -> Method {
    Terms = "terms" => Method::Terms,
    Sentences = "sentences" => Method::Sentences,
});
/// Where candidates come from, and in which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidatesBy {
    /// Those of `terms`.
    Terms(Candidates),
    /// Those of `minhash`.
    Sketches(MeetBy),
}
choice!(CandidatesArgument -> CandidatesBy {
    Auto = "auto" => CandidatesBy::Terms(Candidates::Auto),
    Features = "features" => CandidatesBy::Terms(Candidates::Features),
    Exact = "exact" => CandidatesBy::Terms(Candidates::Exact),
    Baseline = "baseline" => CandidatesBy::Terms(Candidates::Baseline),
    Bands = "bands" => CandidatesBy::Sketches(MeetBy::Bands),
    Values = "values" => CandidatesBy::Sketches(MeetBy::Values),
});
choice!(SketchArgument -> SketchKind {
    Permutations = "permutations" => SketchKind::Permutations,
    Smallest = "smallest" => SketchKind::Smallest,
    Modulo = "modulo" => SketchKind::Modulo,
});
choice!(TransitivityArgument -> bool { On = "on" => true, Off = "off" => false });
choice!(ReorderArgument -> bool { On = "on" => true, Off = "off" => false });
choice!(WeightingArgument -> Weighting {
    Frequency = "frequency" => Weighting::Frequency,
    Idf = "idf" => Weighting::Idf,
    Log = "log" => Weighting::Log,
});
choice!(VotersArgument -> Voters {
    Shingles = "shingles" => Voters::Shingles,
    Terms = "terms" => Voters::Terms,
});
choice!(MetricArgument -> Metric {
    Resemblance = "resemblance" => Metric::Resemblance,
    Coverage = "coverage" => Metric::Coverage,
    Containment = "containment" => Metric::Containment,
    ContainmentCoverage = "containment-coverage" => Metric::ContainmentCoverage,
    Degree = "degree" => Metric::Degree,
    Agreement = "agreement" => Metric::Agreement,
});
choice!(NumbersArgument -> Numbers {
    Token = "token" => Numbers::Token,
    Keep = "keep" => Numbers::Keep,
    Drop = "drop" => Numbers::Drop,
});
choice!(CaseArgument -> bool { Fold = "fold" => true, Keep = "keep" => false });
choice!(AccentsArgument -> bool { Keep = "keep" => false, Fold = "fold" => true });
choice!(FingerprintArgument -> FingerprintKind {
    Fold = "fold" => FingerprintKind::Fold,
    Rabin = "rabin" => FingerprintKind::Rabin,
});
choice!(LinkageArgument -> Linkage {
    Connected = "connected" => Linkage::Connected,
    Star = "star" => Linkage::Star,
    Complete = "complete" => Linkage::Complete,
});
choice!(RemoveArgument -> Remove {
    Documents = "documents" => Remove::Documents,
    Passages = "passages" => Remove::Passages,
});
