//! `GET /v1/stats`: what the index holds, what was asked, and how that went over time.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::blocking;
use crate::answer::{self, Reply};
use crate::app::App;
use crate::metrics::get;
use crate::problem::Problem;
use crate::query::Query;
use crate::service::Call;
use crate::tokens::Rights;

pub(super) async fn stats(call: &Call<'_>) -> Result<Reply, Problem> {
    let query = Query::read(call.head.uri.query(), &["history"])?;
    let hours = match query.get("history") {
        None | Some("minutes") => false,
        Some("hours") => true,
        Some(_) => return Err(Problem::field("history", "give minutes or hours")),
    };
    let (app, rights) = (Arc::clone(call.app), call.rights);
    let place = app.limits.admit()?;
    let described = blocking(move || {
        let _held_until_done = place;
        describe(&app, rights, hours)
    });
    let described = described.await?;
    answer::json(StatusCode::OK, &described)
}

fn describe(app: &App, rights: Rights, hours: bool) -> Value {
    let now = app.now();
    let (info, live, limits) = (now.info, now.live, &app.options);
    let mut line = json!({
        "documents": info.documents,
        "dead": info.dead,
        "entries": info.entries,
        "parts": info.parts,
        "bytes": info.bytes,
        "commit": info.commit,
        "options": info.options,
        "live": {
            "waiting": live.waiting,
            "commits": live.commits,
            "journal_bytes": live.journal_bytes,
            "fresh_documents": live.fresh_documents,
            "merged_parts": live.merged_parts,
            "merge_seconds": live.merge_seconds,
            "read_only": live.read_only,
        },
        "checks": {
            "total": get(&app.metrics.checks),
            "duplicates": get(&app.metrics.duplicates),
        },
        "uptime_seconds": now.uptime.as_secs(),
        "version": env!("CARGO_PKG_VERSION"),
        "limits": {
            "body_bytes": limits.max_body,
            "batch": limits.max_batch,
            "text_bytes": limits.max_text,
            "documents": limits.max_documents,
        },
        "rights": rights.word(),
        "history": app.history.points(hours),
    });
    if let Some(found) = app.survey.found() {
        line["sizes"] = json!(found.sizes);
    }
    line
}
