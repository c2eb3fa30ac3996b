//! Who may ask, and who may change: tokens from a file, compared in constant time.

use std::path::Path;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::problem::{self, Problem};

/// The fewest characters of a token.
const SHORTEST: usize = 16;

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    Read,
    Write,
}

impl Rights {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// Who a caller is.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) rights: Rights,
    /// Name of the token, for the log.
    pub(crate) name: Option<Arc<str>>,
}

/// The tokens that are let in.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<Token>);

struct Token {
    secret: Box<[u8]>,
    caller: Caller,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Token({:?})", self.caller)
    }
}

impl Tokens {
    /// Reads a file of lines `read TOKEN [name]` and `write TOKEN [name]`; gives what is wrong with it.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read tokens from `{}`: {error}", path.display()))?;
        Self::parse(&text).map_err(|reason| format!("`{}`, {reason}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let token = Token::parse(line);
                tokens.push(token.map_err(|reason| format!("line {}: {reason}", number + 1))?);
            }
        }
        if tokens.is_empty() {
            return Err(
                "it holds no token: write lines `read TOKEN name` or `write TOKEN name`".to_owned(),
            );
        }
        Ok(Self(tokens))
    }

    /// Who the caller of a request is. Every token is compared, whether or not another was right.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Caller, Problem> {
        let given = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
        let Some(given) = given else {
            let detail = "send `Authorization: Bearer TOKEN` with a token of the service";
            return Err(Problem::new(problem::UNAUTHORIZED, detail));
        };
        let secret = match given.split_at_checked(7) {
            Some((scheme, secret)) if scheme.eq_ignore_ascii_case(b"bearer ") => secret,
            _ => &[],
        };
        let mut found = u32::MAX;
        for (number, token) in self.0.iter().enumerate() {
            let equal: Choice = token.secret.ct_eq(secret.trim_ascii());
            found.conditional_assign(&(number as u32), equal);
        }
        match self.0.get(found as usize) {
            Some(token) => Ok(token.caller.clone()),
            None => {
                let detail = "the token is not one of those that are let in";
                Err(Problem::new(problem::UNAUTHORIZED, detail))
            }
        }
    }
}

impl Token {
    fn parse(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let rights = match words.next() {
            Some("read") => Rights::Read,
            Some("write") => Rights::Write,
            _ => {
                return Err(
                    "begin with `read` or `write`, then the token, then a name for it".to_owned(),
                );
            }
        };
        let secret = words.next().unwrap_or_default();
        if secret.len() < SHORTEST || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "a token has at least {SHORTEST} characters, all of them visible ASCII; `openssl rand -hex 24` makes one"
            ));
        }
        let name: Vec<&str> = words.collect();
        Ok(Self {
            secret: secret.as_bytes().into(),
            caller: Caller {
                rights,
                name: (!name.is_empty()).then(|| name.join(" ").into()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn files_are_read_line_by_line() {
        let good = "# who\n\n read 0123456789abcdef desk\nwrite fedcba9876543210 night  crawler\n";
        let tokens = Tokens::parse(good).unwrap();
        let who = |header: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_str(header).unwrap());
            tokens.caller(&headers).ok()
        };
        let desk = who("Bearer 0123456789abcdef").unwrap();
        assert_eq!(
            (desk.rights, desk.name.as_deref()),
            (Rights::Read, Some("desk"))
        );
        let crawler = who("bearer  fedcba9876543210").unwrap();
        assert_eq!(crawler.rights, Rights::Write);
        assert_eq!(crawler.name.as_deref(), Some("night crawler"));
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(who(bad).is_none(), "{bad}");
        }
        for bad in [
            "",
            "# only words",
            "read short",
            "admin 0123456789abcdef",
            "write",
        ] {
            assert!(Tokens::parse(bad).is_err(), "{bad}");
        }
    }
}
