//! `prova xmss keygen`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use prova_xmss::sign::{Observer, Window};
use prova_xmss::state::KeyFile;
use prova_xmss::{Ethereum, SEED_BYTES};
use serde_json::json;
use zeroize::Zeroizing;

use crate::error::Failure;
use crate::output::{Output, Report};
use crate::progress::Watch;
use crate::resources::Threads;
use crate::signals;
use crate::text::{count, duration, fields};

use super::text::file_failure;

/// Arguments of `prova xmss keygen`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = LONG_HELP)]
pub struct KeygenArgs {
    /// Key file to write; it must not exist.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// First epoch the key can sign at.
    #[arg(long, value_name = "EPOCH", default_value_t = 0)]
    first: u32,
    /// Number of epochs.
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    epochs: u64,
    #[command(flatten)]
    threads: Threads,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova xmss keygen --out validator.key
  prova xmss keygen --out validator.key --first 100000 --epochs 65536 --threads 2";

const LONG_HELP: &str = "\
EXAMPLES
  prova xmss keygen --out validator.key
  prova xmss keygen --out validator.key --first 100000 --epochs 65536 --threads 2

THE KEY FILE
  It holds the secret seed and a journal of used epochs, and is locked while it is open. An epoch is
  marked, durably, before its signature leaves the program. Never sign with a copy or a restored
  backup: what was used since cannot be known, and two messages signed at one epoch break the key.";

impl Observer for Watch {
    fn progress(&self, done: u64, total: u64) {
        self.show(done, total, "one-time keys");
    }

    fn cancelled(&self) -> bool {
        signals::cancelled()
    }
}

/// Generates a key.
///
/// # Errors
/// Bad arguments, a file that exists or cannot be written, a signal.
pub fn run(args: &KeygenArgs, output: Output) -> Result<Report, Failure> {
    let last = u64::from(args.first) + (args.epochs - 1);
    let last = u32::try_from(last).map_err(|_| {
        Failure::malformed(format_args!(
            "--first {} --epochs {}: expected epochs below 2^32",
            args.first, args.epochs
        ))
    })?;
    let window = Window::new(args.first, last).map_err(Failure::malformed)?;
    if args.out.symlink_metadata().is_ok() {
        return Err(Failure::malformed(format_args!(
            "{} exists already; key files are never overwritten",
            args.out.display()
        )));
    }
    let mut seed = Zeroizing::new([0; SEED_BYTES]);
    getrandom::fill(&mut *seed).map_err(|error| {
        Failure::resource(format_args!("the system gives no random bytes: {error}"))
    })?;
    let start = Instant::now();
    let watch = Watch::new(output);
    let created = args
        .threads
        .install(|| KeyFile::<Ethereum>::create(&args.out, &seed, window, &watch))?;
    drop((watch, seed));
    let key = created.map_err(|error| file_failure(&error))?;
    let time = start.elapsed();

    let public = key.public_key().to_string();
    let text = fields(&[
        ("public key", public.clone()),
        ("key file", args.out.display().to_string()),
        (
            "window",
            format!(
                "epochs {first} to {last}, {}",
                count(
                    usize::try_from(args.epochs).unwrap_or(usize::MAX),
                    "signature",
                    "signatures"
                ),
                first = args.first
            ),
        ),
        ("time", duration(time)),
    ]);
    let json = json!({
        "schema": "prova.xmss.keygen/1",
        "file": args.out.display().to_string(),
        "public_key": public,
        "first": args.first,
        "last": last,
        "time_ms": time.as_secs_f64() * 1e3,
    });
    Ok(Report { text, json })
}
