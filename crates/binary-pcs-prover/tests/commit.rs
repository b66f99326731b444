//! Encoding against the definition of the code, trees against another BLAKE2s.

mod common;

use blake2::{Blake2s256, Digest};
use common::{point, rng};
use p3_field::PrimeCharacteristicRing;
use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::field::{E, K};
use prova_binary_pcs_prover::encode::{Encoder, RowMajor};
use prova_binary_pcs_prover::lanes::Lanes;
use prova_binary_pcs_prover::matrix::LaneMatrix;
use prova_binary_pcs_prover::merkle::{Tree, hash_rows};
use prova_binary_pcs_prover::weight::{DenseWeight, PointWeights, WeightSource};
use prova_binary_pcs_prover::{Committed, Plan};
use rand::RngExt;

/// The novel basis polynomials at a point: `prod_i W_i(x)^{u_i}` for every `u`, from the recursion
/// of the subspace polynomials.
fn basis_at(x: K, log_len: usize) -> Vec<K> {
    let mut basis = vec![K::ONE];
    for i in 0..log_len {
        // V_i vanishes on the span of the first i basis elements.
        let vanishing = |x: K| (0..1_u64 << i).map(|root| x + K::new(root)).product::<K>();
        let value =
            vanishing(x) * prova_binary_pcs::field::Field::inverse(&vanishing(K::new(1 << i)));
        let high: Vec<K> = basis.iter().map(|&low| low * value).collect();
        basis.extend(high);
    }
    basis
}

/// Replaces a message by a coset of its codeword.
fn transform(encoder: &Encoder, rows: &mut [K], width: usize, coset: usize) {
    let words = rows.to_vec();
    encoder.encode_coset(
        &RowMajor {
            words: &words,
            width,
        },
        coset,
        rows,
    );
}

#[test]
fn codewords_are_values_of_the_novel_basis() {
    let mut rng = rng(1);
    for (log_len, rate, width) in [(0, 1, 3), (1, 2, 64), (4, 1, 24), (6, 2, 33), (7, 1, 1)] {
        let encoder = Encoder::new(log_len, rate);
        let message: Vec<K> = (0..width << log_len).map(|_| rng.random()).collect();
        for coset in 0..1 << rate {
            let mut rows = message.clone();
            transform(&encoder, &mut rows, width, coset);
            for (row, values) in rows.chunks_exact(width).enumerate() {
                let basis = basis_at(K::new(((coset << log_len) + row) as u64), log_len);
                for (column, &value) in values.iter().enumerate() {
                    let words = message.iter().skip(column).step_by(width);
                    assert_eq!(value, words.zip(&basis).map(|(&m, &b)| m * b).sum::<K>());
                }
            }
        }
    }
}

#[test]
fn long_codewords_hold_the_column_weights() {
    // Longer than what one pass covers, at widths that gather several rows and one.
    let mut rng = rng(2);
    for (log_len, rate, width) in [(14, 1, 3), (12, 1, 64), (15, 2, 1), (13, 1, 24)] {
        let encoder = Encoder::new(log_len, rate);
        let message: Vec<K> = (0..width << log_len).map(|_| rng.random()).collect();
        let coset = (1 << rate) - 1;
        let mut rows = message.clone();
        transform(&encoder, &mut rows, width, coset);
        let subspaces = Subspaces::new(log_len);
        for _ in 0..5 {
            let row = rng.random::<u64>() % (1 << log_len);
            let position = ((coset as u64) << log_len) + row;
            let mut basis = vec![K::ONE];
            for value in subspaces.normalised(position) {
                let high: Vec<K> = basis.iter().map(|&low| low * value).collect();
                basis.extend(high);
            }
            for column in 0..width {
                let words = message.iter().skip(column).step_by(width);
                let expected: K = words.zip(&basis).map(|(&m, &b)| m * b).sum();
                assert_eq!(rows[row as usize * width + column], expected);
            }
        }
    }
}

#[test]
fn single_rows_are_those_of_the_codeword() {
    let mut rng = rng(6);
    for (log_len, rate, width) in [(0, 1, 3), (3, 1, 8), (9, 2, 24), (12, 1, 7), (11, 3, 1)] {
        let encoder = Encoder::new(log_len, rate);
        let message: Vec<K> = (0..width << log_len).map(|_| rng.random()).collect();
        for count in [1, 2, 5, 130] {
            let coset = (1 << rate) - 1;
            let mut rows = message.clone();
            transform(&encoder, &mut rows, width, coset);
            let mut positions: Vec<usize> = (0..count)
                .map(|_| rng.random::<u64>() as usize % (1 << log_len))
                .collect();
            positions.sort_unstable();
            positions.dedup();
            let expected: Vec<&[K]> = positions
                .iter()
                .map(|row| &rows[row * width..][..width])
                .collect();
            positions
                .iter_mut()
                .for_each(|position| *position += coset << log_len);
            let mut opened = K::zero_vec(width * positions.len());
            let mut targets: Vec<&mut [K]> = opened.chunks_exact_mut(width).collect();
            let mut room = K::zero_vec(message.len());
            let words = RowMajor {
                words: &message,
                width,
            };
            encoder.rows_of_coset(&words, coset, &positions, &mut room, &mut targets);
            assert_eq!(opened, expected.concat());
        }
    }
}

#[test]
fn trees_are_those_of_another_implementation() {
    let mut rng = rng(3);
    let shapes = [
        (64, 0, 3),
        (33, 31, 9),
        (24, 0, 0),
        (57, 7, 1),
        (48, 16, 6),
        (1, 63, 5),
    ];
    for (width, zero_words, depth) in shapes {
        let rows: Vec<K> = (0..width << depth).map(|_| rng.random()).collect();
        let mut leaves = vec![[0; 32]; 1 << depth];
        hash_rows(&rows, width, zero_words, &mut leaves);
        let mut level: Vec<[u8; 32]> = rows
            .chunks_exact(width)
            .map(|row| {
                let mut hasher = Blake2s256::new();
                hasher.update(vec![0; 8 * zero_words]);
                row.iter()
                    .for_each(|word| hasher.update(word.to_bits().to_le_bytes()));
                hasher.finalize().into()
            })
            .collect();
        assert_eq!(leaves, level);
        let tree = Tree::new(leaves);
        while level.len() > 1 {
            let node = |pair: &[[u8; 32]]| Blake2s256::digest(pair.as_flattened()).into();
            level = level.chunks_exact(2).map(node).collect();
        }
        assert_eq!((tree.depth(), tree.root()), (depth, level[0]));
    }
}

#[test]
fn siblings_are_sent_only_where_they_do_not_follow() {
    let leaves: Vec<[u8; 32]> = (0..8).map(|i| [i; 32]).collect();
    let tree = Tree::new(leaves.clone());
    assert_eq!(
        tree.siblings(&[0, 1, 2, 3, 4, 5, 6, 7]),
        Vec::<[u8; 32]>::new()
    );
    let node = |pair: &[[u8; 32]]| -> [u8; 32] { Blake2s256::digest(pair.as_flattened()).into() };
    // 2 and 3 are known together; 5 lacks 4, then 6 and 7's node, and 0 and 1's node comes first.
    assert_eq!(
        tree.siblings(&[2, 3, 5]),
        [leaves[4], node(&leaves[..2]), node(&leaves[6..])]
    );
}

#[test]
fn leaves_hold_lanes_in_descending_order() {
    let (mu, lanes) = (15, 34);
    let mut rng = rng(4);
    let words: Vec<K> = (0..lanes << (mu - 6)).map(|_| rng.random()).collect();
    let committed = Committed::new(&words, mu, 1, Plan::FAST);
    let encoder = Encoder::new(mu - 6, 1);
    let mut columns: Vec<Vec<K>> = (0..64)
        .map(|column| {
            let lane = 63 - column;
            let words = words.iter().skip(lane << (mu - 6)).take(1 << (mu - 6));
            let mut column: Vec<K> = words.copied().collect();
            column.resize(1 << (mu - 6), K::ZERO);
            column
        })
        .collect();
    let mut second = columns.clone();
    for (coset, columns) in [&mut columns, &mut second].into_iter().enumerate() {
        columns
            .iter_mut()
            .for_each(|column| transform(&encoder, column, 1, coset));
    }
    let image = |columns: &[Vec<K>], row: usize| -> [u8; 32] {
        let mut hasher = Blake2s256::new();
        columns
            .iter()
            .for_each(|column| hasher.update(column[row].to_bits().to_le_bytes()));
        hasher.finalize().into()
    };
    let rows = 1 << (mu - 6);
    let leaves = [&columns, &second]
        .into_iter()
        .flat_map(|c| (0..rows).map(|row| image(c, row)));
    assert_eq!(committed.root(), Tree::new(leaves.collect()).root());
}

#[test]
fn point_forms_are_the_dense_form() {
    let mu = 12;
    let mut rng = rng(5);
    let words: Vec<K> = (0..45 << 6).map(|_| rng.random()).collect();
    let lanes = Lanes::new(&words, mu);
    let (zero, one) = (E::ZERO, E::ONE);
    let mut points: Vec<Vec<E>> = (0..4).map(|_| point(&mut rng, mu)).collect();
    points.push(
        [
            &[one, zero],
            &point(&mut rng, 3)[..],
            &[one, zero, one, zero, one, one, zero],
        ]
        .concat(),
    );
    points.push([&point(&mut rng, 4)[..], &[one; 8]].concat());
    points.push([&points[5][..4], &[zero; 8]].concat());
    points.push(vec![one; mu]);
    let scales = point(&mut rng, points.len());
    let claims = points.iter().map(Vec::as_slice).zip(scales.iter().copied());
    let form = PointWeights::new(claims);
    let dense = DenseWeight(|u: usize| {
        let bits: Vec<E> = (0..mu)
            .map(|k| if u >> k & 1 == 1 { one } else { zero })
            .collect();
        let terms = points.iter().zip(&scales);
        terms
            .map(|(point, &scale)| scale * prova_binary_pcs::poly::eq(point, &bits))
            .sum()
    });
    let folds: [E; 6] = std::array::from_fn(|_| rng.random());
    let [one_way, other] = [&form as &dyn WeightSource, &dense].map(|source| {
        let mut matrix = LaneMatrix::default();
        source.contract(&lanes, &mut matrix);
        let mut weight = E::zero_vec(1 << (mu - 6));
        source.fold(&folds, &mut weight);
        (matrix, weight)
    });
    assert_eq!(one_way, other);
}
