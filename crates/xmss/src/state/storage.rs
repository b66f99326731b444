//! What a key file asks of a file system, in steps that tests can stop.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A file system.
pub trait Storage {
    /// An open file, locked until it is dropped.
    type File: StoredFile;

    /// Creates a file that only its owner can read, open and locked.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, and what the system reports.
    fn create(&self, path: &Path) -> io::Result<Self::File>;

    /// Opens a file for reading and writing, locked against every other opener, of this process
    /// too.
    ///
    /// # Errors
    /// `WouldBlock` if another holds the lock, and what the system reports.
    fn open(&self, path: &Path) -> io::Result<Self::File>;

    /// Gives the file a second name, its final one.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, and what the system reports.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a name.
    ///
    /// # Errors
    /// What the system reports.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in the folder of `path` are durable.
    ///
    /// # Errors
    /// What the system reports.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open, locked file.
pub trait StoredFile {
    /// Its length in bytes.
    ///
    /// # Errors
    /// What the system reports.
    fn size(&mut self) -> io::Result<u64>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` if the file ends before, and what the system reports.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Writes all of `bytes` at `offset`. An error may leave a part of them written.
    ///
    /// # Errors
    /// What the system reports.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file.
    ///
    /// # Errors
    /// What the system reports.
    fn truncate(&mut self, len: u64) -> io::Result<()>;

    /// Returns when everything written is durable.
    ///
    /// # Errors
    /// What the system reports. What of it is durable is then unknown.
    fn sync(&mut self) -> io::Result<()>;
}

/// The operating system's files. The lock is the one of `flock` on Unix, of `LockFileEx` on
/// Windows: it ends with the process, whatever ends that, and belongs to the file, not to one of
/// its names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Disk {
    fn lock(file: File) -> io::Result<File> {
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Storage for Disk {
    type File = File;

    fn create(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::lock(options.open(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        Self::lock(OpenOptions::new().read(true).write(true).open(path)?)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::hard_link(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Elsewhere folders cannot be opened as files, and names are kept by the file's own sync.
        #[cfg(unix)]
        {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
        }
        let _ = path;
        Ok(())
    }
}

impl StoredFile for File {
    fn size(&mut self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.read_exact(buffer)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
