//! Who takes part: ways to look for duplicates, each as a command line.
//!
//! Documents are for `shingles` and the peers, and for `minhash`, beside `shingles` as the exact answer. Messages are for `terms`: its pairs, all compared, and its
//! clusters, by transitivity, beside rensa; or, where there is Chinese, beside nothing but the cutting of words.

use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::measure::Program;
use super::peers::Peer;
use crate::corpus::Kind;
use crate::workspace;

/// The paper's threshold.
const TERMS_THRESHOLD: f64 = 0.65;
/// What `minhash` is asked to find of the pairs at the threshold.
const RECALL: &str = "0.99";

/// A method of doublet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    Shingles,
    Terms,
    Minhash,
}

impl Method {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Shingles => "shingles",
            Self::Terms => "terms",
            Self::Minhash => "minhash",
        }
    }

    /// The one for a kind of collection.
    pub(crate) fn for_kind(kind: Option<Kind>) -> Self {
        match kind {
            None | Some(Kind::Documents | Kind::Sentences) => Self::Shingles,
            Some(Kind::Short | Kind::ShortZh | Kind::Messages | Kind::Titles) => Self::Terms,
        }
    }

    /// Whom to compare with unless told.
    pub(crate) fn peers(self, kind: Option<Kind>) -> &'static [Peer] {
        match (self, kind) {
            (Self::Shingles | Self::Minhash, _) => &[Peer::Rensa, Peer::Gaoya, Peer::Datasketch],
            (Self::Terms, Some(Kind::ShortZh | Kind::Messages | Kind::Titles)) => &[Peer::JiebaCut],
            (Self::Terms, _) => &[Peer::Rensa],
        }
    }
}

/// What `terms` is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// All pairs, each compared.
    Pairs,
    /// Clusters; what hangs together already is not compared.
    Dedup,
}

/// One way to look for duplicates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contender {
    Shingles {
        metric: String,
        threshold: f64,
    },
    Terms {
        job: Job,
        threshold: f64,
    },
    /// With a memory limit of its own, or that of all.
    Minhash {
        threshold: f64,
        memory: Option<String>,
    },
    Peer(Peer),
}

/// `metric` or `metric@threshold`.
pub(crate) fn shingles(text: &str, default: f64) -> Result<Contender> {
    let (metric, threshold) = match text.split_once('@') {
        Some((metric, threshold)) => {
            let threshold = threshold.parse();
            (
                metric,
                threshold.with_context(|| format!("`{text}`: no such threshold"))?,
            )
        }
        None => (text, default),
    };
    Ok(Contender::Shingles {
        metric: metric.to_owned(),
        threshold,
    })
}

/// Both jobs of `terms`.
pub(crate) fn terms(threshold: Option<f64>) -> Vec<Contender> {
    let threshold = threshold.unwrap_or(TERMS_THRESHOLD);
    let contender = |job| Contender::Terms { job, threshold };
    [Job::Pairs, Job::Dedup].map(contender).to_vec()
}

/// The exact answer, sketches, and sketches within a memory limit if there is one.
pub(crate) fn minhash(threshold: f64, limit: Option<&str>) -> Vec<Contender> {
    let sketched = |memory| Contender::Minhash { threshold, memory };
    let mut contenders = vec![
        Contender::Shingles {
            metric: "resemblance".to_owned(),
            threshold,
        },
        sketched(None),
    ];
    contenders.extend(limit.map(|limit| sketched(Some(limit.to_owned()))));
    contenders
}

/// The cutting of words alone, by this very program.
pub(crate) fn segmentation(corpus: &Path, threads: usize) -> Result<Program> {
    let xtask = std::env::current_exe().context("cannot find the running program")?;
    let line = vec![
        xtask.display().to_string(),
        "segment-zh".to_owned(),
        corpus.display().to_string(),
        "--threads".to_owned(),
        threads.to_string(),
    ];
    Ok(Program {
        line,
        threads,
        folder: workspace::root(),
    })
}

impl Contender {
    pub(crate) fn is_doublet(&self) -> bool {
        !matches!(self, Self::Peer(_))
    }

    /// doublet's method.
    pub(crate) fn method(&self) -> Option<Method> {
        match self {
            Self::Shingles { .. } => Some(Method::Shingles),
            Self::Terms { .. } => Some(Method::Terms),
            Self::Minhash { .. } => Some(Method::Minhash),
            Self::Peer(_) => None,
        }
    }

    /// A memory limit of its own.
    pub(crate) fn memory(&self) -> Option<&str> {
        match self {
            Self::Minhash { memory, .. } => memory.as_deref(),
            _ => None,
        }
    }

    /// The peer that is a script in Python.
    pub(crate) fn python_peer(&self) -> Option<Peer> {
        match self {
            Self::Peer(peer) if peer.finds_pairs() => Some(*peer),
            _ => None,
        }
    }

    pub(crate) fn label(&self) -> String {
        match self {
            Self::Shingles { metric, threshold } => format!("doublet-{metric}-{threshold}"),
            Self::Terms { job, threshold } => format!("doublet-terms-{}-{threshold}", job.name()),
            Self::Minhash { threshold, memory } => {
                let limit = memory.as_ref().map(|limit| format!("-{limit}"));
                format!("doublet-minhash-{threshold}{}", limit.unwrap_or_default())
            }
            Self::Peer(peer) => peer.name().to_owned(),
        }
    }

    /// The name of what it writes: a file of pairs, or a folder.
    pub(crate) fn output(&self) -> String {
        let ending = match self {
            Self::Terms {
                job: Job::Dedup, ..
            } => "",
            Self::Shingles { .. } | Self::Terms { .. } | Self::Minhash { .. } => ".jsonl",
            Self::Peer(_) => ".tsv",
        };
        format!("pairs-{}{ending}", self.label())
    }

    /// doublet's command, where it is not the only one.
    pub(crate) fn command(&self) -> Option<&'static str> {
        match self {
            Self::Terms { job, .. } => Some(job.name()),
            Self::Shingles { .. } | Self::Minhash { .. } | Self::Peer(_) => None,
        }
    }

    /// What is looked for and the threshold, given that of the peers.
    pub(crate) fn criterion(&self, peers: f64) -> (&str, Option<f64>) {
        match self {
            Self::Shingles { metric, threshold } => (metric, Some(*threshold)),
            Self::Terms { threshold, .. } => ("degree", Some(*threshold)),
            Self::Minhash { threshold, .. } => ("resemblance", Some(*threshold)),
            Self::Peer(peer) if peer.finds_pairs() => ("resemblance", Some(peers)),
            Self::Peer(_) => ("words", None),
        }
    }

    /// doublet's command and options.
    pub(crate) fn arguments(&self) -> (&'static str, Vec<String>) {
        let own = |options: &[&str]| options.iter().map(|&option| option.to_owned()).collect();
        let (command, mut options, threshold): (_, Vec<String>, _) = match self {
            Self::Shingles { metric, threshold } => {
                ("pairs", own(&["--metric", metric]), threshold)
            }
            Self::Terms { job, threshold } => {
                let transitivity = ["--transitivity", job.transitivity()];
                let options = own(&[&["--method", "terms"][..], &transitivity].concat());
                (job.name(), options, threshold)
            }
            Self::Minhash { threshold, .. } => {
                let options = own(&["--method", "minhash", "--recall", RECALL]);
                ("pairs", options, threshold)
            }
            Self::Peer(_) => return ("", Vec::new()),
        };
        options.extend(["--threshold".to_owned(), threshold.to_string()]);
        (command, options)
    }
}

impl Job {
    fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Dedup => "dedup",
        }
    }

    fn transitivity(self) -> &'static str {
        match self {
            Self::Pairs => "off",
            Self::Dedup => "on",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_may_bring_its_threshold() {
        let check = |text: &str, expected: (&str, f64)| match shingles(text, 0.7) {
            Ok(Contender::Shingles { metric, threshold }) => {
                assert_eq!((metric.as_str(), threshold), expected);
            }
            other => panic!("{other:?}"),
        };
        check("coverage@0.9", ("coverage", 0.9));
        check("resemblance", ("resemblance", 0.7));
        assert!(shingles("coverage@high", 0.7).is_err());
    }

    fn lines(contenders: &[Contender]) -> Vec<String> {
        let line = |contender: &Contender| {
            let (command, options) = contender.arguments();
            format!("{command} {}", options.join(" "))
        };
        contenders.iter().map(line).collect()
    }

    #[test]
    fn terms_are_run_twice() {
        assert_eq!(
            lines(&terms(None)),
            [
                "pairs --method terms --transitivity off --threshold 0.65",
                "dedup --method terms --transitivity on --threshold 0.65"
            ]
        );
    }

    #[test]
    fn sketches_run_beside_the_exact_answer() {
        let contenders = minhash(0.7, Some("512M"));
        let sketched = "pairs --method minhash --recall 0.99 --threshold 0.7";
        assert_eq!(
            lines(&contenders),
            [
                "pairs --metric resemblance --threshold 0.7",
                sketched,
                sketched
            ]
        );
        let limits: Vec<_> = contenders.iter().map(Contender::memory).collect();
        assert_eq!(limits, [None, None, Some("512M")]);
        // Or one would overwrite the answer of the other.
        assert_ne!(contenders[1].output(), contenders[2].output());
    }
}
