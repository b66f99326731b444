//! Output files: written under a temporary name in the same folder, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::signals;

/// An output file that does not exist yet under its own name.
///
/// It is opened before the work starts, so that a folder that cannot be written to is found out
/// early. Dropping it without [`Self::finish`] leaves nothing behind.
#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    temporary: PathBuf,
    file: Option<File>,
    force: bool,
}

impl OutFile {
    /// Opens the temporary file.
    ///
    /// # Errors
    /// The file exists and `force` is not set, or the folder cannot be written to.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        check_free(path, force)?;
        let name = path.file_name().ok_or_else(|| {
            Failure::malformed(format_args!(
                "--out {}: expected a file name",
                path.display()
            ))
        })?;
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary_name);
        signals::guard(&temporary);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&temporary)
            .map_err(|error| {
                signals::release();
                Failure::io("write", path, &error)
            })?;
        Ok(Self {
            path: path.to_path_buf(),
            temporary,
            file: Some(file),
            force,
        })
    }

    /// Writes the whole file and puts it in its place.
    ///
    /// # Errors
    /// A full disk, a file that appeared meanwhile, or a signal.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let failed = |error: &std::io::Error| Failure::io("write", &self.path, error);
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|error| failed(&error))?;
        drop(file);
        check_free(&self.path, self.force)?;
        signals::finish(|| fs::rename(&self.temporary, &self.path))
            .ok_or_else(Failure::cancelled)?
            .map_err(|error| failed(&error))
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        // After a rename there is nothing under this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn check_free(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::malformed(format_args!(
            "{} is a folder, expected the name of a file",
            path.display()
        )));
    }
    if !force && path.symlink_metadata().is_ok() {
        return Err(Failure::malformed(format_args!(
            "{} exists already; use --force to overwrite it or --out to choose another name",
            path.display()
        )));
    }
    Ok(())
}
