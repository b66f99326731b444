//! The transcript of a whole run, and what the opening derives from it.

use std::string::String;
use std::vec::Vec;

use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::field::{E, to_limbs};
use prova_binary_pcs::opening::sample_positions;
use prova_binary_pcs::poly::eq;
use prova_binary_pcs::transcript::{ChainV0, State, Transcript, halves};

use super::{PUBLIC_INPUT, e, hex, program, proof};
use crate::verify::{BatchedWeight, LABEL, verify_with};

/// A transcript that notes every state and every challenge.
struct Recorder {
    chain: ChainV0,
    states: Vec<State>,
    challenges: Vec<E>,
    /// Everything absorbed, nonces included, and how many challenges had been drawn before.
    absorbed: Vec<(E, usize)>,
}

impl Transcript for &mut Recorder {
    fn observe_bytes(&mut self, bytes: &[u8]) {
        self.chain.observe_bytes(bytes);
        self.states.push(self.chain.state());
    }

    fn observe(&mut self, value: E) {
        self.absorbed.push((value, self.challenges.len()));
        self.chain.observe(value);
        self.states.push(self.chain.state());
    }

    fn sample(&mut self) -> E {
        let challenge = self.chain.sample();
        self.states.push(self.chain.state());
        self.challenges.push(challenge);
        challenge
    }

    fn check_grinding(&mut self, nonce: E, bits: u32) -> bool {
        self.absorbed.push((nonce, self.challenges.len()));
        let good = self.chain.check_grinding(nonce, bits);
        self.states.push(self.chain.state());
        good
    }
}

fn recorded() -> Recorder {
    let mut recorder = Recorder {
        chain: ChainV0::new(LABEL),
        states: Vec::new(),
        challenges: Vec::new(),
        absorbed: Vec::new(),
    };
    verify_with(&mut recorder, &program(), PUBLIC_INPUT, &proof()).expect("a valid proof");
    recorder
}

#[test]
fn transcript_passes_the_published_states() {
    let states: Vec<String> = recorded().states.iter().map(|state| hex(state)).collect();
    let mut rest = states.iter();
    for published in [
        "53164eeb5feb8cda 061412306d4bbdeb 0f9f24b5c2c7733f 5a853791feae1327",
        "c2952a44cc0acb70 d3dc82ebae569679",
        "02239a919234e33e 0d546c1c28f41701 7f5e30882f19b667 e85716efd784c71f",
        "668fe0af76e46873 46b26e678914b502 fa143272ec71760b 666a9a7b809f3ce4",
        "2a399ac8f7eb40bd c604fd17b24e7a15",
        "c7efd6821c8093dd f8f1006b56458a57",
        "2676a435b328c95f 62bd7cc244cd5345",
        "dc13b82f08b6125d 1f274cd343448614 2987fecbcc3826ca b0212773b0f29a82",
        "2c3d680caeba3630 e4eb82b057b9ed60",
        "1cd68c98504ecf3f c868a0e1f3672dc8",
        "88418c33d72dce6d b6fe8721f846600b",
        "5b03be25ea568ab4 2ea095d856ba58bc",
        "29ee545c124305e3 5b73a803314b4351",
        "bd0f2df245e3a001 c180de4a09248a57",
        "68719cb731708e36 fe07f5d223796543",
        "b863700559fdf01d cacd8b90af534865",
        "5a8f84fa49975d4a 25fd9251e72fe6f5",
        "2e967a399697ef20 dc43601e9a52a560",
        "3835ac1d6c23d1d8 362dfbb5293769d9",
        "e7fea6a78822314e bc453c79566fb67c",
        "cff8cc7cf7338cd4 1883604f0a7e8895",
        "b73efb1839192160 dd32b1c36a1e46e3",
        "1622650dbb2bc1b2 78e90b454f828782 017942c72a9ed3e9 f8158fba09d889d0",
    ] {
        assert!(
            rest.any(|state| state.starts_with(published)),
            "{published}"
        );
    }
    assert_eq!(rest.next(), None, "the last state is the end");
}

#[test]
fn everything_is_absorbed_before_the_next_challenge() {
    let recorder = recorded();
    let (mut channel, _) = proof().channel(ChainV0::new(LABEL));
    let scalars = channel.read_many(proof().scalar_count()).expect("scalars");
    let values: Vec<E> = recorder.absorbed.iter().map(|&(value, _)| value).collect();

    // The statement, what was sent, the claims again with target and root, the opening.
    let (before, opening) = scalars.split_at(967);
    let seed = halves(program().seed());
    assert_eq!(values[..4], [seed, halves(PUBLIC_INPUT)].concat());
    assert_eq!(values[4..971], *before);
    let claims = &values[971..1081];
    assert_eq!(claims[..5], before[635..640]);
    assert_eq!(claims[5..107], before[694..796]);
    assert_eq!(claims[107..], before[796..799]);
    assert_eq!(values[1082..1084], before[8..10]);
    assert_eq!(values[1084..], *opening);

    // A challenge is drawn after everything in front of it: these many had been drawn when the
    // first scalar of a step came.
    let drawn = |scalar: usize| recorder.absorbed[4 + scalar].1;
    let gkr = 1 + (1 + 1) + (1..12).map(|layer| 2 * layer - 1 + 2 + 1).sum::<usize>();
    let steps = [
        (10, 5),
        (635, 5 + gkr),
        (640, 5 + gkr + 1),
        (796, 5 + gkr + 1 + 18 + 1),
        (799, 5 + gkr + 1 + 18 + 1 + 4),
        (863, 5 + gkr + 1 + 18 + 1 + 4 + 1),
        (887, 5 + gkr + 1 + 18 + 1 + 4 + 1 + 11 + 1),
        (903, 5 + gkr + 1 + 18 + 1 + 4 + 1 + 11 + 1 + 8),
    ];
    for (scalar, expected) in steps {
        assert_eq!(drawn(scalar), expected, "scalar {scalar}");
    }
    assert_eq!(recorder.absorbed[971].1, drawn(966) + 6, "ring switching");
    assert_eq!(recorder.absorbed[1081].1, drawn(966) + 7, "batching");
}

/// Depth, queries, first positions, and first limb of the batching challenge of each level.
const LEVELS: [(u32, usize, [u64; 4], u64); 6] = [
    (
        19,
        225,
        [501_107, 124_735, 7075, 174_550],
        0x2d13d1322b11d4ea,
    ),
    (
        19,
        56,
        [347_760, 482_490, 267_369, 154_455],
        0x647d6e80438d519d,
    ),
    (
        18,
        38,
        [82_770, 229_697, 113_679, 74_116],
        0x5a020c5c12b2ff57,
    ),
    (
        17,
        28,
        [100_059, 106_803, 71_115, 28_227],
        0x102568fa81a07670,
    ),
    (16, 23, [36_165, 56_348, 20_091, 47_172], 0x2199c2ff5d5b5132),
    (15, 19, [2118, 24_661, 30_373, 10_745], 0x08ebb46fcc5b0650),
];

/// Values at the terminal point, from the challenges of a recorded run.
pub(super) fn check(weight: &BatchedWeight<'_>) {
    let challenges = recorded().challenges;
    // Of each level: folds, an out-of-domain point (not of the last), the queries' elements, the
    // batching challenge.
    let first = e("42deef8d561a3ff7|037697e53386b7b5|da01b71896b623c5");
    let start = challenges
        .iter()
        .position(|&c| c == first)
        .expect("the first fold");
    let mut rest = challenges[start..].iter().copied();
    let mut folds: Vec<E> = Vec::new();
    let mut first_point = Vec::new();
    for (level, published) in LEVELS.iter().enumerate() {
        let (depth, queries, positions, lambda) = *published;
        folds.extend(rest.by_ref().take(if level == 0 { 6 } else { 3 }));
        let left = if level == 5 { 0 } else { 24 - folds.len() };
        let point: Vec<E> = rest.by_ref().take(left).collect();
        if level == 0 {
            first_point = point;
        }
        let mut next = || rest.next().expect("a challenge");
        let drawn = sample_positions(&mut next, depth, queries);
        assert_eq!(drawn[..4], positions);
        assert_eq!(to_limbs(next())[0], lambda);
    }
    folds.extend(rest);
    assert_eq!(folds.len(), 24);

    let after_first = &folds[6..];
    assert_eq!(
        after_first[0],
        e("43cd3137e42147ef|32acf40f99f18c56|b45dd3e815485f5b")
    );
    assert_eq!(
        weight.packed.weight(&after_first[..11]),
        e("088bd1245efc0688|ed8397e576496338|eeab26c69bec5190")
    );
    assert_eq!(
        eq(&first_point, after_first),
        e("ba37a7b09648bf3f|96d4e24ab641556e|bd12c5059a37af12")
    );
    assert_eq!(
        Subspaces::new(18).column_weight(501_107, after_first),
        e("8ee0f002484e7b14|06fafe2c892cd5bf|83b2bb0629e8b6b3")
    );
}
