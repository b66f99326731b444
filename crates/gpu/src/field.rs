//! Fields as the kernels know them: numbers, not types.

use p3_field::{BasedVectorSpace, ExtensionField, TwoAdicField};
use prova_hash::HashField;

/// A 31-bit prime field in Montgomery form with `R = 2^32`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The modulus `p`, which is 1 modulo `2^16`.
    pub modulus: u32,
    /// `p^-1 mod 2^32`.
    pub inverse: u32,
    /// Montgomery form of 1.
    pub one: u32,
    /// Montgomery forms of the generators of the subgroups of order `2^i`, by `i`.
    pub roots: Vec<u32>,
}

/// The stored word of an element.
pub fn word<F: HashField>(value: F) -> u32 {
    F::words(&[value])[0]
}

impl Field {
    /// The description of `F`.
    ///
    /// # Panics
    /// If the modulus is not 1 modulo `2^16`, which the default multiplication relies on.
    #[must_use]
    pub fn of<F: HashField + TwoAdicField>() -> Self {
        let modulus = F::ORDER_U32;
        assert_eq!(modulus % (1 << 16), 1, "the modulus is 1 modulo 2^16");
        // Newton's iteration doubles the number of correct low bits, from 16 on.
        let mut inverse = 1_u32;
        for _ in 0..5 {
            inverse = inverse.wrapping_mul(2_u32.wrapping_sub(modulus.wrapping_mul(inverse)));
        }
        Self {
            modulus,
            inverse,
            one: word(F::ONE),
            roots: (0..=F::TWO_ADICITY)
                .map(|i| word(F::two_adic_generator(i)))
                .collect(),
        }
    }

    /// The Montgomery product of two words below the modulus.
    #[must_use]
    pub fn product(&self, a: u32, b: u32) -> u32 {
        let t = u64::from(a) * u64::from(b);
        let q = (t as u32).wrapping_mul(self.inverse);
        let low = (u64::from(q) * u64::from(self.modulus)) >> 32;
        let r = (t >> 32) as u32;
        let r = r.wrapping_sub(low as u32);
        r.min(r.wrapping_add(self.modulus))
    }

    /// `x * y^rounds` by as many products.
    pub(crate) fn chain(&self, x: u32, y: u32, rounds: u32) -> u32 {
        (0..rounds).fold(x, |x, _| self.product(x, y))
    }
}

/// A challenge extension `F[x] / (x^D - r(x))`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extension {
    /// Montgomery forms of the coefficients of `r`, lowest first; as many as the degree.
    pub reduction: Vec<u32>,
}

impl Extension {
    /// The description of `EF`, whose basis is the powers of its element number 1.
    ///
    /// # Panics
    /// If the degree is not 4 or 5, or the basis is not one of powers.
    #[must_use]
    pub fn of<F: HashField, EF: ExtensionField<F>>() -> Self {
        let degree = <EF as BasedVectorSpace<F>>::DIMENSION;
        assert!((4..=5).contains(&degree), "an extension has degree 4 or 5");
        let basis = |i: usize| EF::from_basis_coefficients_fn(|j| F::from_bool(i == j));
        let x = basis(1);
        for i in 0..degree {
            assert_eq!(x.exp_u64(i as u64), basis(i), "a basis of powers");
        }
        let power = x.exp_u64(degree as u64);
        Self {
            reduction: F::words(power.as_basis_coefficients_slice()).to_vec(),
        }
    }

    /// Degree over the base field.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.reduction.len()
    }

    /// The reduction as templates want it.
    pub(crate) fn reduction_terms(&self, field: &Field) -> Vec<String> {
        self.reduction
            .iter()
            .map(|&r| match r {
                0 => "0".to_owned(),
                r if r == field.one => "1".to_owned(),
                r if r == field.modulus - field.one => "-1".to_owned(),
                r => format!("{r}u"),
            })
            .collect()
    }
}

/// How kernels multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Multiply {
    /// Two rounds of reduction by `2^16`: 32-bit arithmetic only.
    M16,
    /// 64-bit integers, where the device has them.
    U64,
    /// The machine's high product, through SPIR-V that is handed to the driver as it is.
    Native,
}

impl Multiply {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::M16, Self::U64, Self::Native];

    /// Name in reports and templates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::M16 => "m16",
            Self::U64 => "u64",
            Self::Native => "native",
        }
    }
}
