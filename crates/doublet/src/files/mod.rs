//! Every file and directory that doublet opens, makes, reads, writes, syncs, renames and removes goes through here.
//!
//! As thin as it can be: the standard library's calls by their own names, each with a look at whether a test wants it to fail
//! (`fault`), and temporary files and directories that are known by name, so that nothing is left behind by a process
//! that is told to end at once (`temporary`). Files that are mapped are opened here and read as memory.

mod fault;
mod memory;
pub mod output;
mod temporary;

use std::fs::{Metadata, ReadDir, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

pub use fault::{Counts, Fault, Operation, Plan, arm, disarm};
use fault::{bytes, check};
pub use memory::usable_memory;
pub use temporary::{
    Listed, TEMPORARY, TemporaryDirectory, TemporaryFile, TemporaryPath, nameless,
    remove_temporary, under_way,
};

use crate::error::Error;

/// Bytes that are copied at once.
const PIECE: usize = 1 << 16;

/// An open file.
#[derive(Debug)]
pub struct File(std::fs::File);

impl File {
    /// Opens a file to read it.
    ///
    /// # Errors
    /// As all of this module: what the system says.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        check(Operation::Open)?;
        std::fs::File::open(path).map(Self)
    }

    /// Opens a file that is there, to write to it.
    pub fn open_to_write(path: impl AsRef<Path>) -> io::Result<Self> {
        check(Operation::Open)?;
        std::fs::File::options().write(true).open(path).map(Self)
    }

    /// Opens a file to write to it as it is, or makes it.
    pub fn open_or_create(path: impl AsRef<Path>) -> io::Result<Self> {
        check(Operation::Create)?;
        let mut options = std::fs::File::options();
        options.create(true).truncate(false).write(true);
        options.open(path).map(Self)
    }

    /// Makes an empty file, or empties the one that is there.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        check(Operation::Create)?;
        std::fs::File::create(path).map(Self)
    }

    /// Makes a file where there is none.
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        check(Operation::Create)?;
        std::fs::File::create_new(path).map(Self)
    }

    /// What the system knows of it.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Cuts it off, or adds zeros.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        check(Operation::Write)?;
        self.0.set_len(length)
    }

    /// Waits until all of it is on disk.
    pub fn sync_all(&self) -> io::Result<()> {
        check(Operation::Sync)?;
        self.0.sync_all()
    }

    /// Waits until its bytes are on disk.
    pub fn sync_data(&self) -> io::Result<()> {
        check(Operation::Sync)?;
        self.0.sync_data()
    }

    /// Locks it, if nobody else has.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.0.try_lock()
    }

    /// The file itself, to be mapped.
    pub(crate) fn plain(&self) -> &std::fs::File {
        &self.0
    }

    /// Reads some bytes at an offset.
    #[cfg(unix)]
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let wanted = bytes(Operation::Read, buffer.len())?;
        std::os::unix::fs::FileExt::read_at(&self.0, &mut buffer[..wanted], offset)
    }

    #[cfg(unix)]
    fn write_at(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        let wanted = bytes(Operation::Write, buffer.len())?;
        std::os::unix::fs::FileExt::write_at(&self.0, &buffer[..wanted], offset)
    }

    /// Fills the buffer from an offset.
    #[cfg(unix)]
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.read_at(&mut buffer[done..], offset + done as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes all bytes at an offset.
    #[cfg(unix)]
    pub(crate) fn write_all_at(&self, buffer: &[u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.write_at(&buffer[done..], offset + done as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => done += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Read for &File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = bytes(Operation::Read, buffer.len())?;
        (&self.0).read(&mut buffer[..wanted])
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for &File {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let wanted = bytes(Operation::Write, buffer.len())?;
        (&self.0).write(&buffer[..wanted])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for File {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&*self).write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for &File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.0).seek(to)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.0).seek(to)
    }
}

/// From now on a write past the limit of the size of files is an error; without, it ends the process and leaves what is temporary.
/// For the whole process: a program calls it, no library.
pub fn expect_limits() {
    #[cfg(unix)]
    crate::fenced::ignore(libc::SIGXFSZ);
}

/// All bytes of a file.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata().map_or(0, |data| data.len());
    let mut all = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut all)?;
    Ok(all)
}

/// All of a file that is text.
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| {
        let reason = "stream did not contain valid UTF-8";
        io::Error::new(io::ErrorKind::InvalidData, reason)
    })
}

/// Copies a file and gives its bytes.
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    for operation in [Operation::Open, Operation::Create, Operation::Write] {
        check(operation)?;
    }
    std::fs::copy(from, to)
}

/// Copies all that can be read. What cannot be read is told from what cannot be written.
pub(crate) fn copy_all(
    from: &mut dyn Read,
    to: &mut dyn Write,
    unread: impl FnOnce(io::Error) -> Error,
    unwritten: impl FnOnce(io::Error) -> Error,
) -> Result<(), Error> {
    let mut piece = vec![0; PIECE];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                if let Err(error) = to.write_all(&piece[..count]) {
                    return Err(unwritten(error));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
}

/// Gives a file a second name.
pub fn hard_link(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::Create)?;
    std::fs::hard_link(from, to)
}

/// Gives a file another name, in the place of the one that had it.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::Rename)?;
    std::fs::rename(from, to)
}

/// Removes a file.
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::Remove)?;
    std::fs::remove_file(path)
}

/// What came of removing something that may not be there, which is fine.
pub fn if_there(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Removes an empty directory.
pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::Remove)?;
    std::fs::remove_dir(path)
}

/// Removes a directory with all that is in it.
pub fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::Remove)?;
    std::fs::remove_dir_all(path)
}

/// Makes a directory.
pub fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::MakeDirectory)?;
    std::fs::create_dir(path)
}

/// Makes a directory and those it lies in, if they are not there.
pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    check(Operation::MakeDirectory)?;
    std::fs::create_dir_all(path)
}

/// Lists a directory.
pub fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    check(Operation::List)?;
    std::fs::read_dir(path)
}

/// Syncs a directory, so that the names in it last.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    // Elsewhere a directory cannot be opened, and renaming is durable enough.
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
