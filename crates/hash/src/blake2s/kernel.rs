//! The compression function (RFC 7693, section 3.2), once for all vector types.

/// Defines `compress` over states and blocks of `$word`, each word being `$groups` vectors.
///
/// Around it must stand, for vectors `V` of `$word`'s lanes: `splat(u32) -> V`, `add(V, V) -> V`,
/// `xor(V, V) -> V`, the right rotations `rot16`, `rot12`, `rot8`, `rot7`, and for the vector of a
/// group `load(&$word, usize) -> V` and `store(&mut $word, usize, V)`. A macro, since functions
/// with target features do not inline into generic ones without.
macro_rules! blake2s_kernel {
    ($(#[$attr:meta])* $vector:ty, $word:ty, $groups:expr) => {
        $(#[$attr])*
        #[inline]
        fn mix<const A: usize, const B: usize, const C: usize, const D: usize>(
            v: &mut [$vector; 16],
            x: $vector,
            y: $vector,
        ) {
            // Adding the message first takes it off the chain of dependent operations.
            v[A] = add(add(v[A], x), v[B]);
            v[D] = rot16(xor(v[D], v[A]));
            v[C] = add(v[C], v[D]);
            v[B] = rot12(xor(v[B], v[C]));
            v[A] = add(add(v[A], y), v[B]);
            v[D] = rot8(xor(v[D], v[A]));
            v[C] = add(v[C], v[D]);
            v[B] = rot7(xor(v[B], v[C]));
        }

        $(#[$attr])*
        #[inline]
        fn round<const R: usize>(v: &mut [$vector; 16], m: &[$word; 16], group: usize) {
            let s = const { &$crate::blake2s::SIGMA[R] };
            mix::<0, 4, 8, 12>(v, load(&m[s[0]], group), load(&m[s[1]], group));
            mix::<1, 5, 9, 13>(v, load(&m[s[2]], group), load(&m[s[3]], group));
            mix::<2, 6, 10, 14>(v, load(&m[s[4]], group), load(&m[s[5]], group));
            mix::<3, 7, 11, 15>(v, load(&m[s[6]], group), load(&m[s[7]], group));
            mix::<0, 5, 10, 15>(v, load(&m[s[8]], group), load(&m[s[9]], group));
            mix::<1, 6, 11, 12>(v, load(&m[s[10]], group), load(&m[s[11]], group));
            mix::<2, 7, 8, 13>(v, load(&m[s[12]], group), load(&m[s[13]], group));
            mix::<3, 4, 9, 14>(v, load(&m[s[14]], group), load(&m[s[15]], group));
        }

        /// Advances the states by one block each; see `Kernel::compress`.
        $(#[$attr])*
        pub fn compress(state: &mut [$word; 8], block: &[$word; 16], counter: u64, last: bool) {
            const IV: [u32; 8] = $crate::blake2s::IV;
            for group in 0..$groups {
                let mut v = [splat(0); 16];
                for i in 0..8 {
                    v[i] = load(&state[i], group);
                    v[i + 8] = splat(IV[i]);
                }
                v[12] = splat(IV[4] ^ counter as u32);
                v[13] = splat(IV[5] ^ (counter >> 32) as u32);
                v[14] = splat(if last { !IV[6] } else { IV[6] });
                round::<0>(&mut v, block, group);
                round::<1>(&mut v, block, group);
                round::<2>(&mut v, block, group);
                round::<3>(&mut v, block, group);
                round::<4>(&mut v, block, group);
                round::<5>(&mut v, block, group);
                round::<6>(&mut v, block, group);
                round::<7>(&mut v, block, group);
                round::<8>(&mut v, block, group);
                round::<9>(&mut v, block, group);
                for i in 0..8 {
                    let old = load(&state[i], group);
                    store(&mut state[i], group, xor(old, xor(v[i], v[i + 8])));
                }
            }
        }
    };
}
