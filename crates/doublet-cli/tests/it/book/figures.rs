//! Figures that a page takes from a record are those of the record.

use serde_json::Value;

use super::page::root;

const PAGE: &str = "docs/performance.md";
const RECORD: &str = "benchmarks/record/2026-11-15-peers-all.json";

/// Three digits that count.
fn short(number: f64) -> String {
    match number {
        number if number >= 100.0 => format!("{number:.0}"),
        number if number >= 10.0 => format!("{number:.1}"),
        number => format!("{number:.2}"),
    }
}

/// With a comma before each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn times(row: &Value) -> String {
    let median = &row["median"];
    let figure = |name: &str| median[name].as_f64().unwrap();
    let megabytes = (figure("peak_bytes") / 1e6).round() as u64;
    let (cpu, wall) = (figure("cpu_seconds"), figure("wall_seconds"));
    format!("{} | {} | {}", short(cpu), short(wall), grouped(megabytes))
}

#[test]
fn the_table_of_long_texts_is_that_of_the_record() {
    let record = std::fs::read_to_string(root().join(RECORD)).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let rows = record["rows"].as_array().unwrap();
    let of = |method: &'static str| {
        let own = move |row: &&Value| row["tool"] == "doublet" && row["method"] == method;
        rows.iter().filter(own)
    };
    let mut checked = 0;
    for exact in of("shingles") {
        let collection = &exact["collection"];
        let sketched = of("minhash").find(|row| row["collection"] == *collection);
        let sketched = sketched.unwrap();
        let line = format!(
            "| {} | {} | {} | {} | {:.1} % |",
            collection.as_str().unwrap(),
            grouped(exact["documents"].as_u64().unwrap()),
            times(exact),
            times(sketched),
            100.0 * sketched["recall"].as_f64().unwrap()
        );
        assert!(page.contains(&line), "{PAGE} does not have\n{line}");
        checked += 1;
    }
    assert_eq!(checked, 7);
}
