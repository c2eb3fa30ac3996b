//! The service says what the library says, whatever the texts are.

use std::sync::OnceLock;

use doublet::index::{CheckOptions, CheckScratch, Index, LiveIndex, LiveOptions, Named, Write};
use doublet::method::Method;
use doublet::report::pairs::named_scores;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::harness::{NEWS, Place, Sent, index_options};

/// Texts that are awkward, alone and put together.
const AWKWARD: &[&str] = &[
    "",
    " ",
    "\u{0}",
    "\r\n",
    "\n\n",
    NEWS,
    "The council met on Monday and decided to close the old bridge.",
    "市議会は月曜日に古い橋を閉鎖することを決めた。",
    "议会星期一决定关闭旧桥。夏天之前公共汽车改道行驶。",
    "👩‍👩‍👧‍👦 A family of four went to the sea on a very hot day. 👍🏽",
    "Cafe\u{301} Zu\u{308}rich o\u{308}ffnet am ersten Tag des neuen Jahres wieder.",
    "\u{feff}Begins with a mark that nobody sees and everybody stumbles over.",
    "\"quoted\" \\ back\\slash / slash\u{7f}",
    "e\u{301}\u{301}\u{301}",
    "\u{202e}right to left and back again it goes for ever\u{202c}.",
    "﷽",
    "<b>&amp;</b> is markup that stays as it is in every answer.",
    "١٢٣ أغلق المجلس الجسر القديم يوم الاثنين.",
];

struct Agreeing {
    place: Place,
    index: Index,
}

fn services() -> &'static [Agreeing] {
    static SERVICES: OnceLock<Vec<Agreeing>> = OnceLock::new();
    SERVICES.get_or_init(|| {
        [
            Method::Sentences,
            Method::Shingles,
            Method::Minhash,
            Method::Terms,
        ]
        .map(agreeing)
        .into()
    })
}

/// A service with all awkward texts, and the same index by the library.
fn agreeing(method: Method) -> Agreeing {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index");
    drop(doublet::index::IndexWriter::create(&path, &index_options(method), None).unwrap());
    let live = LiveIndex::open(&path, LiveOptions::default()).unwrap();
    let documents = AWKWARD.iter().enumerate().map(|(number, text)| {
        live.document(json!(format!("é{number}")).to_string(), (*text).to_owned())
            .unwrap()
    });
    live.write(Write::Add(documents.collect())).unwrap();
    live.close().unwrap();
    Agreeing {
        place: Place::on(directory, |_| ()),
        index: Index::open(&path).unwrap(),
    }
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![3 => proptest::sample::select(AWKWARD).prop_map(str::to_owned), 1 => "\\PC{0,20}", 1 => proptest::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter)];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.join(" "))
}

fn rounded(score: f64) -> Value {
    json!((score * 1e6).round() / 1e6)
}

/// What the service should say, put together from what the library says.
fn expected(index: &Index, text: &str, options: &CheckOptions) -> Value {
    let answer = index
        .check(text, options, &mut CheckScratch::default())
        .unwrap();
    let characters = |byte: usize| text[..byte].chars().count();
    let metric = index.options().matching.metric;
    let sources: Vec<Value> = answer.sources.iter().map(|source| {
        let passages: Vec<Value> = source.passages.iter().map(|passage| json!({
            "start": characters(passage.here.start), "end": characters(passage.here.end),
            "source_start": passage.there.start, "source_end": passage.there.end,
        })).collect();
        let mut line = json!({"id": serde_json::from_str::<Value>(&source.id).unwrap(), "score": rounded(source.score), "passages": passages});
        if let Some((sentences, division)) = source.sentences {
            line["sentences"] = sentences.into();
            line["division"] = rounded(division);
        }
        if let Some(scores) = &source.scores {
            line["metric"] = metric.name().into();
            for (name, value) in named_scores(scores, metric) {
                line[name] = rounded(value);
            }
        }
        line
    }).collect();
    let mut line = json!({"duplicate": answer.duplicate, "share": rounded(answer.share), "found": answer.found, "sources": sources});
    if let Some((sentences, of)) = answer.sentences {
        line["sentences"] = sentences.into();
        line["of"] = of.into();
        if answer.boilerplate > 0 {
            line["boilerplate"] = answer.boilerplate.into();
        }
    }
    line
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn checks_agree(text in texts(), other in texts(), threshold in proptest::option::of(1u32..=100), top in proptest::option::of(1usize..5), escaped in any::<bool>()) {
        for Agreeing { place, index } in services() {
            let mut options = CheckOptions::of(index.options());
            options.sources = top.map_or(Named::Telling(10), Named::Best);
            let mut body = json!({"text": text});
            if let Some(hundredths) = threshold {
                let value = f64::from(hundredths) / 100.0;
                options.threshold = doublet::threshold::Threshold::new(value).unwrap();
                body["threshold"] = value.into();
            }
            if let Some(top) = top {
                body["top"] = top.into();
            }
            let sent = if escaped { to_ascii(&body.to_string()) } else { body.to_string() };
            let answer = place.send(&Sent::new("POST", "/v1/check").json(sent)).ok(200);
            prop_assert_eq!(answer, expected(index, &text, &options));
            let mut batch = body.clone();
            batch.as_object_mut().unwrap().remove("text");
            batch["documents"] = json!([{"text": other}, {"text": text}, {"text": ""}]);
            let answers = place.post("/v1/check", batch).ok(200);
            let each: Vec<Value> = [other.as_str(), text.as_str(), ""].iter().map(|text| expected(index, text, &options)).collect();
            prop_assert_eq!(&answers["results"], &json!(each));
        }
    }

    #[test]
    fn comparisons_agree(a in texts(), b in texts()) {
        for Agreeing { place, index } in services() {
            let found = index.explain(&a, &b).unwrap();
            let options = index.options();
            let compared = place.post("/v1/compare", json!({"a": a, "b": b})).ok(200);
            let score = compared["score"].as_f64().unwrap();
            prop_assert!((score - found.scores.score(options.matching.metric)).abs() < 1e-12);
            prop_assert_eq!(&compared["common"], &json!(found.scores.common));
            let enough = options.matching.method.unit().is_some() && options.matching.sentences.rule.sentences.is_some_and(|least| found.scores.common >= least);
            prop_assert_eq!(&compared["duplicate"], &json!(enough || found.scores.reaches(options.matching.metric, options.matching.threshold)));
            for (text, ranges, name) in [(&a, &found.passages_a, "passages_a"), (&b, &found.passages_b, "passages_b")] {
                let count = |byte: usize| text[..byte].chars().count();
                let stretches: Vec<Value> = ranges.iter().map(|range| json!({"start": count(range.start), "end": count(range.end)})).collect();
                prop_assert_eq!(&compared[name], &json!(stretches));
            }
        }
    }

    #[test]
    fn texts_come_back_as_they_went_in(text in texts()) {
        // Not one of those above, which other tests ask meanwhile.
        static OWN: OnceLock<Place> = OnceLock::new();
        let place = OWN.get_or_init(Place::new);
        place.post("/v1/documents", json!({"id": "kept", "text": text})).json();
        let kept = place.get("/v1/documents/kept").ok(200);
        prop_assert_eq!(kept["text"].as_str(), Some(&*text));
        place.delete("/v1/documents/kept").ok(200);
    }
}

/// JSON with every letter outside ASCII escaped.
fn to_ascii(json: &str) -> String {
    let mut ascii = String::new();
    for unit in json.encode_utf16() {
        match u8::try_from(unit).ok().filter(u8::is_ascii) {
            Some(byte) => ascii.push(byte.into()),
            None => ascii.push_str(&format!("\\u{unit:04x}")),
        }
    }
    ascii
}
