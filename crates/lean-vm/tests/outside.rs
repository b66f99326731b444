//! The outside proof: accepted in both forms, rejected with anything altered.

use std::ops::Range;
use std::sync::LazyLock;

use prova_binary_pcs::Rejection as OpeningRejection;
use prova_lean_vm::{
    Form, Malformed, Program, ProgramError, Proof, Rejection, Summary, VerifyError, verify,
};
use prova_proof_file::{Failure, TapeError};

const BYTECODE: &[u8] = include_bytes!("../vectors/bytecode.bin");
const PUBLIC_INPUT: &[u8; 32] = include_bytes!("../vectors/public_input.bin");
const WIRE: &[u8] = include_bytes!("../vectors/proof_wire.bin");
const RAW: &[u8] = include_bytes!("../vectors/proof_raw.bin");
const FORMS: [(Form, &[u8]); 2] = [(Form::Wire, WIRE), (Form::Raw, RAW)];

const SCALARS: usize = 1066;
/// First byte after the scalars.
const OPENINGS: usize = 8 + 24 * SCALARS;

fn program() -> Program {
    static PROGRAM: LazyLock<Program> = LazyLock::new(|| Program::new(BYTECODE).unwrap());
    PROGRAM.clone()
}

fn check(form: Form, body: &[u8]) -> Result<Summary, VerifyError> {
    verify(&program(), PUBLIC_INPUT, &Proof::parse(form, body)?)
}

#[test]
fn accepted() {
    let rows = [225, 56, 38, 28, 23, 19];
    for (form, body) in FORMS {
        let summary = check(form, body).unwrap();
        assert_eq!((summary.form, summary.proof_bytes), (form, body.len()));
        assert_eq!((summary.scalars, summary.rows()), (SCALARS, 917_512));
        assert_eq!((summary.schedule.variables, summary.lanes), (24, 62));
        assert_eq!(
            (summary.log_instructions, summary.sizes.log_memory),
            (11, 20)
        );
        assert!(summary.levels.iter().map(|level| level.rows).eq(rows));
        assert!(summary.levels.iter().map(|level| level.queries).eq(rows));
        let siblings = summary.levels.iter().map(|level| level.siblings);
        if form == Form::Wire {
            assert!(siblings.eq([2299, 691, 461, 326, 250, 185]));
        }
        let detected = Proof::detect(body).unwrap();
        assert_eq!(detected.form(), form);
        for part in ["BLAKE2S 2^3", "62 of 64 lanes", "rate 1/2"] {
            assert!(summary.to_string().contains(part));
        }
    }
}

/// The step that a scalar of the outside proof belongs to.
fn step(scalar: usize) -> &'static str {
    match scalar {
        0..8 => "sizes",
        8..10 => "root",
        10..635 => "grand products",
        635..640 => "framework",
        640..694 => "table rounds",
        694..796 => "columns",
        796..799 => "public input",
        799..887 => "zerocheck",
        887..967 => "lincheck",
        _ => "opening",
    }
}

/// Whether a rejection is one that an error in a step can lead to.
fn fits(step: &str, error: &VerifyError) -> bool {
    let Failure::Rejected(rejection) = error else {
        return matches!(step, "sizes" | "root" | "opening");
    };
    match step {
        // Other sizes give another layout, and another root other challenges.
        "sizes" | "root" => true,
        "grand products" => matches!(
            rejection,
            Rejection::BusLayer { .. } | Rejection::Unbalanced | Rejection::Tables
        ),
        "framework" | "table rounds" | "columns" => *rejection == Rejection::Tables,
        "public input" => *rejection == Rejection::PublicInput,
        "zerocheck" | "lincheck" => *rejection == Rejection::Lincheck,
        _ => matches!(rejection, Rejection::Opening(_)),
    }
}

#[test]
fn every_scalar_counts() {
    for scalar in 0..SCALARS {
        let mut body = WIRE.to_vec();
        let bit = scalar * 37 % 192;
        body[8 + 24 * scalar + bit / 8] ^= 1 << (bit % 8);
        let error = check(Form::Wire, &body).unwrap_err();
        assert!(
            fits(step(scalar), &error),
            "{} {scalar}: {error}",
            step(scalar)
        );
    }
}

/// Where a proof's rows and siblings lie: one range a phase or entry.
struct Parts {
    /// Offsets of all counts after the scalars.
    counts: Vec<usize>,
    rows: Vec<Range<usize>>,
    siblings: Vec<Range<usize>>,
}

fn parts(form: Form, body: &[u8]) -> Parts {
    let mut parts = Parts {
        counts: Vec::new(),
        rows: Vec::new(),
        siblings: Vec::new(),
    };
    let mut at = OPENINGS;
    let count = |at: &mut usize, parts: &mut Parts| {
        parts.counts.push(*at);
        *at += 8;
        u64::from_le_bytes(body[*at - 8..*at].try_into().unwrap()) as usize
    };
    for _ in 0..count(&mut at, &mut parts) {
        let rows = if form == Form::Wire {
            count(&mut at, &mut parts)
        } else {
            1
        };
        for _ in 0..rows {
            let words = count(&mut at, &mut parts);
            parts.rows.push(at..at + 8 * words);
            at += 8 * words;
        }
        for _ in 0..count(&mut at, &mut parts) {
            parts.siblings.push(at..at + 32);
            at += 32;
        }
    }
    assert_eq!(at, body.len());
    parts
}

/// Flips a bit of each of the ranges and expects their level's root to be missed.
fn each_counts(form: Form, body: &[u8], ranges: impl Iterator<Item = Range<usize>>) {
    for (index, range) in ranges.enumerate() {
        let mut body = body.to_vec();
        body[range.start + index * 13 % range.len()] ^= 1 << (index % 8);
        let error = check(form, &body).unwrap_err();
        let root = matches!(
            error,
            Failure::Rejected(Rejection::Opening(OpeningRejection::Root { .. }))
        );
        assert!(root, "bytes {range:?}: {error}");
    }
}

#[test]
fn every_row_counts() {
    let rows = parts(Form::Wire, WIRE).rows;
    assert_eq!(rows.len(), 389);
    each_counts(Form::Wire, WIRE, rows.into_iter());
    let rows = parts(Form::Raw, RAW).rows;
    assert_eq!(rows.len(), 389);
    each_counts(Form::Raw, RAW, rows.into_iter().step_by(4));
}

#[test]
fn siblings_count() {
    let siblings = parts(Form::Wire, WIRE).siblings;
    assert_eq!(siblings.len(), 4212);
    each_counts(Form::Wire, WIRE, siblings.into_iter().step_by(7));
    let siblings = parts(Form::Raw, RAW).siblings;
    each_counts(Form::Raw, RAW, siblings.into_iter().step_by(67));
}

#[test]
#[ignore = "every sibling and row of both forms: minutes unless optimised"]
fn all_siblings_and_rows_count() {
    for (form, body) in FORMS {
        let parts = parts(form, body);
        each_counts(form, body, parts.siblings.into_iter().chain(parts.rows));
    }
}

#[test]
fn a_row_of_zeros_must_be_zeros() {
    // The first two words of a level-0 image are lanes that do not exist.
    let first = parts(Form::Raw, RAW).rows[0].clone();
    assert_eq!(RAW[first.start..first.start + 16], [0; 16]);
    each_counts(
        Form::Raw,
        RAW,
        std::iter::once(first.start..first.start + 8),
    );
}

#[test]
fn truncated() {
    for (form, body) in FORMS {
        for len in (0..body.len())
            .step_by(499)
            .chain(body.len() - 64..body.len())
        {
            let error = check(form, &body[..len]).unwrap_err();
            assert!(
                matches!(error, Failure::Malformed(Malformed::Tape(_))),
                "{len}: {error}"
            );
        }
    }
}

#[test]
fn bytes_altered_anywhere() {
    let mut random = 1_u64;
    let mut draw = |below: usize| {
        random = random
            .wrapping_mul(0x5851f42d4c957f2d)
            .wrapping_add(0x14057b7ef767814f);
        (random >> 33) as usize % below
    };
    for (form, body) in FORMS {
        for _ in 0..300 {
            let mut body = body.to_vec();
            for _ in 0..=draw(3) {
                let at = draw(body.len());
                body[at] ^= 1 + draw(255) as u8;
            }
            assert!(check(form, &body).is_err());
        }
    }
}

#[test]
fn trailing_bytes() {
    for (form, body) in FORMS {
        for more in [1, 8, 24, 32] {
            let longer = [body, &vec![0; more]].concat();
            let error = Proof::parse(form, &longer).unwrap_err();
            let remaining =
                matches!(error, TapeError::Trailing { remaining, .. } if remaining == more);
            assert!(remaining, "{error}");
        }
    }
}

#[test]
fn enlarged_counts() {
    for (form, body) in FORMS {
        let counts = [vec![0], parts(form, body).counts].concat();
        for (index, at) in counts.into_iter().enumerate() {
            let old = u64::from_le_bytes(body[at..at + 8].try_into().unwrap());
            let all = [old + 1, old - 1, 1 << 63, u64::MAX, 0];
            // All of them for some counts, one in turn for the others.
            let some = if index < 12 {
                &all[..]
            } else {
                &all[index % 5..][..1]
            };
            for &new in some {
                let mut body = body.to_vec();
                body[at..at + 8].copy_from_slice(&new.to_le_bytes());
                let error = check(form, &body).unwrap_err();
                assert!(
                    matches!(error, Failure::Malformed(_)),
                    "{at}, {old} to {new}: {error}"
                );
            }
        }
    }
}

/// The body with bytes replaced by others, at most one count corrected.
fn splice(body: &[u8], range: Range<usize>, with: &[u8], count: usize, by: i64) -> Vec<u8> {
    let mut body = body.to_vec();
    let old = u64::from_le_bytes(body[count..count + 8].try_into().unwrap());
    body[count..count + 8].copy_from_slice(&old.saturating_add_signed(by).to_le_bytes());
    body.splice(range, with.iter().copied());
    body
}

#[test]
fn well_formed_lists_of_other_lengths() {
    let malformed = |body: &[u8], what: &str| {
        let error = check(Form::Wire, body).unwrap_err();
        let right = matches!(error, Failure::Malformed(_)) && error.to_string().contains(what);
        assert!(right, "{error}");
    };
    let end = WIRE.len();
    let wire = parts(Form::Wire, WIRE);
    // One scalar more, one less.
    malformed(
        &splice(WIRE, OPENINGS..OPENINGS, &[0; 24], 0, 1),
        "too long",
    );
    malformed(
        &splice(WIRE, OPENINGS - 24..OPENINGS, &[], 0, -1),
        "too early",
    );
    // An empty phase more.
    malformed(
        &splice(WIRE, end..end, &[0; 16], OPENINGS, 1),
        "expected 6 opening phases, got 7",
    );
    // An empty row more, a row less.
    let [phases, rows, words, ..] = wire.counts[..] else {
        panic!("no counts")
    };
    assert_eq!(phases, OPENINGS);
    malformed(
        &splice(WIRE, words..words, &[0; 8], rows, 1),
        "expected 225 opened rows, got 226",
    );
    let first = &wire.rows[0];
    malformed(
        &splice(WIRE, words..first.end, &[], rows, -1),
        "expected 225 opened rows, got 224",
    );
    // A row one word wider, narrower.
    let wider = splice(WIRE, first.end..first.end, &[0; 8], words, 1);
    malformed(&wider, "expected 62 words of a row, got 63");
    let narrower = splice(WIRE, first.end - 8..first.end, &[], words, -1);
    malformed(&narrower, "expected 62 words of a row, got 61");
    // A sibling more, a sibling less.
    let last = *wire.counts.last().unwrap();
    malformed(
        &splice(WIRE, end..end, &[0; 32], last, 1),
        "expected 185 siblings, got 186",
    );
    malformed(
        &splice(WIRE, end - 32..end, &[], last, -1),
        "expected 185 siblings, got 184",
    );
}

#[test]
fn exchanged_siblings() {
    let siblings = parts(Form::Wire, WIRE).siblings;
    let mut body = WIRE.to_vec();
    let pair = siblings[0].start..siblings[1].end;
    body[pair].rotate_left(32);
    let root = OpeningRejection::Root { level: 0 };
    let error = check(Form::Wire, &body).unwrap_err();
    assert_eq!(error, Failure::Rejected(Rejection::Opening(root)));
}

fn with_scalar(body: &[u8], scalar: usize, limbs: [u64; 3]) -> Vec<u8> {
    let mut body = body.to_vec();
    let at = 8 + 24 * scalar;
    for (chunk, limb) in body[at..at + 24].chunks_mut(8).zip(limbs) {
        chunk.copy_from_slice(&limb.to_le_bytes());
    }
    body
}

#[test]
fn announced_sizes_have_ranges() {
    let cases = [
        (0, 15, "a memory of 2^16 to 2^32 cells, got 15"),
        (0, 33, "a memory of 2^16 to 2^32 cells, got 33"),
        (1, 33, "a table of 1 to 2^32 rows, got 33"),
        (6, 2, "a BLAKE2S table of 2^3 to 2^32 rows, got 2"),
        (7, 0, "a log inverse rate of 1 to 4, got 0"),
        (7, 5, "a log inverse rate of 1 to 4, got 5"),
        (0, 26, "in variables from 15 to 28, got 29"),
        (6, 32, "in variables from 15 to 28, got 41"),
        (3, u64::MAX, "a table of 1 to 2^32 rows"),
    ];
    for (scalar, value, what) in cases {
        let error = check(Form::Wire, &with_scalar(WIRE, scalar, [value, 0, 0])).unwrap_err();
        assert!(matches!(error, Failure::Malformed(_)), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
    for limbs in [[20, 1, 0], [20, 0, 1]] {
        let error = check(Form::Wire, &with_scalar(WIRE, 0, limbs)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("second and third limbs are zero, got 1"),
            "{error}"
        );
    }
}

#[test]
fn roots_have_zero_third_limbs() {
    for scalar in [8, 9] {
        let mut body = WIRE.to_vec();
        body[8 + 24 * scalar + 20] ^= 1;
        let error = check(Form::Wire, &body).unwrap_err();
        assert!(matches!(error, Failure::Malformed(_)), "{error}");
    }
}

#[test]
fn roots_of_the_grand_products() {
    let rejected = |body: &[u8], rejection| {
        assert_eq!(
            check(Form::Wire, body).unwrap_err(),
            Failure::Rejected(rejection)
        );
    };
    rejected(&with_scalar(WIRE, 10, [1, 2, 3]), Rejection::Unbalanced);
    let both = with_scalar(&with_scalar(WIRE, 10, [1, 2, 3]), 11, [1, 2, 3]);
    rejected(&both, Rejection::BusLayer { layer: 0 });
    rejected(&with_scalar(WIRE, 12, [0; 3]), Rejection::ZeroCounter);
}

#[test]
fn steps_of_the_opening() {
    let rejected = |body: &[u8], rejection| {
        let error = check(Form::Wire, body).unwrap_err();
        assert_eq!(error, Failure::Rejected(Rejection::Opening(rejection)));
    };
    for (level, nonce) in [986, 1000, 1014, 1028, 1042, 1059].into_iter().enumerate() {
        let bits = 17;
        let grinding = OpeningRejection::Grinding { level, bits };
        rejected(&with_scalar(WIRE, nonce, [1, 0, 0]), grinding);
    }
    // After the last queries, only the closing identity is left.
    for scalar in 1060..SCALARS {
        rejected(
            &with_scalar(WIRE, scalar, [1, 2, 3]),
            OpeningRejection::Terminal,
        );
    }
}

#[test]
fn the_statement_counts() {
    let proof = Proof::parse(Form::Wire, WIRE).unwrap();
    let rejected = |program: &Program, input: &[u8; 32]| {
        let error = verify(program, input, &proof).unwrap_err();
        assert!(matches!(error, Failure::Rejected(_)), "{error}");
        error
    };
    let mut input = *PUBLIC_INPUT;
    input[31] ^= 128;
    rejected(&program(), &input);

    let mut seed = *program().seed();
    seed[0] ^= 1;
    rejected(&program().with_seed(seed), PUBLIC_INPUT);

    // One operand of one instruction.
    let mut table = BYTECODE.to_vec();
    table[8 * (4 * 2048 + 100)] ^= 1;
    let other = Program::new(&table).unwrap();
    assert_ne!(other.seed(), program().seed());
    rejected(&other, PUBLIC_INPUT);
    // With the digest of the right program, the instructions themselves must differ.
    let disguised = other.with_seed(*program().seed());
    let error = rejected(&disguised, PUBLIC_INPUT);
    assert_eq!(error, Failure::Rejected(Rejection::Tables));

    // A program of another size: the first half of the instructions.
    let columns = BYTECODE.chunks_exact(BYTECODE.len() / 16);
    let half: Vec<u8> = columns.flat_map(|c| &c[..c.len() / 2]).copied().collect();
    rejected(&Program::new(&half).unwrap(), PUBLIC_INPUT);
}

#[test]
fn the_forms_do_not_mix() {
    assert!(Proof::parse(Form::Raw, WIRE).is_err());
    assert!(Proof::parse(Form::Wire, RAW).is_err());
    assert!(Proof::detect(&WIRE[1..]).is_err());
}

#[test]
fn programs_have_a_power_of_two_of_instructions() {
    for len in [0, 8, 127, 128 * 3, BYTECODE.len() - 8] {
        let error = Program::new(&BYTECODE[..len]).unwrap_err();
        assert!(error.to_string().ends_with(&format!("got {len} bytes")));
    }
    assert_eq!(Program::new(&[0; 128]).unwrap().log_instructions(), 0);
}

#[test]
fn instructions_have_no_words_in_other_slots() {
    for slot in 0..16 {
        let mut table = BYTECODE.to_vec();
        // In slot 0 this makes the tuple of instruction 5 one of the memory.
        table[8 * (slot * 2048 + 5)] ^= 4 ^ 2;
        let read = Program::new(&table).map(|_| ());
        let expected = if (3..12).contains(&slot) {
            Ok(())
        } else {
            Err(ProgramError::Slot { slot, got: 6 })
        };
        assert_eq!(read, expected, "slot {slot}");
    }
}
