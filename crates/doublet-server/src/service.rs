//! One request, from its head to its answer: who asks, from where, for what; then the route; then what every answer has.

use std::sync::Arc;
use std::time::Instant;

use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};

use crate::answer::{Reply, guard, reply};
use crate::app::App;
use crate::body::Reader;
use crate::log::Answered;
use crate::metrics::count;
use crate::origin;
use crate::problem::{self, Problem};
use crate::request_id::X_REQUEST_ID;
use crate::route::Route;
use crate::routes::dispatch;
use crate::tokens::{Caller, Rights};

/// The most fields of a head, and the bytes of all of it.
const FIELDS: usize = 64;
const HEAD: usize = 16 << 10;

/// A request that was let in.
pub(crate) struct Call<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) head: &'a Parts,
    pub(crate) body: &'a mut Reader,
    pub(crate) rights: Rights,
    /// What the path has behind that of the route.
    pub(crate) rest: &'a str,
}

impl Call<'_> {
    /// That the caller may change the index.
    pub(crate) fn may_write(&self) -> Result<(), Problem> {
        match self.rights {
            Rights::Write => Ok(()),
            Rights::Read => {
                let detail = "the token may only read: use one that may write";
                Err(Problem::new(problem::FORBIDDEN, detail))
            }
        }
    }
}

/// Answers a request.
pub(crate) async fn respond(app: &Arc<App>, request: Request<Incoming>) -> Reply {
    let start = Instant::now();
    let (head, body) = request.into_parts();
    let id = app.request_ids.of(&head.headers);
    let (route, rest) = Route::find(head.uri.path());
    let mut body = Reader::new(body);
    let mut caller = None;
    let from = check_head(app, &head);
    let allowed = from.as_ref().ok().and_then(Clone::clone);
    let result = match from {
        Ok(_) => answer(app, &head, &mut body, (route, rest), &mut caller).await,
        Err(problem) => Err(problem),
    };
    let (mut reply, problem) = match result {
        Ok(reply) => (reply, None),
        Err(problem) => {
            let kind = problem.kind().name;
            let cause = problem.cause().map(str::to_owned);
            let reply = problem.into_reply(id.to_str().unwrap_or_default());
            (reply, Some((kind, cause)))
        }
    };
    let whole = problem.is_none() || body.drain(&head.headers).await;
    finish(&mut reply, &head, route, whole);
    if let Some(origin) = allowed {
        let preflight = head.method == Method::OPTIONS;
        origin::allow(
            reply.headers_mut(),
            &origin,
            preflight.then_some(route.methods()),
        );
    }
    let took = start.elapsed();
    let bytes_out = reply.body().size_hint().exact().unwrap_or(0);
    let status = reply.status().as_u16();
    app.metrics.answered(route, status, took);
    count(&app.metrics.bytes_in, body.received);
    count(&app.metrics.bytes_out, bytes_out);
    app.log.request(&Answered {
        id: id.to_str().unwrap_or_default(),
        method: known_method(&head.method),
        route,
        status,
        took,
        bytes_in: body.received,
        bytes_out,
        token: caller
            .as_ref()
            .and_then(|caller: &Caller| caller.name.as_deref()),
        problem: problem.as_ref().map(|(kind, _)| *kind),
        cause: problem.as_ref().and_then(|(_, cause)| cause.as_deref()),
    });
    reply.headers_mut().insert(X_REQUEST_ID, id);
    reply
}

/// The size of a head and where it comes from; gives the origin of another page that may ask.
fn check_head(app: &App, head: &Parts) -> Result<Option<HeaderValue>, Problem> {
    let field = |(name, value): (&hyper::header::HeaderName, &HeaderValue)| {
        name.as_str().len() + value.len() + 4
    };
    let bytes: usize = head.headers.iter().map(field).sum();
    let path = head.uri.path().len() + head.uri.query().map_or(0, str::len);
    if head.headers.len() > FIELDS || bytes + path > HEAD {
        let detail =
            format!("a head has at most {FIELDS} fields and {HEAD} bytes, with the address");
        return Err(Problem::new(problem::HEADERS_TOO_LARGE, detail));
    }
    app.origins.check(head, app.is_open())
}

/// Lets the caller in and hands the request to its route.
async fn answer(
    app: &Arc<App>,
    head: &Parts,
    body: &mut Reader,
    (route, rest): (Route, &str),
    caller: &mut Option<Caller>,
) -> Result<Reply, Problem> {
    if head.method == Method::OPTIONS {
        return Ok(options(route));
    }
    let rights = match app.tokens() {
        Some(tokens) if !route.is_public() => caller.insert(tokens.caller(&head.headers)?).rights,
        Some(_) => Rights::Read,
        None => App::anyone().rights,
    };
    let call = Call {
        app,
        head,
        body,
        rights,
        rest,
    };
    dispatch(call, route).await
}

/// What may be asked of a route.
fn options(route: Route) -> Reply {
    let mut reply = reply(StatusCode::NO_CONTENT, "text/plain", "");
    let headers = reply.headers_mut();
    headers.clear();
    headers.insert(
        hyper::header::ALLOW,
        HeaderValue::from_static(route.methods()),
    );
    reply
}

/// Puts in what every answer has.
fn finish(reply: &mut Reply, head: &Parts, route: Route, whole: bool) {
    guard(reply.headers_mut(), route == Route::Page);
    // A body without a length may have had one as well, which was passed over: nothing behind it is believed.
    if !whole || is_chunked(&head.headers) {
        reply
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

fn is_chunked(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
}

/// The name of a method; one that nobody knows is not repeated.
fn known_method(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"];
    let found = known.into_iter().find(|name| *name == method.as_str());
    found.unwrap_or("other")
}
