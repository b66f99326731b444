//! The statement, as values of trace columns.
//!
//! The AIR only says that every row is some compression. A row of ours hashes a message of 64 bytes:
//! chaining value, counter and final flag are constants, and what comes out, a sum of columns, is a
//! digest of the list. All these are columns that the verifier knows, so it compares them with the
//! opened ones at the random point of the zerocheck. The prover pays nothing for it.

use p3_blake2s_air::{Blake2sBinaryCols, NUM_BLAKE2S_BINARY_COLS};
use p3_field::Field;
use p3_multilinear_util::poly::Poly;
use std::borrow::Borrow;

/// A BLAKE2s-256 digest.
pub type Digest = [u8; 32];

/// Bytes of a hashed message, all counted in its only block.
pub const MESSAGE_BYTES: u32 = 64;

/// Initial chaining value of unkeyed BLAKE2s-256: the initialization vector with the parameter block
/// (RFC 7693, sections 2.5 and 2.6) folded into word 0.
pub const CHAINING_VALUE: [u32; 8] = [
    0x6a09_e667 ^ 0x0101_0020,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// What an opened column is, where the statement says something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: an opened column is not the statement's")]
pub struct Mismatch {
    /// The column's part of the row.
    pub what: &'static str,
}

/// Compares opened columns with the statement's, at the point whose equality table `eq` is; `opened`
/// has one value a column.
///
/// # Errors
/// The first part of the row that differs, or a wrong number of columns.
pub fn check<EF: Field>(opened: &[EF], digests: &[Digest], eq: &Poly<EF>) -> Result<(), Mismatch> {
    if opened.len() != NUM_BLAKE2S_BINARY_COLS {
        return Err(Mismatch { what: "row" });
    }
    let row: &Blake2sBinaryCols<EF> = opened.borrow();
    let same = |what, holds: bool| holds.then_some(()).ok_or(Mismatch { what });
    let constant = |bits: &[EF; 32], word: u32| *bits == bits_of(word);
    same(
        "chaining value",
        row.chaining_value
            .iter()
            .zip(CHAINING_VALUE)
            .all(|(bits, word)| constant(bits, word)),
    )?;
    same("counter", constant(&row.counter_low, MESSAGE_BYTES))?;
    same("counter", constant(&row.counter_high, 0))?;
    same("final flag", row.last_block == EF::ONE)?;
    same(
        "digests",
        output(row) == digest_bits(digests, eq.as_slice()),
    )
}

/// A word's bits as elements, the lowest first.
fn bits_of<EF: Field>(word: u32) -> [EF; 32] {
    std::array::from_fn(|i| EF::from_bool(word >> i & 1 == 1))
}

/// Bits of the output: `h[i] + v[i] + v[i + 8]` of the last state (RFC 7693, section 3.2).
///
/// The last four mixing steps write every word of the state once. Step `j` writes `v[j]`,
/// `v[4 + (j + 1) % 4]`, `v[8 + (j + 2) % 4]` and `v[12 + (j + 3) % 4]`.
fn output<EF: Field>(row: &Blake2sBinaryCols<EF>) -> [[EF; 32]; 8] {
    let [.., last] = &row.rounds;
    let [.., s0, s1, s2, s3] = last;
    let steps = [s0, s1, s2, s3];
    let mut out = row.chaining_value;
    for i in 0..4 {
        // Rows a and c of the state are not columns but sums of two.
        let (a, c) = (steps[i], steps[(i + 2) % 4]);
        add(&mut out[i], &a.d1, 0);
        add(&mut out[i], &a.d2, 8);
        add(&mut out[i], &c.b1, 0);
        add(&mut out[i], &c.b2, 7);
        let (b, d) = (steps[(i + 3) % 4], steps[(i + 1) % 4]);
        add(&mut out[4 + i], &b.b2, 0);
        add(&mut out[4 + i], &d.d2, 0);
    }
    out
}

/// Adds a word, rotated to the left.
fn add<EF: Field>(to: &mut [EF; 32], word: &[EF; 32], rotation: usize) {
    for (i, bit) in to.iter_mut().enumerate() {
        *bit += word[(i + 32 - rotation) % 32];
    }
}

/// The digests' bits as multilinear polynomials of the row, evaluated where `eq` says: weights are
/// summed by the value of each byte first, which leaves few sums for the bits.
fn digest_bits<EF: Field>(digests: &[Digest], eq: &[EF]) -> [[EF; 32]; 8] {
    let mut by_value = [[EF::ZERO; 256]; 32];
    for (digest, &weight) in digests.iter().zip(eq) {
        for (sums, &byte) in by_value.iter_mut().zip(digest) {
            sums[usize::from(byte)] += weight;
        }
    }
    std::array::from_fn(|word| {
        std::array::from_fn(|bit| {
            let sums = &by_value[4 * word + bit / 8];
            let set = (0..256).filter(|value| value >> (bit % 8) & 1 == 1);
            set.map(|value| sums[value]).sum()
        })
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::BorrowMut;

    use p3_binary_field::BinaryField128 as F;
    use p3_blake2s_air::{Blake2sCompressionInput, generate_binary_trace_rows};
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    const ROWS: usize = 4;

    fn inputs() -> Vec<Blake2sCompressionInput> {
        let input = |row: usize| Blake2sCompressionInput {
            chaining_value: CHAINING_VALUE,
            block: std::array::from_fn(|i| (row * 999_983 + i * 7919) as u32),
            counter: MESSAGE_BYTES.into(),
            last_block: true,
        };
        (0..ROWS).map(input).collect()
    }

    fn digests() -> Vec<Digest> {
        inputs()
            .iter()
            .map(|input| {
                let bytes: Vec<u8> = input.block.iter().flat_map(|w| w.to_le_bytes()).collect();
                p3_blake2s::Blake2s256::hash(&bytes)
            })
            .collect()
    }

    /// The row of `inputs` that the corner `row` of the cube opens.
    fn opened(inputs: Vec<Blake2sCompressionInput>, row: usize) -> (Vec<F>, Poly<F>) {
        let trace = generate_binary_trace_rows::<F>(inputs, 0);
        let columns = trace.values.chunks(NUM_BLAKE2S_BINARY_COLS).nth(row);
        let corner = [F::from_bool(row & 2 != 0), F::from_bool(row & 1 != 0)];
        (
            columns.expect("a row").to_vec(),
            Poly::new_from_point(&corner, F::ONE),
        )
    }

    #[test]
    fn rows_of_the_statement_hold() {
        for row in 0..ROWS {
            let (columns, eq) = opened(inputs(), row);
            assert_eq!(check(&columns, &digests(), &eq), Ok(()), "row {row}");
            let mut others = digests();
            others.swap(row, (row + 1) % ROWS);
            assert_eq!(
                check(&columns, &others, &eq),
                Err(Mismatch { what: "digests" })
            );
        }
    }

    #[test]
    fn compressions_that_hash_no_message_are_refused() {
        let wrong: [(&str, fn(&mut Blake2sCompressionInput)); 4] = [
            ("chaining value", |input| input.chaining_value[7] ^= 1),
            ("counter", |input| input.counter = 65),
            ("counter", |input| input.counter |= 1 << 40),
            ("final flag", |input| input.last_block = false),
        ];
        for (what, change) in wrong {
            let mut inputs = inputs();
            change(&mut inputs[1]);
            let (columns, eq) = opened(inputs, 1);
            assert_eq!(check(&columns, &digests(), &eq), Err(Mismatch { what }));
        }
        let (mut columns, eq) = opened(inputs(), 2);
        let row: &mut Blake2sBinaryCols<F> = columns.as_mut_slice().borrow_mut();
        row.rounds[9][4].d2[0] += F::ONE;
        assert_eq!(
            check(&columns, &digests(), &eq),
            Err(Mismatch { what: "digests" })
        );
        assert_eq!(
            check(&columns[1..], &digests(), &eq),
            Err(Mismatch { what: "row" })
        );
    }
}
