//! An archive that is the same bytes whenever and wherever it is made of the same files: sorted, one owner, one time.
//!
//! tar in the format ustar, packed by gzip without a name and a time.

use std::io::Write;

use anyhow::{Result, ensure};
use flate2::{Compression, GzBuilder};

const BLOCK: usize = 512;
/// Bytes of a name; longer ones would need the prefix of ustar, and no file of a release has one.
const NAME: usize = 100;

/// A file on its way into an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Path in the archive, with `/`.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether it is a program.
    pub(crate) program: bool,
}

/// Packs the files, all of which bear the time `seconds` after 1970.
pub(crate) fn pack(entries: &[Entry], seconds: u64) -> Result<Vec<u8>> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut packed = GzBuilder::new()
        .mtime(0)
        // "Unknown", whatever this system is.
        .operating_system(255)
        .write(Vec::new(), Compression::best());
    for entry in sorted {
        packed.write_all(&head(entry, seconds)?)?;
        packed.write_all(&entry.bytes)?;
        let padding = entry.bytes.len().next_multiple_of(BLOCK) - entry.bytes.len();
        packed.write_all(&[0; BLOCK][..padding])?;
    }
    packed.write_all(&[0; 2 * BLOCK])?;
    Ok(packed.finish()?)
}

fn head(entry: &Entry, seconds: u64) -> Result<[u8; BLOCK]> {
    ensure!(
        entry.name.len() < NAME,
        "`{}` is too long a name",
        entry.name
    );
    let mode = if entry.program { 0o755 } else { 0o644 };
    let mut head = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, entry.name.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{:011o}", entry.bytes.len()).as_bytes());
    put(136, format!("{seconds:011o}").as_bytes());
    // The checksum counts itself as spaces.
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, bytes: &[u8], program: bool) -> Entry {
        Entry {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
            program,
        }
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        let (a, b) = (entry("d/a", b"one", true), entry("d/b", &[7; 1000], false));
        let there = pack(&[a.clone(), b.clone()], 9).unwrap();
        assert_eq!(there, pack(&[b, a], 9).unwrap());
    }

    #[test]
    fn the_system_s_tar_reads_it() {
        let place = tempfile::tempdir().unwrap();
        let bytes = pack(
            &[
                entry("d/program", b"#!", true),
                entry("d/x/text", &[b'x'; 513], false),
            ],
            315_532_800,
        );
        let path = place.path().join("a.tar.gz");
        std::fs::write(&path, bytes.unwrap()).unwrap();
        let ran = std::process::Command::new("tar")
            .args(["-xzf", "a.tar.gz"])
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(ran.status.success() && ran.stderr.is_empty(), "{ran:?}");
        assert_eq!(
            std::fs::read(place.path().join("d/program")).unwrap(),
            b"#!"
        );
        assert_eq!(
            std::fs::read(place.path().join("d/x/text")).unwrap(),
            [b'x'; 513]
        );
    }

    #[test]
    fn a_name_that_does_not_fit_is_an_error() {
        assert!(pack(&[entry(&"n".repeat(100), b"", false)], 0).is_err());
    }
}
