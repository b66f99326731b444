//! Verkle statements in words and as JSON.

use prova_verkle::file::Statement;
use serde_json::{Value, json};

use crate::text::{count, hex};

/// Openings that JSON output lists one by one.
const LISTED: usize = 1024;

/// Bits of security against an attack that is not on a quantum computer: the best one known on
/// discrete logarithms in a group of prime order r, Pollard's rho with the negation map, takes
/// about √(π·r/4) = 2^126.3 group operations.
pub const BITS: f64 = 126.0;

/// What the security rests on.
pub const SECURITY: &str = "126 bits against discrete logarithms in Banderwagon (proven from them \
                            in the random oracle model), none against quantum computers";

/// The security for programs.
pub fn security_json() -> Value {
    json!({
        "bits": BITS,
        "assumptions": ["discrete logarithm in Banderwagon", "SHA-256 as a random oracle"],
        "post_quantum": false,
    })
}

/// Number of openings and of distinct commitments.
pub fn openings_line(statement: &Statement) -> String {
    format!(
        "{} of {}",
        count(statement.records.len(), "opening", "openings"),
        count(
            distinct(statement),
            "distinct commitment",
            "distinct commitments"
        )
    )
}

/// A label, or its bytes where they are not printable.
pub fn label(label: &[u8]) -> String {
    match std::str::from_utf8(label) {
        Ok(text) if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) => text.to_string(),
        _ => format!("0x{}", hex(label)),
    }
}

/// The first openings, one a line.
pub fn records_text(statement: &Statement) -> String {
    const SHOWN: usize = 4;
    let mut lines: Vec<String> = statement
        .records
        .iter()
        .take(SHOWN)
        .map(|record| {
            format!(
                "{} at {}: {}",
                hex(&record.commitment),
                record.point,
                hex(record.value.as_bytes())
            )
        })
        .collect();
    if statement.records.len() > SHOWN {
        lines.push(format!("… and {} more", statement.records.len() - SHOWN));
    }
    lines.join("\n")
}

/// The statement for programs; a long list of openings is cut.
pub fn statement_json(statement: &Statement) -> Value {
    let records: Vec<Value> = statement
        .records
        .iter()
        .take(LISTED)
        .map(|record| {
            json!({
                "commitment": hex(&record.commitment),
                "point": record.point,
                "value": hex(record.value.as_bytes()),
            })
        })
        .collect();
    json!({
        "label": label(&statement.label),
        "openings": statement.records.len(),
        "distinct_commitments": distinct(statement),
        "listed": records.len(),
        "records": records,
    })
}

fn distinct(statement: &Statement) -> usize {
    let all: std::collections::HashSet<&[u8; 32]> = statement
        .records
        .iter()
        .map(|record| &record.commitment)
        .collect();
    all.len()
}
