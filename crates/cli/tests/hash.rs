//! `prova hash` end to end: real files, expectations, bad input, limits, interruption.

mod common;

use common::Folder;

#[test]
fn digests_of_a_real_file() {
    let folder = Folder::new("hash-digests");
    let input = &include_bytes!("../../../README.md")[..3000];
    folder.write("data", input);
    let proved = folder.json("hash prove data --profile");
    let blocks = input.len().div_ceil(64);
    assert_eq!(proved["statement"]["count"], blocks);
    assert_eq!(
        proved["log_compressions"],
        blocks.next_power_of_two().ilog2()
    );
    assert!(
        proved["stages_ms"]
            .as_object()
            .is_some_and(|stages| stages.len() == 7)
    );
    assert!(
        proved["security"]["bits"]
            .as_f64()
            .is_some_and(|bits| bits >= 128.0)
    );

    let digests: Vec<String> = proved["statement"]["digests"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|digest| digest.as_str().expect("a string").to_string())
        .collect();
    assert_eq!(digests.len(), blocks);
    let bytes: Vec<u8> = digests
        .iter()
        .flat_map(|digest| {
            (0..32).map(|i| u8::from_str_radix(&digest[2 * i..2 * i + 2], 16).expect("hex"))
        })
        .collect();
    folder.write("digests", &bytes);
    for command in [
        "verify data.prova".to_string(),
        "hash verify data.prova".to_string(),
        format!("hash verify data.prova --digests digests --count {blocks}"),
    ] {
        let verified = folder.json(&command);
        assert_eq!(verified["valid"], true, "{command}");
        assert_eq!(verified["statement"], proved["statement"], "{command}");
    }
    let inspected = folder.json("inspect data.prova");
    assert_eq!(inspected["system"], "hash-batch");
    assert_eq!(inspected["statement"], proved["statement"]);
    assert!(
        folder
            .ok("hash verify data.prova --bounds")
            .stdout
            .lines()
            .count()
            > 12
    );

    let mut other = bytes.clone();
    other[5] ^= 1;
    folder.write("other", &other);
    folder
        .run("hash verify data.prova --digests other")
        .exits(1)
        .says("the digests differ");
    folder.write("other", &bytes[1..]);
    folder
        .run("hash verify data.prova --digests other")
        .exits(2)
        .says("digests of 32 bytes");
    folder
        .run("hash verify data.prova --count 5")
        .exits(1)
        .says("count: expected 5");
    let zeros = "00".repeat(32);
    folder
        .run(&format!("hash verify data.prova --root {zeros}"))
        .exits(1)
        .says("the statement has no root");
    folder
        .run("verify data.prova --min-security 140")
        .exits(1)
        .says("expected at least 140 bits");
}

/// RFC 7693's function on one block, by the prover's own report of a one-block file, against the
/// published digest of 64 zero bytes.
#[test]
fn a_known_digest() {
    let folder = Folder::new("hash-known");
    folder.write("zeros", [0; 64]);
    let proved = folder.json("hash prove zeros");
    // Computed with Python's hashlib.blake2s.
    assert_eq!(
        proved["statement"]["digests"][0],
        "ae09db7cd54f42b490ef09b6bc541af688e4959bb8c53f359a6f56e38ab454a3"
    );
}

#[test]
fn trees_and_chains() {
    let folder = Folder::new("hash-trees");
    folder.write("data", vec![3; 1000]);
    let tree = folder.json("hash prove data --statement merkle --out tree --threads 1");
    let root = tree["statement"]["root"]
        .as_str()
        .expect("a string")
        .to_string();
    folder.ok(&format!("hash verify tree --root {root} --count 16"));
    let again = folder.json("hash prove data --statement merkle --out again --threads 3");
    assert_eq!(again["statement"], tree["statement"]);
    assert_eq!(folder.read("tree"), folder.read("again"));
    let other = root.replace('a', "b");
    if other != root {
        folder
            .run(&format!("hash verify tree --root {other}"))
            .exits(1)
            .says("root: expected");
    }

    let start = "11".repeat(32);
    let chain = folder.json(&format!("hash prove --chain {start} --steps 100"));
    let end = chain["statement"]["end"]
        .as_str()
        .expect("a string")
        .to_string();
    folder.ok(&format!(
        "hash verify chain.prova --start {start} --end {end} --count 100"
    ));
    folder
        .run(&format!("hash verify chain.prova --end {start}"))
        .exits(1)
        .says("end: expected");
}

#[test]
fn altered_proofs_are_refused() {
    let folder = Folder::new("hash-tamper");
    folder.write("data", vec![9; 640]);
    folder.ok("hash prove data");
    let file = folder.read("data.prova");
    let stride = file.len() / 40;
    for offset in (0..file.len()).step_by(stride) {
        let mut altered = file.clone();
        altered[offset] ^= 2;
        folder.write("altered", altered);
        let run = folder.run("hash verify altered");
        assert!(
            matches!(run.code, Some(1 | 2)),
            "byte {offset}: {:?} {}",
            run.code,
            run.stdout
        );
    }
    for length in [0, 8, 31, 32, 40, 100, file.len() / 2, file.len() - 1] {
        folder.write("cut", &file[..length]);
        folder.run("hash verify cut").exits(2).says("cut");
    }
}

#[test]
fn bad_input() {
    let folder = Folder::new("hash-bad");
    folder.write("data", "some data");
    folder.write("empty", "");
    folder
        .run("hash prove empty")
        .exits(2)
        .says("expected digests from 1");
    folder
        .run("hash prove missing")
        .exits(2)
        .says("cannot read missing");
    folder.run("hash prove .").exits(2).says("is a folder");
    folder
        .run("hash prove data --out data --force")
        .exits(2)
        .says("the input file");
    folder
        .run("hash prove data --out no/p")
        .exits(2)
        .says("cannot write no/p");
    let zeros = "00".repeat(32);
    folder
        .run(&format!("hash prove --chain {zeros} --steps 0"))
        .exits(2)
        .says("--steps");
    folder
        .run(&format!("hash prove --chain {zeros} --steps 9999999"))
        .exits(2)
        .says("--steps");
    folder.write("large", vec![5; 1 << 20]);
    folder
        .run("hash prove large --mem-limit 8MiB")
        .exits(3)
        .says("not enough memory");
    folder.ok("hash prove data");
    folder
        .run("hash prove data")
        .exits(2)
        .says("exists already");
    folder.ok("hash prove data --force --no-self-check --log-inv-rate 2");
    folder.ok("verify data.prova");
    folder
        .run("verify data.prova --preset johnson-100")
        .exits(2)
        .says("a proof of a batch");
    folder
        .run("verify data.prova --bytecode data")
        .exits(2)
        .says("a proof of a batch");
    folder
        .run("hash verify data")
        .exits(2)
        .says("not a proof file");
    assert!(folder.files().iter().all(|name| !name.contains("tmp")));
}

#[test]
fn bench_beside_a_peer() {
    let folder = Folder::new("hash-bench");
    let bench = "hash bench --log-n 3 --threads 1 --runs 1";
    let alone = folder.json(bench);
    assert_eq!(alone["rows"].as_array().map(Vec::len), Some(1));
    assert!(alone.get("peers").is_none());

    let both = folder.json(&format!("{bench} --against p3 --out results"));
    assert_eq!(both["rows"].as_array().map(Vec::len), Some(1));
    let peers = both["peers"].as_array().expect("a list");
    let fields: Vec<_> = peers.iter().map(|peer| &peer["field"]).collect();
    assert_eq!(fields, ["GF(2^128)", "GF(2^192)"]);
    for (peer, least) in peers.iter().zip([96.0, 125.0]) {
        let number = |name: &str| peer[name].as_f64().expect("a number");
        assert_eq!(number("log_n"), 3.0);
        assert!(number("security_bits") > least, "{peer}");
        assert!(
            number("proof_bytes") > 1e5 && number("peak_bytes") > 1e6,
            "{peer}"
        );
        let median = |name: &str| peer[name]["median"].as_f64().expect("a number");
        assert!(
            median("prove_ms") > 0.0 && median("verify_ms") > 0.0,
            "{peer}"
        );
        let ratio = both["rows"][0]["prove_ms"]["median"]
            .as_f64()
            .expect("a number")
            / median("prove_ms");
        assert!(
            (median("ours_to_peer") / ratio - 1.0).abs() < 1e-6,
            "{peer}"
        );
        assert!(median("ours_to_peer_cpu") > 0.0, "{peer}");
    }
    let written: serde_json::Value =
        serde_json::from_slice(&folder.read("results/hash.json")).expect("JSON");
    assert_eq!(written, both);
    let page = String::from_utf8(folder.read("results/hash.md")).expect("text");
    for part in [
        "--against p3`",
        "## Beside p3-blake2s-air",
        "| p3-blake2s-air, GF(2^192): WHIR, Johnson bound (proven) | 12",
    ] {
        assert!(page.contains(part), "{part:?} not in\n{page}");
    }

    let portable = folder.json(&format!("{bench} --arm portable"));
    let header = portable["header"].to_string();
    assert!(header.contains("kernels Portable") && header.contains(" --arm portable`"));
    assert_eq!(
        portable["rows"][0]["proof_bytes"],
        alone["rows"][0]["proof_bytes"]
    );

    // Ours fits where the peer does not: its row says why.
    let small = folder.json(&format!("{bench} --against p3 --mem-limit 48MiB"));
    for peer in small["peers"].as_array().expect("a list") {
        let why = peer["not_run"].as_str().expect("a reason");
        assert!(why.contains("not enough memory"), "{why}");
        assert!(peer.get("prove_ms").is_none());
    }
    folder
        .run("hash bench --against p4")
        .exits(2)
        .says("invalid value 'p4' for '--against <PEER>'");
}

#[cfg(unix)]
#[test]
fn a_signal_stops_a_bench_beside_a_peer() {
    let folder = Folder::new("hash-bench-signal");
    folder.interrupted(
        "hash bench --log-n 8 --threads 1 --runs 1000 --against p3 --out results --json",
        1500,
    );
    assert!(!folder.exists("results/hash.json"));
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_prover_and_leaves_no_file() {
    let folder = Folder::new("hash-signal");
    folder.write("data", vec![1; 8 << 20]);
    folder.interrupted("hash prove data --threads 1 --json", 700);
    assert_eq!(folder.files(), ["data"]);
}
