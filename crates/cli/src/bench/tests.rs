//! The writers on fixed data, and one small cell from end to end.

use std::collections::BTreeMap;

use clap::Parser;
use prova_proof_file::Exit;
use serde_json::Value;

use super::gpu::{GpuHeader, KernelProfile};
use super::grid::Cell;
use super::header::{Header, STOCK, Yardstick};
use super::results::{
    GpuSide, Results, Row, SCHEMA, Side, SkipKind, Skipped, summarise, summarise_gpu,
};
use super::stats::Spread;
use super::{BenchArgs, markdown, run, svg};
use crate::device::work::KernelWork;
use crate::output::Output;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    bench: BenchArgs,
}

fn parse(words: &str) -> Result<BenchArgs, clap::Error> {
    let words = std::iter::once("bench").chain(words.split_whitespace());
    Cli::try_parse_from(words).map(|cli| cli.bench)
}

fn around(median: f64) -> Spread {
    Spread {
        median,
        min: median * 0.9,
        max: median * 1.2,
    }
}

fn side(ms: f64, mib: u64) -> Side {
    Side {
        total_ms: around(ms),
        commit_ms: around(ms * 0.75),
        open_ms: around(ms * 0.25),
        grinding_ms: around(ms * 0.1),
        rest_ms: around(ms * 0.9),
        verify_ms: around(2.0),
        peak_bytes: mib << 20,
        proof_bytes: 51_200,
        runs_ms: vec![ms; 3],
        stages_ms: BTreeMap::new(),
    }
}

fn row(cell: Cell, threads: usize, stock_ms: Option<f64>) -> Row {
    Row {
        cell,
        threads,
        security_bits: 89,
        lowered: cell.rate == 3,
        expected_grinding_calls: 65_536.0,
        stock: stock_ms.map(|ms| side(ms, 400)),
        prova: side(100.0, 200),
        gpu: Vec::new(),
        same_proof: false,
    }
}

fn fixed() -> Results {
    let cells =
        [(20, 4, 1), (22, 1, 3), (22, 2, 6)].map(|(vars, fold, rate)| Cell { vars, fold, rate });
    let rows = vec![
        row(cells[0], 1, Some(200.0)),
        row(cells[0], 2, Some(300.0)),
        row(cells[1], 1, Some(50.0)),
        row(cells[1], 2, Some(150.0)),
        row(cells[2], 1, None),
    ];
    let header = Header {
        version: "0.0.0",
        date: "2026-01-01".into(),
        cpu: "A <fast> CPU".into(),
        cores: 2,
        memory_bytes: Some(16 << 30),
        target: "x86_64-linux".into(),
        target_features: vec!["avx2"],
        simd: "AVX2",
        command: "prova bench whir --grid apple".into(),
        grid: "apple".into(),
        preset: "apple-90".into(),
        parameters: "babybear^4".into(),
        stock: STOCK,
        yardstick: vec![Yardstick {
            threads: 1,
            babybear_per_second: 6.5e6,
            koalabear_per_second: 8.4e6,
        }],
        gpu: None,
    };
    Results {
        schema: SCHEMA,
        header,
        summary: summarise(&rows),
        rows,
        skipped: vec![
            Skipped {
                cell: cells[2],
                kind: SkipKind::StockMemory,
                reason: "needs more memory".into(),
            },
            Skipped {
                cell: cells[1],
                kind: SkipKind::Infeasible,
                reason: "infeasible".into(),
            },
        ],
        defects: vec![],
        gpu_summary: vec![],
        kernels: vec![],
    }
}

#[test]
fn summaries() {
    let results = fixed();
    let [one, two] = &results.summary[..] else {
        panic!("one summary a thread count")
    };
    assert_eq!((one.threads, one.cells), (1, 2));
    assert!((one.time_ratio - 1.0).abs() < 1e-12);
    assert!((one.min_time_ratio - 0.5).abs() < 1e-12);
    assert_eq!(one.min_time_cell.rate, 3);
    assert!((two.time_ratio - 4.5_f64.sqrt()).abs() < 1e-12);
    assert!((two.time_ratio_without_grinding - 4.5_f64.sqrt()).abs() < 1e-12);
    assert!((two.memory_ratio - 0.5).abs() < 1e-12);
    assert!(summarise(&results.rows[4..]).is_empty());
}

#[test]
fn markdown_has_a_line_for_each_row() {
    let text = markdown::render(&fixed());
    let table: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| 2"))
        .collect();
    // Five rows, and the summary of two threads.
    assert_eq!(table.len(), 6, "{text}");
    assert!(
        table[0].starts_with(
            "| 20 | 4 | 1 | 1 | 89 | 200.0 (180.0–240.0) | 100.0 (90.0–120.0) | 2.00 |"
        )
    );
    assert!(table[0].contains("| 65536 | 400.0 / 200.0 | 0.50 | 50.0 / 50.0 | 2.00 / 2.00 |"));
    assert!(table[2].contains("| 89\\* |"));
    assert!(table[4].contains("| – |"));
    let columns = |line: &str| line.matches(" | ").count();
    assert!(
        table[..5]
            .iter()
            .all(|line| columns(line) == columns(table[0]))
    );
    for part in [
        "`prova bench whir --grid apple`",
        "22,2,6 (stock only): needs",
        "0.50 (22,1,3)",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn svg_has_a_dot_for_each_value() {
    let text = svg::render(&fixed());
    // Two in the legend, four values in each of two panels.
    assert_eq!(text.matches("<circle").count(), 2 + 2 * 4);
    assert_eq!(text.matches("class=\"one\"").count(), 2);
    assert!(text.contains("A &lt;fast&gt; CPU") && !text.contains("<fast>"));
    assert!(text.contains("prefers-color-scheme:dark"));
    for tag in ["svg", "style", "text", "title"] {
        let opened =
            text.matches(&format!("<{tag}>")).count() + text.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert!(!text.contains("NaN") && !text.contains("inf\""));
    let mut alone = fixed();
    alone.rows.retain(|row| row.stock.is_none());
    assert!(svg::render(&alone).contains("No cell was run by both provers"));
}

/// The fixed results with two GPU modes, the second of which has done all but the last row.
fn with_gpu() -> Results {
    let mut results = fixed();
    let count = results.rows.len();
    for (index, row) in results.rows.iter_mut().enumerate() {
        for (mode, ms) in [("split", 50.0), ("resident", 20.0)] {
            if mode == "split" || index + 1 < count {
                row.gpu.push(GpuSide {
                    mode,
                    multiply: "m16",
                    plan: Some("everything kept on the device".into()),
                    device_peak_bytes: 64 << 20,
                    side: side(ms, 32),
                });
            }
        }
    }
    results.header.gpu = Some(GpuHeader {
        adapter: "A GPU".into(),
        api: "vulkan".into(),
        kind: "discrete".into(),
        driver: "1.0".into(),
        multiply: vec![("split", "m16"), ("resident", "native")],
        max_bytes: Some(1 << 30),
    });
    results.gpu_summary = summarise_gpu(&results.rows, &["split", "resident"]);
    results.kernels = vec![KernelProfile {
        cell: results.rows[0].cell,
        threads: 2,
        mode: "split",
        total_ms: 60.0,
        submissions: 3,
        waits: 2,
        uploaded_bytes: 4,
        read_back_bytes: 5,
        kernels: vec![KernelWork {
            kernel: "ntt tile",
            dispatches: 7,
            read_bytes: 1 << 20,
            written_bytes: 1 << 20,
            products: 3_000_000,
            time_ms: Some(0.5),
            gb_per_second: Some(4.19),
            gproducts_per_second: Some(6.0),
        }],
    }];
    results
}

#[test]
fn gpu_modes_have_columns_of_their_own() {
    let results = with_gpu();
    let text = markdown::render(&results);
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().position(|line| line.starts_with("| n |"));
    let head = head.expect("a table");
    let columns = |line: &str| line.matches(" | ").count();
    for (index, row) in lines[head + 2..head + 7].iter().enumerate() {
        assert_eq!(columns(row), columns(lines[head]), "row {index}");
    }
    for part in [
        "GPU split ms (min–max) | CPU / GPU split",
        "50.0 (45.0–60.0) | 2.00 | 37.5 + 12.5 | 64.0 / 32.0 |",
        "| 64.0 / 32.0 | – | – | – | – |",
        "| 1 | split | 3 | **2.00** | 2.00 (20,4,1) |",
        "| 20,4,1 | split | ntt tile | 7 | 2.00 | 3.00 | 0.500 | 4.19 | 6.00 |",
        "* GPU: A GPU (vulkan, discrete), driver 1.0",
        "resident native",
        "1.00 GiB",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!markdown::render(&fixed()).contains("GPU"));
    let json = serde_json::to_value(&results).unwrap();
    assert_eq!(json["rows"][0]["gpu"][1]["mode"], "resident");
    assert_eq!(json["rows"][0]["gpu"][1]["total_ms"]["median"], 20.0);
    assert_eq!(json["kernels"][0]["kernels"][0]["dispatches"], 7);
    let json = serde_json::to_value(fixed()).unwrap();
    assert!(json["rows"][0].get("gpu").is_none() && json.get("kernels").is_none());
}

#[test]
fn json_has_the_rows() {
    let json = serde_json::to_value(fixed()).unwrap();
    assert_eq!(json["schema"], SCHEMA);
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["rows"][0]["vars"], 20);
    assert_eq!(json["rows"][0]["stock"]["total_ms"]["median"], 200.0);
    assert_eq!(json["rows"][4]["stock"], Value::Null);
    assert_eq!(json["skipped"][0]["kind"], "stock-memory");
    assert_eq!(json["header"]["yardstick"][0]["threads"], 1);
}

#[test]
fn arguments() {
    for good in [
        "whir",
        "whir --grid high-rate --nearest --threads 1,2",
        "whir --cells 20,4,1 22,1,3 --hash blake3 --field koalabear --degree 5 --against none",
        "whir --backend gpu --gpu-mode split,fused --gpu-mode resident --gpu-max-bytes 1GiB",
    ] {
        assert!(parse(good).is_ok(), "{good}");
    }
    for bad in [
        "whir --grid none",
        "whir --grid quick --cells 20,4,1",
        "whir --cells 20,4",
        "whir --preset apple",
        "whir --threads 0",
        "whir --runs 0",
        "whir --degree 6",
        "whir --backend auto",
        "whir --backend gpu --gpu-mode split,fast",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

const QUIET: Output = Output {
    json: false,
    quiet: true,
};

#[test]
fn a_small_cell_from_end_to_end() {
    let args = parse("whir --cells 16,2,1 --threads 1,2 --runs 1 --nearest").unwrap();
    let report = run(&args, QUIET).unwrap();
    let json = &report.json;
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(2), "{json}");
    for row in json["rows"].as_array().unwrap() {
        for side in ["stock", "prova"] {
            assert!(row[side]["total_ms"]["median"].as_f64().unwrap() > 0.0);
            assert!(row[side]["verify_ms"]["median"].as_f64().unwrap() > 0.0);
            assert!(row[side]["peak_bytes"].as_u64().unwrap() > 0);
            assert!(row[side]["proof_bytes"].as_u64().unwrap() > 0);
        }
    }
    assert_eq!(json["summary"].as_array().map(Vec::len), Some(2));
    assert!(report.text.contains("CONJECTURE"));
}

#[test]
fn cells_that_cannot_be_run_are_reported() {
    // A fold larger than the polynomial, and more memory than allowed.
    let args = parse("whir --cells 4,6,1 --threads 1 --runs 1").unwrap();
    let failure = run(&args, QUIET).unwrap_err();
    assert!(
        failure.message.contains("4,6,1: infeasible"),
        "{}",
        failure.message
    );
    assert_eq!(failure.exit, Exit::Malformed);
    let args =
        parse("whir --cells 16,1,1 --threads 1 --runs 1 --mem-limit 64KiB --nearest").unwrap();
    let failure = run(&args, QUIET).unwrap_err();
    assert!(
        failure.message.contains("the limit is 64.00 KiB"),
        "{}",
        failure.message
    );
    assert_eq!(failure.exit, Exit::Resource);
}
