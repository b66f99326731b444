//! What goes wrong on a device ends in a typed error or in the right bytes, never in others.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::*;
use prova_gpu::device::Fault;
use prova_whir::{Field, HashSuite, Params, verify_parts};
use prova_whir_gpu::{GpuMachine, GpuOptions, MemoryPlan};
use prova_whir_prover::{
    DeviceErrorKind, Observer, Options, ProveError, Proved, Request, Table, Unobserved,
};

const ONE: Request = Request::Drawn { count: 1 };

/// A case with rounds on the device, proof-of-work and several levels of trees.
fn case(variables: usize) -> (Params, Table) {
    let params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
    let table = table(&params, variables, 1, 29);
    (params, table)
}

fn run(
    machine: &GpuMachine,
    (params, table): &(Params, Table),
    observer: Arc<dyn Observer + Send>,
    self_check: bool,
) -> Result<Proved, ProveError> {
    let options = Options {
        mem_limit: None,
        self_check,
        observer,
    };
    machine.prove(
        params,
        || Ok::<_, ProveError>(table.clone()),
        &ONE,
        &options,
    )
}

fn plain(machine: &GpuMachine, case: &(Params, Table)) -> Result<Proved, ProveError> {
    run(machine, case, Arc::new(Unobserved), false)
}

fn kind(result: Result<Proved, ProveError>) -> DeviceErrorKind {
    match result {
        Err(ProveError::Device(error)) => error.kind,
        Err(error) => panic!("not a device's failure: {error}"),
        Ok(_) => panic!("a proof in spite of the fault"),
    }
}

#[test]
fn a_lost_device_is_reported_wherever_it_is_lost() {
    let case = case(10);
    let healthy = machine(&eager());
    let _ = healthy.gpu().take_ledger();
    plain(&healthy, &case).expect("a healthy device");
    let submissions = healthy.gpu().take_ledger().submissions;
    assert!(submissions > 10);
    for after in (0..submissions).step_by(submissions as usize / 12) {
        let machine = machine(&eager());
        machine.gpu().inject(Fault::Lose { after });
        assert_eq!(
            kind(plain(&machine, &case)),
            DeviceErrorKind::Lost,
            "lost before submission {after}"
        );
        // Lost for good, and for every clone.
        assert_eq!(kind(plain(&machine.clone(), &case)), DeviceErrorKind::Lost);
    }
    let fresh = machine(&eager());
    same(&fresh, &case.0, &case.1, &ONE, "after losses");
    same(&healthy, &case.0, &case.1, &ONE, "beside losses");
}

#[test]
fn memory_limits_lead_to_leaner_plans() {
    let case = case(12);
    let roomy = machine(&eager());
    let peaks: Vec<u64> = (0..MemoryPlan::LADDER.len())
        .map(|plan| peak(&roomy, &case.0, &case.1, 3, plan))
        .collect();
    assert!(peaks[1] < peaks[0], "{peaks:?}");
    for &limit in &peaks {
        let machine = machine(&GpuOptions {
            max_bytes: Some(limit),
            ..eager()
        });
        same(&machine, &case.0, &case.1, &ONE, "a memory limit");
        let first = peaks.iter().position(|&peak| peak <= limit);
        let first = first.map(|index| MemoryPlan::LADDER[index]);
        assert_eq!(machine.last_plan(), first, "limit {limit} of {peaks:?}");
        assert!(machine.gpu().held_bytes() <= limit);
    }
    let least = *peaks.iter().min().expect("plans");
    let machine = machine(&GpuOptions {
        max_bytes: Some(least - 1),
        ..eager()
    });
    let expected = DeviceErrorKind::OutOfMemory {
        need: least,
        limit: least - 1,
    };
    assert_eq!(kind(plain(&machine, &case)), expected);
}

#[test]
fn a_device_with_less_memory_than_it_said_takes_leaner_plans() {
    let case = case(12);
    let machine = machine(&eager());
    let peaks: Vec<u64> = (0..MemoryPlan::LADDER.len())
        .map(|plan| peak(&machine, &case.0, &case.1, 3, plan))
        .collect();
    let least = *peaks.iter().min().expect("plans");
    machine.gpu().inject(Fault::Exhaust { limit: least });
    same(&machine, &case.0, &case.1, &ONE, "less memory");
    assert_ne!(machine.last_plan(), Some(MemoryPlan::LADDER[0]));

    let limit = least / 4;
    machine.gpu().inject(Fault::Exhaust { limit });
    match kind(plain(&machine, &case)) {
        DeviceErrorKind::OutOfMemory { need, limit: got } => {
            assert_eq!(got, limit);
            assert!(need > limit && need <= peaks[0], "{need} of {peaks:?}");
        }
        other => panic!("{other}"),
    }
    machine.gpu().inject(Fault::Exhaust { limit: u64::MAX });
    same(&machine, &case.0, &case.1, &ONE, "memory again");
}

#[test]
fn corrupted_memory_never_becomes_a_proof() {
    let case = case(9);
    let machine = machine(&eager());
    let _ = machine.gpu().take_ledger();
    let expected = plain(&machine, &case).expect("a healthy device");
    let dispatches = machine.gpu().take_ledger().dispatches();
    let (mut harmless, mut refused) = (0, 0);
    for after in (0..dispatches).step_by((dispatches as usize / 60).max(1)) {
        machine.gpu().inject(Fault::Corrupt { after });
        match run(&machine, &case, Arc::new(Unobserved), true) {
            Ok(proved) => {
                harmless += 1;
                // Another witness of a proof-of-work leads to another proof, which is as good.
                verify_parts(&case.0, &proved.statement, &proved.body).expect("a true proof");
                assert_eq!(proved.statement.openings, expected.statement.openings);
            }
            Err(ProveError::SelfCheck(_)) => refused += 1,
            Err(ProveError::Device(error)) => {
                assert_eq!(error.kind, DeviceErrorKind::Validation);
                refused += 1;
            }
            Err(error) => panic!("corrupted after {after}: {error}"),
        }
    }
    assert!(
        refused > harmless / 4,
        "{refused} of {harmless} corruptions"
    );
    // A fault that was not reached would hit this run.
    let _ = plain(&machine, &case);
    same(&machine, &case.0, &case.1, &ONE, "after corruptions");
}

#[test]
fn tables_over_the_limit_and_unknown_adapters_are_refused() {
    let machine = machine(&GpuOptions {
        max_log_n: Some(9),
        ..eager()
    });
    let (params, table) = case(9);
    same(&machine, &params, &table, &ONE, "at the limit");
    let expected = DeviceErrorKind::OutOfMemory {
        need: 4 << 10,
        limit: 4 << 9,
    };
    assert_eq!(kind(plain(&machine, &case(10))), expected);

    let options = GpuOptions {
        adapter: Some("no such adapter".to_owned()),
        ..GpuOptions::default()
    };
    let error = GpuMachine::open(&options).expect_err("an unknown adapter");
    assert_eq!(error.kind, DeviceErrorKind::NoAdapter);
}

/// Asks to stop at a call.
struct Stop {
    calls: AtomicUsize,
    at: usize,
}

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) >= self.at
    }
}

#[test]
fn a_run_stops_at_any_call() {
    let case = case(10);
    let machine = machine(&eager());
    let stop = |at| {
        Arc::new(Stop {
            calls: AtomicUsize::new(0),
            at,
        })
    };
    let watch = stop(usize::MAX);
    let observer: Arc<dyn Observer + Send> = Arc::clone(&watch) as _;
    run(&machine, &case, observer, false).expect("never stopped");
    let calls = watch.calls.load(Ordering::Relaxed);
    assert!(calls > 10);
    for at in 0..calls {
        let result = run(&machine, &case, stop(at), false);
        assert!(
            matches!(result, Err(ProveError::Cancelled(_))),
            "stopped at call {at} of {calls}"
        );
    }
    same(&machine, &case.0, &case.1, &ONE, "after cancellations");
}

#[test]
fn two_machines_and_two_clones_work_at_once() {
    let first = machine(&eager());
    let machines = [machine(&eager()), first.clone(), first];
    thread::scope(|scope| {
        for machine in &machines {
            scope.spawn(|| {
                for variables in [8, 10, 9] {
                    let (params, table) = case(variables);
                    same(machine, &params, &table, &ONE, "at once");
                }
            });
        }
    });
}

#[test]
fn messages_larger_than_a_binding() {
    let limit = 64 << 10;
    for (variables, first_plan) in [(15, 0), (16, 1), (15, 5)] {
        let machine = machine(&GpuOptions {
            max_binding_bytes: Some(limit),
            handover: Some(8),
            first_plan,
            ..eager()
        });
        assert!(4 << variables > limit, "the message itself is split");
        let (mut params, table) = case(variables);
        same(&machine, &params, &table, &ONE, "a message in pieces");
        let work = machine.gpu().take_ledger();
        assert!(work.entries.contains_key("ntt pieces"), "{work:?}");
        params.order = prova_whir::Order::Prefix;
        same(&machine, &params, &table, &ONE, "in prefix order");
        let three = common::table(&params, variables - 2, 3, 31);
        for order in [prova_whir::Order::Suffix, prova_whir::Order::Prefix] {
            params.order = order;
            let request = given(&params, three.shape);
            same(&machine, &params, &three, &request, "columns in pieces");
        }
    }
}

/// The planned peak of a case.
fn peak(machine: &GpuMachine, params: &Params, table: &Table, handover: usize, plan: usize) -> u64 {
    use p3_whir::WhirShape;
    use prova_whir_gpu::dry::Rehearsal;
    type Suite = prova_whir::suite::Poseidon2x16<
        prova_whir::suite::BabyBearField,
        prova_whir::suite::BabyBear4,
    >;
    let config = params.config::<Suite>(table.shape, 1).expect("it fits");
    let rehearsal = Rehearsal {
        run: &WhirShape::new(&config, 1),
        shape: table.shape,
        order: params.order,
        mode: machine.mode(),
        handover,
        limits: machine.gpu().limits(),
        rate: machine.gpu().products_per_second(),
    };
    let played = rehearsal.play::<Suite>(MemoryPlan::LADDER[plan]);
    played.expect("without a limit").peak
}
