//! Machines that fail: every failure is an error, whatever was going on.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{given, options, ours, params, table};
use p3_multilinear_util::point::Point;
use prova_hash::{ByteSearch, DuplexSearch};
use prova_whir::{Field, HashSuite, Order, Params};
use prova_whir_prover::backend::{Claims, Column, Context, Message, Opened, Partial, SlotWeight};
use prova_whir_prover::plan::{choose, plans};
use prova_whir_prover::reference::Reference;
use prova_whir_prover::{
    Backend, BackendError, Cancelled, DeviceError, DeviceErrorKind, Job, Machine, Observer,
    Prepared, ProveError, ProverSuite, Request, Stage, Table, commit_on, prove, prove_on,
};

/// Which call fails and how; shared by a machine and its back ends.
struct Faults {
    error: BackendError,
    /// Number of the first call that fails.
    at: usize,
    calls: AtomicUsize,
}

impl Faults {
    fn call(&self) -> Result<(), BackendError> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.at {
            Ok(())
        } else {
            Err(self.error.clone())
        }
    }
}

/// The reference back end, until it fails.
struct Faulty(Arc<Faults>);

impl<S: ProverSuite> Backend<S> for Faulty {
    type Base = <Reference as Backend<S>>::Base;
    type Folded = <Reference as Backend<S>>::Folded;
    type Tables = <Reference as Backend<S>>::Tables;

    fn commit(
        &self,
        ctx: Context<'_>,
        message: &Message<'_, S::F>,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Base), BackendError> {
        self.0.call()?;
        Backend::<S>::commit(&Reference, ctx, message, fold, log_inv_rate)
    }

    fn partial_evaluations(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        columns: &[Column<'_, S::F>],
        point: &Point<S::EF>,
        fold: usize,
    ) -> Result<Vec<Partial<S::EF>>, BackendError> {
        self.0.call()?;
        Backend::<S>::partial_evaluations(&Reference, ctx, base, columns, point, fold)
    }

    fn fold_message(
        &self,
        ctx: Context<'_>,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        challenges: &[S::EF],
        weights: &[SlotWeight<S::EF>],
    ) -> Result<Self::Tables, BackendError> {
        self.0.call()?;
        Backend::<S>::fold_message(&Reference, ctx, base, message, challenges, weights)
    }

    fn load(&self, evaluations: &[S::EF], weights: &[S::EF]) -> Result<Self::Tables, BackendError> {
        self.0.call()?;
        Backend::<S>::load(&Reference, evaluations, weights)
    }

    fn commit_folded(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
        fold: usize,
        log_inv_rate: usize,
    ) -> Result<(S::Digest, Self::Folded), BackendError> {
        self.0.call()?;
        Backend::<S>::commit_folded(&Reference, ctx, tables, fold, log_inv_rate)
    }

    fn evaluate(&self, tables: &Self::Tables, y: S::EF) -> Result<S::EF, BackendError> {
        self.0.call()?;
        Backend::<S>::evaluate(&Reference, tables, y)
    }

    fn add_claims(
        &self,
        tables: &mut Self::Tables,
        claims: &Claims<S::EF>,
    ) -> Result<(), BackendError> {
        self.0.call()?;
        Backend::<S>::add_claims(&Reference, tables, claims)
    }

    fn round_message(
        &self,
        ctx: Context<'_>,
        tables: &Self::Tables,
    ) -> Result<[S::EF; 2], BackendError> {
        self.0.call()?;
        Backend::<S>::round_message(&Reference, ctx, tables)
    }

    fn bind(
        &self,
        ctx: Context<'_>,
        tables: &mut Self::Tables,
        r: S::EF,
        more: bool,
    ) -> Result<Option<[S::EF; 2]>, BackendError> {
        self.0.call()?;
        Backend::<S>::bind(&Reference, ctx, tables, r, more)
    }

    fn values(&self, tables: &Self::Tables) -> Result<Vec<S::EF>, BackendError> {
        self.0.call()?;
        Backend::<S>::values(&Reference, tables)
    }

    fn open(
        &self,
        base: &Self::Base,
        message: &Message<'_, S::F>,
        indices: &[usize],
    ) -> Result<Opened<S::F, S::Digest>, BackendError> {
        self.0.call()?;
        Backend::<S>::open(&Reference, base, message, indices)
    }

    fn open_folded(
        &self,
        folded: &Self::Folded,
        indices: &[usize],
    ) -> Result<Opened<S::EF, S::Digest>, BackendError> {
        self.0.call()?;
        Backend::<S>::open_folded(&Reference, folded, indices)
    }
}

/// A lost device's search: it declines.
#[derive(Debug)]
struct Declines;

impl ByteSearch for Declines {
    fn search(&self, _: &[u8], _: usize) -> Option<u64> {
        None
    }
}

impl<F> DuplexSearch<F> for Declines {
    fn search(&self, _: &[F; 16], _: usize, _: usize) -> Option<u64> {
        None
    }
}

/// A machine whose call `at` fails, preparation included.
struct FaultyMachine {
    faults: Arc<Faults>,
    /// Whether its plan keeps the codeword.
    keep: bool,
}

impl FaultyMachine {
    fn new(error: impl Into<BackendError>, at: usize, keep: bool) -> Self {
        Self {
            faults: Arc::new(Faults {
                error: error.into(),
                at,
                calls: AtomicUsize::new(0),
            }),
            keep,
        }
    }

    fn calls(&self) -> usize {
        self.faults.calls.load(Ordering::Relaxed)
    }
}

impl Machine for FaultyMachine {
    type Backend<S: ProverSuite> = Faulty;

    fn prepare<S: ProverSuite>(&self, job: &Job<'_>) -> Result<Prepared<Faulty>, ProveError> {
        self.faults.call()?;
        let plans = plans(job.shape, job.run, job.params.extension_degree);
        let mut plan = choose(&plans, job.mem_limit)?;
        plan.keep_codeword = self.keep;
        plan.note = "another machine's".into();
        Ok(Prepared {
            backend: Faulty(Arc::clone(&self.faults)),
            plan,
        })
    }

    fn grinder<S: ProverSuite>(&self) -> S::Grinder {
        S::grinder_with(Some(Arc::new(Declines)), Some(Arc::new(Declines)))
    }
}

fn lost() -> DeviceError {
    DeviceError::new(DeviceErrorKind::Lost, "unplugged")
}

/// Fails every call in turn, then proves on the CPU; returns the number of calls of a run.
fn every_call_fails(params: &Params, table: &Table, request: &Request, keep: bool) -> usize {
    let expected = ours(params, table, request).unwrap();
    let mut at = 0;
    loop {
        let machine = FaultyMachine::new(lost(), at, keep);
        match prove_on(&machine, params, table.clone(), request, &options()) {
            Err(ProveError::Device(error)) => assert_eq!(error, lost()),
            Err(error) => panic!("call {at}: {error}"),
            Ok(proved) => {
                assert_eq!(machine.calls(), at, "every call was made to fail once");
                assert_eq!(proved.statement, expected.statement);
                assert_eq!(proved.body, expected.body);
                assert_eq!(proved.plan.describe(), "another machine's");
                break;
            }
        }
        // A machine that failed is not asked again.
        assert_eq!(machine.calls(), at + 1);
        at += 1;
    }
    let again = ours(params, table, request).unwrap();
    assert_eq!(
        (&again.statement, &again.body),
        (&expected.statement, &expected.body)
    );
    at
}

#[test]
fn every_call_of_a_run_may_fail() {
    for (order, field, degree, hash) in [
        (Order::Suffix, Field::BabyBear, 4, HashSuite::Poseidon2x16),
        (Order::Suffix, Field::KoalaBear, 5, HashSuite::Blake3),
        (Order::Prefix, Field::KoalaBear, 4, HashSuite::Poseidon2x24),
        (Order::Prefix, Field::BabyBear, 5, HashSuite::Keccak),
    ] {
        let mut params = params(field, degree, hash);
        params.order = order;
        for keep in [true, false] {
            let single = table(&params, 9, 1, 1);
            let drawn = Request::Drawn { count: 2 };
            let calls = every_call_fails(&params, &single, &drawn, keep);
            // Preparation, commitment, fold, and in each of several rounds commitment, claims,
            // messages and openings.
            assert!(calls > 15, "only {calls} calls");
            let stacked = table(&params, 7, 3, 2);
            let request = given(&params, stacked.shape);
            every_call_fails(&params, &stacked, &request, keep);
        }
    }
}

#[test]
fn cancellation_travels_the_same_way() {
    let params = params(Field::BabyBear, 4, HashSuite::Poseidon2x16);
    let table = table(&params, 8, 2, 3);
    let request = Request::Drawn { count: 1 };
    for at in 0.. {
        let machine = FaultyMachine::new(Cancelled, at, true);
        match prove_on(&machine, &params, table.clone(), &request, &options()) {
            Err(ProveError::Cancelled(Cancelled)) => assert_eq!(machine.calls(), at + 1),
            Err(error) => panic!("call {at}: {error}"),
            Ok(_) => break,
        }
    }
}

#[test]
fn a_commitment_may_fail() {
    let params = params(Field::KoalaBear, 4, HashSuite::Keccak);
    let table = table(&params, 8, 2, 4);
    let need = DeviceErrorKind::OutOfMemory { need: 9, limit: 8 };
    for at in 0..2 {
        let machine = FaultyMachine::new(DeviceError::new(need, "codeword"), at, true);
        let error = commit_on(&machine, &params, table.clone(), &options()).unwrap_err();
        assert!(matches!(&error, ProveError::Device(error) if error.kind == need));
        assert_eq!(
            error.to_string(),
            "not enough device memory: need 9 bytes, limit 8 bytes: codeword"
        );
    }
    let machine = FaultyMachine::new(lost(), 2, true);
    let root = commit_on(&machine, &params, table.clone(), &options()).unwrap();
    let cpu = prova_whir_prover::commit(&params, table, &options()).unwrap();
    assert_eq!(root.root, cpu.root);
}

/// Asks to stop once `left` stages were entered.
struct Impatient {
    left: AtomicUsize,
}

impl Observer for Impatient {
    fn enter(&self, _: Stage, _: usize) {
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn the_cpu_is_cancelled_at_every_stage() {
    let params = params(Field::BabyBear, 4, HashSuite::Blake3);
    let table = table(&params, 10, 1, 5);
    let request = Request::Drawn { count: 1 };
    let expected = ours(&params, &table, &request).unwrap();
    let mut finished = 0;
    for stages in 0..12 {
        let mut options = options();
        options.observer = Arc::new(Impatient {
            left: AtomicUsize::new(stages),
        });
        match prove(&params, table.clone(), &request, &options) {
            Err(ProveError::Cancelled(Cancelled)) => assert_eq!(finished, 0, "at {stages}"),
            Err(error) => panic!("{stages} stages: {error}"),
            Ok(proved) => {
                assert_eq!(proved.body, expected.body);
                finished += 1;
            }
        }
    }
    assert!((1..12).contains(&finished));
}
