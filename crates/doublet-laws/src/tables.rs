//! Laws of tables: files of labels, and tables of frequencies.

use doublet::eval::{Truth, TruthOptions};
use doublet::method::terms::background::{self, Background};
use xxhash_rust::xxh3::xxh3_64;

use crate::reading::{scratch, write};

/// Files of labels: refused by name, or read the same twice; said twice, they say no more.
pub fn truth(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let name = ["truth.jsonl", "truth.csv", "truth.tsv"][usize::from(kind % 3)];
    let options = TruthOptions {
        positive: match kind & 8 {
            0 => Vec::new(),
            _ => vec!["dup".to_owned(), "1".to_owned()],
        },
        ..TruthOptions::default()
    };
    let path = write(name, rest);
    let truth = match Truth::read(&path, &options) {
        Ok(truth) => truth,
        Err(error) => {
            assert!(error.to_string().contains(name), "no file named: {error}");
            return;
        }
    };
    // In a file of labels a lone CR ends a line, too.
    let is_end = |byte: &&u8| matches!(byte, b'\n' | b'\r');
    let lines = rest.iter().filter(is_end).count() as u64 + 1;
    assert!(
        truth.rows() as u64 + truth.repeated <= lines,
        "more rows than lines"
    );
    assert_eq!(
        truth.has_targets(),
        truth.kind() == "targets",
        "of two kinds"
    );
    if name == "truth.jsonl" {
        let path = write(name, &[rest, b"\n", rest].concat());
        let twice = Truth::read(&path, &options);
        let twice = twice.unwrap_or_else(|error| panic!("a file contradicts itself: {error}"));
        let count = |truth: &Truth| (truth.kind(), truth.rows());
        assert_eq!(
            count(&twice),
            count(&truth),
            "said twice it says something else"
        );
        let repeated = 2 * truth.repeated + truth.rows() as u64;
        assert_eq!(twice.repeated, repeated, "what is said again is counted");
    }
}

/// Tables of frequencies: refused, or read twice the same; a merge of one table is that table, and of two twice as much.
pub fn background_table(data: &[u8]) {
    let sealed = [data, &xxh3_64(data).to_le_bytes()].concat();
    for bytes in [data, &sealed] {
        let path = write("table", bytes);
        let words = |path: &std::path::Path| {
            let mut all = Vec::new();
            let each = |word: &str, documents: u64| all.push((word.to_owned(), documents));
            let totals = background::documents_of_words(path, "x", each)?;
            Ok::<_, doublet::Error>((all, totals))
        };
        let table = match Background::read(&path, "x") {
            Ok(table) => table,
            Err(error) => {
                assert!(
                    error.to_string().contains("table"),
                    "no file named: {error}"
                );
                continue;
            }
        };
        assert!(
            background::is_table(&path).is_ok_and(|is| is),
            "a table that does not begin like one"
        );
        let (all, totals) = words(&path).expect("a table is read twice");
        assert_eq!(totals, table.totals, "other totals");
        assert_eq!(all.len(), table.len(), "another number of words");
        assert!(all.is_sorted_by(|a, b| a.0 < b.0), "words out of order");
        let merged = scratch().join("merged");
        let written =
            background::write(&merged, "x", &[], &[&path], Vec::new()).expect("a merge of one");
        assert_eq!(
            (words(&merged).expect("a merged table"), written),
            ((all.clone(), totals), totals),
            "a merge of one"
        );
        background::write(&merged, "x", &[], &[&path, &path], Vec::new()).expect("a merge of two");
        let (double, _) = words(&merged).expect("a merged table");
        let expected = all
            .into_iter()
            .map(|(word, documents)| (word, documents.saturating_mul(2)));
        assert!(double.into_iter().eq(expected), "a merge of two");
    }
}
