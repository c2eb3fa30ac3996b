//! An index of terms: two texts weigh the same whatever else is in the index.

use doublet::index::IndexWriter;
use doublet::method::Method;
use doublet::scores::Metric;

use super::{Place, add, check, index_options};
use crate::harness::options;

fn records(texts: &[&str]) -> Vec<(String, String)> {
    let record = |(number, text): (usize, &&str)| (format!("{number}"), (*text).to_owned());
    texts.iter().enumerate().map(record).collect()
}

/// `floop` is unknown to the table, a noun in some of the texts and a verb in others.
#[test]
fn check_and_explain_agree_about_words_that_the_table_does_not_know() {
    let mut join = options(Metric::Degree, "0.05", 1);
    join.matching.method = Method::Terms;
    let place = Place::new();
    let mut writer =
        IndexWriter::create(&place.index(), &index_options(&join, true), None).unwrap();
    let known = [
        "the old harbour is closed to all boats for the winter",
        "they will sell the tickets at the north pier again",
        "a heavy rain fell on the garden and on the street",
    ];
    add(&mut writer, &place, &records(&known)).unwrap();
    let texts = [
        "the floop is in the harbour",
        "a heavy floop fell on the street",
        "they will floop the tickets",
        "you can floop at the pier",
        "we floop in the garden again",
        "he likes to floop on the street",
    ];
    let later: Vec<(String, String)> = records(&texts)
        .into_iter()
        .map(|(id, text)| (format!("later-{id}"), text))
        .collect();
    add(&mut writer, &place, &later).unwrap();
    let index = place.open();
    let mut sums = std::collections::BTreeSet::new();
    let mut compared = 0;
    for text in texts {
        let mut degrees = Vec::new();
        for source in check(&index, text).unwrap().sources {
            let Some(number) = source.id.trim_matches('"').strip_prefix("later-") else {
                continue;
            };
            let other = texts[number.parse::<usize>().unwrap()];
            let explained = index.explain(text, other).unwrap().scores;
            assert_eq!(source.scores, Some(explained), "{text:?} {other:?}");
            degrees.push(explained.weights.a);
            sums.insert((text, explained.weights.a));
            compared += 1;
        }
        assert!(degrees.len() > 1, "{text:?}");
    }
    assert!(compared > 12, "{compared}");
    // The word does weigh different amounts, beside a noun and beside a verb.
    assert!(sums.len() > texts.len(), "{sums:?}");
}
