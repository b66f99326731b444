//! Reed-Solomon encoding of a row-major matrix, column by column, in bit-reversed row order.
//!
//! The codeword of a `2^m`-row message at log-inverse rate `r` is the transform of size
//! `N = 2^(m+r)` of the zero-padded columns. Seen as repeated splitting of polynomials (see
//! `twiddles`), its first `r` layers copy the message, so each of the `2^r` contiguous regions of
//! the stored codeword is a transform of the message with that region's own twiddles: no
//! multiplication by coset shifts, no work on zeros, and the bit-reversed order comes for free.
//!
//! Memory is passed over twice, or thrice for very tall messages: the first pass does the top layers of a large region on
//! tiles, the second the remaining layers on blocks that stay in cache, and hands their rows to
//! the caller at once.

use core::mem::MaybeUninit;

use p3_field::{PrimeField32, TwoAdicField};

use self::job::{Job, Shared};
use self::kernel::{Arith, Packed};
use self::tasks::for_each_task;
use self::twiddles::Twiddles;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
mod ifma;
mod job;
mod kernel;
mod lanes;
mod scratch;
mod tail;
mod tasks;
#[cfg(test)]
mod tests;
mod twiddles;

/// Receives finished rows. A trait object, so that the transforms are compiled once a field and
/// not once a caller.
type Sink<'a, F> = &'a (dyn Fn(usize, &[F], &[F]) + Sync);

/// Encoder for codewords of up to a fixed number of rows; holds the twiddle tables.
#[derive(Clone, Debug)]
pub struct Encoder<F> {
    twiddles: Twiddles<F>,
}

impl<F: TwoAdicField + PrimeField32> Encoder<F> {
    /// An encoder for codewords of at most `2^max_log_rows` rows.
    ///
    /// # Panics
    /// If the field has no subgroup of that order.
    pub fn new(max_log_rows: usize) -> Self {
        assert!(
            max_log_rows <= F::TWO_ADICITY,
            "no subgroup of order 2^{max_log_rows}"
        );
        Self {
            twiddles: Twiddles::new(max_log_rows),
        }
    }

    /// Encodes `message`, `2^m` rows of `width` elements, into `codeword`, `2^(m + r)` rows, where
    /// `r = log_inv_rate >= 1`. Stored row `rev(i)` (the `m + r` bits of `i` reversed) holds, for
    /// each column, the polynomial with the column's coefficients at `g^i`, where `g` is the
    /// field's generator of order `2^(m + r)`.
    ///
    /// With `N` codeword rows, `sink(s, lower, upper)` is called once for each block of finished
    /// rows, from several threads at once and in no fixed order: `lower` holds stored rows
    /// `s..s + k`, `upper` rows `s + N/2..s + N/2 + k`. `k` is the same power of two for all
    /// blocks, at least 32 if `N/2` is, and the blocks cover `0..N/2`.
    ///
    /// What `codeword` held before does not matter. Work is spread over the current rayon pool;
    /// the result does not depend on it. Buffers aligned to 64 bytes are read and written faster.
    ///
    /// # Panics
    /// If the lengths do not fit together, the message's height is not a power of two, `width` or
    /// `log_inv_rate` is 0, or the codeword has more rows than the encoder was built for.
    pub fn encode<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [F],
        sink: S,
    ) {
        // SAFETY: same layout, and `encode_uninit` writes elements only.
        let codeword = unsafe { &mut *(core::ptr::from_mut(codeword) as *mut [MaybeUninit<F>]) };
        self.encode_uninit(message, width, log_inv_rate, codeword, sink);
    }

    /// [`Self::encode`] into memory that may be uninitialised; afterwards all of it is
    /// initialised.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_uninit<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [MaybeUninit<F>],
        sink: S,
    ) {
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512ifma"
        ))]
        if ifma::Ifma::applies::<F>() {
            return self.encode_by::<ifma::Ifma>(message, width, log_inv_rate, codeword, &sink);
        }
        self.encode_by::<Packed>(message, width, log_inv_rate, codeword, &sink);
    }

    fn encode_by<A: Arith<F>>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        codeword: &mut [MaybeUninit<F>],
        sink: Sink<'_, F>,
    ) {
        let job = Job::<F, A>::new(&self.twiddles, message, width, log_inv_rate);
        assert_eq!(
            codeword.len(),
            message.len() << log_inv_rate,
            "codeword length"
        );
        let lower = Shared(codeword.as_mut_ptr().cast::<F>());
        // SAFETY: half the length.
        let upper = Shared(unsafe { lower.0.add(codeword.len() / 2) });
        if job.is_scalar() {
            // SAFETY: both halves of the codeword.
            unsafe { job.encode_scalar(lower.0, upper.0, sink) };
        } else if job.region <= job.block {
            for_each_task(
                job.half_rows() / job.block,
                || job.scratch(0),
                |scratch, i| {
                    let at = i * job.block * width;
                    // SAFETY: block `i` of each half; no other task has it.
                    unsafe {
                        job.block_pair(i, lower.at(at), upper.at(at), true, scratch, sink);
                    }
                },
            );
        } else {
            for c in 0..job.regions() / 2 {
                let at = c * message.len();
                // SAFETY: region `c` of each half.
                unsafe { job.region_pair(c, lower.at(at), upper.at(at), sink) };
            }
        }
    }

    /// [`Self::encode`] without keeping the codeword: rows exist only while the sink sees them.
    ///
    /// `scratch` is resized to at most two messages' length; its contents do not matter and it
    /// may be reused.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_discarding<S: Fn(usize, &[F], &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        sink: S,
    ) {
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512ifma"
        ))]
        if ifma::Ifma::applies::<F>() {
            return self.discard_by::<ifma::Ifma>(message, width, log_inv_rate, scratch, &sink);
        }
        self.discard_by::<Packed>(message, width, log_inv_rate, scratch, &sink);
    }

    /// [`Self::encode_discarding`] for large messages, in half the memory: one coset at a time, so
    /// that sibling rows do not meet. `rows(s, block)` receives stored rows `s..`, each once.
    ///
    /// Returns `false` and does nothing where the message is so small that the pairwise form needs
    /// no more than a block a worker.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_alone<R: Fn(usize, &[F]) + Sync>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        rows: R,
    ) -> bool {
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512ifma"
        ))]
        if ifma::Ifma::applies::<F>() {
            return self.alone_by::<ifma::Ifma>(message, width, log_inv_rate, scratch, &rows);
        }
        self.alone_by::<Packed>(message, width, log_inv_rate, scratch, &rows)
    }

    fn alone_by<A: Arith<F>>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        rows: &(dyn Fn(usize, &[F]) + Sync),
    ) -> bool {
        let job = Job::<F, A>::new(&self.twiddles, message, width, log_inv_rate);
        if job.is_scalar() || job.region <= job.block {
            return false;
        }
        scratch.resize(message.len(), F::ZERO);
        for c in 0..job.regions() {
            // SAFETY: one region.
            unsafe { job.region_alone(c, scratch.as_mut_ptr(), rows) };
        }
        true
    }

    fn discard_by<A: Arith<F>>(
        &self,
        message: &[F],
        width: usize,
        log_inv_rate: usize,
        scratch: &mut Vec<F>,
        sink: Sink<'_, F>,
    ) {
        let job = Job::<F, A>::new(&self.twiddles, message, width, log_inv_rate);
        if job.is_scalar() {
            scratch.resize(message.len() << log_inv_rate, F::ZERO);
            let lower = scratch.as_mut_ptr();
            // SAFETY: both halves of a codeword's length.
            unsafe { job.encode_scalar(lower, lower.add(scratch.len() / 2), sink) };
        } else if job.region <= job.block {
            let len = job.block * width;
            for_each_task(
                job.half_rows() / job.block,
                || job.scratch(2 * len),
                |s, i| {
                    let lower = s.blocks.as_mut_ptr();
                    // SAFETY: the worker's own pair of blocks.
                    unsafe { job.block_pair(i, lower, lower.add(len), true, s, sink) };
                },
            );
        } else {
            scratch.resize(2 * message.len(), F::ZERO);
            let lower = scratch.as_mut_ptr();
            for c in 0..job.regions() / 2 {
                // SAFETY: two regions.
                unsafe { job.region_pair(c, lower, lower.add(message.len()), sink) };
            }
        }
    }
}
