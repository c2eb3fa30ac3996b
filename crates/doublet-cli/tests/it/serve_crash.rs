//! Services are killed at any instant while clients change their index: what was answered is there, and nothing that was removed
//! comes back.
//!
//! Each client has ids of its own, so that it knows what each must hold. What was on the way when the service was killed may have
//! happened or not, as a whole.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::harness::{Dice, Place};
use crate::serving::{Answer, Http, Serving};
use crate::wait::wait_until;

const CLIENTS: u32 = 4;
const KILLS: u32 = 110;
/// Changes of all clients that are answered before a service ends, at most.
const CHANGES: u64 = 40;
/// Ids of each client. They come again, so that documents are replaced.
const IDS: u32 = 25;
/// Documents of a batch, at most.
const BATCH: u64 = 6;
/// Services that are killed between two looks at every byte of the index.
const EVERY: u32 = 10;
const SENTENCES: u32 = 3;

/// A number in letters: figures would be words of their own, whose order does not count.
fn letters(number: u32) -> String {
    let digits = number.to_string().into_bytes();
    let letter = |digit: &u8| char::from(digit - b'0' + b'a');
    digits.iter().map(letter).collect()
}

/// Sentences that no other document has, nor another version.
fn text(id: &str, version: u32) -> String {
    let owner = id.replace(|c: char| !c.is_alphanumeric(), "x");
    let owner: String = owner
        .chars()
        .map(|c| {
            c.to_digit(10)
                .map_or(c, |digit| char::from(b'a' + digit as u8))
        })
        .collect();
    let sentence = |place: u32| {
        let [place, version] = [place, version].map(letters);
        format!("Ferry{owner} reached harbour{place} on journey{version} with sheep. ")
    };
    (0..SENTENCES).map(sentence).collect()
}

/// The version of each document that must be there.
type Held = BTreeMap<String, u32>;

/// A change on its way: these ids get a version, or none.
type Change = Vec<(String, Option<u32>)>;

struct Client {
    name: u32,
    dice: Dice,
    held: Held,
    /// The last version that any document was given.
    version: u32,
    /// What was sent and never answered.
    open: Option<Change>,
    answered: u32,
}

impl Client {
    fn new(name: u32) -> Self {
        Self {
            name,
            dice: Dice(u64::from(name) + 17),
            held: Held::new(),
            version: 0,
            open: None,
            answered: 0,
        }
    }

    fn id(&mut self) -> String {
        // Characters that must not be taken for parts of a path.
        let number = self.dice.roll(u64::from(IDS));
        format!("c{}/{number} ü?", self.name)
    }

    fn new_version(&mut self) -> u32 {
        self.version += 1;
        self.version
    }

    /// Changes documents until there is no answer, or it is enough; counts the answers.
    fn work(&mut self, http: &mut Http, enough: &AtomicBool, answers: &AtomicU64) {
        while !enough.load(Ordering::Relaxed) && self.open.is_none() {
            let change = match self.dice.roll(10) {
                0..=3 => self.add(http, 1),
                4..=5 => {
                    let count = 2 + self.dice.roll(BATCH - 1);
                    self.add(http, count)
                }
                6..=7 => self.check_and_add(http),
                _ => self.remove(http),
            };
            match change {
                Some(change) => self.open = Some(change),
                None => drop(answers.fetch_add(1, Ordering::Relaxed)),
            }
        }
    }

    /// Adds documents at once; gives them if it was not answered.
    fn add(&mut self, http: &mut Http, count: u64) -> Option<Change> {
        let version = self.new_version();
        let mut ids: Vec<String> = (0..count).map(|_| self.id()).collect();
        ids.sort();
        ids.dedup();
        let document = |id: &String| json!({"id": id, "text": text(id, version)});
        let body = match ids.as_slice() {
            [id] => document(id),
            ids => json!({"documents": ids.iter().map(document).collect::<Vec<_>>()}),
        };
        let change: Change = ids.into_iter().map(|id| (id, Some(version))).collect();
        let answer = http.post("/v1/documents", &body);
        self.settle(change, answer, |status, answer, change| {
            assert!(matches!(status, 200 | 201), "{status} {answer}");
            assert_eq!(answer["added"], change.len(), "{answer}");
        })
    }

    /// Adds a document if it is new, which it is.
    fn check_and_add(&mut self, http: &mut Http) -> Option<Change> {
        let (id, version) = (self.id(), self.new_version());
        let body = json!({"id": id, "text": text(&id, version)});
        let answer = http.post("/v1/check?add=true", &body);
        self.settle(vec![(id, Some(version))], answer, |status, answer, _| {
            assert_eq!(status, 200, "{answer}");
            assert_eq!(answer["duplicate"], false, "{answer}");
            assert_eq!(answer["added"], true, "{answer}");
        })
    }

    fn remove(&mut self, http: &mut Http) -> Option<Change> {
        let id = self.id();
        let expected = if self.held.contains_key(&id) {
            200
        } else {
            404
        };
        let answer = http.delete(&path_of(&id));
        self.settle(vec![(id, None)], answer, |status, answer, _| {
            assert_eq!(status, expected, "{answer}");
        })
    }

    /// Takes note of what was answered.
    fn settle(
        &mut self,
        change: Change,
        answer: Answer,
        check: impl FnOnce(u16, &Value, &Change),
    ) -> Option<Change> {
        let Some((status, answer)) = answer else {
            return Some(change);
        };
        // A service that ends says so and changes nothing.
        if status == 503 {
            return None;
        }
        check(status, &answer, &change);
        self.answered += 1;
        self.apply(&change);
        None
    }

    fn apply(&mut self, change: &Change) {
        for (id, version) in change {
            match version {
                Some(version) => self.held.insert(id.clone(), *version),
                None => self.held.remove(id),
            };
        }
    }

    /// That the index holds what was answered, and all or nothing of what was not.
    fn compare(&mut self, http: &mut Http) {
        let mut found = Held::new();
        for number in 0..IDS {
            let id = format!("c{}/{number} ü?", self.name);
            let (status, answer) = http.get(&path_of(&id)).unwrap();
            if status == 404 {
                continue;
            }
            assert_eq!(status, 200, "{answer}");
            assert_eq!(answer["id"], id.as_str());
            let seen = answer["text"].as_str().unwrap();
            let version = (1..=self.version).find(|version| text(&id, *version) == seen);
            found.insert(
                id,
                version.unwrap_or_else(|| panic!("no whole text: {seen}")),
            );
        }
        if let Some(change) = self.open.take() {
            let before = self.held.clone();
            self.apply(&change);
            if found != self.held {
                self.held = before;
            }
        }
        assert_eq!(found, self.held, "client {}", self.name);
    }

    /// That texts are found in the index by what they say.
    fn ask(&mut self, http: &mut Http) {
        for (id, version) in &self.held {
            let body = json!({"text": text(id, *version)});
            let (status, answer) = http.post("/v1/check", &body).unwrap();
            assert_eq!(status, 200, "{answer}");
            assert_eq!(answer["duplicate"], true, "{answer}");
            assert_eq!(answer["sentences"], SENTENCES, "{answer}");
            assert_eq!(answer["found"], 1, "{answer}");
            assert_eq!(answer["sources"][0]["id"], id.as_str(), "{answer}");
        }
    }
}

/// Where a document of any id is.
fn path_of(id: &str) -> String {
    let mut path = "/v1/documents/".to_owned();
    for byte in id.bytes() {
        match byte.is_ascii_alphanumeric() {
            true => path.push(char::from(byte)),
            false => path += &format!("%{byte:02X}"),
        }
    }
    path
}

/// How a service ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Killed,
    /// Left to end by itself.
    Ended,
}

#[test]
fn whatever_was_answered_survives_a_kill() {
    let place = Place::new();
    place.run("index create index").ok();
    let mut clients: Vec<Client> = (0..CLIENTS).map(Client::new).collect();
    let mut dice = Dice(3);
    let (mut kills, mut lives) = (0, 0);
    while kills < KILLS {
        lives += 1;
        let serving = Serving::start(&place, "");
        let mut http = serving.http();
        for client in &mut clients {
            client.compare(&mut http);
            if lives % EVERY == 0 {
                client.ask(&mut http);
            }
        }
        let end = match dice.roll(8) {
            0 => End::Ended,
            _ => End::Killed,
        };
        let life = 1 + dice.roll(CHANGES);
        live(serving, &mut clients, end, life);
        kills += u32::from(!matches!(end, End::Ended));
        if lives % EVERY == 0 {
            place.run("index verify index -q").ok();
        }
    }
    let serving = Serving::start(&place, "");
    let mut http = serving.http();
    for client in &mut clients {
        client.compare(&mut http);
        client.ask(&mut http);
    }
    count_documents(&mut http, &clients);
    assert!(serving.stop());
    place.run("index verify index -q").ok();
    let answered: u32 = clients.iter().map(|client| client.answered).sum();
    assert!(answered > KILLS, "only {answered} changes were answered");
}

/// Lets clients work until the service ends, after so many answers and in the middle of the next changes. Kills while it starts or ends
/// are among the faults of an index in use.
fn live(serving: Serving, clients: &mut [Client], end: End, life: u64) {
    let (enough, answers) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for client in clients {
            let (mut http, enough, answers) = (serving.http(), &enough, &answers);
            scope.spawn(move || client.work(&mut http, enough, answers));
        }
        wait_until("answers to changes", || {
            answers.load(Ordering::Relaxed) >= life
        });
        match end {
            End::Killed => serving.kill(),
            End::Ended => assert!(serving.stop()),
        }
        enough.store(true, Ordering::Relaxed);
    });
}

/// That there are no documents but those of the clients.
fn count_documents(http: &mut Http, clients: &[Client]) {
    let expected: usize = clients.iter().map(|client| client.held.len()).sum();
    let (_, stats) = http.get("/v1/stats").unwrap();
    assert_eq!(stats["documents"], expected, "{stats}");
}

/// Adds documents until one is refused; gives those that were taken. What is refused is refused in words.
fn fill(http: &mut Http, first: u32) -> Vec<u32> {
    let mut taken = Vec::new();
    for number in first..first + 20_000 {
        let id = format!("d{number}");
        let body = json!({"id": id, "text": text(&id, number).repeat(4)});
        let (status, answer) = http.post("/v1/documents", &body).unwrap();
        match status {
            200 | 201 => taken.push(number),
            503 | 507 => {
                let detail = answer["detail"].as_str().unwrap_or_default();
                assert!(!detail.is_empty(), "{answer}");
                return taken;
            }
            _ => panic!("{status} {answer}"),
        }
    }
    panic!("the disk is never full");
}

/// That all documents are there.
fn expect(http: &mut Http, taken: &[u32]) {
    for number in taken {
        let id = format!("d{number}");
        let (status, answer) = http.get(&path_of(&id)).unwrap();
        assert_eq!(status, 200, "{id} {answer}");
        assert_eq!(answer["text"], text(&id, *number).repeat(4));
    }
}

/// A service on a full disk: writes are refused, all else goes on, and nothing is lost.
fn fills_up(place: &Place, start: impl Fn() -> Serving, make_room: impl Fn()) {
    let serving = start();
    let mut http = serving.http();
    let mut taken = fill(&mut http, 0);
    assert!(taken.len() > 10, "{}", taken.len());
    expect(&mut http, &taken);
    let asked = json!({"text": text("d3", 3)});
    for _ in 0..3 {
        let (status, answer) = http.post("/v1/check", &asked).unwrap();
        assert_eq!(status, 200);
        assert_eq!(answer["duplicate"], true, "{answer}");
        // It may take another document or refuse it, but answers.
        let body = json!({"id": "more", "text": text("more", 1)});
        let (status, answer) = http.post("/v1/documents", &body).unwrap();
        assert!(matches!(status, 200 | 201 | 503 | 507), "{status} {answer}");
    }
    assert_eq!(http.get("/healthz").unwrap().0, 200);
    serving.kill();
    make_room();
    let serving = Serving::start(place, "");
    let mut http = serving.http();
    expect(&mut http, &taken);
    let more = json!({"id": "d50000", "text": text("d50000", 50_000).repeat(4)});
    let (status, answer) = http.post("/v1/documents", &more).unwrap();
    assert!(matches!(status, 200 | 201), "{answer}");
    taken.push(50_000);
    assert!(serving.stop());
    place.run("index verify index -q").ok();
    let serving = Serving::start(place, "");
    expect(&mut serving.http(), &taken);
}

#[test]
fn files_that_cannot_grow_refuse_writes_and_lose_nothing() {
    let place = Place::new();
    place.run("index create index").ok();
    fills_up(&place, || Serving::start_limited(&place, "", 200), || {});
}

/// A file system of a few megabytes, where this process may make one.
struct SmallDisk(Place);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let place = Place::new();
        std::fs::create_dir(place.path().join("index")).unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=1m", "tmpfs", "index"]);
        let mounted = command.current_dir(place.path()).output().ok()?;
        mounted.status.success().then_some(Self(place))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let mut command = Command::new("umount");
        let _gone = command.arg("index").current_dir(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_refuses_writes_and_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else {
        // Whoever may not mount has the test above.
        return;
    };
    let place = &disk.0;
    place.run("index create index").ok();
    let make_room = || {
        let mut command = Command::new("mount");
        command.args(["-o", "remount,size=64m", "index"]);
        let grown = command.current_dir(place.path()).status();
        assert!(grown.unwrap().success());
    };
    fills_up(place, || Serving::start(place, ""), make_room);
}
