//! `prova riscv disasm`.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use prova_riscv::Program;
use prova_riscv::isa::Instruction;
use prova_riscv_profile::Image;
use serde_json::json;

use crate::error::Failure;
use crate::infile;
use crate::output::Report;

use super::program::MAX_PROGRAM;

/// Arguments of `prova riscv disasm`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct DisasmArgs {
    /// Program: a 32-bit RISC-V ELF executable.
    program: PathBuf,
    /// Only functions whose name contains this.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only from this address on (hexadecimal with 0x, or decimal).
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    from: Option<u32>,
    /// At most this many instructions.
    #[arg(long, value_name = "N")]
    count: Option<usize>,
}

const EXAMPLES: &str = "\
EXAMPLES
  prova riscv disasm guests/elf/hello.elf --function main
  prova riscv disasm program.elf --from 0x400000 --count 20";

fn address(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected an address below 2^32".into())
}

/// Lists instructions.
///
/// # Errors
/// A program that is none, or has no such function.
pub fn run(args: &DisasmArgs) -> Result<Report, Failure> {
    let elf = infile::read(&args.program, MAX_PROGRAM, "a program")?;
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::malformed(format_args!("{}: {error}", args.program.display()))
    };
    let program = Program::from_elf(&elf).map_err(|error| refuse(&error))?;
    let image = Image::new(&elf).map_err(|error| refuse(&error))?;
    let mut text = String::new();
    let mut lines = Vec::new();
    let mut last = None;
    for pc in addresses(&program).filter(|&pc| args.from.is_none_or(|from| pc >= from)) {
        let symbol = image.symbol(pc);
        let wanted = args.function.as_ref();
        if wanted.is_some_and(|name| !symbol.is_some_and(|symbol| symbol.contains(name))) {
            continue;
        }
        if args.count.is_some_and(|count| lines.len() >= count) {
            break;
        }
        let Some(word) = program.fetch(pc) else {
            continue;
        };
        if symbol != last {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{}:", symbol.unwrap_or("(no symbol)"));
            last = symbol;
        }
        let instruction = match Instruction::decode(word) {
            Ok(instruction) => instruction.disasm(pc).to_string(),
            // Constants lie between functions.
            Err(_) => ".word".to_owned(),
        };
        let _ = writeln!(text, "  {pc:08x}  {word:08x}  {instruction}");
        lines.push(json!({
            "pc": pc,
            "word": word,
            "text": instruction,
            "symbol": symbol,
        }));
    }
    if lines.is_empty() {
        return Err(refuse(&"no instruction there"));
    }
    Ok(Report {
        text: text.trim_end().to_owned(),
        json: json!({ "schema": "prova.riscv.disasm/1", "instructions": lines }),
    })
}

/// Addresses of all instructions.
fn addresses(program: &Program) -> impl Iterator<Item = u32> {
    let segments = program
        .segments()
        .iter()
        .filter(|segment| segment.executable);
    segments.flat_map(|segment| (segment.address..segment.end()).step_by(4))
}
