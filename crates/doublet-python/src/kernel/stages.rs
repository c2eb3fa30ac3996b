//! What a task does with its batches, stage by stage. Each takes batches in, and gives batches out as they are full.

mod cluster;
mod forest;
mod meet;
mod prepare;
mod survey;
mod verify;

use arrow_array::RecordBatch;
use doublet::Result;

pub(crate) use cluster::{CLUSTER_SCHEMA, ClusterStage};
pub(crate) use forest::ForestStage;
pub(crate) use meet::{MeetStage, meet_schema};
pub(crate) use prepare::{PrepareStage, prepare_schema};
pub(crate) use survey::{SurveyStage, survey_schema};
pub(crate) use verify::{DecideStage, IdenticalStage, VerifyStage};

/// A stage at work in one task.
pub(crate) trait Stage: Send {
    /// Takes in the rows of a batch from this one on, and gives the row to go on with: one that is left if `out` has so much that it
    /// has to be taken away first.
    fn push(
        &mut self,
        input: &RecordBatch,
        from: usize,
        out: &mut Vec<RecordBatch>,
    ) -> Result<usize>;

    /// Gives what is left; `false` as long as there is more.
    fn finish(&mut self, out: &mut Vec<RecordBatch>) -> Result<bool>;
}
