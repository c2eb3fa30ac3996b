//! What requests say: their types, read from JSON without copying where that can be, and refused in words that name the field.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use doublet::index::Named;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::problem::{self, Problem};

/// The most sources that are named of one text, also where all are asked for.
pub(crate) const MOST_SOURCES: usize = 10_000;
/// The most characters of an id.
pub(crate) const MOST_ID: usize = 1024;

/// Reads an object of JSON.
pub(crate) fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let detail = format!(
            "the byte at {} is not UTF-8: send JSON as UTF-8",
            error.valid_up_to()
        );
        Problem::new(problem::BAD_JSON, detail)
    })?;
    match serde_json::from_str::<Object<T>>(text) {
        Ok(Object(value)) => Ok(value),
        Err(error) => Err(explain::<T>(text, &error)),
    }
}

/// What is wrong with a body that could not be read. Reads it once more to know where.
fn explain<'a, T: Deserialize<'a>>(text: &'a str, error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    if !error.is_data() {
        return Problem::new(
            problem::BAD_JSON,
            format!("{}: send one object of JSON", cut(error.to_string())),
        )
        .with("line", line)
        .with("column", column);
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let tracked: Result<Object<T>, _> = serde_path_to_error::deserialize(&mut reader);
    let path = match tracked {
        Err(error) => error.path().to_string(),
        Ok(_) => ".".to_owned(),
    };
    let path = if path == "." {
        "body".to_owned()
    } else {
        cut(path)
    };
    Problem::field(&path, format!("`{path}`: {}", cut(error.to_string())))
        .with("line", line)
        .with("column", column)
}

/// Words that may quote what was sent: nothing that is sent comes back at length.
fn cut(words: String) -> String {
    match words.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// An object; a list of its values, which would do by default, does not.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        let fields = Fields(PhantomData);
        deserializer.deserialize_map(fields).map(Self)
    }
}

/// A field that may be left out, but not be `null`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let list = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(Some(list.into_iter().map(|Object(value)| value).collect()))
}

/// The body of `POST /v1/check`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) text: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<Id<'a>>,
    #[serde(borrow, default, deserialize_with = "objects")]
    pub(crate) documents: Option<Vec<Document<'a>>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) threshold: Option<f64>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) top: Option<Top>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) min_sentences: Option<Least>,
}

/// The body of `POST /v1/documents`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentsRequest<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) text: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<Id<'a>>,
    #[serde(borrow, default, deserialize_with = "objects")]
    pub(crate) documents: Option<Vec<Document<'a>>>,
}

/// A document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<Id<'a>>,
    #[serde(borrow)]
    pub(crate) text: Text<'a>,
}

/// A line of a stream: a record as collections have it, of which other fields are passed over.
#[derive(Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<Id<'a>>,
    #[serde(borrow)]
    pub(crate) text: Text<'a>,
}

/// The body of `POST /v1/compare`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareRequest<'a> {
    #[serde(borrow)]
    pub(crate) a: Text<'a>,
    #[serde(borrow)]
    pub(crate) b: Text<'a>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) threshold: Option<f64>,
}

/// A text, borrowed from the body where it has no escapes.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// An id: a string or a number, as JSON. Strings are written in one way, whichever way they came.
#[derive(Clone, Debug)]
pub(crate) struct Id<'a>(Cow<'a, str>);

impl Id<'_> {
    pub(crate) fn as_json(&self) -> &str {
        &self.0
    }

    /// The id of a string.
    pub(crate) fn of_string(string: &str) -> Id<'static> {
        Id(Cow::Owned(serde_json::Value::from(string).to_string()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?.get();
        let too_long = || D::Error::custom(format!("an id may have at most {MOST_ID} characters"));
        match raw.as_bytes().first() {
            Some(b'"') if !raw.contains('\\') => {
                let characters = raw.chars().count() - 2;
                let id = (characters <= MOST_ID).then_some(Id(Cow::Borrowed(raw)));
                id.ok_or_else(too_long)
            }
            Some(b'"') => {
                let string: String = serde_json::from_str(raw).map_err(D::Error::custom)?;
                let short = string.chars().count() <= MOST_ID;
                short.then(|| Self::of_string(&string)).ok_or_else(too_long)
            }
            Some(b'-' | b'0'..=b'9') if raw.len() <= MOST_ID => Ok(Id(Cow::Borrowed(raw))),
            Some(b'-' | b'0'..=b'9') => Err(too_long()),
            _ => Err(D::Error::custom("an id is a string or a number")),
        }
    }
}

/// How many sources are named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Top(pub(crate) Named);

impl<'de> Deserialize<'de> for Top {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = "a number from 1 to 10000, or \"all\"";
        let most = NumberOr::read(deserializer, "all", words)?;
        match most {
            None => Ok(Self(Named::Best(MOST_SOURCES))),
            Some(most @ 1..=10_000) => Ok(Self(Named::Best(most as usize))),
            Some(_) => Err(D::Error::custom(format!("expected {words}"))),
        }
    }
}

/// How many copied sentences make a copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least(pub(crate) Option<u32>);

impl<'de> Deserialize<'de> for Least {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = "a number from 1 to 4294967295, or \"off\"";
        match NumberOr::read(deserializer, "off", words)? {
            None => Ok(Self(None)),
            Some(least) => match u32::try_from(least) {
                Ok(least) if least > 0 => Ok(Self(Some(least))),
                _ => Err(D::Error::custom(format!("expected {words}"))),
            },
        }
    }
}

/// Reads a number, or a word that stands for none.
struct NumberOr {
    word: &'static str,
    expected: &'static str,
}

impl NumberOr {
    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        word: &'static str,
        expected: &'static str,
    ) -> Result<Option<u64>, D::Error> {
        deserializer.deserialize_any(Self { word, expected })
    }
}

impl Visitor<'_> for NumberOr {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Option<u64>, E> {
        Ok(Some(number))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Option<u64>, E> {
        match word == self.word {
            true => Ok(None),
            false => Err(E::custom(format!("expected {}", self.expected))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(json: &str) -> Option<String> {
        let body = format!("{{\"id\": {json}, \"text\": \"\"}}");
        let document = read::<Document<'_>>(body.as_bytes());
        document.ok()?.id.map(|id| id.as_json().to_owned())
    }

    #[test]
    fn ids_are_strings_or_numbers_and_written_in_one_way() {
        assert_eq!(id("\"a-1\"").as_deref(), Some("\"a-1\""));
        assert_eq!(id(r#""a\u002d1\/é""#).as_deref(), Some("\"a-1/é\""));
        assert_eq!(id(r#""\u0000""#).as_deref(), Some(r#""\u0000""#));
        assert_eq!(id("1.50").as_deref(), Some("1.50"));
        for bad in ["true", "null", "[1]", "{}", "\"\\ud800\""] {
            assert_eq!(id(bad), None, "{bad}");
        }
        assert!(id(&format!("\"{}\"", "é".repeat(1024))).is_some());
        assert!(id(&format!("\"{}\"", "é".repeat(1025))).is_none());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (body, kind, words) in [
            (
                "{\"text\": 5}",
                "wrong-fields",
                "`text`: invalid type: integer `5`",
            ),
            ("{\"txet\": \"\"}", "wrong-fields", "unknown field `txet`"),
            (
                "{\"documents\": [{\"text\": \"\"}, {\"text\": []}]}",
                "wrong-fields",
                "`documents[1].text`",
            ),
            (
                "{\"documents\": [{}]}",
                "wrong-fields",
                "missing field `text`",
            ),
            (
                "{\"text\": null}",
                "wrong-fields",
                "`text`: invalid type: null",
            ),
            (
                "{\"text\": \"\", \"top\": 0}",
                "wrong-fields",
                "`top`: expected a number from 1",
            ),
            (
                "{\"text\": \"\", \"top\": \"some\"}",
                "wrong-fields",
                "or \"all\"",
            ),
            (
                "[\"text\"]",
                "wrong-fields",
                "`body`: invalid type: sequence, expected an object",
            ),
            (
                "{\"documents\": [[\"x\"]]}",
                "wrong-fields",
                "expected an object",
            ),
            (
                "{\"text\": \"a\", \"text\": \"b\"}",
                "wrong-fields",
                "duplicate field",
            ),
            ("{\"text\": \"", "bad-json", "EOF"),
            ("{} {}", "bad-json", "trailing characters"),
            ("", "bad-json", "EOF"),
        ] {
            let Err(problem) = read::<CheckRequest<'_>>(body.as_bytes()) else {
                panic!("{body} was taken");
            };
            assert_eq!(problem.kind().name, kind, "{body}");
            assert!(
                problem.detail().contains(words),
                "{body}: {}",
                problem.detail()
            );
        }
        assert!(read::<CheckRequest<'_>>(b"{\"text\": \"\xff\"}").is_err());
    }
}
