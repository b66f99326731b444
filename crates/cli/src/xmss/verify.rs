//! `prova xmss verify`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use prova_xmss::batch::{Signed, verify_batch};
use prova_xmss::ssz::{FixedSsz, SignedMessage, list};
use prova_xmss::{PublicKey, SIGNATURE_BYTES, Signature};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::Report;
use crate::resources::Threads;
use crate::text::{count, duration, fields, hex};
use crate::verify::read;

use super::text::{Message, message};

/// Arguments of `prova xmss verify`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Public key, 32 bytes in hexadecimal digits.
    #[arg(long, value_name = "HEX", required_unless_present = "batch")]
    key: Option<PublicKey>,
    /// Epoch of the signature.
    #[arg(long, value_name = "EPOCH", required_unless_present = "batch")]
    epoch: Option<u32>,
    /// Message: 32 bytes in hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = message, required_unless_present = "batch")]
    message: Option<Message>,
    /// File with the signature, 1,208 bytes or their hexadecimal digits.
    #[arg(long, value_name = "FILE", required_unless_present = "batch")]
    signature: Option<PathBuf>,
    /// File of many: public key, epoch, message, signature (1,276 bytes each, one after another).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "epoch", "message", "signature"])]
    batch: Option<PathBuf>,
    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova xmss verify --key 0x1f…90 --epoch 7 --message 00…2a --signature vote.sig
  prova xmss verify --batch votes.bin --json

EXIT CODES
  0  every signature is valid
  1  one is not; the message, and --json, name each bad one by its position
  2  malformed input";

/// Verifies.
///
/// # Errors
/// Exit code 1 for signatures that are not valid, 2 for malformed input.
pub fn run(args: &VerifyArgs) -> Result<Report, Failure> {
    match (
        &args.batch,
        &args.key,
        args.epoch,
        &args.message,
        &args.signature,
    ) {
        (Some(path), ..) => many(args, path),
        (None, Some(key), Some(epoch), Some(message), Some(path)) => one(key, epoch, message, path),
        _ => Err(Failure::malformed(
            "expected --key, --epoch, --message and --signature, or --batch",
        )),
    }
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::malformed(format_args!("{}: {what}", path.display()))
}

/// A signature from a file, binary or hexadecimal.
fn read_signature(path: &Path) -> Result<Signature, Failure> {
    let bytes = read(path)?;
    if bytes.len() == SIGNATURE_BYTES {
        return Signature::from_bytes(&bytes).map_err(|error| wrong(path, error));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        let what = format_args!(
            "expected {SIGNATURE_BYTES} bytes or their digits, got {} bytes",
            bytes.len()
        );
        wrong(path, what)
    })?;
    text.trim().parse().map_err(|error| wrong(path, error))
}

fn one(key: &PublicKey, epoch: u32, message: &Message, path: &Path) -> Result<Report, Failure> {
    let signature = read_signature(path)?;
    let start = Instant::now();
    key.verify(epoch, message, &signature)
        .map_err(|error| Failure::rejected(format_args!("{}: {error}", path.display())))?;
    let time = start.elapsed();
    let text = fields(&[
        ("valid", path.display().to_string()),
        ("public key", key.to_string()),
        ("epoch", epoch.to_string()),
        ("message", hex(message)),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.xmss.verify/1",
        "valid": true,
        "signatures": 1,
        "bad": [],
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}

fn many(args: &VerifyArgs, path: &Path) -> Result<Report, Failure> {
    let bytes = read(path)?;
    let items = list::<SignedMessage>(&bytes)
        .and_then(|items| items.collect::<Result<Vec<_>, _>>())
        .map_err(|error| wrong(path, error))?;
    if items.is_empty() {
        let what = format_args!(
            "expected signatures of {} bytes, got none",
            SignedMessage::SSZ_BYTES
        );
        return Err(wrong(path, what));
    }
    let signed: Vec<Signed<'_>> = items.iter().map(SignedMessage::as_signed).collect();
    let start = Instant::now();
    let verdict = args.threads.install(|| verify_batch(&signed))?;
    let time = start.elapsed();
    if let Err(error) = verdict {
        const LISTED: usize = 16;
        let mut list: Vec<String> = error
            .bad
            .iter()
            .take(LISTED)
            .map(ToString::to_string)
            .collect();
        if error.bad.len() > LISTED {
            list.push(format!("and {} more", error.bad.len() - LISTED));
        }
        let bad = error.bad.iter().map(|bad| bad.index);
        return Err(Failure::rejected(format_args!(
            "{}: {} of {} signatures are not valid:\n  {}",
            path.display(),
            error.bad.len(),
            error.total,
            list.join("\n  ")
        ))
        .with_detail("bad", bad.collect::<Vec<usize>>().into()));
    }
    let text = fields(&[
        ("valid", path.display().to_string()),
        ("signatures", count(items.len(), "signature", "signatures")),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.xmss.verify/1",
        "valid": true,
        "signatures": items.len(),
        "bad": Value::Array(Vec::new()),
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}
