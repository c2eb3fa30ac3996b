//! What those who run the service ask: is it alive, is it ready, how is it doing, what does it understand.

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde_json::json;

use crate::answer::{self, Reply, reply};
use crate::problem::{self, Problem};
use crate::query::Query;
use crate::service::Call;

pub(super) fn health(call: &Call<'_>) -> Result<Reply, Problem> {
    Query::read(call.head.uri.query(), &[])?;
    answer::json(StatusCode::OK, &json!({"status": "alive"}))
}

pub(super) fn ready(call: &Call<'_>) -> Result<Reply, Problem> {
    Query::read(call.head.uri.query(), &[])?;
    if call.app.is_ending() {
        let detail = "the service is ending: try again when it is back";
        return Err(Problem::new(problem::ENDING, detail));
    }
    if call.app.index.figures().read_only {
        let detail = "the disk of the service failed: it answers, but changes nothing until it is started again";
        return Err(Problem::new(problem::READ_ONLY, detail));
    }
    answer::json(StatusCode::OK, &json!({"status": "ready"}))
}

/// Done here and now, so that it is told also when everything else waits.
pub(super) fn metrics(call: &Call<'_>) -> Result<Reply, Problem> {
    Query::read(call.head.uri.query(), &[])?;
    let text = call.app.metrics.to_text(&call.app.now());
    Ok(reply(
        StatusCode::OK,
        "text/plain; version=0.0.4; charset=utf-8",
        text,
    ))
}

pub(super) fn openapi(call: &Call<'_>) -> Result<Reply, Problem> {
    Query::read(call.head.uri.query(), &[])?;
    let document = crate::openapi::document(&call.app.options)?;
    let mut reply = reply(StatusCode::OK, "application/json", document);
    reply
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(reply)
}
