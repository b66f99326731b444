//! `prova bench whir`.

use prova_whir::Params;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::args::{Peer, WhirArgs};
use super::grid::Cell;
use super::header::machine_header;
use super::measure::{Job, Stopped};
use super::progress::{Progress, table_head, table_line};
use super::results::{Results, SCHEMA, SkipKind, Skipped, summarise};
use super::{markdown, svg};
use crate::error::Failure;
use crate::outfile::OutFile;
use crate::output::{Output, Report};

/// Runs the benchmark.
///
/// # Errors
/// A signal, an output folder that cannot be written to, proofs that are wrong, or no cell run.
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
    let mut header = machine_header(&pools);
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
            match job.measure(pool, usize::from(args.runs), stock, &mut reference) {
                Ok(row) => {
                    let left = progress.done(&job, pool);
                    output.note(&table_line(&row, index + 1, count, left));
                    results.rows.push(row);
                }
                Err(Stopped::Failed(failure)) => return Err(failure),
                Err(Stopped::Skip(reason)) => {
                    skip(&mut results, output, job.cell, SkipKind::Prover, reason);
                }
                Err(Stopped::Defect(defect)) => {
                    output.note(&format!("DEFECT  {defect}"));
                    results.defects.push(defect);
                }
            }
        }
    }
    results.summary = summarise(&results.rows);
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
    let who = if kind == SkipKind::StockMemory {
        "stock skipped"
    } else {
        "skipped"
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
