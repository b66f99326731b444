//! Proving on a GPU, end to end, on the software driver; without an adapter these tests fail.

mod common;

use common::{Folder, Run};
use serde_json::Value;

/// Part of the name of the software adapter.
const SOFTWARE: &str = "llvmpipe";
const MODES: [&str; 4] = ["split", "fused", "grind", "resident"];

/// Options that choose the software adapter whatever else there is.
fn on_gpu(mode: &str) -> String {
    format!("--backend gpu --gpu-mode {mode} --gpu-adapter {SOFTWARE}")
}

/// Runs where no driver is found.
fn without_adapter(folder: &Folder, args: &str) -> Run {
    let output = folder
        .command(args)
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .env("VK_DRIVER_FILES", "/nonexistent")
        .output()
        .expect("start the program");
    Run::new(args, &output)
}

fn adapters(folder: &Folder) -> Vec<Value> {
    let list = folder.json("info")["gpu_adapters"].clone();
    list.as_array().expect("a list of adapters").clone()
}

/// The one line on stderr that says why the CPU was used.
#[track_caller]
fn fallback_line(run: &Run) -> String {
    let lines: Vec<&str> = run.stderr.lines().collect();
    let [line] = lines[..] else {
        panic!("one line, got {lines:?}")
    };
    let reason = line
        .strip_prefix("prova: GPU not used: ")
        .and_then(|line| line.strip_suffix("; proving on the CPU"));
    reason.expect(line).to_string()
}

#[test]
fn info_lists_the_adapters() {
    let folder = Folder::new("gpu-info");
    let adapters = adapters(&folder);
    let software = adapters
        .iter()
        .find(|adapter| {
            adapter["name"]
                .as_str()
                .is_some_and(|n| n.contains(SOFTWARE))
        })
        .expect("the software adapter");
    assert_eq!(software["kind"], "cpu");
    assert_eq!(software["api"], "vulkan");
    for key in [
        "max_binding_bytes",
        "max_buffer_bytes",
        "workgroup_bytes",
        "workgroup_invocations",
        "storage_buffers",
    ] {
        assert!(software[key].as_u64().expect(key) > 0, "{key}");
    }
    assert!(software["features"].is_array() && software["subgroup_sizes"].is_array());
    let text = folder.ok("info").stdout;
    assert!(
        text.contains("GPU adapters") && text.contains(SOFTWARE),
        "{text}"
    );

    let none = without_adapter(&folder, "info").exits(0).stdout;
    assert!(none.contains("none found"), "{none}");
    let none = without_adapter(&folder, "info --json").exits(0).json();
    assert_eq!(none["gpu_adapters"], Value::Array(Vec::new()));
}

#[test]
fn every_mode_writes_the_bytes_of_the_cpu() {
    let folder = Folder::new("gpu-modes");
    // Base and extension of either field, transcripts of either kind, some columns, two points.
    let jobs = [
        "--random 1 --vars 10 --preset apple-90",
        "--random 2 --vars 11 --columns 2 --points 2 --field babybear --hash poseidon2-16",
        "--random 3 --vars 12 --hash blake3 --fold 3",
    ];
    for (index, job) in jobs.iter().enumerate() {
        folder.ok(&format!("whir prove {job} --out cpu{index}"));
        for mode in MODES {
            let out = format!("{mode}{index}");
            let json = folder.json(&format!("whir prove {job} --out {out} {}", on_gpu(mode)));
            let backend = &json["backend"];
            assert_eq!(backend["asked"], "gpu");
            assert_eq!(backend["used"], "gpu");
            assert_eq!(backend["mode"], mode);
            let name = backend["adapter"].as_str().expect("a name");
            assert!(name.contains(SOFTWARE), "{name}");
            for key in ["driver", "multiply", "plan", "peak_bytes"] {
                assert!(backend.get(key).is_some(), "{key} in {backend}");
            }
            assert!(
                folder.read(&out) == folder.read(&format!("cpu{index}")),
                "{mode}: {job}: the file is not the CPU's"
            );
            folder.ok(&format!("verify {out}"));
        }
    }
}

#[test]
fn commitments_are_those_of_the_cpu() {
    let folder = Folder::new("gpu-commit");
    let job = "whir commit --random 4 --vars 10";
    let cpu = folder.json(job);
    assert_eq!(
        cpu["backend"],
        serde_json::json!({ "asked": "cpu", "used": "cpu" })
    );
    for mode in MODES {
        let gpu = folder.json(&format!("{job} {}", on_gpu(mode)));
        assert_eq!(gpu["commitment"], cpu["commitment"], "{mode}");
        assert_eq!(gpu["backend"]["used"], "gpu");
    }
}

#[test]
fn reports_name_the_device_and_its_work() {
    let folder = Folder::new("gpu-report");
    let job = "whir prove --random 1 --vars 10 --preset apple-90 --force";
    let text = folder.ok(&format!("{job} --profile {}", on_gpu("resident")));
    assert_eq!(text.stderr, "");
    for part in [
        "backend",
        SOFTWARE,
        "resident",
        "device plan",
        "dispatches",
        "read back",
    ] {
        assert!(text.stdout.contains(part), "{part} in\n{}", text.stdout);
    }
    let json = folder.json(&format!("{job} --profile {}", on_gpu("resident")));
    let work = &json["backend"]["work"];
    assert!(work["kernels"].is_array(), "{work}");
    assert!(work["submissions"].is_u64(), "{work}");
    let cpu = folder.ok(job).stdout;
    assert!(cpu.contains("backend") && !cpu.contains(SOFTWARE), "{cpu}");
}

#[test]
fn auto_leaves_software_alone() {
    let folder = Folder::new("gpu-auto");
    let job = "whir prove --random 5 --vars 10";
    folder.ok(&format!("{job} --out cpu"));
    // On a machine with a real GPU `auto` uses that, and there is nothing to see here.
    if adapters(&folder).iter().all(|a| a["kind"] == "cpu") {
        let run = folder.ok(&format!("{job} --backend auto --json --out auto"));
        let reason = fallback_line(&run);
        assert!(reason.contains(SOFTWARE), "{reason}");
        let backend = &run.json()["backend"];
        assert_eq!(backend["asked"], "auto");
        assert_eq!(backend["used"], "cpu");
        assert_eq!(backend["fallback"], reason.as_str());
        assert!(folder.read("auto") == folder.read("cpu"), "auto differs");
        let quiet = folder.ok(&format!("{job} --backend auto --quiet --out quiet"));
        assert_eq!(quiet.stderr, "");
        assert!(quiet.stdout.contains("GPU not used"), "{}", quiet.stdout);
    }
    // A name is a wish, on the command line and in the environment.
    let named = format!("{job} --backend auto --json --out named --gpu-adapter LLVMpipe");
    let named = folder.ok(&named);
    assert_eq!(named.stderr, "");
    assert_eq!(named.json()["backend"]["used"], "gpu");
    assert_eq!(named.json()["backend"]["asked"], "auto");
    assert!(folder.read("named") == folder.read("cpu"), "named differs");
    let args = format!("{job} --backend auto --json --out environment");
    let output = folder
        .command(&args)
        .env("PROVA_GPU_ADAPTER", SOFTWARE)
        .output()
        .expect("start the program");
    let run = Run::new(&args, &output).exits(0);
    assert_eq!(run.json()["backend"]["used"], "gpu");
}

#[test]
fn no_adapter() {
    let folder = Folder::new("gpu-none");
    let job = "whir prove --random 6 --vars 10";
    without_adapter(&folder, &format!("{job} --backend gpu"))
        .exits(3)
        .says("no usable device");
    let json = without_adapter(&folder, &format!("{job} --backend gpu --json"));
    assert_eq!(json.exits(3).json()["code"], 3);
    assert!(folder.files().is_empty());
    folder
        .run(&format!("{job} --backend gpu --gpu-adapter no-such-gpu"))
        .exits(3)
        .says("no-such-gpu");
    assert!(folder.files().is_empty());

    let run = without_adapter(&folder, &format!("{job} --backend auto --json"));
    let run = run.exits(0);
    let reason = fallback_line(&run);
    assert!(reason.contains("no usable device"), "{reason}");
    assert_eq!(run.json()["backend"]["used"], "cpu");
    assert_eq!(run.json()["backend"]["fallback"], reason.as_str());
    folder.ok("verify proof.prova");
    let commit = without_adapter(&folder, "whir commit --random 6 --vars 10 --backend auto");
    fallback_line(&commit.exits(0));
    let named = folder.ok(&format!(
        "{job} --backend auto --gpu-adapter no-such-gpu --force"
    ));
    assert!(fallback_line(&named).contains("no-such-gpu"));
    without_adapter(&folder, "bench whir --cells 10,4,1 --backend gpu")
        .exits(3)
        .says("no usable device");
}

#[test]
fn tables_over_the_limit() {
    let folder = Folder::new("gpu-limit");
    let job = format!("whir prove --random 7 --vars 10 --gpu-adapter {SOFTWARE}");
    let refused = folder
        .run(&format!("{job} --gpu-max-log-n 8 --backend gpu"))
        .exits(3);
    let refused = refused.says("need 2^10 values, limit 2^8 values");
    assert!(
        refused.stderr.contains("--gpu-max-log-n"),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.stderr.lines().count(), 1);
    assert!(folder.files().is_empty());

    let run = folder.ok(&format!(
        "{job} --gpu-max-log-n 8 --backend auto --json --out auto"
    ));
    assert!(fallback_line(&run).contains("2^10"));
    assert_eq!(run.json()["backend"]["used"], "cpu");
    // The stacked table counts, not a column; the limit itself is allowed.
    folder
        .run(&format!(
            "{job} --columns 2 --gpu-max-log-n 10 --backend gpu"
        ))
        .exits(3)
        .says("need 2^11 values");
    folder.ok(&format!(
        "{job} --gpu-max-log-n 10 --backend gpu --out limit"
    ));
    assert!(folder.read("limit") == folder.read("auto"), "limit differs");
}

#[test]
fn too_little_device_memory() {
    let folder = Folder::new("gpu-memory");
    let job = format!("whir prove --random 8 --vars 12 --gpu-adapter {SOFTWARE} --json --force");
    folder.ok("whir prove --random 8 --vars 12 --out cpu");
    let run = folder.run(&format!(
        "{job} --gpu-max-bytes 1KiB --backend gpu --out gpu"
    ));
    if run.code == Some(0) {
        // Nothing was on the device, so the limit was kept.
        assert_eq!(run.json()["backend"]["peak_bytes"], 0);
        return;
    }
    let run = run.exits(3);
    for part in ["need", "limit 1024 bytes", "--gpu-max-bytes"] {
        assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
    }
    assert_eq!(run.stderr.lines().count(), 1);
    assert!(!folder.exists("gpu"));
    let run = folder.ok(&format!(
        "{job} --gpu-max-bytes 1KiB --backend auto --out auto"
    ));
    assert!(fallback_line(&run).contains("limit 1024 bytes"));
    assert!(folder.read("auto") == folder.read("cpu"), "auto differs");
}

#[test]
fn wrong_options() {
    let folder = Folder::new("gpu-usage");
    let job = "whir prove --random 1 --vars 10";
    let wrong = folder.run(&format!("{job} --backend gpu --gpu-mode fast"));
    let wrong = wrong.exits(2).says("fast");
    for mode in MODES {
        assert!(wrong.stderr.contains(mode), "{mode} in {}", wrong.stderr);
    }
    for args in [
        format!("{job} --backend tpu"),
        format!("{job} --backend gpu --gpu-max-bytes lots"),
        format!("{job} --backend gpu --gpu-max-log-n -1"),
        "whir estimate --vars 10 --backend auto".to_string(),
        "whir estimate --vars 10 --backend gpu --gpu-mode fast".to_string(),
        "bench whir --backend gpu --gpu-mode split,fast".to_string(),
    ] {
        folder.run(&args).exits(2).says("error: ");
    }
    // Without a GPU the options would do nothing.
    for (args, flag) in [
        (format!("{job} --gpu-mode split"), "--gpu-mode"),
        (
            format!("{job} --backend cpu --gpu-adapter x"),
            "--gpu-adapter",
        ),
        (format!("{job} --gpu-max-bytes 1GiB"), "--gpu-max-bytes"),
        (format!("{job} --gpu-max-log-n 20"), "--gpu-max-log-n"),
        (
            "whir estimate --vars 10 --gpu-max-bytes 1GiB".to_string(),
            "--gpu-max-bytes",
        ),
        (
            "bench whir --cells 10,4,1 --gpu-mode split".to_string(),
            "--gpu-mode",
        ),
    ] {
        folder
            .run(&args)
            .exits(2)
            .says(flag)
            .says("add --backend gpu");
    }
    assert!(folder.files().is_empty());
    // The environment is for every command.
    let output = folder
        .command(job)
        .env("PROVA_GPU_ADAPTER", "x")
        .env("PROVA_GPU_MAX_BYTES", "1GiB")
        .env("PROVA_GPU_MAX_LOG_N", "8")
        .output()
        .expect("start the program");
    Run::new(job, &output).exits(0);
}

#[test]
fn estimates_need_no_adapter() {
    let folder = Folder::new("gpu-estimate");
    let args = "whir estimate --vars 20 --backend gpu";
    let plain = without_adapter(&folder, &format!("{args} --json")).exits(0);
    let gpu = plain.json()["gpu"].clone();
    assert_eq!(gpu["mode"], "resident");
    for key in [
        "plan",
        "peak_bytes",
        "leanest_peak_bytes",
        "memory_bytes",
        "binding_bytes",
    ] {
        assert!(gpu.get(key).is_some(), "{key} in {gpu}");
    }
    let work = &gpu["work"];
    for key in [
        "dispatches",
        "submissions",
        "waits",
        "read_back_bytes",
        "uploaded_bytes",
    ] {
        assert!(work[key].is_u64(), "{key} in {work}");
    }
    for family in ["transforms", "trees", "sumcheck"] {
        assert!(
            work["families"][family]["bytes"].is_u64(),
            "{family} in {work}"
        );
    }
    assert!(work["kernels"].is_array());
    let args = format!("{args} --gpu-mode split --gpu-max-bytes 2GiB");
    let text = without_adapter(&folder, &args).exits(0).stdout;
    for part in ["split", "2.00 GiB", "device plan", "leanest", "dispatches"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let cpu = folder.json("whir estimate --vars 20");
    assert!(cpu.get("gpu").is_none());
}

#[test]
fn a_small_benchmark() {
    let folder = Folder::new("gpu-bench");
    let args = format!(
        "bench whir --cells 10,4,1 --nearest --threads 1 --runs 1 --backend gpu \
         --gpu-mode split,resident --gpu-adapter {SOFTWARE} --out results"
    );
    let json = folder.json(&args);
    assert_eq!(json["defects"], Value::Array(Vec::new()));
    let header = &json["header"]["gpu"];
    assert!(
        header["adapter"]
            .as_str()
            .is_some_and(|n| n.contains(SOFTWARE))
    );
    assert!(header["driver"].is_string() && header["multiply"].is_array());
    let sides = json["rows"][0]["gpu"].as_array().expect("sides");
    let modes: Vec<&str> = sides.iter().filter_map(|s| s["mode"].as_str()).collect();
    assert_eq!(modes, ["split", "resident"]);
    for side in sides {
        assert!(side["total_ms"]["median"].as_f64().expect("ms") > 0.0);
        assert!(side["device_peak_bytes"].is_u64());
    }
    let profiles = json["kernels"].as_array().expect("profiles");
    assert_eq!(profiles.len(), 2);
    assert_eq!(json["gpu_summary"].as_array().map(Vec::len), Some(2));
    let stem = "results/whir-cells-apple-90-poseidon2-16-gpu";
    let markdown = String::from_utf8(folder.read(&format!("{stem}.md"))).expect("text");
    for part in [
        "GPU split ms",
        "GPU resident ms",
        "## Kernels",
        "--gpu-mode split,resident",
    ] {
        assert!(markdown.contains(part), "{part} in\n{markdown}");
    }
    assert!(folder.exists(&format!("{stem}.json")));
    // A device that refuses leaves the other sides alone.
    let json = folder.json(
        "bench whir --cells 10,4,1 --nearest --threads 1 --runs 1 --against none --backend gpu \
         --gpu-adapter llvmpipe --gpu-max-log-n 8",
    );
    assert_eq!(json["skipped"][0]["kind"], "gpu");
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn a_signal_stops_a_run_on_the_gpu_and_leaves_no_file() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new("gpu-signal");
    for mode in ["fused", "resident"] {
        let args = format!(
            "whir prove --random 1 --vars 23 --threads 1 --preset apple-90 --json {}",
            on_gpu(mode)
        );
        let child = folder
            .command(&args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        // The temporary file appears when the device is open and the work begins.
        let start = Instant::now();
        while folder.files().is_empty() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(400));
        let signalled = Instant::now();
        let kill = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill");
        assert!(kill.success());
        let output = child.wait_with_output().expect("wait");
        Run::new(&args, &output).exits(4);
        assert!(signalled.elapsed() < Duration::from_secs(10));
        assert!(folder.files().is_empty(), "{:?}", folder.files());
    }
}
