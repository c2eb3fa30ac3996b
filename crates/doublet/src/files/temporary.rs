//! Temporary files and directories. They go when they are dropped; those that have a name stand in a list until then, so that a
//! process that is told to end at once can remove them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempDir, TempPath};

use super::fault::check;
use super::{File, Operation};

/// How the names of files under way begin.
pub const TEMPORARY: &str = ".doublet-";
/// How often a directory is removed before it is left, for other threads may be writing into it.
const TRIES: usize = 10;

/// What is to be removed, or nothing more is made.
enum List {
    Open(Vec<PathBuf>),
    Closed,
}

static LIST: Mutex<List> = Mutex::new(List::Open(Vec::new()));

/// Removes all temporary files and directories of this process that have a name. None can be made from then on: the process
/// must end.
pub fn remove_temporary() {
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    let List::Open(paths) = std::mem::replace(&mut *list, List::Closed) else {
        return;
    };
    for path in paths {
        if path.is_dir() {
            (0..TRIES).any(|_| std::fs::remove_dir_all(&path).is_ok());
        } else {
            let _gone = std::fs::remove_file(&path);
        }
    }
}

/// A place in the list, given up when dropped.
#[derive(Debug)]
pub struct Listed(PathBuf);

/// Puts a file into the list that is made under a name of its own, to get another.
pub fn under_way(path: &Path) -> Listed {
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    if let List::Open(paths) = &mut *list {
        paths.push(path.to_owned());
    }
    Listed(path.to_owned())
}

/// Makes something temporary and puts it into the list. Whoever closes the list comes before both or after both.
fn list<T>(
    operation: Operation,
    make: impl FnOnce() -> io::Result<T>,
    path: impl Fn(&T) -> &Path,
) -> io::Result<(T, Listed)> {
    check(operation)?;
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    let List::Open(paths) = &mut *list else {
        return Err(io::Error::other("the program is ending"));
    };
    let made = make()?;
    paths.push(path(&made).to_owned());
    let listed = Listed(path(&made).to_owned());
    Ok((made, listed))
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        if let List::Open(paths) = &mut *list
            && let Some(at) = paths.iter().position(|path| *path == self.0)
        {
            paths.swap_remove(at);
        }
    }
}

/// A directory that goes with all that is in it.
#[derive(Debug)]
pub struct TemporaryDirectory {
    directory: TempDir,
    _listed: Listed,
}

impl TemporaryDirectory {
    /// Makes one in a directory, for the eyes of its owner only, since it may hold texts; its name begins with `prefix`.
    ///
    /// # Errors
    /// As all of this module: what the system says.
    pub fn create(directory: &Path, prefix: &str) -> io::Result<Self> {
        let make = || {
            let mut builder = tempfile::Builder::new();
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            builder.prefix(prefix).tempdir_in(directory)
        };
        let (directory, listed) = list(Operation::MakeDirectory, make, TempDir::path)?;
        Ok(Self {
            directory,
            _listed: listed,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// A file that goes unless it gets a name that lasts.
#[derive(Debug)]
pub struct TemporaryFile {
    file: NamedTempFile<File>,
    listed: Listed,
}

impl TemporaryFile {
    /// Makes one in a directory, with the permissions of a new file.
    ///
    /// # Errors
    /// As all of this module: what the system says.
    pub fn create(directory: &Path) -> io::Result<Self> {
        Self::make(directory, TEMPORARY, 0o666)
    }

    /// The same for the eyes of its owner only; its name begins with `prefix`.
    ///
    /// # Errors
    /// As all of this module: what the system says.
    pub fn private(directory: &Path, prefix: &str) -> io::Result<Self> {
        Self::make(directory, prefix, 0o600)
    }

    fn make(directory: &Path, prefix: &str, mode: u32) -> io::Result<Self> {
        let make = || {
            let mut builder = tempfile::Builder::new();
            let new = |path: &Path| new_file(path, mode).map(File);
            builder.prefix(prefix).make_in(directory, new)
        };
        let (file, listed) = list(Operation::Create, make, NamedTempFile::path)?;
        Ok(Self { file, listed })
    }

    /// Syncs it and gives it its name.
    ///
    /// # Errors
    /// As all of this module: what the system says. Then it is gone.
    pub fn persist(self, path: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        check(Operation::Rename)?;
        self.file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Closes it; it stays for as long as its path is held.
    pub fn into_path(self) -> TemporaryPath {
        TemporaryPath {
            path: self.file.into_temp_path(),
            _listed: self.listed,
        }
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The path of a temporary file, which goes with it.
#[derive(Debug)]
pub struct TemporaryPath {
    path: TempPath,
    _listed: Listed,
}

impl TemporaryPath {
    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A file without a name in a directory, which goes with its last handle, even when the process is killed.
///
/// # Errors
/// As all of this module: what the system says.
pub fn nameless(directory: &Path) -> io::Result<File> {
    check(Operation::Create)?;
    tempfile::tempfile_in(directory).map(File)
}

/// A new file with these permissions, as far as the system has any. Made here, for errors of `tempfile` have the temporary name in
/// them, and the system's code not.
fn new_file(path: &Path, mode: u32) -> io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _everybody = mode;
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_temporary_directory_is_its_owners() {
        let place = tempfile::tempdir().unwrap();
        let made = TemporaryDirectory::create(place.path(), "doublet-").unwrap();
        let mode = std::fs::metadata(made.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
