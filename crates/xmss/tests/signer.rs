//! Key generation and signing: published vectors, a plain reference, windows, observers.

mod support;

use std::sync::atomic::{AtomicU64, Ordering};

use blake2::Digest;
use blake2::digest::{KeyInit, Mac};
use proptest::prelude::*;
use prova_hash::blake2s::{Arch, Kernel};
use prova_xmss::sign::{
    Cancelled, EmptyWindow, Observer, SecretKey, SignError, SigningLayout, Unobserved, Window,
};
use prova_xmss::{Blake2s, Ethereum, Layout, LeanVmB, verify_with};
use support::{array, cases, number, seed};

fn kernels() -> impl Iterator<Item = Kernel> {
    Arch::ALL.into_iter().filter_map(Kernel::new)
}

fn generate<L: SigningLayout>(seed: &[u8; 32], first: u32, last: u32) -> SecretKey<L> {
    let window = Window::new(first, last).expect("a window");
    SecretKey::generate(seed, window, &Unobserved).expect("nobody cancels")
}

#[test]
fn published_keys() {
    for case in cases("ethereum/key_gen.json") {
        let input = &case["input"];
        let (first, last) = (number(&input["epoch_start"]), number(&input["epoch_end"]));
        if case["output"].is_null() {
            assert_eq!(Window::new(first, last), Err(EmptyWindow { first, last }));
            continue;
        }
        for kernel in kernels() {
            let window = Window::new(first, last).unwrap();
            let seed = array(&input["seed"]);
            let key = SecretKey::<Ethereum>::generate_with(kernel, &seed, window, &Unobserved);
            let public = key.unwrap().public_key().to_bytes();
            assert_eq!(
                public,
                array(&case["output"]),
                "{} {kernel:?}",
                case["name"]
            );
        }
    }
}

#[test]
fn keys_of_the_other_layout() {
    for case in cases("leanvm-b/key_gen.json") {
        let input = &case["input"];
        let (first, last) = (number(&input["epoch_start"]), number(&input["epoch_end"]));
        let key = generate::<LeanVmB>(&array(&input["seed"]), first, last);
        assert_eq!(
            key.public_key().to_bytes(),
            array(&case["output"]),
            "{}",
            case["name"]
        );
    }
}

#[test]
fn published_signatures() {
    for case in cases("ethereum/sign.json") {
        let input = &case["input"];
        let (first, last) = (number(&input["epoch_start"]), number(&input["epoch_end"]));
        let mut key = generate::<Ethereum>(&array(&input["seed"]), first, last);
        let (epoch, message) = (number(&input["epoch"]), array(&input["message"]));
        let got = key.sign_untracked(epoch, &message);
        if case["output"].is_null() {
            let window = key.window();
            assert_eq!(got, Err(SignError::OutsideWindow { epoch, window }));
        } else {
            assert_eq!(
                got.unwrap().to_bytes(),
                array(&case["output"]),
                "{}",
                case["name"]
            );
        }
    }
}

#[test]
fn trials_of_the_published_signatures() {
    let key = generate::<Ethereum>(&seed(), (1 << 31) - 2, (1 << 31) + 2);
    for (epoch, trial) in [
        (u32::pow(2, 31) - 2, 117),
        (1 << 31, 15_489),
        ((1 << 31) + 2, 11_660),
    ] {
        let message = [0x11; 32];
        assert_eq!(key.search_scalar(epoch, &message, 0..20_000), Some(trial));
        for kernel in kernels() {
            for (from, to) in [(0, 20_000), (trial, trial + 1), (trial - 3, trial + 90)] {
                let got = key.search(kernel, epoch, &message, from..to);
                assert_eq!(got, Some(trial), "{kernel:?} {from}..{to}");
            }
            assert_eq!(
                key.search(kernel, epoch, &message, 0..trial),
                None,
                "{kernel:?}"
            );
            assert_eq!(key.search(kernel, epoch, &message, 0..0), None);
        }
    }
}

/// The definition, one hash call after another: keys only.
struct Reference {
    seed: [u8; 32],
    parameter: [u8; 16],
    window: (u64, u64),
    leanvm_b: bool,
}

fn first_half(digest: &[u8]) -> [u8; 16] {
    digest[..16].try_into().unwrap()
}

impl Reference {
    fn new(seed: [u8; 32], first: u32, last: u32, leanvm_b: bool) -> Self {
        let window = (u64::from(first), u64::from(last));
        let mut reference = Self {
            seed,
            parameter: [0; 16],
            window,
            leanvm_b,
        };
        reference.parameter = if leanvm_b {
            reference.prf(1001, 0, 0)
        } else {
            reference.hash(5, 0, 0, &seed)
        };
        reference
    }

    fn prf(&self, domain: u32, a: u64, b: u64) -> [u8; 16] {
        let mut mac = <blake2::Blake2sMac256 as KeyInit>::new_from_slice(&self.seed).unwrap();
        mac.update(&domain.to_le_bytes());
        mac.update(&a.to_le_bytes());
        mac.update(&b.to_le_bytes());
        first_half(&mac.finalize().into_bytes())
    }

    /// `kind` in the numbers of Ethereum's layout.
    fn hash(&self, kind: u8, sub: u64, index: u64, payload: &[u8]) -> [u8; 16] {
        let (sub, index) = ((sub as u32).to_le_bytes(), (index as u32).to_le_bytes());
        let tweak = if self.leanvm_b {
            [&[kind - 1], &sub[..], &index, &[0; 7]].concat()
        } else {
            [&[0, kind, 0, 0], &sub[..], &[0; 4], &index].concat()
        };
        let input = [&tweak, &self.parameter[..], payload].concat();
        first_half(&blake2::Blake2s256::digest(input))
    }

    fn leaf(&self, epoch: u64) -> [u8; 16] {
        let mut ends = Vec::new();
        for chain in 0..42 {
            let mut value = if self.leanvm_b {
                self.prf(1000, epoch, chain)
            } else {
                self.hash(0, chain, epoch, &self.seed)
            };
            for position in 0..7 {
                value = self.hash(1, 8 * chain + position, epoch, &value);
            }
            ends.extend(value);
        }
        self.hash(2, 0, epoch, &ends)
    }

    fn node(&self, level: u64, index: u64) -> [u8; 16] {
        if index < self.window.0 >> level || index > self.window.1 >> level {
            return if self.leanvm_b {
                self.prf(1002, level, index)
            } else {
                self.hash(6, level, index, &self.seed)
            };
        }
        if level == 0 {
            return self.leaf(index);
        }
        let children = [
            self.node(level - 1, 2 * index),
            self.node(level - 1, 2 * index + 1),
        ];
        self.hash(3, level, index, children.as_flattened())
    }

    fn public_key(&self) -> [u8; 32] {
        [self.node(32, 0), self.parameter]
            .concat()
            .try_into()
            .unwrap()
    }
}

#[test]
fn windows_match_the_definition() {
    let windows = [
        (0, 0),
        (5, 40),
        (15, 16),
        (16, 31),
        (1, 100),
        (u32::MAX, u32::MAX),
        (u32::MAX - 70, u32::MAX),
        ((1 << 31) - 20, (1 << 31) + 30),
        (1 << 20, (1 << 20) + 300),
    ];
    for (first, last) in windows {
        let expected = Reference::new(seed(), first, last, false).public_key();
        let key = generate::<Ethereum>(&seed(), first, last);
        assert_eq!(key.public_key().to_bytes(), expected, "{first}..={last}");
        let expected = Reference::new(seed(), first, last, true).public_key();
        let key = generate::<LeanVmB>(&seed(), first, last);
        assert_eq!(key.public_key().to_bytes(), expected, "{first}..={last}");
    }
}

fn signs<L: SigningLayout + Layout>(first: u32, last: u32, epochs: &[u32]) {
    let mut key = generate::<L>(&seed(), first, last);
    let public = *key.public_key();
    for &epoch in epochs {
        let message = core::array::from_fn(|i| (epoch as u8).wrapping_add(i as u8));
        let signature = key.sign_untracked(epoch, &message).unwrap();
        let verdict = verify_with::<L>(&mut Blake2s, &public, epoch, &message, &signature);
        assert_eq!(verdict, Ok(()), "{epoch}");
        assert_eq!(key.sign_untracked(epoch, &message), Ok(signature));
    }
    let window = key.window();
    for epoch in [first.checked_sub(1), last.checked_add(1)]
        .into_iter()
        .flatten()
    {
        let got = key.sign_untracked(epoch, &[0; 32]);
        assert_eq!(got, Err(SignError::OutsideWindow { epoch, window }));
    }
}

#[test]
fn ends_of_windows_sign() {
    signs::<Ethereum>(
        u32::MAX - 20,
        u32::MAX,
        &[u32::MAX, u32::MAX - 20, u32::MAX - 3],
    );
    signs::<Ethereum>(0, 300, &[0, 300, 15, 16, 17]);
    signs::<LeanVmB>((1 << 31) - 1, 1 << 31, &[(1 << 31) - 1, 1 << 31]);
}

#[test]
fn a_wider_window_keeps_the_one_time_part() {
    let message = [7; 32];
    let narrow = generate::<Ethereum>(&seed(), 5, 5)
        .sign_untracked(5, &message)
        .unwrap();
    let wide = generate::<Ethereum>(&seed(), 0, 40)
        .sign_untracked(5, &message)
        .unwrap();
    assert_eq!(
        (narrow.chains, narrow.randomizer),
        (wide.chains, wide.randomizer)
    );
    assert_ne!(narrow.path, wide.path);
}

#[derive(Default)]
struct Watching {
    most: AtomicU64,
    calls: AtomicU64,
    stop_after: Option<u64>,
}

impl Observer for Watching {
    fn progress(&self, done: u64, total: u64) {
        assert_eq!(total, 1000);
        self.most.fetch_max(done, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stop_after
            .is_some_and(|stop| self.calls.load(Ordering::Relaxed) >= stop)
    }
}

#[test]
fn progress_and_cancellation() {
    let window = Window::new(3, 1002).unwrap();
    let all = Watching::default();
    SecretKey::<Ethereum>::generate(&seed(), window, &all).unwrap();
    assert_eq!(all.most.into_inner(), 1000);
    let stop = Watching {
        stop_after: Some(3),
        ..Watching::default()
    };
    let stopped = SecretKey::<Ethereum>::generate(&seed(), window, &stop);
    assert_eq!(stopped.err(), Some(Cancelled));
    assert!(stop.most.into_inner() < 1000);
}

#[test]
fn secrets_are_not_printed() {
    let text = format!("{:?}", generate::<Ethereum>(&[0xab; 32], 0, 1));
    assert!(!text.contains("abab") && !text.contains("171, 171") && text.contains("public"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn signatures_verify(
        seed: [u8; 32],
        first: u32,
        length in 0u32..40,
        at: proptest::sample::Index,
        message: [u8; 32],
        flip in 0usize..1208 * 8,
    ) {
        let last = first.saturating_add(length);
        let mut key = generate::<Ethereum>(&seed, first, last);
        let epoch = first + at.index((last - first) as usize + 1) as u32;
        let signature = key.sign_untracked(epoch, &message).unwrap();
        let public = *key.public_key();
        prop_assert_eq!(public.verify(epoch, &message, &signature), Ok(()));
        let mut bytes = signature.to_bytes();
        bytes[flip / 8] ^= 1 << (flip % 8);
        let bad = prova_xmss::Signature::from_bytes(&bytes).unwrap();
        prop_assert!(public.verify(epoch, &message, &bad).is_err());
        let mut other = generate::<LeanVmB>(&seed, first, last);
        let signature = other.sign_untracked(epoch, &message).unwrap();
        let public = *other.public_key();
        prop_assert!(
            verify_with::<LeanVmB>(&mut Blake2s, &public, epoch, &message, &signature).is_ok()
        );
    }
}
