//! One connection of the load program: a request goes out, an answer comes in, nothing blocks.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::time::Instant;

use anyhow::Result;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

/// What is being done.
#[derive(Debug, PartialEq, Eq)]
enum State {
    /// The system is making the connection.
    Connecting,
    Idle,
    /// A request is out, or on its way out.
    Busy,
    /// There is none.
    Gone,
}

/// What a look at a connection showed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Nothing,
    /// It is made and idle.
    Ready,
    /// An answer of this status is complete.
    Answered(u16),
    /// It broke, was refused, or was closed.
    Broken,
}

pub(crate) struct Connection {
    stream: Option<TcpStream>,
    state: State,
    out: Vec<u8>,
    written: usize,
    head: Head,
    /// When the request was due, and when it was handed over.
    pub(crate) due: Instant,
    pub(crate) sent: Instant,
}

/// What is known of an answer so far.
#[derive(Default)]
struct Head {
    bytes: Vec<u8>,
    status: u16,
    /// Bytes of the body that are still to come; `None` before the head is complete.
    rest: Option<usize>,
    closes: bool,
}

impl Connection {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self {
            stream: None,
            state: State::Gone,
            out: Vec::new(),
            written: 0,
            head: Head::default(),
            due: now,
            sent: now,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.state == State::Gone
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.state == State::Busy
    }

    /// Begins to connect.
    pub(crate) fn open(
        &mut self,
        address: SocketAddr,
        registry: &Registry,
        token: Token,
    ) -> Result<()> {
        let mut stream = TcpStream::connect(address)?;
        registry.register(&mut stream, token, Interest::READABLE | Interest::WRITABLE)?;
        self.stream = Some(stream);
        self.state = State::Connecting;
        self.head = Head::default();
        Ok(())
    }

    pub(crate) fn close(&mut self) {
        self.stream = None;
        self.state = State::Gone;
    }

    /// Sends a request that was due at some time.
    pub(crate) fn send(&mut self, due: Instant, write: impl FnOnce(&mut Vec<u8>)) -> Event {
        self.out.clear();
        write(&mut self.out);
        self.written = 0;
        self.head.bytes.clear();
        self.head.rest = None;
        (self.due, self.sent) = (due, Instant::now());
        self.state = State::Busy;
        self.flush()
    }

    /// Goes on after the system has news.
    pub(crate) fn look(&mut self) -> Event {
        match self.state {
            State::Connecting => self.connected(),
            State::Gone => Event::Nothing,
            State::Idle => self.read(),
            State::Busy => match self.flush() {
                Event::Nothing => self.read(),
                event => event,
            },
        }
    }

    fn connected(&mut self) -> Event {
        let Some(stream) = &self.stream else {
            return Event::Nothing;
        };
        if let Ok(Some(_)) | Err(_) = stream.take_error() {
            return self.broken();
        }
        match stream.peer_addr() {
            Ok(_) => {
                let _ignored = stream.set_nodelay(true);
                self.state = State::Idle;
                Event::Ready
            }
            Err(error) if error.kind() == ErrorKind::NotConnected => Event::Nothing,
            Err(_) => self.broken(),
        }
    }

    fn broken(&mut self) -> Event {
        self.close();
        Event::Broken
    }

    fn flush(&mut self) -> Event {
        while self.written < self.out.len() {
            let Some(stream) = &mut self.stream else {
                return self.broken();
            };
            match stream.write(&self.out[self.written..]) {
                Ok(0) => return self.broken(),
                Ok(more) => self.written += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Event::Nothing,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return self.broken(),
            }
        }
        Event::Nothing
    }

    fn read(&mut self) -> Event {
        let mut buffer = [0; 16 << 10];
        loop {
            let Some(stream) = &mut self.stream else {
                return self.broken();
            };
            match stream.read(&mut buffer) {
                Ok(0) => return self.broken(),
                Ok(_) if self.state == State::Idle => return self.broken(),
                Ok(count) => match self.head.take(&buffer[..count]) {
                    Some(true) => {
                        let status = self.head.status;
                        self.state = State::Idle;
                        if self.head.closes {
                            self.close();
                        }
                        return Event::Answered(status);
                    }
                    Some(false) => {}
                    None => return self.broken(),
                },
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Event::Nothing,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return self.broken(),
            }
        }
    }
}

impl Head {
    /// Takes some bytes of an answer; says whether it is complete, or nothing if it is no answer.
    fn take(&mut self, bytes: &[u8]) -> Option<bool> {
        if let Some(rest) = self.rest {
            self.rest = Some(rest.checked_sub(bytes.len())?);
            return Some(self.rest == Some(0));
        }
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else {
            return Some(false);
        };
        let head = std::str::from_utf8(&self.bytes[..end]).ok()?;
        self.status = head.get(9..12)?.parse().ok()?;
        let field = |name: &str| {
            let lines = head.lines().skip(1);
            let mut fields = lines.filter_map(|line| line.split_once(':'));
            let found = fields.find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim())
        };
        let length: usize = field("content-length")?.parse().ok()?;
        self.closes = field("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let there = self.bytes.len() - end - 4;
        self.rest = Some(length.checked_sub(there)?);
        Some(self.rest == Some(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_pieces() {
        let answer = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 5\r\nconnection: close\r\n\r\nhello";
        for cut in 1..answer.len() {
            let mut head = Head::default();
            assert_eq!(head.take(&answer[..cut]), Some(false), "{cut}");
            assert_eq!(head.take(&answer[cut..]), Some(true), "{cut}");
            assert_eq!((head.status, head.closes), (429, true));
        }
        assert_eq!(Head::default().take(b"HTTP/1.1 200 OK\r\n\r\n"), None);
    }
}
