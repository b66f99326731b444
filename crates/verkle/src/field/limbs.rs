//! Arithmetic on four 64-bit limbs, least significant first.

/// `a + b + carry`, and the carry out.
#[inline(always)]
pub(crate) const fn adc(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a − b − borrow`, and the borrow out (0 or 1).
#[inline(always)]
pub(crate) const fn sbb(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let difference = (a as u128).wrapping_sub(b as u128 + borrow as u128);
    (difference as u64, (difference >> 127) as u64)
}

/// `a + b·c + carry`, and the carry out; cannot overflow.
#[inline(always)]
pub(crate) const fn mac(a: u64, b: u64, c: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 * c as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// Whether `a < b`.
pub(super) const fn is_below(a: &[u64; 4], b: &[u64; 4]) -> bool {
    sub(a, b).1 != 0
}

#[inline(always)]
pub(super) const fn sub(a: &[u64; 4], b: &[u64; 4]) -> ([u64; 4], u64) {
    let (d0, borrow) = sbb(a[0], b[0], 0);
    let (d1, borrow) = sbb(a[1], b[1], borrow);
    let (d2, borrow) = sbb(a[2], b[2], borrow);
    let (d3, borrow) = sbb(a[3], b[3], borrow);
    ([d0, d1, d2, d3], borrow)
}

/// `a + b` modulo 2^256.
#[inline(always)]
pub(super) const fn add(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (s0, carry) = adc(a[0], b[0], 0);
    let (s1, carry) = adc(a[1], b[1], carry);
    let (s2, carry) = adc(a[2], b[2], carry);
    let (s3, _) = adc(a[3], b[3], carry);
    [s0, s1, s2, s3]
}

/// `a` less the modulus if it is not below it.
#[inline(always)]
pub(super) const fn reduce_once(a: &[u64; 4], modulus: &[u64; 4]) -> [u64; 4] {
    let (less, borrow) = sub(a, modulus);
    // All ones if `a` was below the modulus already.
    let keep = 0u64.wrapping_sub(borrow);
    [
        (a[0] & keep) | (less[0] & !keep),
        (a[1] & keep) | (less[1] & !keep),
        (a[2] & keep) | (less[2] & !keep),
        (a[3] & keep) | (less[3] & !keep),
    ]
}

/// Sum of two reduced elements; the modulus is below 2^255, so no limb beyond the fourth is needed.
#[inline(always)]
pub(super) const fn add_mod(a: &[u64; 4], b: &[u64; 4], modulus: &[u64; 4]) -> [u64; 4] {
    reduce_once(&add(a, b), modulus)
}

/// Difference of two reduced elements.
#[inline(always)]
pub(super) const fn sub_mod(a: &[u64; 4], b: &[u64; 4], modulus: &[u64; 4]) -> [u64; 4] {
    let (d, borrow) = sub(a, b);
    let mask = 0u64.wrapping_sub(borrow);
    let (d0, carry) = adc(d[0], modulus[0] & mask, 0);
    let (d1, carry) = adc(d[1], modulus[1] & mask, carry);
    let (d2, carry) = adc(d[2], modulus[2] & mask, carry);
    let (d3, _) = adc(d[3], modulus[3] & mask, carry);
    [d0, d1, d2, d3]
}

/// `a·b·2^-256` modulo the modulus, fully reduced, for any 256-bit `a` and a reduced `b`; not the
/// reverse. Operand scanning with the reduction interleaved (Koç, Acar, Kaliski, "Analyzing and
/// comparing Montgomery multiplication algorithms", CIOS), without the fifth limb: after each step
/// the sum is below `b` plus the modulus, so below 2^256 for a modulus below 2^255.
#[inline(always)]
pub(super) const fn mont_mul(a: &[u64; 4], b: &[u64; 4], modulus: &[u64; 4], inv: u64) -> [u64; 4] {
    let mut t = [0u64; 4];
    let mut i = 0;
    while i < 4 {
        let (t0, product) = mac(t[0], a[i], b[0], 0);
        let m = t0.wrapping_mul(inv);
        let (_, quotient) = mac(t0, m, modulus[0], 0);
        let (t1, product) = mac(t[1], a[i], b[1], product);
        let (r0, quotient) = mac(t1, m, modulus[1], quotient);
        let (t2, product) = mac(t[2], a[i], b[2], product);
        let (r1, quotient) = mac(t2, m, modulus[2], quotient);
        let (t3, product) = mac(t[3], a[i], b[3], product);
        let (r2, quotient) = mac(t3, m, modulus[3], quotient);
        t = [r0, r1, r2, product + quotient];
        i += 1;
    }
    reduce_once(&t, modulus)
}

/// −m⁻¹ modulo 2^64 for odd `m`: each Newton step doubles the number of right bits.
pub(super) const fn neg_inv(m: u64) -> u64 {
    let mut inverse = m;
    let mut i = 0;
    while i < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(m.wrapping_mul(inverse)));
        i += 1;
    }
    inverse.wrapping_neg()
}

/// `a·2^times` modulo the modulus.
pub(crate) const fn double_mod(a: [u64; 4], modulus: &[u64; 4], times: usize) -> [u64; 4] {
    let mut value = a;
    let mut i = 0;
    while i < times {
        value = add_mod(&value, &value, modulus);
        i += 1;
    }
    value
}

/// 2^256 modulo the modulus.
pub(super) const fn mont_one(modulus: &[u64; 4]) -> [u64; 4] {
    double_mod([1, 0, 0, 0], modulus, 256)
}

pub(super) fn from_le(bytes: &[u8; 32]) -> [u64; 4] {
    let mut limbs = [0; 4];
    for (limb, chunk) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        *limb = u64::from_le_bytes(word);
    }
    limbs
}

pub(super) fn to_le(limbs: &[u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (limb, chunk) in limbs.iter().zip(bytes.chunks_exact_mut(8)) {
        chunk.copy_from_slice(&limb.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{BaseModulus, Modulus, ScalarModulus};

    /// Double and add, with all sums reduced.
    fn slow<M: Modulus>(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        let mut sum = [0; 4];
        for bit in (0..256).rev() {
            sum = add_mod(&sum, &sum, &M::MODULUS);
            if a[bit / 64] >> (bit % 64) & 1 == 1 {
                sum = add_mod(&sum, b, &M::MODULUS);
            }
        }
        sum
    }

    /// The first factor may be any 256-bit integer.
    fn check<M: Modulus>() {
        let one = [1, 0, 0, 0];
        let radix = mont_one(&M::MODULUS);
        let largest = sub(&M::MODULUS, &one).0;
        let mut firsts = alloc::vec![[u64::MAX; 4], M::MODULUS, largest, [0, 0, 0, u64::MAX]];
        for mask in 0..16u64 {
            firsts.push(core::array::from_fn(|i| 0u64.wrapping_sub(mask >> i & 1)));
        }
        for a in &firsts {
            for b in [largest, sub(&largest, &one).0, radix, one, [0; 4]] {
                let product = mont_mul(a, &b, &M::MODULUS, neg_inv(M::MODULUS[0]));
                assert!(is_below(&product, &M::MODULUS));
                assert_eq!(slow::<M>(&radix, &product), slow::<M>(a, &b));
            }
        }
    }

    #[test]
    fn products_of_any_integer_and_a_reduced_one() {
        check::<BaseModulus>();
        check::<ScalarModulus>();
    }
}
