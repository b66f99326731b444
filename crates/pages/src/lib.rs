//! Pages of large buffers: fewer and larger ones, faulted in and given back by all threads.
//!
//! What a stage of a proof writes is new memory for the most part. Faulting it in page by page can
//! cost as much as computing what is written, and what one thread faults in, others wait for.

use std::mem::MaybeUninit;

use rayon::prelude::*;

/// Bytes below which a buffer is left alone: a few large pages.
const LEAST_BYTES: usize = 1 << 22;

/// Bytes that one thread writes or gives back at a time: a large page.
const PIECE_BYTES: usize = 1 << 21;

/// Asks the system for large pages behind the capacity of a buffer that was not touched yet. It may
/// decline; small buffers are left alone.
#[must_use]
pub fn large<T>(buffer: Vec<T>) -> Vec<T> {
    let bytes = buffer.capacity() * size_of::<T>();
    if bytes >= LEAST_BYTES {
        // SAFETY: the range is that of the buffer, and this advice changes neither its contents
        // nor who may access them.
        unsafe { advise(buffer.as_ptr().cast(), bytes, Hint::Large) };
    }
    buffer
}

/// A buffer of equal values, written by all threads.
#[must_use]
pub fn filled<T: Copy + Send + Sync>(value: T, len: usize) -> Vec<T> {
    let mut buffer = large(Vec::with_capacity(len));
    buffer.spare_capacity_mut()[..len]
        .par_chunks_mut(piece::<T>())
        .for_each(|room| room.fill(MaybeUninit::new(value)));
    // SAFETY: the capacity is at least `len`, and every value below it was written.
    unsafe { buffer.set_len(len) };
    buffer
}

/// Frees a buffer; all threads give back its pages if it is large.
pub fn release<T: Send>(mut buffer: Vec<T>) {
    buffer.clear();
    let room = buffer.spare_capacity_mut();
    if size_of_val(room) >= LEAST_BYTES {
        room.par_chunks_mut(piece::<T>()).for_each(|room| {
            let bytes = size_of_val(room);
            // SAFETY: the range is room without values, borrowed exclusively, and nothing is
            // written there before the buffer is freed.
            unsafe { advise(room.as_ptr().cast(), bytes, Hint::Unused) };
        });
    }
}

/// Values of a piece.
fn piece<T>() -> usize {
    (PIECE_BYTES / size_of::<T>().max(1)).max(1)
}

/// What the system is told about pages.
#[derive(Clone, Copy)]
enum Hint {
    /// Large ones are wanted.
    Large,
    /// Their contents are not needed any more.
    Unused,
}

/// Tells the system about the whole pages of a range. What it answers does not matter.
///
/// # Safety
/// The range is memory of the caller's, of which [`Hint::Unused`] may change the contents.
#[cfg(target_os = "linux")]
unsafe fn advise(start: *const u8, bytes: usize, hint: Hint) {
    use rustix::mm::{Advice, madvise};

    let page = rustix::param::page_size();
    let skip = start.align_offset(page);
    if skip < bytes {
        let advice = match hint {
            Hint::Large => Advice::LinuxHugepage,
            Hint::Unused => Advice::LinuxDontNeed,
        };
        let whole = (bytes - skip) / page * page;
        let start = start.wrapping_add(skip).cast_mut().cast();
        // SAFETY: the pages lie in the range, for which the caller vouches.
        let _ = unsafe { madvise(start, whole, advice) };
    }
}

/// Nothing is known about other systems.
///
/// # Safety
/// None is needed.
#[cfg(not(target_os = "linux"))]
unsafe fn advise(_: *const u8, _: usize, _: Hint) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_what_they_are_filled_with() {
        for len in [0, 1, 5, (3 << 20) + 7] {
            let buffer = filled([0x5a_u32, 7, 9], len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.iter().all(|&value| value == [0x5a, 7, 9]));
            let kept = large(buffer);
            assert_eq!(kept.len(), len);
            assert!(kept.iter().all(|&value| value == [0x5a, 7, 9]));
            release(kept);
        }
    }

    #[test]
    fn values_are_dropped_when_their_buffer_is_released() {
        let shared = std::sync::Arc::new(());
        let neighbour = filled(3_u64, 1 << 20);
        release(vec![shared.clone(); 1 << 20]);
        assert_eq!(std::sync::Arc::strong_count(&shared), 1);
        assert!(neighbour.iter().all(|&value| value == 3));
    }
}
