//! The questions of `audit` in a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{labels, place, wait_for_lines};
use crate::harness::{Place, ended, hang_up, send};
use crate::wait::LIMIT;

/// A terminal that a test types on.
struct Terminal {
    keyboard: File,
    /// What is shown, piece by piece.
    screen: Receiver<Vec<u8>>,
    /// The other end, as the program has it.
    line: OwnedFd,
}

impl Terminal {
    fn new(columns: u16, rows: u16) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let mut options = File::options();
        options.read(true).write(true);
        let line = options.open(name.to_str().unwrap()).unwrap();
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&line, size).unwrap();
        let keyboard = File::from(keyboard);
        let mut reader = keyboard.try_clone().unwrap();
        let (shown, screen) = mpsc::channel();
        // It ends with the test: nothing more is shown, or the receiver is gone.
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = reader.read(&mut bytes)
                && shown.send(bytes[..count].to_vec()).is_ok()
            {}
        });
        Self {
            keyboard,
            screen,
            line: line.into(),
        }
    }

    fn run(&self, place: &Place, arguments: &str) -> Child {
        place
            .command(arguments)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .env_remove("CI")
            .stdin(self.line.try_clone().unwrap())
            .stdout(self.line.try_clone().unwrap())
            .stderr(self.line.try_clone().unwrap())
            .spawn()
            .unwrap()
    }

    /// Reads until this is shown; gives all that was.
    fn until(&self, text: &str) -> String {
        let mut shown = Vec::new();
        loop {
            let all = String::from_utf8_lossy(&shown).into_owned();
            if all.contains(text) {
                return all;
            }
            match self.screen.recv_timeout(LIMIT) {
                Ok(bytes) => shown.extend(bytes),
                Err(_) => panic!("`{text}` is not shown: {all}"),
            }
        }
    }

    fn press(&mut self, key: &str) {
        self.keyboard.write_all(key.as_bytes()).unwrap();
    }

    /// Whether it waits for lines and shows what is typed, as it should.
    fn is_usual(&self) -> bool {
        let modes = tcgetattr(&self.line).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}

#[test]
fn keys_need_no_enter() {
    let place = place();
    let mut terminal = Terminal::new(120, 40);
    let mut child = terminal.run(&place, "audit out -q --sample 3");
    let shown = terminal.until("[\u{1b}[1mq");
    assert!(
        shown.contains("│") && shown.contains("\u{1b}[2J"),
        "{shown}"
    );
    assert!(!terminal.is_usual());
    terminal.press("r");
    terminal.until("2 of 3");
    // An arrow is no key of ours.
    terminal.press("\u{1b}[Aw");
    terminal.until("3 of 3");
    terminal.press("q");
    terminal.until("1 question left");
    assert!(ended(&mut child).success());
    assert!(terminal.is_usual());
    assert_eq!(labels(&place), [1, 0]);
}

#[test]
fn a_narrow_terminal_has_no_columns() {
    let place = place();
    let mut terminal = Terminal::new(60, 40);
    let mut child = terminal.run(&place, "audit out -q --sample 3");
    let shown = terminal.until("[\u{1b}[1mq");
    assert!(!shown.contains("│"), "{shown}");
    terminal.press("\u{4}");
    terminal.until("3 questions left");
    assert!(ended(&mut child).success());
}

#[test]
fn ctrl_c_ends_with_what_is_saved() {
    let place = place();
    let mut terminal = Terminal::new(100, 30);
    let mut child = terminal.run(&place, "audit out -q --sample 3");
    terminal.until("1 of 3");
    terminal.press("u\u{3}");
    terminal.until("interrupted");
    assert_eq!(ended(&mut child).code(), Some(2));
    assert!(terminal.is_usual());
    assert_eq!(labels(&place), ["unsure"]);
}

#[test]
fn the_terminal_is_as_before_after_a_request_to_end() {
    for signal in ["-INT", "-TERM", hang_up()] {
        let place = place();
        let mut terminal = Terminal::new(100, 30);
        let mut child = terminal.run(&place, "audit out -q --sample 3");
        terminal.until("1 of 3");
        terminal.press("r");
        wait_for_lines(&place, 1);
        send(signal, &child);
        assert_eq!(ended(&mut child).code(), Some(2), "{signal}");
        assert!(terminal.is_usual(), "{signal}");
        assert_eq!(labels(&place), [1]);
    }
}
