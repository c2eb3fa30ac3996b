//! A service for tests of clients: it answers as it is told, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// Method and path.
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The texts of a batch.
    pub(crate) fn texts(&self) -> Vec<String> {
        let body = self.json();
        let text = |document: &Value| document["text"].as_str().unwrap().to_owned();
        body["documents"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect()
    }
}

/// What is answered: a status, headers and a body, or nothing at all.
pub(crate) enum Reply {
    Say(u16, &'static str, Value),
    Page(u16, &'static str),
    HangUp,
}

impl Reply {
    pub(crate) fn json(value: Value) -> Self {
        Self::Say(200, "", value)
    }

    pub(crate) fn problem(status: u16, headers: &'static str, detail: &str) -> Self {
        let title = "no";
        Self::Say(
            status,
            headers,
            json!({"type": "/problems/x", "title": title, "status": status, "detail": detail, "instance": "req-7"}),
        )
    }
}

type Answer = dyn Fn(&Heard, usize) -> Reply + Send + Sync;

/// A running service.
pub(crate) struct Service {
    port: u16,
    heard: Arc<Mutex<Vec<Heard>>>,
    /// Requests of any kind.
    tries: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What it says of itself.
pub(crate) fn stats() -> Value {
    json!({
        "documents": 5,
        "options": {"method": "sentences"},
        "limits": {"body_bytes": 1 << 20, "batch": 1000, "text_bytes": 4096},
        "rights": "write",
    })
}

/// What it says of a text that is new.
pub(crate) fn nothing_found() -> Value {
    json!({"duplicate": false, "share": 0.0, "sentences": 0, "of": 1, "found": 0, "sources": []})
}

impl Service {
    /// Answers each request but those for `/v1/stats`; `answer` also gets the number of the request.
    pub(crate) fn new(answer: impl Fn(&Heard, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::with_stats(stats(), answer)
    }

    pub(crate) fn with_stats(
        stats: Value,
        answer: impl Fn(&Heard, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::of(
            move |request, number| match request.line.starts_with("GET /v1/stats") {
                true => Reply::json(stats.clone()),
                false => answer(request, number),
            },
        )
    }

    /// Answers every request in the same way, also those for `/v1/stats`.
    pub(crate) fn always(answer: fn() -> Reply) -> Self {
        Self::of(move |_, _| answer())
    }

    fn of(answer: impl Fn(&Heard, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let tries = Arc::new(AtomicUsize::new(0));
        let count = Arc::new(AtomicUsize::new(0));
        let answer: Arc<Answer> = Arc::new(answer);
        let (all, stopped) = (Arc::clone(&heard), Arc::clone(&stop));
        let asked = Arc::clone(&tries);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (all, count, answer) = (all.clone(), count.clone(), answer.clone());
                let asked = Arc::clone(&asked);
                let counted = move |request: &Heard, number| {
                    asked.fetch_add(1, Ordering::SeqCst);
                    answer(request, number)
                };
                std::thread::spawn(move || serve(stream.unwrap(), &all, &count, &counted));
            }
        });
        Self {
            port,
            heard,
            tries,
            stop,
            thread: Some(thread),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything it was asked, but for `/v1/stats`.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// How many requests there were, with those for `/v1/stats`.
    pub(crate) fn tries(&self) -> usize {
        self.tries.load(Ordering::SeqCst)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _woken = TcpStream::connect(("127.0.0.1", self.port));
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

fn serve(stream: TcpStream, all: &Mutex<Vec<Heard>>, count: &AtomicUsize, answer: &Answer) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some(request) = read(&mut reader) {
        let counted = !request.line.starts_with("GET /v1/stats");
        let number = match counted {
            true => {
                all.lock().unwrap().push(request.clone());
                count.fetch_add(1, Ordering::SeqCst)
            }
            false => 0,
        };
        let (status, headers, kind, body) = match answer(&request, number) {
            Reply::Say(status, headers, value) => {
                let problem = value.get("status").is_some();
                let kind = if problem {
                    "application/problem+json"
                } else {
                    "application/json"
                };
                (status, headers, kind, value.to_string())
            }
            Reply::Page(status, headers) => (status, headers, "text/html", "<p>hello".to_owned()),
            Reply::HangUp => return,
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{headers}content-length: {}\r\n\r\n",
            body.len()
        );
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Heard> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let line = head.lines().next().unwrap_or_default();
    Some(Heard {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        head: head.clone(),
        body: String::from_utf8(body).unwrap(),
    })
}
