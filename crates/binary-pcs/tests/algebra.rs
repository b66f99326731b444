//! The code, ring switching, stacking and the multilinear helpers against their definitions.

mod support;

use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::field::{E, K, PrimeCharacteristicRing, embed, from_limbs};
use prova_binary_pcs::opening::Weight as _;
use prova_binary_pcs::poly::{
    Quadratic, bit_coordinates, dot, dot_words, eq, eq_table, evaluate, vertex_weight,
};
use prova_binary_pcs::ring_switch::RingSwitch;
use prova_binary_pcs::stack::{Placement, PointClaim, PointClaims, Stack};
use support::{elements, encode, words};

#[test]
fn pivots_are_the_published_constants() {
    let expected = [
        0x1,
        0x6,
        0x168,
        0x1166880,
        0x011616686880801b,
        0x726b6e3c6e39234e,
        0x796adf34d64462c2,
        0x0f1060866be6fa9c,
        0x6a06f1b0a76acb05,
        0xd2d14e471a7186d9,
        0x6d55ab94bb5f9605,
        0xd08c5570c6423a2a,
        0x00a0ca298b954731,
        0x3c0e5429ac5cd413,
        0x060d6932e7d924b1,
        0xaa1f2d87fa7d5331,
        0x39eab2a541e0176a,
        0x822a438a8d849036,
        0xb1d89a290a5d7b51,
        0xb162289ed2f5d150,
        0x3c900abc5e73699d,
        0x43c96339f7c81f62,
    ];
    let pivots: Vec<u64> = Subspaces::new(22).pivots().map(K::to_bits).collect();
    assert_eq!(pivots, expected);
}

#[test]
fn column_weight_vector() {
    let point = [[3, 5, 7], [11, 13, 17], [19, 23, 29]].map(from_limbs);
    let expected = from_limbs([0xb14af2f01ab1899a, 0xfc95bd3dab20c9d5, 0x7524523d92c59773]);
    assert_eq!(Subspaces::new(3).column_weight(0x5a5a5, &point), expected);
}

/// `V_i(x)` as the product over the subspace it vanishes on.
fn vanishing(i: usize, x: K) -> K {
    (0..1_u64 << i).map(|v| x + K::new(v)).product()
}

#[test]
fn subspace_polynomials_are_products() {
    for position in [0, 1, 5, 0x1234, u64::MAX] {
        for (i, value) in Subspaces::new(7).normalised(position).enumerate() {
            let pivot = vanishing(i, K::new(1 << i));
            assert_eq!(value * pivot, vanishing(i, K::new(position)));
        }
    }
}

#[test]
fn column_weights_sum_to_codewords() {
    for (log_message, log_rate) in [(0, 1), (1, 1), (3, 2), (5, 3)] {
        let message = elements(7, 1 << log_message);
        let code = encode(&message, log_rate);
        let subspaces = Subspaces::new(log_message);
        for (position, &symbol) in (0..).zip(&code) {
            let sum: E = (0..1_u64 << log_message)
                .zip(&message)
                .map(|(u, &m)| {
                    let vertex: Vec<E> = bit_coordinates(u, log_message).collect();
                    m * subspaces.column_weight(position, &vertex)
                })
                .sum();
            assert_eq!(sum, symbol);
        }
        // Multilinear: the weight at a point is the weights of the vertices, extended.
        let point = elements(9, log_message);
        let table: Vec<E> = (0..1_u64 << log_message)
            .map(|u| {
                let vertex: Vec<E> = bit_coordinates(u, log_message).collect();
                subspaces.column_weight(11, &vertex)
            })
            .collect();
        assert_eq!(
            subspaces.column_weight(11, &point),
            evaluate(&table, &point)
        );
    }
}

#[test]
fn ring_switch_map_is_its_coefficients() {
    let challenges: [E; 6] = elements(1, 6).try_into().unwrap();
    let switch = RingSwitch::new(challenges, Vec::new());
    let a = elements(2, 1)[0];
    let mut power = a;
    let mut sum = E::ZERO;
    assert_eq!(switch.coefficients().len(), 64);
    for &coefficient in switch.coefficients() {
        sum += coefficient * power;
        power = power.square();
    }
    assert_eq!(switch.map(a), sum);
    // The order of the challenges matters.
    let mut swapped = challenges;
    swapped.swap(0, 5);
    assert_ne!(RingSwitch::new(swapped, Vec::new()).map(a), sum);
}

#[test]
fn ring_switch_turns_bit_claims_into_a_word_claim() {
    let variables = 4;
    let q = words(3, 1 << variables);
    let point = elements(4, variables);
    let eq_weights = eq_table(&point);
    let bits: [E; 64] = core::array::from_fn(|i| {
        let of_words = q.iter().map(|word| embed(word.to_bits() >> i & 1));
        dot(&eq_weights, &of_words.collect::<Vec<_>>())
    });
    let challenges = elements(5, 6).try_into().unwrap();
    let switch = RingSwitch::new(challenges, point);
    let weights: Vec<E> = eq_weights
        .iter()
        .map(|&weight| switch.map(weight))
        .collect();
    assert_eq!(dot_words(&weights, &q), switch.target(&bits));
    let r = elements(6, variables);
    assert_eq!(switch.weight(&r), evaluate(&weights, &r));
}

#[test]
fn stacking_is_by_size_then_by_number() {
    let stack = Stack::new(&[3, 5, 3, 0, 5]).unwrap();
    let offsets: Vec<u64> = stack.placements.iter().map(|p| p.offset).collect();
    assert_eq!(offsets, [64, 0, 72, 80, 32]);
    assert_eq!((stack.total, stack.variables()), (81, 7));
    assert_eq!(Stack::new(&[63, 63]), None);
    assert_eq!(Stack::new(&[64]), None);
    assert_eq!(Stack::new(&[0]).unwrap().variables(), 0);
}

#[test]
fn lifted_claims_are_claims_about_the_whole() {
    let sizes = [2, 3, 1];
    let stack = Stack::new(&sizes).unwrap();
    let variables = 5;
    let mut whole = vec![E::ZERO; 1 << variables];
    let mut claims = Vec::new();
    for (seed, placement) in (20..).zip(&stack.placements) {
        let column = elements(seed, 1 << placement.log_size);
        let start = usize::try_from(placement.offset).unwrap();
        whole[start..start + column.len()].copy_from_slice(&column);
        let point = elements(seed + 100, placement.variables());
        claims.push(PointClaim {
            point: placement.lift(&point, variables),
            value: evaluate(&column, &point),
        });
    }
    for claim in &claims {
        assert_eq!(evaluate(&whole, &claim.point), claim.value);
    }
    let challenge = elements(8, 1)[0];
    let batch = PointClaims {
        claims: &claims,
        challenge,
    };
    let weights: Vec<E> = (0..1_u64 << variables)
        .map(|u| batch.evaluate(&bit_coordinates(u, variables).collect::<Vec<_>>()))
        .collect();
    assert_eq!(dot(&weights, &whole), batch.target());
    let by_powers = claims
        .iter()
        .fold((E::ZERO, challenge), |(sum, power), claim| {
            (sum + power * claim.value, power * challenge)
        });
    assert_eq!(batch.target(), by_powers.0);
}

#[test]
fn selectors_are_the_weight_of_a_block() {
    let point = elements(1, 6);
    let placement = Placement {
        offset: 40,
        log_size: 3,
    };
    let table = eq_table(&point);
    let sum: E = table[40..48].iter().copied().sum();
    assert_eq!(placement.selector_weight(&point), sum);
    assert_eq!(vertex_weight(40, &point), table[40]);
    assert_eq!(eq(&point, &point), point.iter().map(|_| E::ONE).product());
}

#[test]
fn quadratics_keep_their_claims() {
    let [claim, c0, c2, r]: [E; 4] = elements(31, 4).try_into().unwrap();
    let plain = Quadratic::plain(claim, [c0, c2]);
    assert_eq!(plain.at(E::ZERO) + plain.at(E::ONE), claim);
    let stripped = Quadratic::without_eq(claim, r, [c0, c2]);
    let weighted = (E::ONE + r) * stripped.at(E::ZERO) + r * stripped.at(E::ONE);
    assert_eq!(weighted, claim);
}

#[test]
fn dots_have_no_seams() {
    for n in 0..40 {
        let (a, b, k) = (elements(1, n), elements(2, n), words(3, n));
        let plain: E = a.iter().zip(&b).map(|(&a, &b)| a * b).sum();
        assert_eq!(dot(&a, &b), plain);
        let mixed: E = a.iter().zip(&k).map(|(&a, &k)| a * k).sum();
        assert_eq!(dot_words(&a, &k), mixed);
        assert_eq!(
            dot(&a, &[b.as_slice(), &a].concat()),
            plain,
            "the longer list is cut"
        );
    }
}
