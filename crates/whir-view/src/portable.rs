//! The permutations of `p3-baby-bear` and `p3-koala-bear`.

use p3_baby_bear::{Poseidon2BabyBear, default_babybear_poseidon2_16};
use p3_field::PrimeField32;
use p3_koala_bear::{Poseidon2KoalaBear, default_koalabear_poseidon2_16};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, U32Deserializer};

use crate::field::{BabyBear, Modulus};
use crate::sponge::{Permutation, WIDTH};

/// Poseidon2 in portable code, by Plonky3.
#[derive(Clone, Debug)]
pub struct Portable {
    baby_bear: Poseidon2BabyBear<WIDTH>,
    koala_bear: Poseidon2KoalaBear<WIDTH>,
}

impl Default for Portable {
    fn default() -> Self {
        Self {
            baby_bear: default_babybear_poseidon2_16(),
            koala_bear: default_koalabear_poseidon2_16(),
        }
    }
}

/// The element whose Montgomery form is `word`, below the modulus.
///
/// `p3-monty-31` has no public constructor from the Montgomery form, but its serialisation is
/// that form, checked against the modulus.
#[inline(always)]
pub(crate) fn from_word<F: PrimeField32 + for<'de> Deserialize<'de>>(word: u32) -> F {
    let word: U32Deserializer<Error> = word.into_deserializer();
    F::deserialize(word).unwrap_or(F::ZERO)
}

#[inline(always)]
fn permute<F, P>(permutation: &P, state: &mut [u32; WIDTH])
where
    F: PrimeField32 + for<'de> Deserialize<'de>,
    P: p3_symmetric::Permutation<[F; WIDTH]>,
{
    let mut elements: [F; WIDTH] = core::array::from_fn(|i| from_word(state[i]));
    permutation.permute_mut(&mut elements);
    // Of a Montgomery field this is the word in memory.
    *state = elements.map(|x| x.to_unique_u32());
}

impl Permutation for Portable {
    fn permute<M: Modulus>(&self, state: &mut [u32; WIDTH]) {
        if M::TAG == BabyBear::TAG {
            permute::<p3_baby_bear::BabyBear, _>(&self.baby_bear, state);
        } else {
            permute::<p3_koala_bear::KoalaBear, _>(&self.koala_bear, state);
        }
    }
}
