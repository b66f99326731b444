//! The Poseidon2 permutations of the system call, with the round constants that Plonky3 ships.

use p3_baby_bear::{
    BabyBear, Poseidon2BabyBear, default_babybear_poseidon2_16, default_babybear_poseidon2_24,
};
use p3_field::PrimeField32;
use p3_koala_bear::{
    KoalaBear, Poseidon2KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24,
};
use p3_symmetric::Permutation;

/// Round constants are expanded when an instance is first called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poseidon2 {
    baby_bear_16: Option<Poseidon2BabyBear<16>>,
    baby_bear_24: Option<Poseidon2BabyBear<24>>,
    koala_bear_16: Option<Poseidon2KoalaBear<16>>,
    koala_bear_24: Option<Poseidon2KoalaBear<24>>,
}

/// The first word that is not below the modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotCanonical {
    pub index: usize,
    pub modulus: u32,
}

impl Poseidon2 {
    pub fn baby_bear_16(&mut self, words: &mut [u32; 16]) -> Result<(), NotCanonical> {
        let permutation = self
            .baby_bear_16
            .get_or_insert_with(default_babybear_poseidon2_16);
        permute::<BabyBear, _, 16>(permutation, words)
    }

    pub fn baby_bear_24(&mut self, words: &mut [u32; 24]) -> Result<(), NotCanonical> {
        let permutation = self
            .baby_bear_24
            .get_or_insert_with(default_babybear_poseidon2_24);
        permute::<BabyBear, _, 24>(permutation, words)
    }

    pub fn koala_bear_16(&mut self, words: &mut [u32; 16]) -> Result<(), NotCanonical> {
        let permutation = self
            .koala_bear_16
            .get_or_insert_with(default_koalabear_poseidon2_16);
        permute::<KoalaBear, _, 16>(permutation, words)
    }

    pub fn koala_bear_24(&mut self, words: &mut [u32; 24]) -> Result<(), NotCanonical> {
        let permutation = self
            .koala_bear_24
            .get_or_insert_with(default_koalabear_poseidon2_24);
        permute::<KoalaBear, _, 24>(permutation, words)
    }
}

/// Permutes words in Montgomery form, `x * 2^32 mod p`.
fn permute<F: PrimeField32, P: Permutation<[F; N]>, const N: usize>(
    permutation: &P,
    words: &mut [u32; N],
) -> Result<(), NotCanonical> {
    let modulus = F::ORDER_U32;
    if let Some(index) = words.iter().position(|&word| word >= modulus) {
        return Err(NotCanonical { index, modulus });
    }
    let mut state = words.map(|word| F::from_u32(word).div_2exp_u64(32));
    permutation.permute_mut(&mut state);
    *words = state.map(|value| value.mul_2exp_u64(32).as_canonical_u32());
    Ok(())
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    /// The words are those that elements of `F` are kept as.
    fn check<F: PrimeField32, P: Permutation<[F; N]>, const N: usize>(
        permutation: &P,
        mut call: impl FnMut(&mut [u32; N]) -> Result<(), NotCanonical>,
    ) {
        let mut state: [F; N] = core::array::from_fn(|i| F::from_u64((i as u64 + 1) << 40));
        let mut words = state.map(|value| value.to_unique_u32());
        permutation.permute_mut(&mut state);
        assert_eq!(call(&mut words), Ok(()));
        assert_eq!(words, state.map(|value| value.to_unique_u32()));

        let modulus = F::ORDER_U32;
        words[N - 1] = modulus;
        assert_eq!(
            call(&mut words),
            Err(NotCanonical {
                index: N - 1,
                modulus
            })
        );
        words[N - 1] = modulus - 1;
        assert_eq!(call(&mut words), Ok(()));
    }

    #[test]
    fn instances() {
        let mut calls = Poseidon2::default();
        check::<BabyBear, _, 16>(&default_babybear_poseidon2_16(), |words| {
            calls.baby_bear_16(words)
        });
        check::<BabyBear, _, 24>(&default_babybear_poseidon2_24(), |words| {
            calls.baby_bear_24(words)
        });
        check::<KoalaBear, _, 16>(&default_koalabear_poseidon2_16(), |words| {
            calls.koala_bear_16(words)
        });
        check::<KoalaBear, _, 24>(&default_koalabear_poseidon2_24(), |words| {
            calls.koala_bear_24(words)
        });
    }

    #[test]
    fn montgomery_form() {
        let one = u64::from(BabyBear::ONE.to_unique_u32());
        assert_eq!(one, (1 << 32) % u64::from(BabyBear::ORDER_U32));
    }
}
