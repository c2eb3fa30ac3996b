//! Check-and-add, and reading while writing.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use doublet::index::verify;
use doublet::progress::Silent;
use serde_json::json;

use crate::harness::{NEWS, Place, Sent};

#[test]
fn of_identical_texts_sent_at_once_one_is_new() {
    let mut place = Place::new();
    const THREADS: usize = 8;
    const ROUNDS: usize = 20;
    let barrier = Barrier::new(THREADS);
    let new: Vec<AtomicUsize> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (place, barrier, new) = (&place, &barrier, &new);
            scope.spawn(move || {
                let mut connection = place.connect();
                for (round, new) in new.iter().enumerate() {
                    let text = format!("Story number {round} of many stories that were told in town {round}. {round} people heard it on day {round} of the year.");
                    let body = json!({"id": format!("{round}-{thread}"), "text": text});
                    barrier.wait();
                    connection.send(&Sent::new("POST", "/v1/check?add=true").json(body));
                    let answer = connection.answer(false).ok(200);
                    assert_eq!(answer["duplicate"] == false, answer["added"] == true);
                    new.fetch_add(usize::from(answer["added"] == true), Ordering::Relaxed);
                }
            });
        }
    });
    assert!(
        new.iter().all(|count| count.load(Ordering::Relaxed) == 1),
        "{new:?}"
    );
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], ROUNDS);
    place.stop();
    assert_eq!(
        verify(&place.index(), &Silent).unwrap().documents,
        ROUNDS as u64
    );
}

#[test]
fn an_answered_write_is_seen_by_whoever_asks_next() {
    let place = Place::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut connection = place.connect();
                while !done.load(Ordering::Relaxed) {
                    connection.send(&Sent::new("POST", "/v1/check").json(json!({"text": NEWS})));
                    connection.answer(false).ok(200);
                }
            });
        }
        let writers: Vec<_> = (0..3).map(|thread| {
            let place = &place;
            scope.spawn(move || {
                let mut connection = place.connect();
                let mut ask = |request: &Sent| {
                    connection.send(request);
                    connection.answer(false)
                };
                for number in 0..30 {
                    let path = format!("/v1/documents/{thread}-{number}");
                    let body = json!({"id": format!("{thread}-{number}"), "text": format!("{NEWS} {thread} {number}")});
                    ask(&Sent::new("POST", "/v1/documents").json(body)).ok(201);
                    ask(&Sent::new("GET", &path)).ok(200);
                    if number % 3 == 0 {
                        ask(&Sent::new("DELETE", &path)).ok(200);
                        ask(&Sent::new("GET", &path)).problem(404, "no-document");
                    }
                }
            })
        }).collect();
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(place.get("/v1/stats").ok(200)["documents"], 60);
}

#[test]
fn what_was_answered_is_there_after_the_next_start() {
    let mut place = Place::new();
    place
        .post("/v1/documents", json!({"id": "kept", "text": NEWS}))
        .ok(201);
    place.stop();
    let directory = std::mem::replace(&mut place.directory, tempfile::tempdir().unwrap());
    let place = Place::on(directory, |_| ());
    assert_eq!(place.get("/v1/documents/kept").ok(200)["text"], NEWS);
}
