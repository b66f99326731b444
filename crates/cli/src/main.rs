//! The `prova` command.
//!
//! `args` is the command tree, one module below it is one command. `output` alone writes to stdout
//! and stderr; `front` alone names the prover.

mod alloc;
mod args;
mod bench;
mod device;
mod error;
mod expect;
mod front;
mod hash;
mod infile;
mod info;
mod input;
mod inspect;
mod machine;
mod memsize;
mod outfile;
mod output;
mod params_args;
mod progress;
mod resources;
mod riscv;
mod signals;
mod text;
mod verify;
mod verkle;
mod vm;
mod whir;
mod xmss;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches};
use prova_proof_file::Exit;

use crate::args::{Cli, Command};
use crate::error::Failure;
use crate::output::{Output, Report};

fn main() -> ExitCode {
    // First of all, before code that the CPU may not have the instructions for.
    match machine::missing() {
        Some(feature) => refuse(feature),
        None => start(),
    }
}

/// Says why this CPU will not do, without formatting: that code may need what the CPU lacks.
#[cold]
#[inline(never)]
fn refuse(feature: &str) -> ExitCode {
    output::stderr_parts(&[
        "error: this program was compiled for CPUs with ",
        feature,
        ", which this CPU lacks; build it on this machine or for an older baseline",
    ]);
    ExitCode::from(Exit::Resource.code())
}

#[inline(never)]
fn start() -> ExitCode {
    let exit = match parse() {
        Ok((cli, matches)) => run(&cli, &matches),
        Err(error) => usage(&error),
    };
    ExitCode::from(exit.code())
}

/// The command line, and where each of its values came from.
fn parse() -> Result<(Cli, ArgMatches), clap::Error> {
    let mut tree = Cli::command();
    let matches = tree.try_get_matches_from_mut(std::env::args_os())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut tree))?;
    Ok((cli, matches))
}

fn run(cli: &Cli, matches: &ArgMatches) -> Exit {
    signals::install();
    let output = Output {
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    match device::args::check(matches).and_then(|()| command(&cli.command, output)) {
        Ok(report) => output.report(&report),
        Err(failure) => output.failure(&failure),
    }
}

fn command(command: &Command, output: Output) -> Result<Report, Failure> {
    match command {
        Command::Whir(command) => whir::run(command, output),
        Command::Verkle(command) => verkle::run(command, output),
        Command::Hash(command) => hash::run(command, output),
        Command::Vm(command) => vm::run(command),
        Command::Riscv(command) => riscv::run(command, output),
        Command::Xmss(command) => xmss::run(command, output),
        Command::Verify(args) => verify::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Bench(args) => bench::run(args, output),
        Command::Info => Ok(info::run(output)),
    }
}

/// Help and versions go to stdout; a wrong command line is an error like any other.
fn usage(error: &clap::Error) -> Exit {
    use clap::error::ErrorKind;
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => output::help(&text.to_string()),
        _ => {
            let json = std::env::args_os().any(|arg| arg == "--json");
            let text = text.to_string();
            let message = text.trim_end().strip_prefix("error: ").unwrap_or(&text);
            Output { json, quiet: false }.failure(&Failure::malformed(message))
        }
    }
}
