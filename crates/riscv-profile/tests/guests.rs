//! Profiles of the committed guests: sums that must agree, and what is known about them.

use std::path::Path;

use prova_riscv::{Exit, Input, Machine, Options, Outcome, Program};
use prova_riscv_profile::{Image, Profile, Profiler, RunFacts, SchemaError, compare};

fn elf(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guests/elf");
    std::fs::read(folder.join(format!("{name}.elf"))).expect("a committed guest")
}

fn profile(name: &str, input: &[u8]) -> (Profile, Outcome) {
    let elf = elf(name);
    let program = Program::from_elf(&elf).expect("a guest");
    let image = Image::new(&elf).expect("symbols");
    assert!(image.has_lines(), "{name} has line tables");
    let input = Input::new(input).expect("a short input");
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let mut profiler = Profiler::new(&image);
    let outcome = machine.run(&mut profiler).expect("no trap");
    let facts = RunFacts {
        cycles: outcome.cycles,
        output: format!("{:02x?}", outcome.output),
        ..RunFacts::default()
    };
    (profiler.finish(facts), outcome)
}

#[test]
fn every_table_adds_up_to_the_executed_cycles() {
    for (name, input) in [
        ("empty", &[][..]),
        ("hello", b"some bytes"),
        ("fibonacci", &100u32.to_le_bytes()),
        ("markers", &[]),
        ("panics", &[]),
        ("sha256", b"abc"),
    ] {
        let (profile, outcome) = profile(name, input);
        let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.sum::<u64>();
        assert!(outcome.cycles > 0);
        for (what, total) in [
            (
                "functions",
                sum(&mut profile.functions.iter().map(|f| f.cycles)),
            ),
            (
                "inlined",
                sum(&mut profile.inlined.iter().map(|f| f.cycles)),
            ),
            ("lines", sum(&mut profile.lines.iter().map(|l| l.cycles))),
            ("steps", sum(&mut profile.steps.iter().map(|s| s.cycles))),
            ("stacks", sum(&mut profile.stacks.values().copied())),
        ] {
            assert_eq!(total, outcome.cycles, "{what} of {name}");
        }
        for step in &profile.steps {
            let functions = sum(&mut step.functions.iter().map(|f| f.cycles));
            assert_eq!(functions, step.cycles, "step {} of {name}", step.step);
        }
        // The outermost function contains all that it called.
        let most = profile.functions.iter().map(|f| f.inclusive).max();
        assert!(most <= Some(outcome.cycles), "{name}");
        assert!(profile.unique_instructions <= outcome.cycles, "{name}");
    }
}

#[test]
fn steps_follow_the_markers() {
    let (profile, _) = profile("markers", &[]);
    let met: Vec<u32> = profile.markers.iter().map(|marker| marker.value).collect();
    assert_eq!(met.len() as u64, profile.markers_met);
    assert!(met.len() > 2, "{met:?}");
    assert!(
        profile.markers.is_sorted_by_key(|marker| marker.cycle),
        "markers are met one after the other"
    );
    // Cycles between markers, by hand.
    let mut steps: std::collections::BTreeMap<u32, u64> = std::collections::BTreeMap::new();
    let mut current = (0, 0);
    for marker in &profile.markers {
        *steps.entry(current.0).or_default() += marker.cycle - current.1;
        current = (marker.value, marker.cycle);
    }
    *steps.entry(current.0).or_default() += profile.facts.cycles - current.1;
    steps.retain(|_, cycles| *cycles > 0);
    let told: std::collections::BTreeMap<u32, u64> = profile
        .steps
        .iter()
        .map(|step| (step.step, step.cycles))
        .collect();
    assert_eq!(told, steps);
}

#[test]
fn serialised_and_compared() {
    let (short, _) = profile("fibonacci", &100u32.to_le_bytes());
    let (long, _) = profile("fibonacci", &200u32.to_le_bytes());
    let text = serde_json::to_string(&long).expect("a document");
    let mut read: Profile = serde_json::from_str(&text).expect("the same document");
    assert_eq!(read, long);
    read.check().expect("this version");

    let same = compare(&short, &short);
    assert!(same.functions.is_empty() && same.steps.is_empty() && same.calls.is_empty());
    assert_eq!(same.cycles.growth(), Some(0.0));
    let changed = compare(&short, &long);
    assert_eq!(changed.cycles.before, short.facts.cycles);
    assert_eq!(changed.cycles.after, long.facts.cycles);
    assert!(changed.cycles.growth() > Some(0.0) && !changed.functions.is_empty());
    assert!(!changed.same_output && changed.same_exit);

    read.version += 1;
    assert!(matches!(read.check(), Err(SchemaError::Version { .. })));
    read.schema.push('x');
    assert!(matches!(read.check(), Err(SchemaError::Schema { .. })));
}

#[test]
fn stacks_name_callers() {
    let (profile, outcome) = profile("sha256", &[7; 1000]);
    assert_eq!(outcome.exit, Exit::Halted(0));
    let deepest = profile
        .stacks
        .keys()
        .map(|stack| stack.split(';').count())
        .max();
    assert!(deepest >= Some(2), "{:?}", profile.stacks);
    let folded = profile.folded();
    assert_eq!(folded.lines().count(), profile.stacks.len());
    for line in folded.lines() {
        let (stack, cycles) = line.rsplit_once(' ').expect("stack and cycles");
        assert_eq!(profile.stacks.get(stack), cycles.parse().ok().as_ref());
    }
}

#[test]
fn files_that_are_no_programs() {
    assert!(Image::new(b"").is_err());
    let elf = elf("hello");
    for length in [10, 60, elf.len() / 2] {
        // Cut symbols are an error or no symbols, never a panic.
        let _ = Image::new(&elf[..length]);
    }
}
