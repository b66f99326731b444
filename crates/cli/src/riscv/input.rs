//! `prova riscv input`.

use std::path::PathBuf;

use clap::Args;
use prova_hash::shape::node_bytes;
use prova_proof_file::System;
use prova_stark_verify::Key;
use prova_whir::verify::read_file;
use prova_whir_view::{Input, Portable, VerifyingKey};
use serde_json::json;

use crate::error::Failure;
use crate::infile;
use crate::outfile::OutFile;
use crate::output::Report;
use crate::text::{fields, hex, thousands};
use crate::verify;

use super::stark::{self, Aligned};

/// Arguments of `prova riscv input`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct InputArgs {
    /// Proof file: WHIR with Poseidon2 of width 16, or a STARK.
    proof: PathBuf,
    /// File for the guest's input.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Verifying key of a STARK proof; that of a WHIR proof is derived from its parameters.
    #[arg(long, value_name = "FILE")]
    verifying_key: Option<PathBuf>,
    /// File for the verifying key alone.
    #[arg(long, value_name = "FILE")]
    key_out: Option<PathBuf>,
    /// Overwrite files that are there.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova whir prove README.md --hash poseidon2-16
  prova riscv input README.md.prova --out input.bin
  prova riscv run guests/elf/whir-cached.elf --input input.bin
  prova riscv check input.bin

  A verifying key holds what depends only on parameters and shape. The guest commits its digest, then
  the statement: compare that digest with the one printed here for parameters of your own choice.";

/// Writes what a verifying guest reads: a verifying key, then the proof file as it is.
///
/// # Errors
/// A damaged file, a proof without a key, a file that cannot be written.
pub fn run(args: &InputArgs) -> Result<Report, Failure> {
    let out = OutFile::create(&args.out, args.force)?;
    let key_out = args
        .key_out
        .as_ref()
        .map(|path| OutFile::create(path, args.force))
        .transpose()?;
    let bytes = verify::read(&args.proof)?;
    let file = verify::parse(&args.proof, &bytes)?;
    let (input, key, digest) = match file.system {
        System::Whir => whir(args, &bytes, &file)?,
        System::Stark => stark_input(args, &bytes)?,
        other => {
            return Err(Failure::malformed(format_args!(
                "{}: a proof of system {other}, for which there is no verifying guest",
                args.proof.display()
            )));
        }
    };
    out.finish(&input)?;
    if let Some(key_out) = key_out {
        key_out.finish(&key)?;
    }
    let text = fields(&[
        (
            "input",
            format!(
                "{}, {} bytes, of them {} of key",
                args.out.display(),
                thousands(input.len() as u64),
                thousands(key.len() as u64)
            ),
        ),
        ("key digest", hex(&digest)),
    ]);
    let json = json!({
        "schema": "prova.riscv.input/1",
        "file": args.out.display().to_string(),
        "system": file.system.name(),
        "input_bytes": input.len(),
        "key_bytes": key.len(),
        "key_digest": hex(&digest),
    });
    Ok(Report { text, json })
}

type Parts = (Vec<u8>, Vec<u8>, [u8; 32]);

fn whir(
    args: &InputArgs,
    bytes: &[u8],
    file: &prova_proof_file::ProofFile<'_>,
) -> Result<Parts, Failure> {
    if args.verifying_key.is_some() {
        return Err(Failure::malformed(format_args!(
            "{}: a WHIR proof, with which {} cannot be used",
            args.proof.display(),
            stark::OPTION
        )));
    }
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::malformed(format_args!("{}: {error}", args.proof.display()))
    };
    let (params, statement) =
        read_file(file).map_err(|error| verify::failure(&args.proof, &error))?;
    let permutation = Portable::default();
    let key =
        VerifyingKey::derive(&permutation, &params, &statement).map_err(|error| refuse(&error))?;
    let digest = key.digest(&permutation).map_err(|error| refuse(&error))?;
    let input = Input {
        key: key.words(),
        file: bytes,
    };
    Ok((input.to_bytes(), key.to_bytes(), digest))
}

fn stark_input(args: &InputArgs, bytes: &[u8]) -> Result<Parts, Failure> {
    let path = args.verifying_key.as_ref().ok_or_else(|| {
        Failure::malformed(format_args!(
            "{}: a STARK proof: give its verifying key with {}",
            args.proof.display(),
            stark::OPTION
        ))
    })?;
    let key_bytes = infile::read(path, stark::MAX_KEY, "a verifying key")?;
    let aligned = Aligned::new(&key_bytes)?;
    let key = Key::parse(aligned.bytes())
        .map_err(|error| Failure::malformed(format_args!("{}: {error}", path.display())))?;
    let digest = node_bytes(&key.digest(&stark::Hash::default()));
    Ok(([&key_bytes[..], bytes].concat(), key_bytes, digest))
}
