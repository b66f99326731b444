//! `prova vm` end to end, with a proof that another implementation made.

mod common;

use common::Folder;

const FILES: [&str; 4] = [
    "bytecode.bin",
    "public_input.bin",
    "proof_wire.bin",
    "proof_raw.bin",
];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let vectors = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lean-vm/vectors");
    for file in FILES {
        folder.write(
            file,
            std::fs::read(vectors.join(file)).expect("a vector file"),
        );
    }
    folder
}

const ABOUT: &str = "--bytecode bytecode.bin --public-input public_input.bin";

#[test]
fn an_outside_proof_is_verified_and_wrapped() {
    let folder = folder("vm-outside");
    for (proof, form) in [
        ("proof_wire.bin", "pruned paths"),
        ("proof_raw.bin", "full paths"),
    ] {
        let verified = folder.json(&format!("vm verify {ABOUT} --proof {proof}"));
        assert_eq!(verified["form"], form);
        assert_eq!(verified["rows"], 917_512);
        assert!(
            verified["security_bits"]
                .as_f64()
                .is_some_and(|bits| bits >= 128.0)
        );
        let wrapped = folder.json(&format!("vm wrap {ABOUT} --proof {proof}"));
        let file = format!("{proof}.prova");
        assert_eq!(wrapped["file"], file);
        let again = folder.json(&format!("verify {file} --bytecode bytecode.bin"));
        assert_eq!(again["root"], verified["root"]);
        let inspected = folder.json(&format!("inspect {file}"));
        assert_eq!(inspected["system"], "lean-vm");
        assert_eq!(
            inspected["statement"]["public_input"],
            verified["public_input"]
        );
    }
    let text = folder
        .ok(&format!(
            "vm verify {ABOUT} --proof proof_wire.bin --bounds"
        ))
        .stdout;
    assert!(
        text.contains("Johnson") && text.lines().count() > 12,
        "{text}"
    );
    assert!(
        folder
            .ok("inspect proof_raw.bin.prova")
            .stdout
            .contains("environment")
    );
}

#[test]
fn what_is_not_as_it_should_be_is_refused() {
    let folder = folder("vm-bad");
    folder.ok(&format!("vm wrap {ABOUT} --proof proof_wire.bin"));
    folder
        .run(&format!("vm wrap {ABOUT} --proof proof_wire.bin"))
        .exits(2)
        .says("exists already");
    folder
        .run("verify proof_wire.bin.prova")
        .exits(2)
        .says("see --bytecode");
    folder
        .run("verify proof_wire.bin.prova --bytecode bytecode.bin --preset johnson-100")
        .exits(2)
        .says("a lean VM proof");
    folder
        .run("verify proof_wire.bin.prova --bytecode bytecode.bin --min-security 150")
        .exits(1)
        .says("expected at least 150 bits");

    // Another program, another input, an altered proof.
    let mut bytes = folder.read("bytecode.bin");
    bytes[80_000] ^= 1;
    folder.write("other.bin", &bytes);
    folder
        .run("verify proof_wire.bin.prova --bytecode other.bin")
        .exits(1)
        .says("a proof of another program");
    let bare = "--public-input public_input.bin --proof proof_wire.bin";
    folder
        .run(&format!("vm verify --bytecode other.bin {bare}"))
        .exits(1)
        .says("proof_wire.bin");
    let mut input = folder.read("public_input.bin");
    input[0] ^= 1;
    folder.write("other_input.bin", &input);
    let run = "vm verify --bytecode bytecode.bin --proof proof_wire.bin --public-input";
    folder
        .run(&format!("{run} other_input.bin"))
        .exits(1)
        .says("proof_wire.bin");
    let proof = folder.read("proof_wire.bin");
    for offset in [30 * 24, proof.len() / 2, proof.len() - 40] {
        let mut altered = proof.clone();
        altered[offset] ^= 1;
        folder.write("altered.bin", &altered);
        let run = folder.run(&format!("vm verify {ABOUT} --proof altered.bin"));
        assert!(matches!(run.code, Some(1 | 2)), "{offset}: {:?}", run.code);
        let run = folder.run(&format!("vm wrap {ABOUT} --proof altered.bin"));
        assert!(matches!(run.code, Some(1 | 2)), "{offset}: {:?}", run.code);
        assert!(!folder.exists("altered.bin.prova"));
    }
    for length in [0, 7, 8, 24, 1000, proof.len() - 1] {
        folder.write("cut.bin", &proof[..length]);
        folder
            .run(&format!("vm verify {ABOUT} --proof cut.bin"))
            .exits(2)
            .says("cut.bin");
    }
    folder.write("cut.bin", &input[..31]);
    folder
        .run(&format!("{run} cut.bin"))
        .exits(2)
        .says("expected 32 bytes of public input");
    folder.write("cut.bin", &bytes[..1000]);
    folder
        .run(&format!("vm verify --bytecode cut.bin {bare}"))
        .exits(2)
        .says("bytecode");
    folder
        .run(&format!("vm verify --bytecode missing {bare}"))
        .exits(2)
        .says("cannot read missing");
    let file = folder.read("proof_wire.bin.prova");
    let mut tag = file;
    tag[32] = 9;
    folder.write("tag.prova", &tag);
    folder
        .run("verify tag.prova --bytecode bytecode.bin")
        .exits(2)
        .says("profile 1");
}
