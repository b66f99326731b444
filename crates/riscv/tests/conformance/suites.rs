//! The unit tests of riscv-tests and the architecture tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use prova_riscv::{
    Cause, Exit, Input, Layout, Machine, NoObserver, Options, Outcome, Program, Step, Trap,
};

/// `fence.i`.
const FENCE_I: u32 = 0x0000_100f;

fn programs(folder: &str) -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(folder);
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "elf"))
        .map(|path| {
            (
                path.file_stem()
                    .expect("a name")
                    .to_str()
                    .expect("ASCII")
                    .to_owned(),
                path.clone(),
            )
        })
        .collect();
    found.sort();
    found
}

/// By [`Machine::run`], and by single steps, which must agree.
fn run(path: &Path, layout: Layout) -> Result<Outcome, Trap> {
    let program = Program::from_elf_at(&fs::read(path).expect("readable"), layout).expect("valid");
    let input = Input::empty();
    let ram_end = layout.program_base + 0x1_0000;
    let options = Options {
        ram_end,
        cycle_limit: 1_000_000,
        ..Options::default()
    };
    let machine = || Machine::new(&program, &input, options).expect("it fits");
    let result = machine().run(&mut NoObserver);
    let mut stepped = machine();
    let last = loop {
        match stepped.step(&mut NoObserver) {
            Ok(Step::Retired) => {}
            Ok(Step::Exited) => break Ok(()),
            Err(trap) => break Err(trap),
        }
    };
    match &result {
        Ok(outcome) => {
            assert_eq!(last, Ok(()));
            assert_eq!(stepped.exit(), Some(&outcome.exit));
            assert_eq!(stepped.output(), outcome.output);
            assert_eq!(stepped.cycles(), outcome.cycles);
        }
        Err(trap) => assert_eq!(last, Err(*trap)),
    }
    result
}

#[test]
fn riscv_tests_pass() {
    let programs = programs("riscv-tests");
    assert_eq!(programs.len(), 48);
    for (name, path) in programs {
        match (name.as_str(), run(&path, Layout::GUEST)) {
            // Code cannot be changed, which this test begins with.
            ("rv32ui-fence_i", Err(trap)) => {
                let address = 0x0040_0114;
                assert_eq!(trap.cause, Cause::ReadOnly { address, size: 2 });
            }
            // Misaligned accesses trap.
            ("rv32ui-ma_data", Err(trap)) => {
                let address = 0x0040_06d1;
                assert_eq!(trap.cause, Cause::MisalignedLoad { address, size: 2 });
            }
            (
                _,
                Ok(Outcome {
                    exit: Exit::Halted(0),
                    ..
                }),
            ) => {}
            (
                _,
                Ok(Outcome {
                    exit: Exit::Halted(code),
                    ..
                }),
            ) => {
                panic!("{name}: test {} failed", code >> 1);
            }
            (_, other) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn architecture_tests_have_the_reference_signatures() {
    let programs = programs("arch-test");
    assert_eq!(programs.len(), 53);
    for (name, path) in programs {
        let result = run(&path, Layout::bare(0x8000_0000));
        if name == "I-FENCE.I-01" {
            // Instruction fetches do not see stores.
            let cause = result.expect_err("fence.i is no instruction here").cause;
            assert_eq!(cause, Cause::Illegal { word: FENCE_I });
            continue;
        }
        let outcome = result.unwrap_or_else(|trap| panic!("{name}: {trap}"));
        assert_eq!(outcome.exit, Exit::Halted(0), "{name}");
        let reference = fs::read_to_string(path.with_extension("signature")).expect("readable");
        let expected: Vec<u32> = reference
            .lines()
            .map(|word| u32::from_str_radix(word, 16).expect("hexadecimal"))
            .collect();
        let found: Vec<u32> = outcome
            .output
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
            .collect();
        assert!(!found.is_empty(), "{name}: no signature");
        assert_eq!(found, expected, "{name}");
    }
}
