//! Random programs against what Spike did with them.

use crate::{
    generator::generate,
    machine::{GUEST_BASE, trace, whole},
    trace::Record,
};

const RECORDS: &str = include_str!("../../vectors/lockstep/spike.txt");

#[test]
fn random_programs_run_as_recorded() {
    let records: Vec<Record> = RECORDS
        .lines()
        .map(|line| line.parse().expect("a valid record"))
        .collect();
    assert!(records.len() >= 256, "only {} records", records.len());
    for expected in records {
        let seed = expected.seed;
        let generated = generate(seed, GUEST_BASE);
        let trace = trace(&generated).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let found = trace.record(seed, &generated);
        assert_eq!(
            found.program, expected.program,
            "seed {seed}: the generator makes another program than the one recorded"
        );
        assert_eq!(
            found, expected,
            "`scripts/riscv-conformance.sh live` finds the instruction"
        );
        whole(&generated, &trace).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
