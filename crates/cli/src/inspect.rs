//! `prova inspect`.

use std::path::{Path, PathBuf};

use clap::Args;
use prova_proof_file::{HEADER_LEN, ProofFile, Section, System};
use prova_verkle::file::Statement;
use prova_whir::verify::{VerifyError, check_statement, read_file};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::hash;
use crate::output::Report;
use crate::riscv;
use crate::text::{fields, hex, table, thousands};
use crate::verify;
use crate::verkle;
use crate::vm;
use crate::whir::show;

/// Arguments of `prova inspect`.
#[derive(Args, Debug)]
#[command(
    after_help = "EXAMPLES\n  prova inspect README.md.prova\n  prova inspect README.md.prova --json"
)]
pub struct InspectArgs {
    /// Proof file.
    file: PathBuf,
}

/// Describes a proof file; the proof itself is not verified.
///
/// # Errors
/// A file that cannot be read, or of an unsupported system or version.
pub fn run(args: &InspectArgs) -> Result<Report, Failure> {
    let bytes = verify::read(&args.file)?;
    let file = verify::parse(&args.file, &bytes)?;
    match file.system {
        System::Whir => {}
        System::Verkle => return verkle(&args.file, &file, bytes.len() as u64),
        _ => return described(&args.file, &file, bytes.len() as u64),
    }
    let failed = |error: VerifyError| verify::failure(&args.file, &error);
    let (params, statement) = read_file(&file).map_err(failed)?;
    check_statement(&params, &statement).map_err(|error| failed(error.into()))?;
    let security = show::security(&params, &statement).map_err(|error| failed(error.into()))?;
    let degree = params.extension_degree;

    let head = fields(&[
        (
            "file",
            format!(
                "{}, {} bytes",
                args.file.display(),
                thousands(bytes.len() as u64)
            ),
        ),
        (
            "system",
            format!("{}, format version {}", file.system, file.version),
        ),
        ("commitment", hex(&statement.commitment)),
        ("table", show::shape_line(statement.shape)),
        ("parameters", show::params_line(&params)),
        ("security", show::security_line(&params, &security)),
        ("openings", show::openings_line(&statement)),
        ("values", show::values_text(&statement, degree)),
        ("verified", "no; that is for `prova verify`".to_string()),
    ]);
    let text = format!(
        "{head}\n\n{}\n\n{}",
        sections_text(&file),
        show::security_table(&security)
    );
    let json = json!({
        "schema": "prova.inspect/1",
        "file": args.file.display().to_string(),
        "file_bytes": bytes.len(),
        "system": file.system.name(),
        "version": file.version,
        "sections": sections_json(&file),
        "params": show::params_json(&params),
        "statement": show::statement_json(&statement, degree),
        "security": show::security_json(&params, &security),
    });
    Ok(Report { text, json })
}

/// Describes a Verkle proof.
fn verkle(path: &Path, file: &ProofFile<'_>, bytes: u64) -> Result<Report, Failure> {
    let statement = Statement::read(file).map_err(|error| verkle::verify::failure(path, &error))?;
    let head = fields(&[
        (
            "file",
            format!("{}, {} bytes", path.display(), thousands(bytes)),
        ),
        (
            "system",
            format!("{}, format version {}", file.system, file.version),
        ),
        ("openings", verkle::show::openings_line(&statement)),
        ("label", verkle::show::label(&statement.label)),
        ("values", verkle::show::records_text(&statement)),
        ("security", verkle::show::SECURITY.to_string()),
        ("verified", "no; that is for `prova verify`".to_string()),
    ]);
    let json = json!({
        "schema": "prova.inspect/1",
        "file": path.display().to_string(),
        "file_bytes": bytes,
        "system": file.system.name(),
        "version": file.version,
        "sections": sections_json(file),
        "statement": verkle::show::statement_json(&statement),
        "security": verkle::show::security_json(),
    });
    let text = format!("{head}\n\n{}", sections_text(file));
    Ok(Report { text, json })
}

/// Describes a proof of the lean VM, of a batch of hashes or of a STARK.
fn described(path: &Path, file: &ProofFile<'_>, bytes: u64) -> Result<Report, Failure> {
    let (held, held_json) = match file.system {
        System::HashBatch => hash::verify::describe(path, file)?,
        System::Stark => riscv::stark::describe(file),
        _ => vm::verify::describe(path, file)?,
    };
    let head = fields(&[
        (
            "file",
            format!("{}, {} bytes", path.display(), thousands(bytes)),
        ),
        (
            "system",
            format!("{}, format version {}", file.system, file.version),
        ),
        ("verified", "no; that is for `prova verify`".to_string()),
    ]);
    let json = json!({
        "schema": "prova.inspect/1",
        "file": path.display().to_string(),
        "file_bytes": bytes,
        "system": file.system.name(),
        "version": file.version,
        "sections": sections_json(file),
        "statement": held_json,
    });
    let text = format!("{head}\n{held}\n\n{}", sections_text(file));
    Ok(Report { text, json })
}

fn sections_text(file: &ProofFile<'_>) -> String {
    let rows: Vec<Vec<String>> = sections(file)
        .iter()
        .map(|(name, offset, length)| {
            vec![(*name).to_string(), thousands(*offset), thousands(*length)]
        })
        .collect();
    table(&["section", "offset", "bytes"], &rows)
}

fn sections_json(file: &ProofFile<'_>) -> Vec<Value> {
    sections(file)
        .iter()
        .map(|(name, offset, bytes)| json!({ "name": name, "offset": offset, "bytes": bytes }))
        .collect()
}

/// Name, offset and length of the header and of each section.
fn sections(file: &ProofFile<'_>) -> Vec<(&'static str, u64, u64)> {
    let mut out = vec![("header", 0, HEADER_LEN as u64)];
    let mut offset = HEADER_LEN as u64;
    for (section, bytes) in [
        (Section::Params, file.params),
        (Section::Statement, file.statement),
        (Section::Body, file.body),
    ] {
        out.push((section.name(), offset, bytes.len() as u64));
        offset += (bytes.len() as u64).next_multiple_of(prova_proof_file::ALIGNMENT as u64);
    }
    out
}
