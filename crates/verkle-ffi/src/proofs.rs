//! Making and verifying multiproofs.

use prova_verkle::ipa::{IpaProof, ROUNDS};
use prova_verkle::multiproof::{prove, verify};
use prova_verkle::{
    Commitment, Fr, MultiProof, Opening, Polynomial, Query, ScalarBytes, Setup, Transcript,
};

use crate::context::Context;
use crate::layout::{Format, PROOF_POINTS, PROVA_VERKLE_SCALAR_LEN, PROVA_VERKLE_WIDTH};
use crate::memory::{Output, answer, expect_len, input, items, object};
use crate::points::decode;
use crate::status::{Error, Failure, Status};

/// Proves that committed polynomials, given by their values at 0 to 255, have the values claimed.
///
/// Commitments are not recomputed: with one that is not the polynomial's, the proof does not
/// verify. The claimed values are compared with the polynomials.
///
/// `format`: of the queries' commitments and of the proof (a prova_verkle_format).
/// `label`: where the transcript starts; PROVA_VERKLE_LABEL, without its zero byte, if in doubt.
/// `queries`: PROVA_VERKLE_PROVER_QUERY_LEN bytes each, or PROVA_VERKLE_PROVER_QUERY_UNCOMPRESSED_LEN
/// for the uncompressed formats; at least one.
/// `proof`: PROVA_VERKLE_PROOF_LEN bytes, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_create_proof(
    context: *const Context,
    format: u32,
    label: *const u8,
    label_len: usize,
    queries: *const u8,
    queries_len: usize,
    proof: *mut u8,
    proof_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let format = Format::new(format)?;
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, label, queries, out) = unsafe {
            (
                object("context", context)?,
                input("label", label, label_len)?,
                input("queries", queries, queries_len)?,
                Output::new(proof, proof_len)?,
            )
        };
        out.expect_len(format.proof_len())?;
        let proof = context.run_with_tables(|setup| create_proof(setup, format, label, queries))?;
        out.write(&encode_proof(format, &proof))
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

fn create_proof(
    setup: &Setup,
    format: Format,
    label: &[u8],
    queries: &[u8],
) -> Result<MultiProof, Failure> {
    let queries = items("queries", queries, format.prover_query_len())?
        .map(|query| split_prover_query(format, query))
        .collect::<Result<Vec<_>, _>>()?;
    let points: Vec<&[u8]> = queries.iter().map(|(point, ..)| *point).collect();
    let commitments = decode("query", format, &points)?;
    let openings = queries
        .iter()
        .zip(&commitments)
        .enumerate()
        .map(|(index, ((_, polynomial, point, value), commitment))| {
            check_value(index, polynomial, *point, value)?;
            Ok(Opening {
                commitment,
                polynomial: Polynomial::Bytes(polynomial),
                point: *point,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(prove(setup, &mut Transcript::new(label), &openings)?)
}

type PolynomialBytes = [u8; PROVA_VERKLE_WIDTH * PROVA_VERKLE_SCALAR_LEN];

fn split_prover_query(
    format: Format,
    query: &[u8],
) -> Result<(&[u8], &PolynomialBytes, u8, &[u8; 32]), Failure> {
    let split = || {
        let (commitment, rest) = query.split_at_checked(format.point_len())?;
        let (polynomial, rest) = rest.split_first_chunk()?;
        let (point, value) = rest.split_first()?;
        Some((commitment, polynomial, *point, value.try_into().ok()?))
    };
    split().ok_or(Failure::Length {
        what: "query",
        expected: format.prover_query_len(),
        got: query.len(),
    })
}

/// Canonical encodings are unique, so bytes can be compared; the prover refuses any other.
fn check_value(
    index: usize,
    polynomial: &PolynomialBytes,
    point: u8,
    value: &[u8; 32],
) -> Result<(), Failure> {
    if ScalarBytes::new(*value).is_none() {
        let what = "value of query";
        return Err(Failure::Scalar { what, index });
    }
    let mut values = polynomial.chunks_exact(PROVA_VERKLE_SCALAR_LEN);
    if values.nth(usize::from(point)) == Some(value.as_slice()) {
        Ok(())
    } else {
        Err(Failure::Value { index, point })
    }
}

fn encode_proof(format: Format, proof: &MultiProof) -> Vec<u8> {
    let ipa = &proof.ipa;
    [&proof.d]
        .into_iter()
        .chain(&ipa.l)
        .chain(&ipa.r)
        .flat_map(|point| format.encode(point))
        .chain(ipa.a.to_le_bytes())
        .collect()
}

/// Verifies that committed polynomials have the values claimed. The queries must be the prover's,
/// in the prover's order. Only PROVA_VERKLE_STATUS_OK means that they hold.
///
/// `format`: of the queries' commitments and of the proof (a prova_verkle_format).
/// `label`: where the transcript starts; must be the prover's.
/// `proof`: PROVA_VERKLE_PROOF_LEN bytes, or PROVA_VERKLE_PROOF_UNCOMPRESSED_LEN for the
/// uncompressed formats.
/// `queries`: PROVA_VERKLE_VERIFIER_QUERY_LEN bytes each, or
/// PROVA_VERKLE_VERIFIER_QUERY_UNCOMPRESSED_LEN; at least one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_verify_proof(
    context: *const Context,
    format: u32,
    label: *const u8,
    label_len: usize,
    proof: *const u8,
    proof_len: usize,
    queries: *const u8,
    queries_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let format = Format::new(format)?;
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, label, proof, queries) = unsafe {
            (
                object("context", context)?,
                input("label", label, label_len)?,
                input("proof", proof, proof_len)?,
                input("queries", queries, queries_len)?,
            )
        };
        context.run(|setup| verify_proof(setup, format, label, proof, queries))
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

fn verify_proof(
    setup: &Setup,
    format: Format,
    label: &[u8],
    proof: &[u8],
    queries: &[u8],
) -> Result<(), Failure> {
    let statement = Statement::decode(format, proof, queries)?;
    let mut transcript = Transcript::new(label);
    Ok(verify(
        setup,
        &mut transcript,
        &statement.proof,
        &statement.queries(),
    )?)
}

/// A proof and its queries, decoded.
pub(crate) struct Statement {
    pub(crate) proof: MultiProof,
    commitments: Vec<Commitment>,
    /// Point and value, by query.
    openings: Vec<(u8, ScalarBytes)>,
}

impl Statement {
    pub(crate) fn decode(format: Format, proof: &[u8], queries: &[u8]) -> Result<Self, Failure> {
        let proof = decode_proof(format, proof)?;
        let queries = items("queries", queries, format.verifier_query_len())?
            .map(|query| split_verifier_query(format, query))
            .collect::<Result<Vec<_>, _>>()?;
        let points: Vec<&[u8]> = queries.iter().map(|(point, ..)| *point).collect();
        let commitments = decode("query", format, &points)?;
        let openings = queries
            .iter()
            .enumerate()
            .map(|(index, (_, point, value))| {
                let what = "value of query";
                let value = ScalarBytes::new(**value).ok_or(Failure::Scalar { what, index })?;
                Ok((*point, value))
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        Ok(Self {
            proof,
            commitments,
            openings,
        })
    }

    pub(crate) fn queries(&self) -> Vec<Query<'_>> {
        let openings = self.commitments.iter().zip(&self.openings);
        openings
            .map(|(commitment, (point, value))| Query {
                commitment,
                point: *point,
                value: *value,
            })
            .collect()
    }
}

fn split_verifier_query(format: Format, query: &[u8]) -> Result<(&[u8], u8, &[u8; 32]), Failure> {
    let split = || {
        let (commitment, rest) = query.split_at_checked(format.point_len())?;
        let (point, value) = rest.split_first()?;
        Some((commitment, *point, value.try_into().ok()?))
    };
    split().ok_or(Failure::Length {
        what: "query",
        expected: format.verifier_query_len(),
        got: query.len(),
    })
}

fn decode_proof(format: Format, bytes: &[u8]) -> Result<MultiProof, Failure> {
    expect_len("proof", bytes.len(), format.proof_len())?;
    let (points, scalar) = bytes.split_at(PROOF_POINTS * format.point_len());
    let points: Vec<&[u8]> = points.chunks_exact(format.point_len()).collect();
    let points = format
        .decode(&points)
        .map_err(|(position, error)| Failure::ProofPoint { position, error })?;
    let scalar = scalar.first_chunk().and_then(Fr::from_le_bytes);
    let a = scalar.ok_or(Failure::ProofScalar)?;
    let mut points = points.into_iter();
    let mut next = || points.next().unwrap_or(Commitment::IDENTITY);
    Ok(MultiProof {
        d: next(),
        ipa: IpaProof {
            l: core::array::from_fn::<_, ROUNDS, _>(|_| next()),
            r: core::array::from_fn::<_, ROUNDS, _>(|_| next()),
            a,
        },
    })
}
