//! Batch verification against the scalar verifier.

mod support;

use prova_hash::blake2s::{Arch, Kernel};
use prova_xmss::batch::{BadSignature, Signed, verify_batch, verify_batch_with};
use prova_xmss::sign::{SecretKey, SigningLayout, Unobserved, Window};
use prova_xmss::{
    Blake2s, Ethereum, Layout, LeanVmB, NotAdmissible, PublicKey, Rejected, Signature, verify_with,
};
use support::{seed, valid};

type Owned = (PublicKey, u32, [u8; 32], Signature);

/// Signatures of several keys at several epochs.
fn signatures<L: SigningLayout>(count: u32) -> Vec<Owned> {
    let windows = [
        (0, 9),
        ((1 << 31) - 4, (1 << 31) + 5),
        (u32::MAX - 9, u32::MAX),
    ];
    let mut keys: Vec<SecretKey<L>> = windows
        .iter()
        .map(|&(first, last)| {
            let window = Window::new(first, last).unwrap();
            SecretKey::generate(&seed(), window, &Unobserved).unwrap()
        })
        .collect();
    let keys_count = keys.len() as u32;
    let signed = |i: u32| {
        let key = &mut keys[(i % keys_count) as usize];
        let epoch = key.window().first() + i / keys_count % 10;
        let message = [i as u8; 32];
        let signature = key.sign_untracked(epoch, &message).unwrap();
        (*key.public_key(), epoch, message, signature)
    };
    (0..count).map(signed).collect()
}

fn signed(item: &Owned) -> Signed<'_> {
    let (key, epoch, message, signature) = item;
    Signed {
        key,
        epoch: *epoch,
        message,
        signature,
    }
}

fn kernels() -> impl Iterator<Item = Kernel> {
    Arch::ALL.into_iter().filter_map(Kernel::new)
}

fn agrees<L: Layout>(items: &[Owned]) {
    let expected: Vec<BadSignature> = items
        .iter()
        .enumerate()
        .filter_map(|(index, (key, epoch, message, signature))| {
            let verdict = verify_with::<L>(&mut Blake2s, key, *epoch, message, signature);
            verdict.err().map(|reason| BadSignature { index, reason })
        })
        .collect();
    let signed: Vec<Signed<'_>> = items.iter().map(signed).collect();
    for kernel in kernels() {
        let got = verify_batch_with::<L>(kernel, &signed);
        let bad = got.err().map_or(Vec::new(), |bad| bad.bad);
        assert_eq!(bad, expected, "{kernel:?}");
    }
}

#[test]
fn every_group_size() {
    let items = signatures::<Ethereum>(36);
    for count in (0..=20).chain([32, 33, 36]) {
        let signed: Vec<Signed<'_>> = items[..count].iter().map(signed).collect();
        assert_eq!(verify_batch(&signed), Ok(()), "{count}");
    }
    agrees::<Ethereum>(&items);
    agrees::<LeanVmB>(&items);
    agrees::<LeanVmB>(&signatures::<LeanVmB>(20));
}

#[test]
fn bad_ones_are_named() {
    let mut items: Vec<Owned> = signatures::<Ethereum>(10);
    while items.len() < 300 {
        items.extend_from_within(..10);
    }
    items[0].2[0] ^= 1;
    items[17].1 ^= 1;
    items[18].3.path[31][15] ^= 0x80;
    items[128].3.chains[41][0] ^= 1;
    items[129].3.randomizer[23] ^= 1;
    items[299].0.parameter[0] ^= 1;
    items[250].0.root[0] ^= 1;
    agrees::<Ethereum>(&items);
    let signed: Vec<Signed<'_>> = items.iter().map(signed).collect();
    let error = verify_batch(&signed).expect_err("seven are bad");
    let indices: Vec<usize> = error.bad.iter().map(|bad| bad.index).collect();
    assert_eq!(indices, [0, 17, 18, 128, 129, 250, 299]);
    assert_eq!(error.bad[2].reason, Rejected::Root);
    assert!(error.to_string().contains("7 of 300"), "{error}");
}

#[test]
fn every_digit_position_of_every_lane() {
    let item = valid();
    for chain in 0..42 {
        let mut items = vec![item.clone(); 16];
        items[chain % 16].3.chains[chain][chain % 16] ^= 4;
        agrees::<Ethereum>(&items);
    }
}

#[test]
fn nothing_admissible() {
    let mut item = valid();
    item.3.randomizer = [0; 24];
    let items = vec![item; 20];
    let signed: Vec<Signed<'_>> = items.iter().map(signed).collect();
    let error = verify_batch(&signed).expect_err("all are bad");
    assert_eq!(error.bad.len(), 20);
    let spare = |reason| matches!(reason, NotAdmissible::SpareBit | NotAdmissible::Sum(_));
    assert!(
        error
            .bad
            .iter()
            .all(|b| matches!(b.reason, Rejected::Encoding(r) if spare(r)))
    );
}
