//! `prova riscv` end to end, on the committed guests: runs, profiles, comparisons, bad programs,
//! limits, interruption.

mod common;

use std::path::Path;

use common::Folder;

/// A folder with some guests in it.
fn folder(name: &str, guests: &[&str]) -> Folder {
    let folder = Folder::new(name);
    let elf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guests/elf");
    for guest in guests {
        let file = format!("{guest}.elf");
        folder.write(&file, std::fs::read(elf.join(&file)).expect("a guest"));
    }
    folder
}

#[test]
fn runs_and_commits() {
    let folder = folder("riscv-run", &["hello", "empty"]);
    folder.write("name", "Ada");
    let run = folder.ok("riscv run hello.elf --input name --out output.bin");
    let output = String::from_utf8(folder.read("output.bin")).expect("text");
    assert!(output.contains("Ada"), "{output}");
    assert!(
        run.stderr.contains("Ada"),
        "what it printed: {}",
        run.stderr
    );
    assert!(run.stdout.contains("halted with code 0"), "{}", run.stdout);

    let json = folder.json("riscv run hello.elf --input-hex 416461 --quiet");
    assert_eq!(json["schema"], "prova.riscv.run/1");
    assert_eq!(json["exit"]["halted"], 0);
    let hex: String = output.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(json["output"], hex.as_str());
    assert_eq!(json["system_calls"]["commit"], 1);
    assert!(json["cycles"].as_u64() > Some(10));
    // The same run counts the same cycles.
    let again = folder.json("riscv run hello.elf --input name");
    assert_eq!(again["cycles"], json["cycles"]);
    assert_eq!(again["printed"], json["printed"]);

    folder
        .run("riscv run hello.elf --out output.bin")
        .exits(2)
        .says("output.bin");
    folder.ok("riscv run empty.elf --out output.bin --force");
    assert_eq!(folder.read("output.bin"), b"");
}

#[test]
fn guests_that_fail() {
    let folder = folder("riscv-fail", &["panics"]);
    folder
        .run("riscv run panics.elf --input-hex 63")
        .exits(1)
        .says("halted with code 7");
    // 'f': a formatted message; `exits` would take a guest's panic for one of the command.
    let run = folder.run("riscv run panics.elf --input-hex 6600 --json");
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("the input is 2 bytes long"),
        "{}",
        run.stderr
    );
    let json = run.json();
    assert_eq!(json["code"], 1);
    let message = json["run"]["exit"]["panicked"].as_str().expect("a message");
    assert!(message.contains("the input is 2 bytes long"), "{message}");
    // 'h': more memory than the machine has.
    let run = folder.run("riscv run panics.elf --input-hex 68");
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("exhausted"), "{}", run.stderr);
    // A profile of a failing guest is still written.
    folder
        .run("riscv profile panics.elf --input-hex 63 --out profile.json")
        .exits(1);
    let profile: serde_json::Value =
        serde_json::from_slice(&folder.read("profile.json")).expect("a profile");
    assert_eq!(profile["exit"], "halted with code 7");
}

#[test]
fn profiles() {
    let folder = folder("riscv-profile", &["markers", "sha256"]);
    let profile = folder.json("riscv profile markers.elf --out markers.json --folded stacks.txt");
    let cycles = profile["cycles"].as_u64().expect("a number");
    for table in ["functions", "inlined", "lines", "steps"] {
        let rows = profile[table].as_array().expect("rows");
        let sum: u64 = rows.iter().filter_map(|row| row["cycles"].as_u64()).sum();
        assert_eq!(sum, cycles, "{table}");
    }
    let stacks = String::from_utf8(folder.read("stacks.txt")).expect("text");
    let sum: u64 = stacks
        .lines()
        .map(|line| {
            line.rsplit_once(' ')
                .expect("cycles")
                .1
                .parse::<u64>()
                .expect("a number")
        })
        .sum();
    assert_eq!(sum, cycles);
    let steps: Vec<u64> = profile["markers"]
        .as_array()
        .expect("markers")
        .iter()
        .filter_map(|marker| marker["value"].as_u64())
        .collect();
    assert_eq!(steps, [1, 2, 3, 2, 3, 2047]);

    let text = folder
        .ok("riscv profile markers.elf --lines --top 3")
        .stdout;
    for part in ["step 2047", "source lines", "with callees", "cycles"] {
        assert!(text.contains(part), "{part} not in {text}");
    }
    folder
        .run("riscv profile markers.elf --out markers.json")
        .exits(2)
        .says("markers.json");
}

#[test]
fn comparisons() {
    let folder = folder("riscv-compare", &["sha256", "empty"]);
    folder.write("short", [1; 100]);
    folder.write("long", [1; 1000]);
    for (input, out) in [("short", "a"), ("long", "b"), ("short", "c")] {
        folder.ok(&format!(
            "riscv profile sha256.elf --input {input} --out {out}"
        ));
    }
    folder.ok("riscv compare a c --max-growth 0");
    let changed = folder.json("riscv compare a b");
    assert!(changed["growth_percent"].as_f64() > Some(10.0));
    assert_eq!(changed["comparison"]["same_output"], false);
    folder
        .run("riscv compare a b --max-growth 2")
        .exits(1)
        .says("outputs differ");
    folder.ok("riscv profile empty.elf --out e");
    assert!(
        folder
            .ok("riscv compare e e")
            .stdout
            .contains("are the same")
    );
    for (args, part) in [
        ("riscv compare a short", "expected a profile"),
        ("riscv compare a none", "none"),
        ("riscv compare a b --max-growth=-1", "--max-growth"),
        ("riscv compare a", "AFTER"),
    ] {
        folder.run(args).exits(2).says(part);
    }
    let mut other = String::from_utf8(folder.read("a")).expect("text");
    other = other.replace("\"version\": 1", "\"version\": 2");
    folder.write("other", other);
    folder.run("riscv compare a other").exits(2).says("version");
}

#[test]
fn disassembly() {
    let folder = folder("riscv-disasm", &["hello"]);
    let all = folder.json("riscv disasm hello.elf");
    let all = all["instructions"].as_array().expect("rows").len();
    let some = folder.json("riscv disasm hello.elf --function main");
    let some = some["instructions"].as_array().expect("rows");
    assert!(!some.is_empty() && some.len() < all);
    let text = folder
        .ok("riscv disasm hello.elf --from 0x400000 --count 5")
        .stdout;
    assert_eq!(
        text.lines().filter(|line| line.starts_with("  ")).count(),
        5
    );
    folder
        .run("riscv disasm hello.elf --function nothing-like-it")
        .exits(2)
        .says("no instruction");
}

#[test]
fn bad_programs_and_limits() {
    let folder = folder("riscv-bad", &["hello", "fibonacci"]);
    let elf = folder.read("hello.elf");
    folder.write("empty", []);
    folder.write("cut", &elf[..elf.len().min(200)]);
    let mut other = elf.clone();
    other[4] = 2;
    folder.write("wide", &other);
    let mut other = elf.clone();
    other[24] |= 1;
    folder.write("odd", &other);
    for file in ["empty", "cut", "wide", "odd", "none"] {
        for command in ["run", "profile", "disasm"] {
            folder
                .run(&format!("riscv {command} {file}"))
                .exits(2)
                .says(file);
        }
    }
    for (args, part) in [
        ("riscv run hello.elf --memory 1KiB", "RAM"),
        ("riscv run hello.elf --memory 4GiB", "--memory"),
        ("riscv run hello.elf --input none", "none"),
        ("riscv run hello.elf --input-hex 123", "--input-hex"),
        ("riscv run hello.elf --input-hex zz", "--input-hex"),
        (
            "riscv run hello.elf --input hello.elf --input-hex 00",
            "cannot be used",
        ),
        ("riscv run", "PROGRAM"),
        ("riscv disasm hello.elf --from zz", "address"),
    ] {
        folder.run(args).exits(2).says(part);
    }
    folder
        .run("riscv run hello.elf --max-cycles 10")
        .exits(3)
        .says("limit of 10");
    folder
        .run("riscv profile hello.elf --max-cycles 10 --out p.json")
        .exits(3)
        .says("limit of 10");
    assert!(!folder.exists("p.json"));
}

/// Markers that a profiled run met.
fn markers(folder: &Folder, profile: &str) -> Vec<u64> {
    let profile = folder.json(profile);
    let markers = profile["markers"].as_array().expect("markers");
    markers
        .iter()
        .filter_map(|marker| marker["value"].as_u64())
        .collect()
}

/// Copies of committed proofs.
fn vectors(folder: &Folder, files: &[&str]) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for file in files {
        let name = file.rsplit('/').next().expect("a name");
        folder.write(
            name,
            std::fs::read(crates.join(file)).expect("a committed proof"),
        );
    }
}

#[test]
fn a_whir_proof_inside_the_machine() {
    let folder = folder("riscv-whir", &["whir-cached", "whir-call"]);
    folder.write("data", include_bytes!("../src/main.rs"));
    let prove = "whir prove data --hash poseidon2-16 --preset recursion-100";
    folder.ok(prove);
    let made = folder.json("riscv input data.prova --out input.bin --key-out key.bin");
    let digest = made["key_digest"].as_str().expect("hexadecimal").to_owned();

    // Inside and outside: the same bytes, which begin with the key's digest.
    let native = folder.json("riscv check input.bin");
    for guest in ["whir-cached", "whir-call"] {
        let inside = folder.json(&format!("riscv run {guest}.elf --input input.bin"));
        assert_eq!(inside["output"], native["output"], "{guest}");
    }
    assert!(
        native["output"]
            .as_str()
            .is_some_and(|output| output.starts_with(&digest))
    );
    folder.ok(&format!("riscv check input.bin --key-digest {digest}"));
    let other = digest.replace(
        &digest[..1],
        if digest.starts_with('0') { "1" } else { "0" },
    );
    folder
        .run(&format!("riscv check input.bin --key-digest {other}"))
        .exits(1)
        .says("expected");

    // Steps in their order, round by round.
    let steps = markers(&folder, "riscv profile whir-cached.elf --input input.bin");
    let rounds = steps
        .strip_prefix(&[1, 2, 3])
        .and_then(|steps| steps.strip_suffix(&[5, 6, 7]))
        .expect("beginning and end");
    assert!(!rounds.is_empty());
    assert!(
        rounds.chunks(4).all(|round| round == [4, 5, 6, 3]),
        "{rounds:?}"
    );

    // Another proof of the same form has the same key; other parameters another.
    folder.write("data", [3; 3000]);
    folder.ok(&format!("{prove} --vars 12 --force"));
    let before =
        folder.json("riscv input data.prova --out input.bin --force")["key_digest"].clone();
    folder.write("data", [4; 3000]);
    folder.ok(&format!("{prove} --vars 12 --force"));
    let again = folder.json("riscv input data.prova --out input.bin --force")["key_digest"].clone();
    assert_eq!(before, again);
    folder.ok(&format!("{prove} --vars 12 --pow 12 --force"));
    let changed =
        folder.json("riscv input data.prova --out input.bin --force")["key_digest"].clone();
    assert_ne!(before, changed);

    // An altered proof: an error code inside, exit code 1 or 2 outside.
    let input = folder.read("input.bin");
    let mut altered = input.clone();
    let place = altered.len() - 40;
    altered[place] ^= 1;
    folder.write("altered", &altered);
    let run = folder
        .run("riscv run whir-cached.elf --input altered")
        .exits(1);
    assert!(
        run.stderr.contains("halted with code 4"),
        "a rejection: {}",
        run.stderr
    );
    folder.run("riscv check altered").exits(1).says("altered");
    folder.write("cut", &input[..input.len() - 16]);
    let run = folder.run("riscv run whir-cached.elf --input cut").exits(1);
    assert!(
        run.stderr.contains("halted with code 1"),
        "malformed: {}",
        run.stderr
    );
    folder.run("riscv check cut").exits(2).says("cut");
    folder.write("empty", []);
    folder.run("riscv check empty").exits(2).says("empty");

    folder
        .run("riscv input data.prova --out input.bin")
        .exits(2)
        .says("input.bin");
    folder.run("riscv input data --out x").exits(2).says("data");
    folder.ok("whir prove data --hash blake3 --force");
    folder
        .run("riscv input data.prova --out x")
        .exits(2)
        .says("hash suite");
}

#[test]
fn a_stark_proof_inside_the_machine() {
    let folder = folder("riscv-stark", &["fri-call"]);
    vectors(
        &folder,
        &[
            "stark-verify/vectors/fibonacci-84.proof",
            "stark-verify/vectors/fibonacci-84.key",
            "stark-verify/vectors/fibonacci-1.key",
            "stark-verify/vectors/fibonacci-1.proof",
        ],
    );
    let (proof, key) = ("fibonacci-84.proof", "--verifying-key fibonacci-84.key");
    let valid = folder.json(&format!("verify {proof} {key}"));
    assert_eq!(valid["security"]["bits"], 92.0);
    folder
        .run(&format!("verify {proof}"))
        .exits(2)
        .says("--verifying-key");
    folder
        .run(&format!("verify {proof} --verifying-key fibonacci-1.key"))
        .exits(2)
        .says("expected");
    folder
        .run(&format!("verify {proof} {key} --no-conjecture"))
        .exits(1)
        .says("conjecture");
    folder
        .run("verify fibonacci-1.proof --verifying-key fibonacci-1.key")
        .exits(1)
        .says("security");
    folder
        .run(&format!("verify {proof} --verifying-key {proof}"))
        .exits(2)
        .says("verifying key");
    assert!(
        folder
            .ok(&format!("inspect {proof}"))
            .stdout
            .contains("stark")
    );

    let made = folder.json(&format!("riscv input {proof} {key} --out input.bin"));
    let digest = made["key_digest"].as_str().expect("hexadecimal");
    let native = folder.json("riscv check input.bin");
    let inside = folder.json("riscv run fri-call.elf --input input.bin");
    assert_eq!(inside["output"], native["output"]);
    assert!(
        native["output"]
            .as_str()
            .is_some_and(|output| output.starts_with(digest))
    );

    assert_eq!(
        markers(&folder, "riscv profile fri-call.elf --input input.bin"),
        [1, 2, 3, 4, 5, 6]
    );
    // Under another key: what the guest says of it.
    folder.write(
        "mixed",
        [
            folder.read("fibonacci-1.key"),
            folder.read("fibonacci-84.proof"),
        ]
        .concat(),
    );
    folder
        .run("riscv run fri-call.elf --input mixed")
        .exits(1)
        .says("halted with code 258");
    folder.run("riscv check mixed").exits(2).says("mixed");
    let mut other = folder.read("fibonacci-84.key");
    other[900] ^= 1;
    folder.write(
        "forged",
        [other, folder.read("fibonacci-84.proof")].concat(),
    );
    folder
        .run("riscv run fri-call.elf --input forged")
        .exits(1)
        .says("halted with code 512");
    folder
        .run("riscv check forged")
        .exits(1)
        .says("another verifying key");

    let bytes = folder.read("fibonacci-84.proof");
    let mut altered = bytes.clone();
    let place = bytes.len() - 4000;
    altered[place] ^= 1;
    folder.write("altered", &altered);
    folder
        .run(&format!("verify altered {key}"))
        .exits(1)
        .says("rejected");
    folder.ok(&format!("riscv input altered {key} --out bad.bin"));
    let run = folder
        .run("riscv run fri-call.elf --input bad.bin")
        .exits(1);
    assert!(
        run.stderr.contains("halted with code 5"),
        "a rejection: {}",
        run.stderr
    );
    folder.write("cut", &bytes[..bytes.len() - 8]);
    folder.run(&format!("verify cut {key}")).exits(2);
}

/// The table that is checked in, run again: cycles may not grow by more than 2 %.
#[test]
fn guests_do_not_get_slower() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = std::fs::read(root.join("bench/results/riscv.json")).expect("the table");
    let table: serde_json::Value = serde_json::from_slice(&table).expect("JSON");
    let folder = Folder::new("riscv-bench");
    let run = folder.json(&format!("bench riscv --root {}", root.display()));
    let (before, after) = (table["rows"].as_array(), run["rows"].as_array());
    let (before, after) = (before.expect("rows"), after.expect("rows"));
    assert_eq!(
        before.len(),
        after.len(),
        "write the table again: prova bench riscv --out bench/results"
    );
    for (before, after) in before.iter().zip(after) {
        let name = (&after["guest"], &after["proof"]);
        assert_eq!((&before["guest"], &before["proof"]), name);
        assert_eq!(
            before["output"], after["output"],
            "{name:?} commits other bytes"
        );
        let cycles = |row: &serde_json::Value| row["cycles"].as_u64().expect("a number");
        assert!(
            cycles(after) * 100 <= cycles(before) * 102,
            "{name:?}: {} cycles, at most 2 % over {} allowed",
            cycles(after),
            cycles(before)
        );
    }
    folder.run("bench riscv").exits(2).says("guests/elf");
    folder
        .run(&format!(
            "bench riscv --root {} --only nothing",
            root.display()
        ))
        .exits(2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_run() {
    let folder = folder("riscv-interrupt", &["keccak-chain"]);
    let many = "--input-hex ffffffff";
    folder.interrupted(
        &format!("riscv run keccak-chain.elf {many} --out out --json"),
        700,
    );
    folder.interrupted(
        &format!("riscv profile keccak-chain.elf {many} --out out"),
        700,
    );
    assert_eq!(folder.files(), ["keccak-chain.elf"]);
}
