//! Commitments and points.

use prova_verkle::{Commitment, Element, Fr, Setup};

use crate::context::Context;
use crate::layout::{Format, PROVA_VERKLE_SCALAR_LEN, PROVA_VERKLE_UPDATE_LEN, PROVA_VERKLE_WIDTH};
use crate::memory::{Output, answer, expect_len, input, items, object};
use crate::status::{Error, Failure, Status};

/// Commits to at most 256 scalars: the sum of scalar i times generator i. Missing scalars count as
/// zero.
///
/// `format`: of the commitment that is written (a prova_verkle_format).
/// `scalars`: 32 bytes each, little-endian.
/// `out`: 32 bytes, or 64 for the uncompressed formats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_commit(
    context: *const Context,
    format: u32,
    scalars: *const u8,
    scalars_len: usize,
    out: *mut u8,
    out_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let format = Format::new(format)?;
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, scalars, out) = unsafe {
            (
                object("context", context)?,
                input("scalars", scalars, scalars_len)?,
                Output::new(out, out_len)?,
            )
        };
        out.expect_len(format.point_len())?;
        out.write(&context.run_with_tables(|setup| commit(setup, format, scalars))?)
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

fn commit(setup: &Setup, format: Format, scalars: &[u8]) -> Result<Vec<u8>, Failure> {
    let max = PROVA_VERKLE_WIDTH * PROVA_VERKLE_SCALAR_LEN;
    if scalars.len() > max {
        return Err(Failure::TooLong {
            what: "scalars",
            max,
            got: scalars.len(),
        });
    }
    let values = items("scalars", scalars, PROVA_VERKLE_SCALAR_LEN)?
        .enumerate()
        .map(|(index, bytes)| scalar("scalar", index, bytes))
        .collect::<Result<Vec<Fr>, _>>()?;
    Ok(format.encode(&setup.commit(&values).to_commitment()))
}

pub(crate) fn scalar(what: &'static str, index: usize, bytes: &[u8]) -> Result<Fr, Failure> {
    let bytes = bytes.try_into().map_err(|_| Failure::Length {
        what,
        expected: PROVA_VERKLE_SCALAR_LEN,
        got: bytes.len(),
    })?;
    Fr::from_le_bytes(bytes).ok_or(Failure::Scalar { what, index })
}

/// Changes committed values: adds (new scalar - old scalar) times the generator of the position,
/// for every update. A position may come more than once.
///
/// `format`: of both commitments (a prova_verkle_format).
/// `commitment`: the old commitment.
/// `updates`: PROVA_VERKLE_UPDATE_LEN bytes each: old scalar, new scalar, position. None at all are
/// allowed.
/// `out`: the new commitment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_update(
    context: *const Context,
    format: u32,
    commitment: *const u8,
    commitment_len: usize,
    updates: *const u8,
    updates_len: usize,
    out: *mut u8,
    out_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let format = Format::new(format)?;
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        let (context, commitment, updates, out) = unsafe {
            (
                object("context", context)?,
                input("commitment", commitment, commitment_len)?,
                input("updates", updates, updates_len)?,
                Output::new(out, out_len)?,
            )
        };
        expect_len("commitment", commitment.len(), format.point_len())?;
        out.expect_len(format.point_len())?;
        out.write(&context.run_with_tables(|setup| update(setup, format, commitment, updates))?)
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

fn update(
    setup: &Setup,
    format: Format,
    commitment: &[u8],
    updates: &[u8],
) -> Result<Vec<u8>, Failure> {
    let changes = items("updates", updates, PROVA_VERKLE_UPDATE_LEN)?
        .enumerate()
        .map(|(index, bytes)| {
            let (old, rest) = bytes.split_at(PROVA_VERKLE_SCALAR_LEN);
            let (new, position) = rest.split_at(PROVA_VERKLE_SCALAR_LEN);
            let old = scalar("update", index, old)?;
            let new = scalar("update", index, new)?;
            Ok(position.iter().map(move |position| (*position, new - old)))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let changes: Vec<(u8, Fr)> = changes.into_iter().flatten().collect();
    let old: Element = decode("commitment", format, &[commitment])?
        .iter()
        .map(Element::from)
        .sum();
    Ok(format.encode(&(old + setup.commit_sparse(&changes)).to_commitment()))
}

pub(crate) fn decode(
    what: &'static str,
    format: Format,
    points: &[&[u8]],
) -> Result<Vec<Commitment>, Failure> {
    format
        .decode(points)
        .map_err(|(index, error)| Failure::Point { what, index, error })
}

/// Maps points to scalars, as a commitment enters its parent: X/Y as an integer, modulo the group's
/// order. Many at once are cheaper than one by one.
///
/// `format`: of the points (a prova_verkle_format).
/// `out`: 32 bytes for every point, little-endian.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_hash(
    context: *const Context,
    format: u32,
    points: *const u8,
    points_len: usize,
    out: *mut u8,
    out_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let format = Format::new(format)?;
        let each = |points: &[Commitment]| {
            let scalars = Commitment::map_all_to_scalar(points);
            scalars.iter().flat_map(|s| s.to_le_bytes()).collect()
        };
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        unsafe {
            map_points(
                context,
                format,
                (points, points_len),
                (out, out_len),
                PROVA_VERKLE_SCALAR_LEN,
                each,
            )
        }
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

/// Reads points in one format and writes them in another: compresses, decompresses, or only checks.
///
/// `from`: the format of the points that are read (a prova_verkle_format).
/// `to`: the format that is written.
/// `out`: 32 bytes for every point, or 64 for the uncompressed formats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn prova_verkle_convert(
    context: *const Context,
    from: u32,
    to: u32,
    points: *const u8,
    points_len: usize,
    out: *mut u8,
    out_len: usize,
    error: *mut Error,
) -> Status {
    let body = || {
        let (from, to) = (Format::new(from)?, Format::new(to)?);
        let each = |points: &[Commitment]| points.iter().flat_map(|p| to.encode(p)).collect();
        // SAFETY: the caller keeps the header's contract of pointers and lengths.
        unsafe {
            map_points(
                context,
                from,
                (points, points_len),
                (out, out_len),
                to.point_len(),
                each,
            )
        }
    };
    // SAFETY: the caller keeps the header's contract.
    unsafe { answer(error, body) }
}

/// Decodes points, and writes as many bytes for each as `each` makes for all.
///
/// # Safety
/// The header's contract of pointers and lengths.
unsafe fn map_points(
    context: *const Context,
    format: Format,
    (points, points_len): (*const u8, usize),
    (out, out_len): (*mut u8, usize),
    unit: usize,
    each: impl FnOnce(&[Commitment]) -> Vec<u8> + Send,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let (context, points, out) = unsafe {
        (
            object("context", context)?,
            input("points", points, points_len)?,
            Output::new(out, out_len)?,
        )
    };
    let encodings: Vec<&[u8]> = items("points", points, format.point_len())?.collect();
    out.expect_len(encodings.len().saturating_mul(unit))?;
    let bytes = context.run(|_| Ok::<_, Failure>(each(&decode("point", format, &encodings)?)))?;
    out.write(&bytes)
}
