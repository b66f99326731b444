//! Execution witnesses: real blocks, and every way to get one wrong.
#![cfg(feature = "witness")]

#[path = "support/witness.rs"]
mod blocks;
mod support;

use blocks::{alterations, block, root, setup};
use proptest::prelude::*;
use prova_verkle::witness::{
    ExecutionWitness, Stem, StemDiff, SuffixDiff, WitnessError, verify_prestate,
};
use prova_verkle::{PointError, VerifyError};
use serde_json::{Value, json};

const VALID: [&str; 2] = ["valid_block_1.json", "valid_block_72.json"];

fn read(name: &str) -> ExecutionWitness {
    ExecutionWitness::from_json(block(name).as_bytes()).expect("a witness")
}

#[test]
fn valid_blocks_are_accepted() {
    let summary = verify_prestate(setup(), &root(VALID[0]), &read(VALID[0])).expect("valid");
    assert_eq!((summary.stems, summary.present, summary.absent), (1, 0, 1));
    assert_eq!((summary.commitments, summary.openings), (2, 3));
    assert!(summary.ambiguous.is_empty());

    let summary = verify_prestate(setup(), &root(VALID[1]), &read(VALID[1])).expect("valid");
    assert_eq!((summary.stems, summary.present, summary.absent), (5, 16, 5));
    assert_eq!((summary.commitments, summary.openings), (14, 65));
    assert!(summary.ambiguous.is_empty());
}

#[test]
fn invalid_blocks_are_rejected() {
    let name = "invalid_block_72.json";
    let error = verify_prestate(setup(), &root(name), &read(name)).unwrap_err();
    assert!(error.is_rejection(), "{error}");

    let name = "invalid_block_73.json";
    let error = verify_prestate(setup(), &root(name), &read(name)).unwrap_err();
    assert!(matches!(error, WitnessError::Point { .. }), "{error}");
    assert!(!error.is_rejection());
}

#[test]
fn other_roots_are_rejected() {
    let witness = read(VALID[0]);
    let error = verify_prestate(setup(), &root(VALID[1]), &witness).unwrap_err();
    assert_eq!(error, WitnessError::Proof(VerifyError::Rejected));
    assert!(verify_prestate(setup(), &[0; 32], &witness).is_err());
    let error = verify_prestate(setup(), &[255; 32], &witness).unwrap_err();
    assert_eq!(
        error,
        WitnessError::Point {
            path: "root".into(),
            error: PointError::NotCanonical
        }
    );
}

#[test]
fn nothing_may_be_changed() {
    for name in VALID {
        let (witness, root) = (read(name), root(name));
        let mut multiproofs = 0;
        for (what, altered) in alterations(&witness) {
            match verify_prestate(setup(), &root, &altered) {
                Ok(summary) => panic!("{name}: {what}: {summary:?}"),
                Err(WitnessError::Proof(_)) => multiproofs += 1,
                Err(_) => {}
            }
        }
        assert!(multiproofs > 50, "{multiproofs} reached the multiproof");
    }
}

#[test]
fn values_after_the_block_are_not_part_of_the_statement() {
    let (mut witness, root) = (read(VALID[0]), root(VALID[0]));
    let suffix = &mut witness.state_diff[0].suffix_diffs[0];
    suffix.new_value = suffix.new_value.map(|_| [7; 32]);
    let summary = verify_prestate(setup(), &root, &witness).expect("valid");
    witness.state_diff[0].suffix_diffs[0].new_value = None;
    assert_eq!(verify_prestate(setup(), &root, &witness), Ok(summary));
}

#[test]
fn what_does_not_change_the_openings_may_change() {
    // Where one stem is absent since another is there, so is every other that would be there.
    let (witness, root) = (read(VALID[0]), root(VALID[0]));
    let mut neighbour = witness.clone();
    neighbour.state_diff[0].stem[1] ^= 1;
    neighbour.state_diff[0].suffix_diffs[0].suffix = 0;
    assert!(verify_prestate(setup(), &root, &neighbour).is_ok());
    // But not the one that is there.
    neighbour.state_diff[0].stem = witness.verkle_proof.other_stems[0];
    assert_eq!(
        verify_prestate(setup(), &root, &neighbour),
        Err(WitnessError::OtherStemInDifference { index: 0 })
    );
    neighbour.verkle_proof.other_stems.clear();
    assert_eq!(
        verify_prestate(setup(), &root, &neighbour),
        Err(WitnessError::OtherStemMissing { stem: 0, depth: 1 })
    );
}

#[test]
fn structural_errors_are_named() {
    let (witness, root) = (read(VALID[1]), root(VALID[1]));
    let error = |change: &dyn Fn(&mut ExecutionWitness)| {
        let mut witness = witness.clone();
        change(&mut witness);
        let error = verify_prestate(setup(), &root, &witness).unwrap_err();
        assert!(error.is_rejection());
        error
    };
    assert_eq!(
        error(&|w| w.state_diff.swap(0, 1)),
        WitnessError::StemOrder { index: 1 }
    );
    assert_eq!(
        error(&|w| w.state_diff[1].suffix_diffs.swap(2, 3)),
        WitnessError::SuffixOrder { stem: 1, index: 3 }
    );
    assert_eq!(
        error(&|w| w.state_diff[2].suffix_diffs.clear()),
        WitnessError::NoSuffixes { index: 2 }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.depth_extension_present.truncate(4)),
        WitnessError::StatusCount {
            expected: 5,
            got: 4
        }
    );
    for byte in [0x02, 0x0b, 0x0c, 0xff] {
        assert_eq!(
            error(&|w| w.verkle_proof.depth_extension_present[0] = byte),
            WitnessError::Status { index: 0, byte }
        );
    }
    assert_eq!(
        error(&|w| w.verkle_proof.depth_extension_present[0] = 0x08),
        WitnessError::ValueOfAbsentStem { stem: 0, index: 0 }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.other_stems = vec![[9; 31], [9; 31]]),
        WitnessError::OtherStemOrder { index: 1 }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.other_stems = vec![w.state_diff[3].stem]),
        WitnessError::OtherStemInDifference { index: 0 }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.other_stems = vec![[9; 31]]),
        WitnessError::OtherStemUnused { index: 0 }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.depth_extension_present[2] = 0x11),
        WitnessError::OtherStemMissing { stem: 2, depth: 2 }
    );
    assert_eq!(
        error(&|w| {
            w.verkle_proof.commitments_by_path.pop();
        }),
        WitnessError::CommitmentCount {
            expected: 13,
            got: 12
        }
    );
    assert_eq!(
        error(&|w| w.verkle_proof.commitments_by_path[3] = [0; 32]),
        WitnessError::EmptyNode { index: 3 }
    );
    // A second stem that is said to be absent where the first has its leaf node.
    assert!(matches!(
        error(&|w| {
            let mut absent = w.state_diff[2].clone();
            absent.stem[30] |= 0xc0;
            w.state_diff.insert(3, absent);
            w.verkle_proof.depth_extension_present.insert(3, 0x08);
        }),
        WitnessError::Conflict { depth: 1, .. }
    ));
    assert_eq!(
        error(&|w| {
            w.state_diff.clear();
            w.verkle_proof.depth_extension_present.clear();
            w.verkle_proof.commitments_by_path.clear();
        }),
        WitnessError::Proof(VerifyError::NoOpenings)
    );
}

#[test]
fn json_round_trip() {
    for name in VALID {
        let witness = read(name);
        let written = witness.to_json();
        assert_eq!(
            ExecutionWitness::from_json(written.as_bytes()).as_ref(),
            Ok(&witness)
        );
        let original: Value = serde_json::from_str(&block(name)).expect("JSON");
        let written: Value = serde_json::from_str(&written).expect("JSON");
        assert_eq!(written["executionWitness"], original["executionWitness"]);
        // The witness alone, without 0x, with suffixes as strings.
        let mut bare = original["executionWitness"].clone();
        for diff in bare["stateDiff"].as_array_mut().expect("a list") {
            for suffix in diff["suffixDiffs"].as_array_mut().expect("a list") {
                let number = suffix["suffix"].as_u64().expect("a number");
                suffix["suffix"] = json!(format!("{number:#x}"));
            }
            let stem = diff["stem"].as_str().expect("a string")[2..].to_uppercase();
            diff["stem"] = json!(stem);
        }
        let text = bare.to_string();
        assert_eq!(ExecutionWitness::from_json(text.as_bytes()), Ok(witness));
    }
}

fn json_error(text: &str) -> (String, String) {
    match ExecutionWitness::from_json(text.as_bytes()) {
        Err(error @ WitnessError::Json { .. }) => {
            assert!(!error.is_rejection());
            let WitnessError::Json { path, message } = error else {
                unreachable!()
            };
            (path, message)
        }
        other => panic!("{other:?}"),
    }
}

/// Calls `visit` with every way to spoil one member or element, and where it is.
fn spoil(value: &Value, path: &str, visit: &mut dyn FnMut(Value, String)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let inner = format!("{path}.{name}");
                let with = |new: Value| {
                    let mut members = members.clone();
                    members.insert(name.clone(), new);
                    Value::Object(members)
                };
                let mut without = members.clone();
                without.remove(name);
                visit(Value::Object(without), path.to_string());
                let is_value = ["currentValue", "newValue"].contains(&name.as_str());
                let mut wrong = vec![
                    json!({}),
                    json!(true),
                    json!("0x0g"),
                    json!("0"),
                    json!(256),
                ];
                wrong.extend([json!("0x123456"), json!(1.5), json!(-1), json!([[]])]);
                if !is_value {
                    wrong.push(Value::Null);
                }
                for wrong in wrong {
                    let loose = name == "depthExtensionPresent" && wrong == json!("0x123456");
                    if !loose {
                        visit(with(wrong), inner.clone());
                    }
                }
                spoil(member, &inner, &mut |new, at| visit(with(new), at));
            }
        }
        Value::Array(elements) => {
            for (i, element) in elements.iter().enumerate() {
                spoil(element, &format!("{path}[{i}]"), &mut |new, at| {
                    let mut elements = elements.clone();
                    elements[i] = new;
                    visit(Value::Array(elements), at);
                });
            }
        }
        Value::String(text) => {
            for wrong in [
                format!("{text}0"),
                format!("{text}00"),
                text[..text.len() - 1].to_string(),
                text.replacen('x', "X", 1),
                format!("{}é", &text[..text.len() - 2]),
            ] {
                let loose =
                    path.ends_with("depthExtensionPresent") && wrong.len() == text.len() + 2;
                if !loose {
                    visit(json!(wrong), path.to_string());
                }
            }
        }
        _ => {}
    }
}

#[test]
fn malformed_members_are_named() {
    let document: Value = serde_json::from_str(&block(VALID[0])).expect("JSON");
    let witness = json!({ "executionWitness": document["executionWitness"] });
    let mut count = 0;
    spoil(&witness, "", &mut |spoiled, at| {
        let (path, _) = json_error(&spoiled.to_string());
        let at = at.trim_start_matches('.');
        // A wrong element inside a list that took the place of a member is named too.
        assert!(
            path == at || path.starts_with(&format!("{at}[")) || at.is_empty(),
            "{path}, not {at}: {spoiled}"
        );
        count += 1;
    });
    assert!(count > 250, "{count}");
}

#[test]
fn documents_that_are_no_witness() {
    assert_eq!(json_error("{}").0, "executionWitness");
    assert_eq!(json_error(r#"{"stateDiff": []}"#).0, "verkleProof");
    for text in [
        "",
        "[]",
        "null",
        "1",
        "\"",
        "{",
        "{\"executionWitness\": {}}",
        "nul",
    ] {
        json_error(text);
    }
    json_error(&"[".repeat(100_000));
    json_error(&format!(r#"{{"a": {}"#, r#"{"a":"#.repeat(100_000)));
    let text = block(VALID[0]);
    json_error(&format!("{text} 1"));
    // A member that comes twice could be read in two ways.
    let twice = text.replacen("\"stem\"", "\"stem\": \"0x00\", \"stem\"", 1);
    json_error(&twice);
    let (path, message) = json_error(&text.replacen("\"cl\": [", "\"cl\": [\"0x00\",", 1));
    assert_eq!(path, "executionWitness.verkleProof.ipaProof.cl[0]");
    assert!(
        message.contains("expected 64 hexadecimal digits"),
        "{message}"
    );
    let zero = format!("\"cl\": [\"{}\",", "0".repeat(64));
    let (path, message) = json_error(&text.replacen("\"cl\": [", &zero, 1));
    assert_eq!(path, "executionWitness.verkleProof.ipaProof.cl");
    assert!(message.contains("9"), "{message}");
    let both = text.replacen("\"header\"", "\"stateDiff\": [], \"header\"", 1);
    json_error(&both);
}

#[test]
fn truncated_and_damaged_text() {
    for name in VALID {
        let text = block(name);
        let end = text.trim_end().len();
        for length in (0..end).step_by(7).chain(end - 20..end) {
            assert!(ExecutionWitness::from_json(&text.as_bytes()[..length]).is_err());
        }
        // Any one byte changed: an error, or the same or another witness, but no panic.
        for at in (0..end).step_by(11) {
            let mut bytes = text.clone().into_bytes();
            for byte in [0, b'"', b'}', 0xff] {
                bytes[at] = byte;
                let _ = ExecutionWitness::from_json(&bytes);
            }
        }
    }
}

fn any_stem() -> impl Strategy<Value = Stem> {
    (prop::collection::vec(0u8..3, 0..31), any::<u8>()).prop_map(|(bytes, last)| {
        let mut stem = [0; 31];
        stem[..bytes.len()].copy_from_slice(&bytes);
        stem[30] = last & 1;
        stem
    })
}

fn any_diff() -> impl Strategy<Value = StemDiff> {
    let value = prop_oneof![3 => Just(None), 1 => any::<[u8; 32]>().prop_map(Some)];
    let suffixes = prop::collection::btree_map(any::<u8>(), value, 0..4);
    (any_stem(), suffixes).prop_map(|(stem, suffixes)| StemDiff {
        stem,
        suffix_diffs: suffixes
            .into_iter()
            .map(|(suffix, current_value)| SuffixDiff {
                suffix,
                current_value,
                new_value: None,
            })
            .collect(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Structures that were never a tree's: an error, whatever they are, and no panic.
    #[test]
    fn made_up_structures_are_refused(
        mut state_diff in prop::collection::vec(any_diff(), 0..5),
        mut other_stems in prop::collection::vec(any_stem(), 0..3),
        statuses in prop::collection::vec((0u8..34, 0u8..3), 5),
        more in 0usize..2,
        sorted in prop::bool::weighted(0.9),
    ) {
        if sorted {
            state_diff.sort_by_key(|diff| diff.stem);
            state_diff.dedup_by_key(|diff| diff.stem);
            other_stems.sort_unstable();
        }
        let mut witness = read(VALID[1]);
        let proof = &mut witness.verkle_proof;
        proof.other_stems = other_stems;
        proof.depth_extension_present = statuses
            .iter()
            .take(state_diff.len() + usize::from(!sorted))
            .map(|(depth, status)| depth.wrapping_shl(3) | status)
            .collect();
        witness.state_diff = state_diff;
        let root = root(VALID[1]);
        let mut result = verify_prestate(setup(), &root, &witness);
        if let Err(WitnessError::CommitmentCount { expected, .. }) = result {
            // As many elements as it takes.
            let element = witness.verkle_proof.commitments_by_path[0];
            witness.verkle_proof.commitments_by_path = vec![element; expected + more];
            result = verify_prestate(setup(), &root, &witness);
        }
        prop_assert!(result.expect_err("made up").is_rejection());
    }
}
