//! Round constants in the scaled representation of the wide-lane kernel.
//!
//! The kernel holds an element `a` as some unreduced integer congruent to `a * kappa - offset`.
//! * Its products lose a power of two (`2^-52`, or `2^-27` for the cheap last product of an
//!   external S-box), so an external round takes `kappa` to `kappa^D * 2^-E`. The internal rounds
//!   need a fixed point, `kappa = 2^52`; the scales of the other rounds follow from it.
//! * Steps that would have to add a constant leave it out. As every layer between two S-boxes is
//!   affine, the missing amounts are known beforehand and sit in the next round's constants.

use p3_field::PrimeField32;
use p3_poseidon2::ExternalLayerConstants;

use super::params::{Diag, Poseidon2Field, two_adicity};

/// Power of two lost by the last product of an external S-box.
pub(super) const fn last_shift<F: Poseidon2Field<WIDTH>, const WIDTH: usize>() -> u64 {
    if cheap_last::<F, WIDTH>() { 27 } else { 52 }
}

/// Whether the last product of an external S-box takes the one-word reduction by
/// `2^TWO_ADICITY`.
pub(super) const fn cheap_last<F: Poseidon2Field<WIDTH>, const WIDTH: usize>() -> bool {
    F::SBOX == 7 && two_adicity::<F>() == 27
}

fn residue<F: PrimeField32>(x: F) -> u64 {
    u64::from(x.as_canonical_u32())
}

/// One multiplication by a constant: `u -> (u + offset) * factor * 2^-52`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rescale {
    /// Multiplier, in `[0, p)`.
    pub(super) factor: u64,
    /// Start of the accumulator, in `[0, p)`.
    pub(super) start: u64,
}

impl Rescale {
    fn new<F: PrimeField32>(scale: F, offset: F) -> Self {
        let factor = scale * F::TWO.exp_u64(52);
        let start = F::ONE - F::TWO.exp_u64(52).inverse() + offset * scale;
        Self {
            factor: residue(factor),
            start: residue(start),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct ScaledConstants<const WIDTH: usize> {
    /// Stored word (`2^32`-Montgomery form) to scaled input.
    pub(super) load: Rescale,
    /// Plain integer to scaled input.
    pub(super) load_plain: Rescale,
    /// Scaled output to stored word, not yet canonical.
    pub(super) store: Rescale,
    /// Scaled output to plain integer, not yet canonical.
    pub(super) store_plain: Rescale,
    /// Scaled output to scaled input of the next permutation.
    pub(super) carry: Rescale,
    pub(super) initial: Vec<[u64; WIDTH]>,
    pub(super) internal: Vec<u64>,
    pub(super) terminal: Vec<[u64; WIDTH]>,
}

impl<const WIDTH: usize> ScaledConstants<WIDTH> {
    pub(super) fn new<F: Poseidon2Field<WIDTH>>(
        external: &ExternalLayerConstants<F, WIDTH>,
        internal: &[F],
    ) -> Self {
        let two = |e: u64| F::TWO.exp_u64(e);
        let d = F::SBOX;
        let order = F::ORDER_U64 - 1;
        let root = (0..d)
            .map(|k| k * order + 1)
            .find(|n| n % d == 0)
            .expect("the S-box exponent is prime to p - 1")
            / d;
        // The square is used once more in x^3 and twice in x^4.
        let lost = if d == 7 { 5 * 52 } else { 52 } + last_shift::<F, WIDTH>();
        let kappa = two(52);

        let first = external.get_initial_constants();
        let mut scale = kappa;
        let mut scales: Vec<F> = first
            .iter()
            .map(|_| {
                scale = (scale * two(lost)).exp_u64(root);
                scale
            })
            .collect();
        scales.reverse();
        let scale_in = scales.first().copied().unwrap_or(kappa);

        // What each output of an external S-box lacks, and what that makes after the linear
        // layer, all of whose rows sum to 7 (WIDTH / 4 + 1).
        let missing = if cheap_last::<F, WIDTH>() { 16 } else { 0 };
        let after_mix = F::from_u32(missing * 7 * (WIDTH as u32 / 4 + 1));

        let external_rounds = |rounds: &[[F; WIDTH]], scales: &[F], start: [F; WIDTH]| {
            let mut offset = start;
            let mut out = Vec::with_capacity(rounds.len());
            for (rc, &scale) in rounds.iter().zip(scales) {
                out.push(core::array::from_fn(|i| residue(rc[i] * scale + offset[i])));
                offset = [after_mix; WIDTH];
            }
            out
        };
        let initial = external_rounds(first, &scales, [F::ZERO; WIDTH]);

        let mut offset = [after_mix; WIDTH];
        let mut inner = Vec::with_capacity(internal.len());
        for &rc in internal {
            inner.push(residue(rc * kappa + offset[0]));
            let tail: F = offset[1..].iter().copied().sum();
            for (o, &entry) in offset.iter_mut().zip(&F::DIAG).skip(1) {
                *o = tail + diag_offset(*o, entry);
            }
            offset[0] = tail;
        }

        let mut scale = kappa;
        let mut last_scales = Vec::new();
        for _ in external.get_terminal_constants() {
            last_scales.push(scale);
            scale = scale.exp_u64(d) * two(lost).inverse();
        }
        let terminal = external_rounds(external.get_terminal_constants(), &last_scales, offset);

        let out = scale.inverse();
        Self {
            load: Rescale::new(scale_in * two(32).inverse(), F::ZERO),
            load_plain: Rescale::new(scale_in, F::ZERO),
            store: Rescale::new(out * two(32), after_mix),
            store_plain: Rescale::new(out, after_mix),
            carry: Rescale::new(out * scale_in, after_mix),
            initial,
            internal: inner,
            terminal,
        }
    }
}

/// How a missing amount moves through one diagonal entry, with what that entry's step leaves out.
fn diag_offset<F: PrimeField32>(o: F, entry: Diag) -> F {
    match entry {
        Diag::Small(d) => o * F::from_i8(d),
        // The step omits 1 + (p - 1) / 2^k = 1 - 2^-k.
        Diag::Inv(k) => {
            o * F::TWO.exp_u64(u64::from(k)).inverse() + F::ONE
                - F::TWO.exp_u64(u64::from(k)).inverse()
        }
        Diag::NegInv(k) => -(o * F::TWO.exp_u64(u64::from(k)).inverse()),
    }
}
