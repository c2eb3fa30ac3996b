//! Texts to their counts and keys.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, StructBuilder,
};
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Fields};
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::kernel::prepare::{PrepareScratch, TextKeys};

use super::Stage;
use crate::kernel::columns::{Columns, Texts, batch, ints, longs, numbers};

/// Prepares texts.
pub(crate) struct PrepareStage {
    kernel: Arc<Kernel>,
    scratch: Box<PrepareScratch>,
    text: TextKeys,
}

impl PrepareStage {
    pub(crate) fn new(kernel: Arc<Kernel>) -> Self {
        Self {
            kernel,
            scratch: Box::default(),
            text: TextKeys::default(),
        }
    }

    fn keys(&self, rows: usize) -> KeyLists {
        if self.kernel.has_sentences() {
            return KeyLists::structs(
                rows,
                &[
                    ("key", DataType::Int64),
                    ("rest", DataType::Int64),
                    ("words", DataType::Int32),
                    ("occurrences", DataType::Int32),
                ],
            );
        }
        match self.kernel.is_one_sided() {
            true => KeyLists::structs(
                rows,
                &[("key", DataType::Int64), ("probe", DataType::Boolean)],
            ),
            false => KeyLists::Plain(ListBuilder::new(Int64Builder::new())),
        }
    }
}

impl Stage for PrepareStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let docs = numbers(input, "doc")?;
        let texts = Texts::of(input, "text")?;
        let rows = input.num_rows();
        let mut keys = self.keys(rows);
        let mut found: Vec<Row> = Vec::with_capacity(rows);
        for row in 0..rows {
            let Some(text) = texts.get(row) else {
                found.push(Row::rejected());
                keys.end();
                continue;
            };
            self.kernel
                .prepare(text, &mut self.scratch, &mut self.text)?;
            found.push(Row::new(text, &self.text));
            keys.push(&self.text);
        }
        let identities = found.iter().map(|row| row.identity.to_be_bytes());
        let mut columns: Columns = vec![
            ("doc", Arc::new(docs)),
            (
                "identity",
                Arc::new(BinaryArray::from_iter_values(identities)),
            ),
            ("tokens", ints(found.iter().map(|row| row.tokens))),
            ("distinct", ints(found.iter().map(|row| row.distinct))),
            ("length", ints(found.iter().map(|row| row.length))),
            ("weight", longs(found.iter().map(|row| row.weight as i64))),
        ];
        for (place, number) in self.kernel.traits().iter().enumerate() {
            let values = found.iter().map(|row| row.traits[place]);
            let column = match number.wide {
                true => longs(values.map(u64::cast_signed)),
                false => ints(values.map(|value| value as u32)),
            };
            columns.push((number.name, column));
        }
        columns.push(("keys", keys.finish()));
        out.push(batch(columns)?);
        Ok(rows)
    }

    fn finish(&mut self, _out: &mut Vec<RecordBatch>) -> Result<bool> {
        Ok(true)
    }
}

/// What is kept of a text besides its keys.
struct Row {
    identity: u128,
    tokens: u32,
    distinct: u32,
    length: u32,
    weight: u64,
    traits: [u64; 4],
}

impl Row {
    fn new(text: &str, found: &TextKeys) -> Self {
        Self {
            identity: found.identity,
            tokens: found.tokens,
            distinct: found.distinct,
            length: u32::try_from(text.chars().count()).unwrap_or(u32::MAX),
            weight: found.weight,
            traits: found.traits,
        }
    }

    /// A text that is missing, or that is none: so many tokens no other has.
    fn rejected() -> Self {
        Self {
            identity: 0,
            tokens: u32::MAX,
            distinct: 0,
            length: 0,
            weight: 0,
            traits: [0; 4],
        }
    }
}

/// The keys of texts, on their way into a column.
enum KeyLists {
    Plain(ListBuilder<Int64Builder>),
    Structs(ListBuilder<StructBuilder>),
}

impl KeyLists {
    fn structs(rows: usize, fields: &[(&str, DataType)]) -> Self {
        let fields = fields
            .iter()
            .map(|(name, kind)| Field::new(*name, kind.clone(), true));
        let fields = Fields::from_iter(fields);
        Self::Structs(ListBuilder::new(StructBuilder::from_fields(fields, rows)))
    }

    fn push(&mut self, found: &TextKeys) {
        match self {
            Self::Plain(lists) => {
                let keys = found.keys.iter().map(|key| key.cast_signed());
                keys.for_each(|key| lists.values().append_value(key));
            }
            Self::Structs(lists) => {
                let structs = lists.values();
                for (place, &key) in found.keys.iter().enumerate() {
                    push_long(structs, 0, key);
                    if let Some(probes) = structs.field_builder::<BooleanBuilder>(1) {
                        probes.append_value(place < found.probes);
                    }
                    structs.append(true);
                }
                for sentence in &found.sentences {
                    push_long(structs, 0, (sentence.key >> 64) as u64);
                    push_long(structs, 1, sentence.key as u64);
                    push_int(structs, 2, sentence.words);
                    push_int(structs, 3, sentence.occurrences);
                    structs.append(true);
                }
            }
        }
        self.end();
    }

    /// Ends the keys of a text.
    fn end(&mut self) {
        match self {
            Self::Plain(lists) => lists.append(true),
            Self::Structs(lists) => lists.append(true),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Plain(mut lists) => Arc::new(lists.finish()),
            Self::Structs(mut lists) => Arc::new(lists.finish()),
        }
    }
}

fn push_long(structs: &mut StructBuilder, field: usize, value: u64) {
    if let Some(values) = structs.field_builder::<Int64Builder>(field) {
        values.append_value(value.cast_signed());
    }
}

fn push_int(structs: &mut StructBuilder, field: usize, value: u32) {
    if let Some(values) = structs.field_builder::<Int32Builder>(field) {
        values.append_value(value.cast_signed());
    }
}

/// What [`PrepareStage`] gives, as Spark writes schemas.
pub(crate) fn prepare_schema(kernel: &Kernel) -> String {
    let mut schema =
        "doc bigint, identity binary, tokens int, distinct int, length int, weight bigint"
            .to_owned();
    for number in kernel.traits() {
        let kind = if number.wide { "bigint" } else { "int" };
        schema.push_str(&format!(", {} {kind}", number.name));
    }
    schema.push_str(match (kernel.has_sentences(), kernel.is_one_sided()) {
        (true, _) => {
            ", keys array<struct<key: bigint, rest: bigint, words: int, occurrences: int>>"
        }
        (_, true) => ", keys array<struct<key: bigint, probe: boolean>>",
        _ => ", keys array<bigint>",
    });
    schema
}
