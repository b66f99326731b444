//! The command line itself: help, usage errors, JSON, pipes; commands that need no proof.

mod common;

use common::Folder;

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new("help");
    let commands = [
        "",
        "whir",
        "whir prove",
        "whir commit",
        "whir estimate",
        "whir tune",
        "verkle",
        "verkle commit",
        "verkle prove",
        "verkle verify",
        "verkle witness",
        "verkle witness verify",
        "verkle tree",
        "bench verkle",
        "hash",
        "hash prove",
        "hash verify",
        "hash bench",
        "vm",
        "vm verify",
        "vm wrap",
        "riscv",
        "riscv run",
        "riscv profile",
        "riscv compare",
        "riscv disasm",
        "riscv input",
        "riscv check",
        "bench riscv",
        "xmss",
        "xmss keygen",
        "xmss sign",
        "xmss verify",
        "xmss info",
        "verify",
        "inspect",
        "info",
    ];
    for command in commands {
        for flag in ["-h", "--help"] {
            let help = folder.ok(&format!("{command} {flag}"));
            assert!(
                help.stdout.contains("EXAMPLES"),
                "{command} {flag}: {}",
                help.stdout
            );
            assert_eq!(help.stderr, "");
        }
    }
    assert!(folder.ok("").stdout.contains("Usage: prova"));
    assert!(folder.ok("--version").stdout.starts_with("prova "));
}

#[test]
fn wrong_arguments() {
    let folder = Folder::new("usage");
    folder.write("a", "x");
    let cases = [
        "nonsense",
        "whir nonsense",
        "whir prove",
        "whir prove a b",
        "whir prove a --random 1 --vars 4",
        "whir prove --random 1",
        "whir prove a --fold x",
        "whir prove a --fold 4,,4",
        "whir prove a --field goldilocks",
        "whir prove a --degree 6",
        "whir prove a --preset none",
        "whir prove a --points 0",
        "whir prove a --points 1 --at b",
        "whir prove a --threads 0",
        "whir prove a --mem-limit lots",
        "whir estimate",
        "whir tune --vars 20 --objective fame",
        "verkle prove",
        "verkle prove a --format x",
        "verkle prove a --at 1-",
        "verkle verify",
        "verkle witness verify a",
        "verkle tree",
        "bench verkle --openings 0",
        "bench verkle --arms x",
        "hash prove",
        "hash prove a --chain 00",
        "hash prove --chain 00 --steps 1",
        "hash verify",
        "hash bench --log-n 2",
        "vm verify",
        "vm wrap --proof x",
        "riscv run",
        "riscv run a --max-cycles x",
        "riscv profile",
        "riscv compare a",
        "riscv disasm",
        "riscv input a",
        "riscv check",
        "riscv check a --key-digest 00",
        "xmss keygen",
        "xmss sign key",
        "xmss verify --key 00",
        "xmss info",
        "verify",
        "inspect",
    ];
    for args in cases {
        folder.run(args).exits(2).says("error: ");
        let json = folder.run(&format!("{args} --json")).exits(2).json();
        assert_eq!(
            (&json["schema"], &json["code"]),
            (&"prova.error/1".into(), &2.into())
        );
    }
    let out_of_range = [
        ("whir prove a --fold 0", "folding factor"),
        ("whir prove a --log-inv-rate 0", "log inverse rate"),
        ("whir prove a --security 0", "security"),
        ("whir prove a --pow 99", "proof-of-work"),
        ("whir prove a --vars 41", "expected at most 40"),
        (
            "whir tune --vars 10 --columns 4096 --points 65535",
            "expected at most 67108864",
        ),
        ("whir estimate --vars 99", "expected at most 40"),
        ("whir estimate --vars 9999999", "expected at most 40"),
        (
            "whir estimate --vars 10 --columns 5000",
            "expected 1 to 4096",
        ),
        (
            "whir estimate --vars 10 --columns 4096 --points 65535",
            "expected at most 67108864",
        ),
    ];
    for (args, part) in out_of_range {
        folder.run(args).exits(2).says(part);
    }
    assert_eq!(folder.files(), ["a"]);
}

#[test]
fn info_says_what_build_and_machine_can_do() {
    let folder = Folder::new("info");
    let json = folder.json("info");
    assert_eq!(json["schema"], "prova.info/1");
    assert!(json["packing"]["babybear"].as_u64().expect("a width") >= 1);
    assert!(folder.ok("info").stdout.contains("threads"));
}

#[test]
fn the_estimate_of_a_file_is_that_of_its_shape() {
    let folder = Folder::new("estimate");
    folder.write("a", [1; 3000]);
    let by_file = folder.json("whir estimate a");
    let by_shape = folder.json("whir estimate --vars 10");
    assert_eq!(by_file, by_shape);
    folder.ok("whir estimate a");
    folder.ok("whir prove a");
    let bytes = folder.read("a.prova").len() as u64;
    assert!(bytes <= by_file["file_bytes_max"].as_u64().expect("bytes"));
    let inspected = folder.json("inspect a.prova");
    assert_eq!(
        by_file["statement_bytes"],
        inspected["sections"][2]["bytes"]
    );
}

#[test]
fn tuning_finds_schedules_that_work() {
    let folder = Folder::new("tune");
    for objective in ["time", "size", "verify"] {
        let json = folder.json(&format!("whir tune --vars 10 --objective {objective}"));
        let candidates = json["candidates"].as_array().expect("candidates");
        assert_eq!(candidates.len(), 5);
        let costs: Vec<f64> = candidates
            .iter()
            .map(|candidate| candidate["cost"].as_f64().expect("cost"))
            .collect();
        assert!(costs.is_sorted(), "{costs:?}");
        let command = candidates[0]["command"].as_str().expect("command");
        let command = command.replace("prova whir prove INPUT", "whir prove --random 1 --force");
        folder.ok(&command);
        folder.ok("verify proof.prova");
    }
    folder.ok("whir tune --vars 10");
    folder
        .run("whir tune --vars 10 --security-floor 300")
        .exits(2)
        .says("--security-floor");
    folder
        .run("whir tune --vars 20 --preset apple-90 --security 200")
        .exits(2);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new("pipe");
    let mut child = folder
        .command("whir estimate --vars 20")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("start the program");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("wait");
    common::Run::new("whir estimate", &output).exits(0);
    assert!(output.stderr.is_empty());
}
