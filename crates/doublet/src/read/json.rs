//! Stage 1, read: one line of JSON to a record.
//!
//! In: the bytes of a line and the fields that are wanted. Out: a [`Record`] that borrows from the line wherever the text
//! has no escapes. The idea: one pass of serde_json with a seed that picks the wanted fields, walks down dotted paths,
//! and skips everything else without building it. Only when something is wrong is the line looked at a second time, to
//! say what there is instead.

use std::borrow::Cow;

use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::Record;
use super::decode::Fields;
use super::encoding::utf8;
use super::json_fields::{Found, Names, Object, Value, Wanted};
use crate::document::Key;
use crate::error::clip;

/// Decodes one line. The error is the reason for rejecting it.
pub(super) fn decode<'a>(raw: &'a [u8], fields: &Fields) -> Result<Record<'a>, String> {
    let line = utf8(raw)?;
    let mut found = Found::default();
    let mut parser = serde_json::Deserializer::from_str(line);
    let wanted = Wanted {
        text: Some(&fields.text),
        id: Some(&fields.id),
        rank: fields.rank.as_deref(),
    };
    let parsed = Object {
        wanted,
        found: &mut found,
        top: true,
    }
    .deserialize(&mut parser)
    .and_then(|()| parser.end());
    if let Err(error) = parsed {
        return Err(broken(&error));
    }
    if let Some(kind) = found.not_object {
        return Err(format!("expected a JSON object, found {kind}"));
    }
    let Some(Value::Text(text)) = found.text else {
        return Err(no_text(line, fields, found.text.as_ref()));
    };
    Ok(Record {
        key: key(found.id, fields)?,
        text,
        rank: found
            .rank
            .filter(|raw| raw.get() != "null")
            .map(|raw| Cow::Borrowed(raw.get())),
        origin: None,
    })
}

/// The value of the text field as it stands in the line, quotes and escapes included, and where it begins.
pub(super) fn raw_text<'a>(raw: &'a [u8], fields: &Fields) -> Option<(usize, &'a str)> {
    let line = utf8(raw).ok()?;
    let mut found = Found::default();
    // Looked for as an id is, which is taken as it stands.
    let wanted = Wanted {
        id: Some(&fields.text),
        ..Wanted::default()
    };
    let object = Object {
        wanted,
        found: &mut found,
        top: true,
    };
    let mut parser = serde_json::Deserializer::from_str(line);
    object.deserialize(&mut parser).ok()?;
    let value = found.id?.get();
    let start = (value.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    Some((start, value))
}

fn key<'a>(id: Option<&'a RawValue>, fields: &Fields) -> Result<Option<Key<'a>>, String> {
    let Some(json) = id.map(RawValue::get).filter(|json| *json != "null") else {
        return Ok(None);
    };
    let kind = match json.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        _ => return Ok((!fields.renumber).then(|| Key::from_json(json))),
    };
    Err(format!(
        "id field `{}` holds {kind}: expected a string, a number or a boolean",
        fields.id
    ))
}

fn broken(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(reason, _)| reason);
    format!("broken JSON at column {}: {reason}", error.column())
}

/// Says what stands in the place of the text.
fn no_text(line: &str, fields: &Fields, found: Option<&Value<'_>>) -> String {
    if let Some(Value::Other(kind)) = found {
        return format!("text field `{}` holds {kind}, not a string", fields.text);
    }
    let names: Names = serde_json::from_str(line).unwrap_or_default();
    format!("no text field `{}`: {}", fields.text, listing(&names.0))
}

/// `the fields are a, b, c …`, at most eight of them.
pub(super) fn listing(names: &[String]) -> String {
    const MOST: usize = 8;
    if names.is_empty() {
        return "there is no field at all".to_owned();
    }
    let shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{}`", clip(name)))
        .collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("the fields are {}{more}", shown.join(", "))
}
