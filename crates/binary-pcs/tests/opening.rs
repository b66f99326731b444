//! Openings of every shape, from a plain prover: accepted as they are, rejected when altered.

mod support;

use prova_binary_pcs::error::{Malformed, Outcome, Rejection};
use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing};
use prova_binary_pcs::opening::{Commitment, OpenedLevel, Weight, verify};
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::poly::{dot_words, evaluate};
use prova_binary_pcs::stream::{Form, Proof};
use prova_binary_pcs::transcript::ChainV0;
use prova_proof_file::Failure;
use support::prover::{Cheat, commit, prove};
use support::{elements, encode, encode_fast, words};

/// A weight given by its table.
struct Table(Vec<E>);

impl Weight for Table {
    fn evaluate(&self, point: &[E]) -> E {
        evaluate(&self.0, point)
    }
}

struct Case {
    schedule: Schedule,
    commitment: Commitment,
    target: E,
    weight: Table,
    body: Vec<u8>,
    form: Form,
}

impl Case {
    fn new(variables: usize, rate: u32, lanes: usize, form: Form) -> Self {
        Self::of(variables, rate, lanes, form, None)
    }

    fn of(variables: usize, rate: u32, lanes: usize, form: Form, cheat: Option<Cheat>) -> Self {
        let schedule = Schedule::derive(variables, rate, Target::v0(1)).unwrap();
        let mut q = words(1, 1 << variables);
        q[lanes << (variables - 6)..].fill(K::ZERO);
        let weight = elements(2, 1 << variables);
        let mut target = dot_words(&weight, &q);
        if let Some(Cheat::Fold(_)) = cheat {
            target += E::ONE;
        }
        let committed = commit(&q, lanes, &schedule);
        let commitment = Commitment {
            root: committed.root,
            lanes,
        };
        let chain = ChainV0::new(b"test");
        let body = prove(chain, &schedule, committed, &weight, form, cheat);
        Self {
            schedule,
            commitment,
            target,
            weight: Table(weight),
            body,
            form,
        }
    }

    fn verify(&self) -> Outcome<Vec<OpenedLevel>> {
        self.verify_body(&self.body)
    }

    fn verify_body(&self, body: &[u8]) -> Outcome<Vec<OpenedLevel>> {
        let proof = Proof::parse(self.form, body)?;
        let (mut channel, mut openings) = proof.channel(ChainV0::new(b"test"));
        let levels = verify(
            &mut channel,
            &mut openings,
            &self.schedule,
            &self.commitment,
            self.target,
            &self.weight,
        )?;
        channel.finish()?;
        openings.finish()?;
        Ok(levels)
    }
}

#[test]
fn fast_encoding_is_the_code() {
    for (k, rate) in [(0, 2), (1, 1), (4, 1), (6, 3)] {
        let message = elements(5, 1 << k);
        assert_eq!(encode_fast(&message, rate), encode(&message, rate));
    }
}

#[test]
fn every_rate_and_shape_is_accepted() {
    for (variables, rate, lanes) in [
        (15, 1, 64),
        (15, 2, 33),
        (16, 3, 1),
        (17, 4, 57),
        (18, 1, 40),
    ] {
        let case = Case::new(variables, rate, lanes, Form::Wire);
        let levels = case.verify().unwrap();
        // Codes this short have positions that are drawn twice.
        assert!(levels.iter().any(|level| level.rows < level.queries));
    }
}

#[test]
fn the_raw_form_is_accepted() {
    let case = Case::new(15, 1, 40, Form::Raw);
    let levels = case.verify().unwrap();
    assert!(levels.iter().all(|level| level.rows == level.queries));
}

#[test]
fn every_scalar_counts() {
    let case = Case::new(15, 1, 40, Form::Wire);
    for scalar in 0..case.schedule.scalar_count() {
        let mut body = case.body.clone();
        body[8 + 24 * scalar + scalar % 16] ^= 1 << (scalar % 8);
        assert!(case.verify_body(&body).is_err(), "scalar {scalar}");
    }
}

#[test]
fn the_statement_counts() {
    let mut case = Case::new(15, 1, 40, Form::Wire);
    case.target += E::ONE;
    assert!(case.verify().is_err());
    case.target += E::ONE;
    case.weight.0[77] += E::ONE;
    assert!(matches!(
        case.verify(),
        Err(Failure::Rejected(Rejection::Terminal))
    ));
    case.weight.0[77] += E::ONE;
    case.commitment.root[0] ^= 1;
    assert!(case.verify().is_err());
    case.commitment.root[0] ^= 1;
    case.commitment.lanes = 41;
    let what = "words of a row";
    let result = case.verify();
    assert!(
        matches!(result, Err(Failure::Malformed(Malformed::Count { what: w, expected: 41, got: 40, .. })) if w == what)
    );
    case.commitment.lanes = 40;
    assert!(case.verify().is_ok());
}

#[test]
fn absent_lanes_must_be_zero() {
    // A commitment whose absent lane is not zero opens as the full one, not as the shorter.
    let mut case = Case::new(15, 1, 41, Form::Raw);
    assert!(case.verify().is_ok());
    case.commitment.lanes = 40;
    let rejection = Rejection::Root { level: 0 };
    assert_eq!(case.verify(), Err(Failure::Rejected(rejection)));
}

#[test]
fn cheating_provers_are_caught_by_the_last_claim() {
    // Every message of theirs fits the ones before, every row its root, every nonce: only what the
    // queries and the out-of-domain samples add to the claim gives them away.
    let levels = Schedule::derive(15, 1, Target::v0(1)).unwrap().levels.len();
    let out_of_domain = (1..levels).map(|next| Cheat::OutOfDomain(next - 1));
    for cheat in (0..levels).map(Cheat::Fold).chain(out_of_domain) {
        let case = Case::of(15, 1, 64, Form::Wire, Some(cheat));
        let rejection = Failure::Rejected(Rejection::Terminal);
        assert_eq!(case.verify(), Err(rejection), "{cheat:?}");
    }
}
