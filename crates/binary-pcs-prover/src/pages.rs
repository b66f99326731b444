//! Large pages for large buffers.
//!
//! A codeword is written once, and faulting it in page by page can cost as much as encoding it.

/// Bytes below which a buffer is left alone: a few large pages.
#[cfg(target_os = "linux")]
const LEAST_BYTES: usize = 1 << 23;

/// Asks the system for large pages behind a buffer that was not touched yet. It may decline.
pub(crate) fn large<T>(buffer: Vec<T>) -> Vec<T> {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};

        let page = rustix::param::page_size();
        let start = buffer.as_ptr().cast_mut();
        let skip = start.cast::<u8>().align_offset(page);
        let bytes = size_of_val(buffer.as_slice());
        if bytes >= LEAST_BYTES && skip < bytes {
            let start = start.cast::<u8>().wrapping_add(skip).cast();
            let whole = (bytes - skip) / page * page;
            // SAFETY: the range lies in the buffer, and the advice changes neither its contents
            // nor who may access them. What the system answers does not matter.
            let _ = unsafe { madvise(start, whole, Advice::LinuxHugepage) };
        }
    }
    buffer
}
