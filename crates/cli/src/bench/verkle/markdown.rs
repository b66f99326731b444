//! The results as Markdown.

use std::fmt::Write;

use super::{Header, Results, Row, Timing};
use crate::bench::stats::Spread;
use crate::memsize::MemSize;

/// The whole document; ends without a line break.
pub fn render(results: &Results) -> String {
    let mut out = format!("# Verkle multiproofs\n\n{}\n\n", header(&results.header));
    out.push_str(
        "| openings | threads | kernels | yardstick ms | prove ms (CPU) | / yardstick \
         | verify ms (CPU) | / yardstick | from bytes ms (CPU) | / yardstick \
         | allocations, prove / verify | peak MiB, prove / verify |\n",
    );
    out.push_str("|--:|--:|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for row in &results.rows {
        let _ = writeln!(out, "{}", line(row));
    }
    out.push_str(
        "\nMedians; times of operations are wall (CPU, all threads). The yardstick is CPU time of \
         one thread; ratios are CPU time over the yardstick's. Every proof is verified, and its \
         bytes are the same for all threads and kernels. Bytes and allocations are those over the \
         borrowed polynomials, points and queries.\n\n## Batches\n\n\
         | proofs | openings each | threads | kernels | one by one ms (CPU) | batch ms (CPU) |\n\
         |--:|--:|--:|:--|--:|--:|\n",
    );
    for batch in &results.batches {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            batch.proofs,
            batch.openings,
            batch.threads,
            batch.arm,
            times(&batch.one_by_one),
            times(&batch.together)
        );
    }
    out.truncate(out.trim_end().len());
    out
}

/// Where, when and how, as a list.
pub fn header(header: &Header) -> String {
    let memory = header
        .memory_bytes
        .map_or("unknown".to_string(), |b| MemSize(b).to_string());
    let mut lines = vec![
        format!(
            "* machine: {}, {} cores, {memory}",
            header.cpu, header.cores
        ),
        format!("* compiled for: {}; prova {}", header.simd, header.version),
        format!("* yardstick: {}", header.yardstick),
        format!("* date: {}", header.date),
        format!("* command: `{}`", header.command),
    ];
    for setup in &header.setup {
        lines.push(format!(
            "* start-up, {}, threads: {}: {:.0} ms, tables {}",
            setup.arm,
            setup.threads,
            setup.ms.median,
            MemSize(setup.table_bytes as u64)
        ));
    }
    lines.join("\n")
}

/// One row of the table.
pub fn line(row: &Row) -> String {
    let ratio = |timing: &Timing| format!("{:.2}", timing.cpu_ms.median / row.yardstick_ms.median);
    let dash = || "–".to_string();
    let bytes = row.verify_bytes.as_ref();
    let cells = [
        row.openings.to_string(),
        row.threads.to_string(),
        row.arm.to_string(),
        spread(row.yardstick_ms),
        times(&row.prove),
        ratio(&row.prove),
        times(&row.verify),
        ratio(&row.verify),
        bytes.map_or_else(dash, times),
        bytes.map_or_else(dash, ratio),
        format!("{} / {}", row.prove.allocations, row.verify.allocations),
        format!("{:.1} / {:.1}", mib(&row.prove), mib(&row.verify)),
    ];
    format!("| {} |", cells.join(" | "))
}

fn times(timing: &Timing) -> String {
    format!("{:.1} ({:.1})", timing.wall_ms.median, timing.cpu_ms.median)
}

fn spread(spread: Spread) -> String {
    format!("{:.1} ({:.1}–{:.1})", spread.median, spread.min, spread.max)
}

fn mib(timing: &Timing) -> f64 {
    timing.peak_bytes as f64 / f64::from(1 << 20)
}
