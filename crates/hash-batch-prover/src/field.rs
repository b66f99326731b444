//! The fields of the constraint system and the few formulas over them that the prover repeats.
//!
//! This module is the prover's only contact with the packings of `E = GF(2^192)`. Points are LSB-first: coordinate 0 belongs to bit 0 of the
//! table index.

use p3_field::{
    BasedVectorSpace, ExtensionField, Field, PackedFieldExtension, PackedValue,
    PrimeCharacteristicRing,
};
use rayon::prelude::*;

#[cfg(any(
    all(
        target_arch = "x86_64",
        target_feature = "vpclmulqdq",
        any(target_feature = "avx2", target_feature = "avx512f")
    ),
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "aes"
    )
))]
pub(crate) use p3_binary_field::PackedPoly192Unreduced as Unreduced;
#[cfg(not(any(
    all(
        target_arch = "x86_64",
        target_feature = "vpclmulqdq",
        any(target_feature = "avx2", target_feature = "avx512f")
    ),
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "aes"
    )
)))]
pub(crate) use p3_binary_field::Poly192Unreduced as Unreduced;

pub(crate) use prova_binary_pcs::field::{E, K, from_limbs, phi8, to_limbs};
pub(crate) use prova_binary_pcs::poly::eq_table;

/// Several elements of `E`, one register per limb.
pub(crate) type P = <E as ExtensionField<K>>::ExtensionPacking;
/// Several elements of `K`.
pub(crate) type PK = <K as Field>::Packing;
/// Elements in one [`P`].
pub(crate) const WIDTH: usize = <PK as PackedValue>::WIDTH;
/// Registers of eight elements.
const PER_OCTET: usize = 8 / WIDTH;

/// The generator of the geometric weights: the first digits of pi.
const GEOMETRIC: [u64; 3] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
];

/// Product in the byte field.
pub(crate) const fn f8_mul(a: u8, b: u8) -> u8 {
    let mut a = a;
    let mut product = 0;
    let mut bit = 0;
    while bit < 8 {
        if b >> bit & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ (0x1b * (a >> 7));
        bit += 1;
    }
    product
}

/// Inverse in the byte field by `x^254`; zero goes to zero.
pub(crate) const fn f8_inverse(x: u8) -> u8 {
    let mut power = x;
    let mut product = 1;
    let mut step = 0;
    while step < 7 {
        power = f8_mul(power, power);
        product = f8_mul(product, power);
        step += 1;
    }
    product
}

/// The generator `G` of the medium geometric weights.
pub(crate) fn geometric() -> E {
    from_limbs(GEOMETRIC)
}

/// [`eq_table`] with the upper half of the coordinates spread over the threads.
pub(crate) fn par_eq_table(point: &[E]) -> Vec<E> {
    let (low, high) = point.split_at(point.len().min(8));
    let low = eq_table(low);
    let high = eq_table(high);
    let mut table = E::zero_vec(low.len() * high.len());
    table
        .par_chunks_mut(low.len())
        .zip(&high)
        .for_each(|(chunk, &weight)| {
            for (out, &x) in chunk.iter_mut().zip(&low) {
                *out = x * weight;
            }
        });
    table
}

/// Eight elements of `E`, one for each of eight neighbouring instances.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Octet([P; PER_OCTET]);

/// Sums of [`Octet`] products that are not reduced yet.
#[derive(Clone, Copy)]
pub(crate) struct OctetSum([Unreduced; PER_OCTET]);

impl Octet {
    pub(crate) const ZERO: Self = Self([<P as PrimeCharacteristicRing>::ZERO; PER_OCTET]);

    /// Gathers the limbs of eight elements: `limbs[c][lane]`.
    #[inline(always)]
    pub(crate) fn from_limbs(limbs: &[[u64; 8]; 3]) -> Self {
        Self(std::array::from_fn(|part| {
            <P as BasedVectorSpace<PK>>::from_basis_coefficients_fn(|c| {
                <PK as PackedValue>::from_fn(|lane| K::new(limbs[c][part * WIDTH + lane]))
            })
        }))
    }

    /// Where limb `c` of lanes `part * WIDTH ..` lies among the words of an octet.
    const fn word(part: usize, c: usize) -> usize {
        (3 * part + c) * WIDTH
    }

    /// Writes one limb of all eight elements.
    #[inline(always)]
    pub(crate) fn set_limb(&mut self, c: usize, limb: &[u64; 8]) {
        const { assert!(size_of::<Self>() == 24 * size_of::<u64>()) };
        const { assert!(align_of::<Self>() >= align_of::<u64>()) };
        // SAFETY: the size and alignment are checked above, every bit pattern is an element, and
        // the packing holds nothing but its three registers of words.
        let words: &mut [u64; 24] = unsafe { &mut *std::ptr::from_mut(self).cast() };
        for part in 0..PER_OCTET {
            words[Self::word(part, c)..][..WIDTH].copy_from_slice(&limb[part * WIDTH..][..WIDTH]);
        }
    }

    /// The eight elements at the start of `values`.
    pub(crate) fn from_slice(values: &[E]) -> Self {
        Self(std::array::from_fn(|part| {
            <P as PackedFieldExtension<K, E>>::from_ext_slice(&values[part * WIDTH..][..WIDTH])
        }))
    }

    /// The same element in every lane.
    pub(crate) fn broadcast(value: E) -> Self {
        Self([P::from(value); PER_OCTET])
    }

    /// Adds `weight (a1 b1 + z1)` and `weight (a0 + a1) (b0 + b1)` for one pair of each table.
    #[inline(always)]
    pub(crate) fn add_weighted_pair(rows: [&[Self]; 3], weight: &Self, sums: &mut [OctetSum; 2]) {
        let [a, b, z] = rows;
        for part in 0..PER_OCTET {
            let [at_one, leading] = pair_terms([a, b, z], 0, part);
            sums[0].0[part] += at_one.mul_unreduced(weight.0[part]);
            sums[1].0[part] += leading.mul_unreduced(weight.0[part]);
        }
    }

    /// [`Self::add_weighted_pair`] for several pairs, weighted in `K` before the common weight.
    #[inline(always)]
    pub(crate) fn add_weighted_pairs(
        rows: [&[Self]; 3],
        base: &[K],
        weight: &Self,
        sums: &mut [OctetSum; 2],
    ) {
        for part in 0..PER_OCTET {
            let mut inner = [Unreduced::default(); 2];
            for (pair, &base) in base.iter().enumerate() {
                let base = PK::from(base);
                let [at_one, leading] = pair_terms(rows, pair, part);
                inner[0] += at_one.mul_base_unreduced(base);
                inner[1] += leading.mul_base_unreduced(base);
            }
            for (sum, inner) in sums.iter_mut().zip(inner) {
                sum.0[part] += inner.reduce().mul_unreduced(weight.0[part]);
            }
        }
    }

    /// The element of one lane.
    pub(crate) fn lane(&self, lane: usize) -> E {
        PackedFieldExtension::<K, E>::extract(&self.0[lane / WIDTH], lane % WIDTH)
    }

    #[inline(always)]
    pub(crate) fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }

    #[inline(always)]
    pub(crate) fn mul(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * other.0[i]))
    }
}

/// `a1 b1 + z1` and `(a0 + a1) (b0 + b1)` of one pair, in one register of the octets.
#[inline(always)]
fn pair_terms([a, b, z]: [&[Octet]; 3], pair: usize, part: usize) -> [P; 2] {
    let (even, odd) = (2 * pair, 2 * pair + 1);
    let (a0, a1) = (a[even].0[part], a[odd].0[part]);
    let (b0, b1) = (b[even].0[part], b[odd].0[part]);
    [a1 * b1 + z[odd].0[part], (a0 + a1) * (b0 + b1)]
}

impl OctetSum {
    pub(crate) fn zero() -> Self {
        Self([Unreduced::default(); PER_OCTET])
    }

    /// Adds `a * b` lane by lane.
    #[inline(always)]
    pub(crate) fn add_product(&mut self, a: Octet, b: Octet) {
        for i in 0..PER_OCTET {
            self.0[i] += a.0[i].mul_unreduced(b.0[i]);
        }
    }

    #[inline(always)]
    pub(crate) fn merge(&mut self, other: Self) {
        for i in 0..PER_OCTET {
            self.0[i] += other.0[i];
        }
    }

    #[inline(always)]
    pub(crate) fn reduce(self) -> Octet {
        Octet(std::array::from_fn(|i| self.0[i].reduce()))
    }

    /// The sum of all lanes.
    pub(crate) fn total(self) -> E {
        let reduced = self.reduce();
        (0..8).map(|lane| reduced.lane(lane)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::random_words;

    #[test]
    fn limbs_lie_where_they_are_written() {
        let words = random_words(50, 24);
        let limbs: [[u64; 8]; 3] =
            std::array::from_fn(|c| std::array::from_fn(|lane| words[8 * c + lane]));
        let gathered = Octet::from_limbs(&limbs);
        let mut written = Octet::ZERO;
        for (c, limb) in limbs.iter().enumerate() {
            written.set_limb(c, limb);
        }
        for lane in 0..8 {
            let expected = from_limbs(limbs.map(|limb| limb[lane]));
            assert_eq!(gathered.lane(lane), expected);
            assert_eq!(written.lane(lane), expected);
        }
    }
}
