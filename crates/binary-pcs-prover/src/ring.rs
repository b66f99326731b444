//! The ring-switched weight `u -> Phi(eq(P, u))` of a column of packed bits.
//!
//! `Phi` is linear over GF(2), so on a lane, where `eq(P, u) = eq(P_high, l) eq(P_low, j)`, the
//! weight is a linear map of the 192 bits of `eq(P_low, j)`. Against a lane of words it is known from
//! the sums of the words over the rows that have a given bit, whichever map is asked for.

use p3_field::{PackedValue, PrimeCharacteristicRing};
use prova_binary_pcs::field::{from_limbs, to_limbs};
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::Placement;
use rayon::prelude::*;

use crate::bits::{self, BITS};
use crate::lanes::{LOG_LANES, Lanes};
use crate::matrix::LaneMatrix;
use crate::vector::{self, PackedE, PackedK, WIDTH};
use crate::weight::WeightSource;
use crate::{E, K};

/// The form `u -> Phi(eq(P, u))` on a column of the committed polynomial.
#[derive(Clone, Debug)]
pub struct RingSwitchWeight {
    /// The coordinates of `P` that number rows.
    inner: Vec<E>,
    /// First row of the column, when it is shorter than a lane.
    start: usize,
    /// The lanes of the column, each with its map as the images of the 192 bits.
    lanes: Vec<(usize, Vec<E>)>,
}

impl RingSwitchWeight {
    /// The weight of the claim `ring` at `point`, a point of the column at `placement` in a
    /// polynomial of `mu` variables.
    ///
    /// # Panics
    /// If the column does not lie in the polynomial or `point` has not its dimension.
    #[must_use]
    pub fn new(ring: &RingSwitch, point: &[E], placement: Placement, mu: usize) -> Self {
        let log_rows = mu - LOG_LANES;
        assert_eq!(
            point.len(),
            placement.variables(),
            "dimension of the claim's point"
        );
        let offset = usize::try_from(placement.offset).expect("a column in memory");
        assert!(
            point.len() <= mu && offset + (1 << point.len()) <= 1 << mu,
            "column of 2^{} words at {offset}, in 2^{mu} words",
            point.len(),
        );
        let (inner, high) = point.split_at(point.len().min(log_rows));
        let images: Vec<E> = (0..BITS).map(|bit| ring.map(bit_element(bit))).collect();
        let table = LinearMap::new(&images);
        let lanes = vector::eq_table(high, E::ONE)
            .into_iter()
            .zip(offset >> log_rows..)
            .map(|(weight, lane)| {
                let image = |bit| table.apply(weight * bit_element(bit));
                (lane, (0..BITS).map(image).collect())
            })
            .collect();
        Self {
            inner: inner.to_vec(),
            start: offset & ((1 << log_rows) - 1),
            lanes,
        }
    }
}

impl WeightSource for RingSwitchWeight {
    fn contract(&self, lanes: &Lanes<'_>, matrix: &mut LaneMatrix) {
        let eq = vector::eq_table(&self.inner, E::ONE);
        let sums = bits::sums(lanes, self.start, &eq);
        let images: Vec<Vec<PackedE>> = self
            .lanes
            .iter()
            .map(|(_, images)| images.chunks_exact(WIDTH).map(vector::load).collect())
            .collect();
        let entries: Vec<Vec<E>> = sums
            .par_iter()
            .map(|sums| {
                let words = PackedK::pack_slice(sums.as_slice());
                let entry =
                    |images: &Vec<PackedE>| vector::sum_lanes(vector::mixed_dot(images, words));
                images.iter().map(entry).collect()
            })
            .collect();
        for (lane, entries) in entries.iter().enumerate() {
            for (&(weight_lane, _), &entry) in self.lanes.iter().zip(entries) {
                matrix.add(lane, weight_lane, entry);
            }
        }
    }

    fn fold(&self, folds: &[E; LOG_LANES], weight: &mut [E]) {
        let scales = vector::eq_table(folds, E::ONE);
        let mut images = E::zero_vec(BITS);
        for (lane, lane_images) in &self.lanes {
            vector::add_scaled(&mut images, lane_images, scales[*lane]);
        }
        let map = LinearMap::new(&images);
        let eq = vector::eq_table(&self.inner, E::ONE);
        weight[self.start..][..eq.len()]
            .par_chunks_mut(vector::PIECE)
            .zip(eq.par_chunks(vector::PIECE))
            .for_each(|(weight, eq)| {
                weight
                    .iter_mut()
                    .zip(eq)
                    .for_each(|(weight, &eq)| *weight += map.apply(eq));
            });
    }
}

/// The element whose only set bit is the given one, counted through the three words.
fn bit_element(bit: usize) -> E {
    let mut limbs = [0; 3];
    limbs[bit / 64] = 1 << (bit % 64);
    from_limbs(limbs)
}

/// A map E -> E that is linear over GF(2), as one table a byte of its argument.
#[derive(Clone, Debug)]
pub(crate) struct LinearMap {
    tables: Vec<[Entry; 256]>,
}

/// An element, padded so that it is one load.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Entry([u64; 4]);

impl LinearMap {
    /// The map with the given images of the 192 bits.
    pub(crate) fn new(images: &[E]) -> Self {
        let tables = images
            .chunks_exact(8)
            .map(|images| {
                let mut table = [Entry::default(); 256];
                for (bit, &image) in images.iter().enumerate() {
                    let [c0, c1, c2] = to_limbs(image);
                    let (low, high) = table[..2 << bit].split_at_mut(1 << bit);
                    for (high, low) in high.iter_mut().zip(low) {
                        *high = low.xor(&Entry([c0, c1, c2, 0]));
                    }
                }
                table
            })
            .collect();
        Self { tables }
    }

    /// The image of an element.
    #[inline]
    pub(crate) fn apply(&self, a: E) -> E {
        let mut sum = Entry::default();
        let limbs = self.tables.chunks_exact(8).zip(to_limbs(a));
        for (tables, limb) in limbs {
            for (table, byte) in tables.iter().zip(limb.to_le_bytes()) {
                sum = sum.xor(&table[usize::from(byte)]);
            }
        }
        let Entry([c0, c1, c2, _]) = sum;
        E::new([K::new(c0), K::new(c1), K::new(c2)])
    }
}

impl Entry {
    #[inline]
    fn xor(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::weight::DenseWeight;

    #[test]
    fn the_form_is_the_map_of_the_equality_weights() {
        let mut rng = StdRng::seed_from_u64(1);
        let mu = 11;
        let words: Vec<K> = (0..50 << 5).map(|_| rng.random()).collect();
        let lanes = Lanes::new(&words, mu);
        for placement in [
            Placement {
                offset: 0,
                log_size: 11,
            },
            Placement {
                offset: 1024,
                log_size: 9,
            },
            Placement {
                offset: 48,
                log_size: 4,
            },
        ] {
            let point: Vec<E> = (0..placement.variables()).map(|_| rng.random()).collect();
            let ring = RingSwitch::new(core::array::from_fn(|_| rng.random()), point.clone());
            let column: Vec<E> = vector::eq_table(&point, E::ONE)
                .into_iter()
                .map(|eq| ring.map(eq))
                .collect();
            let dense = DenseWeight(|u: usize| {
                let index = u.checked_sub(placement.offset as usize);
                index
                    .and_then(|u| column.get(u))
                    .copied()
                    .unwrap_or(E::ZERO)
            });
            let form = RingSwitchWeight::new(&ring, &point, placement, mu);
            let folds: [E; LOG_LANES] = core::array::from_fn(|_| rng.random());
            let [one, other] = [&form as &dyn WeightSource, &dense].map(|source| {
                let mut matrix = LaneMatrix::default();
                source.contract(&lanes, &mut matrix);
                let mut weight = E::zero_vec(1 << (mu - LOG_LANES));
                source.fold(&folds, &mut weight);
                (matrix, weight)
            });
            assert_eq!(one, other);
        }
    }
}
