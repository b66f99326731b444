//! Eight Bandersnatch points at a time.
//!
//! The formulas are those of [`crate::curve`]. Bounds, in moduli (see [`super::field`]): an addition
//! takes and gives coordinates below 2, except that it also takes what a doubling gives, X below
//! 2.3, Y below 2.6, T below 1.9 and Z below 3.3, which a doubling takes too. Only what an addition
//! gives may be packed.

use crate::curve::{Affine, D, Extended};
use crate::field::{BaseModulus, Fp, Modulus, double_mod};

use super::field::{Lanes, V, read_words, write_words};

pub(crate) type Base = Lanes<BaseModulus>;

/// Extended coordinates x, y, t, z in this module's Montgomery form, four words each: two cache
/// lines.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Packed([[u64; 4]; 4]);

/// Eight points in extended coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Points {
    pub x: Base,
    pub y: Base,
    pub t: Base,
    pub z: Base,
}

/// Eight points ready to be added: x, y, x + y (below four moduli), d·x·y.
#[derive(Clone, Copy)]
pub(crate) struct Addends {
    pub x: Base,
    pub y: Base,
    pub sum: Base,
    pub dt: Base,
}

/// The curve's coefficient d.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn d() -> Base {
    Base::splat_limbs(const { Base::constant(D) })
}

impl Addends {
    /// From coordinates below two moduli and d·x·y.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn new(x: Base, y: Base, dt: Base) -> Self {
        Self {
            x,
            y,
            sum: x.add(y),
            dt,
        }
    }

    /// With the points negated in the lanes whose bits are set.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn neg_where(self, mask: u8) -> Self {
        Self::new(
            self.x.neg_where::<2>(mask),
            self.y,
            self.dt.neg_where::<2>(mask),
        )
    }
}

/// Coordinates of eight points, below two moduli.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn load_affine(points: [&Affine; 8]) -> (Base, Base) {
    (
        Base::load_each(points.map(|point| &point.x)).reduce(),
        Base::load_each(points.map(|point| &point.y)).reduce(),
    )
}

impl Packed {
    /// The identity.
    pub(crate) fn identity() -> Self {
        // 2^260 modulo p.
        const ONE: [u64; 4] = double_mod(Fp::R, &BaseModulus::MODULUS, 4);
        Self([[0; 4], ONE, [0; 4], ONE])
    }
}

impl Points {
    /// The identity in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn identity() -> Self {
        Self {
            x: Base::zero(),
            y: Base::one(),
            t: Base::zero(),
            z: Base::one(),
        }
    }

    /// From coordinates below two moduli.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn from_affine(x: Base, y: Base) -> Self {
        Self {
            x,
            y,
            t: x.mul(y),
            z: Base::one(),
        }
    }

    /// Reads points from eight places.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn unpack(from: [&Packed; 8]) -> Self {
        let words = |k: usize| Base::from_words(read_words(from.map(|row| &row.0[k])));
        Self {
            x: words(0),
            y: words(1),
            t: words(2),
            z: words(3),
        }
    }

    /// Writes points, of coordinates below two moduli, to eight places.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn pack(self, to: [&mut Packed; 8]) {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = to;
        for (k, c) in [self.x, self.y, self.t, self.z].into_iter().enumerate() {
            write_words(
                c.to_words(),
                [
                    &mut r0.0[k],
                    &mut r1.0[k],
                    &mut r2.0[k],
                    &mut r3.0[k],
                    &mut r4.0[k],
                    &mut r5.0[k],
                    &mut r6.0[k],
                    &mut r7.0[k],
                ],
            );
        }
    }

    /// The points by the plain type.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn store(self) -> [Extended; 8] {
        let [x, y, t, z] = [self.x, self.y, self.t, self.z].map(|c| {
            let mut values = [Fp::ZERO; 8];
            c.store(&mut values);
            values
        });
        core::array::from_fn(|i| Extended {
            x: x[i],
            y: y[i],
            t: t[i],
            z: z[i],
        })
    }

    /// From the plain type.
    #[cfg(test)]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn load(points: [&Extended; 8]) -> Self {
        Self {
            x: Base::load_each(points.map(|p| &p.x)).reduce(),
            y: Base::load_each(points.map(|p| &p.y)).reduce(),
            t: Base::load_each(points.map(|p| &p.t)).reduce(),
            z: Base::load_each(points.map(|p| &p.z)).reduce(),
        }
    }

    /// Mixed addition.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn add_addends(&self, other: &Addends) -> Self {
        let a = self.x.mul(other.x);
        let b = self.y.mul(other.y);
        let s = self.x.add(self.y).mul(other.sum);
        let c = self.t.mul(other.dt);
        Self::combine(a, b, s, self.z.sub::<2>(c), self.z.add(c))
    }

    /// Addition.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn add(&self, other: &Self) -> Self {
        let a = self.x.mul(other.x);
        let b = self.y.mul(other.y);
        let s = self.x.add(self.y).mul(other.x.add(other.y));
        let c = self.t.mul(other.t).mul(d());
        let d = self.z.mul(other.z);
        Self::combine(a, b, s, d.sub::<2>(c), d.add(c))
    }

    /// The common end of additions: with a, b below 1.2 moduli and s below 1.7, e is below 4.7 and h
    /// below 7.2, f and g below 5.3 and 4.5: all products are below 35 squared moduli.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn combine(a: Base, b: Base, s: Base, f: Base, g: Base) -> Self {
        let e = s.sub_two::<3>(a, b);
        let h = a.times5_plus(b);
        Self {
            x: e.mul(f),
            y: g.mul(h),
            t: e.mul(h),
            z: f.mul(g),
        }
    }

    /// Doubling, with all four of e, f, g and h negated.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn double(&self) -> Self {
        let a = self.x.square();
        let b = self.y.square();
        let zz = self.z.square();
        let e = a.add(b).sub::<2>(self.x.add(self.y).square());
        let g = a.times5().sub::<2>(b);
        let h = a.times5_plus(b);
        let f = g.add(zz.double());
        Self {
            x: e.mul(f),
            y: g.mul(h),
            t: e.mul(h),
            z: f.mul(g),
        }
    }

    /// The sum of the eight points.
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn sum_of_lanes(self) -> Extended {
        // Lane i gets the sum of lanes i and i + 4, of those i + 2, and of those i + 1.
        let sum = self.add(&self.rotate::<4>());
        let sum = sum.add(&sum.rotate::<2>());
        let sum = sum.add(&sum.rotate::<1>());
        sum.store()[0]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn rotate<const BY: i32>(&self) -> Self {
        let rotate = |c: Base| {
            Base::from_limbs(
                c.limbs()
                    .map(|limb: V| core::arch::x86_64::_mm512_alignr_epi64::<BY>(limb, limb)),
            )
        };
        Self {
            x: rotate(self.x),
            y: rotate(self.y),
            t: rotate(self.t),
            z: rotate(self.z),
        }
    }
}

#[cfg(test)]
mod tests;
