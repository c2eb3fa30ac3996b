//! Texts to what a survey saw of them.

use std::sync::Arc;

use arrow_array::{BinaryArray, RecordBatch, StringArray};
use doublet::Result;
use doublet::kernel::Kernel;
use doublet::kernel::survey::{Survey, SurveyKind, Surveyed};

use super::Stage;
use crate::kernel::columns::{ROWS, Texts, batch, ints, longs};

/// Looks at texts.
pub(crate) struct SurveyStage {
    survey: Option<Survey>,
    found: Surveyed,
}

impl SurveyStage {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            survey: Some(Survey::new(kernel)),
            found: Surveyed::default(),
        }
    }

    fn hand_on(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        let Surveyed { parts, counts } = std::mem::take(&mut self.found);
        if !parts.is_empty() {
            let parts = BinaryArray::from_iter_values(parts);
            out.push(batch(vec![("part", Arc::new(parts))])?);
        }
        for rows in counts.chunks(ROWS) {
            let forms = StringArray::from_iter_values(rows.iter().map(|row| &row.form));
            out.push(batch(vec![
                ("form", Arc::new(forms)),
                (
                    "group",
                    ints(rows.iter().map(|row| row.group.cast_unsigned())),
                ),
                (
                    "occurrences",
                    longs(rows.iter().map(|row| row.occurrences as i64)),
                ),
                ("texts", longs(rows.iter().map(|row| row.texts as i64))),
            ])?);
        }
        Ok(())
    }
}

impl Stage for SurveyStage {
    fn push(
        &mut self,
        input: &RecordBatch,
        _from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize> {
        let texts = Texts::of(input, "text")?;
        if let Some(survey) = &mut self.survey {
            for text in (0..input.num_rows()).filter_map(|row| texts.get(row)) {
                survey.add(text, &mut self.found);
            }
        }
        if !self.found.is_empty() {
            self.hand_on(out)?;
        }
        Ok(input.num_rows())
    }

    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool> {
        if let Some(survey) = self.survey.take() {
            survey.finish(&mut self.found);
        }
        self.hand_on(out)?;
        Ok(true)
    }
}

/// What a survey gives, as Spark writes schemas.
pub(crate) fn survey_schema(kind: Option<SurveyKind>) -> &'static str {
    match kind {
        Some(SurveyKind::Counts) => "form string, group int, occurrences bigint, texts bigint",
        _ => "part binary",
    }
}
