//! Round constants, and what the templates need to know about a permutation.

use minijinja::context;
use minijinja::value::Value;
use prova_hash::{Diag, Poseidon2Field};

use super::HashKind;

/// Rotations of the lanes `x + 5y` of Keccak-f[1600] (FIPS 202, table 2).
pub(super) const KECCAK_ROTATIONS: [u32; 25] = [
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
];

/// Where each message word of a BLAKE3 round comes from in the round before (BLAKE3, table 2).
pub(super) const BLAKE3_SCHEDULE: [u32; 16] =
    [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// The initial value of BLAKE3, that of SHA-256.
const BLAKE3_START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Constants of one kind over one field.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    /// Whole vectors of four words.
    pub(super) words: Vec<u32>,
    /// The Poseidon2 permutations, as templates want them.
    pub(super) permutations: Vec<Value>,
    /// Exponent of the S-box, 0 without one.
    pub(super) sbox: u64,
}

impl Constants {
    pub(super) fn of<F: Poseidon2Field<16> + Poseidon2Field<24>>(kind: HashKind) -> Self {
        let mut this = Self {
            words: Vec::new(),
            permutations: Vec::new(),
            sbox: 0,
        };
        match kind {
            HashKind::Poseidon2x16 | HashKind::Poseidon2x24 => {
                this.sbox = <F as Poseidon2Field<16>>::SBOX;
                this.add::<F, 16>();
                if kind == HashKind::Poseidon2x24 {
                    this.add::<F, 24>();
                }
            }
            HashKind::Keccak => {
                for round in keccak_rounds() {
                    let (low, high) = (round as u32, (round >> 32) as u32);
                    this.words.extend_from_slice(&[low, high, 0, 0]);
                }
            }
            HashKind::Blake3 => this.words.extend_from_slice(&BLAKE3_START),
        }
        this
    }

    /// A Poseidon2 permutation: the external rounds' constants, a row each, then the internal
    /// rounds' constants, a vector each.
    fn add<F: Poseidon2Field<W>, const W: usize>(&mut self) {
        let (external, internal) = F::grain_constants();
        let first_external = self.words.len() / 4;
        let rounds = || {
            let initial = external.get_initial_constants().iter();
            initial.chain(external.get_terminal_constants())
        };
        assert_eq!(rounds().count(), 8, "four external rounds on either side");
        for round in rounds() {
            self.words.extend_from_slice(F::words(round));
        }
        let first_internal = self.words.len() / 4;
        for &word in F::words(&internal) {
            self.words.extend_from_slice(&[word, 0, 0, 0]);
        }
        self.permutations.push(context! {
            width => W,
            internal => internal.len(),
            first_external => first_external,
            first_internal => first_internal,
            diagonal => diagonal::<F, W>(),
        });
    }
}

/// The internal diagonal from entry 1 on; entry 0 is -2 in every instance.
fn diagonal<F: Poseidon2Field<W>, const W: usize>() -> Vec<Value> {
    let shift = |kind: &str, n: u32| {
        context! {
            kind => kind,
            n => n,
            mask => (1_u32 << n) - 1,
            factor => (F::ORDER_U32 - 1) >> n,
        }
    };
    assert_eq!(F::DIAG[0], Diag::Small(-2), "the first entry");
    F::DIAG[1..W]
        .iter()
        .map(|entry| match *entry {
            Diag::Small(n) => {
                assert!([1, 2, 3, 4, -3, -4].contains(&n), "the template knows {n}");
                context! { kind => "small", n => n }
            }
            Diag::Inv(n) => shift("fadd", n),
            Diag::NegInv(n) => shift("fsub", n),
        })
        .collect()
}

/// Round constants of Keccak-f[1600], from their shift register (FIPS 202, algorithm 5).
fn keccak_rounds() -> [u64; 24] {
    let mut register = 1_u8;
    core::array::from_fn(|_| {
        (0..7).fold(0, |round, j| {
            let bit = u64::from(register & 1);
            register = (register << 1) ^ (if register >> 7 == 1 { 0x71 } else { 0 });
            round | bit << ((1_u32 << j) - 1)
        })
    })
}
