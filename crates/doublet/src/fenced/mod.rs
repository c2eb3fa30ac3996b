//! All that needs `unsafe`, fenced in: a file as memory, signals that are not wanted, and instructions that the compiler does not
//! take for granted.

#![allow(
    unsafe_code,
    reason = "each block says why it is sound; benchmarks/README.md has what they gain"
)]

pub(crate) mod classify;

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of a file that is never written again. A disk that fails while they are read ends the process, as it does for any
/// map.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes of a map must not change while it lives. The files of an index are written once, synced, and only then
    // named by a manifest; from then on doublet neither writes nor truncates them, and removing one leaves its maps whole.
    // Whoever changes or truncates a file of an open index by other means is outside what we promise.
    unsafe { Mmap::map(file) }
}

/// Ignores a signal.
#[cfg(unix)]
pub(crate) fn ignore(signal: libc::c_int) {
    // SAFETY: to ignore a signal installs no handler, so that no code of ours runs when it comes.
    unsafe { libc::signal(signal, libc::SIG_IGN) };
}

/// Whether the hang-up of a terminal is ignored.
#[cfg(unix)]
pub(crate) fn hang_up_is_ignored() -> bool {
    // SAFETY: zeros are a valid action; with none to set, the call only writes the one that is there.
    let action = unsafe {
        let mut action = std::mem::zeroed::<libc::sigaction>();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action);
        action
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// Work that may be compiled for wider instructions than every processor has. Its functions must be inlined into `run`.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Vectorized {
    fn run(self);
}

/// Proof that this processor has AVX2: there is no other way to get one than [`Avx2::detect`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// The proof, if the processor has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// Does the work in instructions of 256 bits.
    #[inline]
    pub(crate) fn run(self, work: impl Vectorized) {
        #[target_feature(enable = "avx2")]
        fn with_avx2(work: impl Vectorized) {
            work.run();
        }
        // SAFETY: `self` exists, so the processor was asked and has AVX2.
        unsafe { with_avx2(work) }
    }
}

/// Proof that this processor has AVX-512F: there is no other way to get one than [`Avx512::detect`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The proof, if the processor has the instructions.
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx512f").then_some(Self(()))
    }

    /// Does the work in instructions of 512 bits.
    #[inline]
    pub(crate) fn run(self, work: impl Vectorized) {
        #[target_feature(enable = "avx512f")]
        fn with_avx512(work: impl Vectorized) {
            work.run();
        }
        // SAFETY: `self` exists, so the processor was asked and has AVX-512F.
        unsafe { with_avx512(work) }
    }
}
