//! Stage 1, read: the wanted fields of a JSON object, in one pass.
//!
//! Seeds and visitors for serde_json. An object is walked key by key: a wanted value is taken (text decoded, id and rank as
//! they stand), a key on the way of a dotted path is walked into, anything else is skipped without being built.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What is still looked for below an object: the rest of each path.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted<'p> {
    pub(super) text: Option<&'p str>,
    pub(super) id: Option<&'p str>,
    pub(super) rank: Option<&'p str>,
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
pub(super) struct Found<'de> {
    pub(super) text: Option<Value<'de>>,
    pub(super) id: Option<&'de RawValue>,
    pub(super) rank: Option<&'de RawValue>,
    /// What the line holds when it is no object.
    pub(super) not_object: Option<&'static str>,
}

/// A JSON object in which wanted fields may stand. The visitor runs over anything else and notes what it was.
pub(super) struct Object<'p, 'f, 'de> {
    pub(super) wanted: Wanted<'p>,
    pub(super) found: &'f mut Found<'de>,
    /// Whether this is the whole line. Below it, a path that ends too early is a missing field like any other.
    pub(super) top: bool,
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
pub(super) enum Value<'de> {
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
pub(super) struct Names(pub(super) Vec<String>);

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
