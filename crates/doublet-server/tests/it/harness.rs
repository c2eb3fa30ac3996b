//! A service in this process, and a client that can send anything.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use doublet::index::{IndexOptions, IndexWriter};
use doublet::method::{MatchOptions, Method};
use doublet::options::Numbers;
use doublet_server::{LogOptions, LogSink, ServeOptions, Server};
use serde_json::Value;

use crate::wait::{LIMIT, wait_for, wait_until};

/// Three sentences of which each counts.
pub(crate) const NEWS: &str = "The council met on Monday and decided to close the old bridge. Buses will take another way until the summer. Nobody knows what the repair will cost.";

/// A service, its index and its log, gone at the end.
pub(crate) struct Place {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) log: Arc<Mutex<Vec<u8>>>,
    server: Option<Server>,
}

impl Place {
    /// A service with an empty index of sentences.
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    /// The same with other options.
    pub(crate) fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        Self::of(&index_options(Method::Sentences), change)
    }

    /// A service with an empty index of these options.
    pub(crate) fn of(index: &IndexOptions, change: impl FnOnce(&mut ServeOptions)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        drop(IndexWriter::create(&directory.path().join("index"), index, None).unwrap());
        Self::on(directory, change)
    }

    /// A service on the index that is in a directory.
    pub(crate) fn on(directory: tempfile::TempDir, change: impl FnOnce(&mut ServeOptions)) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut options = ServeOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            log: LogOptions {
                sink: LogSink::Memory(Arc::clone(&log)),
                ..LogOptions::default()
            },
            survey_pause: Duration::ZERO,
            ..ServeOptions::default()
        };
        change(&mut options);
        let server = Server::start(&directory.path().join("index"), options).unwrap();
        Self {
            directory,
            log,
            server: Some(server),
        }
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server().address()
    }

    pub(crate) fn index(&self) -> std::path::PathBuf {
        self.directory.path().join("index")
    }

    /// Ends the service; the index and the log stay.
    pub(crate) fn stop(&mut self) {
        self.server.take().unwrap().stop().unwrap();
    }

    /// Takes the service out, to end it elsewhere.
    pub(crate) fn take(&mut self) -> Server {
        self.server.take().unwrap()
    }

    pub(crate) fn logged(&self) -> String {
        String::from_utf8(self.log.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn connect(&self) -> Connection<TcpStream> {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Connection::new(stream)
    }

    /// Sends a request on a connection of its own.
    pub(crate) fn send(&self, request: &Sent) -> Answer {
        let mut connection = self.connect();
        connection.send(request);
        connection.answer(request.method == "HEAD")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&Sent::new("GET", path))
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send(&Sent::new("DELETE", path))
    }

    pub(crate) fn post(&self, path: &str, body: impl ToString) -> Answer {
        self.send(&Sent::new("POST", path).json(body))
    }

    /// Sends a request again until it is answered with success: where time-outs are short, a connection may be closed before a
    /// slow client has sent it.
    pub(crate) fn persist(&self, request: &Sent) -> (Connection<TcpStream>, Answer) {
        wait_for("an answer", || {
            let mut connection = self.connect();
            connection.send(request);
            let answer = connection.try_answer(false)?;
            (answer.status == 200).then_some((connection, answer))
        })
    }

    /// A number among the metrics.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let (_, answer) = self.persist(&Sent::new("GET", "/metrics"));
        let text = answer.text();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}"))
            .parse()
            .unwrap()
    }

    /// Waits until a metric is as it should be.
    pub(crate) fn wait_for(&self, name: &str, value: f64) {
        wait_until(&format!("{name} {value}"), || self.metric(name) == value);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop().unwrap();
        }
    }
}

pub(crate) fn index_options(method: Method) -> IndexOptions {
    let mut matching = MatchOptions::new(method);
    if method.unit().is_none() {
        matching.normalize.numbers = Numbers::Token;
    }
    IndexOptions {
        matching,
        texts: true,
    }
}

/// A request.
#[derive(Clone)]
pub(crate) struct Sent {
    pub(crate) method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Sent {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            headers: vec![("Host".to_owned(), "localhost".to_owned())],
            body: Vec::new(),
        }
    }

    /// With a header, in place of another of the name.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(other, _)| other != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn json(self, body: impl ToString) -> Self {
        self.header("Content-Type", "application/json")
            .body(body.to_string())
    }

    pub(crate) fn lines(self, body: impl Into<Vec<u8>>) -> Self {
        self.header("Content-Type", "application/x-ndjson")
            .body(body)
    }

    /// As it goes over the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.path).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        if !self.body.is_empty() || self.method == "POST" {
            bytes.extend_from_slice(format!("Content-Length: {}\r\n", self.body.len()).as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The answer as JSON, when it has the status.
    #[track_caller]
    pub(crate) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// The problem that it tells, when it is of this status and kind.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, kind: &str) -> Value {
        let problem = self.json();
        assert_eq!(self.status, status, "{problem}");
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["instance"].as_str(), self.header("x-request-id"));
        problem
    }
}

/// A connection that keeps what it has read.
pub(crate) struct Connection<S> {
    pub(crate) stream: S,
    read: Vec<u8>,
}

impl<S: Read + Write> Connection<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self {
            stream,
            read: Vec::new(),
        }
    }

    pub(crate) fn send(&mut self, request: &Sent) {
        self.write(&request.bytes());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        // The other side may have said all it has to say.
        let _closed = self.stream.write_all(bytes);
    }

    /// Reads an answer; `head` if there is nothing behind its head.
    #[track_caller]
    pub(crate) fn answer(&mut self, head: bool) -> Answer {
        self.try_answer(head).expect("the connection was closed")
    }

    /// Reads an answer, or `None` if the connection ends before.
    pub(crate) fn try_answer(&mut self, head: bool) -> Option<Answer> {
        let end = loop {
            match self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                Some(end) => break end,
                None => self.more()?,
            }
        };
        let text = String::from_utf8(self.read[..end].to_vec()).unwrap();
        self.read.drain(..end + 4);
        let mut lines = text.split("\r\n");
        let status = lines
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = match (length, head || status == 304 || status == 204) {
            (Some((_, length)), false) => length.parse().unwrap(),
            _ => 0,
        };
        while self.read.len() < length {
            self.more()?;
        }
        let body = self.read.drain(..length).collect();
        Some(Answer {
            status,
            headers,
            body,
        })
    }

    /// Whether the other side closes the connection without another word.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.more().is_none() && self.read.is_empty()
    }

    fn more(&mut self) -> Option<()> {
        let mut bytes = [0; 64 << 10];
        match self.stream.read(&mut bytes) {
            Ok(0) => None,
            Ok(length) => {
                self.read.extend_from_slice(&bytes[..length]);
                Some(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("nothing came, and the connection was not closed")
            }
            Err(_) => None,
        }
    }
}

impl Connection<TcpStream> {
    /// Says that nothing more comes.
    pub(crate) fn end(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

/// Writes a file and gives its path.
pub(crate) fn file(directory: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// A text as a path carries it.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
