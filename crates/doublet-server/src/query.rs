//! The parameters behind the `?` of a request, and the cursors among them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::problem::{self, Problem};

/// Parameters by name. A name that nobody asked for is refused, for it is most likely misspelt.
#[derive(Debug, Default)]
pub(crate) struct Query {
    given: Vec<(String, String)>,
}

impl Query {
    /// Reads what stands behind the `?`, and refuses names that are not among `known`.
    pub(crate) fn read(query: Option<&str>, known: &[&str]) -> Result<Self, Problem> {
        let mut given: Vec<(String, String)> = Vec::new();
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name, true)?, decode(value, true)?);
            if !known.contains(&&*name) {
                let detail = match known {
                    [] => "there are no parameters here".to_owned(),
                    _ => format!("the parameters are: {}", known.join(", ")),
                };
                return Err(Problem::field(&name, detail));
            }
            if given.iter().any(|(other, _)| *other == name) {
                return Err(Problem::field(&name, "give it once"));
            }
            given.push((name.into_owned(), value.into_owned()));
        }
        Ok(Self { given })
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.given.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A parameter that is `true` or `false`; not given, it is false.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Problem> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Problem::field(name, "give true or false")),
        }
    }

    /// A number from `least` to `most`.
    pub(crate) fn number(
        &self,
        name: &str,
        default: usize,
        (least, most): (usize, usize),
    ) -> Result<usize, Problem> {
        let Some(value) = self.get(name) else {
            return Ok(default);
        };
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|_| digits);
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| Problem::field(name, format!("give a number from {least} to {most}")))
    }

    /// What a cursor stands for.
    pub(crate) fn cursor(&self) -> Result<Option<String>, Problem> {
        let Some(cursor) = self.get("cursor") else {
            return Ok(None);
        };
        let read = read_cursor(cursor);
        let wrong = || Problem::field("cursor", "give what an answer before had as `next`");
        read.map(Some).ok_or_else(wrong)
    }
}

/// Undoes percent-encoding; with `plus`, a `+` is a space.
pub(crate) fn decode(text: &str, plus: bool) -> Result<Cow<'_, str>, Problem> {
    if plus && text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8();
        return decoded
            .map(|text| Cow::Owned(text.into_owned()))
            .map_err(not_utf8);
    }
    percent_decode_str(text).decode_utf8().map_err(not_utf8)
}

fn not_utf8(_: std::str::Utf8Error) -> Problem {
    let detail =
        "the address has percent-encoded bytes that are not UTF-8: encode its characters as UTF-8";
    Problem::new(problem::BAD_REQUEST, detail)
}

/// A cursor for a place in a list. Its form is nobody's business but ours.
pub(crate) fn cursor(place: &str) -> String {
    use std::fmt::Write;
    let mut cursor = String::with_capacity(1 + 2 * place.len());
    cursor.push('c');
    for byte in place.bytes() {
        let _written = write!(cursor, "{byte:02x}");
    }
    cursor
}

fn read_cursor(cursor: &str) -> Option<String> {
    let digits = cursor.strip_prefix('c')?.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(*high)? * 16 + digit(*low)?) as u8),
        _ => None,
    });
    String::from_utf8(pairs.collect::<Option<Vec<u8>>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_unknown_ones_refused() {
        let query = Query::read(Some("prefix=a+b%2Fc&limit=5&"), &["prefix", "limit"]).unwrap();
        assert_eq!(query.get("prefix"), Some("a b/c"));
        assert_eq!(query.number("limit", 1, (1, 9)).unwrap(), 5);
        assert!(query.number("limit", 1, (1, 4)).is_err());
        for bad in ["x=1", "limit=1&limit=2", "prefix=%ff"] {
            assert!(
                Query::read(Some(bad), &["prefix", "limit"]).is_err(),
                "{bad}"
            );
        }
        for number in ["+5", "-1", "", "1.0", "99999999999999999999999"] {
            let given = format!("limit={}", number.replace('+', "%2B"));
            let query = Query::read(Some(&given), &["limit"]).unwrap();
            assert!(query.number("limit", 1, (1, 9)).is_err(), "{number}");
        }
    }

    #[test]
    fn cursors_come_back() {
        for place in ["", "\"a-1\"", "\"ü\u{1F600}\\u0000\""] {
            assert_eq!(read_cursor(&cursor(place)).as_deref(), Some(place));
        }
        for bad in ["", "x", "c1", "cé", "cff", "c+1"] {
            assert_eq!(read_cursor(bad), None, "{bad}");
        }
    }
}
