//! `prova verify` and `prova inspect`, end to end: damage, other expectations.

mod common;

use common::Folder;

fn proof(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.ok("whir prove --random 1 --vars 5 --columns 2 --out p");
    folder
}

#[test]
fn no_flipped_byte_is_accepted() {
    let folder = proof("flipped");
    let good = folder.read("p");
    let head = 32 + 16 + 96;
    let places = (0..head)
        .chain((head..good.len()).step_by(13))
        .filter(|&at| at < good.len());
    for at in places {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        folder.write("bad", &bad);
        for (command, allowed) in [("verify --min-security 1", &[1, 2]), ("inspect", &[0, 2])] {
            let run = folder.run(&format!("{command} bad"));
            assert!(
                !run.stderr.contains("panicked"),
                "byte {at}: {}",
                run.stderr
            );
            let code = run.code.expect("an exit code");
            assert!(
                allowed.contains(&code),
                "{command}, byte {at}: {code}\n{}",
                run.stdout
            );
        }
    }
}

#[test]
fn damaged_files() {
    let folder = proof("damaged");
    let good = folder.read("p");
    folder.write("empty", []);
    folder.write(
        "text",
        "this is no proof file at all, but it is longer than a header",
    );
    folder.write("short", &good[..20]);
    folder.write("cut", &good[..good.len() - 16]);
    folder.write("longer", [good.as_slice(), &[0]].concat());
    let mut other = good.clone();
    other[8] = 4;
    folder.write("other", &other);
    let mut version = good;
    version[10] = 9;
    folder.write("version", &version);
    let cases = [
        ("none", "cannot read none"),
        ("empty", "header"),
        ("text", "not a proof file"),
        ("short", "ends inside its header"),
        ("cut", "wrong file length"),
        ("longer", "wrong file length"),
        ("other", "not supported by this build"),
        ("version", "unsupported format version"),
    ];
    for (name, part) in cases {
        for command in ["verify", "inspect"] {
            folder.run(&format!("{command} {name}")).exits(2).says(part);
            let json = folder
                .run(&format!("{command} {name} --json"))
                .exits(2)
                .json();
            assert_eq!(json["code"], 2);
        }
    }
}

#[test]
fn a_wrong_proof_is_rejected() {
    let folder = proof("wrong");
    let mut bad = folder.read("p");
    // The first value of the statement: canonical, and another.
    let at = 32 + 16 + 8 + 32 + 2;
    bad[at] ^= 1;
    folder.write("bad", &bad);
    let rejected = folder.run("verify bad --json").exits(1);
    let json = rejected.json();
    assert_eq!(json["code"], 1);
    assert_eq!(json["schema"], "prova.error/1");
    folder.ok("inspect bad");
}

#[test]
fn what_the_verifier_expects_is_compared() {
    let folder = proof("expected");
    folder.ok("verify p");
    let inspected = folder.json("inspect p");
    let root = inspected["statement"]["commitment"]
        .as_str()
        .expect("text")
        .to_string();
    let other = root.replace(&root[..1], if root.starts_with('0') { "1" } else { "0" });
    let bits = inspected["security"]["union_bits"]
        .as_f64()
        .expect("a number");
    let (below, above) = (bits - 0.5, bits + 0.5);
    let good = [
        format!("--commitment {root}"),
        format!("--commitment 0x{}", root.to_uppercase()),
        format!("--min-security {below}"),
        "--no-conjecture".to_string(),
        "--preset johnson-100".to_string(),
        "--fold 4 --hash blake3 --field koalabear --degree 5 --security 100".to_string(),
    ];
    for options in good {
        folder.ok(&format!("verify p {options}"));
    }
    let bad = [
        (format!("--commitment {other}"), "commitment: expected"),
        (
            format!("--min-security {above}"),
            "security: expected at least",
        ),
        (
            "--min-security nan".to_string(),
            "security: expected at least",
        ),
        (
            "--preset unique-100".to_string(),
            "extension degree: expected 4, got 5",
        ),
        ("--fold 3".to_string(), "folding: expected 3, got 4"),
        ("--pow 20".to_string(), "proof-of-work ceiling"),
    ];
    for (options, part) in bad {
        folder
            .run(&format!("verify p {options}"))
            .exits(1)
            .says(part);
    }
    folder
        .run("verify p --commitment 12")
        .exits(2)
        .says("64 hexadecimal digits");
}

#[test]
fn an_expected_statement_is_compared() {
    let folder = proof("statement");
    let mut json = folder.json("inspect p");
    folder.write("whole.json", json.to_string());
    folder.write("part.json", json["statement"].to_string());
    folder.write("variables.json", r#"{"num_variables": 5}"#);
    for name in ["whole", "part", "variables"] {
        folder.ok(&format!("verify p --statement {name}.json"));
    }
    json["statement"]["openings"][0]["values"][1][0] = 1.into();
    folder.write("other.json", json.to_string());
    folder
        .run("verify p --statement other.json")
        .exits(1)
        .says("opening 0, values");
    folder.write("unknown.json", r#"{"variables": 5}"#);
    folder
        .run("verify p --statement unknown.json")
        .exits(2)
        .says("unknown field");
    folder
        .run("verify p --statement none.json")
        .exits(2)
        .says("none.json");
}

#[test]
fn a_conjecture_is_named_and_can_be_refused() {
    let folder = Folder::new("conjecture");
    let proved = folder.ok("whir prove --random 1 --vars 10 --preset apple-90 --out p");
    let verified = folder.ok("verify p");
    let inspected = folder.ok("inspect p");
    let estimated = folder.ok("whir estimate --vars 10 --preset apple-90");
    let tuned = folder.ok("whir tune --vars 10 --preset apple-90");
    for run in [proved, verified, inspected, estimated, tuned] {
        assert!(
            run.stdout.contains("CONJECTURE"),
            "{}: {}",
            run.args,
            run.stdout
        );
    }
    folder
        .run("verify p --no-conjecture")
        .exits(1)
        .says("CONJECTURE");
    assert_eq!(folder.json("verify p")["security"]["conjecture"], true);
}
