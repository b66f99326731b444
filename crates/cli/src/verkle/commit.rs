//! `prova verkle commit`.

use clap::Args;
use prova_verkle::{Commitment, Setup};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::output::Report;
use crate::resources::Resources;
use crate::text::{count, fields, hex};

use super::input::{FORMATS, InputArgs};

/// Arguments of `prova verkle commit`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct CommitArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    resources: Resources,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova verkle commit README.md
  prova verkle commit vectors.bin --format scalars --json
  prova verkle commit vectors.json";

fn long_help() -> String {
    format!("{EXAMPLES}\n\n{FORMATS}")
}

/// Commits to every vector.
///
/// # Errors
/// A file that cannot be read or has another format, or too little memory.
pub fn run(args: &CommitArgs) -> Result<Report, Failure> {
    super::prove::check_memory(args.resources, args.input.look()?)?;
    let input = args.input.read()?;
    let commitments = args.resources.threads.install(|| {
        let setup = Setup::ethereum();
        setup.prepare();
        input.commit(&setup)
    })??;
    let scalars = Commitment::map_all_to_scalar(&commitments);

    let name = args.input.input.display().to_string();
    let mut lines = vec![(
        "input",
        format!("{name}, {}", count(commitments.len(), "vector", "vectors")),
    )];
    let list: Vec<String> = commitments.iter().map(|c| hex(c.as_bytes())).collect();
    lines.push(("commitments", list.join("\n")));
    let json: Vec<Value> = commitments
        .iter()
        .zip(&scalars)
        .map(|(commitment, scalar)| {
            json!({
                "commitment": hex(commitment.as_bytes()),
                "scalar_le": hex(&scalar.to_le_bytes()),
            })
        })
        .collect();
    Ok(Report {
        text: fields(&lines),
        json: json!({ "schema": "prova.verkle.commit/1", "file": name, "commitments": json }),
    })
}
