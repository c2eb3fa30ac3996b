//! Speaks to a running `doublet serve`: requests, retries, and what went wrong in words.
//!
//! A request that found the service busy is sent again after the time that it asks for; one whose connection broke, only if
//! sending it twice does no harm. `answers` turns what the service says of a text into what `doublet check` prints.

pub(crate) mod answers;
mod connect;
mod faults;

use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::StatusCode;

use crate::args::ServerArguments;
use crate::console::Console;
pub(crate) use faults::ServiceError;
use faults::{Fault, Problem};

/// How often a request is sent that finds the service busy, away or starting.
const TRIES: u32 = 12;
/// The first pause; each one after it is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause that the service may ask for.
const MOST_ASKED: Duration = Duration::from_secs(60);
/// How long a pause goes on before Ctrl-C is looked for again.
const STEP: Duration = Duration::from_millis(50);
/// The largest answer that is read.
const MOST_BYTES: u64 = 1 << 30;

/// A service at an address.
#[derive(Debug)]
pub(crate) struct Client {
    agent: ureq::Agent,
    /// The address without a slash at its end.
    base: String,
    token: Option<String>,
}

/// Whether a request does no harm when it is made twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It changes nothing.
    Safe,
    /// Whether it was done is not known after its connection broke.
    Unknown,
    /// There is no use in waiting for an answer.
    Never,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'static str,
    pub(crate) path: &'a str,
    /// An id, where the request is about one document.
    pub(crate) id: Option<&'a str>,
    /// The type of what is sent, and what is sent.
    pub(crate) body: Option<(&'static str, &'a [u8])>,
    pub(crate) repeat: Repeat,
}

impl<'a> Request<'a> {
    /// A request that reads.
    pub(crate) fn get(path: &'a str) -> Self {
        Self {
            method: "GET",
            path,
            id: None,
            body: None,
            repeat: Repeat::Never,
        }
    }
}

/// What came back.
struct Reply {
    status: StatusCode,
    /// Whether it is a problem in the words of the service.
    problem: bool,
    retry_after: Option<Duration>,
    location: Option<String>,
    body: Vec<u8>,
}

/// What a service says of itself, as far as a client needs it.
#[derive(Debug, Deserialize)]
pub(crate) struct Stats {
    pub(crate) documents: u64,
    pub(crate) options: Value,
    pub(crate) limits: Limits,
}

/// The largest requests that a service takes.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Limits {
    pub(crate) body_bytes: u64,
    pub(crate) batch: u64,
    pub(crate) text_bytes: u64,
}

impl Client {
    /// A client for as many requests at a time as there are threads; none if no service is given.
    pub(crate) fn new(
        arguments: &ServerArguments,
        console: &Console,
        threads: usize,
    ) -> Result<Option<Self>> {
        let Some(address) = &arguments.server else {
            return Ok(None);
        };
        let base = connect::address(address)?;
        let token = connect::token(arguments.token_file.as_deref())?;
        if token.is_some() && !connect::is_private(&base) {
            console.warning(&format!(
                "the token and the texts go to `{base}` unencrypted: use an address that begins with https"
            ));
        }
        let agent = connect::agent(&base, arguments.ca.as_deref(), threads)?;
        Ok(Some(Self { agent, base, token }))
    }

    /// Where the service is.
    pub(crate) fn address(&self) -> &str {
        &self.base
    }

    /// What the service says of itself. A service that is not there is told at once.
    pub(crate) fn stats(&self) -> Result<Stats> {
        self.ask(&Request::get("/v1/stats"), &|| false)
    }

    /// Whether the service is ready, and why if it is not.
    pub(crate) fn ready(&self) -> Result<Result<(), String>> {
        let reply = self.send(&Request::get("/readyz"));
        let reply = reply.map_err(|fault| fault.told(&self.base))?;
        match reply.status {
            status if status.is_success() => Ok(Ok(())),
            StatusCode::SERVICE_UNAVAILABLE => Ok(Err(Problem::of(&reply).in_words())),
            _ => Err(self.refused(&reply)),
        }
    }

    /// Sends a request until it is answered, and reads the answer.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<T> {
        let reply = self.persist(request, cancelled)?;
        if !reply.status.is_success() {
            return Err(self.refused(&reply));
        }
        self.read(&reply)
    }

    /// The same; nothing if there is no such document.
    pub(crate) fn ask_for_one<T: DeserializeOwned>(
        &self,
        request: &Request<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<T>> {
        let reply = self.persist(request, cancelled)?;
        if reply.status == StatusCode::NOT_FOUND && reply.problem {
            return Ok(None);
        }
        if !reply.status.is_success() {
            return Err(self.refused(&reply));
        }
        self.read(&reply).map(Some)
    }

    fn read<T: DeserializeOwned>(&self, reply: &Reply) -> Result<T> {
        serde_json::from_slice(&reply.body).with_context(|| {
            format!(
                "cannot understand what `{}` answers: is it a `doublet serve` of this version ({})?",
                self.base,
                env!("CARGO_PKG_VERSION")
            )
        })
    }

    fn refused(&self, reply: &Reply) -> anyhow::Error {
        Problem::of(reply).told(&self.base, self.token.is_some())
    }

    /// Sends a request again while there is hope.
    fn persist(&self, request: &Request<'_>, cancelled: &dyn Fn() -> bool) -> Result<Reply> {
        let mut pause = FIRST_PAUSE;
        for left in (0..TRIES).rev() {
            let sent = self.send(request);
            let asked = match &sent {
                Ok(reply) if reply.is_passing(request.repeat) => reply.retry_after,
                Err(fault) if fault.is_passing(request.repeat) => None,
                _ => return sent.map_err(|fault| fault.told(&self.base)),
            };
            if left == 0 {
                return sent.map_err(|fault| fault.told(&self.base));
            }
            wait(
                pause.max(asked.unwrap_or_default().min(MOST_ASKED)),
                cancelled,
            )?;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        Err(doublet::Error::Interrupted.into())
    }

    /// Sends a request once.
    fn send(&self, request: &Request<'_>) -> Result<Reply, Fault> {
        let mut built = ureq::http::Request::builder()
            .method(request.method)
            .uri(self.target(request));
        if let Some(token) = &self.token {
            built = built.header("authorization", format!("Bearer {token}"));
        }
        let answered = match request.body {
            Some((kind, body)) => {
                let built = built.header("content-type", kind).body(body);
                self.agent.run(built.map_err(Fault::request)?)
            }
            None => self.agent.run(built.body(()).map_err(Fault::request)?),
        };
        Reply::read(answered.map_err(Fault::of)?)
    }

    fn target(&self, request: &Request<'_>) -> String {
        let mut target = format!("{}{}", self.base, request.path);
        if let Some(id) = request.id {
            target.push_str(if target.contains('?') { "&id=" } else { "?id=" });
            connect::push_encoded(id, &mut target);
        }
        target
    }
}

impl Reply {
    fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Self, Fault> {
        let header = |name: &str| {
            let value = response.headers().get(name);
            value
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let kind = header("content-type").unwrap_or_default();
        let seconds = header("retry-after").and_then(|seconds| seconds.trim().parse().ok());
        let location = header("location");
        let status = response.status();
        let limited = response.body_mut().with_config().limit(MOST_BYTES);
        Ok(Self {
            status,
            problem: kind.starts_with("application/problem+json"),
            retry_after: seconds.map(Duration::from_secs),
            location,
            body: limited.read_to_vec().map_err(Fault::of)?,
        })
    }

    /// Whether the same request may be answered a little later.
    fn is_passing(&self, repeat: Repeat) -> bool {
        let busy = [
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::SERVICE_UNAVAILABLE,
        ];
        let between = [StatusCode::BAD_GATEWAY, StatusCode::GATEWAY_TIMEOUT];
        match repeat {
            Repeat::Never => self.status == StatusCode::TOO_MANY_REQUESTS,
            Repeat::Unknown => busy.contains(&self.status),
            Repeat::Safe => busy.contains(&self.status) || between.contains(&self.status),
        }
    }
}

/// Waits, unless the run is to end.
fn wait(pause: Duration, cancelled: &dyn Fn() -> bool) -> Result<()> {
    let mut left = pause;
    while !left.is_zero() {
        if cancelled() {
            return Err(doublet::Error::Interrupted.into());
        }
        let step = left.min(STEP);
        std::thread::sleep(step);
        left -= step;
    }
    Ok(())
}
