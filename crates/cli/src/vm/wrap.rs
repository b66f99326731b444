//! `prova vm wrap`.

use std::path::PathBuf;

use clap::Args;
use prova_lean_vm::Proof;
use prova_lean_vm::file::{FORMAT_VERSION, params};
use prova_proof_file::{ProofFile, System};
use serde_json::json;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::Report;
use crate::text::{fields, hex, thousands};
use crate::verify::read;

use super::verify::{BareArgs, check, failure, read_program};

/// Arguments of `prova vm wrap`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct WrapArgs {
    #[command(flatten)]
    bare: BareArgs,
    /// Proof file to write [default: PROOF.prova].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite the proof file if there is one.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova vm wrap --bytecode bytecode.bin --public-input input.bin --proof proof.bin
  prova verify proof.bin.prova --bytecode bytecode.bin";

/// Verifies a bare proof and writes it as a proof file.
///
/// # Errors
/// As `prova vm verify`, or a file that cannot be written.
pub fn run(args: &WrapArgs) -> Result<Report, Failure> {
    let bare = &args.bare;
    let path = args.out.clone().unwrap_or_else(|| {
        let mut name = bare.proof.as_os_str().to_os_string();
        name.push(".prova");
        PathBuf::from(name)
    });
    let out = OutFile::create(&path, args.force)?;
    let program = read_program(&bare.bytecode)?;
    let public_input = bare.read_public_input()?;
    let bytes = read(&bare.proof)?;
    let proof = Proof::detect(&bytes).map_err(|error| failure(&bare.proof, &error.into()))?;
    check(&bare.proof, &program, &public_input, &proof)?;
    let file = ProofFile {
        system: System::LeanVm,
        version: FORMAT_VERSION,
        params: &params(proof.form(), program.seed()),
        statement: &public_input,
        body: &bytes,
    };
    let wrapped = file.to_bytes().map_err(Failure::malformed)?;
    out.finish(&wrapped)?;
    let text = fields(&[
        (
            "proof",
            format!(
                "{}, {} bytes, checked",
                path.display(),
                thousands(wrapped.len() as u64)
            ),
        ),
        ("environment", hex(program.seed())),
        ("public input", hex(&public_input)),
    ]);
    let json = json!({
        "schema": "prova.vm.wrap/1",
        "file": path.display().to_string(),
        "file_bytes": wrapped.len(),
        "environment": hex(program.seed()),
        "public_input": hex(&public_input),
    });
    Ok(Report { text, json })
}
