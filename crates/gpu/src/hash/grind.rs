//! Proof-of-work with the smallest witness, as the transcripts of `prova_hash::challenger` find it.

use minijinja::context;

use super::{HashKind, Hashing};
use crate::error::GpuError;

/// Candidates of a batch at least.
const LEAST: u64 = 1 << 12;
/// Batches a second at least, by the device's rate.
const PER_SECOND: u64 = 20;
/// Products a second assumed until measured.
const DEFAULT_RATE: u64 = 1_000_000_000;

impl Hashing {
    /// The smallest `w` of `0..p` such that permuting `state`, with its element `slot` replaced by
    /// `w`, leaves the low `bits` bits of the canonical value of element 7 zero; `None` if there is
    /// none. `state` holds Montgomery words: the sponge with what is pending absorbed, as in
    /// `prova_hash::challenger::DuplexGrinder::grind`.
    ///
    /// # Errors
    /// As [`crate::Recorder::finish`].
    ///
    /// # Panics
    /// If the kind is not Poseidon2, `slot >= 16`, or `2^bits >= p`.
    pub fn grind_duplex(
        &self,
        state: &[u32; 16],
        slot: usize,
        bits: u32,
    ) -> Result<Option<u64>, GpuError> {
        assert!(
            matches!(self.kind, HashKind::Poseidon2x16 | HashKind::Poseidon2x24),
            "a duplex transcript is over Poseidon2"
        );
        assert!(slot < 16, "the state has 16 elements");
        self.grind(state, slot as u32, bits)
    }

    /// The smallest `w` of `0..p` such that the last four bytes of the hash of `pending` followed by
    /// the four little-endian bytes of `w` in Montgomery form, read as a big-endian number, have
    /// their low `bits` bits zero. The hash is BLAKE3 or Keccak-256.
    ///
    /// That is `SerializingChallenger32::grind` over a `HashChallenger`: its squeeze leaves exactly
    /// one digest pending.
    ///
    /// # Errors
    /// As [`crate::Recorder::finish`].
    ///
    /// # Panics
    /// If the kind is Poseidon2 or `2^bits >= p`.
    pub fn grind_bytes(&self, pending: &[u8; 32], bits: u32) -> Result<Option<u64>, GpuError> {
        assert!(
            matches!(self.kind, HashKind::Keccak | HashKind::Blake3),
            "a byte transcript is over a byte hash"
        );
        let mut start = [0; 16];
        for (word, bytes) in start.iter_mut().zip(pending.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        self.grind(&start, 0, bits)
    }

    /// Candidates of a batch, which are tried in one submission: enough that one batch mostly does,
    /// and few enough to keep it short.
    fn batch(&self, bits: u32) -> u64 {
        let rate = match self.kit.gpu.products_per_second() {
            0 => DEFAULT_RATE,
            rate => rate,
        };
        let most = rate / PER_SECOND / self.cost.node();
        (4_u64 << bits).min(most).max(LEAST).next_multiple_of(64)
    }

    fn grind(&self, start: &[u32; 16], slot: u32, bits: u32) -> Result<Option<u64>, GpuError> {
        let field = &self.kit.field;
        let order = u64::from(field.modulus);
        assert!(
            bits < 32 && 1_u64 << bits < order,
            "2^bits must be below the field's order"
        );
        let gpu = &self.kit.gpu;
        let square = u64::from(field.one) * u64::from(field.one) % order;
        let kernel = self.kit.kernel(
            "grind",
            "hash/grind.wgsl",
            context! { hash => self.variables(3, "1u", 1), square => square },
        );
        let start = gpu.upload(start)?.slice(0, 16);
        let best = gpu.upload(&[u32::MAX])?.slice(0, 1);
        let batch = self.batch(bits);
        let mut first = 0;
        while first < order {
            let end = order.min(first + batch);
            let mut recorder = gpu.record();
            recorder.dispatch(
                &kernel,
                &[&start, &best, &self.constants()],
                &[first as u32, end as u32, slot, (1 << bits) - 1],
                (end - first).div_ceil(64) as u32,
                self.cost.grind(end - first),
            )?;
            let ticket = recorder.read(&best);
            let found = recorder.finish()?.get(ticket)[0];
            if found != u32::MAX {
                return Ok(Some(u64::from(found)));
            }
            first = end;
        }
        Ok(None)
    }
}
