//! What can go wrong with a request, and what to do about it.

use std::io::ErrorKind;

use serde::Deserialize;
use ureq::http::StatusCode;

use super::{Repeat, Reply};
use crate::display::clean;

/// A service that did not answer, or refused, in words.
#[derive(Debug)]
pub(crate) struct ServiceError(String);

impl std::fmt::Display for ServiceError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for ServiceError {}

/// A request that was not answered.
#[derive(Debug)]
pub(super) struct Fault(ureq::Error);

impl Fault {
    pub(super) fn of(error: ureq::Error) -> Self {
        Self(error)
    }

    pub(super) fn request(error: ureq::http::Error) -> Self {
        Self(ureq::Error::Http(error))
    }

    fn kind(&self) -> Option<ErrorKind> {
        match &self.0 {
            ureq::Error::Io(error) => Some(error.kind()),
            _ => None,
        }
    }

    /// Whether no connection could be made, so that nothing was sent.
    fn is_refused(&self) -> bool {
        self.kind() == Some(ErrorKind::ConnectionRefused)
    }

    /// Whether the connection broke, as it does when a service is started anew.
    fn is_broken(&self) -> bool {
        let broken = matches!(
            self.kind(),
            Some(
                ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe
                    | ErrorKind::NotConnected
                    | ErrorKind::UnexpectedEof
            )
        );
        broken
            || matches!(
                &self.0,
                ureq::Error::ConnectionFailed | ureq::Error::Protocol(_)
            )
    }

    /// Whether the same request may be answered a little later.
    pub(super) fn is_passing(&self, repeat: Repeat) -> bool {
        match repeat {
            Repeat::Never => false,
            Repeat::Unknown => self.is_refused(),
            Repeat::Safe => self.is_refused() || self.is_broken(),
        }
    }

    /// As an error that ends the run.
    pub(super) fn told(self, base: &str) -> anyhow::Error {
        let remedy = match &self.0 {
            _ if self.is_refused() => "is `doublet serve` running there?",
            ureq::Error::HostNotFound => "no such host: check the address",
            ureq::Error::Timeout(_) => {
                "it takes too long: is the address right, and is it not overloaded?"
            }
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => {
                "give the certificate authority of the service by `--ca FILE`"
            }
            ureq::Error::Io(error) if error.kind() == ErrorKind::InvalidData => {
                "the connection cannot be trusted: give the certificate authority of the service by `--ca FILE`, or check whether it speaks TLS at all"
            }
            _ if self.is_broken() => {
                "the connection broke: is the service still running, and does it speak TLS if the address says https?"
            }
            _ => "check the address",
        };
        ServiceError(format!("cannot speak to `{base}`: {}; {remedy}", self.0)).into()
    }
}

/// Why a service did not do what it was asked, in its own words where it has any.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    words: Option<Words>,
    location: Option<String>,
}

/// The members of a problem (RFC 9457) that people read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Words {
    title: String,
    detail: String,
    instance: String,
}

impl Problem {
    pub(super) fn of(reply: &Reply) -> Self {
        let words = match reply.problem {
            true => serde_json::from_slice(&reply.body).ok(),
            false => None,
        };
        Self {
            status: reply.status,
            words,
            location: reply.location.clone(),
        }
    }

    /// What the service says.
    pub(super) fn in_words(&self) -> String {
        match &self.words {
            Some(words) if !words.detail.is_empty() => clean(&words.detail),
            Some(words) => clean(&words.title),
            None => self.status.to_string(),
        }
    }

    /// As an error that ends the run.
    pub(super) fn told(&self, base: &str, has_token: bool) -> anyhow::Error {
        let Some(words) = &self.words else {
            return self.foreign(base);
        };
        let remedy = match (self.status, has_token) {
            (StatusCode::UNAUTHORIZED, false) => {
                "; give a token by `--token-file FILE`, or in the environment as DOUBLET_TOKEN"
            }
            (StatusCode::UNAUTHORIZED, true) => {
                "; the token that was given is not one of the service's"
            }
            (StatusCode::TOO_MANY_REQUESTS, _) => "; try again later, or with fewer `--threads`",
            _ => "",
        };
        let request = match words.instance.is_empty() {
            true => String::new(),
            false => format!(", request {}", clean(&words.instance)),
        };
        ServiceError(format!(
            "`{base}` refused ({}{request}): {}{remedy}",
            self.status.as_u16(),
            self.in_words()
        ))
        .into()
    }

    /// Whoever answers like this is no service of ours, or stands before it.
    fn foreign(&self, base: &str) -> anyhow::Error {
        match &self.location {
            Some(location) => ServiceError(format!(
                "`{base}` sends elsewhere ({}): if you trust it, give `{}` as `--server`, without the part from /v1 on",
                self.status,
                clean(location)
            )).into(),
            None => ServiceError(format!(
                "`{base}` answers {}, and not as `doublet serve` does: is the address right?",
                self.status
            )).into(),
        }
    }
}
