//! Fields: constants and vectors of the design document, and what the maps must satisfy.

use prova_binary_pcs::field::*;

const fn e(c0: u64, c1: u64, c2: u64) -> E {
    from_limbs([c0, c1, c2])
}

const A: E = e(0x0123456789abcdef, 0xfedcba9876543210, 0x0f1e2d3c4b5a6978);
const B: E = e(0xdeadbeefcafebabe, 0x1122334455667788, 0x99aabbccddeeff00);

#[test]
fn base_products() {
    let a = K::new(0x8000000000000001);
    let b = K::new(0xfedcba9876543210);
    assert_eq!((a * b).to_bits(), 0x72f963ee50db41a4);
    assert_eq!(b.square().to_bits(), 0x150f7d66b4aedc81);
}

#[test]
fn extension_products() {
    let product = e(0x8349976ebe47def9, 0xfa99000fb6b7a5ae, 0xc54df13d91853444);
    let square = e(0x405a2833e1fb8992, 0x17420d587f2a6530, 0x024d703ecb84b9b1);
    let inverse = e(0x1bf9f6a742b9c149, 0xcf2ed603936cfb70, 0x46d8214ac78dc2a3);
    assert_eq!(A * B, product);
    assert_eq!(A.square(), square);
    assert_eq!(A.inverse(), inverse);
    assert_eq!(Y * Y * Y, Y + E::ONE);
}

#[test]
fn frobenius_is_repeated_squaring() {
    let known = e(0x0123456789abcdef, 0x0f1e2d3c4b5a6978, 0xf1c297a43d0e5b68);
    assert_eq!(frobenius(A, 64), known);
    let mut power = A;
    for times in 0..=200 {
        assert_eq!(frobenius(A, times), power, "{times} squarings");
        power = power.square();
    }
    assert_eq!(frobenius(A, 192), A);
}

#[test]
fn g_is_primitive() {
    assert_eq!(power_of_g(0), K::ONE);
    assert_eq!(power_of_g(5).to_bits(), 32);
    assert_eq!(power_of_g(64).to_bits(), 0x1b);
    assert_eq!(power_of_g(u64::MAX), K::ONE);
    for prime in [3, 5, 17, 257, 641, 65537, 6700417] {
        assert_ne!(
            power_of_g(u64::MAX / prime),
            K::ONE,
            "order divides by {prime}"
        );
    }
}

/// The product of the byte field, bit by bit.
fn aes_mul(a: u8, b: u8) -> u8 {
    let mut power = u16::from(a);
    let mut product = 0;
    for bit in 0..8 {
        if b >> bit & 1 == 1 {
            product ^= power;
        }
        power <<= 1;
        if power & 0x100 != 0 {
            power ^= 0x11b;
        }
    }
    u8::try_from(product).unwrap()
}

#[test]
fn byte_embedding_is_a_ring_homomorphism() {
    assert_eq!(phi8(1), K::ONE);
    for a in 0..=255 {
        for b in 0..=255 {
            assert_eq!(phi8(a) * phi8(b), phi8(aes_mul(a, b)));
            assert_eq!(phi8(a) + phi8(b), phi8(a ^ b));
        }
    }
}

#[test]
fn bytes_are_little_endian_limbs() {
    let bytes = to_bytes(A);
    assert_eq!(bytes[..8], 0x0123456789abcdef_u64.to_le_bytes());
    assert_eq!(bytes[16..], 0x0f1e2d3c4b5a6978_u64.to_le_bytes());
    assert_eq!(from_bytes(&bytes), A);
    assert_eq!(to_limbs(embed(7)), [7, 0, 0]);
}
