//! What the kernels need to know about one field and one state width.

use p3_baby_bear::{BabyBear, Poseidon2BabyBear};
use p3_field::Field;
use p3_koala_bear::{KoalaBear, Poseidon2KoalaBear};
use p3_poseidon2::ExternalLayerConstants;
use p3_symmetric::CryptographicPermutation;

use crate::field::HashField;

/// One entry of the diagonal `V` of the internal layer's matrix `1 + Diag(V)`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diag {
    /// A small integer.
    Small(i8),
    /// `2^-k`.
    Inv(u32),
    /// `-2^-k`.
    NegInv(u32),
}

/// A field with a Plonky3 Poseidon2 of state width `WIDTH`.
pub trait Poseidon2Field<const WIDTH: usize>: HashField {
    /// The Plonky3 permutation: the oracle, and the portable implementation.
    type Perm: CryptographicPermutation<[Self; WIDTH]>
        + CryptographicPermutation<[<Self as Field>::Packing; WIDTH]>
        + core::fmt::Debug
        + Clone
        + Send
        + Sync;

    /// Exponent of the S-box.
    #[doc(hidden)]
    const SBOX: u64;

    /// The internal diagonal; entries from `WIDTH` on are unused.
    #[doc(hidden)]
    const DIAG: [Diag; 24];

    /// Builds the Plonky3 permutation from its round constants.
    fn permutation(
        external: ExternalLayerConstants<Self, WIDTH>,
        internal: Vec<Self>,
    ) -> Self::Perm;

    /// The published (Grain) round constants of this field and width.
    fn grain_constants() -> (ExternalLayerConstants<Self, WIDTH>, Vec<Self>);

    /// The Plonky3 permutation with the published (Grain) round constants.
    fn grain() -> Self::Perm {
        let (external, internal) = Self::grain_constants();
        Self::permutation(external, internal)
    }
}

const fn diag<const N: usize>(tail: [Diag; N]) -> [Diag; 24] {
    let mut out = [Diag::Small(1); 24];
    let head = [
        Diag::Small(-2),
        Diag::Small(1),
        Diag::Small(2),
        Diag::Inv(1),
        Diag::Small(3),
        Diag::Small(4),
        Diag::NegInv(1),
        Diag::Small(-3),
        Diag::Small(-4),
    ];
    let mut i = 0;
    while i < 9 {
        out[i] = head[i];
        i += 1;
    }
    let mut j = 0;
    while j < N {
        out[9 + j] = tail[j];
        j += 1;
    }
    out
}

macro_rules! poseidon2_field {
    ($field:ty, $perm:ident, $width:literal, $sbox:literal, $initial:path, $last:path, $internal:path,
     [$($tail:expr),* $(,)?]) => {
        impl Poseidon2Field<$width> for $field {
            type Perm = $perm<$width>;
            const SBOX: u64 = $sbox;
            const DIAG: [Diag; 24] = {
                use Diag::{Inv, NegInv};
                diag([$($tail),*])
            };

            fn permutation(
                external: ExternalLayerConstants<Self, $width>,
                internal: Vec<Self>,
            ) -> Self::Perm {
                $perm::new(external, internal)
            }

            fn grain_constants() -> (ExternalLayerConstants<Self, $width>, Vec<Self>) {
                let external = ExternalLayerConstants::new($initial.to_vec(), $last.to_vec());
                (external, $internal.to_vec())
            }
        }
    };
}

poseidon2_field!(
    BabyBear,
    Poseidon2BabyBear,
    16,
    7,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_16_INTERNAL,
    [
        Inv(8),
        Inv(2),
        Inv(3),
        Inv(27),
        NegInv(8),
        NegInv(4),
        NegInv(27)
    ]
);
poseidon2_field!(
    BabyBear,
    Poseidon2BabyBear,
    24,
    7,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    p3_baby_bear::BABYBEAR_POSEIDON2_RC_24_INTERNAL,
    [
        Inv(8),
        Inv(2),
        Inv(3),
        Inv(4),
        Inv(7),
        Inv(9),
        Inv(27),
        NegInv(8),
        NegInv(2),
        NegInv(3),
        NegInv(4),
        NegInv(5),
        NegInv(6),
        NegInv(7),
        NegInv(27)
    ]
);
poseidon2_field!(
    KoalaBear,
    Poseidon2KoalaBear,
    16,
    3,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_16_EXTERNAL_INITIAL,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_16_EXTERNAL_FINAL,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_16_INTERNAL,
    [
        Inv(8),
        Inv(3),
        Inv(24),
        NegInv(8),
        NegInv(3),
        NegInv(4),
        NegInv(24)
    ]
);
poseidon2_field!(
    KoalaBear,
    Poseidon2KoalaBear,
    24,
    3,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_24_EXTERNAL_INITIAL,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_24_EXTERNAL_FINAL,
    p3_koala_bear::KOALABEAR_POSEIDON2_RC_24_INTERNAL,
    [
        Inv(8),
        Inv(2),
        Inv(3),
        Inv(4),
        Inv(5),
        Inv(6),
        Inv(24),
        NegInv(8),
        NegInv(3),
        NegInv(4),
        NegInv(5),
        NegInv(6),
        NegInv(7),
        NegInv(9),
        NegInv(24)
    ]
);

/// The two-adic part of the field's order: `p - 1 = odd * 2^TWO_ADICITY`.
#[cfg(target_arch = "x86_64")]
pub(super) const fn two_adicity<F: p3_field::PrimeField32>() -> u32 {
    (F::ORDER_U32 - 1).trailing_zeros()
}
