//! Single keys from a terminal, without Enter.
//!
//! While keys are read, the terminal does not echo them and does not wait for a line. Its own settings come back when [`Keys`] is
//! dropped, also by a panic, and by [`restore`], which a request to end calls. Ctrl-C and Ctrl-Z arrive as keys: a read that the
//! system stopped and continued would wait for a line again.

/// What a person did.
#[cfg_attr(
    not(unix),
    allow(dead_code, reason = "lines have no events but keys and the end")
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A key.
    Key(char),
    /// The terminal has to be drawn again: it has another size, or the program was stopped in between.
    Redraw,
    /// There are no keys any more.
    End,
    /// Ctrl-C.
    Interrupt,
}

#[cfg(not(unix))]
pub(crate) use other::{Keys, restore};
#[cfg(unix)]
pub(crate) use unix::{Keys, restore};

#[cfg(unix)]
mod unix {
    use std::io::{IsTerminal, Stdin, stdin, stdout};
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::{Signal, kill_current_process_group};
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    };

    use super::Event;

    /// Tenths of a second after which a read without a key returns, so that the terminal is looked at again.
    const PATIENCE: u8 = 5;
    /// A read that returns nothing sooner than this is at the end of the input …
    const SOON: Duration = Duration::from_millis(100);
    /// … if it is so this often in a row.
    const ENDS: u32 = 5;
    /// The byte that begins the sequence of a key without a character.
    const ESCAPE: u8 = 0x1b;
    /// Ctrl-C, Ctrl-D, Ctrl-Z.
    const INTERRUPT: u8 = 0x03;
    const END_OF_INPUT: u8 = 0x04;
    const SUSPEND: u8 = 0x1a;
    const DELETE: u8 = 0x7f;
    const BACKSPACE: u8 = 0x08;

    /// The settings to go back to, while keys are read.
    static SAVED: Mutex<Option<Termios>> = Mutex::new(None);

    /// Gives the terminal its own settings back.
    pub(crate) fn restore() {
        let mut saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(saved) = saved.take() {
            // The terminal may be gone.
            let _gone = tcsetattr(stdin(), OptionalActions::Now, &saved);
        }
    }

    fn save(settings: Termios) {
        *SAVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
    }

    /// The keys of a terminal.
    pub(crate) struct Keys {
        input: Stdin,
        /// Rows and columns when it was last looked.
        size: (u16, u16),
    }

    impl Keys {
        /// The keys of the terminal that a person looks at; nothing where standard input or output is none.
        pub(crate) fn open() -> Option<Self> {
            if !stdin().is_terminal() || !stdout().is_terminal() {
                return None;
            }
            let settings = tcgetattr(stdin()).ok()?;
            save(settings);
            let keys = Self {
                input: stdin(),
                size: size(),
            };
            keys.prepare();
            Some(keys)
        }

        /// Makes the settings for single keys. Says whether they were not those that are there.
        fn prepare(&self) -> bool {
            let lines = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
            match tcgetattr(&self.input) {
                Ok(mut settings) if settings.local_modes.intersects(lines) => {
                    settings.local_modes.remove(lines);
                    settings.special_codes[SpecialCodeIndex::VMIN] = 0;
                    settings.special_codes[SpecialCodeIndex::VTIME] = PATIENCE;
                    tcsetattr(&self.input, OptionalActions::Now, &settings).is_ok()
                }
                _ => false,
            }
        }

        /// Waits for what a person does.
        pub(crate) fn next(&mut self) -> std::io::Result<Event> {
            let mut ends = 0;
            while ends < ENDS {
                let asked = Instant::now();
                match self.byte()? {
                    Some(INTERRUPT) => return Ok(Event::Interrupt),
                    Some(END_OF_INPUT) => return Ok(Event::End),
                    Some(SUSPEND) => {
                        self.suspend();
                        return Ok(Event::Redraw);
                    }
                    Some(ESCAPE) => self.skip()?,
                    Some(DELETE | BACKSPACE) => return Ok(Event::Key('b')),
                    Some(byte) if byte.is_ascii() => return Ok(Event::Key(char::from(byte))),
                    // A part of a character that is no key of ours.
                    Some(_) => {}
                    None => {
                        let size = size();
                        let resized = std::mem::replace(&mut self.size, size) != size;
                        if self.prepare() || resized {
                            return Ok(Event::Redraw);
                        }
                        ends = if asked.elapsed() < SOON { ends + 1 } else { 0 };
                    }
                }
            }
            Ok(Event::End)
        }

        /// Stops the program, and all that it was started with, until the shell continues it.
        fn suspend(&self) {
            restore();
            let _stopped = kill_current_process_group(Signal::TSTP);
            if let Ok(settings) = tcgetattr(&self.input) {
                save(settings);
            }
            self.prepare();
        }

        /// Passes over the rest of a sequence: `[` or `O`, and all up to a letter or `~`.
        fn skip(&self) -> std::io::Result<()> {
            if let Some(b'[' | b'O') = self.byte()? {
                while self.byte()?.is_some_and(|byte| byte < b'@') {}
            }
            Ok(())
        }

        /// The next byte; none where there is none for a while, or no more at all.
        fn byte(&self) -> std::io::Result<Option<u8>> {
            let mut byte = [0];
            match rustix::io::read(&self.input, &mut byte) {
                Ok(0) => Ok(None),
                Ok(_) => Ok(Some(byte[0])),
                // The terminal is gone.
                Err(Errno::IO) => Ok(None),
                Err(Errno::INTR) => self.byte(),
                Err(error) => Err(error.into()),
            }
        }
    }

    impl Drop for Keys {
        fn drop(&mut self) {
            restore();
        }
    }

    fn size() -> (u16, u16) {
        let size = terminal_size::terminal_size();
        size.map_or((0, 0), |(width, height)| (width.0, height.0))
    }
}

#[cfg(not(unix))]
mod other {
    use super::Event;

    /// Keys are read as lines here.
    pub(crate) struct Keys;

    impl Keys {
        pub(crate) fn open() -> Option<Self> {
            None
        }

        pub(crate) fn next(&mut self) -> std::io::Result<Event> {
            Ok(Event::End)
        }
    }

    /// Nothing was changed.
    pub(crate) fn restore() {}
}
