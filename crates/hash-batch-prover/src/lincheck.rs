//! The lincheck prover: the zerocheck's three values become 64 claims about bit slices of the packed
//! witness at one point, the message order of [`prova_lean_vm::blake2s::lincheck`].

use crate::arm::Arm;
use crate::channel::Channel;
use crate::circuit::{BLOCK_BITS, ONE, columns};
use crate::columns::column_sums;
use crate::field::{E, eq_table, par_eq_table};
use crate::observer::{Cancelled, Observer, Stage, check};
use crate::witness::TableView;
use p3_field::PrimeCharacteristicRing;
use prova_lean_vm::blake2s::lincheck::BitClaims;
use prova_lean_vm::blake2s::skip::lagrange_weights;
use prova_lean_vm::blake2s::zerocheck::{BLOCK_VARIABLES, ZerocheckClaims};
use rayon::prelude::*;

/// Proves the zerocheck's claims about the witness.
///
/// # Errors
/// [`Cancelled`] when the observer asks for it.
pub fn prove(
    tables: TableView<'_>,
    zerocheck: &ZerocheckClaims,
    arm: Arm,
    channel: &mut impl Channel,
    observer: &dyn Observer,
) -> Result<BitClaims, Cancelled> {
    observer.enter(Stage::Lincheck);
    check(observer)?;
    let alpha = channel.sample();
    let mut matrix = column_weights(zerocheck, alpha);
    let mut wires = column_sums(tables.z, &par_eq_table(&zerocheck.outer), arm);
    let mut inner = [E::ZERO; BLOCK_VARIABLES];
    for coordinate in inner.iter_mut().rev() {
        let sent = message(&matrix, &wires);
        channel.send_all(&sent);
        *coordinate = channel.sample();
        fold(&mut matrix, *coordinate);
        fold(&mut wires, *coordinate);
    }
    channel.send_all(&wires);
    Ok(BitClaims {
        point: inner.iter().chain(&zerocheck.outer).copied().collect(),
        bits: std::array::from_fn(|i| wires[i]),
    })
}

/// The weight of every column of the block in the batched claim: `A0^T e + alpha B0^T e +
/// alpha^2 e`, and `alpha^3` on the constant wire, for the row weights `e` of the zerocheck's point.
fn column_weights(zerocheck: &ZerocheckClaims, alpha: E) -> Vec<E> {
    let skip = lagrange_weights(6, zerocheck.skip);
    let rows: Vec<E> = eq_table(&zerocheck.inner)
        .iter()
        .flat_map(|&high| skip.iter().map(move |&low| high * low))
        .collect();
    debug_assert_eq!(rows.len(), BLOCK_BITS);
    let scaled: Vec<E> = rows.iter().map(|&weight| alpha * weight).collect();
    let mut weights = columns(&rows, &scaled);
    for (weight, &scaled) in weights.iter_mut().zip(&scaled) {
        *weight += alpha * scaled;
    }
    weights[ONE] += alpha * alpha * alpha;
    weights
}

/// Constant and leading coefficient of the round that binds the top variable.
fn message(matrix: &[E], wires: &[E]) -> [E; 2] {
    let half = matrix.len() / 2;
    let (matrix_low, matrix_high) = matrix.split_at(half);
    let (wires_low, wires_high) = wires.split_at(half);
    let zero = || [E::ZERO; 2];
    (0..half)
        .into_par_iter()
        .with_min_len(1 << 10)
        .fold(zero, |mut sums, i| {
            sums[0] += matrix_low[i] * wires_low[i];
            sums[1] += (matrix_low[i] + matrix_high[i]) * (wires_low[i] + wires_high[i]);
            sums
        })
        .reduce(zero, |x, y| [x[0] + y[0], x[1] + y[1]])
}

fn fold(table: &mut Vec<E>, challenge: E) {
    let half = table.len() / 2;
    let (low, high) = table.split_at_mut(half);
    for (low, &high) in low.iter_mut().zip(&*high) {
        *low += challenge * (*low + high);
    }
    table.truncate(half);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::BLOCK_WORDS;
    use crate::observer::Unobserved;
    use crate::test_util::{Recorder, random_compressions};
    use crate::witness::BitTables;
    use crate::zerocheck;
    use prova_binary_pcs::stream::{Form, Proof};
    use prova_binary_pcs::transcript::ChainV0;
    use prova_lean_vm::blake2s;
    use prova_lean_vm::error::Outcome;

    fn run(tables: &BitTables, arm: Arm) -> (BitClaims, Vec<E>) {
        let mut recorder = Recorder::new();
        let claims = zerocheck::prove(tables.view(), 2, arm, &mut recorder, &Unobserved).unwrap();
        let bits = prove(tables.view(), &claims, arm, &mut recorder, &Unobserved).unwrap();
        (bits, recorder.sent)
    }

    fn verify(sent: &[E], log_instances: usize) -> Outcome<BitClaims> {
        let body = Recorder::body(sent);
        let bytes = Proof::parse(Form::Wire, &body).unwrap();
        let (mut channel, _) = bytes.channel(ChainV0::new(b"test"));
        let zerocheck = blake2s::zerocheck::verify(&mut channel, log_instances)?;
        let claims = blake2s::lincheck::verify(&mut channel, &zerocheck)?;
        channel.finish()?;
        Ok(claims)
    }

    /// Whether every slice claim is that of the witness.
    fn hold(claims: &BitClaims, z: &[u64]) -> bool {
        let eq = par_eq_table(&claims.point);
        (0..64).all(|bit| {
            let ones = z.iter().zip(&eq).filter(|(word, _)| **word >> bit & 1 == 1);
            ones.map(|(_, &eq)| eq).sum::<E>() == claims.bits[bit]
        })
    }

    #[test]
    fn honest_batches_leave_true_slice_claims() {
        for instances in [8, 16, 64] {
            let tables = BitTables::generate(&random_compressions(40, instances), Arm::best());
            let expected = run(&tables, Arm::best());
            for arm in Arm::all_available() {
                assert_eq!(run(&tables, arm), expected);
            }
            let claims = verify(&expected.1, tables.log_instances).unwrap();
            assert_eq!(claims, expected.0);
            assert!(hold(&claims, &tables.z));
        }
    }

    #[test]
    fn every_altered_message_is_rejected() {
        let tables = BitTables::generate(&random_compressions(41, 8), Arm::best());
        let (_, sent) = run(&tables, Arm::best());
        for i in 0..sent.len() {
            let mut altered = sent.clone();
            altered[i] += E::ONE;
            assert!(verify(&altered, 3).is_err(), "scalar {i}");
        }
    }

    #[test]
    fn false_witnesses_are_rejected() {
        let honest = BitTables::generate(&random_compressions(42, 8), Arm::best());
        for bit in [5, 300, 512, 700, 1300, 9000, 15_999] {
            let mut tables = honest.clone();
            tables.z[BLOCK_WORDS * 3 + bit / 64] ^= 1 << (bit % 64);
            let (_, sent) = run(&tables, Arm::best());
            assert!(verify(&sent, 3).is_err(), "bit {bit}");
        }
        let mut zero = honest;
        for table in [&mut zero.z, &mut zero.a, &mut zero.b] {
            table.fill(0);
        }
        let (_, sent) = run(&zero, Arm::best());
        assert!(verify(&sent, 3).is_err());
    }
}
