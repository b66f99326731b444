//! `prova xmss info`.

use std::path::PathBuf;

use clap::Args;
use prova_xmss::state::KeyInfo;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::Report;
use crate::text::{fields, thousands};

use super::text::file_failure;

/// Arguments of `prova xmss info`.
#[derive(Args, Debug)]
#[command(
    after_help = "EXAMPLES\n  prova xmss info validator.key\n  prova xmss info validator.key --json"
)]
pub struct InfoArgs {
    /// Key file.
    key: PathBuf,
}

/// Describes a key file; nothing secret is shown, nothing is locked or changed.
///
/// # Errors
/// A file that cannot be read or is no key file.
pub fn run(args: &InfoArgs) -> Result<Report, Failure> {
    let info = KeyInfo::read(&args.key).map_err(|error| file_failure(&error))?;
    const SHOWN: usize = 8;
    let range = |&(first, last): &(u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    let mut used: Vec<String> = info.used.iter().take(SHOWN).map(range).collect();
    if info.used.len() > SHOWN {
        used.push(format!("… and {} more ranges", info.used.len() - SHOWN));
    }
    let window = info.window;
    let mut lines = vec![
        ("public key", info.public_key.to_string()),
        (
            "window",
            format!(
                "epochs {} to {}, {} in all",
                window.first(),
                window.last(),
                thousands(window.count())
            ),
        ),
        (
            "used",
            if used.is_empty() {
                "none".to_string()
            } else {
                format!("{}: {}", thousands(info.used_count), used.join(", "))
            },
        ),
        (
            "next unused",
            info.next_unused
                .map_or("none".to_string(), |epoch| epoch.to_string()),
        ),
    ];
    if info.incomplete {
        lines.push((
            "note",
            "the journal ends in an incomplete record: a signer was stopped while marking an \
             epoch, and no signature left"
                .to_string(),
        ));
    }
    let ranges: Vec<Value> = info
        .used
        .iter()
        .map(|(first, last)| json!([first, last]))
        .collect();
    let json = json!({
        "schema": "prova.xmss.info/1",
        "file": args.key.display().to_string(),
        "public_key": info.public_key.to_string(),
        "layout": info.layout,
        "first": window.first(),
        "last": window.last(),
        "used": info.used_count,
        "used_ranges": ranges,
        "next_unused": info.next_unused,
        "incomplete_record": info.incomplete,
    });
    Ok(Report {
        text: fields(&lines),
        json,
    })
}
