//! Select weights: `W[b] = sum_j c_j g^(i_j b)` for `b < 2^n`, where `g` has order `2^(n + r)`.
//!
//! Write `b = k 2^(n - s) + b'` with `k < 2^s`. The factor `g^(i k 2^(n - s))` is a root of unity
//! of order `2^(r + s)` to the power `i k`, so it depends on the class of `i` modulo `2^(r + s)`
//! alone: `W[k, b'] = sum_c root^(c k) V_c[b']`, where `V_c[b'] = sum_(j in c) c_j g^(i_j b')`.
//! For each `b'` this is a Fourier transform of length `2^(r + s)` of which the first `2^s`
//! outputs are wanted, and each term is worked on `2^s` times less than by the plain sum, which
//! is the case `s = 0`.
//!
//! `V_c` itself is a product of matrices: with `b' = h 2^l + lo` the term is
//! `(c_j g^(i_j h 2^l)) * g^(i_j lo)`, an extension coefficient for each `h` and a base-field
//! table shared by all of them.

use p3_field::{ExtensionField, Field, PackedValue, PrimeCharacteristicRing, TwoAdicField};
use rayon::prelude::*;

use super::super::planes::{Planes, add_mixed_dots, mixed_dot};
use super::Select;

/// Most index bits of the base-field power tables.
const MAX_LOG_LOW: usize = 8;

/// Fewest consecutive values a task works on at each of its places in the table.
const MAX_LOG_BLOCK: usize = 10;

/// Most inputs of the transform over classes.
const MAX_LOG_CLASSES: usize = 6;

/// Most bits of `r` for which classes are used.
const MAX_LOG_RATE: usize = 3;

/// Most bits of `k`.
pub(super) const MAX_SPLIT: usize = 5;

/// How the index bits are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Bits of `b`.
    n: usize,
    /// `s`, the bits of `k`.
    split: usize,
    /// `r`.
    log_rate: usize,
}

impl Plan {
    /// The cheapest plan for `terms` terms, or none if the table is too short for vectors.
    pub(super) fn choose<F: Field>(n: usize, log_order: usize, terms: usize) -> Option<Self> {
        (0..=MAX_SPLIT)
            .filter_map(|split| Self::with_split::<F>(n, log_order, split))
            .min_by_key(|plan| plan.cost(terms))
    }

    /// The plan with a given `s`, if it exists.
    pub(super) fn with_split<F: Field>(n: usize, log_order: usize, split: usize) -> Option<Self> {
        let lanes = F::Packing::WIDTH.ilog2() as usize;
        if n < split + lanes + 1 {
            return None;
        }
        if split == 0 {
            return Some(Self {
                n,
                split,
                log_rate: 0,
            });
        }
        let log_rate = log_order.checked_sub(n)?;
        (log_rate <= MAX_LOG_RATE && log_rate + split <= MAX_LOG_CLASSES).then_some(Self {
            n,
            split,
            log_rate,
        })
    }

    /// Cost of a vector of outputs, in tenths of a multiply-accumulate of the plain sum. The
    /// coefficients were fitted to measurements over `r`, `s` and the number of terms.
    fn cost(self, terms: usize) -> usize {
        let (s, classes) = (self.split, 1 << self.log_rate);
        if s == 0 {
            return 10 * terms;
        }
        let sums = 10 * terms / (1 << s);
        let transforms = classes * (8 + 6 * s + 2 * s * s);
        let twists = if self.log_rate == 0 {
            0
        } else {
            10 + 5 * classes
        };
        sums + transforms + twists
    }

    /// Bits of `b'`.
    const fn inner(self) -> usize {
        self.n - self.split
    }

    /// Bits of the index within a block of consecutive values that a task works on.
    pub(super) fn log_block(self) -> usize {
        self.inner().min(MAX_LOG_BLOCK)
    }

    fn log_low(self) -> usize {
        self.log_block().min(MAX_LOG_LOW)
    }

    const fn log_classes(self) -> usize {
        self.log_rate + self.split
    }
}

/// The terms in class order, and what is shared by all tasks.
pub(super) struct Table<F: Field, EF> {
    plan: Plan,
    /// `g^(i_j)` and the coefficients.
    points: Vec<(F, EF)>,
    /// End of each class in `points`. The classes of one residue `c mod 2^r` are neighbours, in
    /// bit-reversed order of `c >> r`, as the transform wants its inputs.
    ends: Vec<usize>,
    /// `g^(i_j lo)` for consecutive `lo` in the lanes: entry `[v * terms + j]`.
    powers: Vec<F::Packing>,
    /// Twiddles of a transform of length `2^s`: entry `2^t + i` is `root_(2^(t+1))^i`.
    twiddles: Vec<F::Packing>,
    /// `root^(c k)` for each `k` and each `c < 2^r`: entry `[(k << r) + c]`.
    twists: Vec<F>,
}

impl<F: TwoAdicField, EF: ExtensionField<F>> Table<F, EF> {
    pub(super) fn new(plan: Plan, select: Select<'_, EF>) -> Self {
        let generator = F::two_adic_generator(select.log_order);
        let slot = |i: usize| {
            let class = i % (1 << plan.log_classes());
            let (residue, rest) = (class % (1 << plan.log_rate), class >> plan.log_rate);
            let reversed = if plan.split == 0 {
                0
            } else {
                rest.reverse_bits() >> (usize::BITS as usize - plan.split)
            };
            (residue << plan.split) + reversed
        };
        let mut terms = select.terms.to_vec();
        terms.sort_by_key(|&(i, _)| slot(i));
        let ends = (0..1 << plan.log_classes())
            .map(|s| terms.partition_point(|&(i, _)| slot(i) <= s))
            .collect();
        let points: Vec<(F, EF)> = terms
            .iter()
            .map(|&(i, c)| (generator.exp_u64(i as u64), c))
            .collect();

        let vectors = (1 << plan.log_low()) / F::Packing::WIDTH;
        let mut powers = F::Packing::zero_vec(vectors * points.len());
        for (j, &(point, _)) in points.iter().enumerate() {
            let column = point.powers().collect_n(1 << plan.log_low());
            for (v, &lanes) in F::Packing::pack_slice(&column).iter().enumerate() {
                powers[v * points.len() + j] = lanes;
            }
        }

        let mut twiddles = vec![F::Packing::ONE];
        for t in 0..plan.split {
            let root = F::two_adic_generator(t + 1);
            twiddles.extend(
                root.powers()
                    .collect_n(1 << t)
                    .into_iter()
                    .map(F::Packing::from),
            );
        }
        let root = F::two_adic_generator(plan.log_classes());
        let twists = (0..1u64 << plan.split)
            .flat_map(|k| root.exp_u64(k).powers().collect_n(1 << plan.log_rate))
            .collect();
        Self {
            plan,
            points,
            ends,
            powers,
            twiddles,
            twists,
        }
    }

    /// Adds the weights to all of `w`, after calling `before(block, values)` on every block of
    /// `2^log_block` consecutive values. Tasks take the blocks of one `b' >> log_block`.
    pub(super) fn for_each_block<const D: usize>(
        &self,
        w: &mut Planes<F>,
        before: impl Fn(usize, &mut [&mut [F]; D]) + Sync,
    ) {
        let plan = self.plan;
        let tasks = 1usize << (plan.inner() - plan.log_block());
        let mut blocks: Vec<Vec<[&mut [F]; D]>> = (0..tasks)
            .map(|_| Vec::with_capacity(1 << plan.split))
            .collect();
        let mut rest = w.cols_mut::<D>();
        for block in 0..tasks << plan.split {
            let (head, tail) = cut(rest, 1 << plan.log_block());
            blocks[block % tasks].push(head);
            rest = tail;
        }
        blocks
            .into_par_iter()
            .enumerate()
            .for_each(|(task, mut blocks)| {
                for (k, values) in blocks.iter_mut().enumerate() {
                    before(k * tasks + task, values);
                }
                if !self.points.is_empty() {
                    self.add::<D>(task, blocks);
                }
            });
    }

    fn add<const D: usize>(&self, task: usize, blocks: Vec<[&mut [F]; D]>) {
        let blocks = blocks
            .into_iter()
            .map(|cols| cols.map(F::Packing::pack_slice_mut))
            .collect();
        match self.plan.split {
            0 => self.add_sized::<D, 1>(task, blocks),
            1 => self.add_sized::<D, 2>(task, blocks),
            2 => self.add_sized::<D, 4>(task, blocks),
            3 => self.add_sized::<D, 8>(task, blocks),
            4 => self.add_sized::<D, 16>(task, blocks),
            5 => self.add_sized::<D, 32>(task, blocks),
            _ => unreachable!("plans have at most five bits of k"),
        }
    }

    /// `K` is `2^split`.
    fn add_sized<const D: usize, const K: usize>(
        &self,
        task: usize,
        mut blocks: Vec<[&mut [F::Packing]; D]>,
    ) {
        let plan = self.plan;
        let terms = self.points.len();
        let vectors = (1 << plan.log_low()) / F::Packing::WIDTH;
        let first = (task << plan.log_block()) as u64;
        // Coefficients `c_j g^(i_j h 2^l)` of the current `h`, plane by plane.
        let mut current: Vec<EF> = self
            .points
            .iter()
            .map(|&(point, c)| c * point.exp_u64(first))
            .collect();
        let steps: Vec<F> = self
            .points
            .iter()
            .map(|&(point, _)| point.exp_power_of_2(plan.log_low()))
            .collect();
        let mut coefficients: [Vec<F>; D] = std::array::from_fn(|_| F::zero_vec(terms));
        let mut sums: [Vec<F::Packing>; D] =
            std::array::from_fn(|_| F::Packing::zero_vec(1 << plan.log_classes()));

        let heights = 1usize << (plan.log_block() - plan.log_low());
        for h in 0..heights {
            for (j, (c, &step)) in current.iter_mut().zip(&steps).enumerate() {
                for (column, &x) in coefficients.iter_mut().zip(c.as_basis_coefficients_slice()) {
                    column[j] = x;
                }
                *c *= step;
            }
            for v in 0..vectors {
                let powers = &self.powers[v * terms..][..terms];
                let mut start = 0;
                for (class, &end) in self.ends.iter().enumerate() {
                    let coefficients = coefficients.each_ref().map(|column| &column[start..end]);
                    let sum = class_sum::<F, D>(&powers[start..end], coefficients);
                    for d in 0..D {
                        sums[d][class] = sum[d];
                    }
                    start = end;
                }
                let place = h * vectors + v;
                for (d, sums) in sums.iter_mut().enumerate() {
                    for part in sums.chunks_exact_mut(K) {
                        transform::<F::Packing, K>(
                            part.try_into().expect("chunks have this length"),
                            &self.twiddles,
                        );
                    }
                    self.untwist::<K>(sums, |k, x| blocks[k][d][place] += x);
                }
            }
        }
    }

    /// Sums the transforms of the residues modulo `2^r`: `out[k] = sum_c root^(c k) part_c[k]`.
    #[inline(always)]
    fn untwist<const K: usize>(
        &self,
        parts: &[F::Packing],
        mut out: impl FnMut(usize, F::Packing),
    ) {
        match self.plan.log_rate {
            0 => (0..K).for_each(|k| out(k, parts[k])),
            1 => (0..K).for_each(|k| {
                out(k, parts[k] + parts[K + k] * self.twists[2 * k + 1]);
            }),
            2 => (0..K).for_each(|k| {
                let column: [F::Packing; 4] = std::array::from_fn(|c| parts[c * K + k]);
                out(k, mixed_dot(4, &column, &self.twists[4 * k..]));
            }),
            _ => (0..K).for_each(|k| {
                let column: [F::Packing; 8] = std::array::from_fn(|c| parts[c * K + k]);
                out(k, mixed_dot(8, &column, &self.twists[8 * k..]));
            }),
        }
    }
}

/// The first `mid` entries of every column, and the others.
fn cut<F, const D: usize>(cols: [&mut [F]; D], mid: usize) -> ([&mut [F]; D], [&mut [F]; D])
where
    F: Send,
{
    super::super::planes::Split::cut(cols, mid)
}

/// `sum_j coefficients[d][j] * powers[j]` for every `d`.
#[inline(always)]
fn class_sum<F: Field, const D: usize>(
    powers: &[F::Packing],
    coefficients: [&[F]; D],
) -> [F::Packing; D] {
    let mut sums = [F::Packing::ZERO; D];
    let whole = powers.len() & !7;
    for start in (0..whole).step_by(8) {
        let coefficients = coefficients.map(|column| &column[start..start + 8]);
        add_mixed_dots(8, &mut sums, &powers[start..start + 8], coefficients);
    }
    let powers = &powers[whole..];
    let coefficients = coefficients.map(|column| &column[whole..]);
    macro_rules! tail {
        ($($len:literal)*) => {
            match powers.len() {
                $($len => add_mixed_dots($len, &mut sums, powers, coefficients),)*
                _ => {}
            }
        };
    }
    tail!(1 2 3 4 5 6 7);
    sums
}

/// A Fourier transform of length `K` on every lane, from bit-reversed to natural order.
#[inline(always)]
fn transform<P: PrimeCharacteristicRing + Copy, const K: usize>(
    values: &mut [P; K],
    twiddles: &[P],
) {
    let mut half = 1;
    while half < K {
        for group in values.chunks_exact_mut(2 * half) {
            let (low, high) = group.split_at_mut(half);
            for i in 0..half {
                let twisted = if i == 0 {
                    high[i]
                } else {
                    high[i] * twiddles[half + i]
                };
                (low[i], high[i]) = (low[i] + twisted, low[i] - twisted);
            }
        }
        half *= 2;
    }
}

/// The formula, for short tables.
pub(super) fn add_scalar<F: TwoAdicField, EF: ExtensionField<F>>(
    w: &mut Planes<F>,
    select: Select<'_, EF>,
) {
    let generator = F::two_adic_generator(select.log_order);
    for &(i, c) in select.terms {
        let mut weight = c;
        let point = generator.exp_u64(i as u64);
        for b in 0..w.len() {
            w.set(b, w.get::<EF>(b) + weight);
            weight *= point;
        }
    }
}
