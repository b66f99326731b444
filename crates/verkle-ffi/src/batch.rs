//! Verifying many multiproofs at once.

use prova_verkle::multiproof::{self, verify_batch};
use prova_verkle::{Setup, Transcript};
use rayon::prelude::*;

use crate::context::Context;
use crate::layout::Format;
use crate::memory::{Verdicts, answer, array, input, object};
use crate::proofs::Statement;
use crate::status::{Error, Failure, Status};

/// One proof of a batch, as prova_verkle_verify_proof takes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BatchItem {
    /// Where the transcript starts; must be the prover's.
    pub label: *const u8,
    /// Bytes of the label.
    pub label_len: usize,
    /// The proof.
    pub proof: *const u8,
    /// PROVA_VERKLE_PROOF_LEN, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN for the uncompressed formats.
    pub proof_len: usize,
    /// The queries, at least one, in the prover's order.
    pub queries: *const u8,
    /// Bytes of all queries: PROVA_VERKLE_VERIFIER_QUERY_LEN each, or
    /// PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN.
    pub queries_len: usize,
}

/// Verifies many proofs, with the answer prova_verkle_verify_proof has on each, in less time than
/// one by one. PROVA_VERKLE_STATUS_OK means that all hold. Otherwise the answer is that on the first
/// that does not; index: which it is; position: which of its queries, or of its 17 points.
///
/// That final equations are added up with random factors lets a proof that does not hold pass with
/// a probability of at most 2^-127 for every batch that an adversary tries. A batch of none holds.
///
/// `format`: of all queries' commitments and of all proofs (a prova_verkle_format).
/// `items`: the proofs.
/// `items_count`: how many; not their bytes.
/// `verdicts`: null, or one byte for every proof: the answer on it (a prova_verkle_status), of
/// which only zero means that it holds. Written also if some do not; if none could be looked at,
/// each is the answer of the call.
/// `verdicts_len`: zero if `verdicts` is null, or else `items_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_verify_batch(
    context: *const Context,
    format: u32,
    items: *const BatchItem,
    items_count: usize,
    verdicts: *mut u8,
    verdicts_len: usize,
    error: *mut Error,
) -> Status {
    // SAFETY: the caller keeps the header's contract.
    let out = unsafe { Verdicts::new(verdicts, verdicts_len) };
    let mut verdicts = None;
    let body = || {
        let format = Format::new(format)?;
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, items) = unsafe {
            (
                object("context", context)?,
                array("items", items, items_count)?,
            )
        };
        out.expect_len(items.len())?;
        let inputs = items
            .iter()
            .map(|item| {
                // SAFETY: the same contract holds for the pointers of every item.
                unsafe {
                    Ok([
                        input("label", item.label, item.label_len)?,
                        input("proof", item.proof, item.proof_len)?,
                        input("queries", item.queries, item.queries_len)?,
                    ])
                }
            })
            .collect();
        let results = context.run(|setup| verify_each(setup, format, inputs));
        let status = |result: &Result<(), Failure>| {
            result
                .as_ref()
                .map_or_else(Failure::status, |()| Status::Ok)
        };
        verdicts = Some(results.iter().map(status).collect::<Vec<_>>());
        first_failure(results)
    };
    // SAFETY: the caller keeps the header's contract.
    let status = unsafe { answer(error, body) };
    match verdicts {
        Some(verdicts) => out.write(verdicts),
        None => out.write(core::iter::repeat_n(status, items_count)),
    }
    status
}

/// Label, proof and queries of an item, or what is wrong with its pointers.
type Inputs<'a> = Result<[&'a [u8]; 3], Failure>;

/// The answer on every item.
fn verify_each(setup: &Setup, format: Format, inputs: Vec<Inputs<'_>>) -> Vec<Result<(), Failure>> {
    let decoded: Vec<Result<(Transcript, Statement), Failure>> = inputs
        .into_par_iter()
        .map(|inputs| {
            let [label, proof, queries] = inputs?;
            let statement = Statement::decode(format, proof, queries)?;
            Ok((Transcript::new(label), statement))
        })
        .collect();
    let mut results = Vec::with_capacity(decoded.len());
    let mut statements = Vec::with_capacity(decoded.len());
    for (index, decoded) in decoded.into_iter().enumerate() {
        results.push(decoded.map(|(transcript, statement)| {
            statements.push((index, transcript, statement));
        }));
    }
    let mut well_formed: Vec<_> = statements
        .iter_mut()
        .map(|(index, transcript, statement)| {
            let statement = &*statement;
            (*index, transcript, &statement.proof, statement.queries())
        })
        .collect();
    let mut batch: Vec<_> = well_formed
        .iter_mut()
        .map(|(_, transcript, proof, queries)| multiproof::BatchItem {
            transcript,
            proof,
            queries,
        })
        .collect();
    if let Err(error) = verify_batch(setup, &mut batch) {
        for (at, error) in error.failures() {
            results[well_formed[*at].0] = Err(Failure::Verify(*error));
        }
    }
    results
}

fn first_failure(results: Vec<Result<(), Failure>>) -> Result<(), Failure> {
    let count = results.len();
    let bad = results.iter().filter(|result| result.is_err()).count();
    let mut failures = results.into_iter().enumerate();
    match failures.find_map(|(index, result)| Some((index, result.err()?))) {
        None => Ok(()),
        Some((index, failure)) => Err(Failure::Batch {
            bad,
            count,
            index,
            failure: Box::new(failure),
        }),
    }
}
