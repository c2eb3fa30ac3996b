//! What went wrong with a request, as RFC 9457 says it: a kind that programs know, and words for people that say what to do.

use std::borrow::Cow;

use hyper::StatusCode;
use hyper::header::{ALLOW, CONNECTION, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::Value;

use crate::answer::{Members, Reply, reply};
use crate::route::PROBLEMS;

/// A kind of problem. Its name is the end of its `type`, and of the section about it on the reference page.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) status: StatusCode,
}

macro_rules! kinds {
    ($($constant:ident = $status:ident, $name:literal, $title:literal;)*) => {
        $(pub(crate) const $constant: &Kind = &Kind { name: $name, title: $title, status: StatusCode::$status };)*
        /// All kinds, by status.
                pub(crate) const KINDS: &[&Kind] = &[$($constant),*];
    };
}

kinds! {
    BAD_REQUEST = BAD_REQUEST, "bad-request", "The request cannot be understood";
    BAD_JSON = BAD_REQUEST, "bad-json", "The body is not JSON";
    UNAUTHORIZED = UNAUTHORIZED, "unauthorized", "A token is needed";
    FORBIDDEN = FORBIDDEN, "forbidden", "The token may only read";
    FOREIGN_HOST = FORBIDDEN, "foreign-host", "The service is not called by this name";
    FOREIGN_ORIGIN = FORBIDDEN, "foreign-origin", "Pages of this origin may not ask";
    NOT_FOUND = NOT_FOUND, "not-found", "There is nothing at this address";
    NO_DOCUMENT = NOT_FOUND, "no-document", "There is no such document";
    NO_CLUSTER = NOT_FOUND, "no-cluster", "There is no such cluster";
    WRONG_METHOD = METHOD_NOT_ALLOWED, "wrong-method", "The address does not know this method";
    SLOW_BODY = REQUEST_TIMEOUT, "slow-body", "The body came too slowly";
    NO_TEXTS = CONFLICT, "no-texts", "The index keeps no texts";
    TOO_LARGE = PAYLOAD_TOO_LARGE, "too-large", "The request is too large";
    WRONG_TYPE = UNSUPPORTED_MEDIA_TYPE, "wrong-type", "The body has another type or encoding than is taken";
    WRONG_FIELDS = UNPROCESSABLE_ENTITY, "wrong-fields", "A field or parameter is wrong";
    OVERLOADED = TOO_MANY_REQUESTS, "overloaded", "There is too much to do at the moment";
    HEADERS_TOO_LARGE = REQUEST_HEADER_FIELDS_TOO_LARGE, "headers-too-large", "The head of the request is too large";
    FAILED = INTERNAL_SERVER_ERROR, "failed", "The service failed";
    READ_ONLY = SERVICE_UNAVAILABLE, "read-only", "Nothing can be changed at the moment";
    COMPUTING = SERVICE_UNAVAILABLE, "computing", "The answer is not known yet";
    ENDING = SERVICE_UNAVAILABLE, "ending", "The service is ending";
    FULL = INSUFFICIENT_STORAGE, "full", "There is no room for more";
}

/// What went wrong with one request.
#[derive(Debug)]
pub(crate) struct Problem {
    kind: &'static Kind,
    detail: Cow<'static, str>,
    members: Vec<(&'static str, Value)>,
    allow: Option<&'static str>,
    /// What the log says besides, where more is known than the caller may know.
    cause: Option<String>,
}

impl Problem {
    pub(crate) fn new(kind: &'static Kind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            detail: detail.into(),
            members: Vec::new(),
            allow: None,
            cause: None,
        }
    }

    /// The same with one more member.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.members.push((name, value.into()));
        self
    }

    /// A field or parameter is wrong; `path` leads to it.
    pub(crate) fn field(path: &str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(WRONG_FIELDS, detail).with("path", path)
    }

    /// Something is longer than allowed.
    pub(crate) fn too_large(what: &str, most: usize, option: &str) -> Self {
        Self::new(
            TOO_LARGE,
            format!("{what} may have at most {most} bytes: send less at a time, or start the service with a larger `{option}`"),
        )
        .with("limit", most)
    }

    /// There is too much to do.
    pub(crate) fn overloaded(detail: &'static str) -> Self {
        Self::new(OVERLOADED, detail)
    }

    /// The method is not one of those in `allow`.
    pub(crate) fn method(allow: &'static str) -> Self {
        let mut problem = Self::new(WRONG_METHOD, format!("use one of: {allow}"));
        problem.allow = Some(allow);
        problem
    }

    /// Something failed that the caller cannot mend; the log knows what.
    pub(crate) fn failed(cause: impl ToString) -> Self {
        let mut problem = Self::new(
            FAILED,
            "the log of the service says what happened, under the id that is given as `instance`; `doublet index verify` tells whether the index is damaged",
        );
        problem.cause = Some(cause.to_string());
        problem
    }

    /// Why, for the log only.
    pub(crate) fn because(mut self, cause: impl ToString) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    pub(crate) fn kind(&self) -> &'static Kind {
        self.kind
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The answer that tells it.
    pub(crate) fn into_reply(self, request_id: &str) -> Reply {
        let kind = self.kind;
        let mut members = Members::default();
        members.push("type", format!("{PROBLEMS}{}", kind.name));
        members.push("title", kind.title);
        members.push("status", kind.status.as_u16());
        members.push("detail", self.detail);
        members.push("instance", request_id);
        members.0.extend(self.members);
        let body = serde_json::to_vec(&members).unwrap_or_default();
        let mut reply = reply(kind.status, "application/problem+json", body);
        let headers = reply.headers_mut();
        if let Some(allow) = self.allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        match kind.status {
            StatusCode::UNAUTHORIZED => {
                let realm = HeaderValue::from_static("Bearer realm=\"doublet\"");
                headers.insert(WWW_AUTHENTICATE, realm);
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::REQUEST_TIMEOUT | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => (),
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_of_their_own() {
        let mut names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
    }
}
