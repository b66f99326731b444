//! The border: raw pointers become slices here, results are written here, panics end here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::status::{Error, Failure, Status};

/// Runs the body of an exported function, and tells the caller how it went.
///
/// # Safety
/// `error` is null or points to an [`Error`] that may be written.
pub(crate) unsafe fn answer(
    error: *mut Error,
    body: impl FnOnce() -> Result<(), Failure>,
) -> Status {
    // Nothing is left half changed: bodies write only when all else is done, and what they share
    // is immutable.
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        Err(Failure::Panic(text.unwrap_or_default()))
    });
    let details = Error::new(&result);
    if !error.is_null() {
        // SAFETY: not null, so it may be written; alignment is not assumed.
        unsafe { error.write_unaligned(details) };
    }
    details.status
}

/// The object behind a pointer.
///
/// # Safety
/// `pointer` is null or points to a `T` that outlives `'a` and is not changed meanwhile.
pub(crate) unsafe fn object<'a, T>(
    what: &'static str,
    pointer: *const T,
) -> Result<&'a T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or(Failure::Null(what))
}

/// The bytes of an input. Null is no bytes if the length is zero.
///
/// # Safety
/// `data` is null or `len` bytes can be read there, which nobody changes during `'a`.
pub(crate) unsafe fn input<'a>(
    what: &'static str,
    data: *const u8,
    len: usize,
) -> Result<&'a [u8], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Failure::Null(what));
    }
    let max = isize::MAX.unsigned_abs();
    if len > max {
        let got = len;
        return Err(Failure::TooLong { what, max, got });
    }
    // SAFETY: not null, not longer than an object can be, and readable as the caller promises.
    Ok(unsafe { core::slice::from_raw_parts(data, len) })
}

/// The structures of an array, copied: in the caller's memory they need not be aligned.
///
/// # Safety
/// `data` is null or `count` structures can be read there.
pub(crate) unsafe fn array<T: Copy>(
    what: &'static str,
    data: *const T,
    count: usize,
) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if data.is_null() {
        return Err(Failure::Null(what));
    }
    let max = isize::MAX.unsigned_abs();
    let got = count.saturating_mul(size_of::<T>());
    if got > max {
        return Err(Failure::TooLong { what, max, got });
    }
    let read = |index| {
        // SAFETY: below `count`, so inside the array, which is not longer than an object can be.
        unsafe { data.add(index).read_unaligned() }
    };
    Ok((0..count).map(read).collect())
}

/// Where a result goes.
pub(crate) struct Output {
    data: *mut u8,
    len: usize,
}

impl Output {
    /// # Safety
    /// `data` is null or `len` bytes can be written there.
    pub(crate) unsafe fn new(data: *mut u8, len: usize) -> Result<Self, Failure> {
        if data.is_null() && len != 0 {
            return Err(Failure::Null("out"));
        }
        Ok(Self { data, len })
    }

    /// Checks that there is room for just as many bytes, before anything is computed.
    pub(crate) fn expect_len(&self, expected: usize) -> Result<(), Failure> {
        expect_len("out", self.len, expected)
    }

    /// Writes the result. It may overlap the input, which is not read any more.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        self.expect_len(bytes.len())?;
        if !bytes.is_empty() {
            // SAFETY: as many bytes can be written, by `new`'s contract, and the result is in
            // memory of its own.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.data, bytes.len()) };
        }
        Ok(())
    }
}

/// Where one byte for every item goes, if it is wanted.
pub(crate) struct Verdicts {
    data: *mut u8,
    len: usize,
}

impl Verdicts {
    /// # Safety
    /// `data` is null or `len` bytes can be written there.
    pub(crate) unsafe fn new(data: *mut u8, len: usize) -> Self {
        Self { data, len }
    }

    /// Checks that there is room for just as many, or that none are wanted.
    pub(crate) fn expect_len(&self, items: usize) -> Result<(), Failure> {
        let expected = if self.data.is_null() { 0 } else { items };
        expect_len("verdicts", self.len, expected)
    }

    /// Writes as many as there are and there is room for. They may overlap the input, which is not
    /// read any more.
    pub(crate) fn write(self, verdicts: impl IntoIterator<Item = Status>) {
        if self.data.is_null() {
            return;
        }
        for (index, verdict) in (0..self.len).zip(verdicts) {
            // No status is that large; none may become zero.
            let byte = u8::try_from(verdict as i32).unwrap_or(u8::MAX);
            // SAFETY: not null and below `len`, so it can be written, by `new`'s contract.
            unsafe { self.data.add(index).write(byte) };
        }
    }
}

/// Checks a length that is fixed.
pub(crate) fn expect_len(what: &'static str, got: usize, expected: usize) -> Result<(), Failure> {
    if got == expected {
        Ok(())
    } else {
        Err(Failure::Length {
            what,
            expected,
            got,
        })
    }
}

/// Cuts an input into its items.
pub(crate) fn items<'a>(
    what: &'static str,
    bytes: &'a [u8],
    unit: usize,
) -> Result<core::slice::ChunksExact<'a, u8>, Failure> {
    let chunks = bytes.chunks_exact(unit);
    if chunks.remainder().is_empty() {
        Ok(chunks)
    } else {
        let got = bytes.len();
        Err(Failure::Multiple { what, unit, got })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_answers() {
        let context = crate::context::Context::new(2).expect("two threads");
        for in_pool in [false, true] {
            let mut error = Error::new(&Ok(()));
            // SAFETY: a local variable.
            let status = unsafe {
                answer(&raw mut error, || {
                    if in_pool {
                        context.run(|_| panic!("number {}", 7))
                    } else {
                        panic!("number 7")
                    }
                })
            };
            assert_eq!((status, error.status), (Status::Panic, Status::Panic));
            let text: Vec<u8> = error.message.iter().map(|c| c.to_ne_bytes()[0]).collect();
            assert!(text.starts_with(b"panic: number 7\0"));
        }
        assert!(context.run(|_| true), "the context stays usable");
    }
}
