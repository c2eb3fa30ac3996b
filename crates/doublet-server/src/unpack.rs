//! Packed bodies: gzip and zstd, unpacked as they are asked for, so that no few bytes become many at once.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use crate::problem::{self, Problem};

/// The most that zstd looks back, as a power of two: what its format asks every reader for.
const WINDOW: u32 = 23;

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// As the headers say.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut given = headers.get_all(CONTENT_ENCODING).iter();
        let Some(name) = given.next() else {
            return Ok(Self::Plain);
        };
        let name = name.as_bytes().trim_ascii().to_ascii_lowercase();
        match (&name[..], given.next()) {
            (b"identity", None) => Ok(Self::Plain),
            (b"gzip" | b"x-gzip", None) => Ok(Self::Gzip),
            (b"zstd", None) => Ok(Self::Zstd),
            _ => {
                let detail = "a body may be packed once, by `gzip` or `zstd`, or not at all";
                Err(Problem::new(problem::WRONG_TYPE, detail))
            }
        }
    }

    /// A reader of what is packed.
    pub(crate) fn reader<'a>(
        self,
        packed: impl Read + Send + 'a,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Self::Plain => Box::new(packed),
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::new(packed)?;
                decoder.window_log_max(WINDOW)?;
                Box::new(decoder)
            }
        })
    }

    /// Unpacks a whole body; `None` if it has more than `most` bytes.
    pub(crate) fn unpack(self, packed: &[u8], most: usize) -> io::Result<Option<Vec<u8>>> {
        let reader = self.reader(packed)?;
        let mut unpacked = Vec::new();
        reader.take(most as u64 + 1).read_to_end(&mut unpacked)?;
        Ok((unpacked.len() <= most).then_some(unpacked))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn what_was_packed_comes_back_up_to_the_limit() {
        let text = vec![b'x'; 100_000];
        let zstd = zstd::encode_all(&text[..], 3).unwrap();
        for (packing, packed) in [(Packing::Gzip, gzip(&text)), (Packing::Zstd, zstd)] {
            assert_eq!(
                packing.unpack(&packed, 100_000).unwrap(),
                Some(text.clone())
            );
            assert_eq!(packing.unpack(&packed, 99_999).unwrap(), None);
            assert!(
                packing
                    .unpack(&packed[..packed.len() - 3], 100_000)
                    .is_err()
            );
            assert!(packing.unpack(b"nonsense", 100_000).is_err());
        }
    }

    #[test]
    fn a_wide_window_is_refused() {
        let mut packer = zstd::Encoder::new(Vec::new(), 1).unwrap();
        packer.window_log(27).unwrap();
        packer.write_all(&[0; 1000]).unwrap();
        let packed = packer.finish().unwrap();
        assert!(Packing::Zstd.unpack(&packed, 100_000).is_err());
    }
}
