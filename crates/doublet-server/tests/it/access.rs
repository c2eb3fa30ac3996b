//! Tokens, names, origins, TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use doublet_server::{ServeOptions, Server, TlsFiles};
use serde_json::json;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::harness::{Connection, NEWS, Place, Sent, file};
use crate::wait::wait_until;

const READ: &str = "reader-0123456789";
const WRITE: &str = "writer-0123456789";
const OTHER: &str = "other--0123456789";

fn with_tokens() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let tokens = format!("# those who may\nread {READ} desk\nwrite {WRITE} crawler\n");
    let path = file(directory.path(), "tokens", &tokens);
    let options = crate::harness::index_options(doublet::method::Method::Sentences);
    let index = directory.path().join("index");
    drop(doublet::index::IndexWriter::create(&index, &options, None).unwrap());
    Place::on(directory, |options| options.token_file = Some(path))
}

fn bearer(request: Sent, token: &str) -> Sent {
    request.header("Authorization", &format!("Bearer {token}"))
}

#[test]
fn tokens_say_who_may_read_and_who_may_write() {
    let mut place = with_tokens();
    let requests = [
        (Sent::new("GET", "/v1/stats"), 200, 200),
        (Sent::new("GET", "/metrics"), 200, 200),
        (
            Sent::new("POST", "/v1/check").json(json!({"text": NEWS})),
            200,
            200,
        ),
        (
            Sent::new("POST", "/v1/check?add=true").json(json!({"id": 1, "text": NEWS})),
            403,
            200,
        ),
        (
            Sent::new("POST", "/v1/documents").json(json!({"id": 2, "text": NEWS})),
            403,
            201,
        ),
        (
            Sent::new("POST", "/v1/documents").lines(json!({"id": 3, "text": NEWS}).to_string()),
            403,
            200,
        ),
        (Sent::new("DELETE", "/v1/documents/2"), 403, 200),
        (Sent::new("GET", "/v1/documents/1"), 200, 200),
        (Sent::new("GET", "/v1/nothing"), 404, 404),
    ];
    for (request, _, write) in &requests {
        let none = place.send(request);
        none.problem(401, "unauthorized");
        assert_eq!(
            none.header("www-authenticate"),
            Some("Bearer realm=\"doublet\"")
        );
        for wrong in [OTHER, "", "reader-012345678", "reader-01234567890"] {
            place
                .send(&bearer(request.clone(), wrong))
                .problem(401, "unauthorized");
        }
        let basic = request
            .clone()
            .header("Authorization", &format!("Basic {WRITE}"));
        place.send(&basic).problem(401, "unauthorized");
        let answer = place.send(&bearer(request.clone(), WRITE));
        assert_eq!(answer.status, *write, "{}", answer.text());
    }
    for (request, read, _) in &requests {
        let answer = place.send(&bearer(request.clone(), READ));
        assert_eq!(answer.status, *read, "{}", answer.text());
    }
    for open in ["/", "/healthz", "/readyz", "/openapi.json"] {
        assert_eq!(place.get(open).status, 200, "{open}");
    }
    let rights = |token| {
        place
            .send(&bearer(Sent::new("GET", "/v1/stats"), token))
            .ok(200)["rights"]
            .clone()
    };
    assert_eq!(
        (rights(READ), rights(WRITE)),
        (json!("read"), json!("write"))
    );
    place.stop();
    let log = place.logged();
    assert!(log.contains("\"token\":\"desk\""), "{log}");
    assert!(!log.contains(READ) && !log.contains(WRITE) && !log.contains(OTHER));
}

#[test]
fn tokens_are_read_anew_and_a_bad_file_changes_nothing() {
    let place = with_tokens();
    let status = |token| {
        place
            .send(&bearer(Sent::new("GET", "/v1/stats"), token))
            .status
    };
    file(
        place.directory.path(),
        "tokens",
        &format!("write {OTHER}\n"),
    );
    assert_eq!((status(READ), status(OTHER)), (200, 401));
    place.server().reload();
    assert_eq!((status(READ), status(OTHER)), (401, 200));
    file(place.directory.path(), "tokens", "nonsense\n");
    place.server().reload();
    assert_eq!((status(READ), status(OTHER)), (401, 200));
    std::fs::remove_file(place.directory.path().join("tokens")).unwrap();
    place.server().reload();
    assert_eq!(status(OTHER), 200);
    wait_until("two complaints in the log", || {
        place.logged().matches("tokens not read").count() >= 2
    });
}

#[test]
fn other_machines_are_let_in_only_with_tokens_or_by_will() {
    let directory = tempfile::tempdir().unwrap();
    let index = directory.path().join("index");
    let options = crate::harness::index_options(doublet::method::Method::Sentences);
    drop(doublet::index::IndexWriter::create(&index, &options, None).unwrap());
    let start = |change: &dyn Fn(&mut ServeOptions)| {
        let mut options = ServeOptions {
            listen: "0.0.0.0:0".parse().unwrap(),
            ..ServeOptions::default()
        };
        options.log.format = doublet_server::LogFormat::Off;
        change(&mut options);
        Server::start(&index, options)
    };
    let refused = start(&|_| ()).unwrap_err().to_string();
    assert!(
        refused.contains("--token-file") && refused.contains("--insecure"),
        "{refused}"
    );
    start(&|options| options.insecure = true)
        .unwrap()
        .stop()
        .unwrap();
    let tokens = file(directory.path(), "tokens", &format!("read {READ}\n"));
    start(&|options| options.token_file = Some(tokens.clone()))
        .unwrap()
        .stop()
        .unwrap();
    let short = file(directory.path(), "short", "read short\n");
    let refused = start(&|options| options.token_file = Some(short.clone()))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("line 1") && refused.contains("16 characters"),
        "{refused}"
    );
    assert!(
        start(&|options| {
            options.insecure = true;
            options.allow_origins = vec!["*".to_owned()];
        })
        .is_err()
    );
}

#[test]
fn names_that_are_not_its_own_are_refused_where_there_are_no_tokens() {
    let place = Place::with(|options| options.allow_hosts = vec!["box".to_owned()]);
    let by = |host: &str| place.send(&Sent::new("GET", "/v1/stats").header("Host", host));
    for own in [
        "localhost",
        "localhost:1",
        "127.0.0.1",
        "[::1]:8080",
        "box",
        "BOX:80",
    ] {
        by(own).ok(200);
    }
    for foreign in [
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "127.0.0.1.nip.io",
        "x y",
    ] {
        by(foreign).problem(403, "foreign-host");
    }
    for request in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    ] {
        let mut connection = place.connect();
        connection.write(request.as_bytes());
        connection.answer(false).problem(400, "bad-request");
    }
    let mut connection = place.connect();
    connection.write(b"GET http://evil.example/v1/stats HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.answer(false).problem(403, "foreign-host");
    let tokens = with_tokens();
    let named = bearer(Sent::new("GET", "/v1/stats"), READ).header("Host", "news.example");
    tokens.send(&named).ok(200);
}

#[test]
fn pages_of_other_origins_are_let_in_by_name_only() {
    let place =
        Place::with(|options| options.allow_origins = vec!["https://desk.example".to_owned()]);
    let from = |origin: &str, method: &str| {
        let request = Sent::new(method, "/v1/check")
            .header("Host", "localhost:8080")
            .header("Origin", origin);
        match method {
            "POST" => place.send(&request.json(json!({"text": NEWS}))),
            _ => place.send(&request.header("Access-Control-Request-Method", "POST")),
        }
    };
    let own = from("http://localhost:8080", "POST");
    own.ok(200);
    assert_eq!(own.header("access-control-allow-origin"), None);
    for foreign in [
        "https://evil.example",
        "null",
        "http://localhost:9090",
        "http://desk.example",
        "https://desk.example.evil",
    ] {
        let refused = from(foreign, "POST");
        refused.problem(403, "foreign-origin");
        assert_eq!(refused.header("access-control-allow-origin"), None);
        from(foreign, "OPTIONS").problem(403, "foreign-origin");
    }
    let let_in = from("https://desk.example", "POST");
    let_in.ok(200);
    assert_eq!(
        let_in.header("access-control-allow-origin"),
        Some("https://desk.example")
    );
    assert_eq!(let_in.header("vary"), Some("Origin"));
    let preflight = from("https://desk.example", "OPTIONS");
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.header("access-control-allow-methods"),
        Some("POST, OPTIONS")
    );
    assert!(
        preflight
            .header("access-control-allow-headers")
            .unwrap()
            .contains("Authorization")
    );
    let refused =
        place.send(&Sent::new("GET", "/v1/none").header("Origin", "https://desk.example"));
    assert_eq!(
        (
            refused.status,
            refused.header("access-control-allow-origin")
        ),
        (404, Some("https://desk.example"))
    );
}

/// A certificate for localhost, in files.
fn certificate(directory: &std::path::Path) -> (TlsFiles, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles {
        certificate: file(directory, "cert.pem", &made.cert.pem()),
        key: file(directory, "key.pem", &made.signing_key.serialize_pem()),
    };
    (files, made.cert.der().clone())
}

fn connect(place: &Place, certificate: &CertificateDer<'static>) -> Connection<impl Read + Write> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    Connection::new(StreamOwned::new(
        client,
        TcpStream::connect(place.address()).unwrap(),
    ))
}

#[test]
fn tls_speaks_by_certificate_and_reads_it_anew() {
    let certificates = tempfile::tempdir().unwrap();
    let (files, first) = certificate(certificates.path());
    let place = Place::with(|options| options.tls = Some(files));
    assert!(place.server().url().starts_with("https://127.0.0.1:"));
    let ask = |certificate: &CertificateDer<'static>| {
        let mut connection = connect(&place, certificate);
        connection.send(&Sent::new("POST", "/v1/check").json(json!({"text": NEWS})));
        connection.try_answer(false).map(|answer| answer.status)
    };
    assert_eq!(ask(&first), Some(200));
    let (_, second) = certificate(certificates.path());
    assert_eq!(ask(&second), None);
    place.server().reload();
    assert_eq!((ask(&first), ask(&second)), (None, Some(200)));
    file(certificates.path(), "key.pem", "nonsense");
    place.server().reload();
    assert_eq!(ask(&second), Some(200));
    let mut plain = place.connect();
    plain.send(&Sent::new("GET", "/healthz"));
    assert!(plain.try_answer(false).is_none());
}

#[test]
fn a_certificate_that_does_not_fit_is_refused_at_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let index = directory.path().join("index");
    let options = crate::harness::index_options(doublet::method::Method::Sentences);
    drop(doublet::index::IndexWriter::create(&index, &options, None).unwrap());
    let (files, _) = certificate(directory.path());
    let other = tempfile::tempdir().unwrap();
    let (others, _) = certificate(other.path());
    let none = directory.path().join("none");
    for (certificate, key) in [
        (&files.certificate, &others.key),
        (&files.certificate, &none),
        (&none, &files.key),
        (&files.key, &files.key),
    ] {
        let options = ServeOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            tls: Some(TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
            }),
            ..ServeOptions::default()
        };
        assert!(Server::start(&index, options).is_err());
    }
}
