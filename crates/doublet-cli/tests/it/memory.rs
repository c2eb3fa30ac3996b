//! `--memory` holds: what grows with the text goes to disk, and the results stay the same.
#![cfg(target_os = "linux")]

use crate::harness::Place;

/// Numbers that look random and are the same in every run.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Records of these texts.
fn records(texts: impl Iterator<Item = String>) -> String {
    let line = |(n, text): (usize, String)| format!("{{\"id\": {n}, \"text\": \"{text}\"}}\n");
    texts.enumerate().map(line).collect()
}

/// A word that stands for a number below 421,875.
fn word(number: u64) -> String {
    let syllable = |digit: u64| {
        let (consonant, vowel) = ((digit % 15) as usize, (digit / 15) as usize);
        [b"bdfghklmnprstvz"[consonant], b"aeiou"[vowel]].map(char::from)
    };
    let digits = [number / 5625, number / 75, number].map(|digit| digit % 75);
    digits.into_iter().flat_map(syllable).collect()
}

/// Texts of some 20,000 different words; one in four is another one with a word more.
fn of_words(count: u64) -> String {
    records((0..count).map(|n| {
        let original = if n % 4 == 3 { n - 3 } else { n };
        let word_at = |k: u64| word(mixed(original * 1000 + k) % 20_000) + " ";
        let own: String = (0..500).map(word_at).collect();
        own + &word(n % 4)
    }))
}

/// Texts whose sentences stand in 100 texts each, but not together; one in 50 is nearly the one before it.
fn of_sentences(count: u64) -> String {
    let sentences = count / 5;
    records((0..count).map(|n| {
        let sentence = |k: u64| {
            let original = if n % 50 == 49 && k < 18 { n - 1 } else { n };
            let number = mixed(original * 1000 + k) % sentences;
            let words = [1, 2, 3, 4].map(|k| word(number * 600 + k));
            format!("And {}. ", words.join(" "))
        };
        (0..20).map(sentence).collect()
    }))
}

/// The results of a run and the most memory it took.
fn run(place: &Place, input: &str, method: &str, memory: &str) -> (Vec<String>, u64) {
    let out = format!("{input}-{memory}");
    let options = format!("--method {method} --threads 2 --memory {memory} --quiet");
    let arguments = format!("dedup {input} -o {out} {options}");
    place.run(&arguments).ok();
    let files = [
        "kept.jsonl",
        "removed.jsonl",
        "pairs.jsonl",
        "clusters.jsonl",
    ];
    let files = files.map(|file| place.read(&format!("{out}/{file}")));
    let peak = place.summary(&out)["peak_memory"].as_u64().unwrap();
    (files.into(), peak)
}

/// Checks that on little memory the larger collection takes less than half of what it takes more with enough, and that the results are
/// the same.
fn check(method: &str, make: impl Fn(u64) -> String, counts: (u64, u64)) {
    let place = Place::new();
    place.write("few", make(counts.0));
    place.write("many", make(counts.1));
    let (_, few) = run(&place, "few", method, "4M");
    let (small, many) = run(&place, "many", method, "4M");
    let (large, enough) = run(&place, "many", method, "4G");
    assert!(small == large, "{method}");
    let figures = format!("{method}: {few} and {many} bytes, {enough} with enough memory");
    assert!(enough > few + (16 << 20), "{figures}");
    assert!(many < few + (enough - few) / 2, "{figures}");
}

#[test]
fn terms_hold_to_the_memory() {
    check("terms", of_words, (1000, 12_000));
}

#[test]
fn sentences_hold_to_the_memory() {
    check("sentences", of_sentences, (1000, 3000));
}

#[test]
fn a_text_too_long_for_the_memory_is_told_and_read() {
    let place = Place::new();
    let long: String = (0..2_000_000).map(|k| word(mixed(k)) + " ").collect();
    place.write(
        "long.jsonl",
        records([long, "a b c".to_owned()].into_iter()),
    );
    let ran = place.run("dedup long.jsonl -o out --memory 64M").ok();
    let told = "note: `long.jsonl:1` is a record of 14.0 MB";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("note:").count(), 1, "{}", ran.stderr);
    assert_eq!(place.summary("out")["kept"], 2);
    let ran = place.run("dedup long.jsonl -o again --memory 1G").ok();
    assert!(!ran.stderr.contains("note:"), "{}", ran.stderr);
}
