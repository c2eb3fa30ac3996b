//! The join as the tasks of a cluster run it: `doublet.spark` hands batches in and takes batches out.

mod batches;
mod columns;
mod scored;
mod stages;

use std::ffi::OsString;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use doublet::kernel::learn::Learner;
use doublet::kernel::survey::SurveyKind;
use doublet::report::summary::Summary;
use doublet_cli::{Resolved, resolve_dedup};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use batches::for_each_batch;
pub(crate) use batches::{Batch, Batches};
use columns::{Texts, numbers};
use scored::Scored;
use stages::{
    CLUSTER_SCHEMA, ClusterStage, DecideStage, ForestStage, IdenticalStage, MeetStage,
    PrepareStage, SurveyStage, VerifyStage, meet_schema, prepare_schema, survey_schema,
};

/// What the tasks of one run have in common.
#[pyclass(frozen, module = "doublet._native")]
pub(crate) struct Kernel {
    kernel: Arc<doublet::kernel::Kernel>,
}

/// What a kernel is made of again: no arguments, and the model, which has all.
type Pickled<'py> = (Option<Vec<String>>, Bound<'py, PyBytes>);

#[pymethods]
impl Kernel {
    /// Of arguments, in the words of the command line; or of a model.
    #[new]
    #[pyo3(signature = (arguments=None, model=None))]
    fn new(py: Python<'_>, arguments: Option<Vec<String>>, model: Option<&[u8]>) -> PyResult<Self> {
        if arguments.is_some() == model.is_some() {
            let message = "a kernel is made of arguments or of a model".to_owned();
            return Err(errors::bad_data(py, message));
        }
        let line: Vec<OsString> = arguments.iter().flatten().map(OsString::from).collect();
        let made = py.detach(|| {
            if let Some(model) = model {
                return doublet::kernel::Kernel::of_model(model).map_err(Fault::Library);
            }
            let resolved = resolve_dedup(&line).map_err(Fault::Command)?;
            refuse(&resolved).map_err(Fault::Library)?;
            doublet::kernel::Kernel::new(resolved.join.matching, resolved.cluster)
                .map_err(Fault::Library)
        });
        let kernel = Arc::new(made.map_err(|fault| fault.raise(py))?);
        Ok(Self { kernel })
    }

    /// Pickled as its model, so that a task reads no file.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let model = slf.get().model(slf.py())?;
        Ok((slf.get_type().into_any(), (None, model)))
    }

    /// All options in force, as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.kernel.settings().to_string()
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = py.detach(|| self.kernel.model());
        let model = model.map_err(|error| errors::of_error(py, error))?;
        Ok(PyBytes::new(py, &model))
    }

    #[getter]
    fn keep(&self) -> String {
        self.kernel.keep().to_string()
    }

    #[getter]
    fn threshold(&self) -> f64 {
        self.kernel.options().threshold.value()
    }

    #[getter]
    fn removal_scores(&self) -> (&'static str, &'static str) {
        self.kernel.removal_scores()
    }

    #[getter]
    fn counts_losses(&self) -> bool {
        self.kernel.counts_losses()
    }

    /// Warnings about a run of these figures.
    fn warnings(
        &self,
        read: u64,
        kept: u64,
        removed: u64,
        below: u64,
        rejected: u64,
        largest: u64,
    ) -> Vec<String> {
        let summary = Summary {
            read,
            kept,
            removed,
            below_threshold: below,
            rejected,
            ..Summary::default()
        };
        self.kernel.warnings(&summary, largest)
    }

    #[getter]
    fn survey_kind(&self) -> &'static str {
        match self.kernel.survey_kind() {
            None => "",
            Some(SurveyKind::Parts) => "parts",
            Some(SurveyKind::Counts) => "counts",
        }
    }

    #[getter]
    fn traits(&self) -> Vec<&'static str> {
        let traits = self.kernel.traits().iter();
        traits.map(|number| number.name).collect()
    }

    #[getter]
    fn one_sided(&self) -> bool {
        self.kernel.is_one_sided()
    }

    #[getter]
    fn verifies(&self) -> bool {
        !self.kernel.has_sentences()
    }

    #[getter]
    fn min_sentences(&self) -> Option<u32> {
        let options = self.kernel.options();
        let rule = options.decision(false).copies?;
        rule.sentences
    }

    #[getter]
    fn most_occurrences(&self) -> u64 {
        self.kernel.options().sentences.rule.most
    }

    fn describe(&self) -> String {
        self.kernel.describe().to_string()
    }

    fn sample_every(&self, texts: u64, bytes: u64) -> u64 {
        self.kernel.sample_every(texts, bytes)
    }

    /// What a stage gives, as Spark writes schemas.
    fn schema(&self, py: Python<'_>, stage: &str) -> PyResult<String> {
        Ok(match stage {
            "survey" => survey_schema(self.kernel.survey_kind()).to_owned(),
            "prepare" => prepare_schema(&self.kernel),
            "meet" => meet_schema(&self.kernel).to_owned(),
            "verify" | "decide" => Scored::pairs(&self.kernel).schema(),
            "identical" => Scored::copies(&self.kernel).schema(),
            "cluster" => CLUSTER_SCHEMA.to_owned(),
            _ => {
                let message = format!("there is no stage `{stage}`");
                return Err(errors::bad_data(py, message));
            }
        })
    }

    fn survey(&self, batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
        Batches::new(batches, SurveyStage::new(&self.kernel))
    }

    fn learn<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        texts: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut learner = Learner::default();
        for_each_batch(rows, |batch| learn_batch(&self.kernel, &mut learner, batch))?;
        let model = py.detach(|| learner.finish(&self.kernel, texts));
        let model = model.map_err(|error| errors::of_error(py, error))?;
        Ok(PyBytes::new(py, &model))
    }

    /// The model with the sentences that occur too often to count.
    fn boilerplate<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut keys = Vec::new();
        for_each_batch(rows, |batch| {
            let (a, b) = (numbers(batch, "a")?, numbers(batch, "b")?);
            let halves = a.values().iter().zip(b.values());
            let half = |number: &i64| u128::from(number.cast_unsigned());
            keys.extend(halves.map(|(a, b)| half(a) << 64 | half(b)));
            Ok(())
        })?;
        let model = py.detach(|| self.kernel.with_boilerplate(keys));
        let model = model.map_err(|error| errors::of_error(py, error))?;
        Ok(PyBytes::new(py, &model))
    }

    fn prepare(&self, batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
        Batches::new(batches, PrepareStage::new(Arc::clone(&self.kernel)))
    }

    fn meet(&self, batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
        let stage = MeetStage::new(Arc::clone(&self.kernel));
        let stage = stage.map_err(|error| errors::of_error(batches.py(), error))?;
        Batches::new(batches, stage)
    }

    #[pyo3(signature = (batches, all=false))]
    fn verify(&self, batches: &Bound<'_, PyAny>, all: bool) -> PyResult<Batches> {
        Batches::new(batches, VerifyStage::new(Arc::clone(&self.kernel), all))
    }

    #[pyo3(signature = (batches, all=false))]
    fn decide(&self, batches: &Bound<'_, PyAny>, all: bool) -> PyResult<Batches> {
        Batches::new(batches, DecideStage::new(Arc::clone(&self.kernel), all))
    }

    fn identical(&self, batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
        Batches::new(batches, IdenticalStage::new(&self.kernel))
    }

    fn cluster(&self, batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
        Batches::new(batches, ClusterStage::new(Arc::clone(&self.kernel)))
    }
}

/// Says which options a cluster does not have.
fn refuse(resolved: &Resolved) -> doublet::Result<()> {
    let refuse = |option, value: String, expected: &str| {
        Err(doublet::Error::Option {
            option,
            value,
            expected: expected.to_owned(),
        })
    };
    let described = &resolved.described;
    if described.get("remove") == Some(&"passages".into()) {
        let expected = "a cluster removes whole documents; one machine can remove passages";
        return refuse("remove", "passages".to_owned(), expected);
    }
    let against = described.get("against").and_then(|given| given.as_array());
    if let Some(first) = against.and_then(|given| given.first()) {
        let expected = "a cluster compares the texts of one table: put both into one";
        return refuse("against", first.as_str().unwrap_or("").to_owned(), expected);
    }
    Ok(())
}

/// Why there is no kernel.
enum Fault {
    Command(doublet_cli::Failure),
    Library(doublet::Error),
}

impl Fault {
    fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Command(failure) => errors::of_failure(py, &failure),
            Self::Library(error) => errors::of_error(py, error),
        }
    }
}

fn learn_batch(
    kernel: &doublet::kernel::Kernel,
    learner: &mut Learner,
    batch: &RecordBatch,
) -> doublet::Result<()> {
    if kernel.survey_kind() != Some(SurveyKind::Counts) {
        let parts = columns::bytes(batch, "part")?;
        return parts
            .iter()
            .flatten()
            .try_for_each(|part| learner.add_part(kernel, part));
    }
    let forms = Texts::of(batch, "form")?;
    let groups = numbers(batch, "group")?;
    let occurrences = numbers(batch, "occurrences")?;
    let texts = numbers(batch, "texts")?;
    for row in 0..batch.num_rows() {
        let form = forms.get(row);
        let form = form.ok_or_else(|| columns::misfit("a form is no text".to_owned()))?;
        let group = groups.value(row) as i32;
        let count = |column: &Int64Array| column.value(row) as u64;
        learner.add_count(form, group, count(&occurrences), count(&texts))?;
    }
    Ok(())
}

/// A spanning forest of the edges of each task.
#[pyfunction]
pub(crate) fn contract(batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
    Batches::new(batches, ForestStage::new(true))
}

/// The least text that each is connected with.
#[pyfunction]
pub(crate) fn components(batches: &Bound<'_, PyAny>) -> PyResult<Batches> {
    Batches::new(batches, ForestStage::new(false))
}
