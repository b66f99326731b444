//! Multiplication with the two carry chains of ADX.

use core::arch::asm;

use crate::arm::Arm;
use crate::curve::Multiply;
use crate::field::{BaseModulus, Fp, Modulus};

/// Shows that the CPU has BMI2 and ADX.
#[derive(Clone, Copy)]
pub(crate) struct Adx(());

impl Adx {
    /// `None` unless the arm is this one, and can run.
    pub(crate) fn new(arm: Arm) -> Option<Self> {
        (arm == Arm::Adx && arm.is_available()).then_some(Self(()))
    }
}

/// The modulus, then −p⁻¹ modulo 2^64.
static CONSTANTS: [u64; 5] = {
    let [p0, p1, p2, p3] = BaseModulus::MODULUS;
    [p0, p1, p2, p3, Fp::INV]
};

/// Adds the multiple of p that clears the lowest word, and drops that word.
macro_rules! reduce {
    () => {
        "mov rdx, [{k} + 32]
         imul rdx, {t0}
         xor {zero:e}, {zero:e}
         mulx {high}, {low}, [{k}]
         adcx {low}, {t0}
         mov {t0}, {high}
         adcx {t0}, {t1}
         mulx {t1}, {low}, [{k} + 8]
         adox {t0}, {low}
         adcx {t1}, {t2}
         mulx {t2}, {low}, [{k} + 16]
         adox {t1}, {low}
         adcx {t2}, {t3}
         mulx {t3}, {low}, [{k} + 24]
         adox {t2}, {low}
         adcx {t3}, {zero}
         adox {t3}, {t4}"
    };
}

/// Adds a word of x times y.
macro_rules! add_product {
    ($offset:literal) => {
        concat!(
            "xor {zero:e}, {zero:e}
             mov rdx, [{x} + ",
            $offset,
            "]
             mulx {t4}, {low}, [{y}]
             adox {t0}, {low}
             adcx {t1}, {t4}
             mulx {t4}, {low}, [{y} + 8]
             adox {t1}, {low}
             adcx {t2}, {t4}
             mulx {t4}, {low}, [{y} + 16]
             adox {t2}, {low}
             adcx {t3}, {t4}
             mulx {t4}, {low}, [{y} + 24]
             adox {t3}, {low}
             adcx {t4}, {zero}
             adox {t4}, {zero}"
        )
    };
}

impl Multiply for Adx {
    /// The same operand scanning as the plain multiplication. The sums of a row of products and of
    /// the reduction run in carry chains of their own.
    #[inline(always)]
    fn mul(self, x: Fp, y: Fp) -> Fp {
        let (t0, t1, t2, t3): (u64, u64, u64, u64);
        // SAFETY: `self` shows that the CPU has the instructions. The pointers are to four words
        // each, and to five; nothing is written to memory.
        unsafe {
            asm!(
                "mov rdx, [{x}]",
                "mulx {t1}, {t0}, [{y}]",
                "mulx {t2}, {low}, [{y} + 8]",
                "add {t1}, {low}",
                "mulx {t3}, {low}, [{y} + 16]",
                "adc {t2}, {low}",
                "mulx {t4}, {low}, [{y} + 24]",
                "adc {t3}, {low}",
                "adc {t4}, 0",
                reduce!(),
                add_product!("8"),
                reduce!(),
                add_product!("16"),
                reduce!(),
                add_product!("24"),
                reduce!(),
                x = in(reg) x.0.as_ptr(),
                y = in(reg) y.0.as_ptr(),
                k = in(reg) CONSTANTS.as_ptr(),
                t0 = out(reg) t0,
                t1 = out(reg) t1,
                t2 = out(reg) t2,
                t3 = out(reg) t3,
                t4 = out(reg) _,
                low = out(reg) _,
                high = out(reg) _,
                zero = out(reg) _,
                out("rdx") _,
                options(readonly, pure, nostack),
            );
        }
        Fp::from_mont_once([t0, t1, t2, t3])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn products_equal_the_plain_ones() {
        let Some(adx) = Adx::new(Arm::Adx) else {
            return;
        };
        let mut rng = StdRng::seed_from_u64(11);
        let mut values = alloc::vec![Fp::ZERO, Fp::ONE, -Fp::ONE, Fp::from_mont([1, 0, 0, 0])];
        values.push(-Fp::from_mont([1, 0, 0, 0]));
        for word in 0..4 {
            let mut limbs = [0; 4];
            limbs[word] = u64::MAX >> (2 * (word / 3));
            values.extend([Fp::from_mont(limbs), -Fp::from_mont(limbs)]);
        }
        values.extend((0..200).map(|_| Fp::from_le_bytes_reduced(&rng.random())));
        for a in &values {
            for b in &values {
                assert_eq!(adx.mul(*a, *b), *a * *b);
            }
        }
    }
}
