//! What must hold whatever fails: the exit status, the message, what is on disk.

use doublet::files::Operation;

use crate::case::{Case, Files, files};
use crate::child::{Blow, EINTR, EIO, EMFILE, ENOSPC, Strike, Struck, TEMPORARY};
use crate::harness::{Place, Ran};

/// Holds what came of a run against the laws; says whether it failed, or which law it broke.
pub(crate) fn hold(
    case: &Case,
    scene: &Place,
    struck: &Struck,
    strike: Strike,
) -> Result<bool, String> {
    leaves_nothing(scene, &struck.ran.stderr)?;
    let found = files(scene.path());
    if struck.ran.status == case.status {
        // What failed was not needed, or was tried again.
        is_whole(case, &found)?;
        return Ok(false);
    }
    is_told(&struck.ran, strike)?;
    is_old_or_new(case, &found)?;
    Ok(true)
}

/// That a run which failed says so, and had to.
pub(crate) fn is_told(ran: &Ran, strike: Strike) -> Result<(), String> {
    if ran.status != 2 {
        return Err("another exit status than 2".to_owned());
    }
    if strike.blow == Blow::Short || strike.blow == Blow::Error(EINTR) {
        return Err("it should have been tried again".to_owned());
    }
    says_why(&ran.stderr, strike)
}

/// That no temporary file is left, and nothing panicked.
pub(crate) fn leaves_nothing(scene: &Place, message: &str) -> Result<(), String> {
    if message.contains("panicked") {
        return Err("a panic".to_owned());
    }
    let left = std::fs::read_dir(scene.path().join(TEMPORARY));
    match left.map_or(0, Iterator::count) {
        0 => Ok(()),
        count => Err(format!("{count} temporary files are left")),
    }
}

/// That all is as after a run in which nothing failed.
pub(crate) fn is_whole(case: &Case, found: &Files) -> Result<(), String> {
    let [found, after] = [found, &case.after].map(lasting);
    for name in found.keys().chain(after.keys()) {
        if found.get(name) != after.get(name) && !name.ends_with("/lock") {
            return Err(format!("`{name}` is not as it should be"));
        }
    }
    Ok(())
}

/// That a message names a file, and what to do about it.
fn says_why(message: &str, strike: Strike) -> Result<(), String> {
    let error = message.lines().find(|line| line.starts_with("error: "));
    let error = error.ok_or("no error is told")?;
    if error.matches('`').count() < 2 {
        return Err("no file is named".to_owned());
    }
    let remedy = match strike.blow {
        Blow::Error(ENOSPC) => "free some space",
        Blow::Error(EMFILE) => "ulimit -n",
        Blow::Error(EIO) => "the disk fails",
        _ => return Ok(()),
    };
    // What cannot be removed may be told by what it is in the way of; what is temporary may lie elsewhere.
    let removing = strike.operation == Some(Operation::Remove);
    match error.contains(remedy) || error.contains("--temp-dir") || removing {
        true => Ok(()),
        false => Err("no remedy is told".to_owned()),
    }
}

/// That every file is as before or as after, and nothing else is there.
pub(crate) fn is_old_or_new(case: &Case, found: &Files) -> Result<(), String> {
    let [found, before, after] = [found, &case.before, &case.after].map(lasting);
    for (name, bytes) in &found {
        let known = |files: &Files| files.get(name) == Some(bytes);
        if !known(&before) && !known(&after) && !is_kept(name) {
            return Err(format!("`{name}` is neither old nor new"));
        }
    }
    // Only what the command itself takes away may be missing.
    let gone = |name: &&String| !found.contains_key(*name) && after.contains_key(*name);
    match before
        .keys()
        .filter(|name| !name.starts_with("out/"))
        .find(gone)
    {
        Some(name) => Err(format!("`{name}` is gone")),
        None => Ok(()),
    }
}

/// What a run keeps to be continued, and the locks of indexes.
fn is_kept(name: &str) -> bool {
    let kept = name.split('/').any(|part| part.ends_with(".unfinished"));
    (kept && !name.contains("/.doublet-") && !name.ends_with(".new")) || name.ends_with("/lock")
}

/// Files without what is of one run only: times, and how much memory it took.
fn lasting(files: &Files) -> Files {
    let mut lasting = files.clone();
    let passing = [
        "summary.json",
        "report.html",
        "stats.json",
        "eval.json",
        "eval.html",
    ];
    for (name, bytes) in &mut lasting {
        if let Some(text) = bytes
            .as_ref()
            .filter(|_| passing.iter().any(|end| name.ends_with(end)))
        {
            // Whole, at least, or what was there before.
            let whole = [&b"}\n"[..], b"</html>\n", b"old\n"];
            let which = whole.iter().position(|end| text.ends_with(end));
            *bytes = Some(format!("{which:?}").into_bytes());
        }
    }
    lasting
}

/// That a case does operations of these kinds, without which it would tell nothing.
pub(crate) fn does(case: &Case, operations: &[Operation]) {
    for operation in operations {
        let told = format!("{}: {operation:?}", case.arguments);
        assert!(case.count(*operation) > 0, "{told}");
    }
}
