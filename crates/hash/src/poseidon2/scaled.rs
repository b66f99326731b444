//! Round constants in the scaled representation of the wide-lane kernel.
//!
//! The kernel holds an element `a` as some unreduced integer congruent to `a * kappa - offset`.
//! * Its products lose a power of two (`2^-52`, or `2^-27` for the cheap last product of an
//!   external S-box), so an external round takes `kappa` to `kappa^D * 2^-E`. The scale starts as
//!   that of the stored words, `2^32`; a multiplication between the initial and the internal
//!   rounds brings it to the fixed point of the latter, `kappa = 2^52`.
//! * Steps that would have to add a constant leave it out. As every layer between two S-boxes is
//!   affine, the missing amounts are known beforehand and sit in the next round's constants.

use p3_field::PrimeField32;
use p3_poseidon2::ExternalLayerConstants;

use super::params::{Diag, Poseidon2Field, two_adicity};
use super::plan::{Step, plan};

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

/// `-p^-1 mod 2^52`.
pub(super) const fn neg_inverse(p: u64) -> u64 {
    let mut inv = 1u64;
    let mut i = 0;
    while i < 6 {
        inv = inv.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inv)));
        i += 1;
    }
    inv.wrapping_neg() & ((1 << 52) - 1)
}

/// One multiplication by a constant: `u -> (u + offset) * factor * 2^-52`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rescale {
    /// Multiplier, in `[0, p)`.
    pub(super) factor: u64,
    /// `-factor / p mod 2^52`.
    pub(super) quotient: u64,
    /// Start of the accumulator, in `[0, p)`.
    pub(super) start: u64,
}

impl Rescale {
    fn new<F: PrimeField32>(scale: F, offset: F) -> Self {
        let factor = residue(scale * F::TWO.exp_u64(52));
        let start = F::ONE - F::TWO.exp_u64(52).inverse() + offset * scale;
        Self {
            factor,
            quotient: factor.wrapping_mul(neg_inverse(F::ORDER_U64)) & ((1 << 52) - 1),
            start: residue(start),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct ScaledConstants<const WIDTH: usize> {
    /// Plain integer to scaled input, which is the stored word (`2^32`-Montgomery form).
    pub(super) load_plain: Rescale,
    /// Scaled output to stored word, not yet canonical.
    pub(super) store: Rescale,
    /// Scaled output to plain integer, not yet canonical.
    pub(super) store_plain: Rescale,
    pub(super) initial: Vec<[u64; WIDTH]>,
    /// Element 0 into the internal rounds, its first round constant included.
    pub(super) enter_first: Rescale,
    /// The unpaired elements into the internal rounds.
    pub(super) enter_single: Rescale,
    /// `a + b` to `u_0`.
    pub(super) enter_sum: Rescale,
    /// `a - b` to `u_(-1)`, for each pair.
    pub(super) enter_difference: [Rescale; 12],
    /// Each pair's `u_(R-1)` to `v_R`.
    pub(super) leave: [Rescale; 12],
    /// What element 0 gets after each internal round: the next round's constant.
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
        // The square is used once more in x^3, which is used once more in x^4.
        let lost = if d == 7 { 5 * 52 } else { 52 } + last_shift::<F, WIDTH>();
        let kappa = two(52);

        // What each output of an external S-box lacks, and what that makes after the linear
        // layer, all of whose rows sum to 7 (WIDTH / 4 + 1).
        let missing = if cheap_last::<F, WIDTH>() { 16 } else { 0 };
        let after_mix = F::from_u32(missing * 7 * (WIDTH as u32 / 4 + 1));

        // The constants of some external rounds, and the scale after them.
        let external_rounds = |rounds: &[[F; WIDTH]], start: F, lacking: [F; WIDTH]| {
            let mut scale = start;
            let mut offset = lacking;
            let mut out = Vec::with_capacity(rounds.len());
            for rc in rounds {
                out.push(core::array::from_fn(|i| residue(rc[i] * scale + offset[i])));
                offset = [after_mix; WIDTH];
                scale = scale.exp_u64(d) * two(lost).inverse();
            }
            (out, scale, offset)
        };
        let (initial, scale, lacking) =
            external_rounds(external.get_initial_constants(), two(32), [F::ZERO; WIDTH]);

        // The same for every element.
        let lacking = lacking[0];
        let plan = const { plan::<F, WIDTH>() };
        let enter = kappa * scale.inverse();
        let first = internal.first().copied().unwrap_or(F::ZERO);
        let mut enter_first = Rescale::new(enter, lacking);
        enter_first.start = (enter_first.start + residue(first * kappa)) % F::ORDER_U64;
        let mut enter_difference = [Rescale::new(F::ZERO, F::ZERO); 12];
        let mut leave = enter_difference;
        for (k, pair) in plan.pair[..plan.pairs].iter().enumerate() {
            let v = entry::<F>(pair.entry);
            enter_difference[k] = Rescale::new(enter.halve() * v.inverse(), F::ZERO);
            leave[k] = Rescale::new(v, F::ZERO);
        }

        let mut singles = [F::ZERO; 24];
        let mut pairs = [[F::ZERO; 2]; 12];
        let mut first_offset = F::ZERO;
        let mut inner = Vec::with_capacity(internal.len());
        for r in 0..internal.len() {
            let tail: F = singles[..plan.singles].iter().copied().sum::<F>()
                + pairs[..plan.pairs].iter().map(|u| u[0].double()).sum::<F>();
            for (o, &(_, step)) in singles.iter_mut().zip(&plan.single[..plan.singles]) {
                *o = tail + step_offset(*o, step);
            }
            for (u, pair) in pairs.iter_mut().zip(&plan.pair[..plan.pairs]) {
                *u = [tail + step_offset(u[1], pair.square), u[0]];
            }
            first_offset = tail;
            inner.push(match internal.get(r + 1) {
                Some(&rc) => residue(rc * kappa + tail),
                None => 0,
            });
        }
        let mut offset = [first_offset; WIDTH];
        for (&o, &(i, _)) in singles.iter().zip(&plan.single[..plan.singles]) {
            offset[i] = o;
        }
        for (u, pair) in pairs.iter().zip(&plan.pair[..plan.pairs]) {
            let v = entry::<F>(pair.entry) * u[1];
            offset[pair.plus] = u[0] + v;
            offset[pair.minus] = u[0] - v;
        }

        let (terminal, scale, offset) =
            external_rounds(external.get_terminal_constants(), kappa, offset);
        let out = scale.inverse();
        Self {
            load_plain: Rescale::new(two(32), F::ZERO),
            store: Rescale::new(out * two(32), offset[0]),
            store_plain: Rescale::new(out, offset[0]),
            initial,
            enter_first,
            enter_single: Rescale::new(enter, lacking),
            enter_sum: Rescale::new(enter.halve(), lacking.double()),
            enter_difference,
            leave,
            internal: inner,
            terminal,
        }
    }
}

fn entry<F: PrimeField32>(entry: Diag) -> F {
    match entry {
        Diag::Small(d) => F::from_i8(d),
        Diag::Inv(k) => F::TWO.exp_u64(u64::from(k)).inverse(),
        Diag::NegInv(k) => -F::TWO.exp_u64(u64::from(k)).inverse(),
    }
}

/// How a missing amount moves through one step, with what that step leaves out.
fn step_offset<F: PrimeField32>(o: F, step: Step) -> F {
    let inverse = |k: u64| F::TWO.exp_u64(k).inverse();
    match step {
        Step::Times(d) => o * F::from_u32(d),
        // The step omits 1 + (p - 1) / 2^k = 1 - 2^-k.
        Step::Inv(k) => o * inverse(u64::from(k)) + F::ONE - inverse(u64::from(k)),
        Step::NegInv(k) => -(o * inverse(u64::from(k))),
        Step::Reduced(d) => o * F::from_u32(d) + F::ONE - inverse(52),
    }
}
