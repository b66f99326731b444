//! Stands in for the `tiny-keccak` crate in guests, which `p3-keccak` uses where it has no SIMD
//! kernels. It has the part of that crate's interface which Plonky3 uses; the permutation is
//! `prova_stock_keccak_f` of `prova-guest-rt`, whose feature `keccak-call` decides whether stock
//! code computes it or makes the system call.
#![no_std]

/// Absorbs bytes and gives a digest.
pub trait Hasher {
    /// Absorbs more of the message.
    fn update(&mut self, input: &[u8]);

    /// Pads the message and fills `output`.
    fn finalize(self, output: &mut [u8]);
}

/// Keccak-f[1600] in place.
#[inline(always)]
pub fn keccakf(state: &mut [u64; 25]) {
    unsafe extern "Rust" {
        safe fn prova_stock_keccak_f(state: &mut [u64; 25]);
    }
    prova_stock_keccak_f(state);
}

/// A sponge over bytes (FIPS 202, section 4) with rate `RATE` and the padding's first byte `PAD`.
#[derive(Clone, Debug)]
struct Sponge<const PAD: u8> {
    state: [u64; 25],
    /// Bytes absorbed into the current block, always below `rate`.
    offset: usize,
    rate: usize,
}

impl<const PAD: u8> Sponge<PAD> {
    fn new(bits: usize) -> Self {
        Self {
            state: [0; 25],
            offset: 0,
            rate: 200 - bits / 4,
        }
    }

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(&mut self.state)
    }

    /// Byte by byte, as the crate this stands in for does it.
    fn update(&mut self, mut input: &[u8]) {
        while !input.is_empty() {
            let offset = self.offset;
            let (now, later) = input.split_at(input.len().min(self.rate - offset));
            for (lane, byte) in self.bytes()[offset..].iter_mut().zip(now) {
                *lane ^= byte;
            }
            input = later;
            self.offset += now.len();
            if self.offset == self.rate {
                keccakf(&mut self.state);
                self.offset = 0;
            }
        }
    }

    fn finalize(mut self, output: &mut [u8]) {
        let (offset, rate) = (self.offset, self.rate);
        self.bytes()[offset] ^= PAD;
        self.bytes()[rate - 1] ^= 0x80;
        for block in output.chunks_mut(rate) {
            keccakf(&mut self.state);
            block.copy_from_slice(&self.bytes()[..block.len()]);
        }
    }
}

macro_rules! hasher {
    ($(#[$doc:meta])* $name:ident, $feature:literal, $pad:literal) => {
        $(#[$doc])*
        #[cfg(feature = $feature)]
        #[derive(Clone, Debug)]
        pub struct $name(Sponge<$pad>);

        #[cfg(feature = $feature)]
        impl $name {
            /// With a digest of 224 bits.
            pub fn v224() -> Self {
                Self(Sponge::new(224))
            }

            /// With a digest of 256 bits.
            pub fn v256() -> Self {
                Self(Sponge::new(256))
            }

            /// With a digest of 384 bits.
            pub fn v384() -> Self {
                Self(Sponge::new(384))
            }

            /// With a digest of 512 bits.
            pub fn v512() -> Self {
                Self(Sponge::new(512))
            }
        }

        #[cfg(feature = $feature)]
        impl Hasher for $name {
            fn update(&mut self, input: &[u8]) {
                self.0.update(input);
            }

            fn finalize(self, output: &mut [u8]) {
                self.0.finalize(output);
            }
        }
    };
}

hasher! {
    /// Keccak as submitted to the SHA-3 competition.
    Keccak, "keccak", 0x01
}
hasher! {
    /// SHA-3 (FIPS 202).
    Sha3, "sha3", 0x06
}
