//! The kernels in a browser: what a prover tells its device, replayed through WebGPU by the page of
//! `prova-gpu` in a headless Chromium, gives the words that the CPU computes.
//!
//! The test needs Chromium and fails without. On a software adapter most of its time goes into
//! compiling, so the cases have few kernels.

mod cases;
mod chromium;
mod server;

use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use cases::Case;
use chromium::Chromium;
use prova_gpu::{Gpu, Options};
use serde_json::Value;
use server::{File, REPORT};

/// Longest to wait for the page.
const PATIENCE: Duration = Duration::from_secs(240);

/// The page and the cases.
fn files(cases: &[Case]) -> Vec<File> {
    let cases: Vec<String> = cases
        .iter()
        .map(|case| {
            format!(
                "{{\"name\":{:?},\n\"trace\":{},\n\"expected\":{:?}}}",
                case.name,
                case.trace.to_json(),
                case.expected
            )
        })
        .collect();
    let json = format!("{{\"cases\":[{}]}}", cases.join(",\n"));
    let html = include_bytes!("../../../gpu/web/replay.html");
    let script = include_bytes!("../../../gpu/web/replay.js");
    vec![
        File {
            path: "/replay.html",
            kind: "text/html",
            contents: html.to_vec(),
        },
        File {
            path: "/replay.js",
            kind: "text/javascript",
            contents: script.to_vec(),
        },
        File {
            path: "/cases.json",
            kind: "application/json",
            contents: json.into_bytes(),
        },
    ]
}

fn page(address: std::net::SocketAddr) -> String {
    format!("http://{address}/replay.html?cases=cases.json&report={REPORT}")
}

#[test]
fn a_browser_computes_what_the_cpu_computes() {
    let cases = cases::all();
    let (address, reports) = server::serve(files(&cases)).expect("a port of this machine");
    let mut browser = Chromium::open(&page(address));
    let start = Instant::now();
    let report = loop {
        match reports.recv_timeout(Duration::from_secs(1)) {
            Ok(report) => break report,
            Err(RecvTimeoutError::Timeout) => {}
            Err(error) => panic!("the server ended: {error}"),
        }
        if let Some(status) = browser.ended() {
            panic!("the browser ended with {status}\n{}", browser.log());
        }
        assert!(
            start.elapsed() < PATIENCE,
            "no report after {PATIENCE:?}\n{}",
            browser.log()
        );
    };
    drop(browser);

    let report: Value = serde_json::from_slice(&report).expect("the page posts JSON");
    assert_eq!(report["error"], Value::Null, "the page failed");
    let outcomes = report["cases"].as_array().expect("a list of outcomes");
    assert_eq!(outcomes.len(), cases.len());
    for (outcome, case) in outcomes.iter().zip(&cases) {
        assert_eq!(outcome["name"], case.name);
        assert_eq!(outcome["error"], Value::Null, "{}", case.name);
        let reads: Vec<Vec<u32>> =
            serde_json::from_value(outcome["reads"].clone()).expect("lists of words");
        assert!(reads == case.expected, "{}: other words", case.name);
        assert_eq!(outcome["ok"], true, "{}", case.name);
    }
}

/// The same cases through Vulkan, Metal or DX12: that a trace says all there is to say does not
/// hang on a browser.
#[test]
fn a_device_computes_what_the_cpu_computes() {
    let gpu = Gpu::open(&Options::default())
        .expect("the tests need a GPU adapter; a software one will do");
    for case in cases::all() {
        let reads = case.trace.replay(&gpu).expect(case.name);
        assert!(reads == case.expected, "{}: other words", case.name);
    }
}

/// For trying the page by hand, in another browser or on another GPU of this machine.
#[test]
#[ignore = "serves until it is stopped"]
#[allow(clippy::print_stdout)] // the address is for whoever started it
fn serve_the_page() {
    let (address, reports) = server::serve(files(&cases::all())).expect("a port of this machine");
    println!("open {}", page(address));
    for report in reports {
        let report: Value = serde_json::from_slice(&report).expect("the page posts JSON");
        println!("{}: {}", report["adapter"], report["error"]);
        for outcome in report["cases"].as_array().into_iter().flatten() {
            println!(
                "  {}: ok {}, {}",
                outcome["name"], outcome["ok"], outcome["error"]
            );
        }
    }
}
