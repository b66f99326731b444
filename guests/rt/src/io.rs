//! Input, output and the end of a run.

use core::ptr::with_exposed_provenance;
use core::slice;

use prova_riscv_abi::{INPUT_BASE, INPUT_HEADER, INPUT_MAGIC, INPUT_VERSION, MAX_INPUT};

use crate::sys;
pub use crate::sys::halt;

/// The payload of the input where the machine mapped it, aligned to 16 bytes.
///
/// # Panics
/// If the region's header is not one of the version this crate was built for.
pub fn read_input() -> &'static [u8] {
    let header = with_exposed_provenance::<[u32; 4]>(INPUT_BASE as usize);
    // SAFETY: the machine always maps at least the header, aligned and never written.
    let [magic, version, length, reserved] = unsafe { *header };
    assert!(
        magic == INPUT_MAGIC,
        "the input region does not start with PRVI"
    );
    assert!(
        version == INPUT_VERSION,
        "the input region has another version"
    );
    assert!(
        length <= MAX_INPUT && reserved == 0,
        "the input region's header is malformed"
    );
    let payload = with_exposed_provenance::<u8>((INPUT_BASE + INPUT_HEADER) as usize);
    // SAFETY: the machine maps `length` bytes behind the header for the whole run, never written.
    unsafe { slice::from_raw_parts(payload, length as usize) }
}

/// Appends bytes to the public output, [`prova_riscv_abi::MAX_OUTPUT`] bytes at most in one run.
#[inline]
pub fn commit(bytes: &[u8]) {
    sys::commit(bytes);
}

/// Shows text to the person running the guest; no part of the output.
#[inline]
pub fn print(text: &str) {
    sys::print(text.as_bytes());
}
