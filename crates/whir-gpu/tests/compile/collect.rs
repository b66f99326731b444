//! The kernels that runs use, from devices that only record.

use std::collections::{BTreeMap, HashMap};

use prova_gpu::hash::{HashKind, Hashing};
use prova_gpu::ntt::{Ntt, Shape as Matrix};
use prova_gpu::{Gpu, Kernel, Kit, Limits, Multiply, mul};
use prova_whir::{Field, Folding, HashSuite, Order, Params, Regime, Shape};
use prova_whir_gpu::{MemoryPlan, Mode, dry};
use prova_whir_prover::suite::ProverField;

const HASHES: [HashSuite; 4] = [
    HashSuite::Poseidon2x16,
    HashSuite::Poseidon2x24,
    HashSuite::Keccak,
    HashSuite::Blake3,
];

/// Limits under which messages, codewords and trees of small runs take several bindings.
const SMALL: Limits = Limits {
    binding: 64 << 10,
    ..Limits::WEBGPU
};

fn params(field: Field, extension_degree: usize, hash: HashSuite, order: Order) -> Params {
    Params {
        field,
        extension_degree,
        hash,
        order,
        regime: Regime::Johnson,
        security_bits: 40,
        pow_bits: 6,
        log_inv_rate: 1,
        folding: Folding::Constant(4),
        round_log_inv_rates: Vec::new(),
    }
}

/// What runs asked a device for, by text.
#[derive(Default)]
pub struct Collection {
    pub kernels: BTreeMap<(bool, String), (Multiply, Kernel)>,
    /// Kits whose rendered kernels are used again.
    kits: HashMap<(u32, usize, &'static str), Kit>,
}

impl Collection {
    /// A kit of the suite on a device of its own.
    fn kit(&mut self, params: &Params, multiply: Multiply, limits: Limits) -> Kit {
        let gpu = Gpu::traced(limits);
        let key = (
            params.field.modulus(),
            params.extension_degree,
            multiply.name(),
        );
        let kit = self
            .kits
            .entry(key)
            .or_insert_with(|| dry::kit_of(params, &gpu, multiply).expect("a suite"));
        let mut kit = kit.clone();
        kit.gpu = gpu;
        kit
    }

    /// Adds what the device of a kit was told to run.
    fn add(&mut self, kit: &Kit) {
        for kernel in kit.gpu.trace().expect("it is traced").kernels() {
            let key = (kernel.is_native(), kernel.wgsl().to_owned());
            self.kernels.entry(key).or_insert((kit.multiply, kernel));
        }
    }

    /// Adds the kernels of a run; whether the run fits its limits.
    fn run(
        &mut self,
        params: &Params,
        num_variables: usize,
        (multiply, limits): (Multiply, Limits),
        mode: Mode,
        plan: MemoryPlan,
    ) -> bool {
        let kit = self.kit(params, multiply, limits);
        let shape = Shape {
            num_variables,
            columns: 1,
        };
        // What a run asked for before it turned out too large counts too.
        let done = dry::walk_on(&kit, params, shape, mode, 3, plan);
        self.add(&kit);
        done.is_ok()
    }
}

/// Sizes: variables, folding and `log2` of the inverse rate.
type Sizes = (usize, usize, usize);

fn sized(params: &Params, (_, fold, log_inv_rate): Sizes) -> Params {
    Params {
        folding: Folding::Constant(fold),
        log_inv_rate,
        ..params.clone()
    }
}

/// Every suite.
pub fn breadth(collection: &mut Collection, multiply: Multiply) {
    const SIZES: [Sizes; 3] = [(13, 4, 1), (11, 2, 2), (12, 3, 3)];
    let on = (multiply, Limits::WEBGPU);
    for field in [Field::BabyBear, Field::KoalaBear] {
        for degree in [4, 5] {
            for hash in HASHES {
                for order in [Order::Suffix, Order::Prefix] {
                    for mode in [Mode::Split, Mode::Resident] {
                        for size in SIZES {
                            let params = sized(&params(field, degree, hash, order), size);
                            let plan = MemoryPlan::LADDER[0];
                            assert!(collection.run(&params, size.0, on, mode, plan));
                        }
                    }
                }
            }
        }
    }
}

/// Two suites under every plan.
pub fn depth(collection: &mut Collection, multiply: Multiply) {
    let plain = params(Field::BabyBear, 4, HashSuite::Poseidon2x16, Order::Suffix);
    let other = params(Field::KoalaBear, 5, HashSuite::Blake3, Order::Prefix);
    let runs: [(&Params, Limits, &[Sizes]); 4] = [
        (
            &plain,
            Limits::WEBGPU,
            &[(10, 2, 1), (12, 1, 2), (16, 4, 3), (18, 6, 2), (20, 5, 1)],
        ),
        (
            &other,
            Limits::WEBGPU,
            &[(11, 3, 3), (14, 2, 1), (15, 4, 2), (18, 3, 1)],
        ),
        (&plain, SMALL, &[(14, 4, 3), (15, 2, 1), (14, 1, 2)]),
        (&other, SMALL, &[(14, 4, 3), (14, 1, 1)]),
    ];
    for (params, limits, sizes) in runs {
        for &size in sizes {
            let params = sized(params, size);
            for mode in [Mode::Split, Mode::Resident] {
                let fits = MemoryPlan::LADDER
                    .map(|plan| collection.run(&params, size.0, (multiply, limits), mode, plan));
                assert!(fits.contains(&true), "{size:?} fits no plan");
            }
        }
    }
}

/// Proof-of-work, the kernel that multiplications are tried on, and what no run uses.
pub fn others<F: ProverField>(collection: &mut Collection, field: Field, multiply: Multiply) {
    let params = params(field, 4, HashSuite::Poseidon2x16, Order::Suffix);
    let kit = collection.kit(&params, multiply, Limits::WEBGPU);
    let place = |words: u64| {
        kit.gpu
            .buffer(words)
            .expect("it has memory")
            .slice(0, words)
    };
    let mut recorder = kit.gpu.record();
    for kind in HashKind::ALL {
        let hashing = Hashing::new::<F>(&kit, kind).expect("it has memory");
        // What is read back are zeros, which is a witness found.
        let found = match kind {
            HashKind::Poseidon2x16 | HashKind::Poseidon2x24 => hashing.grind_duplex(&[0; 16], 3, 8),
            HashKind::Keccak | HashKind::Blake3 => hashing.grind_bytes(&[0; 32], 8),
        };
        assert_eq!(found.expect("nothing runs"), Some(0));
    }
    let [left, right, out] = [64; 3].map(place);
    mul::chain(&kit, &mut recorder, &left, &right, &out, 2).expect("nothing runs");

    let shape = Matrix {
        log_rows: 10,
        width: 6,
        log_inv_rate: 1,
    };
    let ntt = Ntt::new(&kit, 11).expect("it has memory");
    for log_pieces in 1..=4 {
        let pieces = || vec![place(shape.words() >> log_pieces); 1 << log_pieces];
        let cosets = [(0, pieces()), (1, pieces())];
        ntt.encode_pieces(&mut recorder, &pieces(), shape, &cosets, None)
            .expect("nothing runs");
    }
    recorder.submit().expect("nothing runs");
    collection.add(&kit);
}
