//! Stage 1, read: one line of JSON to a record.
//!
//! In: the bytes of a line and the fields that are wanted. Out: a [`Record`] that borrows from the line wherever the text
//! has no escapes. The idea: one pass of serde_json with a seed that picks the wanted fields, walks down dotted paths,
//! and skips everything else without building it. Only when something is wrong is the line looked at a second time, to
//! say what there is instead.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Record;
use super::decode::Fields;
use super::encoding::utf8;
use crate::document::Key;

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
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("the fields are {}{more}", shown.join(", "))
}

/// What is still looked for below an object: the rest of each path.
#[derive(Clone, Copy, Default)]
struct Wanted<'p> {
    text: Option<&'p str>,
    id: Option<&'p str>,
    rank: Option<&'p str>,
}

impl<'p> Wanted<'p> {
    /// What `key` fulfils, and what may be found below it.
    fn split(&self, key: &str) -> (Hits, Wanted<'p>) {
        let hit = |path: Option<&str>| path == Some(key);
        let below = |path: Option<&'p str>| path?.strip_prefix(key)?.strip_prefix('.');
        let hits = Hits {
            text: hit(self.text),
            id: hit(self.id),
            rank: hit(self.rank),
        };
        let deeper = Wanted {
            text: below(self.text),
            id: below(self.id),
            rank: below(self.rank),
        };
        (hits, deeper)
    }

    fn is_empty(&self) -> bool {
        self.text.is_none() && self.id.is_none() && self.rank.is_none()
    }
}

/// Which of the wanted values a key holds; one field may serve as several.
struct Hits {
    text: bool,
    id: bool,
    rank: bool,
}

#[derive(Default)]
struct Found<'de> {
    text: Option<Value<'de>>,
    id: Option<&'de RawValue>,
    rank: Option<&'de RawValue>,
    /// What the line holds when it is no object.
    not_object: Option<&'static str>,
}

/// A JSON object in which wanted fields may stand. The visitor runs over anything else and notes what it was.
struct Object<'p, 'f, 'de> {
    wanted: Wanted<'p>,
    found: &'f mut Found<'de>,
    /// Whether this is the whole line. Below it, a path that ends too early is a missing field like any other.
    top: bool,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Object<'_, '_, 'de> {
    /// Takes the value of `key`, which stands next in `map`.
    fn take<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        let (hits, deeper) = self.wanted.split(key);
        match (hits.text, hits.id || hits.rank, deeper.is_empty()) {
            (false, false, true) => map.next_value::<IgnoredAny>().map(|_| ()),
            (true, false, true) => {
                self.found.text = Some(map.next_value_seed(Text)?);
                Ok(())
            }
            (false, false, false) => map.next_value_seed(Object {
                wanted: deeper,
                found: self.found,
                top: false,
            }),
            _ => {
                let raw: &'de RawValue = map.next_value()?;
                self.take_raw(raw, &hits, deeper)
                    .map_err(serde::de::Error::custom)
            }
        }
    }

    /// Takes a value that serves as several things, or is wanted as it stands.
    fn take_raw(
        &mut self,
        raw: &'de RawValue,
        hits: &Hits,
        deeper: Wanted<'_>,
    ) -> serde_json::Result<()> {
        if hits.id {
            self.found.id = Some(raw);
        }
        if hits.rank {
            self.found.rank = Some(raw);
        }
        if hits.text {
            self.found.text =
                Some(Text.deserialize(&mut serde_json::Deserializer::from_str(raw.get()))?);
        }
        if !deeper.is_empty() {
            let below = Object {
                wanted: deeper,
                found: self.found,
                top: false,
            };
            below.deserialize(&mut serde_json::Deserializer::from_str(raw.get()))?;
        }
        Ok(())
    }

    fn not_object<E>(self, kind: &'static str) -> Result<(), E> {
        if self.top {
            self.found.not_object = Some(kind);
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name)? {
            self.take(&name, &mut map)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        self.not_object("an array")
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.not_object("a string")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.not_object("null")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.not_object("a boolean")
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.not_object("a number")
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.not_object("a number")
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.not_object("a number")
    }
}

/// A key of an object, borrowed where it has no escapes.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

/// The value of the text field.
enum Value<'de> {
    Text(Cow<'de, str>),
    /// Something else: what.
    Other(&'static str),
}

struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Value<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Other("null"))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Value::Other("a boolean"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Value::Other("a number"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Other("an object"))
    }
}

/// The field names of an object, in order.
#[derive(Default)]
struct Names(Vec<String>);

impl<'de> serde::Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
        let mut names = Vec::new();
        while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            names.push(name);
        }
        Ok(Names(names))
    }
}
