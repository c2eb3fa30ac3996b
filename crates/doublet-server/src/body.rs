//! Bodies of requests: read within a limit of bytes and of time, and counted while they are held.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_TYPE, EXPECT, HeaderMap};

use crate::app::App;
use crate::limits::{Taken, no_room};
use crate::problem::{self, Problem};
use crate::routes::blocking;
use crate::unpack::Packing;

/// What a refused request may still send, so that its caller reads the answer.
const DRAINED: u64 = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A body that was read, and the room that it takes.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) bytes: Bytes,
    _room: Taken,
}

/// The type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentType {
    Json,
    Lines,
}

impl ContentType {
    /// As the headers say.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let given = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let mut parts = given.split(';').map(str::trim);
        let name = parts.next()?;
        let utf8 = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = value.trim_matches('"');
            !name.eq_ignore_ascii_case("charset") || value.eq_ignore_ascii_case("utf-8")
        };
        let known = parts.all(utf8);
        if name.eq_ignore_ascii_case("application/json") {
            return known.then_some(Self::Json);
        }
        (known && name.eq_ignore_ascii_case("application/x-ndjson")).then_some(Self::Lines)
    }
}

/// A body that is being read.
#[derive(Debug)]
pub(crate) struct Reader {
    incoming: Incoming,
    /// Bytes that came, packed as they were.
    pub(crate) received: u64,
    /// Time spent waiting for them.
    waited: Duration,
}

impl Reader {
    pub(crate) fn new(incoming: Incoming) -> Self {
        Self {
            incoming,
            received: 0,
            waited: Duration::ZERO,
        }
    }

    /// Some more bytes, or `None` at the end. Slow callers are refused: those that pause too long, and those that come with too
    /// few bytes a second.
    pub(crate) async fn next(&mut self, app: &App) -> Result<Option<Bytes>, Problem> {
        let options = &app.options;
        let start = Instant::now();
        loop {
            let frame = tokio::time::timeout(options.body_timeout, self.incoming.frame()).await;
            let frame = match frame {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => frame.map_err(broken)?,
                Err(_) => return Err(slow()),
            };
            let Ok(bytes) = frame.into_data() else {
                continue;
            };
            self.received += bytes.len() as u64;
            self.waited += start.elapsed();
            let allowed = self.received as f64 / options.body_rate.max(1) as f64;
            if self.waited.as_secs_f64() > options.body_timeout.as_secs_f64() + allowed {
                return Err(slow());
            }
            return Ok(Some(bytes));
        }
    }

    /// The whole body, unpacked.
    pub(crate) async fn whole(&mut self, app: &App, headers: &HeaderMap) -> Result<Held, Problem> {
        let packing = Packing::of(headers)?;
        let most = app.options.max_body;
        let too_large = || Problem::too_large("the body", most, "--max-body");
        if self.incoming.size_hint().lower() > most as u64 {
            return Err(too_large());
        }
        let mut room = app.limits.hold(0)?;
        let first = self.next(app).await?.unwrap_or_default();
        let mut held = Gathered::One(first);
        if !room.more(held.len()) {
            return Err(no_room());
        }
        while !self.incoming.is_end_stream() {
            let Some(bytes) = self.next(app).await? else {
                break;
            };
            if held.len() + bytes.len() > most {
                return Err(too_large());
            }
            if !room.more(bytes.len()) {
                return Err(no_room());
            }
            held.push(&bytes);
        }
        let bytes = held.into_bytes();
        if bytes.len() > most {
            return Err(too_large());
        }
        if packing == Packing::Plain {
            return Ok(Held { bytes, _room: room });
        }
        let place = app.limits.admit()?;
        let unpacked = blocking(move || {
            let _held_until_done = place;
            packing.unpack(&bytes, most)
        });
        let unpacked = unpacked.await?;
        let unpacked = unpacked.map_err(unreadable)?.ok_or_else(too_large)?;
        if !room.more(unpacked.len()) {
            return Err(no_room());
        }
        let bytes = unpacked.into();
        Ok(Held { bytes, _room: room })
    }

    /// Takes what the caller of a refused request still sends, within bounds; whether that was all.
    pub(crate) async fn drain(&mut self, headers: &HeaderMap) -> bool {
        if self.incoming.is_end_stream() {
            return true;
        }
        // Whoever waits to be asked for the body has not sent it.
        if headers.contains_key(EXPECT) || self.incoming.size_hint().lower() > DRAINED {
            return false;
        }
        let all = async {
            let mut left = DRAINED;
            while let Some(Ok(frame)) = self.incoming.frame().await {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                self.received += length;
                left = left.saturating_sub(length);
                if left == 0 {
                    return false;
                }
            }
            self.incoming.is_end_stream()
        };
        let drained = tokio::time::timeout(DRAIN_TIME, all).await;
        drained.unwrap_or(false)
    }
}

/// Bytes as they come: most bodies come in one piece, which is not copied.
enum Gathered {
    One(Bytes),
    Many(Vec<u8>),
}

impl Gathered {
    fn len(&self) -> usize {
        match self {
            Self::One(bytes) => bytes.len(),
            Self::Many(bytes) => bytes.len(),
        }
    }

    fn push(&mut self, more: &[u8]) {
        if let Self::One(first) = self {
            *self = Self::Many(first.to_vec());
        }
        if let Self::Many(bytes) = self {
            bytes.extend_from_slice(more);
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::One(bytes) => bytes,
            Self::Many(bytes) => bytes.into(),
        }
    }
}

fn slow() -> Problem {
    let detail = "the body came too slowly: send it without long pauses";
    Problem::new(problem::SLOW_BODY, detail)
}

fn broken(error: hyper::Error) -> Problem {
    let detail = "the body ended before it was whole, or its chunks are malformed";
    Problem::new(problem::BAD_REQUEST, detail).because(error)
}

/// That a packed body cannot be unpacked.
pub(crate) fn unreadable(error: std::io::Error) -> Problem {
    let detail =
        "the body cannot be unpacked: it is not whole, or not packed as `Content-Encoding` says";
    Problem::new(problem::BAD_REQUEST, detail).because(error)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn types_may_have_parameters() {
        for (given, expected) in [
            ("application/json", Some(ContentType::Json)),
            (
                "Application/JSON; charset=\"UTF-8\"",
                Some(ContentType::Json),
            ),
            ("application/x-ndjson", Some(ContentType::Lines)),
            ("application/json; charset=latin1", None),
            ("text/plain", None),
            ("application/json-patch", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(given));
            assert_eq!(ContentType::of(&headers), expected, "{given}");
        }
    }
}
