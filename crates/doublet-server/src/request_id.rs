//! Ids of requests: the caller's if it has one that is plain, else a new one.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::{HeaderMap, HeaderName, HeaderValue};

/// Name of the header.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Makes ids that no other start of the service makes.
#[derive(Debug)]
pub(crate) struct RequestIds {
    start: u32,
    next: AtomicU64,
}

impl RequestIds {
    pub(crate) fn new() -> Self {
        let start = RandomState::new().hash_one(std::process::id()) as u32;
        Self {
            start,
            next: AtomicU64::new(0),
        }
    }

    /// The id of a request with these headers; it holds nothing but letters, digits, `.`, `_` and `-`.
    pub(crate) fn of(&self, headers: &HeaderMap) -> HeaderValue {
        match headers.get(X_REQUEST_ID) {
            Some(given) if is_plain(given.as_bytes()) => given.clone(),
            _ => self.make(),
        }
    }

    fn make(&self) -> HeaderValue {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = [b'-'; 21];
        hexadecimal(u64::from(self.start), &mut id[..8]);
        hexadecimal(number, &mut id[9..]);
        HeaderValue::from_bytes(&id).unwrap_or(HeaderValue::from_static("-"))
    }
}

fn is_plain(id: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    (1..=64).contains(&id.len()) && id.iter().all(plain)
}

fn hexadecimal(mut number: u64, digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number & 15) as usize];
        number >>= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_ids_are_taken_over_and_others_replaced() {
        let ids = RequestIds::new();
        let mut headers = HeaderMap::new();
        let first = ids.of(&headers);
        assert_ne!(first, ids.of(&headers));
        assert_eq!(first.len(), 21);
        for (given, taken) in [
            ("desk-17.a_B", true),
            ("<b>", false),
            ("a b", false),
            ("", false),
        ] {
            headers.insert(X_REQUEST_ID, HeaderValue::from_str(given).unwrap());
            assert_eq!(ids.of(&headers) == given, taken, "{given}");
        }
    }
}
