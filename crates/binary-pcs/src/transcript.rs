//! The Fiat-Shamir transcript: a chain of BLAKE2s compressions.
//!
//! Protocol code is generic over [`Transcript`], so that a profile with another label or another
//! way of absorbing is one more implementation. [`ChainV0`] is the profile `v0`.

use p3_blake2s::Blake2s256;

use crate::field::{E, from_limbs, to_limbs};

/// What protocol code asks of a transcript.
pub trait Transcript {
    /// Absorbs a byte string together with its length.
    fn observe_bytes(&mut self, bytes: &[u8]);

    /// Absorbs a field element.
    fn observe(&mut self, value: E);

    /// Draws a field element.
    fn sample(&mut self) -> E;

    /// Absorbs a grinding nonce and says whether it is good for `bits` bits. With `bits = 0` only
    /// the zero nonce is good.
    fn check_grinding(&mut self, nonce: E, bits: u32) -> bool;
}

/// What a block of the chain holds: its fourth word.
#[derive(Clone, Copy, Debug)]
enum Tag {
    Scalar,
    Bytes,
    Length,
    Squeeze,
    GrindingBase,
    GrindingNonce,
}

impl Tag {
    const fn word(self) -> u64 {
        match self {
            Self::Scalar => 1,
            Self::Bytes => 2,
            Self::Length => 3,
            Self::Squeeze => 4,
            Self::GrindingBase => 5,
            Self::GrindingNonce => 6,
        }
    }
}

/// A chaining value: 32 bytes as little-endian words.
pub type State = [u64; 4];

/// The transcript of profile `v0`: `state <- BLAKE2s-256(state || block)`, where a block is three
/// words of data and a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainV0 {
    state: State,
}

impl ChainV0 {
    /// Absorbed before the label.
    pub const PROTOCOL: &'static [u8] = b"leanvm-b/transcript/v4-blake2s";

    /// A transcript that has absorbed the protocol's name and `label`.
    #[must_use]
    pub fn new(label: &[u8]) -> Self {
        let mut chain = Self { state: [0; 4] };
        chain.observe_bytes(Self::PROTOCOL);
        chain.observe_bytes(label);
        chain
    }

    /// The chaining value.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// What nonces are tried against: a function of the state, which it leaves as it is.
    #[must_use]
    pub fn grinding_base(&self) -> State {
        compress(self.state, block([0; 3], Tag::GrindingBase))
    }

    /// Whether `nonce` is good for `bits` bits under a base: the low bits of the first word of the
    /// compression are zero.
    #[must_use]
    pub fn is_good_nonce(base: State, nonce: E, bits: u32) -> bool {
        let [word, ..] = compress(base, block(to_limbs(nonce), Tag::GrindingNonce));
        word.trailing_zeros() >= bits
    }

    fn step(&mut self, data: [u64; 3], tag: Tag) {
        self.state = compress(self.state, block(data, tag));
    }
}

impl Transcript for ChainV0 {
    fn observe_bytes(&mut self, bytes: &[u8]) {
        // No platform has lengths above 2^64.
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.step([length, 0, 0], Tag::Length);
        for piece in bytes.chunks(24) {
            let mut padded = [0; 24];
            for (to, from) in padded.iter_mut().zip(piece) {
                *to = *from;
            }
            self.step(to_limbs(crate::field::from_bytes(&padded)), Tag::Bytes);
        }
    }

    fn observe(&mut self, value: E) {
        self.step(to_limbs(value), Tag::Scalar);
    }

    fn sample(&mut self) -> E {
        self.step([0; 3], Tag::Squeeze);
        let [c0, c1, c2, _] = self.state;
        from_limbs([c0, c1, c2])
    }

    fn check_grinding(&mut self, nonce: E, bits: u32) -> bool {
        let good = if bits == 0 {
            to_limbs(nonce) == [0; 3]
        } else {
            Self::is_good_nonce(self.grinding_base(), nonce, bits)
        };
        self.step(to_limbs(nonce), Tag::GrindingNonce);
        good
    }
}

const fn block([d0, d1, d2]: [u64; 3], tag: Tag) -> [u64; 4] {
    [d0, d1, d2, tag.word()]
}

/// BLAKE2s-256 of the 64 bytes of two word quadruples: one compression.
#[must_use]
pub fn compress(state: State, block: [u64; 4]) -> State {
    let mut bytes = [0; 64];
    let words = state.iter().chain(&block);
    for (chunk, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    words_of(&Blake2s256::hash(&bytes))
}

/// The four little-endian words of 32 bytes.
#[must_use]
pub fn words_of(bytes: &[u8; 32]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*chunk);
    }
    words
}

/// The two halves of 32 bytes as elements with a zero third limb: how digests are absorbed.
pub fn halves(bytes: &[u8; 32]) -> [E; 2] {
    let [w0, w1, w2, w3] = words_of(bytes);
    [from_limbs([w0, w1, 0]), from_limbs([w2, w3, 0])]
}
