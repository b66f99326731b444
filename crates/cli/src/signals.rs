//! Cancellation by signal.
//!
//! The first SIGINT or SIGTERM raises a flag that the prover reads between steps. A step that
//! cannot be interrupted (a grind) must not hold the user up, so a second signal, or the end of a
//! short grace period, removes the unfinished output and ends the process.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prova_proof_file::Exit;

use crate::output;

/// How long the prover may take to notice.
const GRACE: Duration = Duration::from_millis(1500);

static CANCELLED: AtomicBool = AtomicBool::new(false);

/// What an exit from the handler has to clean up.
enum Unfinished {
    Nothing,
    Temporary(PathBuf),
    /// The result is in place: the process is about to end by itself with success.
    Finished,
}

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished::Nothing);

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Installs the handler. Without one a signal simply ends the process, so a failure is ignored.
pub fn install() {
    let _ = ctrlc::set_handler(|| {
        if CANCELLED.swap(true, Ordering::SeqCst) {
            leave();
        } else {
            std::thread::spawn(|| {
                std::thread::sleep(GRACE);
                leave();
            });
        }
    });
}

/// Whether a signal came.
pub fn cancelled() -> bool {
    CANCELLED.load(Ordering::Relaxed)
}

/// Registers a temporary file for removal on a forced exit.
pub fn guard(path: &Path) {
    *unfinished() = Unfinished::Temporary(path.to_path_buf());
}

/// Forgets the temporary file.
pub fn release() {
    *unfinished() = Unfinished::Nothing;
}

/// Runs `finish` unless a signal came; no forced exit can happen during it or, if it succeeds,
/// after it. `None` when a signal came first.
pub fn finish<T, E>(finish: impl FnOnce() -> Result<T, E>) -> Option<Result<T, E>> {
    let mut state = unfinished();
    if CANCELLED.load(Ordering::SeqCst) {
        return None;
    }
    let result = finish();
    if result.is_ok() {
        *state = Unfinished::Finished;
    }
    Some(result)
}

fn leave() {
    // Held until the process is gone, so that nothing is renamed after the removal.
    let state = unfinished();
    match &*state {
        // Only the printing of the result is left, and nobody waits for it.
        Unfinished::Finished => end(Exit::Done),
        Unfinished::Temporary(path) => {
            let _ = std::fs::remove_file(path);
        }
        Unfinished::Nothing => {}
    }
    output::stderr("error: cancelled; no file was written");
    end(Exit::Cancelled);
}

/// Ends the process at once. Other threads are still at work, a graphics driver's among them: exit
/// handlers would take their globals from under them, and now and then the process would die of
/// that instead.
#[cfg(unix)]
fn end(exit: Exit) -> ! {
    // SAFETY: ends the process without running any more of its code.
    unsafe { libc::_exit(i32::from(exit.code())) }
}

#[cfg(not(unix))]
fn end(exit: Exit) -> ! {
    std::process::exit(i32::from(exit.code()))
}
