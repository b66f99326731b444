//! The kept proof files: both verifiers accept them, and digests of their keys and lengths of their
//! outputs are pinned. `vectors/README.md` says how they were made.

mod common;

use std::fmt::Write as _;
use std::fs;

use common::{cases, input, stock, vectors};
use prova_whir_view::{Observer, Portable, Step, verify_input};

#[derive(Default)]
struct Steps(Vec<Step>);

impl Observer for Steps {
    fn step(&mut self, step: Step) {
        self.0.push(step);
    }
}

/// Name, digest of the key and length of the output of each fixture.
fn digests() -> String {
    let mut text = String::new();
    for case in cases() {
        let digest = case.key.digest(&Portable::default()).unwrap();
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(
            text,
            "{} {hex} {}",
            case.name,
            32 + case.file().statement.len()
        )
        .unwrap();
    }
    text
}

#[test]
#[ignore = "writes the inputs of guests and the digests"]
fn make() {
    for case in cases() {
        let words = input(&case.key, &case.bytes);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if let Some(folder) = option_env!("PROVA_GUEST_INPUTS") {
            fs::write(format!("{folder}/{}.input", case.name), bytes).unwrap();
        }
    }
    fs::write(vectors().join("DIGESTS"), digests()).unwrap();
}

#[test]
fn both_verifiers_accept_and_the_output_is_pinned() {
    let portable = Portable::default();
    for case in cases() {
        let name = &case.name;
        stock(&case.bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let words = input(&case.key, &case.bytes);
        let mut steps = Steps::default();
        let verified = verify_input(&portable, bytemuck::cast_slice(&words), &mut steps)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(verified.statement, case.file().statement);
        assert_eq!(verified.key_digest, case.key.digest(&portable).unwrap());
        assert_legal(&steps.0);
    }
    let pinned = fs::read_to_string(vectors().join("DIGESTS")).unwrap();
    assert_eq!(digests(), pinned);
}

/// The order that `Step` documents.
fn assert_legal(steps: &[Step]) {
    let mut rest = steps;
    let mut next = |expected: &[Step]| {
        let (taken, left) = rest.split_at(expected.len());
        assert_eq!(taken, expected);
        rest = left;
        left.len()
    };
    next(&[Step::Input, Step::Prefix]);
    let round = [
        Step::Sumcheck,
        Step::OutOfDomain,
        Step::Openings,
        Step::Folding,
    ];
    let last = [Step::Sumcheck, Step::Openings, Step::Folding, Step::Final];
    while next(&[]) > last.len() {
        next(&round);
    }
    assert_eq!(next(&last), 0);
}
