//! The results as a plot: one line a cell, one dot a number of threads, time on the left and
//! memory on the right, each against the published prover.

use std::fmt::Write;

use super::grid::Cell;
use super::results::{Results, Row};

const WIDTH: f64 = 920.0;
const LABELS: f64 = 130.0;
const LINE: f64 = 20.0;
const TOP: f64 = 112.0;
const BOTTOM: f64 = 44.0;
/// Colours of the numbers of threads in order, told apart without colour vision too.
const SERIES: [&str; 4] = ["s0", "s1", "s2", "s3"];

/// Plain classes first, for viewers that know no more; then what differs on a dark page.
const STYLE: &str = "\
.paper{fill:#ffffff}text{fill:#1f2328;font:12px system-ui,sans-serif}\
.title{font-size:15px;font-weight:600}.faint{fill:#57606a}\
.grid{stroke:#d8dee4}.one{stroke:#1f2328;stroke-width:1.5;stroke-dasharray:4 3}\
.s0{fill:#0b6bcb;stroke:#0b6bcb}.s1{fill:#c2570c;stroke:#c2570c}\
.s2{fill:#1a7f4b;stroke:#1a7f4b}.s3{fill:#8250df;stroke:#8250df}\
.stem{stroke-width:3;stroke-opacity:.45}\
@media(prefers-color-scheme:dark){.paper{fill:#0d1117}text{fill:#e6edf3}.faint{fill:#9198a1}\
.grid{stroke:#30363d}.one{stroke:#e6edf3}\
.s0{fill:#58a6ff;stroke:#58a6ff}.s1{fill:#f0883e;stroke:#f0883e}\
.s2{fill:#3fb950;stroke:#3fb950}.s3{fill:#bc8cff;stroke:#bc8cff}}";

/// One of the two plots.
struct Panel {
    left: f64,
    right: f64,
    title: &'static str,
    value: fn(&Row) -> Option<f64>,
}

const PANELS: [Panel; 2] = [
    Panel {
        left: LABELS,
        right: 540.0,
        title: "stock time / Prova time (higher is better)",
        value: Row::time_ratio,
    },
    Panel {
        left: 580.0,
        right: 890.0,
        title: "Prova peak memory / stock's (lower is better)",
        value: Row::memory_ratio,
    },
];

/// The plot as an SVG document.
pub fn render(results: &Results) -> String {
    let rows: Vec<&Row> = results
        .rows
        .iter()
        .filter(|row| row.stock.is_some())
        .collect();
    let mut cells: Vec<(Cell, String)> = Vec::new();
    let mut threads: Vec<usize> = Vec::new();
    for row in &rows {
        if !cells.iter().any(|(cell, _)| *cell == row.cell) {
            cells.push((row.cell, row.label()));
        }
        if !threads.contains(&row.threads) {
            threads.push(row.threads);
        }
    }
    let height = TOP + LINE * cells.len() as f64 + BOTTOM;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n<title>WHIR: Prova against the \
         published prover</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n"
    );
    let heading = format!(
        "WHIR proofs against the published prover: grid {}, {}",
        results.header.grid, results.header.preset
    );
    text(&mut out, 16.0, 24.0, "title", "start", &heading);
    let header = &results.header;
    let machine = format!("{}, {}, {}", header.cpu, header.simd, header.date);
    text(&mut out, 16.0, 42.0, "faint", "start", &machine);
    text(&mut out, 16.0, 58.0, "faint", "start", &header.parameters);
    if rows.is_empty() {
        text(
            &mut out,
            16.0,
            82.0,
            "",
            "start",
            "No cell was run by both provers.",
        );
        return out + "</svg>\n";
    }
    legend(&mut out, &threads);
    text(
        &mut out,
        LABELS - 12.0,
        TOP - 10.0,
        "faint",
        "end",
        "n,fold,rate",
    );
    for (index, (_, label)) in cells.iter().enumerate() {
        text(
            &mut out,
            LABELS - 12.0,
            middle(index) + 4.0,
            "",
            "end",
            label,
        );
    }
    for panel in &PANELS {
        panel.draw(&mut out, &rows, &cells, &threads);
    }
    out + "</svg>\n"
}

/// Height of a cell's line.
fn middle(index: usize) -> f64 {
    TOP + LINE * (index as f64 + 0.5)
}

fn legend(out: &mut String, threads: &[usize]) {
    let mut x = LABELS;
    for (index, count) in threads.iter().enumerate() {
        let series = SERIES[index % SERIES.len()];
        let _ = writeln!(
            out,
            "<circle class=\"{series}\" cx=\"{x}\" cy=\"78\" r=\"4\"/>"
        );
        let name = if *count == 1 {
            "1 thread".to_string()
        } else {
            format!("{count} threads")
        };
        text(out, x + 9.0, 82.0, "", "start", &name);
        x += 95.0;
    }
}

impl Panel {
    fn draw(&self, out: &mut String, rows: &[&Row], cells: &[(Cell, String)], threads: &[usize]) {
        let values = rows.iter().filter_map(|row| (self.value)(row));
        let top = values.fold(1.0_f64, f64::max) * 1.05;
        let step = tick_step(top);
        let x = |value: f64| self.left + (self.right - self.left) * value / top;
        let end = TOP + LINE * cells.len() as f64;
        text(out, self.left, TOP - 10.0, "faint", "start", self.title);
        let mut tick = 0_u32;
        while step * f64::from(tick) <= top {
            let value = step * f64::from(tick);
            line(out, "grid", (x(value), TOP), (x(value), end));
            text(out, x(value), end + 16.0, "faint", "middle", &label(value));
            tick += 1;
        }
        line(out, "one", (x(1.0), TOP), (x(1.0), end));
        for row in rows {
            let (Some(value), Some(index), Some(series)) = (
                (self.value)(row),
                cells.iter().position(|(cell, _)| *cell == row.cell),
                threads.iter().position(|count| *count == row.threads),
            ) else {
                continue;
            };
            let spread = LINE * 0.6 / threads.len() as f64;
            let y = middle(index) + spread * (series as f64 - (threads.len() as f64 - 1.0) / 2.0);
            let class = SERIES[series % SERIES.len()];
            line(out, &format!("stem {class}"), (x(1.0), y), (x(value), y));
            let cell = escape(&row.label());
            let _ = writeln!(
                out,
                "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{cell}, \
                 {} threads: {value:.2}</title></circle>",
                x(value),
                row.threads
            );
        }
    }
}

/// A round distance that gives at most eight ticks up to `top`.
fn tick_step(top: f64) -> f64 {
    let steps = [
        0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0,
    ];
    steps
        .into_iter()
        .find(|step| top / step <= 8.0)
        .unwrap_or(top / 8.0)
}

fn label(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn text(out: &mut String, x: f64, y: f64, class: &str, anchor: &str, content: &str) {
    let content = escape(content);
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"
    );
}

fn line(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
