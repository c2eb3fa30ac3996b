//! The load program: one thread, sockets that do not block, requests that are made before they are due.
//!
//! A lane is a number of connections that ask for the same kind of thing. In a closed loop each connection asks again as soon as it
//! is answered; in an open loop requests are due at a fixed rate, whoever answers how fast, and how long one took counts from the
//! moment it was due.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Result;
use mio::{Events, Poll, Token};
use serde_json::{Value, json};

use super::connection::{Connection, Event};
use super::histogram::Histogram;

/// A request that could not be handed to a connection for so long is given up.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause before a connection that broke is made again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the thread sleeps at most before it looks whether something is due.
const NAP: Duration = Duration::from_micros(50);
const TICK: Duration = Duration::from_millis(5);
/// How long answers are waited for at the end.
const LAST: Duration = Duration::from_secs(5);

/// When requests are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// As soon as the one before is answered.
    Closed,
    /// So many a second.
    Open(f64),
}

/// Writes the request of a number.
pub(crate) type Make<'a> = Box<dyn Fn(u64, &mut Vec<u8>) + 'a>;

/// Connections that ask for the same kind of thing.
pub(crate) struct Lane<'a> {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
    /// Number of the first request.
    pub(crate) first: u64,
    pub(crate) make: Make<'a>,
}

/// What a lane saw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    rate: Option<f64>,
    pub(crate) seconds: f64,
    /// What was done before the time was up; what came after counts for times, not for the rate.
    in_time: u64,
    /// Answers by status.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// Times of what was done, from when it was due.
    pub(crate) done: Histogram,
    /// Times of the same from when it was sent.
    pub(crate) answered: Histogram,
    /// Times of what was refused as too much.
    pub(crate) shed: Histogram,
    /// Connections that broke or were refused, with and without a request on them.
    pub(crate) broken: u64,
    pub(crate) refused: u64,
    /// Requests that were due and found no connection in time.
    pub(crate) unsent: u64,
    /// Number of the next request.
    pub(crate) next: u64,
}

impl Seen {
    /// What was done, by the second.
    pub(crate) fn rate(&self) -> f64 {
        self.in_time as f64 / self.seconds.max(1e-9)
    }

    pub(crate) fn count(&self, status: u16) -> u64 {
        self.statuses.get(&status).copied().unwrap_or(0)
    }

    /// The share of all answers that refused as too much.
    pub(crate) fn shed_share(&self) -> f64 {
        let all: u64 = self.statuses.values().sum();
        self.count(429) as f64 / all.max(1) as f64
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "lane": self.name,
            "connections": self.connections,
            "offered_per_second": self.rate,
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
            "done_per_second": self.rate().round(),
            "statuses": self.statuses.iter().map(|(status, count)| (status.to_string(), json!(count))).collect::<serde_json::Map<_, _>>(),
            "latency_us": self.done.to_json(),
            "latency_from_sending_us": self.answered.to_json(),
            "shed_latency_us": self.shed.to_json(),
            "broken": self.broken,
            "refused": self.refused,
            "unsent": self.unsent,
        })
    }
}

/// A lane at work.
struct Running<'l, 'a> {
    lane: &'l Lane<'a>,
    connections: Vec<Connection>,
    idle: Vec<usize>,
    /// Connections to be made again, and when.
    gone: VecDeque<(Instant, usize)>,
    /// Requests that are due, and wait for a connection.
    waiting: VecDeque<Instant>,
    /// Requests that came due so far.
    came: u64,
    /// The time is up.
    ended: bool,
    seen: Seen,
}

/// Asks a service for a while; `each_second` is called about once a second, and ends it by saying so.
pub(crate) fn run(
    address: SocketAddr,
    lanes: &[Lane<'_>],
    duration: Duration,
    mut each_second: impl FnMut(Duration) -> Result<()>,
) -> Result<Vec<Seen>> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(1024);
    let mut running: Vec<Running<'_, '_>> = lanes.iter().map(Running::new).collect();
    let bases: Vec<usize> = bases(lanes);
    for (lane, base) in running.iter_mut().zip(&bases) {
        for number in 0..lane.connections.len() {
            let token = Token(base + number);
            lane.connections[number].open(address, poll.registry(), token)?;
        }
    }
    let start = Instant::now();
    let (mut last_second, mut ending) = (start, false);
    loop {
        let now = Instant::now();
        ending |= now - start >= duration;
        for (lane, base) in running.iter_mut().zip(&bases) {
            lane.ended = ending;
            let reopened = lane.reopen(now);
            for number in reopened {
                lane.connections[number].open(address, poll.registry(), Token(base + number))?;
            }
            if !ending {
                lane.come_due(start, now);
                lane.send();
            }
        }
        let busy = |lane: &Running<'_, '_>| lane.connections.iter().any(Connection::is_busy);
        if ending && (!running.iter().any(busy) || now - start >= duration + LAST) {
            break;
        }
        let soon = running
            .iter()
            .any(|lane| matches!(lane.lane.pace, Pace::Open(_)));
        let wait = if soon { Duration::ZERO } else { TICK };
        match poll.poll(&mut events, Some(wait)) {
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => {
                return Err(error.into());
            }
            _ => {}
        }
        if events.is_empty() && soon {
            std::thread::sleep(NAP);
        }
        for event in &events {
            let token = event.token().0;
            let lane = bases.partition_point(|base| *base <= token) - 1;
            running[lane].look(token - bases[lane]);
        }
        if now - last_second >= Duration::from_secs(1) {
            last_second = now;
            each_second(now - start)?;
        }
    }
    let seconds = duration.as_secs_f64();
    let ended = running.into_iter().map(|lane| Seen {
        seconds,
        unsent: lane.seen.unsent + lane.unsent(),
        next: lane.lane.first + lane.came,
        ..lane.seen
    });
    Ok(ended.collect())
}

/// The number of the first connection of each lane.
fn bases(lanes: &[Lane<'_>]) -> Vec<usize> {
    let mut next = 0;
    let base = |lane: &Lane<'_>| {
        let base = next;
        next += lane.connections;
        base
    };
    lanes.iter().map(base).collect()
}

impl<'l, 'a> Running<'l, 'a> {
    fn new(lane: &'l Lane<'a>) -> Self {
        let rate = match lane.pace {
            Pace::Open(rate) => Some(rate),
            Pace::Closed => None,
        };
        Self {
            lane,
            connections: (0..lane.connections).map(|_| Connection::new()).collect(),
            idle: Vec::new(),
            gone: VecDeque::new(),
            waiting: VecDeque::new(),
            came: 0,
            ended: false,
            seen: Seen {
                name: lane.name,
                connections: lane.connections,
                rate,
                ..Seen::default()
            },
        }
    }

    /// The connections that are to be made again now.
    fn reopen(&mut self, now: Instant) -> Vec<usize> {
        let mut due = Vec::new();
        while !self.ended && self.gone.front().is_some_and(|(at, _)| *at <= now) {
            due.extend(self.gone.pop_front().map(|(_, number)| number));
        }
        due
    }

    /// Requests of a rate that still wait.
    fn unsent(&self) -> u64 {
        match self.lane.pace {
            Pace::Open(_) => self.waiting.len() as u64,
            Pace::Closed => 0,
        }
    }

    fn come_due(&mut self, start: Instant, now: Instant) {
        match self.lane.pace {
            Pace::Open(rate) => {
                let due = ((now - start).as_secs_f64() * rate) as u64;
                while self.came < due {
                    let at = start + Duration::from_secs_f64(self.came as f64 / rate);
                    self.waiting.push_back(at);
                    self.came += 1;
                }
                while self.waiting.front().is_some_and(|at| now - *at > PATIENCE) {
                    self.waiting.pop_front();
                    self.seen.unsent += 1;
                }
            }
            Pace::Closed => {
                for _ in self.waiting.len()..self.idle.len() {
                    self.waiting.push_back(now);
                    self.came += 1;
                }
            }
        }
    }

    /// Hands requests that are due to connections that are idle.
    fn send(&mut self) {
        while let (Some(&due), Some(&number)) = (self.waiting.front(), self.idle.last()) {
            self.idle.pop();
            if !self.connections[number].is_idle() {
                continue;
            }
            self.waiting.pop_front();
            let request = self.lane.first + self.came - 1 - self.waiting.len() as u64;
            let make = &self.lane.make;
            let event = self.connections[number].send(due, |out| make(request, out));
            self.take(number, event);
        }
    }

    fn look(&mut self, number: usize) {
        let event = self.connections[number].look();
        let answered = matches!(event, Event::Answered(_));
        self.take(number, event);
        // In a closed loop there is no reason to wait for the others.
        if answered && !self.ended && self.lane.pace == Pace::Closed && !self.idle.is_empty() {
            self.waiting.push_back(Instant::now());
            self.came += 1;
            self.send();
        }
    }

    fn take(&mut self, number: usize, event: Event) {
        let now = Instant::now();
        match event {
            Event::Nothing => {}
            Event::Ready => self.idle.push(number),
            Event::Answered(status) => {
                let connection = &self.connections[number];
                let micros = |since: Instant| (now - since).as_micros() as u64;
                *self.seen.statuses.entry(status).or_default() += 1;
                match status {
                    200..300 => {
                        self.seen.in_time += u64::from(!self.ended);
                        self.seen.done.add(micros(connection.due));
                        self.seen.answered.add(micros(connection.sent));
                    }
                    429 => self.seen.shed.add(micros(connection.sent)),
                    _ => {}
                }
                match connection.is_gone() {
                    true => self.gone.push_back((now, number)),
                    false => self.idle.push(number),
                }
            }
            Event::Broken => {
                self.seen.broken += 1;
                self.gone.push_back((now + PAUSE, number));
            }
        }
    }
}
