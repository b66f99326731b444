//! A suite whose transcript measures its own proof-of-work.
//!
//! The published prover calls its transcript's `grind` and knows nothing of stages. With this
//! suite in place of the plain one it draws the same challenges and writes the same proofs, and
//! the time it spends grinding can be told apart.

use std::cell::Cell;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

use p3_challenger::{
    CanObserve, CanSample, CanSampleBits, CanSampleUniformBits, FieldChallenger,
    GrindingChallenger, ResamplingError,
};
use p3_commit::Mmcs;
use p3_field::Field;
use prova_whir::{HashSuite, Suite};

thread_local! {
    static GRINDING: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Time that transcripts of this thread have ground since the last call.
pub fn take_grinding() -> Duration {
    GRINDING.take()
}

/// Suite `S` with a transcript that measures its proof-of-work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timed<S>(PhantomData<S>);

impl<S: Suite> Suite for Timed<S> {
    const HASH: HashSuite = S::HASH;
    type F = S::F;
    type EF = S::EF;
    type Digest = S::Digest;
    type Mmcs = S::Mmcs;
    type Challenger = TimedChallenger<S::Challenger>;

    fn mmcs() -> Self::Mmcs {
        S::mmcs()
    }
    fn challenger() -> Self::Challenger {
        TimedChallenger(S::challenger())
    }
    fn commitment(root: Self::Digest) -> <Self::Mmcs as Mmcs<Self::F>>::Commitment {
        S::commitment(root)
    }
    fn root(commitment: &<Self::Mmcs as Mmcs<Self::F>>::Commitment) -> Option<Self::Digest> {
        S::root(commitment)
    }
    fn multiproof(siblings: Vec<Self::Digest>) -> <Self::Mmcs as Mmcs<Self::F>>::MultiProof {
        S::multiproof(siblings)
    }
    fn siblings(proof: &<Self::Mmcs as Mmcs<Self::F>>::MultiProof) -> &[Self::Digest] {
        S::siblings(proof)
    }
}

/// A transcript that measures its proof-of-work.
#[derive(Clone, Debug)]
pub struct TimedChallenger<C>(C);

impl<C: CanObserve<T>, T> CanObserve<T> for TimedChallenger<C> {
    fn observe(&mut self, value: T) {
        self.0.observe(value);
    }
    fn observe_slice(&mut self, values: &[T])
    where
        T: Clone,
    {
        self.0.observe_slice(values);
    }
}

impl<C: CanSample<T>, T> CanSample<T> for TimedChallenger<C> {
    fn sample(&mut self) -> T {
        self.0.sample()
    }
}

impl<C: CanSampleBits<T>, T> CanSampleBits<T> for TimedChallenger<C> {
    fn sample_bits(&mut self, bits: usize) -> T {
        self.0.sample_bits(bits)
    }
}

impl<C: CanSampleUniformBits<F>, F> CanSampleUniformBits<F> for TimedChallenger<C> {
    fn sample_uniform_bits<const RESAMPLE: bool>(
        &mut self,
        bits: usize,
    ) -> Result<usize, ResamplingError> {
        self.0.sample_uniform_bits::<RESAMPLE>(bits)
    }
}

impl<C: FieldChallenger<F>, F: Field> FieldChallenger<F> for TimedChallenger<C> {}

impl<C: GrindingChallenger> GrindingChallenger for TimedChallenger<C> {
    type Witness = C::Witness;

    fn grind(&mut self, bits: usize) -> Self::Witness {
        let start = Instant::now();
        let witness = self.0.grind(bits);
        GRINDING.set(GRINDING.get() + start.elapsed());
        witness
    }

    fn check_witness(&mut self, bits: usize, witness: Self::Witness) -> bool {
        self.0.check_witness(bits, witness)
    }
}
