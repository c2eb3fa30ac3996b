//! Rows in memory: the same records as those of a Parquet file, whatever the columns are made of.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, StructArray, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use proptest::prelude::*;

use super::super::Table;
use super::*;

fn memory(table: &Table, options: &ReadOptions, temp: &Path) -> Collection {
    let tables = Tables::from([("data".to_owned(), Arc::new(table.clone()))]);
    Collection::open_among(&["data".to_owned()], options, temp, &tables, 0).unwrap()
}

/// Records of a table; checks that a second pass, other block sizes and fetching agree.
fn read_table(table: &Table, options: &ReadOptions) -> Vec<Seen> {
    let dir = tempfile::tempdir().unwrap();
    let mut collection = memory(table, options, dir.path());
    let first = pass(&collection);
    for size in [1, 20, 64] {
        collection.block_size = size;
        assert_eq!(pass(&collection), first, "blocks of {size}");
    }
    fetched(&collection, &first);
    first
}

/// Records of the same rows in a Parquet file.
fn read_file(table: &Table, options: &ReadOptions) -> Vec<Seen> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data.parquet");
    let rows = table.write(&path).unwrap();
    let all = pass(&open(&path, options, dir.path()));
    assert_eq!(rows as usize, all.len());
    all
}

/// What must be the same: everything but the place.
fn told(all: Vec<Seen>) -> Vec<Seen> {
    let place = |line| Place {
        line,
        ..Place::default()
    };
    all.into_iter()
        .map(|seen| Seen {
            place: place(seen.place.line),
            ..seen
        })
        .collect()
}

fn table_of(columns: Vec<(&str, ArrayRef)>) -> Table {
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    Table::new(batch.schema(), vec![batch])
}

/// A table of these columns, cut into batches, of which every second one has rows of others before and behind it.
fn chunked(schema: &SchemaRef, columns: &[ArrayRef], cuts: &[usize]) -> Table {
    let rows = columns[0].len();
    let whole = RecordBatch::try_new(schema.clone(), columns.to_vec()).unwrap();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (rows + 1)).collect();
    cuts.extend([0, rows]);
    cuts.sort_unstable();
    let batches = cuts
        .windows(2)
        .enumerate()
        .map(|(index, cut)| {
            let slice = whole.slice(cut[0], cut[1] - cut[0]);
            match index % 2 {
                0 => slice,
                _ => {
                    let numbers: Vec<u32> = (0..slice.num_rows() as u32).collect();
                    let numbers = arrow_array::UInt32Array::from(numbers);
                    arrow_select::take::take_record_batch(&slice, &numbers).unwrap()
                }
            }
        })
        .collect();
    Table::new(schema.clone(), batches)
}

fn texts_as(kind: usize, texts: &[Option<String>]) -> ArrayRef {
    match kind {
        0 => Arc::new(StringArray::from(texts.to_vec())),
        1 => Arc::new(LargeStringArray::from(texts.to_vec())),
        2 => Arc::new(StringViewArray::from(texts.to_vec())),
        _ => Arc::new(
            texts
                .iter()
                .map(Option::as_deref)
                .collect::<DictionaryArray<Int32Type>>(),
        ),
    }
}

/// Ids or ranks of some kind, of which some are null.
fn values_as(kind: usize, numbers: &[Option<i32>]) -> ArrayRef {
    let text = |number: &Option<i32>| number.map(|number| format!("x\"{number}\u{e4}\n"));
    match kind {
        0..4 => texts_as(kind, &numbers.iter().map(text).collect::<Vec<_>>()),
        4 => Arc::new(Int64Array::from_iter(
            numbers.iter().map(|number| number.map(i64::from)),
        )),
        5 => Arc::new(Int32Array::from(numbers.to_vec())),
        6 => Arc::new(UInt64Array::from_iter(numbers.iter().map(|number| {
            number.map(|number| u64::MAX - u64::from(number.unsigned_abs()))
        }))),
        7 => Arc::new(Float64Array::from_iter(numbers.iter().map(|number| {
            number.map(|number| {
                if number == 3 {
                    f64::NAN
                } else {
                    f64::from(number) / 4.0
                }
            })
        }))),
        8 => Arc::new(BooleanArray::from_iter(
            numbers.iter().map(|number| number.map(|number| number > 0)),
        )),
        _ => {
            let days = Int32Array::from(numbers.to_vec());
            cast(&days, &DataType::Date32).unwrap()
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<(Option<String>, Option<i32>, bool)>> {
    let text = prop_oneof![
        3 => "[a-c\"\n\u{e4}\u{1f600} ]{0,40}".prop_map(Some),
        1 => Just(Some(String::new())),
        1 => Just(None),
    ];
    let number = prop::option::weighted(0.8, -9..9);
    prop::collection::vec((text, number, prop::bool::weighted(0.9)), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn rows_in_memory_are_those_of_a_file(
        rows in rows(),
        text_kind in 0_usize..4,
        id_kind in 0_usize..10,
        nested in any::<bool>(),
        cuts in prop::collection::vec(0_usize..40, 0..5),
    ) {
        let texts: Vec<Option<String>> = rows.iter().map(|row| row.0.clone()).collect();
        let numbers: Vec<Option<i32>> = rows.iter().map(|row| row.1).collect();
        let (text, id) = (texts_as(text_kind, &texts), values_as(id_kind, &numbers));
        let fields = Fields::from(vec![
            Field::new("text", text.data_type().clone(), true),
            Field::new("id", id.data_type().clone(), true),
        ]);
        let (schema, columns, prefix) = match nested {
            false => (Schema::new(fields), vec![text, id], ""),
            true => {
                let valid: Vec<bool> = rows.iter().map(|row| row.2).collect();
                let nulls = Some(NullBuffer::from(valid));
                let doc = StructArray::try_new(fields.clone(), vec![text, id], nulls).unwrap();
                let field = Field::new("doc", DataType::Struct(fields), true);
                (Schema::new(vec![field]), vec![Arc::new(doc) as ArrayRef], "doc.")
            }
        };
        let options = ReadOptions {
            text_field: format!("{prefix}text"),
            id_field: format!("{prefix}id"),
            rank_field: Some(format!("{prefix}id")),
            ..ReadOptions::default()
        };
        let table = chunked(&Arc::new(schema), &columns, &cuts);
        prop_assert_eq!(told(read_table(&table, &options)), told(read_file(&table, &options)));
        let numbered = ReadOptions { renumber: true, ..options };
        let all = read_table(&table, &numbered);
        prop_assert!(all.iter().all(|seen| seen.key.is_none()));
    }

    #[test]
    fn a_sample_of_rows_passes_over_the_others(lengths in prop::collection::vec(0_usize..200, 1..200), every in 1_usize..9) {
        let texts: Vec<Option<String>> = lengths.iter().map(|len| Some("x".repeat(*len))).collect();
        let table = table_of(vec![("text", texts_as(0, &texts))]);
        let dir = tempfile::tempdir().unwrap();
        let mut collection = memory(&table, &ReadOptions::default(), dir.path());
        collection.block_size = 256;
        let mut blocks = collection.sample_blocks(every).unwrap();
        let (mut sampled, mut records, mut count, mut last) = (0, 0, 0, 0);
        while let Some(block) = blocks.next_block().unwrap() {
            last = block.bytes();
            sampled += last;
            records += block.len();
            count += 1;
        }
        let all: usize = lengths.iter().sum();
        prop_assert!(records <= lengths.len());
        // After each block so many bytes are passed over as its share asks for, to the end of a row; after the last, what is left.
        let overshoot = lengths.iter().max().map_or(0, |longest| longest.saturating_sub(1));
        prop_assert!(all <= every * sampled + overshoot * count);
        prop_assert!(all >= every * (sampled - last) + last);
        prop_assert!(every > 1 || sampled == all);
    }
}

#[test]
fn rows_without_ids_are_numbered_through_all_tables() {
    let texts = [Some("a".to_owned()), None, Some("c".to_owned())];
    let table = Arc::new(table_of(vec![("text", texts_as(0, &texts))]));
    let tables = Tables::from([("x".to_owned(), table.clone()), ("y".to_owned(), table)]);
    let dir = tempfile::tempdir().unwrap();
    let inputs = ["x".to_owned(), "y".to_owned()];
    let options = ReadOptions::default();
    let collection = Collection::open_among(&inputs, &options, dir.path(), &tables, 10).unwrap();
    let all = pass(&collection);
    let keys: Vec<&str> = all.iter().filter_map(|seen| seen.key.as_deref()).collect();
    assert_eq!(keys, ["10", "12", "13", "15"]);
    assert_eq!(collection.name_of(&all[4].place), "y:2");
    assert_eq!(
        reason(&all[4]),
        "text field `text` holds null, not a string"
    );
    fetched(&collection, &all);
}

#[test]
fn ids_may_be_json() {
    let ids = ["1", " \"x\" ", "2.50", "null", "[1]", "oops"];
    let json = Field::new("id", DataType::Utf8, true)
        .with_metadata([("doublet".to_owned(), "json".to_owned())].into());
    let schema = Schema::new(vec![Field::new("text", DataType::Utf8, true), json]);
    let texts = StringArray::from(vec!["t"; ids.len()]);
    let columns: Vec<ArrayRef> = vec![Arc::new(texts), Arc::new(StringArray::from(ids.to_vec()))];
    let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
    let table = Table::new(batch.schema(), vec![batch]);
    let all = read_table(&table, &ReadOptions::default());
    let keys: Vec<Option<&str>> = all.iter().map(|seen| seen.key.as_deref()).collect();
    let expected = [Some("1"), Some("\"x\""), Some("2.50"), None, None, None];
    assert_eq!(keys, expected);
    assert!(reason(&all[4]).contains("is no string"), "{:?}", all[4]);
    assert!(reason(&all[5]).contains("not JSON"), "{:?}", all[5]);
}

#[test]
fn a_table_without_the_column_is_refused_by_name() {
    let table = table_of(vec![("body", texts_as(0, &[Some("a".to_owned())]))]);
    let tables = Tables::from([("data".to_owned(), Arc::new(table))]);
    let dir = tempfile::tempdir().unwrap();
    let inputs = ["data".to_owned()];
    let opened = Collection::open_among(&inputs, &ReadOptions::default(), dir.path(), &tables, 0);
    assert_eq!(
        opened.unwrap_err().to_string(),
        "`data`: no column `text`: the columns are `body`; name the one with the text by `--text-field`"
    );
}
