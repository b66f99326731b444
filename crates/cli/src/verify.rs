//! `prova verify`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use prova_proof_file::{
    HEADER_LEN, MAX_BODY_LEN, MAX_PARAMS_LEN, MAX_STATEMENT_LEN, ProofFile, System,
};
use prova_whir::security::Report as SecurityReport;
use prova_whir::verify::{VerifyError, read_file, verify_parts};
use prova_whir::{Params, Statement};
use serde_json::json;

use crate::error::Failure;
use crate::expect;
use crate::hash;
use crate::infile;
use crate::output::Report;
use crate::params_args::ParamArgs;
use crate::riscv;
use crate::text::{duration, fields, hex, unhex};
use crate::verkle;
use crate::vm;
use crate::whir::show;

/// Arguments of `prova verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct VerifyArgs {
    /// Proof file.
    file: PathBuf,
    /// The commitment that the proof must be about.
    #[arg(long, value_name = "HEX", value_parser = parse_digest)]
    commitment: Option<Digest>,
    /// JSON file with the statement that must be proved (see --help).
    #[arg(long, value_name = "FILE")]
    statement: Option<PathBuf>,
    /// Fewest bits of the union bound over all error terms.
    #[arg(long, value_name = "BITS", default_value_t = 80.0)]
    min_security: f64,
    /// Refuse soundness regimes that rest on a conjecture.
    #[arg(long)]
    no_conjecture: bool,
    /// Program of a lean VM proof.
    #[arg(long, value_name = "FILE")]
    bytecode: Option<PathBuf>,
    /// Verifying key of a STARK proof.
    #[arg(long, value_name = "FILE")]
    verifying_key: Option<PathBuf>,
    /// Parameters that the proof must have been made with; what is not given is not compared.
    #[command(flatten)]
    params: ParamArgs,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verify README.md.prova
  prova verify README.md.prova --commitment 5f0c…e1 --no-conjecture --min-security 95
  prova verify README.md.prova --preset johnson-100 --statement expected.json";

const LONG_HELP: &str = "\
EXAMPLES
  prova verify README.md.prova
  prova verify README.md.prova --commitment 5f0c…e1 --no-conjecture --min-security 95
  prova verify README.md.prova --preset johnson-100 --statement expected.json

WHAT IS CHECKED
  A proof is verified against the parameters and the statement in its own file. Whoever relies on
  it must say what they expect: the commitment, the statement, the parameters, the security. A
  valid proof of something else is rejected (exit code 1). The parameter options and --preset are
  expectations here, without defaults.

STATEMENT FILE (--statement)
  What `prova inspect FILE --json` prints, or its \"statement\" alone. The keys num_variables,
  columns, commitment, points and openings are compared if they are there.

EXIT CODES
  0  the proof is valid and as expected
  1  the proof was read and rejected, or is not as expected
  2  the file is malformed or of an unsupported system or version";

type Digest = [u8; 32];

fn parse_digest(text: &str) -> Result<Digest, String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

/// The longest file there can be.
const MAX_FILE_LEN: u64 =
    HEADER_LEN as u64 + MAX_PARAMS_LEN + MAX_STATEMENT_LEN + MAX_BODY_LEN + 48;

/// Reads a proof file, but no file that is too long to be one.
///
/// # Errors
/// A file that cannot be read, or is too long.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    infile::read(path, MAX_FILE_LEN, "a proof file")
}

/// Parses the container and refuses systems that this build does not know.
///
/// # Errors
/// A damaged container or another system.
pub fn parse<'a>(path: &Path, bytes: &'a [u8]) -> Result<ProofFile<'a>, Failure> {
    let file = ProofFile::parse(bytes)
        .map_err(|error| Failure::malformed(format_args!("{}: {error}", path.display())))?;
    match file.system {
        System::Whir | System::Verkle | System::LeanVm | System::HashBatch | System::Stark => {
            Ok(file)
        }
        other => Err(Failure::malformed(format_args!(
            "{}: a proof of system {other} (format version {}), which is not supported by this \
             build",
            path.display(),
            file.version
        ))),
    }
}

/// The failure of a verification.
pub fn failure(path: &Path, error: &VerifyError) -> Failure {
    let message = format!("{}: {error}", path.display());
    if error.is_rejection() {
        Failure::rejected(message)
    } else {
        Failure::malformed(message)
    }
}

/// Verifies.
///
/// # Errors
/// Exit code 1 for a proof that is not valid or not as expected, 2 for a file that cannot be read.
pub fn run(args: &VerifyArgs) -> Result<Report, Failure> {
    let bytes = read(&args.file)?;
    let file = parse(&args.file, &bytes)?;
    match file.system {
        System::Whir => {}
        System::Verkle => return verkle(args, &file),
        System::HashBatch => return hash_batch(args, &file),
        System::Stark => return stark(args, &bytes),
        _ => return lean_vm(args, &file),
    }
    no_program(args, "a WHIR proof")?;
    let expected = args.statement.as_deref().map(expect::read).transpose()?;

    let start = Instant::now();
    let failed = |error: VerifyError| failure(&args.file, &error);
    let (params, statement) = read_file(&file).map_err(failed)?;
    verify_parts(&params, &statement, file.body).map_err(failed)?;
    let time = start.elapsed();
    let security = show::security(&params, &statement).map_err(|error| failed(error.into()))?;

    check_policy(args, &params, &statement, &security)?;
    if let Some(expected) = expected {
        expected
            .check(&statement, params.extension_degree)
            .map_err(|what| refused(args, &what))?;
    }

    let degree = params.extension_degree;
    let text = fields(&[
        ("valid", args.file.display().to_string()),
        ("commitment", hex(&statement.commitment)),
        ("table", show::shape_line(statement.shape)),
        ("parameters", show::params_line(&params)),
        ("security", show::security_line(&params, &security)),
        ("openings", show::openings_line(&statement)),
        ("values", show::values_text(&statement, degree)),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.verify/1",
        "valid": true,
        "file": args.file.display().to_string(),
        "system": file.system.name(),
        "version": file.version,
        "params": show::params_json(&params),
        "statement": show::statement_json(&statement, degree),
        "security": show::security_json(&params, &security),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}

/// Refuses options that only WHIR proofs have a use for.
fn only_whir(args: &VerifyArgs, what: &str) -> Result<(), Failure> {
    let given = [
        ("--commitment", args.commitment.is_some()),
        ("--statement", args.statement.is_some()),
        ("parameter options", args.params.any()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(other_option(args, what, option)),
        None => Ok(()),
    }
}

fn other_option(args: &VerifyArgs, what: &str, option: &str) -> Failure {
    Failure::malformed(format_args!(
        "{}: {what}, with which {option} cannot be used",
        args.file.display()
    ))
}

/// Refuses a proof of fewer bits than asked for.
fn enough(args: &VerifyArgs, bits: f64) -> Result<(), Failure> {
    // What cannot be compared is below every floor.
    let order = bits.partial_cmp(&args.min_security);
    if order.is_none_or(std::cmp::Ordering::is_lt) {
        let what = format!(
            "security: expected at least {} bits over all error terms (--min-security), got {bits:.1}",
            args.min_security
        );
        return Err(refused(args, &what));
    }
    Ok(())
}

/// Verifies a Verkle proof; `prova verkle verify` has the expectations for it.
fn verkle(args: &VerifyArgs, file: &ProofFile<'_>) -> Result<Report, Failure> {
    only_whir(args, "a Verkle proof")?;
    no_program(args, "a Verkle proof")?;
    let report = verkle::verify::file(&args.file, file)?;
    enough(args, verkle::show::BITS)?;
    Ok(report)
}

/// Verifies a proof of a batch; `prova hash verify` has the expectations for it.
fn hash_batch(args: &VerifyArgs, file: &ProofFile<'_>) -> Result<Report, Failure> {
    only_whir(args, "a proof of a batch of hashes")?;
    no_program(args, "a proof of a batch of hashes")?;
    let (report, bits) = hash::verify::file(&args.file, file)?;
    enough(args, bits)?;
    Ok(report)
}

/// Refuses programs and keys, which only some systems have.
fn no_program(args: &VerifyArgs, what: &str) -> Result<(), Failure> {
    if args.bytecode.is_some() {
        return Err(other_option(args, what, "--bytecode"));
    }
    no_key(args, what)
}

fn no_key(args: &VerifyArgs, what: &str) -> Result<(), Failure> {
    match args.verifying_key {
        Some(_) => Err(other_option(args, what, riscv::stark::OPTION)),
        None => Ok(()),
    }
}

/// Verifies a STARK proof under the given key.
fn stark(args: &VerifyArgs, bytes: &[u8]) -> Result<Report, Failure> {
    only_whir(args, "a STARK proof")?;
    if args.bytecode.is_some() {
        return Err(other_option(args, "a STARK proof", "--bytecode"));
    }
    let key = args.verifying_key.as_deref();
    let (report, bits) = riscv::stark::file(&args.file, bytes, key, args.no_conjecture)?;
    enough(args, bits)?;
    Ok(report)
}

/// Verifies a lean VM proof against the given program.
fn lean_vm(args: &VerifyArgs, file: &ProofFile<'_>) -> Result<Report, Failure> {
    only_whir(args, "a lean VM proof")?;
    no_key(args, "a lean VM proof")?;
    let (report, bits) = vm::verify::file(&args.file, file, args.bytecode.as_deref())?;
    enough(args, bits)?;
    Ok(report)
}

fn refused(args: &VerifyArgs, what: &str) -> Failure {
    Failure::rejected(format_args!(
        "{}: the proof is valid, but not as expected: {what}",
        args.file.display()
    ))
}

/// Compares with what the caller relies on.
fn check_policy(
    args: &VerifyArgs,
    params: &Params,
    statement: &Statement,
    security: &SecurityReport,
) -> Result<(), Failure> {
    if let Some(expected) = args.commitment.filter(|root| *root != statement.commitment) {
        let got = hex(&statement.commitment);
        return Err(refused(
            args,
            &format!("commitment: expected {}, got {got}", hex(&expected)),
        ));
    }
    if args.no_conjecture && params.regime.is_conjecture() {
        let what = format!(
            "soundness regime: expected a proven one (--no-conjecture), got {}",
            params.regime.description()
        );
        return Err(refused(args, &what));
    }
    enough(args, security.union_bits)?;
    args.params
        .mismatch(params)
        .map_or(Ok(()), |what| Err(refused(args, &what)))
}
