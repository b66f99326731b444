//! Input files, never read further than the longest that makes sense.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::Failure;

/// Reads a file of at most `limit` bytes; `what` names it in the message about a longer one.
///
/// # Errors
/// A file that cannot be read, or is too long.
pub fn read(path: &Path, limit: u64, what: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::io("read", path, &error);
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(Failure::malformed(format_args!(
            "{}: not {what}: expected at most {limit} bytes",
            path.display()
        )));
    }
    Ok(bytes)
}
