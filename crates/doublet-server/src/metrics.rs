//! What the service counts: requests by route and status, how long they took, and what became of texts. In the text format of Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use doublet::index::{Info, LiveFigures};

use crate::route::Route;

/// Upper ends of the buckets of a histogram, in microseconds.
const BUCKETS: [u64; 14] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    5_000_000, 30_000_000,
];
/// The statuses that are answered; any other counts as the last.
const STATUSES: [u16; 22] = [
    200, 201, 204, 303, 304, 400, 401, 403, 404, 405, 408, 409, 411, 413, 415, 422, 429, 431, 500,
    503, 507, 0,
];
const CLASSES: [&str; 3] = ["2xx", "4xx", "5xx"];
const ROUTES: usize = Route::ALL.len();

/// Counters. Each is added to without a lock.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: [[AtomicU64; STATUSES.len()]; ROUTES],
    seconds: [[Histogram; CLASSES.len()]; ROUTES],
    pub(crate) bytes_in: AtomicU64,
    pub(crate) bytes_out: AtomicU64,
    pub(crate) checks: AtomicU64,
    pub(crate) duplicates: AtomicU64,
    pub(crate) added: AtomicU64,
    pub(crate) replaced: AtomicU64,
    pub(crate) removed: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) connections_refused: AtomicU64,
    pub(crate) connections_open: AtomicU64,
}

#[derive(Debug, Default)]
struct Histogram {
    buckets: [AtomicU64; BUCKETS.len() + 1],
    micros: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            requests: std::array::from_fn(|_| Default::default()),
            seconds: Default::default(),
            bytes_in: AtomicU64::default(),
            bytes_out: AtomicU64::default(),
            checks: AtomicU64::default(),
            duplicates: AtomicU64::default(),
            added: AtomicU64::default(),
            replaced: AtomicU64::default(),
            removed: AtomicU64::default(),
            connections: AtomicU64::default(),
            connections_refused: AtomicU64::default(),
            connections_open: AtomicU64::default(),
        }
    }
}

/// Adds to a counter.
pub(crate) fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

/// What a counter stands at.
pub(crate) fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// What is known only when it is asked.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) info: Info,
    pub(crate) live: LiveFigures,
    pub(crate) waiting: usize,
    pub(crate) held: usize,
    pub(crate) uptime: Duration,
    pub(crate) log_dropped: u64,
}

impl Metrics {
    /// Counts an answer.
    pub(crate) fn answered(&self, route: Route, status: u16, took: Duration) {
        let known = STATUSES.iter().position(|other| *other == status);
        count(
            &self.requests[route as usize][known.unwrap_or(STATUSES.len() - 1)],
            1,
        );
        let class = match status {
            500.. => 2,
            400.. => 1,
            _ => 0,
        };
        let micros = took.as_micros() as u64;
        let histogram = &self.seconds[route as usize][class];
        count(
            &histogram.buckets[BUCKETS.partition_point(|end| *end < micros)],
            1,
        );
        count(&histogram.micros, micros);
    }

    /// Counts what was said of a text.
    pub(crate) fn checked(&self, duplicate: bool) {
        count(&self.checks, 1);
        count(&self.duplicates, u64::from(duplicate));
    }

    /// Everything, for Prometheus.
    pub(crate) fn to_text(&self, now: &Now) -> String {
        let mut text = Text::default();
        self.push_requests(&mut text);
        self.push_texts(&mut text);
        self.push_traffic(now, &mut text);
        push_index(&now.info, &mut text);
        push_changes(&now.live, &mut text);
        text.single(
            "uptime_seconds",
            "gauge",
            "Seconds since the service started.",
            now.uptime.as_secs_f64(),
        );
        text.0
    }

    /// What became of texts.
    fn push_texts(&self, text: &mut Text) {
        text.single(
            "checks_total",
            "counter",
            "Texts that were asked about.",
            get(&self.checks),
        );
        text.single(
            "duplicates_total",
            "counter",
            "Texts among them that were copies.",
            get(&self.duplicates),
        );
        text.single(
            "documents_added_total",
            "counter",
            "Documents that were added.",
            get(&self.added),
        );
        text.single(
            "documents_replaced_total",
            "counter",
            "Documents among them that replaced another.",
            get(&self.replaced),
        );
        text.single(
            "documents_removed_total",
            "counter",
            "Documents that were removed.",
            get(&self.removed),
        );
        text.single(
            "received_bytes_total",
            "counter",
            "Bytes of bodies of requests.",
            get(&self.bytes_in),
        );
        text.single(
            "sent_bytes_total",
            "counter",
            "Bytes of bodies of answers.",
            get(&self.bytes_out),
        );
    }

    /// What is at work.
    fn push_traffic(&self, now: &Now, text: &mut Text) {
        text.single(
            "connections_total",
            "counter",
            "Connections that were taken.",
            get(&self.connections),
        );
        text.single(
            "connections_refused_total",
            "counter",
            "Connections that were refused because there were too many.",
            get(&self.connections_refused),
        );
        text.single(
            "connections",
            "gauge",
            "Connections that are open.",
            get(&self.connections_open),
        );
        text.single(
            "requests_at_work",
            "gauge",
            "Requests at work or waiting.",
            now.waiting as u64,
        );
        text.single(
            "body_bytes",
            "gauge",
            "Bytes of bodies that are held.",
            now.held as u64,
        );
        text.single(
            "log_lines_dropped_total",
            "counter",
            "Lines of the log that were dropped because too many waited.",
            now.log_dropped,
        );
    }

    fn push_requests(&self, text: &mut Text) {
        text.head("requests_total", "counter", "Requests by route and status.");
        for route in Route::ALL {
            for (status, counter) in STATUSES.iter().zip(&self.requests[route as usize]) {
                if get(counter) > 0 {
                    let labels = format!("route=\"{}\",status=\"{status}\"", route.pattern());
                    text.line("requests_total", &labels, get(counter));
                }
            }
        }
        text.head(
            "request_seconds",
            "histogram",
            "Time from the head of a request to its answer.",
        );
        for route in Route::ALL {
            for (class, histogram) in CLASSES.iter().zip(&self.seconds[route as usize]) {
                histogram.push(route, class, text);
            }
        }
    }
}

impl Histogram {
    fn push(&self, route: Route, class: &str, text: &mut Text) {
        let counts: Vec<u64> = self.buckets.iter().map(get).collect();
        let all: u64 = counts.iter().sum();
        if all == 0 {
            return;
        }
        let labels = format!("route=\"{}\",status=\"{class}\"", route.pattern());
        let mut so_far = 0;
        for (end, bucket) in BUCKETS.iter().zip(&counts) {
            so_far += bucket;
            let labels = format!("{labels},le=\"{}\"", *end as f64 / 1e6);
            text.line("request_seconds_bucket", &labels, so_far);
        }
        text.line(
            "request_seconds_bucket",
            &format!("{labels},le=\"+Inf\""),
            all,
        );
        text.line(
            "request_seconds_sum",
            &labels,
            get(&self.micros) as f64 / 1e6,
        );
        text.line("request_seconds_count", &labels, all);
    }
}

/// Lines of the format.
#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _written = writeln!(
            self.0,
            "# HELP doublet_{name} {help}\n# TYPE doublet_{name} {kind}"
        );
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _written = writeln!(self.0, "doublet_{name}{{{labels}}} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.head(name, kind, help);
        let _written = writeln!(self.0, "doublet_{name} {value}");
    }
}
/// What the index holds.
fn push_index(info: &Info, text: &mut Text) {
    text.single(
        "index_documents",
        "gauge",
        "Documents that can be found.",
        info.documents,
    );
    text.single(
        "index_dead_documents",
        "gauge",
        "Documents that were removed or replaced, and are still on disk.",
        info.dead,
    );
    text.single(
        "index_entries",
        "gauge",
        "Fingerprints of the index.",
        info.entries,
    );
    text.single("index_parts", "gauge", "Parts of the index.", info.parts);
    text.single(
        "index_bytes",
        "gauge",
        "Size of the index on disk.",
        info.bytes,
    );
    text.single(
        "index_commit",
        "gauge",
        "Number of the last commit.",
        info.commit,
    );
}

/// How changes of the index go.
fn push_changes(live: &LiveFigures, text: &mut Text) {
    text.single(
        "index_writes_waiting",
        "gauge",
        "Changes that wait.",
        live.waiting,
    );
    text.single(
        "index_syncs_total",
        "counter",
        "Times that changes were synced to disk.",
        live.commits,
    );
    text.single(
        "index_journal_bytes",
        "gauge",
        "Bytes of the journal.",
        live.journal_bytes,
    );
    text.single(
        "index_fresh_documents",
        "gauge",
        "Documents that only the journal and memory hold.",
        live.fresh_documents,
    );
    text.single(
        "index_merged_parts_total",
        "counter",
        "Parts that were merged away.",
        live.merged_parts,
    );
    text.single(
        "index_read_only",
        "gauge",
        "1 when changes are refused because the disk failed.",
        u64::from(live.read_only),
    );
    text.single(
        "index_merge_seconds_total",
        "counter",
        "Seconds spent on merging.",
        live.merge_seconds,
    );
}
