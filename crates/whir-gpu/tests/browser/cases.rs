//! What the browser is asked, and what it has to answer.
//!
//! A case is made by the GPU back end on a device that only records, so it is what a prover would
//! tell its device. The CPU back end, asked the same, says what has to come back.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_multilinear_util::point::Point;
use p3_whir::WhirShape;
use prova_gpu::hash::{HashKind, Hashing};
use prova_gpu::trace::Trace;
use prova_gpu::{Extension, Field, Gpu, Kit, Limits, Multiply};
use prova_hash::{HashField, Poseidon2Kernel};
use prova_whir::suite::{
    BabyBear4, BabyBearField, Blake3Suite, KoalaBear4, KoalaBear5, KoalaBearField, Poseidon2x16,
};
use prova_whir::{Folding, Order, Params, Regime, Shape};
use prova_whir_gpu::{MemoryPlan, Mode, dry};
use prova_whir_prover::ProverSuite;
use prova_whir_prover::backend::{Backend, Claims, Column, Context, Message, SlotWeight};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::error::BackendError;
use prova_whir_prover::observer::{Stopwatch, Unobserved};

/// A recording, and the words of its reads by the CPU.
pub struct Case {
    pub name: &'static str,
    pub trace: Trace,
    pub expected: Vec<Vec<u32>>,
}

/// `log2` of the table size at which rounds move to the host.
const HANDOVER: usize = 3;

/// Pseudo-random numbers below a modulus (a 32-bit linear congruence, reduced).
struct Numbers {
    state: u32,
    modulus: u32,
}

impl Numbers {
    fn of<F: HashField>(seed: u32) -> Self {
        Self {
            state: seed.wrapping_mul(0x9e37_79b9) | 1,
            modulus: F::ORDER_U32,
        }
    }

    fn next(&mut self) -> u32 {
        self.state = self
            .state
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        (self.state ^ (self.state >> 15)) % self.modulus
    }

    fn base<F: PrimeCharacteristicRing>(&mut self) -> F {
        F::from_u32(self.next())
    }

    fn extension<S: ProverSuite>(&mut self) -> S::EF {
        S::EF::from_basis_coefficients_fn(|_| self.base())
    }

    fn extensions<S: ProverSuite>(&mut self, count: usize) -> Vec<S::EF> {
        (0..count).map(|_| self.extension::<S>()).collect()
    }
}

/// Stored words of extension elements.
fn words<S: ProverSuite>(values: &[S::EF]) -> Vec<u32> {
    let coefficients = values
        .iter()
        .flat_map(|value| S::F::words(value.as_basis_coefficients_slice()));
    coefficients.copied().collect()
}

fn digests<S: ProverSuite>(digests: &[S::Digest]) -> Vec<u32> {
    digests.iter().flat_map(S::digest_to_words).collect()
}

/// The sizes of a case.
#[derive(Clone, Copy)]
struct Sizes {
    num_variables: usize,
    fold: usize,
    log_inv_rate: usize,
}

/// What a case asks of a back end.
#[derive(Clone, Copy)]
enum Script {
    /// A commitment, and opened rows of it.
    Commitment,
    /// Rounds on two tables.
    Sumcheck,
    /// A run's stages up to the second commitment.
    Run,
}

/// Plays a script. The answers are the words that a device reads back for it, read by read.
fn play<S: ProverSuite, B: Backend<S>>(
    script: Script,
    backend: &B,
    order: Order,
    sizes: Sizes,
) -> Result<Vec<Vec<u32>>, BackendError> {
    let watch = Stopwatch::new();
    let ctx = Context {
        stopwatch: &watch,
        observer: &Unobserved,
        order,
        keep_codeword: true,
    };
    let mut numbers = Numbers::of::<S::F>(sizes.num_variables as u32);
    match script {
        Script::Commitment => {
            let values = message::<S>(sizes, &mut numbers);
            let message = whole(sizes, &values);
            let (root, base) = backend.commit(ctx, &message, sizes.fold, sizes.log_inv_rate)?;
            let rows = 1 << (sizes.num_variables - sizes.fold + sizes.log_inv_rate);
            let opened = backend.open(&base, &message, &indices(rows))?;
            Ok(vec![
                digests::<S>(&[root]),
                S::F::words(&opened.rows.concat()).to_vec(),
                digests::<S>(&opened.siblings),
            ])
        }
        Script::Sumcheck => {
            let count = 1 << sizes.num_variables;
            let values = numbers.extensions::<S>(count);
            let mut tables = backend.load(&values, &numbers.extensions::<S>(count))?;
            let mut answers = vec![words::<S>(&backend.round_message(ctx, &tables)?)];
            answers.extend(rounds::<S, B>(backend, ctx, &mut tables, &mut numbers)?);
            Ok(answers)
        }
        Script::Run => run(backend, ctx, sizes, &mut numbers),
    }
}

fn message<S: ProverSuite>(sizes: Sizes, numbers: &mut Numbers) -> Vec<S::F> {
    (0..1 << sizes.num_variables)
        .map(|_| numbers.base())
        .collect()
}

fn whole<F>(sizes: Sizes, values: &[F]) -> Message<'_, F> {
    Message {
        num_variables: sizes.num_variables,
        columns: vec![Column { values, offset: 0 }],
    }
}

/// Ascending positions of a codeword, as a device reads its rows.
fn indices(rows: usize) -> [usize; 4] {
    [0, 3, rows / 2 + 1, rows - 1]
}

/// A round that is measured in the pass that binds, one that is not, and the tables after them.
fn rounds<S: ProverSuite, B: Backend<S>>(
    backend: &B,
    ctx: Context<'_>,
    tables: &mut B::Tables,
    numbers: &mut Numbers,
) -> Result<Vec<Vec<u32>>, BackendError> {
    let r = numbers.extension::<S>();
    let next = backend.bind(ctx, tables, r, true)?;
    let r = numbers.extension::<S>();
    backend.bind(ctx, tables, r, false)?;
    Ok(vec![
        words::<S>(&next.expect("another round was asked for")),
        words::<S>(&backend.values(tables)?),
    ])
}

fn run<S: ProverSuite, B: Backend<S>>(
    backend: &B,
    ctx: Context<'_>,
    sizes: Sizes,
    numbers: &mut Numbers,
) -> Result<Vec<Vec<u32>>, BackendError> {
    let Sizes {
        num_variables,
        fold,
        log_inv_rate,
    } = sizes;
    let values = message::<S>(sizes, numbers);
    let message = whole(sizes, &values);
    let (root, base) = backend.commit(ctx, &message, fold, log_inv_rate)?;
    let mut answers = vec![digests::<S>(&[root])];

    let point = Point::new(numbers.extensions::<S>(num_variables));
    let partials = backend.partial_evaluations(ctx, &base, &message.columns, &point, fold)?;
    answers.push(words::<S>(&partials.concat()));

    let weight = SlotWeight {
        offset: 0,
        point: Point::new(numbers.extensions::<S>(num_variables - fold)),
        coefficient: numbers.extension::<S>(),
    };
    let challenges = numbers.extensions::<S>(fold);
    let mut tables = backend.fold_message(ctx, &base, &message, &challenges, &[weight])?;
    let (root, folded) = backend.commit_folded(ctx, &tables, fold, log_inv_rate)?;
    answers.push(digests::<S>(&[root]));
    let y = numbers.extension::<S>();
    answers.push(words::<S>(&[backend.evaluate(&tables, y)?]));

    let log_rows = num_variables - fold + log_inv_rate;
    let claims = Claims {
        out_of_domain: vec![(y, numbers.extension::<S>())],
        queries: indices(1 << log_rows)
            .map(|index| (index, numbers.extension::<S>()))
            .to_vec(),
        log_domain: log_rows,
    };
    backend.add_claims(&mut tables, &claims)?;
    answers.push(words::<S>(&backend.round_message(ctx, &tables)?));
    answers.extend(rounds::<S, B>(backend, ctx, &mut tables, numbers)?);
    let opened = backend.open_folded(&folded, &indices(1 << (log_rows - fold)))?;
    answers.push(words::<S>(&opened.rows.concat()));
    answers.push(digests::<S>(&opened.siblings));
    Ok(answers)
}

/// A kit on a device that records.
fn kit<S: ProverSuite>() -> Kit {
    Kit::new(
        Gpu::traced(Limits::WEBGPU),
        Field::of::<S::F>(),
        Extension::of::<S::F, S::EF>(),
        Multiply::M16,
    )
}

fn recorded(kit: &Kit) -> Trace {
    kit.gpu.trace().expect("the device records")
}

fn case<S: ProverSuite>(
    name: &'static str,
    field: prova_whir::Field,
    script: Script,
    order: Order,
    [num_variables, fold, log_inv_rate]: [usize; 3],
) -> Case {
    let params = Params {
        field,
        extension_degree: <S::EF as BasedVectorSpace<S::F>>::DIMENSION,
        hash: S::HASH,
        order,
        regime: Regime::Johnson,
        security_bits: 40,
        pow_bits: 6,
        log_inv_rate,
        folding: Folding::Constant(fold),
        round_log_inv_rates: Vec::new(),
    };
    let shape = Shape {
        num_variables,
        columns: 1,
    };
    let config = params
        .config::<S>(shape, 1)
        .expect("the parameters of a case fit");
    let run = WhirShape::new(&config, 1);
    let sizes = Sizes {
        num_variables,
        fold,
        log_inv_rate,
    };
    let kit = kit::<S>();
    let plan = MemoryPlan::LADDER[0];
    let device = dry::backend::<S>(&kit, &run, Mode::Resident, HANDOVER, plan)
        .expect("a device that only records has memory");
    play::<S, _>(script, &device, order, sizes).expect("nothing runs");
    let expected = play::<S, _>(script, &Cpu::<S>::for_run(&run), order, sizes)
        .expect("the CPU does not fail");
    Case {
        name,
        trace: recorded(&kit),
        expected,
    }
}

/// A search that the first batch of candidates ends.
fn grind<S: ProverSuite>(name: &'static str) -> Case {
    const BITS: u32 = 9;
    const SLOT: usize = 5;
    let kit = kit::<S>();
    let hashing = Hashing::new::<S::F>(&kit, HashKind::Poseidon2x16).expect("it has memory");
    let cpu = Poseidon2Kernel::<S::F, 16>::grain();
    let mut numbers = Numbers::of::<S::F>(1);
    // One witness in 512 passes, so one of few states has one among the first 2048.
    let (state, witness) = (0..64)
        .find_map(|_| {
            let state: [S::F; 16] = core::array::from_fn(|_| numbers.base());
            let found = cpu.search(&state, SLOT, (1 << BITS) - 1, 0, 1 << (BITS + 2));
            Some((state, found?))
        })
        .expect("a state with a small witness");
    let state = S::F::words(&state).try_into().expect("16 words");
    hashing
        .grind_duplex(state, SLOT, BITS)
        .expect("nothing runs");
    Case {
        name,
        trace: recorded(&kit),
        expected: vec![vec![witness as u32]],
    }
}

/// Every case.
pub fn all() -> Vec<Case> {
    vec![
        case::<Poseidon2x16<BabyBearField, BabyBear4>>(
            "a commitment, BabyBear, Poseidon2",
            prova_whir::Field::BabyBear,
            Script::Commitment,
            Order::Suffix,
            [11, 3, 1],
        ),
        case::<Poseidon2x16<KoalaBearField, KoalaBear4>>(
            "a commitment, KoalaBear, Poseidon2",
            prova_whir::Field::KoalaBear,
            Script::Commitment,
            Order::Suffix,
            [10, 2, 2],
        ),
        case::<Blake3Suite<BabyBearField, BabyBear4>>(
            "a commitment, BabyBear, BLAKE3",
            prova_whir::Field::BabyBear,
            Script::Commitment,
            Order::Suffix,
            [12, 4, 1],
        ),
        case::<Blake3Suite<KoalaBearField, KoalaBear4>>(
            "a commitment, KoalaBear, BLAKE3",
            prova_whir::Field::KoalaBear,
            Script::Commitment,
            Order::Suffix,
            [11, 3, 2],
        ),
        case::<Poseidon2x16<KoalaBearField, KoalaBear5>>(
            "sumcheck rounds, KoalaBear, degree 5, prefix order",
            prova_whir::Field::KoalaBear,
            Script::Sumcheck,
            Order::Prefix,
            [10, 2, 1],
        ),
        case::<Blake3Suite<BabyBearField, BabyBear4>>(
            "a run up to its second commitment, BabyBear, degree 4, suffix order",
            prova_whir::Field::BabyBear,
            Script::Run,
            Order::Suffix,
            [12, 4, 1],
        ),
        grind::<Poseidon2x16<BabyBearField, BabyBear4>>("proof-of-work, BabyBear"),
        grind::<Poseidon2x16<KoalaBearField, KoalaBear4>>("proof-of-work, KoalaBear"),
    ]
}
