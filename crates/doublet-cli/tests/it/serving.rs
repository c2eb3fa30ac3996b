//! A running `doublet serve` as a child process, and a client that says what it gets.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::harness::{Place, ended, send};
use crate::wait::LIMIT;

/// A child process that serves; killed when dropped.
pub(crate) struct Serving {
    child: Child,
    /// Address and port.
    address: String,
}

impl Serving {
    /// Serves the index `index` of a place.
    pub(crate) fn start(place: &Place, options: &str) -> Self {
        Self::of(place.command(&arguments(options)))
    }

    /// The same where files cannot grow past so many kilobytes.
    pub(crate) fn start_limited(place: &Place, options: &str, kilobytes: u32) -> Self {
        let mut command = Command::new("bash");
        command
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {kilobytes}; exec \"$0\" \"$@\""
            ))
            .arg(env!("CARGO_BIN_EXE_doublet"))
            .args(arguments(options).split_whitespace())
            .current_dir(place.path());
        Self::of(command)
    }

    /// Serves as this command says.
    pub(crate) fn of(command: Command) -> Self {
        let mut child = spawn(command);
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut all = String::new();
        let address = loop {
            let from = all.len();
            assert!(lines.read_line(&mut all).unwrap() > 0, "{all}");
            let line: Value = serde_json::from_str(&all[from..]).unwrap_or_default();
            if line["event"] == "listening" {
                break line["address"].as_str().unwrap().to_owned();
            }
        };
        // Whoever logs must not have to wait.
        std::thread::spawn(move || std::io::copy(&mut lines, &mut std::io::sink()));
        Self { child, address }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn http(&self) -> Http {
        Http::new(&self.address)
    }

    /// Ends it at once.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end.
    pub(crate) fn terminate(&self) {
        send("-TERM", &self.child);
    }

    /// Asks it to end, waits for it, and says whether it ended well.
    pub(crate) fn stop(mut self) -> bool {
        self.terminate();
        ended(&mut self.child).success()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn arguments(options: &str) -> String {
    format!("serve --index index --listen 127.0.0.1:0 --log json {options}")
}

fn spawn(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A connection that stays.
pub(crate) struct Http {
    address: String,
    stream: Option<BufReader<TcpStream>>,
}

/// What is answered: status and JSON; nothing when the connection broke.
pub(crate) type Answer = Option<(u16, Value)>;

impl Http {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            stream: None,
        }
    }

    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, None)
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, Some(body))
    }

    pub(crate) fn delete(&mut self, path: &str) -> Answer {
        self.send("DELETE", path, None)
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let answer = self.exchange(method, path, body);
        if answer.is_none() {
            self.stream = None;
        }
        answer
    }

    fn exchange(&mut self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.address).ok()?;
            stream.set_nodelay(true).ok()?;
            // A test fails rather than hang.
            stream.set_read_timeout(Some(LIMIT)).ok()?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut()?;
        let body = body.map_or(String::new(), Value::to_string);
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let written = stream.get_mut().write_all((head + &body).as_bytes());
        written.ok()?;
        let (status, length) = read_head(stream)?;
        let mut body = vec![0; length];
        match stream.read_exact(&mut body) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                panic!("no answer to {method} {path}")
            }
            read => read.ok()?,
        }
        Some((status, serde_json::from_slice(&body).unwrap_or_default()))
    }
}

/// Status and length of the body.
fn read_head(stream: &mut BufReader<TcpStream>) -> Option<(u16, usize)> {
    let (mut status, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        match stream.read_line(&mut line) {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return Some((status?, length));
        }
        match line.strip_prefix("content-length:") {
            Some(value) => length = value.trim().parse().ok()?,
            None if status.is_none() => status = line.split(' ').nth(1)?.parse().ok(),
            None => {}
        }
    }
}
