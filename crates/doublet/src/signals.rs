//! The hang-up of a terminal, which a program may have been told to ignore.

/// Whether it is ignored, as under `nohup`.
pub fn hang_up_is_ignored() -> bool {
    #[cfg(unix)]
    return crate::fenced::hang_up_is_ignored();
    #[cfg(not(unix))]
    return false;
}

/// Has it ignored from now on.
pub fn ignore_hang_up() {
    #[cfg(unix)]
    crate::fenced::ignore(libc::SIGHUP);
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_known_to_be() {
        ignore_hang_up();
        assert!(hang_up_is_ignored());
    }
}
