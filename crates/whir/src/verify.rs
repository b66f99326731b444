//! Verification by the unforked `p3-whir` verifier.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use p3_commit::MultilinearPcs;
use p3_dft::NaiveDft;
use p3_field::integers::QuotientMap;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_sumcheck::layout::{Layout, PrefixProver, SuffixProver};
use p3_sumcheck::{OpeningBatch, PrescribedPointPcs};
use p3_whir::{PcsProof, VerifierError, WhirProver, WhirShape};
use prova_proof_file::{FileError, ProofFile, System, TapeError};

use crate::body;
use crate::derive::{self, Config, ConfigError};
use crate::params::{Order, Params};
use crate::statement::{Points, Statement};
use crate::suite::{Digest, Suite};
use crate::transcript;
use crate::with_suite;

/// Why a proof was not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The container is damaged or not Prova's.
    #[error(transparent)]
    File(#[from] FileError),
    /// A section is damaged.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The parameters cannot be used for this statement.
    #[error("parameters do not fit: {0}")]
    Config(#[from] ConfigError),
    /// Well-formed, and false: what the stock verifier says.
    #[error("proof rejected: {0}")]
    Rejected(String),
}

impl VerifyError {
    /// Whether the proof was read whole and found false, rather than malformed.
    #[must_use]
    pub const fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected(_))
    }
}

impl From<VerifierError> for VerifyError {
    fn from(error: VerifierError) -> Self {
        Self::Rejected(error.to_string())
    }
}

/// Reads the parameters and the statement of a WHIR proof file, without verifying anything.
///
/// # Errors
/// Another system or version, damaged sections, parameters out of range.
pub fn read_file(file: &ProofFile<'_>) -> Result<(Params, Statement), VerifyError> {
    file.require(System::Whir, &[crate::FORMAT_VERSION])?;
    let params = Params::from_bytes(file.params)?;
    params.check()?;
    let statement = Statement::from_bytes(file.statement, params.field, params.extension_degree)?;
    Ok((params, statement))
}

/// Verifies a WHIR proof file against **its own** parameters and statement.
///
/// A caller that relies on the result compares the returned parameters and statement with what it
/// expects, or uses [`verify_parts`] with its own.
///
/// # Errors
/// See [`VerifyError`].
pub fn verify_file(file: &ProofFile<'_>) -> Result<(Params, Statement), VerifyError> {
    let (params, statement) = read_file(file)?;
    verify_parts(&params, &statement, file.body)?;
    Ok((params, statement))
}

/// Verifies a proof body against the caller's parameters and statement.
///
/// # Errors
/// See [`VerifyError`].
pub fn verify_parts(
    params: &Params,
    statement: &Statement,
    body: &[u8],
) -> Result<(), VerifyError> {
    with_suite!(params, S => verify::<S>(params, statement, body), else Err(
        ConfigError::NoSuite { degree: params.extension_degree }.into()
    ))
}

/// Reads `coefficients.len() / degree` extension elements.
///
/// # Errors
/// A coefficient that is not canonical, or a length that is not a multiple of the degree.
pub fn extension_elements<S: Suite>(coefficients: &[u32]) -> Result<Vec<S::EF>, NotCanonical> {
    let degree = <S::EF as BasedVectorSpace<S::F>>::DIMENSION;
    let base = coefficients
        .iter()
        .map(|&c| <S::F as QuotientMap<u32>>::from_canonical_checked(c).ok_or(NotCanonical))
        .collect::<Result<Vec<S::F>, _>>()?;
    let chunks = base.chunks_exact(degree);
    if !chunks.remainder().is_empty() {
        return Err(NotCanonical);
    }
    Ok(chunks
        .map(|chunk| {
            S::EF::from_basis_coefficients_fn(|i| chunk.get(i).copied().unwrap_or(S::F::ZERO))
        })
        .collect())
}

/// Coefficients that are not whole canonical extension elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("coefficients are not whole canonical extension elements")]
pub struct NotCanonical;

/// Checks that a statement's lists have the lengths its shape wants.
///
/// # Errors
/// The first list of another length, or columns out of order.
pub fn check_statement(params: &Params, statement: &Statement) -> Result<(), ConfigError> {
    let degree = params.extension_degree;
    let coordinates = match statement.points {
        Points::Drawn => 0,
        Points::Given => statement.shape.num_variables,
    };
    in_openings(statement)?;
    for (opening, item) in statement.openings.iter().enumerate() {
        let lists = [
            ("the point", &item.point, coordinates),
            ("the list of values", &item.values, item.columns.len()),
        ];
        for (what, list, elements) in lists {
            let expected = elements.saturating_mul(degree);
            if list.len() != expected {
                return Err(ConfigError::WrongLength {
                    opening,
                    what,
                    expected,
                    got: list.len(),
                });
            }
        }
    }
    Ok(())
}

fn in_openings(statement: &Statement) -> Result<(), ConfigError> {
    let count = statement.openings.len();
    if (1..=usize::from(u16::MAX)).contains(&count) {
        Ok(())
    } else {
        Err(ConfigError::OutOfRange {
            what: "openings",
            expected: "1 to 65535",
            got: count,
        })
    }
}

/// The stock scheme of a suite; its code is only asked for query points, never to encode.
pub type StockPcs<S, L> = WhirProver<
    <S as Suite>::EF,
    <S as Suite>::F,
    NaiveDft,
    <S as Suite>::Mmcs,
    <S as Suite>::Challenger,
    L,
>;

/// [`verify_parts`] for a suite known at compile time.
///
/// # Errors
/// See [`VerifyError`].
pub fn verify<S: Suite>(
    params: &Params,
    statement: &Statement,
    body: &[u8],
) -> Result<(), VerifyError> {
    let claims = statement
        .openings
        .iter()
        .map(|opening| opening.columns.len())
        .sum();
    let config = params.config::<S>(statement.shape, claims)?;
    match params.order {
        Order::Suffix => {
            verify_layout::<S, SuffixProver<S::F, S::EF>>(params, statement, body, config)
        }
        Order::Prefix => {
            verify_layout::<S, PrefixProver<S::F, S::EF>>(params, statement, body, config)
        }
    }
}

fn verify_layout<S: Suite, L: Layout<S::F, S::EF>>(
    params: &Params,
    statement: &Statement,
    bytes: &[u8],
    config: Config<S>,
) -> Result<(), VerifyError> {
    check_statement(params, statement)?;
    let protocol = derive::protocol(statement.shape, &statement.openings)?;
    let shape = WhirShape::new(&config, protocol.num_openings());
    let whir = body::read::<S>(bytes, &shape)?;

    let malformed = |_| VerifyError::Rejected("the statement holds a non-canonical element".into());
    let mut evals = Vec::with_capacity(statement.openings.len());
    let mut points = Vec::with_capacity(statement.openings.len());
    for opening in &statement.openings {
        let values = extension_elements::<S>(&opening.values).map_err(malformed)?;
        evals.push(OpeningBatch::new(values, Vec::new()));
        points.push(extension_elements::<S>(&opening.point).map_err(malformed)?);
    }
    let root = S::Digest::from_bytes(&statement.commitment)
        .ok_or_else(|| VerifyError::Rejected("the commitment is not canonical".into()))?;
    let commitment = S::commitment(root);
    let proof = PcsProof { whir, evals };

    let pcs = StockPcs::<S, L>::new(config, NaiveDft, S::mmcs());
    let mut challenger = S::challenger();
    transcript::begin::<S, _>(&mut challenger, params, statement);
    match statement.points {
        Points::Drawn => pcs.verify(&commitment, &proof, &mut challenger, protocol)?,
        Points::Given => {
            pcs.observe_commitment(&commitment, &mut challenger);
            transcript::observe_points::<S, _>(&mut challenger, &points);
            let points: Vec<_> = points.into_iter().map(Point::new).collect();
            pcs.verify_at(&commitment, &proof, &protocol, &points, &mut challenger)?;
        }
    }
    Ok(())
}
