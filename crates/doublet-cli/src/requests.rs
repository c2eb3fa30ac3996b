//! Requests to end: Ctrl-C, a signal to terminate, a terminal that hangs up.

/// Has `act` called at each request, on a thread of its own.
///
/// # Errors
/// When the system does not let signals be heard. Then they do what they do by default.
#[cfg(unix)]
pub(crate) fn on_request(act: impl Fn() + Send + 'static) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let within = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = match hears_hang_up() {
        true => Some(signal(SignalKind::hangup())?),
        false => None,
    };
    drop(within);
    let hear = async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = async { hang_up.as_mut()?.recv().await }, if hang_up.is_some() => {}
            }
            act();
        }
    };
    std::thread::Builder::new()
        .name("requests".to_owned())
        .spawn(move || runtime.block_on(hear))
        .map(|_thread| ())
}

/// The same by what the system has in the place of signals.
#[cfg(not(unix))]
pub(crate) fn on_request(act: impl Fn() + Send + 'static) -> std::io::Result<()> {
    ctrlc::set_handler(act).map_err(std::io::Error::other)
}

/// Whether a hang-up is a request to end. Under `nohup` it is ignored from the start and stays so; where the system does not tell,
/// it stays as it is.
#[cfg(unix)]
fn hears_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_ignored(&status, 1) == Some(false)
}

/// Whether a signal is ignored, by what Linux tells of a process; `None` if it does not.
#[cfg(unix)]
fn is_ignored(status: &str, signal: u32) -> Option<bool> {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(line?.trim(), 16).ok()?;
    Some(ignored & (1 << (signal - 1)) != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_signals_that_are_ignored() {
        let status =
            |mask: &str| format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t0\n");
        assert_eq!(is_ignored(&status("0000000000001001"), 1), Some(true));
        assert_eq!(is_ignored(&status("0000000000001000"), 1), Some(false));
        assert_eq!(is_ignored(&status("0000000000001000"), 13), Some(true));
        assert_eq!(is_ignored(&status("none"), 1), None);
        assert_eq!(is_ignored("", 1), None);
    }
}
