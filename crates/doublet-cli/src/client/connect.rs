//! How a service is reached: its address, the token, and whom to trust.

use std::fmt::Write;
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

/// The variable of the environment that holds a token.
const VARIABLE: &str = "DOUBLET_TOKEN";
/// How long making a connection may take, and waiting for an answer to a request that was sent.
const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(300);

/// The address of a service, without a slash at its end.
pub(super) fn address(given: &str) -> Result<String> {
    let base = given.trim_end_matches('/');
    let uri: Option<Uri> = base.parse().ok();
    let scheme = uri.as_ref().and_then(Uri::scheme_str);
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    ensure!(
        matches!(scheme, Some("http" | "https")) && !host.is_empty(),
        "`--server {given}` is no address of a service: give one such as http://127.0.0.1:8080"
    );
    ensure!(
        !base.contains(['@', '?', '#']),
        "`--server` takes an address without a user, `?` and `#`; a token is given by `--token-file`"
    );
    Ok(base.to_owned())
}

/// Whether nobody can listen on the way to an address: it is encrypted, or on this machine.
pub(super) fn is_private(base: &str) -> bool {
    base.starts_with("https:") || is_loopback(base)
}

fn is_loopback(base: &str) -> bool {
    let uri: Option<Uri> = base.parse().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The token of a file, or else of the environment.
pub(super) fn token(file: Option<&Path>) -> Result<Option<String>> {
    let (text, place) = match file {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text =
                text.with_context(|| format!("cannot read a token from `{}`", path.display()))?;
            (text, format!("`{}`", path.display()))
        }
        None => match std::env::var(VARIABLE) {
            Ok(text) if !text.trim().is_empty() => (text, format!("`{VARIABLE}`")),
            _ => return Ok(None),
        },
    };
    let token = text.trim();
    ensure!(!token.is_empty(), "{place} holds no token");
    ensure!(
        token.bytes().all(|byte| byte.is_ascii_graphic()),
        "{place} must hold one token and nothing else: no space, no line before or after it, no letters beyond ASCII"
    );
    Ok(Some(token.to_owned()))
}

/// What makes the connections, and keeps one a thread.
pub(super) fn agent(base: &str, authority: Option<&Path>, threads: usize) -> Result<ureq::Agent> {
    let mut config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        // A redirection would take texts and the token elsewhere.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(ANSWER))
        .user_agent(format!("doublet/{}", env!("CARGO_PKG_VERSION")))
        .max_idle_connections(threads)
        .max_idle_connections_per_host(threads);
    if is_loopback(base) {
        config = config.proxy(None);
    }
    if let Some(path) = authority {
        let tls = TlsConfig::builder().root_certs(certificates(path)?).build();
        config = config.tls_config(tls);
    }
    Ok(config.build().new_agent())
}

/// The certificates of a file.
fn certificates(path: &Path) -> Result<RootCerts> {
    let text = std::fs::read(path);
    let text =
        text.with_context(|| format!("cannot read certificates from `{}`", path.display()))?;
    let mut found = Vec::new();
    for item in parse_pem(&text) {
        match item {
            Ok(PemItem::Certificate(certificate)) => found.push(certificate),
            Ok(_) => {}
            Err(error) => bail!("`--ca {}`: {error}", path.display()),
        }
    }
    ensure!(
        !found.is_empty(),
        "`--ca {}` holds no certificate: give a file in PEM, with `-----BEGIN CERTIFICATE-----`",
        path.display()
    );
    Ok(RootCerts::new_with_certs(&found))
}

/// Appends a value as a query may hold it.
pub(super) fn push_encoded(value: &str, out: &mut String) {
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _written = write!(out, "%{byte:02X}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

    use super::*;

    #[test]
    fn addresses_are_checked() {
        assert_eq!(
            address("http://localhost:8080/").unwrap(),
            "http://localhost:8080"
        );
        assert_eq!(
            address("https://a.example/texts/").unwrap(),
            "https://a.example/texts"
        );
        for wrong in [
            "localhost:8080",
            "ftp://a",
            "http://",
            "",
            "http://me:it@a",
            "http://a?b",
        ] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_stays_on_this_machine_is_private() {
        for private in [
            "http://127.0.0.1:8080",
            "http://[::1]:80",
            "http://localhost",
            "https://a.example",
        ] {
            assert!(is_private(private), "{private}");
        }
        assert!(!is_private("http://192.168.0.7:8080"));
        assert!(!is_private("http://localhost.a.example"));
    }

    #[test]
    fn ids_are_encoded() {
        let mut out = String::new();
        push_encoded("a/b ü?&=%~", &mut out);
        assert_eq!(out, "a%2Fb%20%C3%BC%3F%26%3D%25~");
    }
}
