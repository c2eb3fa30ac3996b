//! The requests of the load program, made of real records before they are needed.

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::load::Make;
use crate::sentences::tool::each_line;

/// Texts to ask about and to add.
pub(crate) struct Texts {
    /// Each as JSON.
    json: Vec<String>,
    /// Whole requests that ask about them.
    checks: Vec<Vec<u8>>,
}

impl Texts {
    /// The texts of a file of JSON lines.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut json = Vec::new();
        each_line(path, |row| {
            json.push(Value::from(row["text"].as_str()?).to_string());
            Some(())
        })?;
        ensure!(!json.is_empty(), "`{}` holds no texts", path.display());
        let check = |text: &String| {
            let mut request = Vec::new();
            push(
                "POST",
                "/v1/check",
                &format!("{{\"text\":{text}}}"),
                &mut request,
            );
            request
        };
        Ok(Self {
            checks: json.iter().map(check).collect(),
            json,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.json.len()
    }

    /// Asks about one text after the other.
    pub(crate) fn checks(&self) -> Make<'_> {
        Box::new(|number, out| {
            let check = &self.checks[number as usize % self.checks.len()];
            out.extend_from_slice(check);
        })
    }

    /// Adds a document under a new id; no two have the same text.
    pub(crate) fn adds(&self) -> Make<'_> {
        Box::new(|number, out| {
            let text = &self.json[number as usize % self.json.len()];
            let text = &text[..text.len() - 1];
            let body = format!(
                "{{\"id\":\"load-{number}\",\"text\":{text} Number {number} came by post.\"}}"
            );
            push("POST", "/v1/documents", &body, out);
        })
    }

    /// Removes what was added.
    pub(crate) fn removals(&self) -> Make<'_> {
        Box::new(|number, out| {
            push("DELETE", &format!("/v1/documents/load-{number}"), "", out);
        })
    }
}

fn push(method: &str, path: &str, body: &str, out: &mut Vec<u8>) {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(body.as_bytes());
}
