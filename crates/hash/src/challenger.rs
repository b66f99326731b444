//! Transcripts equal to Plonky3's, except that grinding returns the smallest witness.
//!
//! Plonky3's parallel search returns whichever witness a thread meets first, so its proofs differ
//! from run to run. Both searches here are deterministic for any number of threads.

use core::fmt;
use std::sync::Arc;

use p3_challenger::{
    ByteGrindingChallenger, CanFinalizeDigest, CanObserve, CanSample, CanSampleBits,
    CanSampleUniformBits, DuplexChallenger, FieldChallenger, GrindingChallenger, ResamplingError,
    SerializingChallenger32,
};
use p3_field::{BasedVectorSpace, UniformSamplingField};
use p3_symmetric::{CryptographicHasher, Hash, MerkleCap};

use crate::grind::smallest;
use crate::poseidon2::{Poseidon2Field, Poseidon2Kernel};

/// Elements absorbed per permutation of the duplex sponge.
const RATE: usize = 8;

/// Candidates a thread tries before it looks at what the others found.
const CHUNK: u64 = 1 << 12;

/// Another machine's proof-of-work search for a duplex sponge of width 16 and rate 8.
pub trait DuplexSearch<F>: Send + Sync {
    /// The smallest canonical witness `w` such that permuting `state`, with its element `slot`
    /// replaced by `w`, leaves the low `bits` bits of canonical output element 7 (the last of the
    /// rate) zero. `slot` is below 8 and `1 <= bits`, `2^bits` below the field's order.
    ///
    /// `None` declines: the CPU then searches from the start. A failed device answers so, and
    /// reports its failure where it is next asked for work. The transcript checks that a witness
    /// passes, not that it is the smallest; one that is not gives a valid proof of other bytes.
    fn search(&self, state: &[F; 16], slot: usize, bits: usize) -> Option<u64>;
}

/// `DuplexChallenger<F, Poseidon2<16>, 16, 8>` that grinds to the smallest witness.
#[derive(Clone)]
pub struct DuplexGrinder<F: Poseidon2Field<16>> {
    /// The stock transcript; every operation but the search is its own.
    pub inner: DuplexChallenger<F, F::Perm, 16, RATE>,
    kernel: Poseidon2Kernel<F, 16>,
    search: Option<Arc<dyn DuplexSearch<F>>>,
}

impl<F: Poseidon2Field<16>> fmt::Debug for DuplexGrinder<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DuplexGrinder")
            .field("inner", &self.inner)
            .field("kernel", &self.kernel)
            .field("search", &self.search.as_ref().map(|_| ".."))
            .finish()
    }
}

impl<F: Poseidon2Field<16>> DuplexGrinder<F> {
    /// A fresh transcript over the kernel's permutation.
    pub fn new(kernel: Poseidon2Kernel<F, 16>) -> Self {
        let inner = DuplexChallenger::new(kernel.permutation().clone());
        Self {
            inner,
            kernel,
            search: None,
        }
    }

    /// The same transcript, grinding on another machine first.
    #[must_use]
    pub fn with_search(mut self, search: Arc<dyn DuplexSearch<F>>) -> Self {
        self.search = Some(search);
        self
    }
}

impl<F: Poseidon2Field<16>> CanObserve<F> for DuplexGrinder<F> {
    fn observe(&mut self, value: F) {
        self.inner.observe(value);
    }
}

impl<F: Poseidon2Field<16>, const N: usize> CanObserve<[F; N]> for DuplexGrinder<F> {
    fn observe(&mut self, values: [F; N]) {
        self.inner.observe(values);
    }
}

impl<F: Poseidon2Field<16>, const N: usize> CanObserve<Hash<F, F, N>> for DuplexGrinder<F> {
    fn observe(&mut self, values: Hash<F, F, N>) {
        self.inner.observe(values);
    }
}

impl<F: Poseidon2Field<16>, const N: usize> CanObserve<&MerkleCap<F, [F; N]>> for DuplexGrinder<F> {
    fn observe(&mut self, cap: &MerkleCap<F, [F; N]>) {
        self.inner.observe(cap);
    }
}

impl<F: Poseidon2Field<16>, const N: usize> CanObserve<MerkleCap<F, [F; N]>> for DuplexGrinder<F> {
    fn observe(&mut self, cap: MerkleCap<F, [F; N]>) {
        self.inner.observe(cap);
    }
}

impl<F: Poseidon2Field<16>, EF: BasedVectorSpace<F>> CanSample<EF> for DuplexGrinder<F> {
    fn sample(&mut self) -> EF {
        self.inner.sample()
    }
}

impl<F: Poseidon2Field<16>> CanSampleBits<usize> for DuplexGrinder<F> {
    fn sample_bits(&mut self, bits: usize) -> usize {
        self.inner.sample_bits(bits)
    }
}

impl<F: Poseidon2Field<16> + UniformSamplingField> CanSampleUniformBits<F> for DuplexGrinder<F> {
    fn sample_uniform_bits<const RESAMPLE: bool>(
        &mut self,
        bits: usize,
    ) -> Result<usize, ResamplingError> {
        self.inner.sample_uniform_bits::<RESAMPLE>(bits)
    }
}

impl<F: Poseidon2Field<16>> FieldChallenger<F> for DuplexGrinder<F> {}

impl<F: Poseidon2Field<16>> CanFinalizeDigest for DuplexGrinder<F> {
    type Digest = [F; RATE];

    fn finalize(self) -> [F; RATE] {
        self.inner.finalize()
    }
}

impl<F: Poseidon2Field<16>> GrindingChallenger for DuplexGrinder<F> {
    type Witness = F;

    /// The smallest passing witness, absorbed.
    ///
    /// # Panics
    /// If `2^bits` is not below the field's order, or no element passes.
    fn grind(&mut self, bits: usize) -> F {
        assert!(
            bits < 64 && (1u64 << bits) < F::ORDER_U64,
            "2^bits must be below the field's order"
        );
        if bits == 0 {
            return F::ZERO;
        }
        // The absorb that the witness completes: pending inputs, witness, zeros, and the number of
        // absorbed elements added to the first capacity element.
        let slot = self.inner.input_buffer.len();
        let mut base = self.inner.sponge_state;
        base[..slot].copy_from_slice(&self.inner.input_buffer);
        base[slot..RATE].fill(F::ZERO);
        base[RATE] += F::from_usize(slot + 1);
        if let Some(search) = &self.search
            && let Some(found) = search.search(&base, slot, bits)
            && found < F::ORDER_U64
        {
            // Judged on a copy, so that a witness that fails leaves the transcript untouched.
            let witness = F::from_u64(found);
            let mut absorbed = self.inner.clone();
            if absorbed.check_witness(bits, witness) {
                self.inner = absorbed;
                return witness;
            }
        }
        let mask = (1u32 << bits) - 1;
        let found = smallest(F::ORDER_U64, CHUNK, |from, to| {
            self.kernel.search(&base, slot, mask, from, to)
        });
        let witness = F::from_u64(found.expect("no proof-of-work witness exists"));
        assert!(
            self.check_witness(bits, witness),
            "the search and the transcript disagree"
        );
        witness
    }
}

/// `SerializingChallenger32` over [`HashGrinder`]: the byte transcript with the smallest witness.
pub type ByteGrinder<F, H> = SerializingChallenger32<F, HashGrinder<H>>;

/// `HashChallenger<u8, H, 32>` that grinds to the smallest witness, many candidates a hash call.
#[derive(Clone, Debug)]
pub struct HashGrinder<H> {
    /// Bytes to hash at the next flush: the last digest, then what was observed since.
    pending: Vec<u8>,
    /// Digest bytes not yet sampled; samples are taken from the end.
    unread: Vec<u8>,
    hasher: H,
    /// Asked before the CPU searches.
    search: Option<Arc<dyn ByteSearch>>,
}

/// Another machine's proof-of-work search for a byte transcript over a 31-bit field.
pub trait ByteSearch: Send + Sync + core::fmt::Debug {
    /// The smallest `w` below the field's order such that in the hash of `pending` followed by the
    /// four little-endian bytes of the stored word of `w`, the last four bytes, read as a
    /// big-endian number, have their low `bits` bits zero.
    ///
    /// `None` declines: the CPU then searches from the start. What is found is checked.
    fn search(&self, pending: &[u8], bits: usize) -> Option<u64>;
}

impl<H: CryptographicHasher<u8, [u8; 32]>> HashGrinder<H> {
    /// A transcript that starts with `initial` pending.
    pub const fn new(initial: Vec<u8>, hasher: H) -> Self {
        Self {
            pending: initial,
            unread: Vec::new(),
            hasher,
            search: None,
        }
    }

    /// The same transcript, with a search that is asked first.
    #[must_use]
    pub fn with_search(mut self, search: Arc<dyn ByteSearch>) -> Self {
        self.search = Some(search);
        self
    }

    /// What the other machine finds, if it passes.
    fn searched<const W: usize, const S: usize>(
        &self,
        num_candidates: u64,
        encode: impl Fn(u64) -> [u8; W],
        accepts: impl Fn([u8; S]) -> bool,
    ) -> Option<u64> {
        let search = self.search.as_ref().filter(|_| (W, S) == (4, 4))?;
        // The difficulty is in the closure: its bits are those that alone make it refuse.
        let tested = |bit: usize| {
            let mut sample = [0; S];
            sample[bit / 8] = 1 << (bit % 8);
            !accepts(sample)
        };
        let bits = (0..32).take_while(|&bit| tested(bit)).count();
        if bits == 0 || (bits..32).any(tested) {
            return None;
        }
        let found = search
            .search(&self.pending, bits)
            .filter(|&found| found < num_candidates)?;
        let message = [&self.pending[..], &encode(found)].concat();
        let digest = self.hasher.hash_slice(&message);
        accepts(core::array::from_fn(|k| digest[31 - k])).then_some(found)
    }
}

impl<H> CanObserve<u8> for HashGrinder<H> {
    fn observe(&mut self, value: u8) {
        self.observe_slice(&[value]);
    }

    fn observe_slice(&mut self, values: &[u8]) {
        if !values.is_empty() {
            self.unread.clear();
            self.pending.extend_from_slice(values);
        }
    }
}

impl<H: CryptographicHasher<u8, [u8; 32]>> CanSample<u8> for HashGrinder<H> {
    fn sample(&mut self) -> u8 {
        loop {
            if let Some(byte) = self.unread.pop() {
                return byte;
            }
            let digest = self.hasher.hash_slice(&self.pending);
            self.pending.clear();
            self.pending.extend_from_slice(&digest);
            self.unread.extend_from_slice(&digest);
        }
    }
}

impl<H> ByteGrindingChallenger for HashGrinder<H>
where
    H: CryptographicHasher<u8, [u8; 32]> + Send + Sync,
{
    /// The smallest passing candidate.
    ///
    /// As long as one digest serves all samples, candidate `c` is judged by the last bytes of
    /// `H(pending || encode(c))`, so a batch of candidates is a batch of equal-length messages.
    fn find_witness<const W: usize, const S: usize>(
        &self,
        num_candidates: u64,
        encode: impl Fn(u64) -> [u8; W] + Sync,
        accepts: impl Fn([u8; S]) -> bool + Sync,
    ) -> Option<u64> {
        if W == 0 || S > 32 {
            return smallest(num_candidates, CHUNK, |from, to| {
                (from..to).find(|&candidate| {
                    let mut trial = self.clone();
                    trial.observe_slice(&encode(candidate));
                    accepts(trial.sample_array())
                })
            });
        }
        if let Some(found) = self.searched(num_candidates, &encode, &accepts) {
            return Some(found);
        }
        let prefix = self.pending.len();
        let length = prefix + W;
        let lanes = H::LANES.max(1);
        smallest(num_candidates, CHUNK, |from, to| {
            let mut messages = self.pending.clone();
            messages.extend_from_slice(&[0; W]);
            let mut messages = messages.repeat(lanes);
            let mut digests = vec![[0u8; 32]; lanes];
            (from..to).step_by(lanes).find_map(|first| {
                let count = (to - first).min(lanes as u64) as usize;
                for (candidate, message) in (first..to).zip(messages.chunks_exact_mut(length)) {
                    message[prefix..].copy_from_slice(&encode(candidate));
                }
                self.hasher
                    .hash_many(&messages[..count * length], &mut digests[..count]);
                let hit = digests[..count]
                    .iter()
                    .position(|d| accepts(core::array::from_fn(|k| d[31 - k])))?;
                Some(first + hit as u64)
            })
        })
    }
}
