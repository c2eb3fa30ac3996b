//! The web page: files that are part of the program.

use std::hash::{DefaultHasher, Hasher};
use std::sync::OnceLock;

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, LOCATION};

use crate::answer::{Reply, reply};
use crate::problem::{self, KINDS, Problem};
use crate::route::PROBLEMS;
use crate::service::Call;

/// A file of `src/page/` that pages load.
macro_rules! asset {
    ($name:literal, $kind:expr) => {
        (
            concat!("/assets/", $name),
            $kind,
            include_bytes!(concat!("../page/", $name)),
        )
    };
}

/// Address, type and bytes of each file. To add one, put it into `src/page/` and add a line here; addresses other than those of
/// pages begin with `/assets/`. Scripts and styles are files of their own: the policy allows none within a page.
const FILES: &[(&str, &str, &[u8])] = &[
    ("/", HTML, include_bytes!("../page/index.html")),
    ("/reference", HTML, include_bytes!("../page/reference.html")),
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
    asset!("api.js", SCRIPT),
    asset!("app.js", SCRIPT),
    asset!("changes.js", SCRIPT),
    asset!("charts.js", SCRIPT),
    asset!("check.js", SCRIPT),
    asset!("cluster.js", SCRIPT),
    asset!("clusters.js", SCRIPT),
    asset!("compare.js", SCRIPT),
    asset!("dialog.js", SCRIPT),
    asset!("difference.js", SCRIPT),
    asset!("document.js", SCRIPT),
    asset!("documents.js", SCRIPT),
    asset!("dom.js", SCRIPT),
    asset!("files.js", SCRIPT),
    asset!("format.js", SCRIPT),
    asset!("kinds.js", SCRIPT),
    asset!("link.js", SCRIPT),
    asset!("marked.js", SCRIPT),
    asset!("meanings.js", SCRIPT),
    asset!("paint.js", SCRIPT),
    asset!("problems.js", SCRIPT),
    asset!("reference.js", SCRIPT),
    asset!("schema.js", SCRIPT),
    asset!("session.js", SCRIPT),
    asset!("sides.js", SCRIPT),
    asset!("sign-in.js", SCRIPT),
    asset!("statistics.js", SCRIPT),
    asset!("switch.js", SCRIPT),
    asset!("task.js", SCRIPT),
    asset!("text.js", SCRIPT),
    asset!("theme.js", SCRIPT),
    asset!("words.js", SCRIPT),
];

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

pub(super) fn file(call: &Call<'_>) -> Result<Reply, Problem> {
    if let Some(name) = call.rest.strip_prefix(PROBLEMS) {
        return meaning(name);
    }
    let found = FILES.iter().position(|(path, ..)| *path == call.rest);
    let Some(number) = found else {
        return Err(Problem::new(problem::NOT_FOUND, "there is no such file"));
    };
    let (_, kind, bytes) = FILES[number];
    let tag = &tags()[number];
    let known = call.head.headers.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok());
    let same = known
        .flat_map(|value| value.split(','))
        .any(|known| known.trim().trim_start_matches("W/") == tag);
    let mut reply = match same {
        true => reply(StatusCode::NOT_MODIFIED, kind, ""),
        false => reply(StatusCode::OK, kind, bytes),
    };
    let headers = reply.headers_mut();
    if same {
        headers.remove(CONTENT_TYPE);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    Ok(reply)
}

/// Leads from the type of a problem to what the reference says about it.
fn meaning(name: &str) -> Result<Reply, Problem> {
    let Some(kind) = KINDS.iter().find(|kind| kind.name == name) else {
        return Err(Problem::new(problem::NOT_FOUND, "there is no such problem"));
    };
    let mut reply = reply(StatusCode::SEE_OTHER, "text/plain", "");
    let place = HeaderValue::from_str(&format!("/reference#problem-{}", kind.name));
    let place = place.map_err(Problem::failed)?;
    reply.headers_mut().insert(LOCATION, place);
    Ok(reply)
}

/// What tells each file from one of another version.
fn tags() -> &'static [String] {
    static TAGS: OnceLock<Vec<String>> = OnceLock::new();
    TAGS.get_or_init(|| {
        let tag = |bytes: &[u8]| {
            let mut hasher = DefaultHasher::new();
            hasher.write(bytes);
            format!("\"{:016x}\"", hasher.finish())
        };
        FILES.iter().map(|(_, _, bytes)| tag(bytes)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/page");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = match name.as_str() {
                "index.html" => "/".to_owned(),
                "reference.html" => "/reference".to_owned(),
                other => format!("/assets/{other}"),
            };
            assert!(FILES.iter().any(|(known, ..)| *known == path), "{path}");
        }
    }
}
