//! What can go wrong, said so that a person can mend it.
//!
//! A bad record is not an error: it becomes a [`Rejection`](crate::read::Rejection), is counted and the run goes on.

use std::borrow::Cow;
use std::path::PathBuf;

/// Characters of an id or a value that a message shows.
const SHOWN: usize = 80;

/// An error that ends a run. Messages name the thing, what was found and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or directory could not be read or written.
    #[error("cannot {doing} `{}`: {cause}{}", path.display(), remedy(doing, cause))]
    Io {
        /// What was being done, as a verb: `open`, `read`, `write`.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// An input path or glob names nothing.
    #[error("no input found at `{}`: give a file, a directory, a quoted glob or `-`", clip(.0))]
    NoInput(String),
    /// A directory holds no file that can be read.
    #[error(
        "no file in the directory `{0}` has an ending of a known format: name the files, or give `--format`"
    )]
    EmptyDirectory(String),
    /// Standard input was asked for twice.
    #[error("standard input (`-`) can be read only once")]
    SecondStandardInput,
    /// A file as a whole cannot be read in its format (no header row, a missing column, a damaged footer).
    #[error("`{}`: {reason}", path.display())]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and the remedy.
        reason: String,
    },
    /// A file of an index is not as it was written.
    #[error("`{}`: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and the remedy.
        reason: String,
    },
    /// A file is among the inputs twice.
    #[error("the record at {0} is read twice: its file is among the inputs more than once")]
    GivenTwice(String),
    /// Two records carry the same id.
    #[error(
        "id {} occurs twice: at {first} and at {second}; make ids unique, choose another `--id-field`, or number the records with `--renumber`",
        clip(key)
    )]
    DuplicateKey {
        /// The id, as JSON.
        key: String,
        /// Where it stands first, `file:line`.
        first: String,
        /// Where it stands again.
        second: String,
    },
    /// An option's value is out of range.
    #[error("`--{option} {}`: {expected}", clip(value))]
    Option {
        /// The option's name without dashes.
        option: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// An option does nothing for the method.
    #[error("`--{option}` goes with `--method {owner}`; the method is `{method}`")]
    UnusedOption {
        /// The option without dashes; with its value, if other values of it do something.
        option: Cow<'static, str>,
        /// A method that has it.
        owner: &'static str,
        /// The method that was chosen.
        method: &'static str,
    },
    /// There are records, and not one could be read.
    #[error(
        "not one record could be read ({rejected} rejected); the first is {first}; if the text is in another field, name it with `--text-field`; if the format is another, with `--format`"
    )]
    NothingRead {
        /// Records that were rejected: all.
        rejected: u64,
        /// The first of them, with file, line and reason.
        first: String,
    },
    /// `--strict` was given and a record was rejected.
    #[error("{0} (`--strict` stops at the first bad record)")]
    Strict(String),
    /// An interrupted run cannot be continued this way, or must not be passed over; the words say why and what to do.
    #[error("{0}")]
    Resume(String),
    /// The collection has more records than a document number can hold.
    #[error("the collection has more than 4,294,967,294 records: split it")]
    TooManyDocuments,
    /// There are more pairs than were asked for.
    #[error(
        "there are more than {0} pairs: raise `--max-pairs` or `--threshold`; `doublet clusters` and `doublet dedup` need not list them"
    )]
    TooManyPairs(u64),
    /// There are more pairs of texts than fit into the memory that may be used.
    #[error(
        "there are more than {0} pairs of different texts, which do not fit into memory: raise `--memory` or `--threshold`, or take `doublet dedup` or `doublet clusters` with `--linkage connected`"
    )]
    PairsTooLarge(u64),
    /// What a task of a cluster was given does not fit together: rows out of order, or a model that is not one.
    #[error("{0}")]
    Task(String),
    /// The run was interrupted; nothing half-written is left.
    #[error("interrupted")]
    Interrupted,
}

/// A result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An id or a value as a message shows it: the first characters, and `…` if there are more.
pub fn clip(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &value[..end])),
        None => Cow::Borrowed(value),
    }
}

/// What to do when the system refuses, where something can be said; follows its own words.
fn remedy(doing: &str, cause: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    // Two numbers that are the same on all systems of this family, and have no kind of their own.
    let (no_handles, bad_disk) = match cause.raw_os_error() {
        Some(code) if cfg!(unix) => (code == 23 || code == 24, code == 5),
        _ => (false, false),
    };
    let temporary = doing.contains("temporary");
    match cause.kind() {
        _ if no_handles => "; raise the limit of open files (`ulimit -n`)",
        _ if bad_disk => "; the disk fails: look into the log of the system",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded if temporary => {
            "; free some space, or choose another place with `--temp-dir`"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space and try again",
        ErrorKind::NotFound if doing == "create" => "; make its directory first",
        ErrorKind::FileTooLarge => "; raise the limit of the size of files (`ulimit -f`)",
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
            if temporary =>
        {
            "; choose another place with `--temp-dir`"
        }
        _ => "",
    }
}

/// The system's own error, without the path that libraries add to it: the message has one.
fn plain(error: std::io::Error) -> std::io::Error {
    let code = |error: &std::io::Error| error.raw_os_error();
    let inner = error
        .get_ref()
        .and_then(|inner| inner.source()?.downcast_ref().and_then(code));
    match code(&error).or(inner) {
        Some(code) => std::io::Error::from_raw_os_error(code),
        None => error,
    }
}

/// Says what was being done to which file when the system refused.
pub(crate) fn io_error(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    move |cause| Error::Io {
        doing,
        path,
        cause: plain(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_clipped_between_characters() {
        assert_eq!(clip("short"), "short");
        assert_eq!(clip(&"文".repeat(SHOWN)), "文".repeat(SHOWN));
        let clipped = clip(&"文".repeat(10_000)).into_owned();
        assert_eq!(clipped, "文".repeat(SHOWN) + "…");
    }
}
