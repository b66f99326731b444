//! The checked-in guests: their digests, and what they do against the same functions run here.

extern crate alloc;

#[path = "../../../guests/samples/src/functions.rs"]
mod functions;
#[path = "../../../guests/hashes/src/poseidon2.rs"]
mod poseidon2_guest;

use std::{collections::BTreeSet, fmt::Write, fs, path::PathBuf};

use blake2::Blake2s256;
use p3_baby_bear::{BabyBear, default_babybear_poseidon2_16, default_babybear_poseidon2_24};
use p3_keccak::KeccakF;
use p3_koala_bear::{KoalaBear, default_koalabear_poseidon2_16, default_koalabear_poseidon2_24};
use p3_symmetric::Permutation;
use prova_riscv::{Exit, Input, Machine, Observer, Options, Outcome, Program};
use prova_riscv_abi::DEFAULT_RAM_END;
use sha2::{Digest, Sha256};
use sha3::Keccak256;

fn guests() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../guests"))
}

fn elf(name: &str) -> Vec<u8> {
    let path = guests().join("elf").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Steps and the cycles at which they began.
#[derive(Default)]
struct Steps {
    cycles: u64,
    steps: Vec<(u32, u64)>,
}

impl Observer for Steps {
    fn run(&mut self, _: u32, count: u32) {
        self.cycles += u64::from(count);
    }

    fn marker(&mut self, _: u32, value: u32) {
        self.steps.push((value, self.cycles));
    }
}

fn run_observed(name: &str, input: &[u8]) -> (Outcome, Steps) {
    let program = Program::from_elf(&elf(&format!("{name}.elf"))).unwrap();
    let input = Input::new(input).unwrap();
    let options = Options {
        cycle_limit: 1 << 28,
        ..Options::default()
    };
    let mut steps = Steps::default();
    let outcome = Machine::new(&program, &input, options)
        .unwrap()
        .run(&mut steps)
        .unwrap();
    assert_eq!(outcome.cycles, steps.cycles);
    (outcome, steps)
}

fn run(name: &str, input: &[u8]) -> Outcome {
    run_observed(name, input).0
}

/// The output of a guest that has to halt with code 0.
fn output(name: &str, input: &[u8]) -> Vec<u8> {
    let outcome = run(name, input);
    assert_eq!(outcome.exit, Exit::Halted(0), "{name}");
    outcome.output
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[test]
fn files_have_the_listed_digests() {
    let sums = String::from_utf8(elf("SHA256SUMS")).unwrap();
    let mut listed = BTreeSet::new();
    for line in sums.lines() {
        let (digest, name) = line.split_once("  ").unwrap();
        assert_eq!(hex(&Sha256::digest(elf(name))), digest, "{name}");
        listed.insert(name.to_string());
    }
    let present: BTreeSet<_> = fs::read_dir(guests().join("elf"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "SHA256SUMS")
        .collect();
    assert_eq!(listed, present);
    let built: BTreeSet<_> = fs::read_to_string(guests().join("elfs.txt"))
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| format!("{}.elf", line.split_whitespace().next().unwrap()))
        .collect();
    assert_eq!(listed, built);
}

#[test]
fn files_are_small_and_name_no_machine() {
    for line in String::from_utf8(elf("SHA256SUMS")).unwrap().lines() {
        let (_, name) = line.split_once("  ").unwrap();
        let bytes = elf(name);
        assert!(bytes.len() <= 1_600_000, "{name} has {} bytes", bytes.len());
        for leak in [
            "/home/",
            "/root/",
            "/tmp/",
            "/usr/",
            ".cargo",
            "registry/src",
        ] {
            let found = bytes
                .windows(leak.len())
                .any(|window| window == leak.as_bytes());
            assert!(!found, "{name} contains {leak}");
        }
        Program::from_elf(&bytes).unwrap();
    }
}

#[test]
fn empty_costs_a_handful_of_cycles() {
    let outcome = run("empty", b"ignored");
    assert_eq!((outcome.exit, outcome.output), (Exit::Halted(0), vec![]));
    assert!(outcome.cycles < 10, "{}", outcome.cycles);
}

#[test]
fn hello_reads_prints_and_commits() {
    for name in [&b"world"[..], b"", b"\xffbroken \xe2\x82", &[b'x'; 5000]] {
        let outcome = run("hello", name);
        let greeting = functions::greeting(name);
        assert_eq!(outcome.exit, Exit::Halted(0));
        assert_eq!(outcome.printed, greeting.as_bytes());
        assert_eq!(outcome.output, greeting.as_bytes());
    }
}

#[test]
fn fibonacci_equals_the_native_function() {
    for n in [0u32, 1, 2, 93, 94, 1000] {
        assert_eq!(
            output("fibonacci", &n.to_le_bytes()),
            functions::fibonacci(functions::number(&n.to_le_bytes())).to_le_bytes()
        );
    }
}

#[test]
fn keccak_chain_equals_the_native_function() {
    for n in [0u32, 1, 100] {
        let outcome = run("keccak-chain", &n.to_le_bytes());
        let expected = functions::keccak_chain(n, |state| KeccakF.permute_mut(state));
        assert_eq!(outcome.output, expected);
        assert_eq!(outcome.calls.keccak_f, u64::from(n));
    }
}

#[test]
fn sha256_equals_the_native_function() {
    for length in [0, 3, 55, 56, 64, 1000] {
        let message: Vec<u8> = (0..length).map(|i| (i * 7) as u8).collect();
        assert_eq!(
            output("sha256", &message),
            Sha256::digest(&message).as_slice()
        );
    }
}

#[test]
fn hashes_agree_by_call_and_by_code() {
    for length in [0, 1, 15, 16, 24, 63, 64, 65, 135, 136, 137, 500] {
        let message: Vec<u8> = (0..length).map(|i| (i * 31 + 5) as u8).collect();
        let digests = [
            Keccak256::digest(&message).into(),
            Blake2s256::digest(&message).into(),
            poseidon2_guest::digest::<BabyBear, 16>(&default_babybear_poseidon2_16(), &message),
            poseidon2_guest::digest::<BabyBear, 24>(&default_babybear_poseidon2_24(), &message),
            poseidon2_guest::digest::<KoalaBear, 16>(&default_koalabear_poseidon2_16(), &message),
            poseidon2_guest::digest::<KoalaBear, 24>(&default_koalabear_poseidon2_24(), &message),
        ];
        let expected = [digests.as_flattened(), digests.as_flattened()].concat();
        let computed = run("hashes", &message);
        let called = run("hashes-call", &message);
        assert_eq!(hex(&computed.output), hex(&expected), "{length} bytes");
        assert_eq!(
            hex(&called.output),
            hex(&expected),
            "{length} bytes, stock code calls"
        );

        let blocks = |rate: usize| message.len().div_ceil(rate) as u64;
        assert_eq!(computed.calls.keccak_f, length as u64 / 136 + 1);
        assert_eq!(computed.calls.blake2s, blocks(64).max(1));
        assert_eq!(computed.calls.poseidon2, 2 * (blocks(16) + blocks(24)));
        assert_eq!(called.calls.keccak_f, 2 * computed.calls.keccak_f);
        assert!(called.cycles + 15_000 < computed.cycles);
    }
}

#[test]
fn markers_fire_in_order() {
    let (outcome, observed) = run_observed("markers", b"");
    let (values, begins): (Vec<_>, Vec<_>) = observed.steps.into_iter().unzip();
    assert_eq!(values, [1, 2, 3, 2, 3, 2047]);
    // The loop of squares takes its turns inside the step that marks it.
    for (squares, times) in [100u64, 200, 300, 201, 301].iter().zip(begins.windows(2)) {
        assert!(times[1] - times[0] >= 3 * squares, "{times:?}");
    }
    let sum = [200, 300, 201, 301]
        .iter()
        .fold(functions::squares(100), |sum, &n| {
            sum ^ functions::squares(n)
        });
    assert_eq!(outcome.output, sum.to_le_bytes());
}

#[test]
fn memory_functions_and_allocator_hold() {
    assert_eq!(output("memory", b""), b"ok");
}

#[test]
fn panics_and_codes_are_reported() {
    assert_eq!(run("panics", b"").exit, Exit::Halted(0));
    assert_eq!(run("panics", b"c").exit, Exit::Halted(7));
    for (input, end) in [
        (&b"x"[..], "fixed text"),
        (b"fgh", "the input is 3 bytes long"),
        (b"i", "index out of bounds: the len is 1 but the index is 1"),
        (
            b"e\xff",
            "no text: Utf8Error { valid_up_to: 0, error_len: Some(1) }",
        ),
    ] {
        let Exit::Panicked(message) = run("panics", input).exit else {
            panic!("{end}: did not panic");
        };
        let place = message
            .strip_prefix("panicked at samples/src/bin/panics.rs:")
            .unwrap();
        assert!(place.ends_with(&format!(": {end}")), "{message}");
    }
    let Exit::Panicked(message) = run("panics", b"h").exit else {
        panic!("the heap held more than there is");
    };
    let rest = message.strip_prefix("the guest's heap is exhausted: 268435456 bytes wanted, ");
    let left: u32 = rest
        .and_then(|r| r.strip_suffix(" left"))
        .unwrap()
        .parse()
        .unwrap();
    assert!(left < DEFAULT_RAM_END - prova_riscv_abi::PROGRAM_BASE);
}
