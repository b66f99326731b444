//! `prova whir prove` and `commit`, end to end.

mod common;

use common::{Folder, words};

#[test]
fn a_real_file_is_committed_opened_and_verified() {
    let folder = Folder::new("real-file");
    folder.write("text.txt", include_bytes!("../Cargo.toml").repeat(20));
    let proved = folder.ok("whir prove text.txt");
    assert!(
        proved.stdout.contains("text.txt.prova"),
        "{}",
        proved.stdout
    );
    assert_eq!(proved.stderr, "");
    assert_eq!(folder.files(), ["text.txt", "text.txt.prova"]);

    let verified = folder.json("verify text.txt.prova");
    let inspected = folder.json("inspect text.txt.prova");
    let committed = folder.json("whir commit text.txt");
    assert_eq!(verified["valid"], true);
    assert_eq!(verified["statement"], inspected["statement"]);
    assert_eq!(verified["statement"]["commitment"], committed["commitment"]);
    assert_eq!(inspected["schema"], "prova.inspect/1");
    folder.ok("verify text.txt.prova");
    folder.ok("inspect text.txt.prova");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new("threads");
    for threads in [1, 2] {
        let out = format!("--threads {threads} --out {threads}.prova");
        folder.ok(&format!(
            "whir prove --random 7 --vars 12 --columns 3 --points 2 {out}"
        ));
    }
    folder
        .ok("whir prove --random 7 --vars 12 --columns 3 --points 2 --no-self-check --out 3.prova");
    assert!(
        folder.read("1.prova") == folder.read("2.prova"),
        "1.prova and 2.prova differ"
    );
    assert!(
        folder.read("1.prova") == folder.read("3.prova"),
        "1.prova and 3.prova differ"
    );
    folder.ok("verify 1.prova");
}

#[test]
fn the_smallest_inputs() {
    let folder = Folder::new("smallest");
    folder.write("byte", [7]);
    folder.ok("whir prove byte");
    folder.ok("verify byte.prova");

    folder.write("one", words(&[5]));
    folder.write("two", words(&[5, 6]));
    for name in ["one", "two"] {
        for (fold, variables) in [("--fold 1", 1), ("", 4)] {
            let json = folder.json(&format!("whir prove {name} --format u32 --force {fold}"));
            assert_eq!(
                json["statement"]["num_variables"], variables,
                "{name} {fold}"
            );
            folder.ok(&format!("verify {name}.prova"));
        }
    }
    // A table must have the variables that the first round folds.
    let refused = folder
        .run("whir prove one --format u32 --vars 0 --out zero")
        .exits(2);
    assert!(
        refused
            .says("--vars 4")
            .stderr
            .contains("first folding factor")
    );
    folder
        .run("whir prove two --format u32 --vars 0")
        .exits(2)
        .says("--vars 0 is too small");
}

#[test]
fn given_points_open_the_values_they_name() {
    let folder = Folder::new("given-points");
    folder.write("v", words(&[5, 7, 9, 11, 20, 30, 40, 50]));
    folder.write(
        "points.json",
        r#"{"points": [{"at": [0, 1]}, {"columns": [1], "at": [[1, 0, 0, 0, 0], 0]}]}"#,
    );
    let json = folder.json("whir prove v --format u32 --columns 2 --fold 2 --at points.json");
    let openings = &json["statement"]["openings"];
    // The first coordinate belongs to the highest index bit.
    assert_eq!(
        openings[0]["values"],
        serde_json::json!([[7, 0, 0, 0, 0], [30, 0, 0, 0, 0]])
    );
    assert_eq!(openings[1]["values"], serde_json::json!([[40, 0, 0, 0, 0]]));
    assert_eq!(openings[1]["columns"], serde_json::json!([1]));
    assert_eq!(
        folder.json("verify v.prova")["statement"]["points"],
        "given"
    );
}

#[test]
fn bad_points_files() {
    let folder = Folder::new("bad-points");
    folder.write("v", words(&[5, 7, 9, 11]));
    let cases = [
        ("{", "EOF"),
        (r#"{"points": []}"#, "expected 1 to 65535 points"),
        (r#"{"points": [{"at": [0]}]}"#, "expected 2 coordinates"),
        (
            r#"{"points": [{"at": [0, [1, 2]]}]}"#,
            "expected 5 coefficients",
        ),
        (
            r#"{"points": [{"at": [0, 2147483647]}]}"#,
            "expected coefficients below",
        ),
        (
            r#"{"points": [{"at": [0, 1], "columns": [1]}]}"#,
            "ascending columns below 1",
        ),
        (
            r#"{"points": [{"at": [0, 1], "colums": [0]}]}"#,
            "unknown field",
        ),
    ];
    for (text, part) in cases {
        folder.write("points.json", text);
        folder
            .run("whir prove v --format u32 --fold 2 --at points.json")
            .exits(2)
            .says(part);
    }
    folder
        .run("whir prove v --format u32 --at none.json")
        .exits(2)
        .says("none.json");
}

#[test]
fn bad_input() {
    let folder = Folder::new("bad-input");
    folder.write("empty", []);
    folder.write("five", [1, 2, 3, 4, 5]);
    folder.write("large", words(&[1, 2, 0x7f00_0001, 3]));
    folder
        .run("whir prove none")
        .exits(2)
        .says("cannot read none");
    folder
        .run("whir prove empty")
        .exits(2)
        .says("empty: the file is empty");
    folder
        .run("whir prove empty --format u32")
        .exits(2)
        .says("the file is empty");
    folder
        .run("whir prove .")
        .exits(2)
        .says("expected a regular file");
    folder
        .run("whir prove five --format u32")
        .exits(2)
        .says("expected a multiple of 4");
    let refused = folder.run("whir prove large --format u32").exits(2);
    refused.says("the value at offset 8 is 2130706433");
    folder
        .run("whir prove large --vars 1 --fold 1")
        .exits(2)
        .says("--vars 1 is too small");
    folder
        .run("whir prove five --columns 0")
        .exits(2)
        .says("--columns is 0");
    folder
        .run("whir prove five --out none/x.prova")
        .exits(2)
        .says("none/x.prova");
    folder
        .run("whir prove five --out five --force")
        .exits(2)
        .says("names the input file");
    assert_eq!(folder.files(), ["empty", "five", "large"]);
}

#[test]
fn a_file_is_overwritten_only_when_told_so() {
    let folder = Folder::new("overwrite");
    folder.write("a", "some bytes");
    folder.write("a.prova", "precious");
    folder
        .run("whir prove a")
        .exits(2)
        .says("a.prova exists already");
    assert_eq!(folder.read("a.prova"), b"precious");
    folder.ok("whir prove a --force");
    folder.ok("verify a.prova");
    assert_eq!(folder.files(), ["a", "a.prova"]);
}

#[test]
fn infeasible_parameters_are_refused_with_others_that_fit() {
    let folder = Folder::new("infeasible");
    for command in ["prove --random 1", "estimate"] {
        let refused = folder
            .run(&format!("whir {command} --vars 24 --preset apple-exact"))
            .exits(2);
        let refused = refused.says("grinding budget");
        assert!(refused.stderr.contains("--degree 5"), "{}", refused.stderr);
        assert!(refused.stderr.contains("--security "), "{}", refused.stderr);
    }
    let json = folder
        .run("whir estimate --vars 24 --preset apple-exact --json")
        .exits(2)
        .json();
    for suggestion in json["suggestions"].as_array().expect("suggestions") {
        let words = suggestion.as_str().expect("text");
        folder.ok(&format!(
            "whir estimate --vars 24 --preset apple-exact {words}"
        ));
    }
    assert!(folder.files().is_empty());
}

#[test]
fn the_memory_limit_is_kept() {
    let folder = Folder::new("memory");
    let job = "--vars 14 --columns 2";
    let estimate = folder.json(&format!("whir estimate {job}"));
    let leanest = estimate["leanest_peak_bytes"].as_u64().expect("a number");
    let below = leanest - 1;
    let refused = folder
        .run(&format!("whir prove --random 1 {job} --mem-limit {below}"))
        .exits(3);
    let refused = refused.says(&leanest.to_string());
    assert!(
        refused.stderr.contains(&below.to_string()),
        "{}",
        refused.stderr
    );
    assert!(folder.files().is_empty());

    folder.ok(&format!(
        "whir prove --random 1 {job} --mem-limit {leanest} --out lean"
    ));
    folder.ok(&format!("whir prove --random 1 {job} --out usual"));
    assert!(
        folder.read("lean") == folder.read("usual"),
        "lean and usual differ"
    );
    // Far beyond any machine, and refused before anything is allocated.
    folder
        .run("whir commit --random 1 --vars 40 --mem-limit 1GiB --preset unique-100")
        .exits(2);
    folder
        .run("whir commit --random 1 --vars 20 --mem-limit 1MiB")
        .exits(3)
        .says("need");
}

#[test]
fn the_profile_sums_to_the_wall_time() {
    let folder = Folder::new("profile");
    let json = folder.json("whir prove --random 1 --vars 12 --profile");
    let profile = &json["profile"];
    let stages = profile["stages"].as_array().expect("stages");
    let sum: f64 = stages
        .iter()
        .map(|stage| stage["ms"].as_f64().expect("ms"))
        .sum();
    let wall = profile["wall_ms"].as_f64().expect("ms");
    assert!((sum - wall).abs() < 0.01 * wall + 0.01, "{sum} {wall}");
    let text = folder
        .ok("whir commit --random 1 --vars 12 --profile")
        .stdout;
    assert!(text.contains("merkle") && text.contains("total"), "{text}");
}

/// Starts a job of some seconds, waits until it is at work, and sends SIGINT `signals` times.
#[cfg(unix)]
fn interrupted(name: &str, signals: usize) {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new(name);
    let args = "whir prove --random 1 --vars 23 --threads 1 --preset apple-90 --json";
    let child = folder
        .command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("start the program");
    // The temporary file appears when the work begins.
    let start = Instant::now();
    while folder.files().is_empty() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(400));
    let signalled = Instant::now();
    for _ in 0..signals {
        let id = child.id().to_string();
        let kill = Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill");
        assert!(kill.success());
        std::thread::sleep(Duration::from_millis(30));
    }
    let output = child.wait_with_output().expect("wait");
    common::Run::new(args, &output).exits(4);
    assert!(signalled.elapsed() < Duration::from_secs(10));
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_prover_and_leaves_no_file() {
    interrupted("signal", 1);
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_the_process_at_once() {
    interrupted("signals", 2);
}
