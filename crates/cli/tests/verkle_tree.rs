//! `prova verkle witness` and `prova verkle tree` end to end.

mod common;

use common::Folder;
use serde_json::Value;

/// A published vector file of the library.
fn vector(name: &str) -> Vec<u8> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read(root.join("../verkle/vectors").join(name)).expect("a vector file")
}

#[test]
fn witnesses_of_blocks() {
    let folder = Folder::new("verkle-witness");
    let roots: Value = serde_json::from_slice(&vector("blocks/roots.json")).expect("JSON");
    for (name, entry) in roots.as_object().expect("an object") {
        let Some(root) = entry.get("root").and_then(Value::as_str) else {
            continue;
        };
        folder.write(name, vector(&format!("blocks/{name}")));
        let args = format!("verkle witness verify {name} --root {root} --strict");
        if entry["valid"] == true {
            assert_eq!(folder.json(&args)["valid"], true, "{name}");
            let other = root.replace(['1', '2'], "3");
            let args = format!("verkle witness verify {name} --root {other}");
            assert_ne!(folder.run(&args).code, Some(0), "{name}");
        } else {
            // One has an altered stem, the other a commitment that is no element.
            let code = folder.run(&args).code;
            assert!(matches!(code, Some(1 | 2)), "{name}: {code:?}");
        }
    }
    let root = format!("--root {}", "00".repeat(32));
    let block = vector("blocks/valid_block_72.json");
    for length in [0, 1, 100, block.len() / 2, block.len() - 3] {
        folder.write("cut.json", &block[..length]);
        folder
            .run(&format!("verkle witness verify cut.json {root}"))
            .exits(2)
            .says("cut.json");
    }
    folder.write("cut.json", "{}");
    folder
        .run(&format!("verkle witness verify cut.json {root}"))
        .exits(2)
        .says("executionWitness: missing");
    folder
        .run("verkle witness verify cut.json --root 12")
        .exits(2)
        .says("64 hexadecimal digits");
}

/// `count` keys of different stems and some of the same, with values.
fn state(count: u32) -> Vec<(String, String)> {
    (0..count)
        .map(|i| {
            let word = |i: u32, last: u32| {
                let number = i.wrapping_mul(0x9e37_79b1);
                format!("{number:08x}{}{last:02x}", "5a".repeat(27))
            };
            (word(i / 2, i % 2 * 130), word(i + 7, 1))
        })
        .collect()
}

#[test]
fn a_tree_and_its_witness() {
    let folder = Folder::new("verkle-tree");
    let state = state(60);
    let lines: Vec<String> = state
        .iter()
        .map(|(key, value)| format!("{key},{value}"))
        .collect();
    folder.write(
        "state.csv",
        format!("key,value\n# a comment\n\n{}\n", lines.join("\n")),
    );
    let object: serde_json::Map<String, Value> = state
        .iter()
        .rev()
        .map(|(key, value)| (format!("0x{key}"), Value::from(value.clone())))
        .collect();
    folder.write("state.json", Value::from(object).to_string());

    let built = folder.json("verkle tree state.csv --witness all.json");
    assert_eq!(built["keys"], 60);
    let root = built["root"].as_str().expect("a string");
    // Neither the order of keys nor the format matters.
    assert_eq!(
        folder.json("verkle tree state.json --threads 1")["root"],
        root
    );
    let check = |file: &str| {
        folder.json(&format!(
            "verkle witness verify {file} --root {root} --strict"
        ))
    };
    let all = check("all.json");
    assert_eq!((&all["present"], &all["absent"]), (&60.into(), &0.into()));

    // One key that is there, one suffix and one stem that are not.
    let (present, _) = &state[0];
    let absent = format!("{}07", &present[..62]);
    let stranger = "77".repeat(32);
    folder.write("keys", format!("{present}\n{absent}\n0x{stranger}\n"));
    folder.ok("verkle tree state.csv --witness some.json --keys-from keys");
    let some = check("some.json");
    assert!(some["absent"] == 2, "{some}");
    let text = String::from_utf8(folder.read("some.json")).expect("text");
    let witness: Value = serde_json::from_str(&text).expect("JSON");
    let diff = witness["executionWitness"]["stateDiff"]
        .as_array()
        .expect("a list");
    assert!(
        diff.iter()
            .any(|stem| stem["stem"] == format!("0x{}", &stranger[..62]))
    );
    // A claim that the witness does not show.
    let value = "0x".to_string() + &state[0].1;
    assert!(text.contains(&value));
    folder.write(
        "forged.json",
        text.replace(&value, &format!("0x{}", "01".repeat(32))),
    );
    let args = format!("verkle witness verify forged.json --root {root}");
    folder.run(&args).exits(1).says("does not show");

    folder
        .run("verkle tree state.csv --witness all.json")
        .exits(2)
        .says("exists already");
    let args = format!("verkle tree state.csv --witness one.json --key {present} --bare");
    folder.ok(&args);
    folder.ok(&format!("verkle witness verify one.json --root {root}"));
}

#[test]
fn bad_trees() {
    let folder = Folder::new("verkle-bad-tree");
    let [key, value] = ["11".repeat(32), "22".repeat(32)];
    for (text, says) in [
        ("nonsense".to_string(), "line 1: expected KEY,VALUE"),
        (
            format!("{key},{value}\n{key}"),
            "line 2: expected KEY,VALUE",
        ),
        (
            format!("{key},{value}\n\n{key},{value}\n"),
            "line 3: key 11",
        ),
        (format!("{key},{value}00"), "line 1"),
        ("x".repeat(5000), "line 1: too long"),
    ] {
        folder.write("bad.csv", text);
        folder.run("verkle tree bad.csv").exits(2).says(says);
    }
    folder.write("bad.csv", [0xff, 0xfe, b'\n']);
    folder
        .run("verkle tree bad.csv")
        .exits(2)
        .says("line 1: not text");
    for (text, says) in [
        ("", "EOF"),
        ("[]", "an object from keys to values"),
        ("{\"1\": \"2\"}", "entry 1: expected a key"),
        ("{", "EOF"),
    ] {
        folder.write("bad.json", text);
        folder.run("verkle tree bad.json").exits(2).says(says);
    }
    folder.write("bad.json", format!("{{\"{key}\": 5}}"));
    folder.run("verkle tree bad.json").exits(2).says("bad.json");
    folder.write(
        "bad.json",
        format!("{{\"{key}\": \"{value}\", \"0x{key}\": \"{value}\"}}"),
    );
    folder
        .run("verkle tree bad.json")
        .exits(2)
        .says("entry 2: key 11");
    folder
        .run("verkle tree missing")
        .exits(2)
        .says("cannot read missing");
    folder.run("verkle tree .").exits(2).says("is a folder");
    folder.write("ok.csv", format!("{key},{value}"));
    folder
        .run("verkle tree ok.csv --key 11")
        .exits(2)
        .says("--key");
    folder
        .run("verkle tree ok.csv --mem-limit 1MiB")
        .exits(3)
        .says("not enough memory");
    // An empty tree has a root, and nothing to prove.
    folder.write("empty.csv", "");
    let zeros = "00".repeat(32);
    assert_eq!(folder.json("verkle tree empty.csv")["root"], zeros);
    folder
        .run("verkle tree empty.csv --witness w")
        .exits(2)
        .says("nothing to prove");
    folder.ok(&format!("verkle tree empty.csv --witness w --key {key}"));
    folder.ok(&format!("verkle witness verify w --root {zeros} --strict"));
    assert_eq!(
        folder
            .files()
            .iter()
            .filter(|name| name.contains("tmp"))
            .count(),
        0
    );
}
