//! `doublet serve` asked by `doublet` itself: the same bytes as from the index, and the same changes.

use std::path::Path;

use crate::harness::{Place, sample};
use crate::serving::Serving;

fn name(file: &str) -> String {
    sample(file).display().to_string()
}

/// An index of the articles.
fn news(options: &str) -> Place {
    let place = Place::new();
    place.run(&format!("index create index {options}")).ok();
    let articles = name("articles.jsonl");
    place.run(&format!("index add index {articles} -q")).ok();
    place
}

/// The posts in other formats, among them markup with entities and several records a file.
fn write_formats(place: &Place) {
    let text = std::fs::read_to_string(sample("posts.jsonl")).unwrap();
    let mut csv = "id,text\n".to_owned();
    for line in text.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let (id, text) = (&record["id"], record["text"].as_str().unwrap());
        let id = id.as_str().unwrap();
        csv += &format!("{id},\"{}\"\n", text.replace('"', "\"\""));
        place.write(&format!("texts/{id}.txt"), text);
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        let marked = escaped
            .replace(". ", ".</p>\n<p class=\"é\">&nbsp;<b>")
            .replace("the", "t<i>h</i>e");
        place.write(
            &format!("pages/{id}.html"),
            format!("<html><title>é</title><body><p>{marked}"),
        );
        place.write(
            &format!("marked/{id}.xml"),
            format!("<text>{escaped}</text>"),
        );
    }
    place.write("posts.csv", csv);
    place.write(
        "bad.jsonl",
        format!("{text}not JSON\n{{\"id\": 1}}\n{{\"id\": 1.50, \"text\": \"a\"}}\n"),
    );
}

#[test]
fn a_service_answers_with_the_bytes_of_its_index() {
    for method in ["sentences", "shingles", "minhash", "terms", "imatch"] {
        let place = news(&format!("--method {method}"));
        write_formats(&place);
        let posts = name("posts.jsonl");
        let inputs = [
            posts.as_str(),
            "posts.csv",
            "texts",
            "pages",
            "marked",
            "bad.jsonl",
        ];
        let mut asked: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
        asked.push(inputs.join(" "));
        asked.push(format!("{posts} --top 1 --threshold 0.05"));
        asked.push(format!("{posts} --top all --renumber"));
        if method == "sentences" {
            asked.push(format!("{posts} --min-sentences 1"));
            asked.push(format!("{posts} --min-sentences off --min-share 1"));
        }
        let local: Vec<_> = asked
            .iter()
            .map(|asked| place.run(&format!("check {asked} --index index -q --threads 3")))
            .collect();
        let serving = Serving::start(&place, "");
        for (asked, local) in asked.iter().zip(local) {
            let url = serving.url();
            let served = place.run(&format!("check {asked} --server {url} -q --threads 3"));
            assert_eq!(served.stdout, local.stdout, "{method}: {asked}");
            assert_eq!(served.stderr, local.stderr, "{method}: {asked}");
            assert_eq!(served.status, local.status, "{method}: {asked}");
        }
        assert!(serving.stop());
    }
}

#[test]
fn what_a_client_adds_and_removes_is_as_in_an_index() {
    // Both know by the same first texts which words are common.
    let place = news("");
    place.run("index snapshot index local -q").ok();
    let (articles, posts) = (name("articles.jsonl"), name("posts.jsonl"));
    let local = place
        .run(&format!("index add local {posts} {articles}"))
        .ok();
    let serving = Serving::start(&place, "");
    let server = format!("--server {}", serving.url());
    let told = |stderr: &str| {
        stderr
            .lines()
            .find(|line| line.contains("added"))
            .map(str::to_owned)
    };
    let served = place
        .run(&format!("index add {server} {posts} {articles}"))
        .ok();
    assert_eq!(told(&served.stderr), told(&local.stderr));
    let again = place.run(&format!("index add {server} {articles}")).ok();
    let expected = "6 texts added (6 replaced); the index holds 14";
    assert!(again.stderr.contains(expected), "{}", again.stderr);
    for (local, served) in [
        (
            format!("check {posts} --index local -q"),
            format!("check {posts} {server} -q"),
        ),
        (
            "index remove local mill-1 nobody".to_owned(),
            format!("index remove {server} mill-1 nobody"),
        ),
        (
            format!("check {posts} --index local -q"),
            format!("check {posts} {server} -q"),
        ),
    ] {
        let (local, served) = (place.run(&local), place.run(&served));
        assert_eq!(local.stdout, served.stdout);
        assert_eq!(local.stderr, served.stderr);
        assert_eq!(local.status, served.status);
    }
    // A record without an id has its place for one.
    place.write(
        "lines.txt",
        "One line of words here.\nAnother line of words there.\n",
    );
    place
        .run(&format!("index add {server} lines.txt --format lines -q"))
        .ok();
    assert_eq!(
        place
            .run(&format!("index remove {server} lines.txt:2 -q"))
            .status,
        0
    );
    let bad = "{\"id\": true, \"text\": \"x\"}\n{\"id\": 7, \"text\": \"y\"}\n";
    place.write("bad.jsonl", bad);
    let ran = place.run(&format!("index add {server} bad.jsonl")).ok();
    assert!(ran.stderr.contains("1 text added"), "{}", ran.stderr);
    assert!(ran.stderr.contains("bad.jsonl:1: "), "{}", ran.stderr);
    assert_eq!(place.run(&format!("index remove {server} 7 -q")).status, 0);
    // A copy is made while the service goes on.
    place.run("index snapshot index copy -q").ok();
    let copied = place.run(&format!("check {posts} --index copy -q"));
    assert_eq!(
        copied.stdout,
        place.run(&format!("check {posts} {server} -q")).stdout
    );
    assert_eq!(place.run("index remove index mill-1").status, 2);
    assert!(serving.stop());
    place.run("index verify index -q").ok();
    place.run("index verify copy -q").ok();
}

#[test]
fn tokens_decide_what_a_client_may_do() {
    let place = news("");
    place
        .write(
            "tokens",
            "read a-token-to-read-with desk\nwrite a-token-to-write-with\n",
        )
        .write("read", "a-token-to-read-with\n")
        .write("write", "a-token-to-write-with")
        .write("wrong", "a-token-of-somebody-else")
        .write(
            "a.jsonl",
            "{\"id\": 1, \"text\": \"Some words that nobody wrote before.\"}\n",
        );
    let serving = Serving::start(&place, "--token-file tokens");
    let url = serving.url();
    let run = |command: &str, token: &str| place.run(&format!("{command} --server {url} {token}"));
    place.run(&format!("check --ping --server {url}")).ok();
    let ran = run("check a.jsonl", "");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("give a token by `--token-file FILE`"),
        "{}",
        ran.stderr
    );
    let ran = run("check a.jsonl", "--token-file wrong");
    assert!(
        ran.stderr.contains("is not one of the service's"),
        "{}",
        ran.stderr
    );
    assert_eq!(run("check a.jsonl", "--token-file read").status, 1);
    let ran = run("index add a.jsonl", "--token-file read");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("403"), "{}", ran.stderr);
    assert_eq!(run("index remove mill-1", "--token-file read").status, 2);
    run("index add a.jsonl", "--token-file write").ok();
    run("check a.jsonl", "--token-file read").ok();
    assert!(!ran.stderr.contains("a-token-to"), "{}", ran.stderr);
}

/// A certificate for this machine, signed by nobody else.
fn write_certificate(place: &Path) {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    std::fs::write(place.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(place.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named() {
    let place = news("");
    write_certificate(place.path());
    let posts = name("posts.jsonl");
    let local = place.run(&format!("check {posts} --index index -q"));
    let serving = Serving::start(&place, "--tls-cert cert.pem --tls-key key.pem");
    let url = serving.url().replace("http:", "https:");
    let ran = place
        .run(&format!("check {posts} --server {url} --ca cert.pem -q"))
        .ok();
    assert_eq!(ran.stdout, local.stdout);
    let ran = place.run(&format!("check {posts} --server {url} -q"));
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("--ca FILE"), "{}", ran.stderr);
    let ran = place.run(&format!("check {posts} --server {} -q", serving.url()));
    assert_eq!(ran.status, 2);
}
