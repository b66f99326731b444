//! Witness files, and ways to change them.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::Path;
use std::sync::OnceLock;

use prova_verkle::Setup;
use prova_verkle::witness::ExecutionWitness;

/// One setup for all tests of a file.
pub fn setup() -> &'static Setup {
    static SETUP: OnceLock<Setup> = OnceLock::new();
    SETUP.get_or_init(Setup::ethereum)
}

/// The text of a block.
pub fn block(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors/blocks")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The root of the tree before a block.
pub fn root(name: &str) -> [u8; 32] {
    super::support::unhex32(&super::support::json("blocks/roots.json")[name]["root"])
}

/// Every witness that differs from the given one in one place and asks for other openings or shows
/// them otherwise, with what was changed. None of them verifies.
pub fn alterations(witness: &ExecutionWitness) -> Vec<(String, ExecutionWitness)> {
    let mut all = Vec::new();
    let mut alter = |what: String, change: &mut dyn FnMut(&mut ExecutionWitness)| {
        let mut altered = witness.clone();
        change(&mut altered);
        all.push((what, altered));
    };
    let proof = &witness.verkle_proof;

    for (s, diff) in witness.state_diff.iter().enumerate() {
        let status = proof.depth_extension_present[s];
        let present = status & 7 == 2;
        // Below the place where an absent stem would be, nothing is opened.
        for byte in 0..if present {
            31
        } else {
            usize::from(status >> 3)
        } {
            alter(format!("byte {byte} of stem {s}"), &mut |w| {
                w.state_diff[s].stem[byte] ^= 1;
            });
        }
        alter(format!("no stem {s}"), &mut |w| {
            w.state_diff.remove(s);
        });
        if present {
            alter(format!("no stem {s}, nor its status"), &mut |w| {
                w.state_diff.remove(s);
                w.verkle_proof.depth_extension_present.remove(s);
            });
        }
        alter(format!("stem {s} twice"), &mut |w| {
            w.state_diff.insert(s, diff.clone());
            let status = w.verkle_proof.depth_extension_present[s];
            w.verkle_proof.depth_extension_present.insert(s, status);
        });
        alter(format!("no suffixes under stem {s}"), &mut |w| {
            w.state_diff[s].suffix_diffs.clear();
        });
        for (k, suffix) in diff.suffix_diffs.iter().enumerate() {
            if present {
                alter(format!("suffix {s}.{k}"), &mut |w| {
                    w.state_diff[s].suffix_diffs[k].suffix ^= 0x80;
                });
            }
            alter(format!("suffix {s}.{k} twice"), &mut |w| {
                w.state_diff[s].suffix_diffs.insert(k, suffix.clone());
            });
            alter(format!("presence of {s}.{k}"), &mut |w| {
                let value = &mut w.state_diff[s].suffix_diffs[k].current_value;
                *value = if value.is_some() { None } else { Some([0; 32]) };
            });
            if suffix.current_value.is_some() {
                for byte in [0, 15, 16, 31] {
                    alter(format!("byte {byte} of value {s}.{k}"), &mut |w| {
                        let value = &mut w.state_diff[s].suffix_diffs[k].current_value;
                        value.as_mut().expect("a value")[byte] ^= 1;
                    });
                }
            }
        }
        for other in (0..=255).filter(|other| *other != status) {
            // Absence shown at a node further down is what the format cannot tell apart.
            if other & 7 != 0 || other >> 3 <= status >> 3 {
                alter(format!("status {s}: {other:#x}"), &mut |w| {
                    w.verkle_proof.depth_extension_present[s] = other;
                });
            }
        }
    }
    for s in 1..witness.state_diff.len() {
        alter(format!("stems {s} and the one before swapped"), &mut |w| {
            w.state_diff.swap(s - 1, s);
            w.verkle_proof.depth_extension_present.swap(s - 1, s);
        });
    }
    alter("a status more".into(), &mut |w| {
        w.verkle_proof.depth_extension_present.push(0x0a);
    });
    for s in 0..proof.other_stems.len() {
        alter(format!("no other stem {s}"), &mut |w| {
            w.verkle_proof.other_stems.remove(s);
        });
        alter(format!("other stem {s} twice"), &mut |w| {
            let stem = w.verkle_proof.other_stems[s];
            w.verkle_proof.other_stems.insert(s, stem);
        });
        for byte in [0, 1, 15, 30] {
            alter(format!("byte {byte} of other stem {s}"), &mut |w| {
                w.verkle_proof.other_stems[s][byte] ^= 1;
            });
        }
    }
    for stem in [[0; 31], [255; 31], witness.state_diff[0].stem] {
        alter("an other stem more".into(), &mut |w| {
            w.verkle_proof.other_stems.push(stem);
            w.verkle_proof.other_stems.sort_unstable();
        });
    }
    alter_points(witness, &mut alter);
    all
}

fn alter_points(
    witness: &ExecutionWitness,
    alter: &mut dyn FnMut(String, &mut dyn FnMut(&mut ExecutionWitness)),
) {
    let proof = &witness.verkle_proof;
    // Another element, so that the encoding is not what is refused.
    let other = *prova_verkle::Element::generator()
        .to_commitment()
        .as_bytes();
    for replacement in [other, [0; 32], [255; 32]] {
        for i in 0..proof.commitments_by_path.len() {
            alter(format!("commitment {i}"), &mut |w| {
                w.verkle_proof.commitments_by_path[i] = replacement;
            });
        }
        alter("d".into(), &mut |w| w.verkle_proof.d = replacement);
        for i in 0..8 {
            alter(format!("cl {i}"), &mut |w| {
                w.verkle_proof.ipa_proof.cl[i] = replacement;
            });
            alter(format!("cr {i}"), &mut |w| {
                w.verkle_proof.ipa_proof.cr[i] = replacement;
            });
        }
        alter("another commitment at the end".into(), &mut |w| {
            w.verkle_proof.commitments_by_path.push(replacement);
        });
    }
    for i in 0..proof.commitments_by_path.len() {
        alter(format!("no commitment {i}"), &mut |w| {
            w.verkle_proof.commitments_by_path.remove(i);
        });
        if i > 0 && proof.commitments_by_path[i - 1] != proof.commitments_by_path[i] {
            alter(
                format!("commitments {i} and the one before swapped"),
                &mut |w| {
                    w.verkle_proof.commitments_by_path.swap(i - 1, i);
                },
            );
        }
    }
    for byte in 0..32 {
        alter(format!("byte {byte} of the final evaluation"), &mut |w| {
            w.verkle_proof.ipa_proof.final_evaluation[byte] ^= 1;
        });
    }
    alter(
        "the final evaluation the other way round".into(),
        &mut |w| {
            w.verkle_proof.ipa_proof.final_evaluation.reverse();
        },
    );
    alter("the final evaluation plus the order".into(), &mut |w| {
        let sum = &mut w.verkle_proof.ipa_proof.final_evaluation;
        let mut carry = 0;
        for (byte, order) in sum.iter_mut().zip(ORDER).rev() {
            let total = u16::from(*byte) + u16::from(order) + carry;
            *byte = total as u8;
            carry = total >> 8;
        }
    });
}

/// The order of the group, big-endian.
const ORDER: [u8; 32] = [
    0x1c, 0xfb, 0x69, 0xd4, 0xca, 0x67, 0x5f, 0x52, 0x0c, 0xce, 0x76, 0x02, 0x02, 0x68, 0x76, 0x00,
    0xff, 0x8f, 0x87, 0x00, 0x74, 0x19, 0x04, 0x71, 0x74, 0xfd, 0x06, 0xb5, 0x28, 0x76, 0xe7, 0xe1,
];
