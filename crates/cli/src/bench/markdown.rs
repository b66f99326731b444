//! The results as Markdown.

use std::fmt::Write;

use super::header::Header;
use super::results::{Results, Row, Side, SkipKind, Summary};
use super::stats::Spread;
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
        let _ = write!(out, "\n{}\n", table(&results.rows));
    }
    if !results.summary.is_empty() {
        let _ = write!(out, "\n## Summary\n\n{}\n", summary(&results.summary));
    }
    if !results.skipped.is_empty() {
        out.push_str("\n## Not run\n\n");
        for skip in &results.skipped {
            let who = if skip.kind == SkipKind::StockMemory {
                " (stock only)"
            } else {
                ""
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

fn table(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let head = line(&COLUMNS.map(String::from));
    let rule = format!("|{}", "--:|".repeat(COLUMNS.len()));
    let mut lines = vec![head, rule];
    lines.extend(rows.iter().map(|row| line(&cells(row))));
    let mut notes =
        vec!["Ratio: stock time / Prova time. Memory ratio: Prova peak / stock peak.".to_string()];
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
    let split = |side: &Side| format!("{:.1} + {:.1}", side.commit_ms.median, side.open_ms.median);
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
