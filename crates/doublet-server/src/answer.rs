//! Answers: a status, a type, bytes, and the headers that every answer has.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Response, StatusCode};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::app::App;
use crate::limits::Taken;
use crate::problem::Problem;

/// An answer on its way.
pub(crate) type Reply = Response<Full<Bytes>>;

/// What a page may load: its own files, and nothing from elsewhere.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// What is no page may load nothing.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// An answer of these bytes.
pub(crate) fn reply(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// Answers of more bytes count against the limit of bodies until they are sent.
const LARGE: usize = 64 << 10;

/// An answer of JSON that is written already.
pub(crate) fn json_bytes(app: &App, body: Vec<u8>) -> Result<Reply, Problem> {
    if body.len() <= LARGE {
        return Ok(reply(StatusCode::OK, "application/json", body));
    }
    let room = app.limits.hold(body.len())?;
    let body = Bytes::from_owner(Kept { body, _room: room });
    Ok(reply(StatusCode::OK, "application/json", body))
}

/// The bytes of an answer, and the room that they take until they are sent.
struct Kept {
    body: Vec<u8>,
    _room: Taken,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

/// An answer as JSON.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Result<Reply, Problem> {
    let body = serde_json::to_vec(body).map_err(Problem::failed)?;
    Ok(reply(status, "application/json", body))
}

/// An object of JSON whose members stay in their order.
#[derive(Debug, Default)]
pub(crate) struct Members(pub(crate) Vec<(&'static str, Value)>);

impl Members {
    pub(crate) fn push(&mut self, name: &'static str, value: impl Into<Value>) {
        self.0.push((name, value.into()));
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Puts in what every answer has, unless it is there.
pub(crate) fn guard(headers: &mut HeaderMap, is_page: bool) {
    let policy = if is_page { PAGE_POLICY } else { DATA_POLICY };
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

/// Keeps other pages from embedding what they may not read.
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
