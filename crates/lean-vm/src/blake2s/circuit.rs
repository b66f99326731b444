//! The circuit of one compression, as a walk that applies both matrices to a vector of wires.
//!
//! Wires of a block: chaining value 0..256, output 256..512, the constant one at 512, message
//! 640..1152, then 32 each of the counter's halves and the two flags; from 1280 the product bits of
//! 80 G functions, 184 each. Only products of additions have rows of their own: exclusive or,
//! rotations and constants are linear, and every state word stays a linear form of earlier wires.

use prova_binary_pcs::blake2s::{IV, LANES, SIGMA};
use prova_binary_pcs::field::{E, PrimeCharacteristicRing};

/// Wires of a block, and rows of both matrices.
pub const WIRES: usize = 1 << 14;
/// The wire that is one.
pub const ONE: usize = 512;

const CHAINING: usize = 0;
const OUTPUT: usize = 256;
const MESSAGE: usize = 640;
const COUNTER_AND_FLAGS: usize = 1152;
const GATES: usize = 1280;
const GATE: usize = 184;

/// A 32-bit word of linear forms, lowest bit first.
type Word = [E; 32];

/// Applies both matrices to `wires`: calls `row(r, (A w)_r, (B w)_r)` for every row that is not
/// zero, in no particular order.
pub fn walk(wires: &[E; WIRES], row: impl FnMut(usize, E, E)) {
    let mut walk = Walk { wires, row };
    let one = walk.wire(ONE);
    (walk.row)(ONE, one, one);
    let free = (CHAINING..OUTPUT).chain(MESSAGE..GATES);
    free.for_each(|wire| (walk.row)(wire, walk.wires.get(wire).copied().unwrap_or_default(), one));

    let mut state = walk.initial_state();
    for (round, schedule) in SIGMA.iter().enumerate() {
        walk.round(&mut state, round, schedule);
    }

    let (low, high) = state.as_chunks::<8>().0.split_at(1);
    let halves = low.iter().flatten().zip(high.iter().flatten());
    for (index, (low, high)) in halves.enumerate() {
        let base = 32 * index;
        for (bit, (&low, &high)) in low.iter().zip(high).enumerate() {
            let output = low + high + walk.wire(CHAINING + base + bit);
            (walk.row)(OUTPUT + base + bit, output, one);
        }
    }
}

struct Walk<'a, F> {
    wires: &'a [E; WIRES],
    row: F,
}

impl<F: FnMut(usize, E, E)> Walk<'_, F> {
    fn wire(&self, index: usize) -> E {
        self.wires.get(index).copied().unwrap_or_default()
    }

    /// The word on 32 wires.
    fn word(&self, base: usize) -> Word {
        let wires = self.wires.get(base..).and_then(<[E]>::first_chunk);
        wires.copied().unwrap_or_default()
    }

    fn constant(&self, value: u32) -> Word {
        let one = self.wire(ONE);
        core::array::from_fn(|bit| if value >> bit & 1 == 1 { one } else { E::ZERO })
    }

    fn initial_state(&self) -> [Word; 16] {
        let mut state = [[E::ZERO; 32]; 16];
        let (chaining, rest) = state.split_at_mut(8);
        for (index, word) in chaining.iter_mut().enumerate() {
            *word = self.word(CHAINING + 32 * index);
        }
        for (word, value) in rest.iter_mut().zip(IV) {
            *word = self.constant(value);
        }
        for (index, word) in rest.iter_mut().skip(4).enumerate() {
            *word = xor(word, &self.word(COUNTER_AND_FLAGS + 32 * index));
        }
        state
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "lanes are constants below 16 of the circuit"
    )]
    fn round(&mut self, state: &mut [Word; 16], round: usize, schedule: &[usize; 16]) {
        let message = schedule.as_chunks::<2>().0;
        for (index, (&[a, b, c, d], &[x, y])) in LANES.iter().zip(message).enumerate() {
            let base = GATES + GATE * (8 * round + index);
            let mx = self.word(MESSAGE + 32 * x);
            let my = self.word(MESSAGE + 32 * y);
            state[a] = self.add3(&state[a], &state[b], &mx, base);
            state[d] = rotate(xor(&state[d], &state[a]), 16);
            state[c] = self.add(&state[c], &state[d], base + 61);
            state[b] = rotate(xor(&state[b], &state[c]), 12);
            state[a] = self.add3(&state[a], &state[b], &my, base + 92);
            state[d] = rotate(xor(&state[d], &state[a]), 8);
            state[c] = self.add(&state[c], &state[d], base + 153);
            state[b] = rotate(xor(&state[b], &state[c]), 7);
        }
    }

    /// `x + y`, with one product a carry: `maj(x, y, c) = (x + c) (y + c) + c`.
    fn add(&mut self, x: &Word, y: &Word, base: usize) -> Word {
        let mut sum = [E::ZERO; 32];
        let mut carry = E::ZERO;
        for (bit, (sum, (&x, &y))) in sum.iter_mut().zip(x.iter().zip(y)).enumerate() {
            *sum = x + y + carry;
            if bit < 31 {
                (self.row)(base + bit, x + carry, y + carry);
                carry += self.wire(base + bit);
            }
        }
        sum
    }

    /// `x + y + z`: carries saved by 31 products, then added by 30.
    fn add3(&mut self, x: &Word, y: &Word, z: &Word, base: usize) -> Word {
        let mut sum = [E::ZERO; 32];
        let mut saved = E::ZERO;
        let mut carry = E::ZERO;
        let words = x.iter().zip(y).zip(z);
        for (bit, (sum, ((&x, &y), &z))) in sum.iter_mut().zip(words).enumerate() {
            let parity = x + y + z;
            *sum = parity + saved + carry;
            // The first bit has no carry to add and the last one's is dropped.
            if (1..31).contains(&bit) {
                let ripple = base + 30 + bit;
                (self.row)(ripple, parity + carry, saved + carry);
                carry += self.wire(ripple);
            }
            if bit < 31 {
                (self.row)(base + bit, x + z, y + z);
                saved = self.wire(base + bit) + z;
            }
        }
        sum
    }
}

fn xor(x: &Word, y: &Word) -> Word {
    let mut sum = *x;
    for (sum, &y) in sum.iter_mut().zip(y) {
        *sum += y;
    }
    sum
}

/// Rotates to lower bits.
fn rotate(mut word: Word, by: usize) -> Word {
    word.rotate_left(by);
    word
}
