//! VM proofs in words and as JSON.

use std::path::Path;
use std::time::Duration;

use prova_lean_vm::{Form, Summary};
use serde_json::{Value, json};

use crate::output::Report;
use crate::text::{duration, fields, hex, thousands};

/// An accepted proof.
pub struct Checked {
    /// What the proof was about.
    pub summary: Summary,
    /// The first two memory cells.
    pub public_input: [u8; 32],
    /// Digest of the table of instructions.
    pub program: [u8; 32],
    /// Time the verification took.
    pub time: Duration,
}

/// The form of Merkle openings, in words.
pub const fn form(form: Form) -> &'static str {
    match form {
        Form::Wire => "pruned paths",
        Form::Raw => "full paths",
    }
}

/// The report about an accepted proof.
pub fn report(path: &Path, checked: &Checked, bounds: bool) -> Report {
    let summary = &checked.summary;
    let schedule = &summary.schedule;
    let tables: Vec<String> = summary
        .sizes
        .tables()
        .map(|(table, height)| format!("{} 2^{height}", table.name()))
        .collect();
    let queries: Vec<String> = summary
        .levels
        .iter()
        .map(|level| level.queries.to_string())
        .collect();
    let mut text = fields(&[
        ("valid", path.display().to_string()),
        (
            "program",
            format!(
                "{}, 2^{} instructions",
                hex(&checked.program),
                summary.log_instructions
            ),
        ),
        ("public input", hex(&checked.public_input)),
        (
            "execution",
            format!(
                "{} rows ({}), 2^{} memory cells",
                thousands(summary.rows()),
                tables.join(", "),
                summary.sizes.log_memory
            ),
        ),
        (
            "commitment",
            format!(
                "{} words in {} of 64 lanes, log inverse rate {}, queries {}",
                thousands(summary.committed_words),
                summary.lanes,
                summary.sizes.log_inv_rate,
                queries.join(",")
            ),
        ),
        (
            "security",
            format!(
                "{:.1} bits a round, Johnson bound (proven), proof-of-work {} bits",
                schedule.security_bits(),
                schedule.target.grinding_bits
            ),
        ),
        (
            "proof",
            format!(
                "{} bytes, {} scalars, {}",
                thousands(summary.proof_bytes as u64),
                thousands(summary.scalars as u64),
                form(summary.form)
            ),
        ),
        ("time", duration(checked.time)),
    ]);
    if bounds {
        text.push_str("\n\n");
        text.push_str(schedule.to_string().trim_end());
    }
    Report {
        text,
        json: json(path, checked),
    }
}

fn json(path: &Path, checked: &Checked) -> Value {
    let summary = &checked.summary;
    let heights: serde_json::Map<String, Value> = summary
        .sizes
        .tables()
        .map(|(table, height)| (table.name().to_string(), height.into()))
        .collect();
    let levels: Vec<Value> = summary
        .schedule
        .levels
        .iter()
        .zip(&summary.levels)
        .map(|(level, opened)| {
            json!({
                "folds": level.folds,
                "log_message": level.log_message,
                "log_inv_rate": level.log_inv_rate,
                "queries": opened.queries,
                "rows": opened.rows,
                "siblings": opened.siblings,
                "query_bits": level.bounds.query_bits,
                "agreement_bits": level.bounds.agreement_bits,
                "out_of_domain_bits": level.bounds.out_of_domain_bits,
                "algebraic_bits": level.bounds.algebraic_bits,
            })
        })
        .collect();
    json!({
        "schema": "prova.verify/1",
        "valid": true,
        "file": path.display().to_string(),
        "system": "lean-vm",
        "program": hex(&checked.program),
        "public_input": hex(&checked.public_input),
        "log_instructions": summary.log_instructions,
        "rows": summary.rows(),
        "log_heights": heights,
        "log_memory": summary.sizes.log_memory,
        "committed_words": summary.committed_words,
        "lanes": summary.lanes,
        "log_inv_rate": summary.sizes.log_inv_rate,
        "root": hex(&summary.root),
        "form": form(summary.form),
        "proof_bytes": summary.proof_bytes,
        "scalars": summary.scalars,
        "security_bits": summary.schedule.security_bits(),
        "levels": levels,
        "time_ms": checked.time.as_secs_f64() * 1e3,
    })
}
