//! A command, what it needs, and the faults it is put to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use doublet::files::{Counts, Operation};

use crate::child::{Blow, EINTR, EIO, EMFILE, ENOSPC, Strike, Struck, TEMPORARY, run};
use crate::harness::{Dice, Place};
use crate::laws;

/// Operations of a kind that are struck, the others being like them.
const MOST: u64 = 7;

/// The files below a directory with their bytes, by their paths; directories have none.
pub(crate) type Files = BTreeMap<String, Option<Vec<u8>>>;

/// A command in a directory that holds what it needs.
pub(crate) struct Case {
    place: Place,
    pub(crate) arguments: String,
    /// What is there before, and after it ran as it should.
    pub(crate) before: Files,
    pub(crate) after: Files,
    pub(crate) status: i32,
    pub(crate) counts: Counts,
}

impl Case {
    /// Runs the command as it should be.
    pub(crate) fn new(place: Place, arguments: &str) -> Self {
        let before = files(place.path());
        let scene = copy(&place);
        let Struck { ran, counted } = run(&scene, arguments, None);
        assert!(ran.status < 2, "{arguments}: {}", ran.stderr);
        let (counts, _) = counted.unwrap();
        Self {
            after: files(scene.path()),
            place,
            arguments: arguments.to_owned(),
            before,
            status: ran.status,
            counts,
        }
    }

    /// How often a kind of operation is done.
    pub(crate) fn count(&self, operation: Operation) -> u64 {
        self.counts[operation as usize]
    }

    /// A directory as it is before the command.
    pub(crate) fn scene(&self) -> Place {
        copy(&self.place)
    }

    /// Runs the command with a fault; gives the directory and what came of it.
    pub(crate) fn strike(&self, strike: Strike) -> (Place, Struck) {
        let scene = self.scene();
        let struck = run(&scene, &self.arguments, Some(strike));
        (scene, struck)
    }

    /// Every kind of operation, struck in every way that is played.
    pub(crate) fn strikes(&self) -> Vec<Strike> {
        let mut strikes = Vec::new();
        for operation in Operation::ALL {
            for (turn, number) in numbers(self.count(operation)).into_iter().enumerate() {
                let (blow, lasting) = blow(operation, turn);
                strikes.push(Strike {
                    operation: Some(operation),
                    number,
                    blow,
                    lasting,
                });
            }
        }
        let short = |operation| Strike {
            operation: Some(operation),
            number: 0,
            blow: Blow::Short,
            lasting: true,
        };
        strikes.extend([Operation::Read, Operation::Write].map(short));
        strikes
    }

    /// Holds the command against the laws under all of them. Gives how many runs failed.
    pub(crate) fn strike_all(&self) -> usize {
        self.hold_all(self.strikes(), |scene, struck, strike| {
            laws::hold(self, scene, struck, strike)
        })
    }

    /// Runs the command once for each of these strikes and holds what came of it against a law. Gives how many runs failed.
    pub(crate) fn hold_all(
        &self,
        strikes: Vec<Strike>,
        law: impl Fn(&Place, &Struck, Strike) -> Result<bool, String>,
    ) -> usize {
        let (mut failed, mut broken) = (0, Vec::new());
        for strike in strikes {
            let (scene, struck) = self.strike(strike);
            match law(&scene, &struck, strike) {
                Ok(ended) => failed += usize::from(ended),
                Err(law) => broken.push(format!(
                    "{}: {strike:?}: {law}\n{} {}",
                    self.arguments, struck.ran.status, struck.ran.stderr
                )),
            }
        }
        assert!(broken.is_empty(), "{}", broken.join("\n"));
        failed
    }
}

/// Numbers below `count`: all of them, or some that are spread evenly, the first and the last among them.
pub(crate) fn numbers(count: u64) -> Vec<u64> {
    match count {
        0..=MOST => (0..count).collect(),
        _ => (0..MOST)
            .map(|place| place * (count - 1) / (MOST - 1))
            .collect(),
    }
}

/// How an operation is struck the `turn`th time, and whether those that follow are too.
pub(crate) fn blow(operation: Operation, turn: usize) -> (Blow, bool) {
    let of = |blows: &[(i32, bool)]| {
        let (code, lasting) = blows[turn % blows.len()];
        (Blow::Error(code), lasting)
    };
    match operation {
        Operation::Open => of(&[(EMFILE, true), (EIO, false), (EMFILE, false)]),
        Operation::Create => of(&[(ENOSPC, false), (EMFILE, true), (ENOSPC, true)]),
        Operation::Read => of(&[(EIO, false), (EINTR, false), (EIO, true)]),
        Operation::Write => of(&[
            (ENOSPC, true),
            (EIO, false),
            (EINTR, false),
            (ENOSPC, false),
        ]),
        Operation::Sync | Operation::Rename | Operation::List => of(&[(EIO, false), (EIO, true)]),
        Operation::Remove => of(&[(EIO, false)]),
        Operation::MakeDirectory => of(&[(ENOSPC, false)]),
    }
}

/// The files below a directory, but for the place of temporary ones.
pub(crate) fn files(directory: &Path) -> Files {
    let mut files = Files::new();
    let mut left: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(directory).unwrap();
            let name = name.to_str().unwrap().to_owned();
            if name == TEMPORARY {
                continue;
            }
            if path.is_dir() {
                files.insert(name, None);
                left.push(path);
            } else {
                files.insert(name, Some(std::fs::read(&path).unwrap()));
            }
        }
    }
    files
}

/// A copy of a directory; its files are as old as they were, for a run that is continued looks at this.
fn copy(place: &Place) -> Place {
    let copy = Place::new();
    for (name, bytes) in files(place.path()) {
        let Some(bytes) = bytes else {
            std::fs::create_dir_all(copy.path().join(name)).unwrap();
            continue;
        };
        copy.write(&name, bytes);
        let modified = std::fs::metadata(place.path().join(&name))
            .unwrap()
            .modified();
        let file = std::fs::File::options()
            .write(true)
            .open(copy.path().join(name));
        file.unwrap().set_modified(modified.unwrap()).unwrap();
    }
    copy
}

/// Texts of which many are near copies.
pub(crate) fn corpus(texts: u64) -> String {
    let mut dice = Dice(7);
    let line = |number: u64| {
        let mut words = Dice((number / 3 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text: Vec<String> = (0..24).map(|_| word(words.roll(5000))).collect();
        if dice.roll(2) == 0 {
            text[dice.roll(24) as usize] = word(5000 + dice.roll(100));
        }
        for stop in [7, 15, 23] {
            text[stop].push('.');
        }
        serde_json::json!({ "id": number, "text": text.join(" ") }).to_string() + "\n"
    };
    (0..texts).map(line).collect()
}

/// A word made of letters only.
fn word(number: u64) -> String {
    let digits = number.to_string().into_bytes();
    let letter = |digit: &u8| char::from(digit - b'0' + b'a');
    digits.iter().map(letter).collect()
}
