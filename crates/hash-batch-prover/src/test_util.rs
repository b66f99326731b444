//! Random inputs of the unit tests.

use crate::channel::Channel;
use crate::field::{E, from_limbs};
use crate::witness::Compression;
use prova_binary_pcs::field::to_bytes;
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub(crate) fn random_elements(seed: u64, count: usize) -> Vec<E> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|_| from_limbs(std::array::from_fn(|_| rng.random())))
        .collect()
}

pub(crate) fn random_words(seed: u64, count: usize) -> Vec<u64> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count).map(|_| rng.random()).collect()
}

pub(crate) fn random_compressions(seed: u64, count: usize) -> Vec<Compression> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|_| Compression {
            chaining: std::array::from_fn(|_| rng.random()),
            message: std::array::from_fn(|_| rng.random()),
            counter: rng.random(),
            flags: [rng.random(), rng.random()],
        })
        .collect()
}

pub(crate) fn dot(a: &[E], b: &[E]) -> E {
    a.iter().zip(b).map(|(&x, &y)| x * y).sum()
}

/// Collects what a prover sends.
pub(crate) struct Recorder {
    pub(crate) transcript: ChainV0,
    pub(crate) sent: Vec<E>,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self {
            transcript: ChainV0::new(b"test"),
            sent: Vec::new(),
        }
    }

    /// A proof body of these scalars, without openings.
    pub(crate) fn body(scalars: &[E]) -> Vec<u8> {
        let mut body = (scalars.len() as u64).to_le_bytes().to_vec();
        body.extend(scalars.iter().flat_map(|&s| to_bytes(s)));
        body.extend(0u64.to_le_bytes());
        body
    }
}

impl Channel for Recorder {
    fn send(&mut self, value: E) {
        self.sent.push(value);
        self.transcript.observe(value);
    }

    fn sample(&mut self) -> E {
        self.transcript.sample()
    }
}
