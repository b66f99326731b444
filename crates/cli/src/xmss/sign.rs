//! `prova xmss sign`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use prova_xmss::Ethereum;
use prova_xmss::ssz::{FixedSsz, SignedMessage};
use prova_xmss::state::KeyFile;
use serde_json::json;

use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::Report;
use crate::text::{fields, hex};
use crate::verify::read;

use super::text::{Message, file_failure, message, use_failure};

/// How a signature is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The 1,208 bytes of the signature.
    #[default]
    Binary,
    /// The same in hexadecimal digits.
    Hex,
    /// 1,276 bytes: public key, epoch, message, signature, as `verify --batch` reads them one after
    /// another.
    Signed,
}

/// Arguments of `prova xmss sign`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SignArgs {
    /// Key file.
    key: PathBuf,
    /// Epoch to sign at [default: the first unused one].
    #[arg(long, value_name = "EPOCH")]
    epoch: Option<u32>,
    /// Message: 32 bytes in hexadecimal digits.
    #[arg(long, value_name = "HEX", value_parser = message, required_unless_present = "message_file", conflicts_with = "message_file")]
    message: Option<Message>,
    /// File with the 32 bytes of the message.
    #[arg(long, value_name = "FILE")]
    message_file: Option<PathBuf>,
    /// Repeat the signature of a used epoch, for the same message only.
    #[arg(long, requires = "epoch")]
    again: bool,
    /// File to write the signature to; without it the digits are printed.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How the file is written.
    #[arg(long, value_enum, default_value_t)]
    form: Form,
    /// Overwrite the file if there is one.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova xmss sign validator.key --message 000000000000000000000000000000000000000000000000000000000000002a
  prova xmss sign validator.key --epoch 7 --message-file vote.bin --out vote.sig
  prova xmss sign validator.key --epoch 7 --message-file vote.bin --out vote.sig --again

The epoch is marked used in the key file, durably, before the signature leaves the program.";

/// Signs.
///
/// # Errors
/// A key file that cannot be used, an epoch that is used or outside the window, a file that cannot
/// be written.
pub fn run(args: &SignArgs) -> Result<Report, Failure> {
    let message = read_message(args)?;
    // Found out before the epoch is used up.
    let out = args
        .out
        .as_deref()
        .map(|path| OutFile::create(path, args.force))
        .transpose()?;
    let mut key = KeyFile::<Ethereum>::open(&args.key).map_err(|error| file_failure(&error))?;
    let epoch = match args.epoch {
        Some(epoch) => epoch,
        None => key.next_unused(key.window().first()).ok_or_else(|| {
            Failure::malformed(format_args!(
                "{}: every epoch of the window is used",
                args.key.display()
            ))
        })?,
    };
    let signature = if args.again {
        key.sign_again(epoch, &message)
    } else {
        key.sign(epoch, &message)
    }
    .map_err(|error| use_failure(&args.key, &error))?;
    let digits = signature.to_string();
    let signed = SignedMessage {
        key: *key.public_key(),
        epoch,
        message,
        signature,
    };
    if let Some(out) = out {
        let bytes = match args.form {
            Form::Binary => signed.signature.to_bytes().to_vec(),
            Form::Hex => format!("{digits}\n").into_bytes(),
            Form::Signed => signed.to_ssz().to_vec(),
        };
        out.finish(&bytes).map_err(|mut failure| {
            failure.message = format!(
                "{}; epoch {epoch} is used: --again repeats its signature",
                failure.message
            );
            failure
        })?;
    }
    let mut lines = vec![
        ("public key", signed.key.to_string()),
        ("epoch", epoch.to_string()),
        ("message", hex(&message)),
    ];
    match &args.out {
        Some(path) => lines.push(("signature", path.display().to_string())),
        None => lines.push(("signature", digits.clone())),
    }
    let json = json!({
        "schema": "prova.xmss.sign/1",
        "public_key": signed.key.to_string(),
        "epoch": epoch,
        "message": hex(&message),
        "signature": digits,
        "file": args.out.as_ref().map(|path| path.display().to_string()),
    });
    Ok(Report {
        text: fields(&lines),
        json,
    })
}

fn read_message(args: &SignArgs) -> Result<Message, Failure> {
    if let Some(message) = args.message {
        return Ok(message);
    }
    let Some(path) = &args.message_file else {
        return Err(Failure::malformed("expected --message or --message-file"));
    };
    let bytes = read(path)?;
    bytes.as_slice().try_into().map_err(|_| {
        Failure::malformed(format_args!(
            "{}: expected a message of 32 bytes, got {}",
            path.display(),
            bytes.len()
        ))
    })
}
