//! `prova riscv check`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use prova_hash::shape::node_bytes;
use prova_riscv_abi::MAX_INPUT;
use prova_stark_verify::{Fibonacci, KEY_TAG, Key, NoSteps, verify};
use prova_whir_view::{Portable, Unobserved, verify_input};
use serde_json::json;

use crate::error::Failure;
use crate::infile;
use crate::output::Report;
use crate::text::{duration, fields, hex, unhex};

use super::stark::{self, Aligned};

/// Arguments of `prova riscv check`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    /// Input that `prova riscv input` wrote.
    input: PathBuf,
    /// Digest that the verifying key must have.
    #[arg(long, value_name = "HEX", value_parser = digest)]
    key_digest: Option<[u8; 32]>,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv check input.bin
  prova riscv check input.bin --key-digest 5f0c…e1

EXIT CODES
  0  the proof is valid under the input's key, and that has the digest asked for
  1  the proof was read and rejected, or the key is another
  2  the input is malformed";

fn digest(text: &str) -> Result<[u8; 32], String> {
    unhex(text).ok_or_else(|| "expected 64 hexadecimal digits".to_string())
}

/// Does natively what a verifying guest does, with the same code: reads an input in place and
/// verifies it.
///
/// # Errors
/// A malformed input, a wrong proof, another key.
pub fn run(args: &CheckArgs) -> Result<Report, Failure> {
    let bytes = infile::read(&args.input, u64::from(MAX_INPUT), "a guest's input")?;
    let aligned = Aligned::new(&bytes)?;
    let input = aligned.bytes();
    let start = Instant::now();
    let (system, key_digest, output) = if input.starts_with(&KEY_TAG) {
        let failed = |error| stark::failure(&args.input, &error);
        let (key, proof) = Key::parse_prefix(input)
            .map_err(prova_proof_file::Failure::Malformed)
            .map_err(failed)?;
        let verified = verify::<_, _, NoSteps>(&Fibonacci, &stark::Hash::default(), &key, proof)
            .map_err(failed)?;
        ("stark", node_bytes(&verified.key_digest), verified.output())
    } else {
        let verified =
            verify_input(&Portable::default(), input, &mut Unobserved).map_err(|error| {
                let message = format!("{}: {error}", args.input.display());
                if error.is_rejection() {
                    Failure::rejected(message)
                } else {
                    Failure::malformed(message)
                }
            })?;
        ("whir", verified.key_digest, verified.output())
    };
    let time = start.elapsed();
    if let Some(expected) = args.key_digest
        && expected != key_digest
    {
        return Err(Failure::rejected(format_args!(
            "{}: the proof is valid under its key, but that has digest {}, expected {}",
            args.input.display(),
            hex(&key_digest),
            hex(&expected)
        )));
    }
    let text = fields(&[
        ("valid", args.input.display().to_string()),
        ("system", system.to_owned()),
        ("key digest", hex(&key_digest)),
        ("output", hex(&output)),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.riscv.check/1",
        "valid": true,
        "system": system,
        "key_digest": hex(&key_digest),
        "output": hex(&output),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}
