//! Requests to end: Ctrl-C, a signal to terminate, a terminal that hangs up.

use doublet::signals::{hang_up_is_ignored, ignore_hang_up};

/// Has `act` called at each request, on a thread of its own. Where a hang-up is ignored from the start, as under `nohup`, it stays
/// so.
///
/// # Errors
/// When the system does not let requests be heard, or they are heard already.
pub(crate) fn on_request(act: impl Fn() + Send + 'static) -> Result<(), ctrlc::Error> {
    let ignored = hang_up_is_ignored();
    let heard = ctrlc::set_handler(act);
    // ctrlc takes it whatever was set before.
    if ignored {
        ignore_hang_up();
    }
    heard
}
