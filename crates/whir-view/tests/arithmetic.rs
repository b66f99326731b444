//! Fields, extensions, permutation and sponge against Plonky3's.

use p3_challenger::{CanObserve, CanSample, DuplexChallenger};
use p3_field::{ExtensionField, PrimeField32, TwoAdicField};
use p3_symmetric::{CryptographicPermutation, Permutation as _};
use prova_whir::suite::{BabyBear4, BabyBear5, BaseField, KoalaBear4, KoalaBear5};
use prova_whir_view::ext::{self, Extension};
use prova_whir_view::field::{self, BabyBear, KoalaBear, Modulus};
use prova_whir_view::sponge::Transcript;
use prova_whir_view::{Permutation, Portable};

/// Pseudo-random words below the modulus, with its edges among them.
fn words<M: Modulus>(seed: u32) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    (0_u32..).map(move |i| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match i % 11 {
            3 => M::P - 1,
            7 => 0,
            _ => (state ^ (state >> 13)) % M::P,
        }
    })
}

fn elements<M: Modulus, const D: usize>(seed: u32, count: usize) -> Vec<[u32; D]> {
    let mut words = words::<M>(seed);
    (0..count)
        .map(|_| core::array::from_fn(|_| words.next().unwrap()))
        .collect()
}

fn theirs<M: Modulus, F: BaseField, EF: ExtensionField<F>, const D: usize>(x: &[u32; D]) -> EF {
    EF::from_basis_coefficients_fn(|i| F::from_u32(field::to_canonical::<M>(x[i])))
}

fn ours<F: BaseField, EF: ExtensionField<F>, const D: usize>(x: EF) -> [u32; D] {
    let words = x
        .as_basis_coefficients_slice()
        .iter()
        .map(PrimeField32::to_unique_u32);
    words.collect::<Vec<u32>>().try_into().unwrap()
}

fn check<M: Extension<D>, F: BaseField, EF: ExtensionField<F>, const D: usize>() {
    let (a, b) = (elements::<M, D>(1, 333), elements::<M, D>(2, 333));
    let theirs = theirs::<M, F, EF, D>;
    for (x, y) in a.iter().zip(&b) {
        assert_eq!(ext::times::<M, D>(x, y), ours(theirs(x) * theirs(y)));
        assert_eq!(ext::plus::<M, D>(x, y), ours(theirs(x) + theirs(y)));
        assert_eq!(ext::minus::<M, D>(x, y), ours(theirs(x) - theirs(y)));
    }
    let worst = [[M::P - 1; D]; 64];
    for (x, y) in [
        (&a[..], &b[..]),
        (&a[..7], &b[..9]),
        (&worst, &worst),
        (&[], &[]),
    ] {
        let sum: EF = x.iter().zip(y).map(|(x, y)| theirs(x) * theirs(y)).sum();
        assert_eq!(ext::dot::<M, D>(x, y), ours(sum));
    }
    let base: Vec<u32> = words::<M>(3).take(333).collect();
    for (x, y) in [
        (&base[..], &b[..]),
        (&base[..7], &b[..9]),
        (&base[..8], &b[..5]),
    ] {
        let embed = |x: &u32| EF::from(F::from_u32(field::to_canonical::<M>(*x)));
        let sum: EF = x.iter().zip(y).map(|(x, y)| embed(x) * theirs(y)).sum();
        assert_eq!(ext::dot_base::<M, D>(x, y), ours(sum));
    }
    for n in 0..5 {
        let mut weights = Vec::new();
        ext::eq_weights::<M, D>(&mut weights, a[..n].iter());
        for (i, weight) in weights.iter().enumerate() {
            let product: EF = (0..n)
                .map(|j| match i >> (n - 1 - j) & 1 {
                    1 => theirs(&a[j]),
                    _ => EF::ONE - theirs(&a[j]),
                })
                .product();
            assert_eq!(*weight, ours(product));
        }
        assert_eq!(weights.len(), 1 << n);
    }
}

#[test]
fn extensions() {
    check::<BabyBear, p3_baby_bear::BabyBear, BabyBear4, 4>();
    check::<BabyBear, p3_baby_bear::BabyBear, BabyBear5, 5>();
    check::<KoalaBear, p3_koala_bear::KoalaBear, KoalaBear4, 4>();
    check::<KoalaBear, p3_koala_bear::KoalaBear, KoalaBear5, 5>();
}

fn check_base<M: Modulus, F: BaseField + TwoAdicField>()
where
    F::Poseidon16: CryptographicPermutation<[F; 16]>,
{
    assert_eq!(M::TWO_ADICITY, F::TWO_ADICITY);
    assert_eq!(M::MAX_SINGLE_SAMPLE_BITS, F::MAX_SINGLE_SAMPLE_BITS);
    assert_eq!(M::P, F::ORDER_U32);
    for bits in 0..=M::TWO_ADICITY {
        let root = F::two_adic_generator(bits);
        assert_eq!(field::root_of_unity::<M>(bits), root.to_unique_u32());
        if bits > 0 {
            assert_eq!(
                u64::from(M::P & !((1 << bits) - 1)),
                F::SAMPLING_BITS_M[bits]
            );
        }
    }
    let mut words = words::<M>(5);
    for _ in 0..100 {
        let x = words.next().unwrap();
        assert_eq!(
            field::from_canonical::<M>(x),
            F::from_u32(x).to_unique_u32()
        );
        assert_eq!(field::to_canonical::<M>(field::from_canonical::<M>(x)), x);
        let mut state: [u32; 16] = core::array::from_fn(|_| words.next().unwrap());
        let mut theirs = state.map(|x| F::from_u32(field::to_canonical::<M>(x)));
        Portable::default().permute::<M>(&mut state);
        F::poseidon16().permute_mut(&mut theirs);
        assert_eq!(state, theirs.map(|x| x.to_unique_u32()));
    }
    let portable = Portable::default();
    let mut sponge = Transcript::<M, _>::resume(&portable, [0; 16], 0);
    let mut challenger = DuplexChallenger::<F, _, 16, 8>::new(F::poseidon16());
    for (observed, sampled) in [
        (3, 2),
        (0, 9),
        (8, 1),
        (5, 0),
        (20, 8),
        (1, 3),
        (16, 0),
        (7, 1),
    ] {
        let taken: Vec<u32> = words.by_ref().take(observed).collect();
        sponge.observe_slice(&taken);
        for &x in &taken {
            challenger.observe(F::from_u32(field::to_canonical::<M>(x)));
        }
        for _ in 0..sampled {
            let expected: F = challenger.sample();
            assert_eq!(sponge.sample(), expected.to_unique_u32());
        }
    }
}

#[test]
fn base_fields() {
    check_base::<BabyBear, p3_baby_bear::BabyBear>();
    check_base::<KoalaBear, p3_koala_bear::KoalaBear>();
}
