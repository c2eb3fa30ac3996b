//! The process in which files fail: this test binary again, told by its environment what to run and what to strike.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use doublet::files::{self, Counts, Fault, Operation, Plan};
use doublet::progress::Observer;
use doublet_cli::{Console, inside};

use crate::harness::{Place, Ran};
use crate::wait::wait_until;

/// The environment of a child: its arguments, what is struck, where it counts, and what vanishes.
const ARGUMENTS: &str = "FAULTS_ARGUMENTS";
const PLAN: &str = "FAULTS_PLAN";
const COUNTS: &str = "FAULTS_COUNTS";
const VANISHING: &str = "FAULTS_VANISHING";
/// Where temporary files go by default, in the directory of a test.
pub(crate) const TEMPORARY: &str = "tmp";

/// The console of a child.
static CONSOLE: OnceLock<Console> = OnceLock::new();

/// Errors of the system that are played.
pub(crate) const EINTR: i32 = 4;
pub(crate) const EIO: i32 = 5;
pub(crate) const EMFILE: i32 = 24;
pub(crate) const ENOSPC: i32 = 28;

/// What happens at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blow {
    Error(i32),
    Short,
    /// A request to end.
    Terminate,
    /// Ctrl-C.
    Interrupt,
    /// Two requests to end.
    Twice,
    /// A request to end as soon as there is a state of the run to go on from.
    TerminateWhenKept,
    /// The end of the process, without a word.
    Kill,
    /// The place of temporary files goes.
    Vanish,
}

/// Which operation is struck, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strike {
    pub(crate) operation: Option<Operation>,
    pub(crate) number: u64,
    pub(crate) blow: Blow,
    pub(crate) lasting: bool,
}

/// What came of a child.
pub(crate) struct Struck {
    pub(crate) ran: Ran,
    /// How often each kind of operation was done, and how many were struck; nothing if it ended on the way.
    pub(crate) counted: Option<(Counts, u64)>,
}

impl Strike {
    fn encode(&self) -> String {
        let operation = self.operation.map_or(-1, |operation| operation as i32);
        let (kind, code) = match self.blow {
            Blow::Error(code) => ("error", code),
            Blow::Short => ("short", 0),
            Blow::Terminate => ("terminate", 0),
            Blow::Interrupt => ("interrupt", 0),
            Blow::Twice => ("twice", 0),
            Blow::TerminateWhenKept => ("kept", 0),
            Blow::Kill => ("kill", 0),
            Blow::Vanish => ("vanish", 0),
        };
        format!("{operation} {} {kind} {code} {}", self.number, self.lasting)
    }

    fn decode(text: &str) -> Plan {
        let words: Vec<&str> = text.split_whitespace().collect();
        let operation: i32 = words[0].parse().unwrap();
        Plan {
            operation: usize::try_from(operation)
                .ok()
                .map(|operation| Operation::ALL[operation]),
            number: words[1].parse().unwrap(),
            fault: match words[2] {
                "error" => Fault::Error(words[3].parse().unwrap()),
                "short" => Fault::Short,
                "terminate" => Fault::Call(|| request("TERM")),
                "interrupt" => Fault::Call(|| request("INT")),
                "twice" => Fault::Call(request_twice),
                "kept" => Fault::Call(request_when_kept),
                "kill" => Fault::Call(|| end_by("KILL")),
                _ => Fault::Call(vanish),
            },
            lasting: words[4].parse().unwrap(),
        }
    }
}

/// Sends this process a signal.
fn signal(name: &str) {
    let id = std::process::id().to_string();
    let sent = Command::new("kill")
        .args(["-s", name, &id])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Sends a signal that ends this process.
fn end_by(name: &str) {
    signal(name);
    wait_until("a signal to end the process", || false);
}

/// Asks this process to end. Another thread hears that; the run goes on when it has, if it may.
fn request(name: &str) {
    let console = CONSOLE.get().unwrap();
    if !inside::is_orderly(console) {
        return end_by(name);
    }
    signal(name);
    wait_until("a request to end to be heard", || console.cancelled());
}

fn request_twice() {
    request("TERM");
    end_by("TERM");
}

/// Asks this process to end if a run in the working directory has kept its state, once.
fn request_when_kept() {
    static ASKED: AtomicBool = AtomicBool::new(false);
    let kept = [".pairs.csv.unfinished", "out/.unfinished"];
    let is_kept = |state: &&str| Path::new(state).join("manifest").exists();
    if kept.iter().any(is_kept) && !ASKED.swap(true, Ordering::Relaxed) {
        request("TERM");
    }
}

/// Takes the place of temporary files away.
fn vanish() {
    std::fs::remove_dir_all(std::env::var(VANISHING).unwrap()).unwrap();
}

/// A command of a child.
pub(crate) fn command(place: &Place, arguments: &str, strike: Option<Strike>) -> Command {
    command_of(place, "child::child", arguments, strike)
}

/// A process that does what this test does there.
fn command_of(place: &Place, test: &str, arguments: &str, strike: Option<Strike>) -> Command {
    let temporary = place.path().join(TEMPORARY);
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--ignored", "--nocapture"])
        .current_dir(place.path())
        .env(ARGUMENTS, arguments)
        .env(PLAN, strike.map_or(String::new(), |strike| strike.encode()))
        .env(COUNTS, counts_of(place.path()))
        .env(VANISHING, &temporary)
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Ok(input) = std::fs::File::open(place.path().join("stdin")) {
        command.stdin(input);
    }
    command
}

/// Beside the directory of the test, where nobody looks for what was left behind.
fn counts_of(place: &Path) -> String {
    format!("{}.counts", place.display())
}

/// Runs a command in a child.
pub(crate) fn run(place: &Place, arguments: &str, strike: Option<Strike>) -> Struck {
    run_test(place, "child::child", arguments, strike)
}

/// Runs in a child what this test does there.
pub(crate) fn run_test(
    place: &Place,
    test: &str,
    arguments: &str,
    strike: Option<Strike>,
) -> Struck {
    let output = command_of(place, test, arguments, strike).output().unwrap();
    let path = counts_of(place.path());
    let counted = std::fs::read_to_string(&path).ok();
    let _gone = std::fs::remove_file(path);
    let counted = counted.map(|text| {
        let mut numbers = text.split_whitespace().map(|word| word.parse().unwrap());
        let counts = std::array::from_fn(|_| numbers.next().unwrap());
        (counts, numbers.next().unwrap())
    });
    Struck {
        ran: Ran::new(&output),
        counted,
    }
}

/// What is struck in this process, which is no child if this is nothing.
pub(crate) fn plan() -> Option<Option<Plan>> {
    let plan = std::env::var(PLAN).ok()?;
    Some((!plan.is_empty()).then(|| Strike::decode(&plan)))
}

/// Tells the parent what was counted.
pub(crate) fn note((counts, struck): &(Counts, u64)) {
    let numbers = counts.iter().chain([struck]).map(u64::to_string);
    let numbers: Vec<String> = numbers.collect();
    std::fs::write(std::env::var(COUNTS).unwrap(), numbers.join(" ")).unwrap();
}

/// What a child does; nothing in any other process.
#[test]
#[ignore = "the other tests run it, in a process of its own"]
#[expect(clippy::exit, reason = "a child ends as the program does")]
fn child() {
    let Some(plan) = plan() else { return };
    let arguments = std::env::var(ARGUMENTS).unwrap();
    let arguments = arguments.split_whitespace().map(Into::into).collect();
    let console = CONSOLE.get_or_init(|| Console::terminal(Vec::new(), arguments));
    files::arm(plan);
    let status = doublet_cli::main(console);
    note(&files::disarm());
    std::process::exit(status.into());
}
