//! Key files that keep which epochs are used.
//!
//! A signature leaves [`KeyFile::sign`] only after its epoch is durable in the file's journal:
//! the signature is made, checked and held back; a record of 64 bytes is appended; the file is
//! synced; then the signature is returned. Whatever stops the process before that, no signature is
//! out; whatever stops it after, the mark is there.
//!
//! **Why a journal** and not a new file with each signature: a mark costs one write and one sync
//! whatever the window; the file keeps its identity, which the lock belongs to; and nothing that
//! was ever durable is written again. Creating the file is the only rename-like step: it is
//! written under another name, synced, linked to its own name, which must be free, and the folder
//! synced.
//!
//! **Opening** takes an exclusive lock, reads the journal, drops an incomplete last record (its
//! signature never left), and writes and syncs the last complete one again: after a failed sync it
//! could be in memory only. It syncs the folder too, should creation have been cut off before that.
//! A damaged record anywhere is an error, for the epochs it stood for are
//! not known. Any failed write ends the handle.
//!
//! **What this cannot see**: that the file is an old copy of itself. A key file restored from a
//! backup, copied to a second machine or rolled back with its disk will sign used epochs again.
//! Keep no usable copies; after a restore, treat every epoch up to the present as used. The lock
//! needs a file system that has one: a local one.

mod error;
mod format;
mod journal;
mod storage;
mod used;

use std::io;
use std::path::Path;
use std::vec::Vec;

pub use self::error::{FileError, FormatError, UseError};
use self::format::{Header, RECORD_BYTES, Record, Tag, journal_start};
pub use self::format::{MAGIC, VERSION};
use self::journal::{At, Contents, publish, scan, settle, temporary_name};
pub use self::storage::{Disk, Storage, StoredFile};
use self::used::Used;
use crate::layout::Ethereum;
use crate::params::{MESSAGE_BYTES, SEED_BYTES};
use crate::sign::{Observer, SecretKey, SigningLayout, Window};
use crate::types::{PublicKey, Signature};

/// A secret key with its file, open and locked until this is dropped.
#[derive(Debug)]
pub struct KeyFile<L: SigningLayout = Ethereum, S: Storage = Disk> {
    key: SecretKey<L>,
    file: S::File,
    tag: Tag,
    used: Used,
    /// Records in the journal, all durable.
    records: u64,
    poisoned: bool,
}

/// What a key file says, its secrets aside.
#[derive(Clone, Debug)]
pub struct KeyInfo {
    /// Number of the tweak layout: [`Layout::ID`](crate::Layout::ID).
    pub layout: u32,
    /// The epochs the key can sign at.
    pub window: Window,
    /// The public key.
    pub public_key: PublicKey,
    /// Ranges of used epochs, first to last, in order.
    pub used: Vec<(u32, u32)>,
    /// Epochs used.
    pub used_count: u64,
    /// The first epoch of the window that is not used.
    pub next_unused: Option<u32>,
    /// Whether the journal ends in an incomplete record, which opening will drop.
    pub incomplete: bool,
}

impl<L: SigningLayout> KeyFile<L, Disk> {
    /// Generates a key and writes its file, which must not exist.
    ///
    /// # Errors
    /// If cancelled, the name is taken, or the system fails.
    pub fn create(
        path: &Path,
        seed: &[u8; SEED_BYTES],
        window: Window,
        observer: &dyn Observer,
    ) -> Result<Self, FileError> {
        let key = SecretKey::generate(seed, window, observer);
        Self::create_in(&Disk, path, key.map_err(|_| FileError::Cancelled)?)
    }

    /// Opens and locks a key file.
    ///
    /// # Errors
    /// If another has it open, it is no sound key file of this layout, or the system fails.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::open_in(&Disk, path)
    }
}

impl KeyInfo {
    /// Reads a key file without locking or changing it.
    ///
    /// # Errors
    /// If it is no sound key file, or the system fails.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let at = At(path);
        let mut file = std::fs::File::open(path).map_err(|error| at.io(error))?;
        let contents = Contents::read(&mut file, at)?;
        let window = contents.header.window;
        Ok(Self {
            layout: contents.header.layout,
            window,
            public_key: contents.header.public,
            used: contents.used.ranges().collect(),
            used_count: contents.used.count(),
            next_unused: next_unused(&contents.used, window, window.first()),
            incomplete: contents.incomplete,
        })
    }
}

fn next_unused(used: &Used, window: Window, from: u32) -> Option<u32> {
    let next = used.next_unused(from.max(window.first()))?;
    window.contains(next).then_some(next)
}

impl<L: SigningLayout, S: Storage> KeyFile<L, S> {
    /// Writes the file of a key.
    ///
    /// # Errors
    /// As [`create`](KeyFile::create). What fails after the file has its name leaves it there,
    /// complete.
    pub fn create_in(storage: &S, path: &Path, key: SecretKey<L>) -> Result<Self, FileError> {
        let at = At(path);
        let header = Header {
            layout: u32::from(L::ID),
            window: key.window(),
            seed: key.seed(),
            public: *key.public_key(),
        };
        let bytes = header.to_file(key.subtree_roots());
        let temporary = temporary_name(path, key.public_key());
        let mut file = storage
            .create(&temporary)
            .map_err(|error| At(&temporary).taken(error))?;
        let written = publish(storage, &mut file, &bytes, &temporary, path);
        if let Err(error) = written {
            // The error that counts is the first one.
            let _ = storage.remove(&temporary);
            return Err(at.taken(error));
        }
        Ok(Self {
            key,
            file,
            tag: Tag::of(&bytes),
            used: Used::default(),
            records: 0,
            poisoned: false,
        })
    }

    /// Opens a file of any storage.
    ///
    /// # Errors
    /// As [`open`](KeyFile::open).
    pub fn open_in(storage: &S, path: &Path) -> Result<Self, FileError> {
        let at = At(path);
        let mut file = storage.open(path).map_err(|error| at.locked(error))?;
        let contents = Contents::read(&mut file, at)?;
        let header = &contents.header;
        let (expected, got) = (u32::from(L::ID), header.layout);
        if expected != got {
            return Err(at.format(FormatError::Layout { expected, got }));
        }
        let roots = contents.roots.clone();
        let key = SecretKey::restore(&header.seed, header.window, roots);
        if *key.public_key() != header.public {
            return Err(at.format(FormatError::PublicKey));
        }
        settle(&mut file, &contents)
            .and_then(|()| storage.sync_folder(path))
            .map_err(|error| at.io(error))?;
        Ok(Self {
            key,
            file,
            tag: contents.tag,
            used: contents.used,
            records: contents.records,
            poisoned: false,
        })
    }

    /// The public key.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        self.key.public_key()
    }

    /// The epochs the key can sign at.
    #[must_use]
    pub const fn window(&self) -> Window {
        self.key.window()
    }

    /// Whether an epoch is marked used.
    #[must_use]
    pub fn is_used(&self, epoch: u32) -> bool {
        self.used.contains(epoch)
    }

    /// Epochs marked used.
    #[must_use]
    pub const fn used_count(&self) -> u64 {
        self.used.count()
    }

    /// Ranges of used epochs, first to last, in order.
    pub fn used(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.used.ranges()
    }

    /// The first epoch of the window from `from` on that is not used.
    #[must_use]
    pub fn next_unused(&self, from: u32) -> Option<u32> {
        next_unused(&self.used, self.window(), from)
    }

    /// Signs at an epoch never used before, and marks it used for good.
    ///
    /// # Errors
    /// If the epoch is used or outside the window, or its mark cannot be made durable. No
    /// signature is out then, but the epoch may be used up.
    pub fn sign(
        &mut self,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
    ) -> Result<Signature, UseError> {
        if self.poisoned {
            return Err(UseError::Poisoned);
        }
        if self.used.contains(epoch) {
            return Err(UseError::Used(epoch));
        }
        let signature = self.key.sign_untracked(epoch, message)?;
        self.mark(epoch, message)
            .map_err(|error| UseError::Mark { epoch, error })?;
        Ok(signature)
    }

    /// The signature of a used epoch once more, for the message that was signed then: the same
    /// bytes. For signatures that were lost between mark and delivery.
    ///
    /// # Errors
    /// If the epoch is not used, or was used for another message.
    pub fn sign_again(
        &mut self,
        epoch: u32,
        message: &[u8; MESSAGE_BYTES],
    ) -> Result<Signature, UseError> {
        if self.poisoned {
            return Err(UseError::Poisoned);
        }
        if !self.used.contains(epoch) {
            return Err(UseError::Unused(epoch));
        }
        let start = journal_start(self.window());
        let end = start + self.records * RECORD_BYTES as u64;
        let mut found = None;
        scan(&mut self.file, start, end, self.tag, |_, record| {
            if record.epoch == epoch {
                found = Some(record.message);
            }
        })
        .map_err(|error| UseError::Read(error.into()))?;
        if found != Some(*message) {
            return Err(UseError::OtherMessage(epoch));
        }
        Ok(self.key.sign_untracked(epoch, message)?)
    }

    /// Makes an epoch's mark durable.
    fn mark(&mut self, epoch: u32, message: &[u8; MESSAGE_BYTES]) -> io::Result<()> {
        let number = u32::try_from(self.records).map_err(io::Error::other)?;
        let record = Record {
            epoch,
            number,
            message: *message,
        };
        let offset = journal_start(self.window()) + self.records * RECORD_BYTES as u64;
        // Whatever fails from here on, the file may hold the record or a part of it.
        self.poisoned = true;
        self.used.insert(epoch);
        self.file.write_at(offset, &record.to_bytes(self.tag))?;
        self.file.sync()?;
        self.poisoned = false;
        self.records += 1;
        Ok(())
    }
}
