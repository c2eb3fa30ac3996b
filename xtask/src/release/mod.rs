//! What a release is made of: which crates may be in it (`deny`), what they are licensed under (`licences`), and the archive of a
//! program for one system (`dist`).

pub(crate) mod deny;
pub(crate) mod dist;
pub(crate) mod licences;
mod packages;
mod tar;
mod texts;
#[cfg(test)]
mod versions;

/// The systems that programs and wheels are made for; `deny.toml` and the workflows name the same.
pub(crate) const TARGETS: [&str; 7] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];
