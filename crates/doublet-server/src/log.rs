//! The log: one line an event, written by a thread of its own. Lines hold neither texts nor ids of documents.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::answer::Members;
use crate::options::{LogFormat, LogOptions, LogRequests, LogSink};
use crate::route::Route;

/// Lines that may wait to be written; more are dropped and counted.
const QUEUE: usize = 1024;

/// How grave an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Writes lines, or does not.
#[derive(Debug)]
pub(crate) struct Log {
    options: LogOptions,
    queue: Mutex<Option<SyncSender<String>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    dropped: AtomicU64,
    /// Refusals for overload since one was logged, and when that was, in seconds.
    shed: AtomicU64,
    shed_at: AtomicU64,
}

/// A request that was answered.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) id: &'a str,
    pub(crate) method: &'a str,
    pub(crate) route: Route,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) token: Option<&'a str>,
    pub(crate) problem: Option<&'static str>,
    pub(crate) cause: Option<&'a str>,
}

impl Log {
    pub(crate) fn start(options: &LogOptions) -> std::io::Result<Self> {
        let log = Self {
            options: options.clone(),
            queue: Mutex::new(None),
            writer: Mutex::new(None),
            dropped: AtomicU64::new(0),
            shed: AtomicU64::new(0),
            shed_at: AtomicU64::new(0),
        };
        if options.format != LogFormat::Off {
            let (send, receive) = sync_channel(QUEUE);
            let sink = options.sink.clone();
            let thread = std::thread::Builder::new().name("log".to_owned());
            let writer = thread.spawn(move || write_lines(&receive, &sink))?;
            *lock(&log.queue) = Some(send);
            *lock(&log.writer) = Some(writer);
        }
        Ok(log)
    }

    /// Lines that were dropped because too many waited.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Logs an event of the service.
    pub(crate) fn event(&self, level: Level, event: &str, fields: &[(&'static str, &str)]) {
        let fields = fields.iter().map(|(name, value)| (*name, (*value).into()));
        self.line(level, event, Members(fields.collect()));
    }

    /// Logs a request, if requests like it are logged. Of those that are refused for overload, one a second.
    pub(crate) fn request(&self, answered: &Answered<'_>) {
        let all = self.options.requests == LogRequests::All;
        if (answered.status < 400 && !all) || self.options.format == LogFormat::Off {
            return;
        }
        let mut fields = Members::default();
        if answered.status == 429 && !all {
            let now = seconds();
            self.shed.fetch_add(1, Ordering::Relaxed);
            if self.shed_at.swap(now, Ordering::Relaxed) == now {
                return;
            }
            let shed = self.shed.swap(0, Ordering::Relaxed);
            fields.push("refused", shed);
        }
        fields.push("request", answered.id);
        fields.push("method", answered.method);
        fields.push("route", answered.route.pattern());
        fields.push("status", answered.status);
        fields.push("micros", answered.took.as_micros() as u64);
        fields.push("bytes_in", answered.bytes_in);
        fields.push("bytes_out", answered.bytes_out);
        if let Some(token) = answered.token {
            fields.push("token", token);
        }
        if let Some(problem) = answered.problem {
            fields.push("problem", problem);
        }
        if let Some(cause) = answered.cause {
            fields.push("cause", cause);
        }
        let level = match answered.status {
            500.. => Level::Error,
            400.. => Level::Warning,
            _ => Level::Info,
        };
        self.line(level, "request", fields);
    }

    fn line(&self, level: Level, event: &str, fields: Members) {
        let line = match self.options.format {
            LogFormat::Json => json_line(level, event, fields),
            LogFormat::Text => text_line(level, event, &fields),
            LogFormat::Off => return,
        };
        let queue = lock(&self.queue);
        let sent = queue
            .as_ref()
            .is_none_or(|queue| queue.try_send(line).is_ok());
        if !sent {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes what waits, and ends.
    pub(crate) fn close(&self) {
        lock(&self.queue).take();
        if let Some(writer) = lock(&self.writer).take() {
            let _ended = writer.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn write_lines(queue: &Receiver<String>, sink: &LogSink) {
    while let Ok(line) = queue.recv() {
        match sink {
            LogSink::Standard => {
                let _lost = std::io::stderr().lock().write_all(line.as_bytes());
            }
            LogSink::Memory(memory) => lock(memory).extend_from_slice(line.as_bytes()),
        }
    }
}

fn json_line(level: Level, event: &str, fields: Members) -> String {
    let mut line = Members::default();
    line.push("time", timestamp(SystemTime::now()));
    line.push("level", level.word());
    line.push("event", event);
    line.0.extend(fields.0);
    let mut line = serde_json::to_string(&line).unwrap_or_default();
    line.push('\n');
    line
}

fn text_line(level: Level, event: &str, fields: &Members) -> String {
    let mut line = format!(
        "{} {:<7} {event}",
        timestamp(SystemTime::now()),
        level.word()
    );
    for (name, value) in &fields.0 {
        line.push_str(&format!(" {name}={value}"));
    }
    line.push('\n');
    line
}

/// Seconds since 1970.
pub(crate) fn seconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// A time as RFC 3339 writes it, in UTC.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Days since the first of March of the year 0: a leap day is then the last of its year.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{date:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        since.subsec_millis()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_people_read_them() {
        for (seconds, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_799, "2000-02-29T23:59:59.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(timestamp(time), written);
        }
    }
}
