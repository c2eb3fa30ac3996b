//! A connection that is given up when its other side is too slow: with the head of a request, between two, or in taking answers.
//! Bodies have their own clock, in `body`.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::options::ServeOptions;

const IDLE: u8 = 0;
const HEAD: u8 = 1;
const WORKING: u8 = 2;

/// What a connection is at; whoever answers its requests says so.
#[derive(Clone, Debug)]
pub(crate) struct Phase(Arc<AtomicU8>);

impl Phase {
    /// A connection that was just made: a head is expected.
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU8::new(HEAD)))
    }

    /// A request is being answered, until what this gives is dropped.
    pub(crate) fn work(&self) -> impl Drop + use<> {
        struct Work(Phase);
        impl Drop for Work {
            fn drop(&mut self) {
                self.0.0.store(IDLE, Ordering::Relaxed);
            }
        }
        self.0.store(WORKING, Ordering::Relaxed);
        Work(self.clone())
    }

    fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream with its clocks.
#[derive(Debug)]
pub(crate) struct Timed<S> {
    stream: S,
    phase: Phase,
    header_timeout: Duration,
    idle_timeout: Duration,
    write_timeout: Duration,
    /// Until when something must be read; `None` while a request is answered.
    read_until: Option<Instant>,
    /// Wakes the reader now and then to look at `read_until`: so that the timer is seldom set.
    tick: Option<Pin<Box<Sleep>>>,
    /// Until when something must be written, once it could not be.
    write_until: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    pub(crate) fn new(stream: S, phase: Phase, options: &ServeOptions) -> Self {
        Self {
            stream,
            phase,
            header_timeout: options.header_timeout,
            idle_timeout: options.idle_timeout,
            write_timeout: options.write_timeout,
            read_until: Some(Instant::now() + options.header_timeout),
            tick: None,
            write_until: None,
        }
    }

    /// Something was read: the head of a request has begun, unless it is a body that is read.
    fn has_read(&mut self) {
        let begun = self
            .phase
            .0
            .compare_exchange(IDLE, HEAD, Ordering::Relaxed, Ordering::Relaxed);
        if begun.is_ok() {
            self.read_until = Some(Instant::now() + self.header_timeout);
        }
    }

    /// Nothing is there to read: whether that has lasted too long.
    fn poll_read_clock(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.phase.get() == WORKING {
            self.read_until = None;
            return Poll::Pending;
        }
        let now = Instant::now();
        let until = *self.read_until.get_or_insert(now + self.idle_timeout);
        if now >= until {
            return Poll::Ready(());
        }
        let look = until.min(now + self.header_timeout.min(self.idle_timeout));
        let tick = self.tick.get_or_insert_with(|| Box::pin(sleep_until(look)));
        while tick.as_mut().poll(cx).is_ready() {
            tick.as_mut().reset(look);
        }
        Poll::Pending
    }

    /// Whether writing that could not go on has waited too long.
    fn poll_write_clock<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        bytes: bool,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.write_until = None;
            // There is nothing new in having flushed nothing.
            if bytes && self.phase.get() == IDLE {
                // Nobody may look for another request before something wakes them.
                self.read_until = None;
                let _later = self.poll_read_clock(cx);
            }
            return written;
        }
        let until = Instant::now() + self.write_timeout;
        let clock = self
            .write_until
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(clock.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        match Pin::new(&mut this.stream).poll_read(cx, buffer) {
            Poll::Ready(read) => {
                this.has_read();
                Poll::Ready(read)
            }
            Poll::Pending => {
                ready!(this.poll_read_clock(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.poll_write_clock(cx, written, true)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.poll_write_clock(cx, flushed, false)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.poll_write_clock(cx, shut, false)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.poll_write_clock(cx, written, true)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
