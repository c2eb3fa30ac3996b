//! The questions and the keys that answer them.

use std::collections::VecDeque;
use std::io::{BufRead, Write};

use anyhow::Result;
use doublet::audit::{Audit, Verdict};

use super::screen::{self, Screen};
use crate::console::Console;
use crate::display::{BOLD, DIM, plural};
use crate::terminal::{self, Event};

/// Where keys come from.
enum Keys {
    /// A terminal.
    Terminal(terminal::Keys),
    /// Lines of standard input, each character of which is a key.
    Lines(VecDeque<char>),
}

impl Keys {
    fn next(&mut self) -> Result<Event> {
        let waiting = match self {
            Self::Terminal(keys) => return Ok(keys.next()?),
            Self::Lines(waiting) => waiting,
        };
        while waiting.is_empty() {
            let mut line = String::new();
            if std::io::stdin().lock().read_line(&mut line)? == 0 {
                return Ok(Event::End);
            }
            waiting.extend(line.chars().filter(|c| !c.is_whitespace()));
        }
        Ok(waiting.pop_front().map_or(Event::End, Event::Key))
    }
}

/// Asks until all is answered or the person quits.
pub(super) fn ask(audit: &mut Audit, console: &Console) -> Result<()> {
    // A request to end ends at once: every answer is saved already.
    console.rest();
    let Some(first) = next_open(audit, 0) else {
        return Ok(());
    };
    let terminal = match console.is_memory() {
        true => None,
        false => terminal::Keys::open(),
    };
    let screen = Screen::new(terminal.is_some());
    let mut asking = Asking {
        audit,
        screen,
        keys: terminal.map_or_else(|| Keys::Lines(VecDeque::new()), Keys::Terminal),
        at: first,
        whole: false,
    };
    asking.run(console)
}

/// The first question without an answer, from this one on and then from the start.
fn next_open(audit: &Audit, from: usize) -> Option<usize> {
    let all = audit.questions().len();
    let mut order = (from..all).chain(0..from.min(all));
    order.find(|&at| audit.verdict(at).is_none())
}

struct Asking<'a> {
    audit: &'a mut Audit,
    screen: Screen,
    keys: Keys,
    /// The question that is shown; after the last when all are answered.
    at: usize,
    /// Whether it is shown in full.
    whole: bool,
}

impl Asking<'_> {
    fn run(&mut self, console: &Console) -> Result<()> {
        let mut out = console.styled();
        self.draw(&mut out)?;
        loop {
            let event = self.keys.next()?;
            let goes_on = match event {
                Event::Redraw => Some(true),
                Event::End => None,
                Event::Interrupt => return Err(doublet::Error::Interrupted.into()),
                Event::Key(key) => self.key(key.to_ascii_lowercase())?,
            };
            match goes_on {
                Some(true) => self.draw(&mut out)?,
                Some(false) => {}
                None => return Ok(writeln!(out)?),
            }
        }
    }

    /// Does what a key says: whether there is something new to draw; nothing at the end.
    fn key(&mut self, key: char) -> Result<Option<bool>> {
        let is_done = self.at >= self.audit.questions().len();
        let verdict = match key {
            'r' => Verdict::Right,
            'w' => Verdict::Wrong,
            'u' => Verdict::Unsure,
            'b' => {
                let moved = self.at > 0;
                self.show(self.at.saturating_sub(1));
                return Ok(Some(moved));
            }
            'q' => return Ok(None),
            _ if is_done => return Ok(None),
            'v' => {
                self.whole = !self.whole;
                return Ok(Some(true));
            }
            _ => return Ok(Some(false)),
        };
        if is_done {
            return Ok(None);
        }
        self.audit.answer(self.at, verdict)?;
        let open = next_open(self.audit, self.at + 1);
        self.show(open.unwrap_or(self.audit.questions().len()));
        Ok(Some(true))
    }

    fn show(&mut self, at: usize) {
        (self.at, self.whole) = (at, false);
    }

    fn draw(&self, out: &mut dyn Write) -> Result<()> {
        let mut shown = Vec::new();
        if self.at < self.audit.questions().len() {
            screen::question(
                self.audit,
                self.at,
                &self.screen.now(self.whole),
                &mut shown,
            )?;
            self.prompt(&mut shown)?;
        } else {
            writeln!(
                shown,
                "{} answered. {DIM}b: back; any other key: the estimate{DIM:#}",
                plural(self.audit.questions().len() as u64, "question")
            )?;
        }
        self.screen.clear()?;
        out.write_all(&shown)?;
        Ok(out.flush()?)
    }

    fn prompt(&self, out: &mut impl Write) -> Result<()> {
        if let Some(verdict) = self.audit.verdict(self.at) {
            write!(out, "Your answer: {BOLD}{}{BOLD:#}. ", verdict.word())?;
        }
        let keys = [
            ("r", "ight"),
            ("w", "rong"),
            ("u", "nsure"),
            ("b", "ack"),
            ("v", "iew in full"),
            ("q", "uit"),
        ];
        let keys = keys.map(|(key, rest)| format!("[{BOLD}{key}{BOLD:#}]{rest}"));
        Ok(writeln!(out, "Was the removal right? {}", keys.join(" "))?)
    }
}
