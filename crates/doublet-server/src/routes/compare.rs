//! `POST /v1/compare`: two texts side by side, by the method and options of the index.

use std::ops::Range;
use std::sync::Arc;

use doublet::index::{CheckOptions, Index};
use doublet::method::Explanation;
use doublet::read::CodePoints;
use doublet::report::pairs::named_scores;
use hyper::StatusCode;
use serde_json::{Value, json};

use super::blocking;
use super::check::{fits, json_body, threshold};
use crate::answer::{self, Members, Reply};
use crate::app::App;
use crate::problem::Problem;
use crate::query::Query;
use crate::service::Call;
use crate::wire::{self, CompareRequest};

pub(super) async fn compare(call: &mut Call<'_>) -> Result<Reply, Problem> {
    Query::read(call.head.uri.query(), &[])?;
    let body = json_body(call).await?;
    let (app, place) = (Arc::clone(call.app), call.app.limits.admit()?);
    let compared = blocking(move || {
        let _held_until_done = place;
        explain(&app, &body.bytes)
    });
    answer::json(StatusCode::OK, &compared.await??)
}

fn explain(app: &App, body: &[u8]) -> Result<Members, Problem> {
    let request: CompareRequest<'_> = wire::read(body)?;
    for (path, text) in [("a", &request.a), ("b", &request.b)] {
        fits(text, app).map_err(|problem| problem.with("path", path))?;
    }
    let index = app.index.snapshot();
    let mut options = CheckOptions::of(index.options());
    if let Some(value) = request.threshold {
        options.threshold = threshold(value)?;
    }
    let (a, b) = (&*request.a.0, &*request.b.0);
    let found = index.explain(a, b).map_err(Problem::failed)?;
    let duplicate = options.decision(index.options()).is_match(&found.scores);
    Ok(describe(&index, &found, duplicate, a, b))
}

fn describe(index: &Index, found: &Explanation, duplicate: bool, a: &str, b: &str) -> Members {
    let (options, scores) = (index.options(), &found.scores);
    let mut line = Members::default();
    line.push("score", scores.score(options.matching.metric));
    line.push("metric", options.matching.metric.name());
    line.push("duplicate", duplicate);
    line.push("common", scores.common);
    line.push("distinct_a", scores.distinct_a);
    line.push("distinct_b", scores.distinct_b);
    line.push("covered_a", scores.covered_a);
    line.push("covered_b", scores.covered_b);
    line.push("tokens_a", scores.tokens_a);
    line.push("tokens_b", scores.tokens_b);
    for (name, value) in named_scores(scores, options.matching.metric) {
        line.push(name, value);
    }
    line.push("passages_a", passages(a, &found.passages_a));
    line.push("passages_b", passages(b, &found.passages_b));
    line
}

fn passages(text: &str, ranges: &[Range<usize>]) -> Vec<Value> {
    let mut points = CodePoints::of_text(text);
    let mut one = |range: &Range<usize>| json!({"start": points.start(range.start), "end": points.end(range.end)});
    ranges.iter().map(&mut one).collect()
}
