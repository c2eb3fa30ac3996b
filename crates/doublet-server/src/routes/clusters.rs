//! `/v1/clusters`: which documents say the same, the largest groups first.

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;

use super::documents::raw;
use crate::answer::{Reply, json};
use crate::problem::{self, Problem};
use crate::query::{Query, cursor};
use crate::service::Call;
use crate::survey::{FoundCluster, Standing, Surveyed};

/// How long the first who asks waits.
const PATIENCE: Duration = Duration::from_secs(1);
const LISTED: usize = 20;
const MOST_LISTED: usize = 1000;
const MEMBERS: usize = 20;
const MOST_MEMBERS: usize = 1000;
/// Members of all clusters of an answer.
const MOST: usize = 20_000;

/// What is known about clusters.
#[derive(Serialize)]
struct Found {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<u64>,
    stale: bool,
    clusters_total: usize,
    documents_in_clusters: usize,
    clusters: Vec<Listed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A cluster, with some of its members.
#[derive(Serialize)]
struct Listed {
    cluster: usize,
    size: usize,
    representative: Box<RawValue>,
    members: Vec<Member>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct Member {
    id: Box<RawValue>,
    score: f64,
}

/// A place in a list: of which survey, and how far.
fn place(query: &Query, found: &Surveyed) -> Result<usize, Problem> {
    let Some(cursor) = query.cursor()? else {
        return Ok(0);
    };
    let parts = cursor
        .split_once('/')
        .map(|(of, at)| (of.parse(), at.parse()));
    match parts {
        Some((Ok(of), Ok(at))) if found.number == of => Ok(at),
        Some((Ok::<u64, _>(_), Ok::<usize, _>(_))) => Err(Problem::field(
            "cursor",
            "the clusters were found anew since: begin again without a cursor",
        )),
        _ => Err(Problem::field(
            "cursor",
            "give what an answer before had as `next`",
        )),
    }
}

fn next(found: &Surveyed, at: usize, of: usize) -> Option<String> {
    (at < of).then(|| cursor(&format!("{}/{at}", found.number)))
}

/// How it stands with the clusters of the index as it is.
async fn standing(call: &Call<'_>) -> Result<(Standing, bool), Problem> {
    let app = call.app;
    let index = app.index.snapshot();
    if !index.options().texts {
        let detail = "the index keeps no texts, so that they cannot be compared with one another: make it without `--no-texts`";
        return Err(Problem::new(problem::NO_TEXTS, detail));
    }
    let _place = app.limits.admit()?;
    let standing = app.survey.ask_patiently(&index, PATIENCE).await;
    if let (None, None, Some(reason)) = (&standing.found, standing.progress, &standing.failed) {
        return Err(Problem::failed(reason));
    }
    let stale = standing
        .found
        .as_ref()
        .is_some_and(|found| !found.is_of(&index));
    Ok((standing, stale))
}

pub(super) async fn list(call: &Call<'_>) -> Result<Reply, Problem> {
    let query = Query::read(call.head.uri.query(), &["limit", "cursor", "members"])?;
    let limit = query.number("limit", LISTED, (1, MOST_LISTED))?;
    let members = query.number("members", MEMBERS, (0, MOST_MEMBERS))?;
    if limit * members > MOST {
        let detail = format!("`members` times `limit` may be {MOST} at most: give a smaller one");
        return Err(Problem::field("members", detail));
    }
    let (standing, stale) = standing(call).await?;
    let found = standing.found.unwrap_or_default();
    let from = match found.number {
        0 => 0,
        _ => place(&query, &found)?.min(found.clusters.len()),
    };
    let to = (from + limit).min(found.clusters.len());
    let listed = found.clusters[from..to].iter().zip(from..);
    let clusters: Result<Vec<Listed>, Problem> = listed
        .map(|(cluster, number)| describe(&found, cluster, number, 0, members))
        .collect();
    let computing = standing.progress.is_some() || found.number == 0;
    json(
        StatusCode::OK,
        &Found {
            state: if computing { "computing" } else { "ready" },
            progress: standing.progress,
            as_of: (found.number > 0).then_some(found.commit),
            stale,
            clusters_total: found.clusters.len(),
            documents_in_clusters: found.documents,
            clusters: clusters?,
            next: next(&found, to, found.clusters.len()),
        },
    )
}

pub(super) async fn one(call: &Call<'_>) -> Result<Reply, Problem> {
    let query = Query::read(call.head.uri.query(), &["cursor", "members"])?;
    let members = query.number("members", MOST_MEMBERS, (1, MOST_MEMBERS))?;
    let digits = call.rest.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<usize> = call.rest.parse().ok().filter(|_| digits);
    let none = || {
        Problem::new(
            problem::NO_CLUSTER,
            "there is no cluster of this number: `GET /v1/clusters` lists them",
        )
    };
    let number = number.ok_or_else(none)?;
    let (standing, _) = standing(call).await?;
    let Some(found) = standing.found else {
        let detail = "the clusters are being found: try again in a moment";
        return Err(Problem::new(problem::COMPUTING, detail));
    };
    let cluster = found.clusters.get(number).ok_or_else(none)?;
    let from = place(&query, &found)?.min(cluster.members.len());
    json(
        StatusCode::OK,
        &describe(&found, cluster, number, from, members)?,
    )
}

fn describe(
    found: &Arc<Surveyed>,
    cluster: &FoundCluster,
    number: usize,
    from: usize,
    members: usize,
) -> Result<Listed, Problem> {
    let size = cluster.members.len();
    let to = (from + members).min(size);
    let member = |(id, score): &(String, f64)| {
        Ok(Member {
            id: raw(id)?,
            score: *score,
        })
    };
    let members: Result<Vec<Member>, Problem> =
        cluster.members[from..to].iter().map(member).collect();
    Ok(Listed {
        cluster: number,
        size,
        representative: raw(&cluster.representative)?,
        members: members?,
        next: next(found, to, size),
    })
}
