//! The public data of a statement as linear claims about the packed witness.
//!
//! Word `s` of instance `t` is entry `256 t + s` of the committed polynomial `q`: words 0-3 are the
//! chaining value, 4-7 the output, 10-17 the message, 18 the byte counter, 19 the flags. A column
//! `c_s(t)` of `2^tau` words is `q` with the low eight variables fixed to the bits of `s`.
//!
//! After the commitment one point `rho` of `tau` coordinates is drawn. A statement "column = public
//! column" becomes "their multilinear extensions agree at `rho`": two different columns agree there
//! with probability at most `tau / 2^192` (the difference is a nonzero multilinear polynomial,
//! Schwartz-Zippel). The claims are then batched by powers of one challenge, which adds at most
//! `claims / 2^192`.
//!
//! * Every instance starts from the chaining value of unkeyed BLAKE2s-256, with the counter and the
//!   flags of a last block: six columns are constants. The padding of a list is the hash of 64 zero
//!   bytes, and has the same.
//! * List: the output columns are those of the list and, past its end, of the padding.
//! * Tree in heap order (node `t` has the children `2t`, `2t + 1`; leaves from `2^(tau-1)`): with
//!   `rho'` all coordinates but the last, `m_w(rho', 0)` is the sum over nodes of `eq(rho', t)` times
//!   message word `w`, and `out_w(b, rho')` that of the output word of child `2t + b`. Both columns
//!   agree for every `t` iff their extensions do. Node 0 would have itself and the root as children;
//!   its message is claimed to be zero, word by word, and the difference `eq(rho', 0) * (out_w(0) or
//!   root_w)` goes to the other side, which pins the root.
//! * Chain: message word `w` of instance `t + 1` is output word `w` of `t`. The extension of the
//!   shifted column is `sum_t eq(rho, t + 1) out_w(t)`. Split by the number `j` of trailing ones of
//!   `t`: bits below `j` are one in `t` and zero in `t + 1`, bit `j` the other way round, the others
//!   equal. Hence it is `sum_j (prod_{i<j} (1 + rho_i)) rho_j out_w(1, .., 1, 0, rho_{j+1}, ..)`. The
//!   first message takes the place of the missing term `eq(rho, 0)`.

use alloc::vec;
use alloc::vec::Vec;

use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing, embed};
use prova_binary_pcs::merkle::{Digest, hash};
use prova_binary_pcs::poly::{bit_coordinates, dot_words, eq_table, vertex_weight};
use prova_binary_pcs::transcript::words_of;

use crate::statement::{Kind, MESSAGE_BYTES, Statement};

/// Variables of a block's words.
pub const SLOT_VARIABLES: usize = 8;
/// First word of the chaining value.
const CHAINING: u64 = 0;
/// First word of the output.
const OUTPUT: u64 = 4;
/// First word of the message.
const MESSAGE: u64 = 10;
/// The byte counter.
const COUNTER: u64 = 18;
/// The finalisation flags.
const FLAGS: u64 = 19;
/// Variables of a piece of a list.
const LIST_VARIABLES: usize = 10;
/// The flags of a last block.
const LAST_BLOCK: u64 = 0xffff_ffff;
/// The chaining value before the only block of an unkeyed BLAKE2s-256 (RFC 7693, section 2.6 and
/// 2.5: the first word holds digest length 32, no key, fanout and depth 1).
const INITIAL: [u64; 4] = [
    0xbb67_ae85_6b08_e647,
    0xa54f_f53a_3c6e_f372,
    0x9b05_688c_510e_527f,
    0x5be0_cd19_1f83_d9ab,
];

/// A scaled value of the committed polynomial at a point of all words, lowest coordinate first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The factor.
    pub scale: E,
    /// Eight slot coordinates, then those that number instances.
    pub point: Vec<E>,
}

/// A sum of terms that has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearClaim {
    /// The terms.
    pub terms: Vec<Term>,
    /// What they add up to.
    pub value: E,
}

/// The point of a word column.
fn column(slot: u64, instances: impl IntoIterator<Item = E>) -> Vec<E> {
    bit_coordinates(slot, SLOT_VARIABLES)
        .chain(instances)
        .collect()
}

/// The claim that a column has a value at a point.
fn at(slot: u64, instances: impl IntoIterator<Item = E>, value: E) -> LinearClaim {
    let term = Term {
        scale: E::ONE,
        point: column(slot, instances),
    };
    LinearClaim {
        terms: vec![term],
        value,
    }
}

/// The claims of a statement for the point `rho`, which has one coordinate for each variable of the
/// instances. Their number and order depend on the statement's kind only.
#[must_use]
pub fn claims(statement: &Statement, rho: &[E]) -> Vec<LinearClaim> {
    let mut claims: Vec<LinearClaim> = (CHAINING..)
        .zip(INITIAL)
        .chain([(COUNTER, statement.message_bytes()), (FLAGS, LAST_BLOCK)])
        .map(|(slot, word)| at(slot, rho.iter().copied(), embed(word)))
        .collect();
    match statement.kind() {
        Kind::Digests(digests) => list(digests, rho, &mut claims),
        Kind::MerkleRoot { root, .. } => tree(root, rho, &mut claims),
        Kind::Chain { start, end, steps } => chain(start, end, *steps, rho, &mut claims),
    }
    claims
}

/// The digest of an instance that only fills a batch.
fn padding() -> [u64; 4] {
    words_of(&hash(&[0; MESSAGE_BYTES]))
}

fn list(digests: &[Digest], rho: &[E], claims: &mut Vec<LinearClaim>) {
    // The weight of a row is that of its low coordinates times that of the others: two small tables
    // for one that would be as large as the list.
    let (low, high) = rho.split_at(rho.len().min(LIST_VARIABLES));
    let weights = eq_table(low);
    let mut values = [E::ZERO; 4];
    let mut listed = E::ZERO;
    let mut columns: [Vec<K>; 4] = [const { Vec::new() }; 4];
    for (digests, scale) in digests.chunks(weights.len()).zip(eq_table(high)) {
        columns.iter_mut().for_each(Vec::clear);
        for digest in digests {
            for (column, word) in columns.iter_mut().zip(words_of(digest)) {
                column.push(K::new(word));
            }
        }
        for (value, column) in values.iter_mut().zip(&columns) {
            *value += scale * dot_words(&weights, column);
        }
        listed += scale * weights.iter().take(digests.len()).copied().sum::<E>();
    }
    // All weights together are one.
    let rest = E::ONE - listed;
    for (slot, (value, word)) in (OUTPUT..).zip(values.into_iter().zip(padding())) {
        let value = value + rest * K::new(word);
        claims.push(at(slot, rho.iter().copied(), value));
    }
}

fn tree(root: &Digest, rho: &[E], claims: &mut Vec<LinearClaim>) {
    let nodes = rho.split_last().map_or(rho, |(_, nodes)| nodes);
    for slot in MESSAGE..MESSAGE + 8 {
        claims.push(at(slot, rho.iter().map(|_| E::ZERO), E::ZERO));
    }
    let first = vertex_weight(0, nodes);
    let sides = [(E::ZERO, padding()), (E::ONE, words_of(root))];
    let words = sides
        .iter()
        .flat_map(|(side, words)| (OUTPUT..).zip(words).map(move |w| (side, w)));
    for (message, (&side, (output, &word))) in (MESSAGE..).zip(words) {
        let parents = nodes.iter().copied().chain([E::ZERO]);
        let children = [side].into_iter().chain(nodes.iter().copied());
        let mut claim = at(message, parents, first * embed(word));
        claim.terms.push(Term {
            scale: E::ONE,
            point: column(output, children),
        });
        claims.push(claim);
    }
}

fn chain(start: &Digest, end: &Digest, steps: u64, rho: &[E], claims: &mut Vec<LinearClaim>) {
    for slot in MESSAGE + 4..MESSAGE + 8 {
        claims.push(at(slot, rho.iter().copied(), E::ZERO));
    }
    let last = steps.saturating_sub(1);
    for (slot, word) in (OUTPUT..).zip(words_of(end)) {
        claims.push(at(slot, bit_coordinates(last, rho.len()), embed(word)));
    }
    let first = vertex_weight(0, rho);
    for (index, word) in (0..).zip(words_of(start)) {
        let mut claim = at(MESSAGE + index, rho.iter().copied(), first * embed(word));
        let mut below = E::ONE;
        for (ones, &coordinate) in rho.iter().enumerate() {
            let above = rho.iter().skip(ones.saturating_add(1)).copied();
            let low = (0..ones).map(|_| E::ONE).chain([E::ZERO]);
            claim.terms.push(Term {
                scale: below * coordinate,
                point: column(OUTPUT + index, low.chain(above)),
            });
            below *= E::ONE + coordinate;
        }
        claims.push(claim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prova_binary_pcs::field::from_limbs;
    use prova_binary_pcs::poly::eq;

    /// A point without structure.
    fn point(variables: u64) -> Vec<E> {
        (0..variables)
            .map(|i| from_limbs([i * i + 3, 7 * i + 1, i ^ 5]))
            .collect()
    }

    #[test]
    fn claims_fit_the_opening_and_hold_for_constant_columns() {
        let statements = [
            Statement::digests(vec![[3; 32]; 5]),
            Statement::merkle_root([5; 32], 4),
            Statement::chain([1; 32], [2; 32], 30),
        ];
        for statement in statements.into_iter().flatten() {
            let rho = point(statement.log_instances().into());
            let claims = claims(&statement, &rho);
            assert!(claims.len() < 32);
            for claim in &claims {
                for term in &claim.terms {
                    assert_eq!(term.point.len(), SLOT_VARIABLES + rho.len());
                }
            }
            // Chaining value, counter and flags: extensions of constants are constants.
            let values: Vec<E> = claims.iter().take(6).map(|claim| claim.value).collect();
            let expected = INITIAL
                .into_iter()
                .chain([statement.message_bytes(), LAST_BLOCK]);
            assert!(values.into_iter().eq(expected.map(embed)));
        }
    }

    /// Within a piece, at its end, in the last of several pieces, and a list of every row.
    #[test]
    fn lists_are_the_extensions_of_their_columns() {
        for (count, variables) in [
            (1, 0),
            (3, 2),
            (1023, 10),
            (1025, 11),
            (2500, 12),
            (4096, 12),
        ] {
            let rho = point(variables);
            let digests: Vec<Digest> = (0..count).map(|i: u32| hash(&i.to_le_bytes())).collect();
            let mut listed = Vec::new();
            list(&digests, &rho, &mut listed);
            let rows = digests
                .iter()
                .map(words_of)
                .chain(core::iter::repeat(padding()));
            let mut expected = [E::ZERO; 4];
            for (words, weight) in rows.zip(eq_table(&rho)) {
                for (sum, word) in expected.iter_mut().zip(words) {
                    *sum += weight * embed(word);
                }
            }
            assert!(
                listed.iter().map(|claim| claim.value).eq(expected),
                "{count}"
            );
        }
    }

    #[test]
    fn the_links_of_a_chain_are_the_shifted_weights() {
        let rho = point(5);
        let mut links = Vec::new();
        chain(&[9; 32], &[8; 32], 20, &rho, &mut links);
        for (index, link) in (0..).zip(links.iter().skip(8)) {
            for t in 0..32_u64 {
                let weight = |slot: u64| -> E {
                    let entry = column(slot, bit_coordinates(t, 5));
                    link.terms
                        .iter()
                        .map(|term| term.scale * eq(&term.point, &entry))
                        .sum()
                };
                let next = if t < 31 {
                    vertex_weight(t + 1, &rho)
                } else {
                    E::ZERO
                };
                assert_eq!(weight(MESSAGE + index), vertex_weight(t, &rho));
                assert_eq!(weight(OUTPUT + index), next);
                assert_eq!(weight(OUTPUT + (index + 1) % 4), E::ZERO);
            }
        }
    }

    #[test]
    fn the_links_of_a_tree_join_nodes_to_their_children() {
        let rho = point(4);
        let mut links = Vec::new();
        tree(&[9; 32], &rho, &mut links);
        let nodes = rho.get(..3).unwrap_or_default();
        for (index, link) in (0..).zip(links.iter().skip(8)) {
            for t in 0..16_u64 {
                let weight = |slot: u64| -> E {
                    let entry = column(slot, bit_coordinates(t, 4));
                    link.terms
                        .iter()
                        .map(|term| term.scale * eq(&term.point, &entry))
                        .sum()
                };
                let parent = if t < 8 {
                    vertex_weight(t, nodes)
                } else {
                    E::ZERO
                };
                let child = if t & 1 == index / 4 {
                    vertex_weight(t >> 1, nodes)
                } else {
                    E::ZERO
                };
                assert_eq!(weight(MESSAGE + index), parent);
                assert_eq!(weight(OUTPUT + index % 4), child);
            }
        }
    }
}
