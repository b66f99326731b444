//! The univariate-skip round: 64 values of `P(X) = sum_v eq(r, v) (a(X, v) b(X, v) + z(X, v))` on
//! the coset `phi8(64..128)`, where every 64-bit word is the value table of a polynomial of
//! degree below 64 on `phi8(0..64)`.
//!
//! The low seven coordinates of `r` are constants whose equality weights are geometric: three in
//! the byte field, so that eight rows become one byte by Horner's rule, and four in `E`, so that
//! sixteen such bytes become one element by a fixed linear map. Only the outer weights are
//! products in `E`.

#[cfg(target_arch = "x86_64")]
mod gfni;
mod table;
mod tower;

use crate::arm::Arm;
use crate::field::{E, Octet, OctetSum, f8_inverse, f8_mul, par_eq_table};
use crate::witness::{GROUP_WORDS, TableView};
use p3_field::PrimeCharacteristicRing;
use prova_lean_vm::blake2s::zerocheck::FIXED;
use rayon::prelude::*;

/// Values that the round sends.
pub(crate) const VALUES: usize = 64;
/// Rows that share one outer weight.
const BLOCK_ROWS: usize = 1 << FIXED;
/// Outer blocks of one group of instances.
const GROUP_BLOCKS: usize = GROUP_WORDS / BLOCK_ROWS;

/// Words of `a`, `b` and `z`.
type Tables<'a> = [&'a [u64]; 3];
/// Limbs of the 64 values of one block.
type BlockValues = [[u64; VALUES]; 3];

/// Column function of the extension: value `i` on the coset has weight `extension(i ^ j)` on value
/// `j` of the subgroup, because both domains are cosets of one additive group.
fn extension() -> [u8; VALUES] {
    let coset = (64..128u8).fold(1, f8_mul);
    let denominator = (1..64u8).fold(1, f8_mul);
    let scale = f8_mul(coset, f8_inverse(denominator));
    std::array::from_fn(|d| f8_mul(scale, f8_inverse(64 ^ d as u8)))
}

enum Kernel {
    Tables(Box<table::TableKernel>),
    #[cfg(target_arch = "x86_64")]
    Gfni(Box<gfni::GfniKernel>),
}

impl Kernel {
    fn new(arm: Arm) -> Self {
        match arm.usable() {
            #[cfg(target_arch = "x86_64")]
            Arm::Gfni => Self::Gfni(Box::new(gfni::GfniKernel::new())),
            arm => Self::Tables(Box::new(table::TableKernel::new(arm))),
        }
    }

    /// Values of the blocks of one group.
    fn group(&self, tables: Tables<'_>, out: &mut [BlockValues; GROUP_BLOCKS]) {
        match self {
            Self::Tables(kernel) => kernel.group(tables, out),
            #[cfg(target_arch = "x86_64")]
            Self::Gfni(kernel) => kernel.group(tables, out),
        }
    }
}

/// Sums over blocks, eight values an octet.
type Sums = [OctetSum; VALUES / 8];

fn add_block(sums: &mut Sums, values: &BlockValues, weight: E) {
    let weight = Octet::broadcast(weight);
    for (i, sum) in sums.iter_mut().enumerate() {
        let limbs = std::array::from_fn(|c| std::array::from_fn(|lane| values[c][8 * i + lane]));
        sum.add_product(Octet::from_limbs(&limbs), weight);
    }
}

/// The 64 values of the round for the equality point `r` (constants first).
pub(crate) fn round_one(tables: TableView<'_>, r: &[E], arm: Arm) -> [E; VALUES] {
    let (fixed, outer) = r.split_at(FIXED);
    let scale: E = fixed.iter().map(|&c| c + E::ONE).product();
    let outer = par_eq_table(outer);
    let kernel = Kernel::new(arm);
    let zero = || [OctetSum::zero(); VALUES / 8];
    let sums = tables
        .a
        .par_chunks_exact(GROUP_WORDS)
        .zip(tables.b.par_chunks_exact(GROUP_WORDS))
        .zip(tables.z.par_chunks_exact(GROUP_WORDS))
        .zip(outer.par_chunks_exact(GROUP_BLOCKS))
        .fold(zero, |mut sums, (((a, b), z), weights)| {
            let mut values = [[[0; VALUES]; 3]; GROUP_BLOCKS];
            kernel.group([a, b, z], &mut values);
            for (values, &weight) in values.iter().zip(weights) {
                add_block(&mut sums, values, weight);
            }
            sums
        })
        .reduce(zero, |mut x, y| {
            for (x, y) in x.iter_mut().zip(y) {
                x.merge(y);
            }
            x
        });
    let sums = sums.map(OctetSum::reduce);
    std::array::from_fn(|i| sums[i / 8].lane(i % 8) * scale)
}

/// An element from limbs that lie apart.
#[cfg(test)]
fn gathered(values: &BlockValues, i: usize) -> E {
    crate::field::from_limbs(std::array::from_fn(|c| values[c][i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{geometric, phi8};
    use crate::test_util::{random_compressions, random_elements, random_words};
    use crate::witness::BitTables;
    use prova_lean_vm::blake2s::zerocheck::fixed_coordinates;

    /// The round by its definition, with the byte-field interpolation written out.
    fn naive(tables: &BitTables, r: &[E]) -> [E; VALUES] {
        let eq = par_eq_table(r);
        let lagrange = |x: u8, j: u8| {
            (0..64u8).filter(|&k| k != j).fold(1, |product, k| {
                f8_mul(product, f8_mul(x ^ k, f8_inverse(j ^ k)))
            })
        };
        let weights: Vec<[u8; 64]> = (64..128u8)
            .map(|x| std::array::from_fn(|j| lagrange(x, j as u8)))
            .collect();
        let value = |word: u64, i: usize| {
            (0..64)
                .filter(|&j| word >> j & 1 == 1)
                .fold(0, |sum, j| sum ^ weights[i][j])
        };
        std::array::from_fn(|i| {
            (0..eq.len())
                .map(|v| {
                    let [a, b, z] = [&tables.a, &tables.b, &tables.z].map(|t| value(t[v], i));
                    eq[v] * phi8(f8_mul(a, b) ^ z)
                })
                .sum()
        })
    }

    #[test]
    fn arms_equal_the_naive_round() {
        let mut tables = BitTables::generate(&random_compressions(9, 7), Arm::Portable);
        // Rows that violate the constraint must count as well.
        tables.a = random_words(10, tables.a.len());
        let mut r = fixed_coordinates().to_vec();
        r.extend(random_elements(11, 4));
        let expected = naive(&tables, &r);
        for arm in Arm::all_available() {
            assert_eq!(round_one(tables.view(), &r, arm), expected, "{arm:?}");
        }
    }

    #[test]
    fn the_small_normaliser_is_the_published_byte() {
        let r = fixed_coordinates();
        let small: E = r[..3].iter().map(|&c| c + E::ONE).product();
        assert_eq!(small, E::from(phi8(0x1c)));
    }

    /// The sum is zero only for satisfied rows because the 128 weights `X^k G^m` are independent
    /// over the two-element field.
    #[test]
    fn fixed_weights_are_independent() {
        let mut rows: Vec<[u64; 3]> = Vec::new();
        for m in 0..16 {
            for k in 0..8 {
                let weight = geometric().exp_u64(m) * phi8(1 << k);
                let mut row = crate::field::to_limbs(weight);
                for known in &rows {
                    let pivot = (0..192)
                        .find(|&b| known[b / 64] >> (b % 64) & 1 == 1)
                        .unwrap();
                    if row[pivot / 64] >> (pivot % 64) & 1 == 1 {
                        row = std::array::from_fn(|i| row[i] ^ known[i]);
                    }
                }
                assert_ne!(row, [0; 3]);
                rows.push(row);
            }
        }
    }

    #[test]
    fn every_block_of_every_arm_agrees() {
        let tables = BitTables::generate(&random_compressions(12, 8), Arm::Portable);
        let run = |arm| {
            let mut out = [[[0; VALUES]; 3]; GROUP_BLOCKS];
            Kernel::new(arm).group([&tables.a, &tables.b, &tables.z], &mut out);
            out
        };
        let expected = run(Arm::Portable);
        for arm in Arm::all_available() {
            let out = run(arm);
            for block in 0..GROUP_BLOCKS {
                for i in 0..VALUES {
                    assert_eq!(gathered(&out[block], i), gathered(&expected[block], i));
                }
            }
        }
    }
}
