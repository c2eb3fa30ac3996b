//! `/v1/documents`: adds, gives, lists and removes documents.

use std::sync::Arc;

use doublet::index::{Index, NewDocument, Outcome, Write};
use hyper::StatusCode;
use hyper::header::{HeaderValue, LOCATION};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::value::RawValue;

use super::check::{documents, json_body};
use super::{SMALL, blocking, here, stream, submit};
use crate::answer::{Reply, json};
use crate::app::App;
use crate::body::ContentType;
use crate::metrics::count;
use crate::problem::{self, Problem};
use crate::query::{Query, cursor, decode};
use crate::service::Call;
use crate::wire::{self, Document, DocumentsRequest, MOST_ID};

/// Ids in one answer, unless another number is asked for, and at most.
const LISTED: usize = 100;
const MOST_LISTED: usize = 1000;

/// What `POST` did.
#[derive(Debug, Default, Serialize)]
pub(super) struct Added {
    pub(super) added: u64,
    pub(super) replaced: u64,
    /// Those without a word, of which nothing is ever a copy.
    pub(super) empty: u64,
}

impl Added {
    /// Counts documents that were written.
    pub(super) fn count(&mut self, app: &App, outcomes: &[Outcome]) {
        for outcome in outcomes {
            if let Outcome::Added { replaced } = outcome {
                self.added += 1;
                self.replaced += u64::from(*replaced);
                count(&app.metrics.added, 1);
                count(&app.metrics.replaced, u64::from(*replaced));
            }
        }
    }
}

pub(super) async fn add(call: &mut Call<'_>) -> Result<Reply, Problem> {
    call.may_write()?;
    let strict = Query::read(call.head.uri.query(), &["strict"])?.flag("strict")?;
    if ContentType::of(&call.head.headers) == Some(ContentType::Lines) {
        return stream::add(call, strict).await;
    }
    let (app, body) = (call.app, json_body(call).await?);
    let _place = app.limits.admit()?;
    let (bytes, shared) = (body.bytes.clone(), Arc::clone(app));
    let work = move || prepare(&shared, &bytes);
    let (ready, single) = match body.bytes.len() <= SMALL {
        true => {
            tokio::task::yield_now().await;
            here(work)?
        }
        false => blocking(work).await??,
    };
    let location = single.then(|| ready.first().and_then(location)).flatten();
    let mut added = Added {
        empty: ready.iter().filter(|document| document.is_empty()).count() as u64,
        ..Added::default()
    };
    let outcomes = submit(app, Write::Add(ready)).await?;
    added.count(app, &outcomes);
    let new = single && added.replaced == 0;
    let status = if new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let mut reply = json(status, &added)?;
    if let Some(location) = location {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}

/// The documents of a body, ready to be added; whether it is a single one.
fn prepare(app: &App, body: &[u8]) -> Result<(Vec<NewDocument>, bool), Problem> {
    let request: DocumentsRequest<'_> = wire::read(body)?;
    let (documents, batch) = documents((request.id, request.text), request.documents, app)?;
    Ok((ready(app, documents, batch)?, !batch))
}

/// Makes documents ready to be added. Each needs an id.
pub(super) fn ready(
    app: &App,
    documents: Vec<Document<'_>>,
    batch: bool,
) -> Result<Vec<NewDocument>, Problem> {
    let one = |(number, document): (usize, Document<'_>)| {
        let path = |name: &str| match batch {
            true => format!("documents[{number}].{name}"),
            false => name.to_owned(),
        };
        let Some(id) = document.id else {
            let path = path("id");
            return Err(Problem::field(
                &path,
                format!("`{path}`: a document that is added needs an id"),
            ));
        };
        let made = app
            .index
            .document(id.as_json().to_owned(), document.text.0.into_owned());
        made.map_err(|error| Problem::field(&path("text"), error.to_string()))
    };
    documents.into_iter().enumerate().map(one).collect()
}

/// What stays as it is in a path.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Where a document is found.
fn location(document: &NewDocument) -> Option<HeaderValue> {
    let name: String = match serde_json::from_str(document.id()) {
        Ok(string) => string,
        Err(_) => document.id().to_owned(),
    };
    let encoded = utf8_percent_encode(&name, PLAIN);
    // Such steps are taken out of paths on the way, and an empty one is none.
    let path = match name.as_str() {
        "" | "." | ".." => format!("/v1/documents?id={encoded}"),
        _ => format!("/v1/documents/{encoded}"),
    };
    HeaderValue::from_str(&path).ok()
}

/// The id that the path or the parameter `id` names.
fn name(call: &Call<'_>) -> Result<String, Problem> {
    let query = Query::read(
        call.head.uri.query(),
        if call.rest.is_empty() { &["id"] } else { &[] },
    )?;
    let name = match (call.rest, query.get("id")) {
        ("", Some(id)) => id.to_owned(),
        ("", None) => {
            return Err(Problem::field(
                "id",
                "say which document: by `?id=`, or behind `/v1/documents/`",
            ));
        }
        (rest, _) => decode(rest, false)?.into_owned(),
    };
    match name.chars().count() <= MOST_ID {
        true => Ok(name),
        false => Err(Problem::field(
            "id",
            format!("an id has at most {MOST_ID} characters"),
        )),
    }
}

fn no_document() -> Problem {
    Problem::new(
        problem::NO_DOCUMENT,
        "there is no document of this id, neither as a string nor as a number",
    )
}

/// An id as the answer has it.
pub(super) fn raw(id: &str) -> Result<Box<RawValue>, Problem> {
    RawValue::from_string(id.to_owned()).map_err(Problem::failed)
}

/// A document.
#[derive(Serialize)]
struct Given {
    id: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    characters: Option<usize>,
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, Problem> {
    let name = name(call)?;
    let (app, place) = (Arc::clone(call.app), call.app.limits.admit()?);
    let found = blocking(move || {
        let _held_until_done = place;
        find(&app.index.snapshot(), &name)
    });
    json(StatusCode::OK, &found.await??)
}

fn find(index: &Index, name: &str) -> Result<Given, Problem> {
    let id = index
        .called(name)
        .map_err(Problem::failed)?
        .ok_or_else(no_document)?;
    let found = index
        .document(&id)
        .map_err(Problem::failed)?
        .ok_or_else(no_document)?;
    Ok(Given {
        id: raw(&id)?,
        characters: found.text.as_ref().map(|text| text.chars().count()),
        text: found.text,
    })
}

pub(super) async fn remove(call: &Call<'_>) -> Result<Reply, Problem> {
    call.may_write()?;
    let name = name(call)?;
    let _place = call.app.limits.admit()?;
    let index = call.app.index.snapshot();
    let id = index
        .called(&name)
        .map_err(Problem::failed)?
        .ok_or_else(no_document)?;
    drop(index);
    let outcomes = submit(call.app, Write::Remove(vec![id])).await?;
    if !matches!(outcomes[..], [Outcome::Removed { found: true }]) {
        return Err(no_document());
    }
    count(&call.app.metrics.removed, 1);
    json(StatusCode::OK, &serde_json::json!({"removed": true}))
}

/// Some of the documents.
#[derive(Serialize)]
struct Listed {
    documents: Vec<Named>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct Named {
    id: Box<RawValue>,
}

pub(super) async fn list_or_get(call: &Call<'_>) -> Result<Reply, Problem> {
    let query = Query::read(call.head.uri.query(), &["id", "prefix", "limit", "cursor"])?;
    if query.get("id").is_some() {
        return get(call).await;
    }
    let limit = query.number("limit", LISTED, (1, MOST_LISTED))?;
    let prefix = query.get("prefix").unwrap_or_default().to_owned();
    let after = query.cursor()?;
    let (app, place) = (Arc::clone(call.app), call.app.limits.admit()?);
    let listed = blocking(move || {
        let _held_until_done = place;
        list(&app.index.snapshot(), &prefix, after.as_deref(), limit)
    });
    json(StatusCode::OK, &listed.await??)
}

fn list(index: &Index, prefix: &str, after: Option<&str>, limit: usize) -> Result<Listed, Problem> {
    let mut ids = index
        .ids(prefix, after, limit + 1)
        .map_err(Problem::failed)?;
    let more = ids.len() > limit;
    ids.truncate(limit);
    let next = ids.last().filter(|_| more).map(|id| cursor(id));
    let documents: Result<Vec<Named>, Problem> =
        ids.iter().map(|id| Ok(Named { id: raw(id)? })).collect();
    Ok(Listed {
        documents: documents?,
        next,
    })
}
