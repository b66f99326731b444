//! `prova vm verify`, and what `prova verify` and `prova inspect` do with VM proofs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use prova_lean_vm::file::VmFile;
use prova_lean_vm::{Program, Proof, Summary, VerifyError, verify as verify_proof};
use prova_proof_file::{Exit, ProofFile};

use crate::error::Failure;
use crate::output::Report;
use crate::text::{fields, hex, thousands};
use crate::verify;

use super::show::{self, Checked};

/// A bare proof and what it is about.
#[derive(Args, Debug)]
pub struct BareArgs {
    /// The program: 16 columns of 2^k little-endian 64-bit words, one column an instruction slot.
    #[arg(long, value_name = "FILE")]
    pub bytecode: PathBuf,
    /// The first two memory cells: 32 bytes.
    #[arg(long, value_name = "FILE")]
    pub public_input: PathBuf,
    /// The proof, with pruned or with full Merkle paths.
    #[arg(long, value_name = "FILE")]
    pub proof: PathBuf,
}

/// Arguments of `prova vm verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    #[command(flatten)]
    bare: BareArgs,
    /// Print every error bound of the opening.
    #[arg(long)]
    bounds: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova vm verify --bytecode bytecode.bin --public-input input.bin --proof proof.bin
  prova vm verify --bytecode bytecode.bin --public-input input.bin --proof proof.bin --bounds

EXIT CODES
  0  the proof is valid for this program and input
  1  the proof was read and rejected
  2  a file is malformed";

/// The longest table of instructions that is read: 2^21 instructions.
const MAX_BYTECODE: u64 = 128 << 21;

/// Reads a table of instructions.
///
/// # Errors
/// A file that cannot be read, is too long, or no table.
pub fn read_program(path: &Path) -> Result<Program, Failure> {
    use std::io::Read;
    let failed = |error| Failure::io("read", path, &error);
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut table = Vec::new();
    file.take(MAX_BYTECODE + 1)
        .read_to_end(&mut table)
        .map_err(failed)?;
    if table.len() as u64 > MAX_BYTECODE {
        return Err(Failure::malformed(format_args!(
            "{}: expected at most {MAX_BYTECODE} bytes of bytecode",
            path.display()
        )));
    }
    Program::new(&table)
        .map_err(|error| Failure::malformed(format_args!("{}: {error}", path.display())))
}

impl BareArgs {
    /// Reads the public input.
    ///
    /// # Errors
    /// A file that cannot be read or has another length.
    pub fn read_public_input(&self) -> Result<[u8; 32], Failure> {
        let path = &self.public_input;
        let bytes = verify::read(path)?;
        bytes.as_slice().try_into().map_err(|_| {
            Failure::malformed(format_args!(
                "{}: expected 32 bytes of public input, got {}",
                path.display(),
                bytes.len()
            ))
        })
    }
}

/// The failure of a verification.
pub fn failure(path: &Path, error: &VerifyError) -> Failure {
    let message = format!("{}: {error}", path.display());
    match error.exit() {
        Exit::Rejected => Failure::rejected(message),
        _ => Failure::malformed(message),
    }
}

/// Verifies and takes the time.
///
/// # Errors
/// As [`run`].
pub fn check(
    path: &Path,
    program: &Program,
    public_input: &[u8; 32],
    proof: &Proof<'_>,
) -> Result<Checked, Failure> {
    let start = Instant::now();
    let summary: Summary =
        verify_proof(program, public_input, proof).map_err(|error| failure(path, &error))?;
    Ok(Checked {
        summary,
        public_input: *public_input,
        program: *program.digest(),
        time: start.elapsed(),
    })
}

/// Verifies a bare proof.
///
/// # Errors
/// Exit code 1 for a proof that is not valid, 2 for malformed input.
pub fn run(args: &VerifyArgs) -> Result<Report, Failure> {
    let bare = &args.bare;
    let program = read_program(&bare.bytecode)?;
    let public_input = bare.read_public_input()?;
    let bytes = verify::read(&bare.proof)?;
    let proof = Proof::detect(&bytes).map_err(|error| failure(&bare.proof, &error.into()))?;
    let checked = check(&bare.proof, &program, &public_input, &proof)?;
    Ok(show::report(&bare.proof, &checked, args.bounds))
}

/// Verifies a proof file against a program, and says how many bits its weakest round has.
///
/// # Errors
/// As [`run`]; also a proof of another program, and no program.
pub fn file(
    path: &Path,
    file: &ProofFile<'_>,
    bytecode: Option<&Path>,
) -> Result<(Report, f64), Failure> {
    let held = VmFile::read(file).map_err(|error| failure(path, &error))?;
    let bytecode = bytecode.ok_or_else(|| {
        Failure::malformed(format_args!(
            "{}: a proof of the lean VM says nothing without its program: see --bytecode",
            path.display()
        ))
    })?;
    let program = read_program(bytecode)?;
    if held.seed != *program.seed() {
        return Err(Failure::rejected(format_args!(
            "{}: a proof of another program: expected environment {}, got {}",
            path.display(),
            hex(program.seed()),
            hex(&held.seed)
        )));
    }
    let checked = check(path, &program, &held.public_input, &held.proof)?;
    let bits = checked.summary.schedule.security_bits();
    Ok((show::report(path, &checked, false), bits))
}

/// Lines about a proof file that is not verified.
///
/// # Errors
/// Damaged sections.
pub fn describe(path: &Path, file: &ProofFile<'_>) -> Result<(String, serde_json::Value), Failure> {
    let held = VmFile::read(file).map_err(|error| failure(path, &error))?;
    let text = fields(&[
        ("environment", hex(&held.seed)),
        ("public input", hex(&held.public_input)),
        (
            "proof",
            format!(
                "{} bytes, {} scalars, {}",
                thousands(held.proof.byte_len() as u64),
                thousands(held.proof.scalar_count() as u64),
                show::form(held.proof.form())
            ),
        ),
    ]);
    let json = serde_json::json!({
        "environment": hex(&held.seed),
        "public_input": hex(&held.public_input),
        "form": show::form(held.proof.form()),
        "proof_bytes": held.proof.byte_len(),
        "scalars": held.proof.scalar_count(),
    });
    Ok((text, json))
}
