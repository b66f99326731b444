//! The results as Markdown.

use std::fmt::Write;

use super::gpu::KernelProfile;
use super::header::Header;
use super::results::{GpuSummary, Results, Row, Side, SkipKind, Summary};
use super::stats::Spread;
use crate::device::work;
use crate::memsize::MemSize;

/// The whole document; ends without a line break.
pub fn render(results: &Results) -> String {
    let mut out = format!(
        "# WHIR, grid {}, preset {}\n\n{}\n",
        results.header.grid,
        results.header.preset,
        header(&results.header)
    );
    if !results.rows.is_empty() {
        let modes = results.header.gpu.as_ref();
        let modes: Vec<&str> = modes.map_or(Vec::new(), |gpu| gpu.modes());
        let _ = write!(out, "\n{}\n", table(&results.rows, &modes));
    }
    if !results.summary.is_empty() {
        let _ = write!(out, "\n## Summary\n\n{}\n", summary(&results.summary));
    }
    if !results.gpu_summary.is_empty() {
        let summary = gpu_summary(&results.gpu_summary);
        let _ = write!(out, "\n## Summary of the GPU\n\n{summary}\n");
    }
    if !results.kernels.is_empty() {
        let _ = write!(out, "\n## Kernels\n\n{}\n", kernels(&results.kernels));
    }
    if !results.skipped.is_empty() {
        out.push_str("\n## Not run\n\n");
        for skip in &results.skipped {
            let who = match skip.kind {
                SkipKind::StockMemory => " (stock only)",
                SkipKind::Gpu => " (GPU only)",
                _ => "",
            };
            let _ = writeln!(out, "* {}{who}: {}", skip.cell, skip.reason);
        }
    }
    if !results.defects.is_empty() {
        out.push_str("\n## DEFECTS\n\n");
        for defect in &results.defects {
            let _ = writeln!(out, "* {defect}");
        }
    }
    out.trim_end().to_string()
}

/// Where, when and how, as a list.
pub fn header(header: &Header) -> String {
    let memory = header
        .memory_bytes
        .map_or("unknown".to_string(), |b| MemSize(b).to_string());
    let features = header.target_features.join(" ");
    let mut lines = vec![
        format!(
            "* machine: {}, {} cores, {memory}, {}",
            header.cpu, header.cores, header.target
        ),
        format!("* compiled for: {} ({features})", header.simd),
        format!("* prova {}, against {}", header.version, header.stock),
        format!("* parameters: {}", header.parameters),
        format!("* date: {}", header.date),
        format!("* command: `{}`", header.command),
    ];
    for yardstick in &header.yardstick {
        lines.push(format!(
            "* yardstick, {}: Plonky3's packed Poseidon2-16 does {:.2} M permutations/s over \
             BabyBear, {:.2} M/s over KoalaBear",
            threads(yardstick.threads),
            yardstick.babybear_per_second / 1e6,
            yardstick.koalabear_per_second / 1e6
        ));
    }
    if let Some(gpu) = &header.gpu {
        lines.push(format!("* GPU: {}", gpu.line()));
    }
    lines.join("\n")
}

fn threads(count: usize) -> String {
    if count == 1 {
        "1 thread".to_string()
    } else {
        format!("{count} threads")
    }
}

const COLUMNS: [&str; 16] = [
    "n",
    "fold",
    "rate",
    "threads",
    "bits",
    "stock ms (min–max)",
    "Prova ms (min–max)",
    "ratio",
    "stock commit + open ms",
    "Prova commit + open ms",
    "grinding ms, stock / Prova",
    "expected grinding calls",
    "peak MiB, stock / Prova",
    "memory ratio",
    "proof KiB, stock / Prova",
    "verify ms, stock / Prova",
];

/// The columns of one GPU mode.
fn mode_columns(mode: &str) -> [String; 4] {
    [
        format!("GPU {mode} ms (min–max)"),
        format!("CPU / GPU {mode}"),
        format!("GPU {mode} commit + open ms"),
        format!("GPU {mode} peak MiB, device / host"),
    ]
}

fn table(rows: &[Row], modes: &[&str]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let mut columns: Vec<String> = COLUMNS.map(String::from).into();
    columns.extend(modes.iter().flat_map(|mode| mode_columns(mode)));
    let rule = format!("|{}", "--:|".repeat(columns.len()));
    let mut lines = vec![line(&columns), rule];
    lines.extend(rows.iter().map(|row| {
        let mut cells = cells(row).to_vec();
        cells.extend(modes.iter().flat_map(|mode| mode_cells(row, mode)));
        line(&cells)
    }));
    let mut notes =
        vec!["Ratio: stock time / Prova time. Memory ratio: Prova peak / stock peak.".to_string()];
    if !modes.is_empty() {
        notes.push("CPU / GPU: Prova time on the CPU / on the GPU, in that mode.".to_string());
    }
    if rows.iter().any(|row| row.lowered) {
        notes
            .push("`*`: infeasible at the level asked for, both sides lowered to this one.".into());
    }
    let same = rows.iter().filter(|row| row.same_proof).count();
    let both = rows.iter().filter(|row| row.stock.is_some()).count();
    if both > 0 {
        notes.push(format!(
            "Stock wrote the same bytes as Prova in {same} of {both} rows."
        ));
    }
    format!("{}\n\n{}", lines.join("\n"), notes.join(" "))
}

fn split(side: &Side) -> String {
    format!("{:.1} + {:.1}", side.commit_ms.median, side.open_ms.median)
}

fn mode_cells(row: &Row, mode: &str) -> [String; 4] {
    let Some(gpu) = row.mode(mode) else {
        return ["–"; 4].map(String::from);
    };
    let mib = |bytes: u64| format!("{:.1}", bytes as f64 / f64::from(1 << 20));
    [
        spread(gpu.side.total_ms),
        row.cpu_ratio(mode)
            .map_or("–".to_string(), |ratio| format!("{ratio:.2}")),
        split(&gpu.side),
        format!(
            "{} / {}",
            mib(gpu.device_peak_bytes),
            mib(gpu.side.peak_bytes)
        ),
    ]
}

fn cells(row: &Row) -> [String; COLUMNS.len()] {
    let stock = row.stock.as_ref();
    let mib = |side: &Side| format!("{:.1}", side.peak_bytes as f64 / f64::from(1 << 20));
    let kib = |side: &Side| format!("{:.1}", side.proof_bytes as f64 / 1024.0);
    let both = |show: &dyn Fn(&Side) -> String| {
        format!(
            "{} / {}",
            stock.map_or("–".to_string(), show),
            show(&row.prova)
        )
    };
    let ratio = |value: Option<f64>| value.map_or("–".to_string(), |v| format!("{v:.2}"));
    [
        row.cell.vars.to_string(),
        row.cell.fold.to_string(),
        row.cell.rate.to_string(),
        row.threads.to_string(),
        format!(
            "{}{}",
            row.security_bits,
            if row.lowered { "\\*" } else { "" }
        ),
        stock.map_or("–".to_string(), |side| spread(side.total_ms)),
        spread(row.prova.total_ms),
        ratio(row.time_ratio()),
        stock.map_or("–".to_string(), split),
        split(&row.prova),
        both(&|side| format!("{:.1}", side.grinding_ms.median)),
        format!("{:.0}", row.expected_grinding_calls),
        both(&mib),
        ratio(row.memory_ratio()),
        both(&kib),
        both(&|side| format!("{:.2}", side.verify_ms.median)),
    ]
}

fn spread(spread: Spread) -> String {
    format!("{:.1} ({:.1}–{:.1})", spread.median, spread.min, spread.max)
}

/// The summaries as a table; a line in words when there are none.
pub fn summary(summaries: &[Summary]) -> String {
    if summaries.is_empty() {
        return "No cell was run by both provers.".to_string();
    }
    let mut out = String::from(
        "| threads | cells | time ratio, geomean | without grinding | smallest (cell) \
         | memory ratio, geomean | largest (cell) |\n|--:|--:|--:|--:|--:|--:|--:|",
    );
    for s in summaries {
        let _ = write!(
            out,
            "\n| {} | {} | **{:.2}** | {:.2} | {:.2} ({}) | {:.2} | {:.2} ({}) |",
            s.threads,
            s.cells,
            s.time_ratio,
            s.time_ratio_without_grinding,
            s.min_time_ratio,
            s.min_time_cell,
            s.memory_ratio,
            s.max_memory_ratio,
            s.max_memory_cell
        );
    }
    out
}

/// The summaries of the GPU modes as a table.
fn gpu_summary(summaries: &[GpuSummary]) -> String {
    let mut out = String::from(
        "| threads | mode | cells | CPU / GPU, geomean | smallest (cell) | stock / GPU, geomean \
         |\n|--:|:--|--:|--:|--:|--:|",
    );
    for s in summaries {
        let stock = s
            .stock_ratio
            .map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
        let _ = write!(
            out,
            "\n| {} | {} | {} | **{:.2}** | {:.2} ({}) | {stock} |",
            s.threads, s.mode, s.cells, s.cpu_ratio, s.min_cpu_ratio, s.min_cpu_cell,
        );
    }
    out
}

/// Work and time of every kernel, one run a cell and mode.
fn kernels(profiles: &[KernelProfile]) -> String {
    let mut out = String::from(
        "| n,fold,rate | mode | kernel | dispatches | MiB | Mproducts | ms | GB/s | Gproducts/s \
         |\n|:--|:--|:--|--:|--:|--:|--:|--:|--:|",
    );
    for profile in profiles {
        let (cell, mode) = (profile.cell, profile.mode);
        for kernel in &profile.kernels {
            let [ms, bytes, products] = work::times(kernel);
            let _ = write!(
                out,
                "\n| {cell} | {mode} | {} | {} | {} | {:.2} | {ms} | {bytes} | {products} |",
                kernel.kernel,
                kernel.dispatches,
                work::mib(kernel.read_bytes + kernel.written_bytes),
                kernel.products as f64 / 1e6,
            );
        }
        let _ = write!(
            out,
            "\n| {cell} | {mode} | **all** | {} | {} | {:.2} | {} | | |",
            profile.total(|kernel| kernel.dispatches),
            work::mib(profile.total(|kernel| kernel.read_bytes + kernel.written_bytes)),
            profile.total(|kernel| kernel.products) as f64 / 1e6,
            profile.device_ms(),
        );
    }
    out.push_str(
        "\n\nOne run a cell and mode, after one that is not counted, with every dispatch timed; \
         bytes and products are by formula.",
    );
    out
}
