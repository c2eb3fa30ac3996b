//! `POST /v1/check`: is this text a copy, of what, and in which parts? With `?add=true`, what is none is added in the same step.

use std::cell::RefCell;
use std::sync::Arc;

use doublet::index::{
    Answer, CheckOptions, CheckScratch, Index, Named, NewDocument, Outcome, Write,
};
use doublet::report::answers::answer_object;
use doublet::threshold::Threshold;

use super::{SMALL, blocking, here, submit};
use crate::answer::{Reply, json_bytes};
use crate::app::App;
use crate::body::{ContentType, Held};
use crate::limits::Taken;
use crate::metrics::count;
use crate::problem::{self, Problem};
use crate::query::Query;
use crate::service::Call;
use crate::wire::{self, CheckRequest, Document, Text};

/// Sources of a text that are named, unless others are asked for.
const NAMED: usize = 10;
/// Texts of a request that is answered so.
const FEW: usize = 4;
/// The most bytes of an answer.
const LARGEST: usize = 16 << 20;

thread_local! {
    static SCRATCH: RefCell<CheckScratch> = RefCell::default();
}

pub(super) async fn check(call: &mut Call<'_>) -> Result<Reply, Problem> {
    let add = Query::read(call.head.uri.query(), &["add"])?.flag("add")?;
    if add {
        call.may_write()?;
    }
    let (app, body) = (call.app, json_body(call).await?);
    let place = app.limits.admit()?;
    if add {
        return check_and_add(app, place, body).await;
    }
    if body.bytes.len() <= SMALL {
        // What has arrived meanwhile is counted before the work begins, so that the excess is refused and not late.
        tokio::task::yield_now().await;
        if let Some(answer) = here(|| answer(app, &body.bytes, FEW))? {
            return json_bytes(app, answer);
        }
    }
    let shared = Arc::clone(app);
    let answered = blocking(move || {
        let _held_until_done = place;
        answer(&shared, &body.bytes, usize::MAX)
    });
    json_bytes(app, answered.await??.unwrap_or_default())
}

/// The whole body of a request that must be JSON.
pub(super) async fn json_body(call: &mut Call<'_>) -> Result<Held, Problem> {
    if ContentType::of(&call.head.headers) != Some(ContentType::Json) {
        let detail = "send `Content-Type: application/json`, in UTF-8";
        return Err(Problem::new(problem::WRONG_TYPE, detail));
    }
    call.body.whole(call.app, &call.head.headers).await
}

/// The texts of a request, in order.
struct Asked<'a> {
    documents: Vec<Document<'a>>,
    /// Whether there was a list of them, so that there is one of answers.
    batch: bool,
    options: CheckOptions,
}

impl<'a> Asked<'a> {
    fn read(body: &'a [u8], app: &App, index: &Index) -> Result<Self, Problem> {
        let mut request: CheckRequest<'a> = wire::read(body)?;
        let options = options(&request, index)?;
        let single = (request.id.take(), request.text.take());
        let (documents, batch) = documents(single, request.documents, app)?;
        Ok(Self {
            documents,
            batch,
            options,
        })
    }
}

/// The documents of a request that has either one or a list of them, within the limits; whether it is a list.
pub(super) fn documents<'a>(
    (id, text): (Option<wire::Id<'a>>, Option<Text<'a>>),
    list: Option<Vec<Document<'a>>>,
    app: &App,
) -> Result<(Vec<Document<'a>>, bool), Problem> {
    let (documents, batch) = match (text, list) {
        (Some(text), None) => (vec![Document { id, text }], false),
        (None, Some(_)) if id.is_some() => {
            return Err(Problem::field(
                "id",
                "`id` goes with `text`; in `documents` each has its own",
            ));
        }
        (None, Some(documents)) => (documents, true),
        (Some(_), Some(_)) => {
            return Err(Problem::field(
                "documents",
                "give `text` or `documents`, not both",
            ));
        }
        (None, None) => {
            return Err(Problem::field(
                "text",
                "give `text`, or a list of texts as `documents`",
            ));
        }
    };
    let most = app.options.max_batch;
    if documents.is_empty() || documents.len() > most {
        return Err(
            Problem::field("documents", format!("give 1 to {most} documents at a time"))
                .with("limit", most),
        );
    }
    for (number, document) in documents.iter().enumerate() {
        if let Err(problem) = fits(&document.text, app) {
            return Err(match batch {
                true => problem.with("path", format!("documents[{number}].text")),
                false => problem,
            });
        }
    }
    Ok((documents, batch))
}

/// That a text is not too long.
pub(super) fn fits(text: &Text<'_>, app: &App) -> Result<(), Problem> {
    let most = app.options.max_text;
    match text.0.len() <= most {
        true => Ok(()),
        false => Err(Problem::too_large("a text", most, "--max-text")),
    }
}

/// A threshold, if it is one.
pub(super) fn threshold(value: f64) -> Result<Threshold, Problem> {
    let wrong = |_| {
        Problem::field(
            "threshold",
            "`threshold`: give a number above 0 and at most 1",
        )
    };
    Threshold::new(value).map_err(wrong)
}

/// What is asked: as the index was made for, but for what is given.
fn options(request: &CheckRequest<'_>, index: &Index) -> Result<CheckOptions, Problem> {
    let mut options = CheckOptions::of(index.options());
    options.sources = request.top.map_or(Named::Telling(NAMED), |top| top.0);
    if let Some(value) = request.threshold {
        options.threshold = threshold(value)?;
    }
    if let Some(least) = request.min_sentences {
        let method = index.options().matching.method;
        if method.unit().is_none() {
            let detail = format!(
                "`min_sentences` goes with an index of sentences; this one is of `{method}`"
            );
            return Err(Problem::field("min_sentences", detail));
        }
        options.rule.sentences = least.0;
    }
    Ok(options)
}

/// The answer to a body, or `None` if it has more than `most` texts.
fn answer(app: &App, body: &[u8], most: usize) -> Result<Option<Vec<u8>>, Problem> {
    let index = app.index.snapshot();
    let asked = Asked::read(body, app, &index)?;
    if asked.documents.len() > most {
        return Ok(None);
    }
    let mut answers = Answers::new(&index, asked.batch);
    // Taken, so that a panic leaves no half-filled buffers behind.
    let mut scratch = SCRATCH.take();
    for document in &asked.documents {
        let answer = index.check(&document.text.0, &asked.options, &mut scratch);
        let answer = answer.map_err(Problem::failed)?;
        app.metrics.checked(answer.duplicate);
        answers.push(document, &answer, None)?;
    }
    SCRATCH.set(scratch);
    Ok(Some(answers.finish()))
}

/// Answers on their way into bytes.
struct Answers<'a> {
    index: &'a Index,
    batch: bool,
    out: Vec<u8>,
    count: usize,
}

impl<'a> Answers<'a> {
    fn new(index: &'a Index, batch: bool) -> Self {
        let mut out = Vec::with_capacity(512);
        if batch {
            out.extend_from_slice(b"{\"results\": [");
        }
        Self {
            index,
            batch,
            out,
            count: 0,
        }
    }

    /// Adds an answer; `added` says whether the text was added, and replaced another.
    fn push(
        &mut self,
        document: &Document<'_>,
        answer: &Answer,
        added: Option<(bool, bool)>,
    ) -> Result<(), Problem> {
        if self.count > 0 {
            self.out.extend_from_slice(b", ");
        }
        self.count += 1;
        let id = document.id.as_ref().map(wire::Id::as_json);
        let metric = self.index.options().matching.metric;
        let start = self.out.len();
        answer_object(id, &document.text.0, answer, metric, added, &mut self.out);
        match self.out.len() <= LARGEST {
            true => Ok(()),
            // What was done is told, even if there is no room to say why.
            false if added.is_some() => {
                self.out.truncate(start);
                let short = Answer {
                    sources: Vec::new(),
                    ..answer.clone()
                };
                answer_object(id, &document.text.0, &short, metric, added, &mut self.out);
                Ok(())
            }
            false => {
                let detail = "the answer would be too long: ask for fewer sources by `top`, or about fewer texts at a time";
                Err(Problem::field("top", detail))
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.batch {
            self.out.extend_from_slice(b"]}");
        }
        self.out
    }
}

/// Checks and adds in one step, in which nothing else can come between.
async fn check_and_add(app: &Arc<App>, place: Taken, body: Held) -> Result<Reply, Problem> {
    let small = body.bytes.len() <= SMALL;
    let prepared = match small {
        true => {
            tokio::task::yield_now().await;
            here(|| prepare(app, &body.bytes))?
        }
        false => {
            let (app, bytes) = (Arc::clone(app), body.bytes.clone());
            blocking(move || prepare(&app, &bytes)).await??
        }
    };
    let outcomes = submit(app, Write::CheckAndAdd(prepared.0, prepared.1)).await?;
    let written = {
        let app = Arc::clone(app);
        move || {
            let _held_until_done = place;
            write_outcomes(&app, &body.bytes, &outcomes)
        }
    };
    let answer = match small {
        true => here(written)?,
        false => blocking(written).await??,
    };
    json_bytes(app, answer)
}

/// The documents of a body, ready to be checked and added.
fn prepare(app: &App, body: &[u8]) -> Result<(Vec<NewDocument>, CheckOptions), Problem> {
    let asked = Asked::read(body, app, &app.index.snapshot())?;
    let documents = super::documents::ready(app, asked.documents, asked.batch)?;
    Ok((documents, asked.options))
}

fn write_outcomes(app: &App, body: &[u8], outcomes: &[Outcome]) -> Result<Vec<u8>, Problem> {
    let index = app.index.snapshot();
    let asked = Asked::read(body, app, &index)?;
    let mut answers = Answers::new(&index, asked.batch);
    for (document, outcome) in asked.documents.iter().zip(outcomes) {
        if let Outcome::Checked {
            answer,
            added,
            replaced,
        } = outcome
        {
            app.metrics.checked(answer.duplicate);
            count(&app.metrics.added, u64::from(*added));
            count(&app.metrics.replaced, u64::from(*replaced));
            answers.push(document, answer, Some((*added, *replaced)))?;
        }
    }
    Ok(answers.finish())
}
