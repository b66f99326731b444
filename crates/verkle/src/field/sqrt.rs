//! Square roots in [`Fp`], whose multiplicative group has order 2^32 times an odd number.

use super::Fp;

/// A generator of the subgroup of order 2^32.
pub(crate) const ROOT_OF_UNITY: Fp = Fp::from_limbs([
    0x3829_971f_439f_0d2b,
    0xb636_8350_8c22_80b9,
    0xd09b_6819_22c8_13b4,
    0x16a2_a19e_dfe8_1f20,
]);

/// (m − 1)/2 for p − 1 = 2^32·m.
const ODD_HALF: [u64; 4] = [
    0x7fff_2dff_7fff_ffff,
    0x04d0_ec02_a9de_d201,
    0x94ce_bea4_199c_ec04,
    0x0000_0000_39f6_d3a9,
];

impl Fp {
    /// A square root, or `None` if there is none. Which of the two is not defined.
    #[must_use]
    pub fn sqrt(self) -> Option<Self> {
        // Tonelli and Shanks: root² = self·residue, where residue has order 2^k.
        let half = self.pow(&ODD_HALF);
        let mut root = half * self;
        let mut residue = root * half;
        let mut generator = ROOT_OF_UNITY;
        let mut order = 32;
        while residue != Self::ONE {
            let mut power = residue;
            let mut k = 0;
            while power != Self::ONE && k < order {
                power = power.square();
                k += 1;
            }
            if k >= order {
                return self.is_zero().then_some(self);
            }
            for _ in 0..order - k - 1 {
                generator = generator.square();
            }
            root *= generator;
            generator = generator.square();
            residue *= generator;
            order = k;
        }
        Some(root)
    }

    /// Whether this is zero or has a square root.
    #[must_use]
    pub fn is_square(self) -> bool {
        // Euler's criterion: the power (p − 1)/2.
        const HALF: [u64; 4] = [
            0x7fff_ffff_8000_0000,
            0xa9de_d201_7fff_2dff,
            0x199c_ec04_04d0_ec02,
            0x39f6_d3a9_94ce_bea4,
        ];
        let power = self.pow(&HALF);
        power == Self::ONE || power.is_zero()
    }

    /// Whether the canonical integer is above (p − 1)/2: the "positive" one of ±y in Banderwagon.
    #[must_use]
    pub fn is_positive(self) -> bool {
        const HALF_PLUS_ONE: [u64; 4] = [
            0x7fff_ffff_8000_0001,
            0xa9de_d201_7fff_2dff,
            0x199c_ec04_04d0_ec02,
            0x39f6_d3a9_94ce_bea4,
        ];
        !super::limbs::is_below(&self.to_limbs(), &HALF_PLUS_ONE)
    }
}
