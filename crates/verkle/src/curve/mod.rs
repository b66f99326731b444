//! Bandersnatch in twisted Edwards form, −5·x² + y² = 1 + d·x²·y² over [`Fp`].
//!
//! The group laws here are the unified ones for extended coordinates (Hisil, Wong, Carter, Dawson,
//! "Twisted Edwards Curves Revisited", sections 3.1 and 3.3). a = −5 and d are both non-squares, so
//! they are not complete on the whole curve, but they have no exceptions on the subgroup of index 2
//! that Banderwagon takes its representatives from: P ± Q would have to be one of the two points of
//! order 2 at infinity, which lie outside.

pub(crate) mod glv;

use core::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use crate::field::Fp;

/// The coefficient d.
pub(crate) const D: Fp = Fp::from_limbs([
    0xb369_f2f5_188d_58e7,
    0xcb66_6771_77e5_4f92,
    0xc66e_3bf8_6be3_b6d8,
    0x6389_c126_33c2_67cb,
]);

/// The generator of the prime-order subgroup that Bandersnatch names; the CRS calls it Q.
pub(crate) const GENERATOR: Affine = Affine {
    x: Fp::from_limbs([
        0xe1e7_1866_a252_ae18,
        0x2b79_c022_ad99_8465,
        0x7437_1177_7bbe_42f3,
        0x29c1_32cc_2c0b_34c5,
    ]),
    y: Fp::from_limbs([
        0x5e31_67b6_cc97_4166,
        0x358c_ad81_eee4_6460,
        0x157d_8b50_badc_d586,
        0x2a6c_669e_da12_3e0f,
    ]),
};

/// A multiplication of [`Fp`], as the formulas for points may use.
pub(crate) trait Multiply: Copy + Send + Sync {
    /// `a·b`.
    fn mul(self, a: Fp, b: Fp) -> Fp;
}

/// The multiplication of [`Fp`] itself.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Multiply for Plain {
    #[inline(always)]
    fn mul(self, a: Fp, b: Fp) -> Fp {
        a * b
    }
}

/// Five times an element.
#[inline(always)]
pub(crate) fn times5(value: Fp) -> Fp {
    value.double().double() + value
}

/// A point by its two coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    pub x: Fp,
    pub y: Fp,
}

/// A point ready to be added many times: x, y and d·x·y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addend {
    pub x: Fp,
    pub y: Fp,
    pub dt: Fp,
}

/// A point in extended coordinates: x = X/Z, y = Y/Z, x·y = T/Z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extended {
    pub x: Fp,
    pub y: Fp,
    pub t: Fp,
    pub z: Fp,
}

impl Affine {
    pub(crate) const IDENTITY: Self = Self {
        x: Fp::ZERO,
        y: Fp::ONE,
    };

    /// Whether the coordinates satisfy the curve's equation.
    pub(crate) fn is_on_curve(&self) -> bool {
        let (xx, yy) = (self.x.square(), self.y.square());
        yy - times5(xx) == Fp::ONE + D * xx * yy
    }

    /// 1 − a·x² = 1 + 5·x²: a non-zero square exactly on the subgroup of index 2.
    pub(crate) fn subgroup_character(x: Fp) -> Fp {
        Fp::ONE + times5(x.square())
    }

    #[inline]
    pub(crate) fn addend(&self) -> Addend {
        Addend {
            x: self.x,
            y: self.y,
            dt: D * self.x * self.y,
        }
    }

    #[inline]
    pub(crate) fn extended(&self) -> Extended {
        Extended {
            x: self.x,
            y: self.y,
            t: self.x * self.y,
            z: Fp::ONE,
        }
    }
}

impl Neg for Addend {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            x: -self.x,
            y: self.y,
            dt: -self.dt,
        }
    }
}

impl Extended {
    pub(crate) const IDENTITY: Self = Self {
        x: Fp::ZERO,
        y: Fp::ONE,
        t: Fp::ZERO,
        z: Fp::ONE,
    };

    /// Whether this is in the class of the identity, (0, ±1). No sum of subgroup points has X and Y
    /// both zero; a defect that made one must not pass for the identity.
    #[must_use]
    pub(crate) fn is_identity(&self) -> bool {
        self.x.is_zero() && !self.y.is_zero()
    }

    /// Twice this point.
    #[inline]
    #[must_use]
    pub(crate) fn double(&self) -> Self {
        let a = self.x.square();
        let b = self.y.square();
        let c = self.z.square().double();
        let d = -times5(a);
        let e = (self.x + self.y).square() - a - b;
        let g = d + b;
        let f = g - c;
        let h = d - b;
        Self {
            x: e * f,
            y: g * h,
            t: e * h,
            z: f * g,
        }
    }

    /// The sum with a point of Z = 1.
    #[inline(always)]
    #[must_use]
    pub(crate) fn add_addend<M: Multiply>(&self, m: M, other: &Addend) -> Self {
        let a = m.mul(self.x, other.x);
        let b = m.mul(self.y, other.y);
        let c = m.mul(self.t, other.dt);
        let s = m.mul(self.x + self.y, other.x + other.y);
        Self::combine(m, a, b, s, self.z - c, self.z + c)
    }

    /// The sum with a point of Z = 1, or with its negative.
    #[inline(always)]
    #[must_use]
    pub(crate) fn add_signed<M: Multiply>(&self, m: M, other: &Addend, negative: bool) -> Self {
        self.add_addend(m, &if negative { -*other } else { *other })
    }

    /// The sum.
    #[inline(always)]
    #[must_use]
    pub(crate) fn add_by<M: Multiply>(&self, m: M, other: &Self) -> Self {
        let a = m.mul(self.x, other.x);
        let b = m.mul(self.y, other.y);
        let c = m.mul(m.mul(self.t, other.t), D);
        let d = m.mul(self.z, other.z);
        let s = m.mul(self.x + self.y, other.x + other.y);
        Self::combine(m, a, b, s, d - c, d + c)
    }

    /// The common end of additions.
    #[inline(always)]
    fn combine<M: Multiply>(m: M, a: Fp, b: Fp, s: Fp, f: Fp, g: Fp) -> Self {
        let e = s - a - b;
        let h = b + times5(a);
        Self {
            x: m.mul(e, f),
            y: m.mul(g, h),
            t: m.mul(e, h),
            z: m.mul(f, g),
        }
    }
}

impl Add for Extended {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.add_by(Plain, &other)
    }
}

impl Neg for Extended {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            x: -self.x,
            y: self.y,
            t: -self.t,
            z: self.z,
        }
    }
}

impl Sub for Extended {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl AddAssign for Extended {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Extended {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
