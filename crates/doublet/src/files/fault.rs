//! Faults on demand: which operation on a file is to fail, and how. For tests; nothing in the program arms one.
//!
//! A plan counts operations of one kind, or of all, and strikes one of them, or all from there on. While none is armed an operation
//! costs one relaxed load.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is done to a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Opening what is there.
    Open,
    /// Making a file, with a name or without, or another name for one.
    Create,
    /// Reading bytes.
    Read,
    /// Writing bytes, or changing the length.
    Write,
    /// Syncing a file or a directory.
    Sync,
    /// Giving a file another name.
    Rename,
    /// Removing a file or a directory.
    Remove,
    /// Making a directory.
    MakeDirectory,
    /// Listing a directory.
    List,
}

impl Operation {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [Self; 9] = [
        Self::Open,
        Self::Create,
        Self::Read,
        Self::Write,
        Self::Sync,
        Self::Rename,
        Self::Remove,
        Self::MakeDirectory,
        Self::List,
    ];
}

/// What becomes of an operation that is struck.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// It fails with this error of the system.
    Error(i32),
    /// Half of the bytes are read or written, but at least one; other operations are spared.
    Short,
    /// This is called before it, and it goes on.
    Call(fn()),
}

/// Which operations are struck, and how.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The kind that is counted; none for all.
    pub operation: Option<Operation>,
    /// The one that is struck; the first is 0.
    pub number: u64,
    /// What becomes of it.
    pub fault: Fault,
    /// Whether all that follow are struck too.
    pub lasting: bool,
}

/// How often each kind of operation was done since the plan was armed, as in [`Operation::ALL`].
pub type Counts = [u64; Operation::ALL.len()];

struct State {
    plan: Option<Plan>,
    counts: Counts,
    counted: u64,
    struck: u64,
}

static ARMED: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    plan: None,
    counts: [0; Operation::ALL.len()],
    counted: 0,
    struck: 0,
});

/// Counts the operations of this process from now on, and strikes those of the plan.
pub fn arm(plan: Option<Plan>) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    *state = State {
        plan,
        counts: Counts::default(),
        counted: 0,
        struck: 0,
    };
    ARMED.store(true, Ordering::Relaxed);
}

/// Ends counting; gives the counts, and how many operations were struck.
pub fn disarm() -> (Counts, u64) {
    ARMED.store(false, Ordering::Relaxed);
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    (state.counts, state.struck)
}

/// Comes before every operation that moves no bytes.
#[inline]
pub(super) fn check(operation: Operation) -> io::Result<()> {
    match ARMED.load(Ordering::Relaxed) {
        true => strike(operation, 0).map(|_| ()),
        false => Ok(()),
    }
}

/// Comes before every operation that moves bytes; gives how many of them it may.
#[inline]
pub(super) fn bytes(operation: Operation, wanted: usize) -> io::Result<usize> {
    match ARMED.load(Ordering::Relaxed) {
        true => strike(operation, wanted),
        false => Ok(wanted),
    }
}

#[cold]
fn strike(operation: Operation, wanted: usize) -> io::Result<usize> {
    let fault = STATE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .count(operation);
    match fault {
        None => Ok(wanted),
        Some(Fault::Short) => Ok(wanted.div_ceil(2)),
        Some(Fault::Error(code)) => Err(io::Error::from_raw_os_error(code)),
        Some(Fault::Call(call)) => {
            call();
            Ok(wanted)
        }
    }
}

impl State {
    /// Counts an operation; gives what becomes of it, if the plan strikes it.
    fn count(&mut self, operation: Operation) -> Option<Fault> {
        self.counts[operation as usize] += 1;
        let plan = self.plan?;
        if plan.operation.is_some_and(|planned| planned != operation) {
            return None;
        }
        let number = self.counted;
        self.counted += 1;
        let struck = number == plan.number || (plan.lasting && number > plan.number);
        self.struck += u64::from(struck);
        struck.then_some(plan.fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: Plan = Plan {
        operation: Some(Operation::Write),
        number: 1,
        fault: Fault::Error(28),
        lasting: false,
    };

    /// Which of these operations a plan strikes.
    fn struck(plan: Plan, operations: &[Operation]) -> Vec<bool> {
        let mut state = State {
            plan: Some(plan),
            counts: Counts::default(),
            counted: 0,
            struck: 0,
        };
        let struck = operations
            .iter()
            .map(|operation| state.count(*operation).is_some());
        struck.collect()
    }

    #[test]
    fn a_plan_strikes_what_it_says() {
        use Operation::{Read, Write};
        let operations = [Write, Read, Write, Write];
        assert_eq!(struck(ERROR, &operations), [false, false, true, false]);
        let lasting = Plan {
            lasting: true,
            ..ERROR
        };
        assert_eq!(struck(lasting, &operations), [false, false, true, true]);
        let any = Plan {
            operation: None,
            ..ERROR
        };
        assert_eq!(struck(any, &operations), [false, true, false, false]);
    }
}
