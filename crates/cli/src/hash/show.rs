//! Batches in words and as JSON.

use prova_hash_batch::{Kind, Statement};
use prova_hash_batch_prover::observer::Stage;
use prova_lean_vm::Schedule;
use serde_json::{Value, json};

use crate::text::{count, hex, thousands};

/// Digests that are listed one by one.
const SHOWN: usize = 4;
/// Digests that JSON output lists one by one.
const LISTED: usize = 1024;

/// A stage, in words.
pub const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Setup => "setup",
        Stage::Witness => "witness",
        Stage::Commit => "commit",
        Stage::UnivariateSkip => "univariate skip",
        Stage::Zerocheck => "zerocheck",
        Stage::Lincheck => "lincheck",
        Stage::Opening => "opening",
    }
}

/// What is stated, as lines.
pub fn statement_fields(statement: &Statement) -> Vec<(&'static str, String)> {
    match statement.kind() {
        Kind::Digests(digests) => {
            let mut list: Vec<String> = digests.iter().take(SHOWN).map(|d| hex(d)).collect();
            if digests.len() > SHOWN {
                list.push(format!("… and {} more", digests.len() - SHOWN));
            }
            vec![
                (
                    "statement",
                    format!(
                        "these are the digests of {}",
                        count(digests.len(), "block of 64 bytes", "blocks of 64 bytes")
                    ),
                ),
                ("digests", list.join("\n")),
            ]
        }
        Kind::MerkleRoot { root, log_leaves } => vec![
            (
                "statement",
                format!(
                    "the digests of 2^{log_leaves} blocks of 64 bytes are the leaves of a tree"
                ),
            ),
            ("root", hex(root)),
        ],
        Kind::Chain { start, end, steps } => vec![
            (
                "statement",
                format!("{} hashes lead from start to end", thousands(*steps)),
            ),
            ("start", hex(start)),
            ("end", hex(end)),
        ],
    }
}

/// What is stated, for programs; a long list is cut.
pub fn statement_json(statement: &Statement) -> Value {
    match statement.kind() {
        Kind::Digests(digests) => {
            let list: Vec<String> = digests.iter().take(LISTED).map(|d| hex(d)).collect();
            json!({ "kind": "digests", "count": digests.len(), "listed": list.len(), "digests": list })
        }
        Kind::MerkleRoot { root, log_leaves } => {
            json!({ "kind": "merkle", "log_leaves": log_leaves, "root": hex(root) })
        }
        Kind::Chain { start, end, steps } => {
            json!({ "kind": "chain", "steps": steps, "start": hex(start), "end": hex(end) })
        }
    }
}

/// The security, in words.
pub fn security_line(schedule: &Schedule) -> String {
    format!(
        "{:.1} bits a round, Johnson bound (proven), proof-of-work at most {} bits",
        schedule.security_bits(),
        schedule.target.grinding_bits
    )
}

/// The security, for programs.
pub fn security_json(schedule: &Schedule) -> Value {
    json!({
        "bits": schedule.security_bits(),
        "regime": "johnson",
        "conjecture": false,
        "pow_bits": schedule.target.grinding_bits,
    })
}
