//! Data in memory: a run over a table gives what it gives over the same rows in a file.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use doublet::batch::JoinOptions;
use doublet::cluster::{ClusterOptions, Keep, Linkage};
use doublet::dedup::{DedupOptions, dedup};
use doublet::matches::Source;
use doublet::method::Method;
use doublet::options::ReadOptions;
use doublet::progress::Silent;
use doublet::read::{Collection, Table, Tables};
use doublet::scores::Metric;

use crate::harness::options;

fn table(texts: &[Option<&str>]) -> Table {
    let ids = Int64Array::from_iter_values((0..).step_by(3).take(texts.len()));
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("id", Arc::new(ids), true),
        ("text", Arc::new(StringArray::from(texts.to_vec())), true),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let middle = texts.len() / 2;
    let batches = vec![
        batch.slice(0, middle),
        batch.slice(middle, texts.len() - middle),
    ];
    Table::new(batch.schema(), batches)
}

fn run(input: Collection, join: JoinOptions, out: &Path) -> doublet::report::summary::Summary {
    let source = Source {
        input,
        references: None,
    };
    let options = DedupOptions {
        cluster: ClusterOptions {
            linkage: Linkage::Connected,
            keep: Keep::First,
            metric: join.matching.metric,
            removal: None,
        },
        ..DedupOptions::new(join, out.to_owned())
    };
    dedup(&source, &options, &Silent).unwrap()
}

#[test]
fn a_table_is_deduplicated_as_a_file_is() {
    let long = "one two three four five six seven eight nine ten eleven twelve";
    let near = "one two three four five six seven eight nine ten eleven thirteen";
    let texts = [
        Some(long),
        None,
        Some("something else that nobody said before or since"),
        Some(""),
        Some(near),
        Some(long),
        Some("short"),
        Some("!!!"),
    ];
    let table = table(&texts);
    let read = ReadOptions::default();
    for method in [
        Method::Shingles,
        Method::Minhash,
        Method::Sentences,
        Method::Terms,
    ] {
        let metric = method.metrics()[0];
        let mut join = options(metric, "0.5", 2);
        join.matching.method = method;
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let tables = Tables::from([("data".to_owned(), Arc::new(table.clone()))]);
        let inputs = ["data".to_owned()];
        let memory = Collection::open_among(&inputs, &read, place, &tables, 0).unwrap();
        let found = run(memory, join.clone(), &place.join("memory"));
        let file = place.join("data");
        table.write(&file).unwrap();
        let inputs = [file.to_string_lossy().into_owned()];
        let file = Collection::open(&inputs, &read, place).unwrap();
        let expected = run(file, join, &place.join("file"));
        assert_eq!(
            (found.kept, found.removed, found.empty, found.rejected),
            (
                expected.kept,
                expected.removed,
                expected.empty,
                expected.rejected
            ),
            "{method}"
        );
        assert_eq!(found.kept_rows.len() as u64, found.kept + found.empty);
        assert!(expected.kept_rows.is_empty());
        assert!(!place.join("memory/kept.parquet").exists());
        for name in ["pairs.jsonl", "clusters.jsonl"] {
            let read = |run: &str| std::fs::read_to_string(place.join(run).join(name)).unwrap();
            assert_eq!(read("memory"), read("file"), "{method} {name}");
        }
        if metric == Metric::Resemblance {
            assert_eq!(found.kept_rows, [0, 2, 3, 6, 7], "{method}");
        }
    }
}
