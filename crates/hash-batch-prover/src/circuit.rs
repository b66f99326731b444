//! The layout of one BLAKE2s block of 2^14 bits, and the block's two circuit walks.
//!
//! The system is `(A z) o (B z) = z` with `A = I (x) A0`, `B = I (x) B0` over the instances. Only
//! the products of modular additions are rows of their own; exclusive ors, rotations and
//! constants are substituted. The matrices are never written down: [`rows`] applies both to a
//! column vector, [`columns`] applies their transposes to row weights (leanVM-b, commit 5df6c373).

use crate::field::E;
use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::blake2s::{IV, LANES, SIGMA};

/// Bits of one block, as a power of two.
pub const LOG_BLOCK_BITS: usize = 14;
/// Bits of one block.
pub const BLOCK_BITS: usize = 1 << LOG_BLOCK_BITS;
/// Packed 64-bit words of one block.
pub const BLOCK_WORDS: usize = BLOCK_BITS / 64;
/// First bit of the output chaining value.
pub const OUT: usize = 256;
/// The bit that is one in every instance.
pub const ONE: usize = 512;
/// First bit of the message.
pub const MESSAGE: usize = 640;
/// First bits of the counter's halves and of the two finalisation flags.
pub const METADATA: [usize; 4] = [1152, 1184, 1216, 1248];
/// First bit of the first gate.
pub const GATES: usize = 1280;
/// Product bits of one gate.
pub const GATE_BITS: usize = 184;
/// Bits after the last gate are zero.
pub const GATES_END: usize = GATES + 80 * GATE_BITS;
/// Offsets in a gate of its four additions: `a+b+x`, `c+d`, `a+b+y`, `c+d`.
pub const ADDITIONS: [usize; 4] = [0, 61, 92, 153];

/// Rotations after the first and the second addition of each half of a gate.
pub const ROTATIONS: [(usize, usize); 2] = [(16, 12), (8, 7)];

/// One linear form per bit of a 32-bit word.
type Word = [E; 32];

/// First bit of message word `word`.
fn message_bit(word: usize) -> usize {
    MESSAGE + 32 * word
}

/// Whether row `r` reads the bit of the same number against the constant one.
fn is_input_row(r: usize) -> bool {
    r < OUT || (MESSAGE..GATES).contains(&r)
}

fn slot(w: &[E], base: usize) -> Word {
    std::array::from_fn(|i| w[base + i])
}

fn constant(value: u32, one: E) -> Word {
    std::array::from_fn(|i| if value >> i & 1 == 1 { one } else { E::ZERO })
}

fn xor(x: &Word, y: &Word) -> Word {
    std::array::from_fn(|i| x[i] + y[i])
}

fn rotate_right(x: &Word, by: usize) -> Word {
    std::array::from_fn(|i| x[(i + by) % 32])
}

/// The forward walk: `A0 w` and `B0 w` of a vector `w` over the block's bits.
///
/// # Panics
/// If `w` has not [`BLOCK_BITS`] entries.
#[must_use]
pub fn rows(w: &[E]) -> (Vec<E>, Vec<E>) {
    assert_eq!(w.len(), BLOCK_BITS);
    let one = w[ONE];
    let mut walk = Forward {
        w,
        a: E::zero_vec(BLOCK_BITS),
        b: E::zero_vec(BLOCK_BITS),
    };
    for r in (0..BLOCK_BITS).filter(|&r| is_input_row(r)) {
        (walk.a[r], walk.b[r]) = (w[r], one);
    }
    (walk.a[ONE], walk.b[ONE]) = (one, one);
    let mut v: [Word; 16] = std::array::from_fn(|i| match i {
        0..8 => slot(w, 32 * i),
        8..12 => constant(IV[i - 8], one),
        _ => xor(&constant(IV[i - 8], one), &slot(w, METADATA[i - 12])),
    });
    for gate in 0..80 {
        walk.gate(&mut v, gate);
    }
    for j in 0..8 {
        for i in 0..32 {
            let r = OUT + 32 * j + i;
            walk.a[r] = v[j][i] + v[j + 8][i] + w[32 * j + i];
            walk.b[r] = one;
        }
    }
    (walk.a, walk.b)
}

struct Forward<'a> {
    w: &'a [E],
    a: Vec<E>,
    b: Vec<E>,
}

impl Forward<'_> {
    fn gate(&mut self, v: &mut [Word; 16], gate: usize) {
        let [a, b, c, d] = LANES[gate % 8];
        let sigma = &SIGMA[gate / 8];
        let base = GATES + GATE_BITS * gate;
        for half in 0..2 {
            let m = slot(self.w, message_bit(sigma[2 * (gate % 8) + half]));
            let rotations = ROTATIONS[half];
            v[a] = self.add3(&v[a], &v[b], &m, base + ADDITIONS[2 * half]);
            v[d] = rotate_right(&xor(&v[d], &v[a]), rotations.0);
            v[c] = self.add(&v[c], &v[d], base + ADDITIONS[2 * half + 1]);
            v[b] = rotate_right(&xor(&v[b], &v[c]), rotations.1);
        }
    }

    /// `x + y`: one row for each carry out of bits 0..30.
    fn add(&mut self, x: &Word, y: &Word, base: usize) -> Word {
        let mut carry = E::ZERO;
        std::array::from_fn(|i| {
            let out = x[i] + y[i] + carry;
            if i < 31 {
                self.a[base + i] = x[i] + carry;
                self.b[base + i] = y[i] + carry;
                carry += self.w[base + i];
            }
            out
        })
    }

    /// `x + y + z`: 31 majority rows, then 30 rows of the ripple sum of parity and majority.
    fn add3(&mut self, x: &Word, y: &Word, z: &Word, base: usize) -> Word {
        let mut majority = [E::ZERO; 32];
        for i in 0..31 {
            self.a[base + i] = x[i] + z[i];
            self.b[base + i] = y[i] + z[i];
            majority[i + 1] = self.w[base + i] + z[i];
        }
        let mut carry = E::ZERO;
        std::array::from_fn(|i| {
            let parity = x[i] + y[i] + z[i];
            let out = parity + majority[i] + carry;
            if (1..31).contains(&i) {
                let r = base + 30 + i;
                self.a[r] = parity + carry;
                self.b[r] = majority[i] + carry;
                carry += self.w[r];
            }
            out
        })
    }
}

/// The backward walk: `A0^T u_a + B0^T u_b` for row weights `u_a`, `u_b`, the adjoint of [`rows`]
/// by reverse-mode differentiation.
///
/// # Panics
/// If either slice has not [`BLOCK_BITS`] entries.
#[must_use]
pub fn columns(u_a: &[E], u_b: &[E]) -> Vec<E> {
    assert_eq!(u_a.len(), BLOCK_BITS);
    assert_eq!(u_b.len(), BLOCK_BITS);
    let mut walk = Backward {
        u_a,
        u_b,
        columns: E::zero_vec(BLOCK_BITS),
    };
    let mut one = u_a[ONE] + u_b[ONE];
    for r in (0..BLOCK_BITS).filter(|&r| is_input_row(r)) {
        walk.columns[r] += u_a[r];
        one += u_b[r];
    }
    let mut v = [[E::ZERO; 32]; 16];
    let (low, high) = v.split_at_mut(8);
    for (j, (low, high)) in low.iter_mut().zip(high).enumerate() {
        low.copy_from_slice(&u_a[OUT + 32 * j..][..32]);
        *high = *low;
        walk.scatter(low, 32 * j);
    }
    one += u_b[OUT..ONE].iter().copied().sum::<E>();
    for gate in (0..80).rev() {
        walk.gate(&mut v, gate);
    }
    for (j, gradient) in v.iter().enumerate() {
        match j {
            0..8 => walk.scatter(gradient, 32 * j),
            8..12 => {}
            _ => walk.scatter(gradient, METADATA[j - 12]),
        }
        if j >= 8 {
            one += (0..32)
                .filter(|i| IV[j - 8] >> i & 1 == 1)
                .map(|i| gradient[i])
                .sum::<E>();
        }
    }
    walk.columns[ONE] += one;
    walk.columns
}

struct Backward<'a> {
    u_a: &'a [E],
    u_b: &'a [E],
    columns: Vec<E>,
}

impl Backward<'_> {
    fn scatter(&mut self, gradient: &Word, base: usize) {
        for (column, &g) in self.columns[base..].iter_mut().zip(gradient) {
            *column += g;
        }
    }

    /// Takes the gradients of a gate's outputs to those of its inputs.
    fn gate(&mut self, v: &mut [Word; 16], gate: usize) {
        let [a, b, c, d] = LANES[gate % 8];
        let sigma = &SIGMA[gate / 8];
        let base = GATES + GATE_BITS * gate;
        for half in [1, 0] {
            let rotations = ROTATIONS[half];
            let unrotated = rotate_right(&v[b], 32 - rotations.1);
            v[b] = unrotated;
            v[c] = xor(&v[c], &unrotated);
            let (x, y) = self.add(&v[c], base + ADDITIONS[2 * half + 1]);
            v[c] = x;
            let unrotated = rotate_right(&xor(&v[d], &y), 32 - rotations.0);
            v[d] = unrotated;
            v[a] = xor(&v[a], &unrotated);
            let (x, y, m) = self.add3(&v[a], base + ADDITIONS[2 * half]);
            v[a] = x;
            v[b] = xor(&v[b], &y);
            self.scatter(&m, message_bit(sigma[2 * (gate % 8) + half]));
        }
    }

    fn add(&mut self, out: &Word, base: usize) -> (Word, Word) {
        let (mut x, mut y) = (*out, *out);
        let mut carry = out[31];
        for i in (0..31).rev() {
            let r = base + i;
            self.columns[r] += carry;
            x[i] += self.u_a[r];
            y[i] += self.u_b[r];
            carry += out[i] + self.u_a[r] + self.u_b[r];
        }
        (x, y)
    }

    fn add3(&mut self, out: &Word, base: usize) -> (Word, Word, Word) {
        // Gradients of parity and majority, then of the operands.
        let mut parity = *out;
        let mut majority = *out;
        let mut carry = out[31];
        for i in (1..31).rev() {
            let r = base + 30 + i;
            self.columns[r] += carry;
            parity[i] += self.u_a[r];
            majority[i] += self.u_b[r];
            carry += out[i] + self.u_a[r] + self.u_b[r];
        }
        let (mut x, mut y, mut z) = (parity, parity, parity);
        for i in 0..31 {
            let r = base + i;
            self.columns[r] += majority[i + 1];
            x[i] += self.u_a[r];
            y[i] += self.u_b[r];
            z[i] += self.u_a[r] + self.u_b[r] + majority[i + 1];
        }
        (x, y, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_util::{dot, random_elements};

    #[test]
    fn walks_are_adjoint() {
        let w = random_elements(1, BLOCK_BITS);
        let u_a = random_elements(2, BLOCK_BITS);
        let u_b = random_elements(3, BLOCK_BITS);
        let (a, b) = rows(&w);
        let marginals = columns(&u_a, &u_b);
        assert_eq!(dot(&u_a, &a) + dot(&u_b, &b), dot(&marginals, &w));
        let zero = E::zero_vec(BLOCK_BITS);
        assert_eq!(dot(&u_a, &a), dot(&columns(&u_a, &zero), &w));
        assert_eq!(dot(&u_b, &b), dot(&columns(&zero, &u_b), &w));
    }
}
