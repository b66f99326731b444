//! The constraints at the out-of-domain point, against the quotient there.
//!
//! With `Z(X) = X^n - 1` and `g` the generator of the trace domain, the selectors are
//! `Z(zeta) / (zeta - 1)` on the first row, `Z(zeta) / (zeta - 1/g)` on the last,
//! `zeta - 1/g` on all but the last, as in `p3_commit`'s two-adic domains.

use alloc::vec::Vec;

use p3_air::{Air, AirBuilder, BaseAir, ExtensionBuilder, RowWindow};
use p3_baby_bear::BabyBear;
use p3_field::extension::BinomialExtensionField;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as WordError;

use crate::error::Rejection;
use crate::field::{
    EXT_ONE, EXT_ZERO, Ext, Factor, ONE, ext_add, ext_inverse, ext_mul, ext_scale, ext_shift,
    ext_sub, inverse, mul, square_times, sub,
};
use crate::params::Shape;
use crate::tape::Opened;

/// The challenge field.
pub(crate) type Challenge = BinomialExtensionField<BabyBear, 4>;

/// Constraints that this crate can verify: those of `p3-air` over BabyBear, with the columns,
/// public values and row accesses that the key states, and without periodic columns.
pub trait StarkAir: BaseAir<BabyBear> + for<'a> Air<Folder<'a>> {
    /// Name and version of the constraints, 1 to 32 bytes without zeros. Two sets of constraints
    /// that differ must differ in it: nothing else of the transcript depends on them.
    const NAME: &'static str;
}

/// Evaluates constraints at a point and folds them with powers of a challenge.
#[derive(Debug)]
pub struct Folder<'a> {
    main: RowWindow<'a, Challenge>,
    preprocessed: RowWindow<'a, Challenge>,
    public_values: &'a [BabyBear],
    is_first_row: Challenge,
    is_last_row: Challenge,
    is_transition: Challenge,
    alpha: Challenge,
    accumulator: Challenge,
}

impl<'a> AirBuilder for Folder<'a> {
    type F = BabyBear;
    type Expr = Challenge;
    type Var = Challenge;
    type PreprocessedWindow = RowWindow<'a, Challenge>;
    type MainWindow = RowWindow<'a, Challenge>;
    type PublicVar = BabyBear;
    type PeriodicVar = Challenge;

    fn main(&self) -> Self::MainWindow {
        self.main
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    fn is_first_row(&self) -> Self::Expr {
        self.is_first_row
    }

    fn is_last_row(&self) -> Self::Expr {
        self.is_last_row
    }

    fn is_transition(&self) -> Self::Expr {
        self.is_transition
    }

    #[allow(clippy::arithmetic_side_effects, reason = "field arithmetic")]
    fn assert_zero<I: Into<Self::Expr>>(&mut self, x: I) {
        self.accumulator = self.accumulator * self.alpha + x.into();
    }

    fn public_values(&self) -> &[Self::PublicVar] {
        self.public_values
    }
}

impl ExtensionBuilder for Folder<'_> {
    type EF = Challenge;
    type ExprEF = Challenge;
    type VarEF = Challenge;

    fn assert_zero_ext<I: Into<Self::ExprEF>>(&mut self, x: I) {
        self.assert_zero(x);
    }
}

/// A word in Montgomery form as Plonky3's element, by way of its serialisation, which is that word.
/// Zero for a word that is none.
pub(crate) fn base(word: u32) -> BabyBear {
    let word: serde::de::value::U32Deserializer<WordError> = word.into_deserializer();
    BabyBear::deserialize(word).unwrap_or(BabyBear::ZERO)
}

pub(crate) fn challenge(ext: &Ext) -> Challenge {
    Challenge::from_basis_coefficients_fn(|i| base(ext.get(i).copied().unwrap_or(0)))
}

pub(crate) fn ext(challenge: &Challenge) -> Ext {
    let coefficients: &[BabyBear] = challenge.as_basis_coefficients_slice();
    let mut out = EXT_ZERO;
    for (word, coefficient) in out.iter_mut().zip(coefficients) {
        *word = coefficient.to_unique_u32();
    }
    out
}

/// A row of opened values, zeros where there are none.
fn row(values: &[Ext], width: usize) -> Vec<Challenge> {
    let mut row: Vec<_> = values.iter().map(challenge).collect();
    row.resize(width, Challenge::ZERO);
    row
}

/// The word of a generator of the subgroup of order `2^log`.
pub(crate) fn generator(log: u32) -> u32 {
    let log = usize::try_from(log).unwrap_or(usize::MAX);
    BabyBear::two_adic_generator(log.min(BabyBear::TWO_ADICITY)).to_unique_u32()
}

/// The word of the shift of the domain that codewords are committed on.
pub(crate) fn shift() -> u32 {
    use p3_field::Field;
    BabyBear::GENERATOR.to_unique_u32()
}

/// Checks the constraints at `zeta`. Public values are in Montgomery form.
///
/// # Errors
///
/// [`Rejection::PointInDomain`], [`Rejection::Constraints`].
pub(crate) fn check<A: StarkAir>(
    air: &A,
    shape: &Shape,
    opened: &Opened<'_>,
    public: &[u32],
    alpha: &Ext,
    zeta: &Ext,
) -> Result<(), Rejection> {
    let degree_bits = shape.params.air.degree_bits;
    let height = usize::try_from(degree_bits).unwrap_or(usize::MAX);
    let power = ext_square_times(zeta, height);
    let vanishing = ext_sub(&power, &EXT_ONE);
    if vanishing == EXT_ZERO {
        return Err(Rejection::PointInDomain);
    }
    let last = [inverse(generator(degree_bits)), 0, 0, 0];
    let from_first = ext_sub(zeta, &EXT_ONE);
    let from_last = ext_sub(zeta, &last);
    // Both differences divide the vanishing polynomial, which is not zero here.
    let scaled = ext_mul(&vanishing, &ext_inverse(&ext_mul(&from_first, &from_last)));

    let local = row(opened.local, shape.width);
    let next = row(opened.next, shape.width);
    let preprocessed_local = row(opened.preprocessed_local, shape.preprocessed_width);
    let preprocessed_next = row(opened.preprocessed_next, shape.preprocessed_width);
    let public: Vec<_> = public.iter().map(|&word| base(word)).collect();
    let mut folder = Folder {
        main: RowWindow::from_two_rows(&local, &next),
        preprocessed: RowWindow::from_two_rows(&preprocessed_local, &preprocessed_next),
        public_values: &public,
        is_first_row: challenge(&ext_mul(&scaled, &from_last)),
        is_last_row: challenge(&ext_mul(&scaled, &from_first)),
        is_transition: challenge(&from_last),
        alpha: challenge(alpha),
        accumulator: Challenge::ZERO,
    };
    air.eval(&mut folder);

    let quotient = recompose(shape, opened.quotient, &power);
    if ext(&folder.accumulator) == ext_mul(&quotient, &vanishing) {
        return Ok(());
    }
    Err(Rejection::Constraints)
}

fn ext_square_times(a: &Ext, n: usize) -> Ext {
    let mut power = *a;
    for _ in 0..n {
        power = ext_mul(&power, &power);
    }
    power
}

/// The quotient at `zeta` from its `C` parts. Part `i` interpolates the quotient on the coset
/// `s g^i H` of the trace domain `H`, with `g` of order `C n` and `s` the shift; it is weighted with
/// the polynomial that vanishes on the other cosets and is one on this one,
/// `prod_(j != i) (zeta^n / (s^n w^j) - 1) / (w^(i - j) - 1)` for `w = g^n` of order `C`. The
/// denominators multiply to `(-1)^(C - 1) C` for every `i`.
fn recompose(shape: &Shape, parts: &[Ext], power: &Ext) -> Ext {
    let parts = parts.chunks(4).map(|part| {
        let mut value = EXT_ZERO;
        for coefficient in part.iter().rev() {
            value = ext_add(&ext_shift(&value), coefficient);
        }
        value
    });
    let log_chunks = shape.params.air.log_quotient_chunks;
    if log_chunks == 0 {
        return parts.fold(EXT_ZERO, |sum, part| ext_add(&sum, &part));
    }
    let height = usize::try_from(shape.params.air.degree_bits).unwrap_or(usize::MAX);
    let step = inverse(generator(log_chunks));
    let mut inverse_shift = inverse(square_times(shift(), height));
    let mut vanishing = Vec::with_capacity(shape.chunks);
    for _ in 0..shape.chunks {
        let scaled = ext_scale(power, inverse_shift);
        vanishing.push(ext_sub(&scaled, &EXT_ONE));
        inverse_shift = mul(inverse_shift, step);
    }
    let mut sum = EXT_ZERO;
    for (i, part) in parts.enumerate() {
        let mut term = part;
        for (_, other) in vanishing.iter().enumerate().filter(|&(j, _)| j != i) {
            term = Factor::new(other).times(&term);
        }
        sum = ext_add(&sum, &term);
    }
    // 1 / ((-1)^(C - 1) C), for an even C.
    let mut weight = sub(0, ONE);
    for _ in 0..log_chunks {
        weight = mul(weight, crate::field::HALF);
    }
    ext_scale(&sum, weight)
}
