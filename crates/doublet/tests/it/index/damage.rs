//! Whatever happens to the files of an index: an error that names one of them, or the right answer.

use std::path::Path;
use std::sync::LazyLock;

use doublet::index::{Answer, Index, IndexWriter};
use doublet::method::Method;
use doublet::method::terms::Language;
use doublet::options::NormalizeOptions;
use doublet::progress::Silent;
use proptest::prelude::*;
use proptest::sample::Index as Pick;
use xxhash_rust::xxh3::xxh3_64;

use super::{METHODS, Place, add, check, files_of, index_options};
use crate::harness::options;

/// The files of an index, and what it says.
struct Whole {
    files: Vec<(String, Vec<u8>)>,
    questions: Vec<String>,
    answers: Vec<Answer>,
    documents: Vec<(String, Option<String>)>,
}

/// Reports that share a sentence each with the next, and one sentence with all.
fn report(number: u32) -> String {
    let sentence = |n: u32| {
        format!(
            "The bridge number {n} over the river {} was closed in {}. ",
            n * 7,
            1900 + n
        )
    };
    let own = format!("Report {number} was written by inspector {}. ", number * 31);
    own + &sentence(number) + &sentence(number + 1) + "Nobody was hurt. "
}

fn reports(numbers: std::ops::Range<u32>) -> Vec<(String, String)> {
    numbers
        .map(|number| (format!("report {number}"), report(number)))
        .collect()
}

fn documents(index: &Index) -> doublet::Result<Vec<(String, Option<String>)>> {
    let mut documents = Vec::new();
    index.for_each_document(|id, text| {
        documents.push((id.to_owned(), text.map(str::to_owned)));
        Ok(())
    })?;
    Ok(documents)
}

impl Whole {
    /// Two parts, both with dead documents, and words where the method has some.
    fn new(method: Method) -> Self {
        let mut options = options(method.metrics()[0], "0.6", 3);
        options.matching.method = method;
        options.matching.normalize = NormalizeOptions {
            ..NormalizeOptions::default()
        };
        options.matching.terms.language = Language::English;
        let place = Place::new();
        let mut writer =
            IndexWriter::create(&place.index(), &index_options(&options, true), None).unwrap();
        add(&mut writer, &place, &reports(0..60)).unwrap();
        add(&mut writer, &place, &reports(50..70)).unwrap();
        writer
            .remove(
                &["\"report 3\"".to_owned(), "\"report 55\"".to_owned()],
                &Silent,
            )
            .unwrap();
        let index = writer.index();
        let questions = vec![
            report(7),
            report(3),
            report(20) + &report(62),
            "Nothing of this was ever said before.".to_owned(),
            String::new(),
        ];
        let answers: Vec<Answer> = questions
            .iter()
            .map(|text| check(index, text).unwrap())
            .collect();
        assert!(answers[0].duplicate && !answers[3].duplicate);
        let read = |name: String| {
            let bytes = std::fs::read(place.index().join(&name)).unwrap();
            (name, bytes)
        };
        let whole = Self {
            files: files_of(&place.index()).into_iter().map(read).collect(),
            answers,
            documents: documents(index).unwrap(),
            questions,
        };
        for kind in ["part", "dead", "manifest"] {
            assert!(
                whole.files.iter().any(|(name, _)| name.ends_with(kind)),
                "{kind}"
            );
        }
        whole
    }

    fn of(method: Method) -> &'static Self {
        static ALL: LazyLock<Vec<Whole>> =
            LazyLock::new(|| METHODS.into_iter().map(Whole::new).collect());
        let at = METHODS.iter().position(|other| *other == method).unwrap();
        &ALL[at]
    }

    fn write(&self, directory: &Path) {
        std::fs::create_dir_all(directory).unwrap();
        for (name, bytes) in &self.files {
            std::fs::write(directory.join(name), bytes).unwrap();
        }
    }

    /// That everything an index says is right or an error; whether all of it was right.
    fn ask(&self, directory: &Path) -> bool {
        let name = directory.to_str().unwrap();
        let expect = |error: doublet::Error| {
            assert!(error.to_string().contains(name), "{error}");
        };
        let index = match Index::open(directory) {
            Ok(index) => index,
            Err(error) => {
                expect(error);
                return false;
            }
        };
        let mut right = true;
        for (text, answer) in self.questions.iter().zip(&self.answers) {
            match check(&index, text) {
                Ok(found) => assert_eq!(&found, answer),
                Err(error) => {
                    expect(error);
                    right = false;
                }
            }
        }
        match documents(&index) {
            Ok(found) => assert_eq!(found, self.documents),
            Err(error) => {
                expect(error);
                right = false;
            }
        }
        right
    }
}

/// What happens to a file.
#[derive(Clone, Debug)]
enum Harm {
    Flip(Pick, u8),
    Truncate(Pick),
    Append(Vec<u8>),
    ZeroPage(Pick),
    Swap(Pick),
    Delete,
    Replace(Vec<u8>),
}

fn harm() -> impl Strategy<Value = Harm> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..9);
    let foreign = prop_oneof![
        Just(Vec::new()),
        bytes(),
        Just(b"doublet index, format 1\n{}\n0000000000000000\n".to_vec()),
        Just(vec![0; 8192]),
        Just("{\"text\": \"A text.\"}\n".repeat(500).into_bytes()),
    ];
    prop_oneof![
        6 => (any::<Pick>(), 1u8..).prop_map(|(at, with)| Harm::Flip(at, with)),
        2 => any::<Pick>().prop_map(Harm::Truncate),
        1 => bytes().prop_map(Harm::Append),
        2 => any::<Pick>().prop_map(Harm::ZeroPage),
        2 => any::<Pick>().prop_map(Harm::Swap),
        1 => Just(Harm::Delete),
        1 => foreign.prop_map(Harm::Replace),
    ]
}

/// Does harm to a file and says whether any byte is another now.
fn hurt(whole: &Whole, directory: &Path, file: &Pick, harm: &Harm) -> bool {
    let (name, before) = file.get(&whole.files);
    let path = directory.join(name);
    let mut bytes = before.clone();
    match harm {
        Harm::Flip(at, with) if !bytes.is_empty() => bytes[at.index(before.len())] ^= with,
        Harm::Truncate(at) if !bytes.is_empty() => bytes.truncate(at.index(before.len())),
        Harm::Flip(..) | Harm::Truncate(_) => {}
        Harm::Append(more) => bytes.extend_from_slice(more),
        Harm::ZeroPage(at) => {
            let start = 4096 * at.index(before.len() / 4096 + 1);
            bytes[start..]
                .iter_mut()
                .take(4096)
                .for_each(|byte| *byte = 0);
        }
        Harm::Swap(with) => {
            let (other, content) = with.get(&whole.files);
            std::fs::write(directory.join(other), before).unwrap();
            bytes.clone_from(content);
        }
        Harm::Delete => {
            std::fs::remove_file(path).unwrap();
            return true;
        }
        Harm::Replace(with) => bytes.clone_from(with),
    }
    std::fs::write(path, &bytes).unwrap();
    bytes != *before
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn harm_is_an_error_or_without_effect(
        method in prop::sample::select(METHODS.to_vec()),
        file in any::<Pick>(),
        harm in harm(),
    ) {
        let whole = Whole::of(method);
        let place = Place::new();
        whole.write(&place.index());
        let hurt = hurt(whole, &place.index(), &file, &harm);
        let right = whole.ask(&place.index());
        prop_assert!(hurt || right);
        let verified = place.verify();
        prop_assert_eq!(verified.is_err(), hurt);
        if let Err(error) = verified {
            prop_assert!(error.to_string().contains(place.index().to_str().unwrap()), "{}", error);
        }
        // A writer errs too, or leaves what is right.
        if let Ok(mut writer) = IndexWriter::open(&place.index()) {
            let merged = writer.compact(&Silent);
            if merged.is_ok() {
                prop_assert!(whole.ask(&place.index()));
            }
        }
    }
}

#[test]
fn every_file_matters() {
    for method in METHODS {
        let whole = Whole::of(method);
        for (name, bytes) in &whole.files {
            for at in [0, bytes.len() / 2, bytes.len() - 1] {
                let place = Place::new();
                whole.write(&place.index());
                let mut bytes = bytes.clone();
                bytes[at] ^= 16;
                std::fs::write(place.index().join(name), bytes).unwrap();
                whole.ask(&place.index());
                let error = place.verify().unwrap_err().to_string();
                assert!(error.contains(name), "{method} {name}: {error}");
            }
        }
    }
}

#[test]
fn a_lock_is_nothing_but_a_name() {
    let whole = Whole::of(Method::Sentences);
    let place = Place::new();
    whole.write(&place.index());
    std::fs::write(place.index().join("lock"), "anything").unwrap();
    std::fs::write(place.index().join("notes.txt"), "of the owner").unwrap();
    assert!(whole.ask(&place.index()));
    place.verify().unwrap();
    drop(IndexWriter::open(&place.index()).unwrap());
    assert!(place.files().contains(&"notes.txt".to_owned()));
}

/// A manifest with something else in it, and a checksum to match.
fn forge(place: &Place, change: impl Fn(&str) -> String) -> String {
    let path = place.index().join("manifest");
    let text = std::fs::read_to_string(&path).unwrap();
    let body = text.trim_end().rsplit_once('\n').unwrap().0;
    let body = change(body);
    let sum = xxh3_64(body.as_bytes());
    std::fs::write(&path, format!("{body}\n{sum:016x}\n")).unwrap();
    match place.verify() {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_a_manifest_says_must_hold() {
    let forged = |from: &str, to: &str| {
        // The one that has it.
        let of_sketches = ["\"bands\"", "\"rows\"", "\"sketch"];
        let whole = match of_sketches.iter().any(|name| from.starts_with(name)) {
            true => Whole::of(Method::Minhash),
            false => Whole::of(Method::Sentences),
        };
        let place = Place::new();
        whole.write(&place.index());
        let error = forge(&place, |body| {
            assert!(body.contains(from), "{from} in {body}");
            body.replacen(from, to, 1)
        });
        // Not even a writer does harm to other directories.
        let _either = IndexWriter::open(&place.index());
        error
    };
    assert_eq!(forged("format 1", "format 1"), "");
    assert!(forged("format 1", "format 3").contains("use a newer doublet"));
    assert!(forged("format 1", "format 4294967295").contains("use a newer doublet"));
    assert!(forged("format 1", "format 0").contains("damaged"));
    assert!(forged("000002.part", "../000002.part").contains("manifest"));
    assert!(forged("000002.part", "/etc/passwd").contains("manifest"));
    assert!(forged("000002.part", "000099.part").contains("000099.part"));
    assert!(forged("\"documents\": 60", "\"documents\": 61").contains("000002.part"));
    assert!(forged("\"documents\": 60", "\"documents\": -1").contains("manifest"));
    assert!(forged("\"count\": ", "\"count\": 1").contains(".dead"));
    assert!(forged("\"splitter\": ", "\"splitter\": 9").contains("make the index anew"));
    assert!(forged("\"method\": \"sentences\"", "\"method\": \"oracle\"").contains("newer one"));
    assert!(forged("{", "[").contains("manifest"));
    assert!(forged("\"bands\": ", "\"bands\": 99").contains("newer one"));
    assert!(forged("\"rows\": ", "\"rows\": -").contains("newer one"));
    assert!(forged("\"rows\": ", "\"rows\": 0, \"rest\": ").contains("newer one"));
    assert!(forged("\"sketch\": \"", "\"sketch\": \"x").contains("newer one"));
    assert!(forged("\"sketch_version\": ", "\"sketch_version\": 9").contains("anew"));
}

#[test]
fn a_version_matters_to_the_methods_that_depend_on_it() {
    for (version, method, refused) in [
        ("splitter", Method::Sentences, true),
        ("splitter", Method::Minhash, false),
        ("segmenter", Method::Sentences, false),
        ("hash", Method::Minhash, true),
    ] {
        let place = Place::new();
        Whole::of(method).write(&place.index());
        let error = forge(&place, |body| {
            let name = format!("\"{version}\": ");
            assert!(body.contains(&name), "{body}");
            body.replacen(&name, &format!("{name}9"), 1)
        });
        assert_eq!(
            error.contains("anew"),
            refused,
            "{version} {method}: {error}"
        );
        assert_eq!(error.is_empty(), !refused, "{version} {method}: {error}");
    }
}
