//! The BLAKE2s compression function (RFC 7693), one message at a time, without tables in memory.

/// The initialisation vector (RFC 7693, section 2.6).
const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The message schedule (RFC 7693, section 2.7).
const SIGMA: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// The state before the first block of an unkeyed hash with a 32-byte digest: `IV` with the
/// parameter block folded in (RFC 7693, section 2.8).
pub const INITIAL_STATE: [u32; 8] = {
    let mut h = IV;
    h[0] ^= 0x0101_0020;
    h
};

/// The compression function as a verifier calls it: a place to count calls, or to answer from
/// other hardware.
pub trait Compress {
    /// Advances a state by one block. `counter` is the number of bytes hashed so far, this block's
    /// own included and its padding excluded; `last` marks the final block of a hash call.
    fn compress(&mut self, state: &mut [u32; 8], block: &[u32; 16], counter: u64, last: bool);
}

/// The compression function in plain integer operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blake2s;

impl Compress for Blake2s {
    #[inline]
    fn compress(&mut self, state: &mut [u32; 8], block: &[u32; 16], counter: u64, last: bool) {
        compress(state, block, counter, last);
    }
}

/// As [`Compress::compress`]. Time and memory accesses do not depend on state or block.
pub(crate) fn compress(state: &mut [u32; 8], block: &[u32; 16], counter: u64, last: bool) {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = *state;
    let [i0, i1, i2, i3, i4, i5, i6, i7] = IV;
    let i4 = i4 ^ (counter & 0xffff_ffff) as u32;
    let i5 = i5 ^ (counter >> 32) as u32;
    let i6 = if last { !i6 } else { i6 };
    let mut v = [
        h0, h1, h2, h3, h4, h5, h6, h7, i0, i1, i2, i3, i4, i5, i6, i7,
    ];
    round::<0>(&mut v, block);
    round::<1>(&mut v, block);
    round::<2>(&mut v, block);
    round::<3>(&mut v, block);
    round::<4>(&mut v, block);
    round::<5>(&mut v, block);
    round::<6>(&mut v, block);
    round::<7>(&mut v, block);
    round::<8>(&mut v, block);
    round::<9>(&mut v, block);
    let (low, high) = v.split_at(8);
    for ((h, a), b) in state.iter_mut().zip(low).zip(high) {
        *h ^= a ^ b;
    }
}

/// Indices are constants below 16: the compiler proves each access.
#[inline(always)]
fn round<const R: usize>(v: &mut [u32; 16], m: &[u32; 16]) {
    let s = const { &SIGMA[R] };
    mix::<0, 4, 8, 12>(v, m[s[0]], m[s[1]]);
    mix::<1, 5, 9, 13>(v, m[s[2]], m[s[3]]);
    mix::<2, 6, 10, 14>(v, m[s[4]], m[s[5]]);
    mix::<3, 7, 11, 15>(v, m[s[6]], m[s[7]]);
    mix::<0, 5, 10, 15>(v, m[s[8]], m[s[9]]);
    mix::<1, 6, 11, 12>(v, m[s[10]], m[s[11]]);
    mix::<2, 7, 8, 13>(v, m[s[12]], m[s[13]]);
    mix::<3, 4, 9, 14>(v, m[s[14]], m[s[15]]);
}

#[inline(always)]
fn mix<const A: usize, const B: usize, const C: usize, const D: usize>(
    v: &mut [u32; 16],
    x: u32,
    y: u32,
) {
    // Adding the message first takes it off the chain of dependent operations.
    v[A] = v[A].wrapping_add(x).wrapping_add(v[B]);
    v[D] = (v[D] ^ v[A]).rotate_right(16);
    v[C] = v[C].wrapping_add(v[D]);
    v[B] = (v[B] ^ v[C]).rotate_right(12);
    v[A] = v[A].wrapping_add(y).wrapping_add(v[B]);
    v[D] = (v[D] ^ v[A]).rotate_right(8);
    v[C] = v[C].wrapping_add(v[D]);
    v[B] = (v[B] ^ v[C]).rotate_right(7);
}
