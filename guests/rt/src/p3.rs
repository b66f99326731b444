//! Plonky3's permutation traits over the Poseidon2 system call.

use p3_baby_bear::BabyBear;
use p3_koala_bear::KoalaBear;
use p3_symmetric::{CryptographicPermutation, Permutation};
use prova_riscv_abi::poseidon2::{BABY_BEAR_16, BABY_BEAR_24, KOALA_BEAR_16, KOALA_BEAR_24};

use crate::sys;

/// Poseidon2 with the constants that Plonky3 ships (`default_babybear_poseidon2_16` and its kin):
/// a permutation of 16 or 24 elements of BabyBear or KoalaBear.
#[derive(Clone, Copy, Debug, Default)]
pub struct Poseidon2Call;

macro_rules! permutation {
    ($field:ty, $width:literal, $instance:ident) => {
        impl Permutation<[$field; $width]> for Poseidon2Call {
            #[inline(always)]
            fn permute_mut(&self, state: &mut [$field; $width]) {
                // SAFETY: the field element is a transparent `u32` in Montgomery form, as the
                // call takes it, and the array is as wide as the instance.
                unsafe { sys::poseidon2::<$instance>(state.as_mut_ptr().cast()) }
            }
        }

        impl CryptographicPermutation<[$field; $width]> for Poseidon2Call {}
    };
}

permutation!(BabyBear, 16, BABY_BEAR_16);
permutation!(BabyBear, 24, BABY_BEAR_24);
permutation!(KoalaBear, 16, KOALA_BEAR_16);
permutation!(KoalaBear, 24, KOALA_BEAR_24);
