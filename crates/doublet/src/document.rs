//! What a document is called: by the user (`key`) and inside (`DocId`).

use std::borrow::Cow;

/// Number of a record in the order of the input, rejected ones included. References (`--against`) follow the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId(pub u32);

impl DocId {
    /// The number as an index into a table of documents.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The user's id of a document: a JSON scalar exactly as it stood in the input (`"a-1"`, `17`, `1.0`, `true`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key<'a>(pub Cow<'a, str>);

impl<'a> Key<'a> {
    /// A key from text that is not JSON yet: it is quoted and escaped.
    pub fn from_text(text: &str) -> Key<'static> {
        Key(Cow::Owned(
            serde_json::Value::String(text.to_owned()).to_string(),
        ))
    }

    /// A key that is JSON already.
    pub fn from_json(json: &'a str) -> Self {
        Key(Cow::Borrowed(json))
    }

    /// The key as JSON.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}
