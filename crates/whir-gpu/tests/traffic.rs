//! What a run moves, waits for and holds is what was planned, and within the design's bounds.

mod common;

use common::*;
use p3_whir::WhirShape;
use prova_gpu::{Cost, Ledger, Limits};
use prova_whir::derive::query_phases;
use prova_whir::presets::Preset;
use prova_whir::suite::{BabyBear4, BabyBearField, Poseidon2x16};
use prova_whir::{Field, Folding, HashSuite, Order, Params, Shape};
use prova_whir_gpu::backend::HANDOVER;
use prova_whir_gpu::dry::{Played, Rehearsal};
use prova_whir_gpu::{GpuMachine, GpuOptions, MemoryPlan, Mode, estimate};
use prova_whir_prover::Request;

/// The suite of every case here.
type Suite = Poseidon2x16<BabyBearField, BabyBear4>;

const FAMILIES: [&str; 5] = ["ntt ", "hash ", "mle ", "grind", "move "];

fn shape(params: &Params, num_variables: usize) -> WhirShape {
    let table = Shape {
        num_variables,
        columns: 1,
    };
    let config = params.config::<Suite>(table, 1).expect("it fits");
    WhirShape::new(&config, 1)
}

/// Sumcheck rounds after the first fold whose tables have more than `2^handover` values.
fn large_rounds(run: &WhirShape, handover: usize) -> usize {
    let mut variables = run.num_variables - run.initial_sumcheck.rounds;
    let mut count = 0;
    for round in &run.rounds {
        for _ in 0..round.sumcheck.rounds {
            count += usize::from(variables > handover);
            variables -= 1;
        }
    }
    count
}

#[test]
fn the_published_schedule_stays_within_its_traffic() {
    let preset = Preset::find("apple-90").expect("a preset");
    let params = preset.params(24, Folding::Constant(4), 1);
    let limits = Limits {
        memory: u64::MAX,
        ..Limits::WEBGPU
    };
    let table = Shape {
        num_variables: 24,
        columns: 1,
    };
    let planned = estimate(&params, table, 1, limits, Mode::Resident).expect("it fits");
    assert_eq!(planned.plan, MemoryPlan::LADDER[0]);
    let ledger = &planned.ledger;

    let gib = (1_u64 << 30) as f64;
    let phases = query_phases(&shape(&params, 24));
    // The narrow rows of the message's codeword are hashed where the transform finishes them.
    let leaves = ledger.cost("hash leaves");
    let narrow = 32 << phases[0].log_height;
    assert!(leaves.written >= narrow && leaves.read < narrow);
    let transforms = ledger.cost("ntt").bytes() as f64 / gib;
    assert!(transforms <= 0.8, "{transforms} GiB of transforms");
    assert!(ledger.read_back <= 1 << 20, "{} bytes", ledger.read_back);

    let run = shape(&params, 24);
    let commitments = 1 + run.rounds.len();
    let claims = run.commitment_ood_samples
        + run.num_opening_claims
        + run
            .rounds
            .iter()
            .map(|round| round.ood_samples)
            .sum::<usize>();
    let query_batches = run.rounds.len() + 1;
    // Handing tables over is a wait of its own.
    let rounds = large_rounds(&run, HANDOVER) + 1;
    let most = (commitments + claims + query_batches + rounds) as u64;
    assert!(ledger.waits <= most, "{} waits of {most}", ledger.waits);

    let all = FAMILIES.map(|family| ledger.cost(family));
    let sum = all
        .into_iter()
        .fold(Cost::default(), |sum, cost| sum + cost);
    assert_eq!(sum, ledger.cost(""), "kinds of five families: {ledger:?}");
}

fn case(num_variables: usize) -> (Params, prova_whir_prover::Table) {
    let mut params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
    params.folding = Folding::Constant(4);
    let table = table(&params, num_variables, 1, 37);
    (params, table)
}

/// No proof-of-work on the device: how much there is depends on the transcript.
fn still(options: GpuOptions) -> GpuOptions {
    GpuOptions {
        least_grind_bits: Some(64),
        ..options
    }
}

fn planned(machine: &GpuMachine, params: &Params, num_variables: usize, plan: usize) -> Played {
    let rehearsal = Rehearsal {
        run: &shape(params, num_variables),
        shape: Shape {
            num_variables,
            columns: 1,
        },
        order: params.order,
        mode: machine.mode(),
        handover: 4,
        limits: machine.gpu().limits(),
        rate: machine.gpu().products_per_second(),
    };
    let played = rehearsal.play::<Suite>(MemoryPlan::LADDER[plan]);
    played.expect("without a limit")
}

/// Counters and peak of a run that gives the right bytes.
fn executed(machine: &GpuMachine, (params, table): &(Params, prova_whir_prover::Table)) -> Played {
    let _ = machine.gpu().take_ledger();
    machine.gpu().reset_peak();
    let request = Request::Drawn { count: 1 };
    same(machine, params, table, &request, "a counted run");
    Played {
        peak: machine.gpu().peak_bytes(),
        ledger: machine.gpu().take_ledger(),
    }
}

/// Dispatches and costs of the kinds whose work does not depend on where queries fall.
fn fixed(ledger: &Ledger) -> Vec<(&'static str, u64, Cost)> {
    let opened = ["hash compress", "move gather"];
    ledger
        .entries
        .iter()
        .filter(|(kind, _)| !opened.contains(kind) && !kind.starts_with("grind"))
        .map(|(&kind, entry)| (kind, entry.dispatches, entry.cost))
        .collect()
}

#[test]
fn runs_do_what_was_planned() {
    for mode in Mode::ALL {
        for (variables, plan) in [(14, 0), (15, 1), (14, 2), (15, 4), (14, 5), (16, 0)] {
            if mode != Mode::Resident && variables > 14 {
                continue;
            }
            let machine = machine(&still(GpuOptions {
                mode,
                handover: Some(4),
                first_plan: plan,
                ..GpuOptions::default()
            }));
            for order in [Order::Suffix, Order::Prefix] {
                let mut case = case(variables);
                case.0.order = order;
                let planned = planned(&machine, &case.0, variables, plan);
                let done = executed(&machine, &case);
                let what = format!("mode {mode}, plan {plan}, {variables} variables, {order:?}");
                // Leaner plans encode the cosets that queries fall in again.
                let again = |kind: &str| plan > 0 && kind.starts_with("ntt");
                let (did, should) = (fixed(&done.ledger), fixed(&planned.ledger));
                for (&(kind, times, cost), &(same, most_times, most)) in did.iter().zip(&should) {
                    assert_eq!(kind, same, "{what}");
                    if again(kind) {
                        assert!(
                            times <= most_times && cost.bytes() <= most.bytes(),
                            "{what}"
                        );
                    } else {
                        assert_eq!((times, cost), (most_times, most), "{kind}: {what}");
                    }
                }
                assert_eq!(did.len(), should.len(), "{what}");
                let (done, planned) = ((done.peak, done.ledger), (planned.peak, planned.ledger));
                assert_eq!(done.1.waits, planned.1.waits, "waits: {what}");
                assert_eq!(done.1.submissions, planned.1.submissions, "{what}");
                // The lists of what is opened are shorter where paths meet.
                assert!(done.1.uploaded <= planned.1.uploaded, "{what}");
                assert!(done.1.uploaded + (64 << 10) >= planned.1.uploaded, "{what}");
                assert!(done.1.read_back <= planned.1.read_back, "{what}");
                assert!(
                    done.0 <= planned.0,
                    "peak {} of {}: {what}",
                    done.0,
                    planned.0
                );
            }
        }
    }
}

#[test]
fn several_columns_stay_within_their_peak() {
    let machine = machine(&still(eager()));
    let params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
    for columns in [3, 5] {
        let table = table(&params, 11, columns, 41);
        let config = params
            .config::<Suite>(table.shape, columns)
            .expect("it fits");
        let rehearsal = Rehearsal {
            run: &WhirShape::new(&config, 1),
            shape: table.shape,
            order: params.order,
            mode: machine.mode(),
            handover: 3,
            limits: machine.gpu().limits(),
            rate: machine.gpu().products_per_second(),
        };
        let planned = rehearsal
            .play::<Suite>(MemoryPlan::LADDER[0])
            .expect("it fits");
        let done = executed(&machine, &(params.clone(), table));
        assert!(
            done.peak <= planned.peak,
            "{} of {}",
            done.peak,
            planned.peak
        );
        assert_eq!(done.ledger.waits, planned.ledger.waits);
        assert_eq!(fixed(&done.ledger), fixed(&planned.ledger));
    }
}

#[test]
fn a_slow_device_gets_short_submissions() {
    let machine = machine(&still(GpuOptions {
        handover: Some(4),
        ..GpuOptions::default()
    }));
    let case = case(14);
    let fast = executed(&machine, &case);
    // A submission is sixty milliseconds: six hundred products here.
    machine.gpu().set_products_per_second(10_000);
    let plan = planned(&machine, &case.0, 14, 0);
    let slow = executed(&machine, &case);
    let counts = [slow.ledger.submissions, fast.ledger.submissions];
    assert!(counts[0] > 4 * counts[1], "{counts:?}");
    // What is opened is less where paths meet, and may be cut less.
    let most = plan.ledger.submissions;
    assert!(
        (most - most / 8..=most).contains(&counts[0]),
        "{counts:?} of {most}"
    );
    assert!(slow.peak <= plan.peak);
    // More submissions than dispatches: some dispatches were cut.
    assert!(counts[0] > slow.ledger.dispatches());
    assert_eq!(slow.ledger.dispatches(), fast.ledger.dispatches());
}
