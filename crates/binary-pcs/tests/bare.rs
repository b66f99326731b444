//! Bodies without counts: where they are split, and what their readers refuse.

use prova_binary_pcs::field::{E, from_limbs, to_bytes};
use prova_binary_pcs::stream::{Form, Proof, bare};
use prova_binary_pcs::transcript::{ChainV0, Transcript};
use prova_proof_file::{Section, TapeError};

fn start() -> ChainV0 {
    ChainV0::new(b"bare")
}

fn body(scalars: &[E]) -> Vec<u8> {
    scalars
        .iter()
        .flat_map(|&scalar| to_bytes(scalar))
        .collect()
}

#[test]
fn exactly_the_derived_scalars_are_scalars() {
    let scalars = [1, 2, 3].map(|x| from_limbs([x, 0, 7]));
    let bytes = body(&scalars);
    let (mut channel, openings) = bare(start(), 3, &bytes).unwrap();
    assert_eq!(channel.read_array().unwrap(), scalars);
    channel.finish().unwrap();
    openings.finish().unwrap();

    // A scalar more is an opening, a scalar less is not there, one not read is left over.
    let (mut channel, openings) = bare(start(), 2, &bytes).unwrap();
    assert!(matches!(openings.finish(), Err(TapeError::Trailing { .. })));
    let _ = channel.read().unwrap();
    assert!(matches!(
        channel.clone().finish(),
        Err(TapeError::Trailing { .. })
    ));
    let _ = channel.read().unwrap();
    assert!(matches!(channel.read(), Err(TapeError::Exhausted { .. })));
    for count in [4, 1 << 40, usize::MAX] {
        let split = bare(start(), count, &bytes);
        assert!(matches!(split, Err(TapeError::Exhausted { .. })));
    }
}

#[test]
fn nonces_have_one_limb() {
    let good = |limb: usize| {
        let base = start().grinding_base();
        let nonce = |x: u64| from_limbs(std::array::from_fn(|i| if i == limb { x } else { 0 }));
        (1..)
            .map(nonce)
            .find(|&nonce| ChainV0::is_good_nonce(base, nonce, 5))
            .unwrap()
    };
    for limb in 0..3 {
        let bytes = body(&[good(limb)]);
        let (mut channel, _) = bare(start(), 1, &bytes).unwrap();
        let read = channel.read_grinding(5);
        if limb == 0 {
            assert_eq!(read, Ok(true));
            let mut other = start();
            other.check_grinding(good(0), 5);
            assert_eq!(channel.transcript(), &other);
        } else {
            let (section, offset) = (Section::Body, 0);
            assert!(
                matches!(read, Err(TapeError::Invalid { section: s, offset: o, .. }) if (s, o) == (section, offset))
            );
        }
        // Profile v0 takes every element for a nonce.
        let counted = [&1_u64.to_le_bytes()[..], &bytes, &[0; 8]].concat();
        let proof = Proof::parse(Form::Wire, &counted).unwrap();
        let (mut channel, _) = proof.channel(start());
        assert_eq!(channel.read_grinding(5), Ok(true));
    }
}
