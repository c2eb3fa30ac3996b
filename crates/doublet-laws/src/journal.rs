//! The law of journals: an index is opened with every change that was synced, in order, or with an error; never without some.
//!
//! Frames are written here as the journal describes them, so that its reader is held against its description.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use doublet::index::{Index, LiveIndex, LiveOptions};
use doublet::method::Method;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::index_files::{add, create, documents, files_of, place_files, sealed};

const HEAD: usize = 48;
const SALT: u32 = 0x5eed;
/// Changes of one input.
const MOST: usize = 24;

/// Documents by id.
type State = BTreeMap<String, String>;

/// An index with a manifest that names a journal, and the name of that.
struct Base {
    files: Vec<(String, Vec<u8>)>,
    journal: String,
    state: State,
}

impl Base {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a temporary directory");
        let directory = place.path().join("index");
        let mut writer = create(&directory, Method::Shingles);
        add(&mut writer, 0..3);
        let state = state_of(writer.index());
        let mut files = files_of(&directory);
        let number = 77u64;
        for (name, bytes) in &mut files {
            if name == "manifest" {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let json = text
                    .trim_end()
                    .rsplit_once('\n')
                    .and_then(|(body, _)| body.split_once('\n'));
                let mut manifest: Value = json
                    .and_then(|(_, json)| serde_json::from_str(json).ok())
                    .expect("a manifest");
                manifest["journal"] = number.into();
                manifest["next_file"] = (number + 1).into();
                *bytes = sealed("doublet index, format 2", &manifest.to_string());
            }
        }
        Self {
            files,
            journal: format!("{number:06}.journal"),
            state,
        }
    }
}

fn state_of(index: &Index) -> State {
    let all = documents(index).expect("all documents");
    let count = all.len();
    let state: State = all
        .into_iter()
        .map(|(id, text)| (id, text.unwrap_or_default()))
        .collect();
    assert_eq!(state.len(), count, "an id twice");
    state
}

/// A frame: where it begins and ends, and how many bytes were synced before it.
struct Frame {
    start: usize,
    end: usize,
    synced: u64,
}

/// A journal that was harmed; the first byte says how, and whether changes are made up or as they come.
pub fn journal(data: &[u8]) {
    static BASE: LazyLock<Base> = LazyLock::new(Base::new);
    let [how, high, low, value, rest @ ..] = data else {
        return;
    };
    let mut bytes = head();
    let mut states = vec![BASE.state.clone()];
    let mut frames = Vec::new();
    let mut synced = bytes.len() as u64;
    for change in rest.split(|byte| *byte == b'\n').take(MOST) {
        let body = match how & 0x80 {
            0 => made_up(change, &mut states),
            _ => change.to_vec(),
        };
        let start = bytes.len();
        push_frame(&mut bytes, synced, &body);
        frames.push(Frame {
            start,
            end: bytes.len(),
            synced,
        });
        // Changes that come together are synced together.
        if change.len() % 3 != 1 {
            synced = bytes.len() as u64;
        }
    }
    let at = usize::from(u16::from_be_bytes([*high, *low])) % bytes.len();
    let whole = bytes.clone();
    match how % 8 {
        0 => {}
        1 => bytes.truncate(at),
        2 => bytes.extend_from_slice(&vec![0; at]),
        3 => bytes[at..]
            .iter_mut()
            .take(usize::from(*value))
            .for_each(|byte| *byte = 0),
        _ => bytes[at] = *value,
    }
    let directory = place_files("journal", &BASE.files);
    std::fs::write(directory.join(&BASE.journal), &bytes).expect("a temporary file");
    let opened = Index::open(&directory);
    if how & 0x80 != 0 {
        if let Ok(index) = opened {
            state_of(&index);
        }
        return;
    }
    match opened {
        Ok(index) => {
            let state = state_of(&index);
            nothing_is_lost(&whole, &bytes, &frames, &states, &state);
            drop(index);
            // Which takes threads and syncs.
            if how & 0x40 != 0 {
                recovered(&directory, &state);
            }
        }
        Err(error) => {
            let name = directory.to_string_lossy();
            assert!(error.to_string().contains(&*name), "no file named: {error}");
            assert!(bytes != whole, "a whole journal is refused: {error}");
        }
    }
}

fn head() -> Vec<u8> {
    let mut head = b"doublet journal\n".to_vec();
    head.extend_from_slice(&1u32.to_le_bytes());
    head.extend_from_slice(&SALT.to_le_bytes());
    head.extend_from_slice(&[0; 16]);
    let sum = xxh3_64_with_seed(&head, 0);
    head.extend_from_slice(&sum.to_le_bytes());
    head
}

fn push_frame(bytes: &mut Vec<u8>, synced: u64, body: &[u8]) {
    let mut frame = b"dblJ".to_vec();
    frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
    frame.extend_from_slice(&synced.to_le_bytes());
    let summed = [&frame, body].concat();
    let sum = xxh3_64_with_seed(&summed, u64::from(SALT));
    frame.extend_from_slice(&sum.to_le_bytes());
    frame.extend_from_slice(body);
    frame.resize(frame.len().next_multiple_of(8), 0);
    bytes.extend_from_slice(&frame);
}

/// A change of a few documents, made of bytes: each says whether one is added or removed, and which.
fn made_up(change: &[u8], states: &mut Vec<State>) -> Vec<u8> {
    let mut state = states.last().cloned().unwrap_or_default();
    let entries: Vec<&[u8]> = change.chunks(3).take(4).collect();
    let mut body = (entries.len() as u32).to_le_bytes().to_vec();
    for entry in entries {
        let [which, rest @ ..] = entry else {
            continue;
        };
        let id = format!("\"{}\"", char::from(b'a' + which % 8));
        let text = match which % 3 {
            0 => {
                state.remove(&id);
                String::new()
            }
            _ => {
                let text = format!("{} and a bridge", String::from_utf8_lossy(rest));
                state.insert(id.clone(), text.clone());
                text
            }
        };
        body.push(u8::from(which % 3 == 0));
        body.extend_from_slice(&(id.len() as u32).to_le_bytes());
        body.extend_from_slice(&(text.len() as u32).to_le_bytes());
        body.extend_from_slice(id.as_bytes());
        body.extend_from_slice(text.as_bytes());
    }
    states.push(state);
    body
}

/// That the index is as after some of the changes, of which none is passed over that a later one was synced behind.
fn nothing_is_lost(whole: &[u8], bytes: &[u8], frames: &[Frame], states: &[State], found: &State) {
    let is_same =
        |frame: &Frame| bytes.get(frame.start..frame.end) == Some(&whole[frame.start..frame.end]);
    assert_eq!(
        bytes.get(..HEAD),
        Some(&whole[..HEAD]),
        "a head that is not one is believed"
    );
    let first_harmed = frames
        .iter()
        .position(|frame| !is_same(frame))
        .unwrap_or(frames.len());
    let fits = |count: &usize| states.get(*count) == Some(found);
    let count = (first_harmed..=frames.len()).rev().find(fits);
    let count = count.unwrap_or_else(|| {
        panic!(
            "whole changes are passed over: {first_harmed} of {}",
            frames.len()
        )
    });
    if let Some(lost) = frames.get(count) {
        let later = frames[count..].iter().filter(|frame| is_same(frame));
        let known = later.map(|frame| frame.synced).max().unwrap_or(0);
        assert!(
            known <= lost.start as u64,
            "a change that was synced is lost"
        );
    }
}

/// That whoever opens the index to change it loses nothing either, and leaves it as it was.
fn recovered(directory: &Path, state: &State) {
    let live = LiveIndex::open(directory, LiveOptions::default());
    let live = live.unwrap_or_else(|error| panic!("not opened to be changed: {error}"));
    assert_eq!(
        state_of(&live.snapshot()),
        *state,
        "other documents when opened to be changed"
    );
    live.close().expect("closed");
    let index = Index::open(directory).expect("opened again");
    assert_eq!(state_of(&index), *state, "other documents afterwards");
}
