//! Where a request comes from, as browsers tell it: by which name the service was called, and from which page.
//!
//! A page on another site can make a browser send requests here. Where there are no tokens, the name in `Host` keeps out pages whose own name was
//! made to lead here. `Origin` keeps out all other pages but those that are let in.

use std::net::{IpAddr, SocketAddr};

use hyper::Version;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, HOST, HeaderMap, HeaderValue, ORIGIN,
    VARY,
};
use hyper::http::request::Parts;

use crate::problem::{self, Problem};

/// The end of names that always mean this machine; without the dot, such a name.
const LOCAL: &str = ".localhost";

/// What is let in.
#[derive(Debug)]
pub(crate) struct Origins {
    listen: SocketAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Origins {
    /// For a service that listens here; gives the origin that is none.
    pub(crate) fn new(
        listen: SocketAddr,
        hosts: &[String],
        origins: &[String],
    ) -> Result<Self, String> {
        for origin in origins {
            let rest = origin
                .strip_prefix("http://")
                .or(origin.strip_prefix("https://"));
            let plain = |rest: &str| !rest.is_empty() && !rest.contains(['/', '*', ' ']);
            if !rest.is_some_and(plain) || HeaderValue::from_str(origin).is_err() {
                return Err(format!(
                    "`--allow-origin {origin}`: give scheme, name and port, such as https://desk.example or http://localhost:5173"
                ));
            }
        }
        let lower = |names: &[String]| names.iter().map(|name| name.to_ascii_lowercase()).collect();
        Ok(Self {
            listen,
            hosts: lower(hosts),
            origins: lower(origins),
        })
    }

    /// Checks where a request comes from; gives the origin of another page that may ask.
    pub(crate) fn check(&self, head: &Parts, open: bool) -> Result<Option<HeaderValue>, Problem> {
        let host = host(head)?;
        if open && !host.is_empty() && !self.is_own(host) {
            let detail = "without tokens the service answers only to its address and to `localhost`: call it by one of these, or start it with `--allow-host` or `--token-file`";
            return Err(Problem::new(problem::FOREIGN_HOST, detail));
        }
        let Some(origin) = head.headers.get(ORIGIN) else {
            return Ok(None);
        };
        let given = origin.to_str().unwrap_or_default().to_ascii_lowercase();
        let authority = given
            .split_once("://")
            .map_or("", |(_, authority)| authority);
        if !authority.is_empty() && same_authority(authority, host) {
            return Ok(None);
        }
        if self.origins.contains(&given) {
            return Ok(Some(origin.clone()));
        }
        let detail = "pages of other sites may not ask: start the service with `--allow-origin` to let one in";
        Err(Problem::new(problem::FOREIGN_ORIGIN, detail))
    }

    /// Whether the service itself is called so.
    fn is_own(&self, authority: &str) -> bool {
        let name = name_of(authority);
        let name = name.strip_suffix('.').unwrap_or(name);
        let local = name.len().checked_sub(LOCAL.len());
        let local = local
            .and_then(|at| name.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(LOCAL));
        let given = |host: &String| host.eq_ignore_ascii_case(name);
        if local || name.eq_ignore_ascii_case(&LOCAL[1..]) || self.hosts.iter().any(given) {
            return true;
        }
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let Ok(address) = bare.unwrap_or(name).parse::<IpAddr>() else {
            return false;
        };
        // An address cannot be made to lead elsewhere; only names can.
        let own = self.listen.ip();
        address.is_loopback() || own.is_unspecified() || address == own
    }
}

/// The name by which the service was called, with the port.
fn host(head: &Parts) -> Result<&str, Problem> {
    let mut given = head.headers.get_all(HOST).iter();
    let bad = || {
        let detail = "a request has one `Host`, with the name of the service";
        Problem::new(problem::BAD_REQUEST, detail)
    };
    let first = given.next();
    if given.next().is_some() || (first.is_none() && head.version == Version::HTTP_11) {
        return Err(bad());
    }
    if let Some(authority) = head.uri.authority() {
        return Ok(authority.as_str());
    }
    match first {
        Some(value) => value.to_str().map_err(|_| bad()),
        None => Ok(""),
    }
}

/// A name without its port.
fn name_of(authority: &str) -> &str {
    match (authority.starts_with('['), authority.find(']')) {
        (true, Some(end)) => &authority[..=end],
        _ => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether two are the same; a browser leaves out the port that goes with the scheme.
fn same_authority(origin: &str, host: &str) -> bool {
    let bare = |text: &str| {
        let text = text.to_ascii_lowercase();
        let bare = text.strip_suffix(":80").or(text.strip_suffix(":443"));
        bare.map_or(text.clone(), str::to_owned)
    };
    bare(origin) == bare(host)
}

/// Lets a page of another origin read an answer.
pub(crate) fn allow(headers: &mut HeaderMap, origin: &HeaderValue, methods: Option<&'static str>) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    let names = HeaderValue::from_static("X-Request-Id, Retry-After, Location");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, names);
    if let Some(methods) = methods {
        headers.insert(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(methods),
        );
        let names = "Authorization, Content-Type, Content-Encoding, X-Request-Id";
        headers.insert(
            ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(names),
        );
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn check(
        listen: &str,
        host: &str,
        origin: Option<&str>,
        open: bool,
    ) -> Result<bool, &'static str> {
        let allowed = ["https://desk.example".to_owned()];
        let origins = Origins::new(listen.parse().unwrap(), &["box".to_owned()], &allowed).unwrap();
        let mut request = Request::builder().uri("/").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let head = request.body(()).unwrap().into_parts().0;
        let checked = origins.check(&head, open);
        checked
            .map(|found| found.is_some())
            .map_err(|problem| problem.kind().name)
    }

    #[test]
    fn without_tokens_only_own_names_are_taken() {
        let at_home = "127.0.0.1:8080";
        for own in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:80",
            "box:8080",
            "a.localhost",
        ] {
            assert_eq!(check(at_home, own, None, true), Ok(false), "{own}");
        }
        for foreign in [
            "evil.example",
            "10.0.0.1",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "[::2]",
            "box.example",
        ] {
            assert_eq!(
                check(at_home, foreign, None, true),
                Err("foreign-host"),
                "{foreign}"
            );
            assert_eq!(check(at_home, foreign, None, false), Ok(false), "{foreign}");
        }
        assert_eq!(check("0.0.0.0:80", "10.0.0.1", None, true), Ok(false));
        assert_eq!(
            check("0.0.0.0:80", "evil.example", None, true),
            Err("foreign-host")
        );
    }

    #[test]
    fn other_pages_may_not_ask_unless_they_are_let_in() {
        let at_home = "127.0.0.1:8080";
        let ask = |host, origin| check(at_home, host, Some(origin), false);
        assert_eq!(ask("localhost:8080", "http://localhost:8080"), Ok(false));
        assert_eq!(ask("news.example", "https://news.example:443"), Ok(false));
        assert_eq!(ask("localhost:8080", "https://desk.example"), Ok(true));
        for foreign in [
            "null",
            "",
            "http://localhost:9999",
            "https://desk.example.evil",
            "http://desk.example",
            "file://",
        ] {
            assert_eq!(
                ask("localhost:8080", foreign),
                Err("foreign-origin"),
                "{foreign}"
            );
        }
        assert!(Origins::new(at_home.parse().unwrap(), &[], &["*".to_owned()]).is_err());
        assert!(Origins::new(at_home.parse().unwrap(), &[], &["https://a/b".to_owned()]).is_err());
    }
}
