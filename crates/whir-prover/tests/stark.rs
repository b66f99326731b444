//! Our prover in the place of the stock one under `p3-multi-stark`: an AIR is proved and verified.

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_baby_bear::BabyBear;
use p3_commit::MultilinearPcs;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_multi_stark::config::MultiStarkConfig;
use p3_multi_stark::{
    ProverInstance, ProverInstances, VerifierInstance, VerifierInstances, prove, setup, verify,
};
use p3_sumcheck::layout::Table;
use p3_whir::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig, WhirShape};
use prova_whir::suite::{BabyBear4, Poseidon2x16};
use prova_whir::{Order, Suite};
use prova_whir_prover::cpu::Cpu;
use prova_whir_prover::{ProverSuite, WhirPcs};

type S = Poseidon2x16<BabyBear, BabyBear4>;
type Challenger = <S as ProverSuite>::Grinder;
type Pcs = WhirPcs<S, Challenger, Cpu<S>>;

const FOLD: usize = 2;
const LOG_HEIGHT: usize = 9;
const WIDTH: usize = 3;

struct Config(Pcs);

impl MultiStarkConfig for Config {
    type Val = BabyBear;
    type Challenge = BabyBear4;
    type Challenger = Challenger;
    type Pcs = Pcs;

    fn pcs(&self) -> &Pcs {
        &self.0
    }
    fn min_num_variables(&self) -> usize {
        FOLD
    }
    fn build_witness(
        &self,
        tables: Vec<Table<BabyBear>>,
    ) -> <Pcs as MultilinearPcs<BabyBear4, Challenger>>::Witness {
        self.0.witness(tables)
    }
    fn committed_table<'a>(
        &self,
        data: &'a <Pcs as MultilinearPcs<BabyBear4, Challenger>>::ProverData,
        index: usize,
    ) -> &'a Table<BabyBear> {
        data.table(index)
    }
}

fn config(order: Order) -> Config {
    let params = ProtocolParameters {
        security_level: 50,
        pow_bits: 4,
        round_log_inv_rates: vec![],
        folding_factor: FoldingFactor::Constant(FOLD),
        soundness_type: SecurityAssumption::JohnsonBound,
        starting_log_inv_rate: 1,
    };
    let config = WhirConfig::new(LOG_HEIGHT + 2, params).unwrap();
    let backend = Cpu::<S>::for_run(&WhirShape::new(&config, 1));
    Config(WhirPcs::new(config, order, backend))
}

/// Columns `a`, `b`, `c` with `c = a b`, `a' = b`, `b' = a + c`; the first `a` and the last `c`
/// are public.
struct Mixing;

impl<X> BaseAir<X> for Mixing {
    fn width(&self) -> usize {
        WIDTH
    }
    fn num_public_values(&self) -> usize {
        2
    }
}

impl<AB: AirBuilder> Air<AB> for Mixing {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let public = [builder.public_values()[0], builder.public_values()[1]];
        let [a, b, c] = [0, 1, 2].map(|i| main.current_slice()[i]);
        let [next_a, next_b] = [0, 1].map(|i| main.next_slice()[i]);
        builder.assert_eq(a * b, c);
        builder.when_transition().assert_eq(next_a, b);
        builder.when_transition().assert_eq(next_b, a + c);
        builder.when_first_row().assert_eq(a, public[0]);
        builder.when_last_row().assert_eq(c, public[1]);
    }
}

fn trace() -> RowMajorMatrix<BabyBear> {
    let (mut a, mut b) = (BabyBear::from_u32(7), BabyBear::from_u32(11));
    let mut values = Vec::new();
    for _ in 0..1 << LOG_HEIGHT {
        let c = a * b;
        values.extend([a, b, c]);
        (a, b) = (b, a + c);
    }
    RowMajorMatrix::new(values, WIDTH)
}

fn prove_and_verify(order: Order) {
    let config = config(order);
    let trace = trace();
    let public = [trace.values[0], *trace.values.last().unwrap()];
    let (pk, vk) = setup(&config, &[&Mixing], &mut S::grinder()).unwrap();
    let table = Table::new(trace.transpose());
    let prover = ProverInstances::new(vec![ProverInstance::new(&Mixing, table, &pk, &public)]);
    let proof = prove(&config, prover, 0, &mut S::grinder()).unwrap();

    let check = |public: &[BabyBear]| {
        let instance = VerifierInstance::new(&Mixing, &vk, LOG_HEIGHT, public);
        verify(
            &config,
            VerifierInstances::new(vec![instance]),
            &proof,
            0,
            &mut S::grinder(),
        )
    };
    check(&public).unwrap();
    check(&[public[0] + BabyBear::ONE, public[1]]).expect_err("another public value");
    check(&[public[0], public[1] + BabyBear::ONE]).expect_err("another public value");
}

#[test]
fn an_air_is_proved_in_suffix_order() {
    prove_and_verify(Order::Suffix);
}

#[test]
fn an_air_is_proved_in_prefix_order() {
    prove_and_verify(Order::Prefix);
}

#[test]
fn the_suite_is_the_stock_one() {
    // The challenger only searches nonces differently: a stock one must reach the same state.
    use p3_challenger::{CanObserve, CanSample};
    let (mut ours, mut stock) = (S::grinder(), <S as Suite>::challenger());
    for i in 0..20 {
        ours.observe(BabyBear::from_u32(i));
        stock.observe(BabyBear::from_u32(i));
        let (a, b): (BabyBear4, BabyBear4) = (ours.sample(), stock.sample());
        assert_eq!(a, b);
    }
}
