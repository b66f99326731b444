//! `prova bench whir`.

use prova_whir::Params;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::args::{Peer, WhirArgs};
use super::gpu::{self, Devices};
use super::grid::Cell;
use super::header::machine_header;
use super::measure::{Job, Measured, Stopped};
use super::progress::{Progress, table_head, table_line};
use super::results::{Results, SCHEMA, SkipKind, Skipped, summarise, summarise_gpu};
use super::{markdown, svg};
use crate::device;
use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};

/// Runs the benchmark.
///
/// # Errors
/// A signal, an output folder that cannot be written to, no GPU where one was asked for, proofs
/// that are wrong, or no cell run.
pub fn run(args: &WhirArgs, output: Output) -> Result<Report, Failure> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    }
    let results = measure(args, output)?;
    let json = serde_json::to_value(&results).map_err(|error| {
        Failure::resource(format_args!("cannot write the results as JSON: {error}"))
    })?;
    let text = markdown::render(&results);
    if let Some(folder) = &args.out {
        let files = [
            (
                "json",
                serde_json::to_string_pretty(&json).unwrap_or_default() + "\n",
            ),
            ("md", format!("{text}\n")),
            ("svg", svg::render(&results)),
        ];
        for (extension, content) in files {
            let path = folder.join(format!("{}.{extension}", args.file_stem()));
            OutFile::create(&path, true)?.finish(content.as_bytes())?;
        }
    }
    if !results.defects.is_empty() {
        output.note(&text);
        return Err(Failure::rejected(results.defects.join("\n")));
    }
    if results.rows.is_empty() {
        let reasons = results
            .skipped
            .iter()
            .map(|skip| format!("\n  {}: {}", skip.cell, skip.reason));
        let message = format!("no cell can be run:{}", reasons.collect::<String>());
        let infeasible = |skip: &Skipped| skip.kind == SkipKind::Infeasible;
        return Err(if results.skipped.iter().all(infeasible) {
            Failure::malformed(message)
        } else {
            Failure::resource(message)
        });
    }
    Ok(Report { text, json })
}

fn measure(args: &WhirArgs, output: Output) -> Result<Results, Failure> {
    let pools = args
        .threads()
        .into_iter()
        .map(pool)
        .collect::<Result<Vec<_>, _>>()?;
    let modes = args.modes();
    let mut devices = Devices::open(&args.gpu, &modes)?;
    let mut header = machine_header(&pools);
    header.gpu = devices.header();
    header.command = args.command();
    header.grid = args.grid_name().to_string();
    header.preset = args.preset.name.to_string();
    let mut results = Results {
        schema: SCHEMA,
        header,
        rows: Vec::new(),
        skipped: Vec::new(),
        defects: Vec::new(),
        summary: Vec::new(),
        gpu_summary: Vec::new(),
        kernels: Vec::new(),
    };
    let cells = args.cells();
    let mut jobs = Vec::new();
    for &cell in &cells {
        match Job::plan(args, cell) {
            Ok(job) => jobs.push(job),
            Err(reason) => skip(&mut results, output, cell, SkipKind::Infeasible, reason),
        }
    }
    results.header.parameters = parameters(&args.params(cells[0]));
    if cfg!(debug_assertions) {
        output.note("warning: a development build; its times say nothing, use --release");
    }
    output.note(&markdown::header(&results.header));
    output.note(&table_head());

    let mut progress = Progress::new(&jobs, &pools);
    let count = jobs.len();
    let mut measured = Vec::new();
    for (index, mut job) in jobs.into_iter().enumerate() {
        let limit = args.limit();
        if let Err(reason) = job.limit_memory(limit) {
            skip(&mut results, output, job.cell, SkipKind::Memory, reason);
            progress.skip(&job, &pools);
            continue;
        }
        let mut stock = args.against == Peer::Stock;
        if stock && let Err(reason) = job.stock_fits(limit) {
            skip(
                &mut results,
                output,
                job.cell,
                SkipKind::StockMemory,
                reason,
            );
            stock = false;
        }
        let mut reference = None;
        for pool in &pools {
            let runs = usize::from(args.runs);
            match job.measure(pool, runs, stock, devices.machines(), &mut reference) {
                Ok(Measured { row, failures }) => {
                    for (mode, error) in failures {
                        devices.failed(mode, &error);
                        let reason = format!("mode {mode}: {}", device::reason(&error));
                        skip(&mut results, output, job.cell, SkipKind::Gpu, reason);
                    }
                    let left = progress.done(&job, pool);
                    output.note(&table_line(&row, index + 1, count, left));
                    results.rows.push(row);
                }
                Err(Stopped::Failed(failure)) => return Err(failure),
                Err(Stopped::Skip(reason)) => {
                    skip(&mut results, output, job.cell, SkipKind::Prover, reason);
                }
                // Only a side on a device fails like this, and such a side is left out.
                Err(Stopped::Device(error)) => {
                    let reason = device::reason(&error);
                    skip(&mut results, output, job.cell, SkipKind::Prover, reason);
                }
                Err(Stopped::Defect(defect)) => {
                    output.note(&format!("DEFECT  {defect}"));
                    results.defects.push(defect);
                }
            }
        }
        measured.push((job, reference));
    }
    // The devices that were timed are closed first: each holds its own memory.
    drop(devices);
    if let Some(pool) = pools.last() {
        for mode in modes.iter().copied() {
            let done = |cell| {
                let mut rows = results.rows.iter().filter(|row| row.cell == cell);
                rows.any(|row| row.mode(mode.name()).is_some())
            };
            let found = gpu::profile(&args.gpu, mode, &mut measured, pool, done)?;
            results.kernels.extend(found.profiles);
            results.defects.extend(found.defects);
            for (cell, reason) in found.skipped {
                skip(&mut results, output, cell, SkipKind::Gpu, reason);
            }
        }
    }
    results.summary = summarise(&results.rows);
    let names: Vec<&str> = modes.iter().map(|mode| mode.name()).collect();
    results.gpu_summary = summarise_gpu(&results.rows, &names);
    if output.json {
        output.note(&markdown::summary(&results.summary));
    }
    Ok(results)
}

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::resource(format_args!("cannot start threads: {error}")))
}

fn skip(results: &mut Results, output: Output, cell: Cell, kind: SkipKind, reason: String) {
    let who = match kind {
        SkipKind::StockMemory => "stock skipped",
        SkipKind::Gpu => "GPU skipped",
        _ => "skipped",
    };
    output.note(&format!("{cell}  {who}: {reason}"));
    results.skipped.push(Skipped { cell, kind, reason });
}

fn parameters(params: &Params) -> String {
    format!(
        "{}^{}, {}, {} bits a term, proof-of-work at most {} bits, {}",
        params.field,
        params.extension_degree,
        params.hash,
        params.security_bits,
        params.pow_bits,
        params.regime.description()
    )
}
