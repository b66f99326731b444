//! How a random program comes about: snippets of a few instructions, written one behind the other.

use super::{
    format::{B, I, J, R, S, U},
    generator::{DATA, HALF},
};

/// `ecall`.
pub const ECALL: u32 = 0x73;
const FENCE: u32 = 0x0ff0_000f;

const EXTREMES: [u32; 24] = [
    0,
    1,
    2,
    3,
    7,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x5555_5555,
    0xaaaa_aaaa,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_0000,
    0xffff_7fff,
    0xffff_ff7f,
    0xffff_ff80,
    0xffff_fffe,
    0xffff_ffff,
];

/// `splitmix64` (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u32) -> u32 {
        (self.next() >> 32) as u32 % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}

/// Writes a program, front to back.
pub struct Writer {
    random: Random,
    base: u32,
    pub words: Vec<u32>,
    /// Bit i: register i must keep its value.
    kept: u32,
    /// Points to the middle of the log, where results are stored as they come: what a later
    /// instruction overwrites can be seen at the end all the same.
    pub log: u32,
    /// Results logged.
    logged: u32,
    /// Registers written last, so that instructions feed one another.
    recent: [u32; 4],
    /// How often each kind of snippet comes, out of their sum.
    weights: [u32; 9],
}

impl Writer {
    pub fn new(seed: u64, base: u32) -> Self {
        let mut random = Random(seed);
        let weights = std::array::from_fn(|_| random.pick(&[1, 2, 2, 4, 8]));
        let log = 1 + random.below(31);
        let (kept, recent) = (1 << log, [1, 2, 3, 4]);
        Self {
            random,
            base,
            words: Vec::new(),
            kept,
            log,
            logged: 0,
            recent,
            weights,
        }
    }

    pub fn pc(&self) -> u32 {
        self.base + 4 * self.words.len() as u32
    }

    fn push(&mut self, word: u32) {
        self.words.push(word);
    }

    /// An instruction that writes `rd`, and most often a store of what it wrote.
    fn push_logged(&mut self, word: u32, rd: u32) {
        self.push(word);
        if !self.chance(4) {
            let offset = (4 * self.logged % HALF) as i32 - (HALF / 2) as i32;
            self.push(S::SW.word(self.log, rd, offset));
            self.logged += 1;
        }
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.random.below(one_in) == 0
    }

    pub fn value(&mut self) -> u32 {
        match self.random.below(8) {
            0 => 1 << self.random.below(32),
            1 => !(1 << self.random.below(32)),
            2 => self.random.next() as u32,
            3 => self.random.below(64).wrapping_sub(32),
            _ => self.random.pick(&EXTREMES),
        }
    }

    /// A 12-bit immediate, sign-extended.
    fn immediate(&mut self) -> i32 {
        match self.random.below(3) {
            0 => self
                .random
                .pick(&[-2048, -2047, -1, 0, 1, 2, 31, 1024, 2046, 2047]),
            1 => self.random.below(64) as i32 - 32,
            _ => self.random.below(4096) as i32 - 2048,
        }
    }

    /// A register to write, which may be x0.
    fn target(&mut self) -> u32 {
        loop {
            let register = self.random.below(32);
            if self.kept >> register & 1 == 0 {
                self.recent[self.random.below(4) as usize] = register;
                return register;
            }
        }
    }

    /// A register to write, not x0.
    fn nonzero_target(&mut self) -> u32 {
        loop {
            let register = self.target();
            if register != 0 {
                return register;
            }
        }
    }

    fn source(&mut self) -> u32 {
        let recent = self.recent;
        if self.chance(3) {
            self.random.pick(&recent)
        } else {
            self.random.below(32)
        }
    }

    pub fn set(&mut self, register: u32, value: u32) {
        // addi sign-extends, so the upper part is rounded.
        let upper = value.wrapping_add(0x800) & 0xffff_f000;
        let lower = value.wrapping_sub(upper) as i32;
        if upper == 0 {
            self.push(I::ADDI.word(register, 0, lower));
        } else {
            self.push(U::LUI.word(register, upper));
            if lower != 0 {
                self.push(I::ADDI.word(register, register, lower));
            }
        }
    }

    pub fn set_extreme(&mut self, register: u32) {
        let value = self.value();
        self.set(register, value);
    }

    pub fn snippet(&mut self) {
        let mut at = self.random.below(self.weights.iter().sum());
        for (kind, weight) in self.weights.into_iter().enumerate() {
            if at < weight {
                return match kind {
                    0..=3 => self.straight(),
                    4 => self.branch(),
                    5 => self.repeat(),
                    6 => self.jump(),
                    7 => self.back_and_forth(),
                    _ => self.call(),
                };
            }
            at -= weight;
        }
    }

    /// Instructions without jumps.
    fn straight(&mut self) {
        match self.random.below(16) {
            0..=6 => self.register_operation(),
            7..=9 => self.immediate_operation(),
            10..=13 => self.memory(),
            14 => {
                let (rd, value) = (self.target(), self.random.next() as u32);
                let operation = self.random.pick(&[U::LUI, U::AUIPC]);
                self.push_logged(operation.word(rd, value), rd);
            }
            _ => {
                let marker = self.immediate();
                let word = self.random.pick(&[FENCE, I::ADDI.word(0, 0, marker)]);
                self.push(word);
            }
        }
    }

    fn register_operation(&mut self) {
        let (a, b) = match self.random.below(8) {
            0 => {
                let register = self.source();
                (register, register)
            }
            1 => (self.source(), self.source()),
            2 => {
                // Corners of division and shifts.
                let (a, b) = (self.nonzero_target(), self.nonzero_target());
                let dividend = self
                    .random
                    .pick(&[1 << 31, (1 << 31) + 1, i32::MAX as u32, 5]);
                let divisor = self.random.pick(&[0, 0, !0, !0, 1, 31, 32]);
                self.set(a, dividend);
                self.set(b, divisor);
                (a, b)
            }
            _ => {
                let (a, b) = (self.nonzero_target(), self.nonzero_target());
                self.set_extreme(a);
                self.set_extreme(b);
                (a, b)
            }
        };
        let (operation, rd) = (self.random.pick(&R::ALL), self.target());
        self.push_logged(operation.word(rd, a, b), rd);
    }

    fn immediate_operation(&mut self) {
        let mut rs = self.source();
        if self.chance(2) {
            rs = self.nonzero_target();
            self.set_extreme(rs);
        }
        let (operation, rd) = (self.random.pick(&I::ALL), self.target());
        let immediate = if operation.is_shift() {
            self.random.below(32) as i32
        } else {
            self.immediate()
        };
        self.push_logged(operation.word(rd, rs, immediate), rd);
    }

    /// Loads and stores through one base register, near one another.
    fn memory(&mut self) {
        let base = self.nonzero_target();
        let middle = self.base + DATA + 16 + self.random.below(HALF - 32);
        let lead = self.immediate();
        self.set(base, middle.wrapping_sub(lead as u32));
        let kept = self.kept;
        self.kept |= 1 << base;
        for _ in 0..=self.random.below(4) {
            let store = self.chance(2);
            let size = 1 << self.random.below(3);
            let address = (middle - 4 + self.random.below(8)) & !(size - 1);
            let offset = address.wrapping_sub(middle.wrapping_sub(lead as u32)) as i32;
            if !(-2048..2048).contains(&offset) {
                continue;
            }
            if store {
                let rs = self.source();
                self.push(S::of_size(size).word(base, rs, offset));
            } else {
                let (load, rd) = (self.random.pick(I::loads(size)), self.target());
                self.push_logged(load.word(rd, base, offset), rd);
            }
        }
        self.kept = kept;
        if self.chance(4) {
            // A load over its own base.
            let address = (middle & !3).wrapping_sub(middle.wrapping_sub(lead as u32)) as i32;
            if (-2048..2048).contains(&address) {
                self.push_logged(I::LW.word(base, base, address), base);
            }
        }
    }

    fn body(&mut self) {
        for _ in 0..=self.random.below(3) {
            self.straight();
        }
    }

    fn junk(&mut self) {
        // Now and then enough of it that the upper bits of offsets matter.
        let count = if self.chance(32) {
            self.random.below(900)
        } else {
            self.random.below(5)
        };
        for _ in 0..count {
            let random = self.random.next() as u32;
            let word = self
                .random
                .pick(&[0, !0, random, ECALL, I::ADDI.word(1, 1, 1)]);
            self.push(word);
        }
    }

    /// Bytes from the instruction at an index to the end of what is written.
    fn distance(&self, from: usize) -> i32 {
        4 * (self.words.len() - from) as i32
    }

    /// A branch over instructions, taken or not.
    fn branch(&mut self) {
        let (mut a, mut b) = (self.source(), self.source());
        match self.random.below(4) {
            0 => b = a,
            1 => {
                let step = self.random.pick(&[-1, 0, 1]);
                b = self.nonzero_target();
                self.push(I::ADDI.word(b, a, step));
            }
            2 => {
                (a, b) = (self.nonzero_target(), self.nonzero_target());
                self.set_extreme(a);
                self.set_extreme(b);
            }
            _ => {}
        }
        let at = self.words.len();
        self.push(0);
        self.body();
        self.words[at] = self.random.pick(&B::ALL).word(a, b, self.distance(at));
    }

    /// A loop of a few rounds.
    fn repeat(&mut self) {
        let counter = self.nonzero_target();
        let rounds = 1 + self.random.below(4) as i32;
        let up = self.chance(2);
        self.push(I::ADDI.word(counter, 0, if up { -rounds } else { rounds }));
        self.kept |= 1 << counter;
        let start = self.words.len();
        self.body();
        self.kept &= !(1 << counter);
        self.push(I::ADDI.word(counter, counter, if up { 1 } else { -1 }));
        let back = -self.distance(start);
        let branch = match self.random.below(3) {
            0 => B::BNE.word(counter, 0, back),
            1 => B::BLTU.word(0, counter, back),
            _ if up => B::BLT.word(counter, 0, back),
            _ => B::BLT.word(0, counter, back),
        };
        self.push(branch);
    }

    /// A forward jump over junk: direct, or through a register, with bit 0 of the sum set or not.
    fn jump(&mut self) {
        let rd = self.target();
        let at = self.words.len();
        if self.chance(2) {
            self.push(0);
            self.junk();
            self.words[at] = J.word(rd, self.distance(at));
            return;
        }
        let through = self.nonzero_target();
        let add = self.random.below(2400) as i32 - 1200;
        let odd = self.random.below(2) as i32;
        self.words.extend([
            U::AUIPC.word(through, 0),
            I::ADDI.word(through, through, add),
            0,
        ]);
        let junk = self.random.below(100);
        for _ in 0..junk {
            let word = self.random.next() as u32;
            self.push(word);
        }
        self.words[at + 2] = I::JALR.word(rd, through, self.distance(at) - add + odd);
    }

    /// Forward, backward, forward.
    fn back_and_forth(&mut self) {
        let links: [u32; 3] = std::array::from_fn(|_| self.target());
        let over = self.words.len();
        self.push(0);
        let first = self.words.len();
        self.body();
        let out = self.words.len();
        self.push(0);
        self.junk();
        self.words[over] = J.word(links[0], self.distance(over));
        self.body();
        self.push(J.word(links[1], -self.distance(first)));
        self.words[out] = J.word(links[2], self.distance(out));
    }

    /// A call of a function and the return from it.
    fn call(&mut self) {
        let link = match self.random.below(3) {
            0 if self.log != 1 => 1,
            1 if self.log != 5 => 5,
            _ => self.nonzero_target(),
        };
        let call = self.words.len();
        self.push(0);
        let after = self.words.len();
        self.push(0);
        self.words[call] = J.word(link, self.distance(call));
        self.kept |= 1 << link;
        self.body();
        self.kept &= !(1 << link);
        let rd = if self.chance(4) { link } else { 0 };
        self.push(I::JALR.word(rd, link, 0));
        self.words[after] = J.word(0, self.distance(after));
    }
}
