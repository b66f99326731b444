//! The two prime fields of Bandersnatch: four 64-bit limbs in Montgomery form.
//!
//! [`Fp`] is the field the curve is defined over (the scalar field of BLS12-381), [`Fr`] the
//! field of its prime-order subgroup. Both leave the top bit of the highest limb free, which the
//! multiplication uses. Nothing here is constant-time: openings are public.

mod gcd;
mod limbs;
pub(crate) mod sqrt;
mod wide;

use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::{Product, Sum};
use core::marker::PhantomData;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

pub(crate) use limbs::{adc, double_mod};
pub(crate) use wide::Wide;

use limbs::{is_below, mont_mul, mont_one, neg_inv};

/// An odd modulus below 2^255.
pub trait Modulus: Copy + Clone + Eq + Send + Sync + 'static {
    /// The modulus, least significant limb first.
    const MODULUS: [u64; 4];
    /// Name for messages.
    const NAME: &'static str;
}

/// The modulus of [`Fp`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BaseModulus;
impl Modulus for BaseModulus {
    const MODULUS: [u64; 4] = [
        0xffff_ffff_0000_0001,
        0x53bd_a402_fffe_5bfe,
        0x3339_d808_09a1_d805,
        0x73ed_a753_299d_7d48,
    ];
    const NAME: &'static str = "Fp";
}

/// The modulus of [`Fr`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ScalarModulus;
impl Modulus for ScalarModulus {
    const MODULUS: [u64; 4] = [
        0x74fd_06b5_2876_e7e1,
        0xff8f_8700_7419_0471,
        0x0cce_7602_0268_7600,
        0x1cfb_69d4_ca67_5f52,
    ];
    const NAME: &'static str = "Fr";
}

/// Coordinates of Bandersnatch points: integers modulo
/// 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
pub type Fp = Field<BaseModulus>;
/// Scalars of Banderwagon: integers modulo
/// 0x1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1.
pub type Fr = Field<ScalarModulus>;

/// An element of a prime field, held as a·2^256 mod the modulus, fully reduced.
#[repr(transparent)]
pub struct Field<M>(pub(crate) [u64; 4], PhantomData<M>);

impl<M: Modulus> Field<M> {
    /// 2^256 modulo the modulus.
    pub(crate) const R: [u64; 4] = mont_one(&M::MODULUS);
    /// 2^512 modulo the modulus.
    pub(crate) const R2: [u64; 4] = double_mod(Self::R, &M::MODULUS, 256);
    /// −modulus⁻¹ modulo 2^64.
    pub(crate) const INV: u64 = neg_inv(M::MODULUS[0]);

    /// The additive identity.
    pub const ZERO: Self = Self::from_mont([0; 4]);
    /// The multiplicative identity.
    pub const ONE: Self = Self::from_mont(Self::R);

    /// From limbs already in Montgomery form and reduced.
    #[inline(always)]
    pub(crate) const fn from_mont(limbs: [u64; 4]) -> Self {
        Self(limbs, PhantomData)
    }

    /// From limbs in Montgomery form, below twice the modulus.
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    #[inline(always)]
    pub(crate) const fn from_mont_once(limbs: [u64; 4]) -> Self {
        Self::from_mont(limbs::reduce_once(&limbs, &M::MODULUS))
    }

    /// From a canonical integer. Not checked: limbs at or above the modulus give an element whose
    /// Montgomery form is still reduced, of the integer modulo the modulus.
    #[inline]
    #[must_use]
    pub const fn from_limbs(limbs: [u64; 4]) -> Self {
        Self::from_mont(mont_mul(&limbs, &Self::R2, &M::MODULUS, Self::INV))
    }

    /// The canonical integer, least significant limb first.
    #[inline]
    #[must_use]
    pub const fn to_limbs(self) -> [u64; 4] {
        mont_mul(&self.0, &[1, 0, 0, 0], &M::MODULUS, Self::INV)
    }

    /// A small integer.
    #[inline]
    #[must_use]
    pub const fn from_u64(value: u64) -> Self {
        Self::from_limbs([value, 0, 0, 0])
    }

    /// From 32 little-endian bytes; `None` at or above the modulus.
    #[must_use]
    pub fn from_le_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let limbs = limbs::from_le(bytes);
        is_below(&limbs, &M::MODULUS).then(|| Self::from_limbs(limbs))
    }

    /// From 32 big-endian bytes; `None` at or above the modulus.
    #[must_use]
    pub fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        let mut le = *bytes;
        le.reverse();
        Self::from_le_bytes(&le)
    }

    /// A 256-bit little-endian integer modulo the modulus.
    #[must_use]
    pub fn from_le_bytes_reduced(bytes: &[u8; 32]) -> Self {
        // One Montgomery step reduces any 256-bit integer: the result is below twice the modulus
        // before the last subtraction.
        Self::from_limbs(limbs::from_le(bytes))
    }

    /// The integer divided by 2^256, from 32 little-endian bytes of one below the modulus. Products
    /// with it, and sums of them, need no conversion; [`Self::times_radix`] is owed at the end.
    #[inline]
    pub(crate) fn from_canonical_le_bytes_over_radix(bytes: &[u8; 32]) -> Self {
        Self::from_mont(limbs::from_le(bytes))
    }

    /// This times 2^256.
    #[inline]
    pub(crate) fn times_radix(self) -> Self {
        Self::from_limbs(self.0)
    }

    /// The canonical integer, little-endian.
    #[must_use]
    pub fn to_le_bytes(self) -> [u8; 32] {
        limbs::to_le(&self.to_limbs())
    }

    /// The canonical integer, big-endian.
    #[must_use]
    pub fn to_be_bytes(self) -> [u8; 32] {
        let mut bytes = self.to_le_bytes();
        bytes.reverse();
        bytes
    }

    /// Whether this is zero.
    #[inline]
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Twice this.
    #[inline]
    #[must_use]
    pub fn double(self) -> Self {
        self + self
    }

    /// This times itself.
    #[inline]
    #[must_use]
    pub fn square(self) -> Self {
        self * self
    }

    /// This to an exponent given by limbs, least significant first. Time depends on the exponent.
    #[must_use]
    pub fn pow(self, exponent: &[u64]) -> Self {
        let mut window = [Self::ONE; 16];
        for i in 1..16 {
            window[i] = window[i - 1] * self;
        }
        let mut power = Self::ONE;
        for limb in exponent.iter().rev() {
            for shift in (0..16).rev() {
                if power != Self::ONE {
                    power = power.square().square().square().square();
                }
                let digit = (limb >> (4 * shift)) & 15;
                if digit != 0 {
                    power *= window[digit as usize];
                }
            }
        }
        power
    }

    /// The multiplicative inverse; `None` for zero.
    #[must_use]
    pub fn invert(self) -> Option<Self> {
        // R²/(a·R) is a⁻¹·R.
        (!self.is_zero())
            .then(|| Self::from_mont(gcd::divide(&Self::R2, &self.0, &M::MODULUS, Self::INV)))
    }
}

/// Replaces every non-zero element by its inverse, with one inversion for all of them; zeros stay.
pub fn batch_invert<M: Modulus>(values: &mut [Field<M>]) {
    let mut products = alloc::vec![Field::ONE; values.len()];
    batch_invert_with(values, &mut products);
}

/// [`batch_invert`] with room for the products given: as much as there are values.
pub(crate) fn batch_invert_with<M: Modulus>(values: &mut [Field<M>], products: &mut [Field<M>]) {
    debug_assert!(products.len() >= values.len());
    let mut product = Field::ONE;
    for (value, before) in values.iter().zip(products.iter_mut()) {
        *before = product;
        if !value.is_zero() {
            product *= *value;
        }
    }
    // A product of non-zero elements: always there.
    let mut inverse = product.invert().unwrap_or(Field::ZERO);
    for (value, before) in values.iter_mut().zip(products.iter()).rev() {
        if !value.is_zero() {
            let own = inverse * *before;
            inverse *= *value;
            *value = own;
        }
    }
}

impl<M> Clone for Field<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Field<M> {}

impl<M> PartialEq for Field<M> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<M> Eq for Field<M> {}

impl<M> Hash for Field<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<M: Modulus> Default for Field<M> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<M: Modulus> fmt::Debug for Field<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.to_limbs();
        write!(f, "{}(0x{d:016x}{c:016x}{b:016x}{a:016x})", M::NAME)
    }
}

impl<M: Modulus> From<u64> for Field<M> {
    fn from(value: u64) -> Self {
        Self::from_u64(value)
    }
}

impl<M: Modulus> Add for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, rhs: Self) -> Self {
        Self::from_mont(limbs::add_mod(&self.0, &rhs.0, &M::MODULUS))
    }
}

impl<M: Modulus> Sub for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, rhs: Self) -> Self {
        Self::from_mont(limbs::sub_mod(&self.0, &rhs.0, &M::MODULUS))
    }
}

impl<M: Modulus> Neg for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus> Mul for Field<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, rhs: Self) -> Self {
        Self::from_mont(mont_mul(&self.0, &rhs.0, &M::MODULUS, Self::INV))
    }
}

impl<M: Modulus> AddAssign for Field<M> {
    #[inline(always)]
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl<M: Modulus> SubAssign for Field<M> {
    #[inline(always)]
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}

impl<M: Modulus> MulAssign for Field<M> {
    #[inline(always)]
    fn mul_assign(&mut self, rhs: Self) {
        *self = *self * rhs;
    }
}

impl<M: Modulus> Sum for Field<M> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl<M: Modulus> Product for Field<M> {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ONE, Mul::mul)
    }
}
