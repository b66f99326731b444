//! C programs against the libraries: `tests/c/test.c` with the static one under AddressSanitizer
//! and UndefinedBehaviorSanitizer, `examples/minimal.c` with the shared one. They need a C compiler
//! with sanitizers, and a C++ compiler for the header; without one they fail.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use prova_verkle::tree::Tree;
use prova_verkle::{Fp, Setup};
use serde_json::Value;

const MANIFEST: &str = env!("CARGO_MANIFEST_DIR");

/// Runs a command, and fails with what it wrote if it does.
fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        output.status.success(),
        "{command:?}: {}\n{stdout}\n{stderr}",
        output.status
    );
    stdout
}

/// The C libraries. Cargo builds no libraries for tests to link, so this asks it to, in the same
/// folder and profile, where all they consist of is built already.
fn libraries() -> Vec<PathBuf> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = scratch.parent().expect("the target folder");
    let executable = std::env::current_exe().expect("this test");
    let profile = executable
        .ancestors()
        .nth(2)
        .and_then(Path::file_name)
        .and_then(|name| name.to_str())
        .map(|folder| if folder == "debug" { "dev" } else { folder })
        .expect("target/PROFILE/deps/TEST");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let messages = run(Command::new(cargo)
        .args(["build", "--lib", "--frozen", "--message-format", "json"])
        .args(["--profile", profile, "--manifest-path"])
        .arg(Path::new(MANIFEST).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target));
    messages
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| {
            let kinds = message["target"]["crate_types"].as_array();
            kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "staticlib"))
        })
        .flat_map(|message| message["filenames"].as_array().cloned().unwrap_or_default())
        .map(|name| PathBuf::from(name.as_str().expect("a path")))
        .collect()
}

fn library(extensions: &[&str]) -> PathBuf {
    libraries()
        .into_iter()
        .find(|path| {
            path.extension()
                .is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
        })
        .expect("built")
}

/// A compiler with the flags all programs have.
fn compiler(variable: &str, default: &str) -> Command {
    let name = std::env::var_os(variable).unwrap_or_else(|| default.into());
    let mut command = Command::new(name);
    command
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-g", "-I"])
        .arg(Path::new(MANIFEST).join("include"));
    command
}

/// A program's file name, in a folder of this test's own.
fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prova-verkle-ffi-{name}"))
}

#[test]
fn every_function_under_the_sanitizers() {
    let folder = program("vectors");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("vectors.h"), vectors()).expect("written");
    let program = program("test");
    run(compiler("CC", "cc")
        .args(["-std=c11", "-O1", "-fno-sanitize-recover=all"])
        .arg("-fsanitize=address,undefined")
        .arg("-I")
        .arg(&folder)
        .arg(Path::new(MANIFEST).join("tests/c/test.c"))
        .arg(library(&["a"]))
        .args(["-lpthread", "-ldl", "-lm", "-o"])
        .arg(&program));
    assert_eq!(run(&mut Command::new(program)), "all passed\n");
}

#[test]
fn minimal_example_with_the_shared_library() {
    let library = library(&["so", "dylib"]);
    let folder = library.parent().expect("a folder");
    let program = program("minimal");
    run(compiler("CC", "cc")
        .args(["-std=c99", "-O1"])
        .arg(Path::new(MANIFEST).join("examples/minimal.c"))
        .arg("-L")
        .arg(folder)
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .args(["-lprova_verkle", "-o"])
        .arg(&program));
    assert_eq!(run(&mut Command::new(program)), "the proof holds\n");
}

#[test]
fn header_is_cpp_too() {
    for standard in ["c++11", "c++20"] {
        run(compiler("CXX", "c++")
            .arg(format!("-std={standard}"))
            .args(["-fsyntax-only", "-x", "c++"])
            .arg(Path::new(MANIFEST).join("tests/c/header.cpp")));
    }
}

#[test]
fn example_in_the_documentation_is_the_file() {
    let document = include_str!("../../../docs/verkle-c-abi.md");
    let example = include_str!("../examples/minimal.c");
    assert!(document.contains(&format!("```c\n{example}```\n")));
}

fn json(name: &str) -> Value {
    let path = Path::new(MANIFEST).join("../verkle/vectors").join(name);
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn unhex(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a string");
    let digits = text.trim_start_matches("0x").as_bytes();
    let (pairs, []) = digits.as_chunks::<2>() else {
        panic!("an odd number of digits: {text}")
    };
    pairs
        .iter()
        .map(|pair| {
            let pair = str::from_utf8(pair).expect("text");
            u8::from_str_radix(pair, 16).expect("digits")
        })
        .collect()
}

fn coordinate(value: &Value) -> Fp {
    let bytes = unhex(value).try_into().expect("32 bytes");
    Fp::from_be_bytes(&bytes).expect("canonical")
}

fn blocks(add: &mut impl FnMut(&str, &[u8])) {
    let roots = json("blocks/roots.json");
    for block in [
        "valid_block_1",
        "valid_block_72",
        "invalid_block_72",
        "invalid_block_73",
    ] {
        let name = format!("{block}.json");
        let path = Path::new(MANIFEST)
            .join("../verkle/vectors/blocks")
            .join(&name);
        add(block, &std::fs::read(path).expect("a file"));
        add(&format!("{block}_root"), &unhex(&roots[name]["root"]));
    }
    // The second stem is absent, below an inner node that no other opening shows to be one.
    let setup = Setup::ethereum();
    let mut tree = Tree::new(&setup);
    let key = |first: u8, second: u8| {
        let mut key = [0; 32];
        key[..2].copy_from_slice(&[first, second]);
        key
    };
    for stem in [key(3, 0), key(5, 6), key(5, 100)] {
        tree.insert(&stem, [1; 32]);
    }
    let witness = tree.prove(&[key(3, 0), key(5, 50)]).expect("a witness");
    add("ambiguous_block", witness.to_json().as_bytes());
    add("ambiguous_block_root", tree.root().as_bytes());
}

/// What the C program compares with, from the published vectors.
fn vectors() -> String {
    let mut header = String::new();
    let mut add = |name: &str, bytes: &[u8]| {
        let _ = writeln!(header, "static const uint8_t {name}[{}] = {{", bytes.len());
        for line in bytes.chunks(16) {
            for byte in line {
                let _ = write!(header, "0x{byte:02x},");
            }
            header.push('\n');
        }
        header.push_str("};\n");
    };
    let all = json("vectors.json");
    add(
        "published_proof",
        &unhex(&all["micro_eth_signer_single"]["proof"]),
    );
    add("generator_0", &unhex(&all["crs"]["all"][0]));
    add(
        "bad_not_in_subgroup",
        &unhex(&all["bad_points_not_in_subgroup"]["hex"][0]),
    );
    let mut order = unhex(&all["constants"]["r"]);
    order.reverse();
    add("order", &order);

    let pedersen = &json("pedersen_commitment_test.json")[0];
    let scalars = pedersen["frs"].as_array().expect("a list");
    add(
        "pedersen_scalars",
        &scalars.iter().flat_map(unhex).collect::<Vec<_>>(),
    );
    add("pedersen_hash", &unhex(&pedersen["commitment"]));

    let primitive = |name: &str| json(&format!("jsign/{name}.json"))["testData"].clone();
    let name = "005_deserialize_point_not_in_curve";
    add(
        "bad_not_on_curve",
        &unhex(&primitive(name)["serializedPoint"]),
    );
    let name = "007_deserialize_point_x_bigger_than_field";
    add(
        "bad_not_canonical",
        &unhex(&primitive(name)["serializedPoint"]),
    );

    let point = primitive("003_serialize_lexicographically_highest");
    let x = coordinate(&point["serializedXCoordinate"]);
    let y = coordinate(&point["serializedYCoordinate"]);
    add(
        "point_compressed",
        &unhex(&point["expectedSerializedPoint"]),
    );
    add("point_uncompressed", &[x, y].map(Fp::to_le_bytes).concat());
    add("point_negated", &[-x, -y].map(Fp::to_le_bytes).concat());
    blocks(&mut add);
    header
}
