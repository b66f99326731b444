//! Banderwagon: a group of prime order, made of Bandersnatch points.
//!
//! Its elements are the points whose 1 − a·x² is a non-zero square, with (x, y) and (−x, −y) taken
//! as one. The encoding is specified by the Verkle reference implementations (`banderwagon.py`,
//! go-ipa, rust-verkle): 32 big-endian bytes of x, for the representative whose y is above
//! (p − 1)/2.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::curve::{Affine, D, Extended, GENERATOR};
use crate::field::{Fp, Fr};

/// Why bytes are not a Banderwagon element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// The number of bytes is wrong.
    #[error("expected {expected} bytes, got {got}")]
    Length {
        /// Right number.
        expected: usize,
        /// What came.
        got: usize,
    },
    /// A coordinate is not below p.
    #[error("a coordinate is not below the field's modulus")]
    NotCanonical,
    /// No point of the curve has this x, or x and y do not satisfy the equation.
    #[error("not a point of the curve")]
    NotOnCurve,
    /// The point is outside the subgroup of index 2.
    #[error("a point of the curve, but not of the subgroup")]
    NotInSubgroup,
}

/// An element of Banderwagon, in projective coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Element(pub(crate) Extended);

impl Element {
    /// The identity: the class of (0, 1) and (0, −1).
    pub const IDENTITY: Self = Self(Extended::IDENTITY);

    /// The generator that Bandersnatch names. The CRS calls it Q.
    #[must_use]
    pub fn generator() -> Self {
        Self(GENERATOR.extended())
    }

    /// Whether this is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.0.is_identity()
    }

    /// Twice this element.
    #[must_use]
    pub fn double(&self) -> Self {
        Self(self.0.double())
    }

    /// With its encoding. One inversion: for many elements, [`Commitment::normalise`].
    #[must_use]
    pub fn to_commitment(&self) -> Commitment {
        // Z is never zero on the subgroup (see `curve`).
        let inverse = self.0.z.invert().unwrap_or(Fp::ZERO);
        Commitment::from_affine(Affine {
            x: self.0.x * inverse,
            y: self.0.y * inverse,
        })
    }

    /// X/Y as an integer, modulo the order of the group: how a commitment enters its parent.
    /// One inversion: for many elements, [`Commitment::map_all_to_scalar`].
    #[must_use]
    pub fn map_to_scalar(&self) -> Fr {
        let inverse = self.0.y.invert().unwrap_or(Fp::ZERO);
        to_scalar(self.0.x * inverse)
    }
}

/// The integer below p, modulo r.
pub(crate) fn to_scalar(value: Fp) -> Fr {
    Fr::from_limbs(value.to_limbs())
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        let degenerate = |point: &Extended| point.x.is_zero() && point.y.is_zero();
        self.0.x * other.0.y == other.0.x * self.0.y
            && !degenerate(&self.0)
            && !degenerate(&other.0)
    }
}

impl Eq for Element {}

impl Add for Element {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Element {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Element {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl AddAssign for Element {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl SubAssign for Element {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Mul<Fr> for Element {
    type Output = Self;
    fn mul(self, scalar: Fr) -> Self {
        Self(crate::msm::scalar_mul(&self.0, scalar))
    }
}

impl core::iter::Sum for Element {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::IDENTITY, Add::add)
    }
}

impl From<&Commitment> for Element {
    fn from(commitment: &Commitment) -> Self {
        Self(commitment.point.extended())
    }
}

/// An element with its encoding: what transcripts absorb and multi-scalar multiplications add.
///
/// Equality is that of the encoding, which is unique.
#[derive(Clone, Copy)]
pub struct Commitment {
    pub(crate) bytes: [u8; 32],
    pub(crate) point: Affine,
}

impl Commitment {
    /// The identity; its encoding is all zeros.
    pub const IDENTITY: Self = Self {
        bytes: [0; 32],
        point: Affine::IDENTITY,
    };

    pub(crate) fn from_affine(point: Affine) -> Self {
        Self {
            bytes: encode(&point),
            point,
        }
    }

    /// The encoding: x big-endian, of the representative with the larger y.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Whether this is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// Decodes and checks everything: length, range, curve, subgroup.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PointError> {
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| PointError::Length {
            expected: 32,
            got: bytes.len(),
        })?;
        let x = Fp::from_be_bytes(bytes).ok_or(PointError::NotCanonical)?;
        // −5·x² + y² = 1 + d·x²·y² gives y² = (1 + 5·x²)/(1 − d·x²); d is no square, so the
        // denominator is not zero.
        let denominator = Fp::ONE - D * x.square();
        let inverse = denominator.invert().ok_or(PointError::NotOnCurve)?;
        let character = Affine::subgroup_character(x);
        let [y] = roots([character], [character * inverse]);
        Ok(Self::from_root(bytes, x, y?))
    }

    /// From an encoding, the x in it, and either y.
    pub(crate) fn from_root(bytes: &[u8; 32], x: Fp, y: Fp) -> Self {
        let y = if y.is_positive() { y } else { -y };
        Self {
            bytes: *bytes,
            point: Affine { x, y },
        }
    }

    /// Decodes x ‖ y, both little-endian (rust-verkle's layout), and checks everything. Either
    /// representative is accepted.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_uncompressed_le(bytes: &[u8]) -> Result<Self, PointError> {
        Self::checked(coordinates(bytes, Fp::from_le_bytes)?)
    }

    /// Decodes x ‖ y, both big-endian (go-ipa's layout), and checks everything. Either
    /// representative is accepted.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn from_uncompressed_be(bytes: &[u8]) -> Result<Self, PointError> {
        Self::checked(coordinates(bytes, Fp::from_be_bytes)?)
    }

    fn checked(point: Affine) -> Result<Self, PointError> {
        if !point.is_on_curve() {
            return Err(PointError::NotOnCurve);
        }
        let character = Affine::subgroup_character(point.x);
        if character.is_zero() || !character.is_square() {
            return Err(PointError::NotInSubgroup);
        }
        Ok(Self::from_affine(point))
    }

    /// x ‖ y, both little-endian, taken on trust: only length and range are checked. A pair that is
    /// not a Banderwagon element makes every later result meaningless, and a verifier that is given
    /// one can be made to accept what is false. For bytes that this process wrote itself.
    ///
    /// # Errors
    /// Wrong length, or a coordinate that is not canonical.
    pub fn from_uncompressed_le_unchecked(bytes: &[u8]) -> Result<Self, PointError> {
        coordinates(bytes, Fp::from_le_bytes).map(Self::from_affine)
    }

    /// x ‖ y, both big-endian, taken on trust; see [`Self::from_uncompressed_le_unchecked`].
    ///
    /// # Errors
    /// Wrong length, or a coordinate that is not canonical.
    pub fn from_uncompressed_be_unchecked(bytes: &[u8]) -> Result<Self, PointError> {
        coordinates(bytes, Fp::from_be_bytes).map(Self::from_affine)
    }

    /// x ‖ y, both little-endian, of whichever representative is held: not a unique encoding.
    #[must_use]
    pub fn to_uncompressed_le(&self) -> [u8; 64] {
        join(self.point.x.to_le_bytes(), self.point.y.to_le_bytes())
    }

    /// x ‖ y, both big-endian, of whichever representative is held: not a unique encoding.
    #[must_use]
    pub fn to_uncompressed_be(&self) -> [u8; 64] {
        join(self.point.x.to_be_bytes(), self.point.y.to_be_bytes())
    }

    /// X/Y as an integer, modulo the order of the group.
    #[must_use]
    pub fn map_to_scalar(&self) -> Fr {
        Element::from(self).map_to_scalar()
    }
}

impl PartialEq for Commitment {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Commitment {}

impl core::hash::Hash for Commitment {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

impl core::fmt::Debug for Commitment {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Commitment(")?;
        for byte in self.bytes {
            write!(f, "{byte:02x}")?;
        }
        write!(f, ")")
    }
}

/// For several points, y from its square and the character of x.
pub(crate) fn roots<const K: usize>(
    characters: [Fp; K],
    squares: [Fp; K],
) -> [Result<Fp, PointError>; K] {
    let mut results = [Err(PointError::NotOnCurve); K];
    let roots = Fp::square_roots(squares);
    for ((result, root), character) in results.iter_mut().zip(roots).zip(characters) {
        if let Some(root) = root {
            // A character is never zero: 5 is no square, and −1 is one.
            *result = if character.is_square() {
                Ok(root)
            } else {
                Err(PointError::NotInSubgroup)
            };
        }
    }
    results
}

fn encode(point: &Affine) -> [u8; 32] {
    let x = if point.y.is_positive() {
        point.x
    } else {
        -point.x
    };
    x.to_be_bytes()
}

fn join(x: [u8; 32], y: [u8; 32]) -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(&x);
    bytes[32..].copy_from_slice(&y);
    bytes
}

fn coordinates(
    bytes: &[u8],
    parse: impl Fn(&[u8; 32]) -> Option<Fp>,
) -> Result<Affine, PointError> {
    let (halves, []) = bytes.as_chunks::<32>() else {
        return Err(PointError::Length {
            expected: 64,
            got: bytes.len(),
        });
    };
    let [x, y] = halves else {
        return Err(PointError::Length {
            expected: 64,
            got: bytes.len(),
        });
    };
    match (parse(x), parse(y)) {
        (Some(x), Some(y)) => Ok(Affine { x, y }),
        _ => Err(PointError::NotCanonical),
    }
}
