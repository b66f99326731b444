//! `prova verkle` end to end: real files, published vectors, bad input, interruption.

mod common;

use common::Folder;
use serde_json::{Value, json};

/// A published vector file of the library.
fn vector(name: &str) -> Vec<u8> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read(root.join("../verkle/vectors").join(name)).expect("a vector file")
}

fn unhex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("a string").trim_start_matches("0x");
    (0..digits.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal"))
        .collect()
}

#[test]
fn a_real_file_is_committed_opened_and_verified() {
    let folder = Folder::new("verkle-real");
    let input = include_bytes!("../../../Cargo.lock");
    folder.write("lock", input);
    let committed = folder.json("verkle commit lock");
    let proved = folder.json("verkle prove lock --at 0,7,200-202 --raw raw --queries-out queries");
    let vectors = (1 + input.len().div_ceil(31)).div_ceil(256);
    let list = committed["commitments"].as_array().expect("a list");
    assert_eq!(list.len(), vectors);
    assert_eq!(proved["statement"]["openings"], 5 * vectors);
    assert_eq!(proved["statement"]["distinct_commitments"], vectors);
    let first = &proved["statement"]["records"][0];
    assert_eq!(first["commitment"], list[0]["commitment"]);
    // The first value is the length of the file.
    let mut length = [0; 32];
    length[..8].copy_from_slice(&(input.len() as u64).to_le_bytes());
    assert_eq!(unhex(&first["value"]), length);

    assert_eq!(folder.read("raw").len(), 576);
    assert_eq!(folder.read("queries").len(), 65 * 5 * vectors);
    assert_eq!(unhex(&proved["proof"]), folder.read("raw"));
    for command in [
        "verify lock.prova",
        "verkle verify lock.prova",
        "verkle verify lock.prova --queries queries --label verkle --threads 1",
        "verkle verify raw --queries queries",
    ] {
        let verified = folder.json(command);
        assert_eq!(verified["valid"], true, "{command}");
        assert_eq!(verified["statement"], proved["statement"], "{command}");
    }
    let inspected = folder.json("inspect lock.prova");
    assert_eq!(inspected["system"], "verkle");
    assert_eq!(inspected["statement"], proved["statement"]);
    assert!(folder.ok("inspect lock.prova").stdout.contains("statement"));
    assert!(folder.ok("verify lock.prova").stdout.contains("quantum"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = Folder::new("verkle-threads");
    folder.write("data", vec![7; 100_000]);
    let proofs: Vec<Vec<u8>> = [1, 2, 3]
        .iter()
        .map(|threads| {
            let out = format!("p{threads}");
            folder.ok(&format!(
                "verkle prove data --at 0-9 --threads {threads} --out {out}"
            ));
            folder.read(&out)
        })
        .collect();
    assert!(proofs.iter().all(|proof| *proof == proofs[0]));
}

/// f_i = i at 1 and 2, label `verkle`: published by an independent implementation.
#[test]
fn a_published_proof_both_ways() {
    let folder = Folder::new("verkle-published");
    let vectors: Value = serde_json::from_slice(&vector("vectors.json")).expect("JSON");
    let published = unhex(&vectors["micro_eth_signer_single"]["proof"]);
    let values: Vec<u64> = (0..256).collect();
    let input = json!({
        "polynomials": [values],
        "openings": [{ "polynomial": 0, "point": 1 }, { "polynomial": 0, "point": 2 }],
    });
    folder.write("input.json", input.to_string());
    folder.ok("verkle prove input.json --raw raw --queries-out queries");
    assert_eq!(folder.read("raw"), published);

    // The same through the binary layouts of existing bindings.
    let scalars: Vec<u8> = (0..256_u64)
        .flat_map(|i| [i.to_le_bytes().to_vec(), vec![0; 24]].concat())
        .collect();
    folder.write("scalars", &scalars);
    folder.ok("verkle prove scalars --format scalars --at 1,2 --raw raw2");
    assert_eq!(folder.read("raw2"), published);
    let queries = folder.read("queries");
    let record = |i: usize| {
        let (query, point) = (&queries[65 * i..65 * (i + 1)], i as u8 + 1);
        [&query[..32], &scalars, &[point], &query[33..]].concat()
    };
    folder.write("records", [record(0), record(1)].concat());
    folder.ok("verkle prove records --format queries --raw raw3");
    assert_eq!(folder.read("raw3"), published);

    folder.ok("verkle verify raw --queries queries");
    folder
        .run("verkle verify raw --queries queries --label vt")
        .exits(1)
        .says("rejected");
    // A wrong commitment or value beside a vector is found out.
    let mut wrong = record(0);
    wrong[31] ^= 1;
    folder.write("wrong", wrong);
    folder
        .run("verkle prove wrong --format queries")
        .exits(2)
        .says("query 0: the commitment");
    let mut wrong = record(0);
    wrong[32 + 8192] = 9;
    folder.write("wrong", wrong);
    folder
        .run("verkle prove wrong --format queries")
        .exits(2)
        .says("query 0: the value");
}

#[test]
fn every_altered_byte_of_a_bare_proof_is_refused() {
    let folder = Folder::new("verkle-tamper");
    folder.write("data", "some data");
    folder.ok("verkle prove data --raw raw --queries-out queries");
    let proof = folder.read("raw");
    for word in 0..18 {
        let mut altered = proof.clone();
        altered[32 * word + 20] ^= 4;
        folder.write("altered", altered);
        let run = folder.run("verkle verify altered --queries queries");
        assert!(
            matches!(run.code, Some(1 | 2)),
            "word {word}: {:?} {}",
            run.code,
            run.stderr
        );
    }
    let queries = folder.read("queries");
    let mut other = queries.clone();
    other[33] ^= 1;
    folder.write("other", other);
    folder
        .run("verkle verify raw --queries other")
        .exits(1)
        .says("rejected");
    folder
        .run("verkle verify data.prova --queries other")
        .exits(1)
        .says("opening 0 differs");
    folder
        .run("verkle verify data.prova --label vt")
        .exits(1)
        .says("expected vt, got verkle");
    folder.write("two", [queries.clone(), queries.clone()].concat());
    folder
        .run("verkle verify data.prova --queries two")
        .exits(1)
        .says("expected 2 openings, got 1");
    folder
        .run("verkle verify raw --queries two")
        .exits(1)
        .says("rejected");
}

#[test]
fn malformed_files() {
    let folder = Folder::new("verkle-malformed");
    folder.write("data", "some data");
    folder.ok("verkle prove data --raw raw --queries-out queries");
    let (proof, queries) = (folder.read("raw"), folder.read("queries"));
    for length in [0, 1, 31, 32, 544, 575, 577] {
        let mut bytes = proof.clone();
        bytes.resize(length, 0);
        folder.write("short", bytes);
        folder
            .run("verkle verify short --queries queries")
            .exits(2)
            .says("576");
    }
    folder
        .run("verkle verify raw")
        .exits(2)
        .says("see --queries");
    for length in [0, 64, 66] {
        let mut bytes = queries.clone();
        bytes.resize(length, 0);
        folder.write("short", bytes);
        folder
            .run("verkle verify raw --queries short")
            .exits(2)
            .says("records of 65 bytes");
    }
    // A value that is not canonical, a commitment that is no point.
    let mut bytes = queries.clone();
    bytes[33..].fill(0xff);
    folder.write("bad", &bytes);
    folder
        .run("verkle verify raw --queries bad")
        .exits(2)
        .says("not below the group's order");
    let mut bytes = queries;
    bytes[..32].fill(0xff);
    folder.write("bad", &bytes);
    folder
        .run("verkle verify raw --queries bad")
        .exits(2)
        .says("opening 0, commitment");
    // A final scalar that is not canonical.
    let mut bytes = proof;
    bytes[544..].fill(0xff);
    folder.write("bad", &bytes);
    folder
        .run("verkle verify bad --queries queries")
        .exits(2)
        .says("final scalar");
    // Proof files cut at every place of the header, and elsewhere.
    let file = folder.read("data.prova");
    for length in (0..40).chain([100, file.len() - 1]) {
        folder.write("cut", &file[..length]);
        folder.run("verify cut").exits(2).says("cut");
    }
    let mut bytes = file;
    bytes[32] = 2;
    folder.write("group", &bytes);
    folder.run("verify group").exits(2).says("group 1");
}

#[test]
fn bad_input() {
    let folder = Folder::new("verkle-bad");
    folder.write("data", "some data");
    let order = "0x1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1";
    for (text, says) in [
        ("", "EOF"),
        ("[", "EOF"),
        ("{}", "polynomials: expected a list, got nothing"),
        (r#"{"polynomials": 1}"#, "polynomials: expected a list"),
        (r#"{"polynomials": []}"#, "expected at least one vector"),
        (
            r#"{"polynomials": [1]}"#,
            "polynomials[0]: expected a list or an object",
        ),
        (
            r#"{"polynomials": [[-1]]}"#,
            "polynomials[0][0]: expected an integer",
        ),
        (
            r#"{"polynomials": [{"256": 1}]}"#,
            "polynomials[0].256: expected a position",
        ),
        (
            r#"{"polynomials": [[1]], "openings": 1}"#,
            "openings: expected a list",
        ),
        (
            r#"{"polynomials": [[1]], "openings": [{}]}"#,
            "openings[0].polynomial",
        ),
        (
            r#"{"polynomials": [[1]], "openings": [{"polynomial": 1, "point": 0}]}"#,
            "openings[0].polynomial: expected an integer below 1",
        ),
        (
            r#"{"polynomials": [[1]], "openings": [{"polynomial": 0, "point": 256}]}"#,
            "openings[0].point: expected an integer below 256",
        ),
    ] {
        folder.write("bad.json", text);
        folder.run("verkle prove bad.json").exits(2).says(says);
    }
    folder.write("bad.json", json!({ "polynomials": [[order]] }).to_string());
    folder
        .run("verkle commit bad.json")
        .exits(2)
        .says("not below the group's order");
    folder.write(
        "bad.json",
        json!({ "polynomials": [vec![0; 257]] }).to_string(),
    );
    folder
        .run("verkle commit bad.json")
        .exits(2)
        .says("expected at most 256 values, got 257");

    folder
        .run("verkle commit missing")
        .exits(2)
        .says("cannot read missing");
    folder.run("verkle commit .").exits(2).says("is a folder");
    folder
        .run("verkle commit data --format scalars")
        .exits(2)
        .says("a multiple of 8192");
    folder
        .run("verkle prove data --format queries")
        .exits(2)
        .says("a multiple of 8257");
    folder.write("ones", vec![0xff; 8192]);
    folder
        .run("verkle commit ones --format scalars")
        .exits(2)
        .says("vector 0, value 0");
    for at in ["256", "3-1", "x", ""] {
        folder
            .run(&format!("verkle prove data --at={at}"))
            .exits(2)
            .says("--at");
    }
    folder
        .run(&format!("verkle prove data --label {}", "x".repeat(256)))
        .exits(2)
        .says("255");
    folder
        .run("verkle prove data --out data")
        .exits(2)
        .says("the input");
    folder
        .run("verkle prove data --out p --raw p")
        .exits(2)
        .says("named twice");
    folder
        .run("verkle prove data --out no/p")
        .exits(2)
        .says("cannot write no/p");
    folder
        .run("verkle prove data --mem-limit 1MiB")
        .exits(3)
        .says("not enough memory");
    folder.ok("verkle prove data");
    folder
        .run("verkle prove data")
        .exits(2)
        .says("exists already");
    folder.ok("verkle prove data --force");
    folder
        .run("verify data.prova --preset johnson-100")
        .exits(2)
        .says("a Verkle proof");
    folder
        .run("verify data.prova --min-security 127")
        .exits(1)
        .says("expected at least 127 bits");
    folder.ok("verify data.prova --min-security 126");
    // An empty file has a length, so there is something to commit to.
    folder.write("empty", "");
    folder.ok("verkle prove empty --at 0-255");
    folder.ok("verify empty.prova");
    assert!(folder.files().iter().all(|name| !name.contains("tmp")));
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_prover_and_leaves_no_file() {
    let folder = Folder::new("verkle-signal");
    // About 800,000 openings: seconds of work.
    folder.write("data", vec![1; 25 << 20]);
    folder.interrupted("verkle prove data --at 0-239 --threads 1 --json", 500);
    assert_eq!(folder.files(), ["data"]);
}
