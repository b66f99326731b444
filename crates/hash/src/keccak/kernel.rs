//! Keccak-f[1600] and the sponges over it, once for all vector types.

/// Defines `hash_rows` and `compress` over vectors `$vector` of `$lanes` 64-bit words.
///
/// Around it must stand
/// * `splat(u64) -> V`, `xor(V, V) -> V`, `xor3(V, V, V) -> V`, `chi(a, b, c) -> V`, which is
///   `a ^ (!b & c)`, and `rotate::<L, R>(V) -> V` to the left by `L`, where `L + R = 64`;
/// * `load1`, `load2`, `load4`, `load8`: from the bytes of `$lanes` rows of so many words each, laid
///   end to end, a vector for each word of a row;
/// * `load_part(&[&[u8]; $lanes]) -> [V; $lanes]`: the same for rows of any equal length of up to
///   `8 * $lanes` bytes that is a multiple of four, with zeros behind their ends;
/// * `store4`: the reverse of `load4`.
///
/// A macro, since functions with target features do not inline into generic ones without.
macro_rules! keccak_kernel {
    ($(#[$attr:meta])* $vector:ty, $lanes:expr) => {
        const LANES: usize = $lanes;

        use super::{LAST_BIT, LAST_LANE, RATE_BYTES};
        use crate::shape::ROUND_CONSTANTS;

        /// What theta adds to each column. That sum takes more instructions than adding its two
        /// terms to every lane would where three inputs go into one instruction, but leaves enough
        /// registers for the whole state.
        $(#[$attr])*
        #[inline]
        fn theta(a: &[$vector; 25]) -> [$vector; 5] {
            let mut parity = [a[0]; 5];
            for x in 0..5 {
                parity[x] = xor3(xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
            }
            let mut sums = parity;
            for x in 0..5 {
                sums[x] = xor(parity[(x + 4) % 5], rotate::<1, 63>(parity[(x + 1) % 5]));
            }
            sums
        }

        /// Theta and rho of one lane, from the sum for its column.
        $(#[$attr])*
        #[inline]
        fn lane<const L: i32, const R: i32>(a: $vector, sum: $vector) -> $vector {
            rotate::<L, R>(xor(a, sum))
        }

        /// Chi.
        $(#[$attr])*
        #[inline]
        fn row(b: [$vector; 5]) -> [$vector; 5] {
            [
                chi(b[0], b[1], b[2]),
                chi(b[1], b[2], b[3]),
                chi(b[2], b[3], b[4]),
                chi(b[3], b[4], b[0]),
                chi(b[4], b[0], b[1]),
            ]
        }

        /// What chi makes the first plane of.
        $(#[$attr])*
        #[inline]
        fn first_plane(a: &[$vector; 25], d: &[$vector; 5]) -> [$vector; 5] {
            [
                xor(a[0], d[0]),
                lane::<44, 20>(a[6], d[1]),
                lane::<43, 21>(a[12], d[2]),
                lane::<21, 43>(a[18], d[3]),
                lane::<14, 50>(a[24], d[4]),
            ]
        }

        /// One round (FIPS 202, section 3.3).
        $(#[$attr])*
        #[inline]
        fn round(a: &[$vector; 25], constant: u64) -> [$vector; 25] {
            let d = theta(a);
            let mut p = row(first_plane(a, &d));
            p[0] = xor(p[0], splat(constant));
            let q = row([
                lane::<28, 36>(a[3], d[3]),
                lane::<20, 44>(a[9], d[4]),
                lane::<3, 61>(a[10], d[0]),
                lane::<45, 19>(a[16], d[1]),
                lane::<61, 3>(a[22], d[2]),
            ]);
            let s = row([
                lane::<1, 63>(a[1], d[1]),
                lane::<6, 58>(a[7], d[2]),
                lane::<25, 39>(a[13], d[3]),
                lane::<8, 56>(a[19], d[4]),
                lane::<18, 46>(a[20], d[0]),
            ]);
            let t = row([
                lane::<27, 37>(a[4], d[4]),
                lane::<36, 28>(a[5], d[0]),
                lane::<10, 54>(a[11], d[1]),
                lane::<15, 49>(a[17], d[2]),
                lane::<56, 8>(a[23], d[3]),
            ]);
            let u = row([
                lane::<62, 2>(a[2], d[2]),
                lane::<55, 9>(a[8], d[3]),
                lane::<39, 25>(a[14], d[4]),
                lane::<41, 23>(a[15], d[0]),
                lane::<2, 62>(a[21], d[1]),
            ]);
            [
                p[0], p[1], p[2], p[3], p[4], q[0], q[1], q[2], q[3], q[4], s[0], s[1], s[2], s[3],
                s[4], t[0], t[1], t[2], t[3], t[4], u[0], u[1], u[2], u[3], u[4],
            ]
        }

        $(#[$attr])*
        #[inline]
        fn permute(a: &mut [$vector; 25]) {
            let mut state = *a;
            for constant in ROUND_CONSTANTS {
                state = round(&state, constant);
            }
            *a = state;
        }

        /// The permutation as far as the digest needs it: of the last round, four lanes. Instances
        /// have one caller each, so that the state goes in and out in registers.
        $(#[$attr])*
        #[inline]
        fn digest<const PAD: bool, const CALLER: usize>(a: &[$vector; 25]) -> [$vector; 4] {
            let (last, rounds) = const { ROUND_CONSTANTS.split_last().unwrap() };
            let (first, rounds) = rounds.split_first().unwrap();
            // On its own: most of the state is zero where a message is short.
            let mut state = round(a, *first);
            for &constant in rounds {
                state = round(&state, constant);
            }
            let d = theta(&state);
            let [p0, p1, p2, p3, _] = row(first_plane(&state, &d));
            [xor(p0, splat(*last)), p1, p2, p3]
        }

        /// The digest of a block that is the whole message, without its padding.
        $(#[$attr])*
        #[inline]
        fn single<const PAD: bool, const N: usize>(words: [$vector; N]) -> [$vector; 4] {
            let mut state = [splat(0); 25];
            state[..N].copy_from_slice(&words);
            if PAD {
                state[N] = splat(1);
                state[LAST_LANE] = splat(LAST_BIT);
            }
            digest::<PAD, N>(&state)
        }

        /// Adds, or writes, the bytes from `from` on of each row to the states' fronts, and pads them:
        /// the last block, which is full only where nothing is padded.
        $(#[$attr])*
        #[inline]
        fn absorb_last<const PAD: bool>(
            state: &mut [$vector; 25],
            rows: &[&[u8]; LANES],
            from: usize,
        ) {
            let count = rows[0].len() - from;
            // The padding, or which lanes are written over.
            let mut beside = [0; LAST_LANE + 1];
            if PAD {
                beside[count / 8] = 1 << (8 * (count % 8));
                beside[LAST_LANE] ^= LAST_BIT;
            } else {
                beside[..count.div_ceil(8)].fill(u64::MAX);
            }
            // Every lane in turn, whatever the count, so that the state stays in registers.
            let lanes = state[..=LAST_LANE].chunks_mut(LANES).zip(beside.chunks(LANES));
            for (group, (to, beside)) in lanes.enumerate() {
                let start = 8 * LANES * group;
                let bytes = count.saturating_sub(start).min(8 * to.len());
                let mut words = [splat(0); LANES];
                if bytes > 0 {
                    let mut parts = *rows;
                    for part in &mut parts {
                        *part = &part[from + start..][..bytes];
                    }
                    words = load_part(&parts);
                }
                for ((to, word), &beside) in to.iter_mut().zip(words).zip(beside) {
                    *to = if PAD {
                        xor3(*to, word, splat(beside))
                    } else {
                        chi(word, splat(beside), *to)
                    };
                }
            }
        }

        /// Adds, or writes, a whole block of each row.
        $(#[$attr])*
        #[inline]
        fn absorb_block<const PAD: bool>(
            state: &mut [$vector; 25],
            rows: &[&[u8]; LANES],
            from: usize,
        ) {
            let mut blocks = [&[0; RATE_BYTES]; LANES];
            for (block, row) in blocks.iter_mut().zip(rows) {
                *block = row[from..].first_chunk().expect("a whole block");
            }
            for (group, to) in state[..=LAST_LANE].chunks_mut(LANES).enumerate() {
                let mut parts = [&[][..]; LANES];
                for (part, block) in parts.iter_mut().zip(blocks) {
                    *part = &block[8 * LANES * group..][..8 * to.len()];
                }
                let words = load_part(&parts);
                for (to, word) in to.iter_mut().zip(words) {
                    *to = if PAD { xor(*to, word) } else { word };
                }
            }
        }

        /// The digests of rows of any equal length that is a multiple of four and not zero.
        $(#[$attr])*
        #[inline]
        fn any_width<const PAD: bool>(rows: &[&[u8]; LANES]) -> [$vector; 4] {
            let width = rows[0].len();
            let mut state = [splat(0); 25];
            let mut from = 0;
            // A padded message ends in a block that is not full; one that is not padded may.
            while width - from >= RATE_BYTES + usize::from(!PAD) {
                absorb_block::<PAD>(&mut state, rows, from);
                permute(&mut state);
                from += RATE_BYTES;
            }
            absorb_last::<PAD>(&mut state, rows, from);
            digest::<PAD, 0>(&state)
        }

        /// The digests of as many rows as there are lanes, laid end to end.
        $(#[$attr])*
        #[inline]
        fn group<const PAD: bool>(rows: &[u8], width: usize) -> [$vector; 4] {
            if let Ok(rows) = rows.try_into() {
                return single::<PAD, 1>(load1(rows));
            }
            if let Ok(rows) = rows.try_into() {
                return single::<PAD, 2>(load2(rows));
            }
            if let Ok(rows) = rows.try_into() {
                return single::<PAD, 4>(load4(rows));
            }
            if let Ok(rows) = rows.try_into() {
                return single::<PAD, 8>(load8(rows));
            }
            let mut each = [rows; LANES];
            for (lane, row) in each.iter_mut().enumerate() {
                *row = &rows[lane * width..][..width];
            }
            any_width::<PAD>(&each)
        }

        /// Digests of rows of `width` bytes, a multiple of four and not zero.
        $(#[$attr])*
        pub fn hash_rows<const PAD: bool>(rows: &[u8], width: usize, out: &mut [[u8; 32]]) {
            let (full, rest) = out.as_chunks_mut::<LANES>();
            let (first, last) = rows.split_at(full.len() * LANES * width);
            for (rows, out) in first.chunks_exact(LANES * width).zip(full) {
                store4(out, group::<PAD>(rows, width));
            }
            if !rest.is_empty() {
                // Spare lanes repeat the last row.
                let mut each = [last; LANES];
                for (lane, row) in each.iter_mut().enumerate() {
                    *row = &last[lane.min(rest.len() - 1) * width..][..width];
                }
                let mut digests = [[0; 32]; LANES];
                store4(&mut digests, any_width::<PAD>(&each));
                rest.copy_from_slice(&digests[..rest.len()]);
            }
        }

        $(#[$attr])*
        #[inline]
        fn parents<const PAD: bool>(
            left: &[[u8; 32]; LANES],
            right: &[[u8; 32]; LANES],
            out: &mut [[u8; 32]; LANES],
        ) {
            let [a, b, c, d] = load4(flat(left));
            let [e, f, g, h] = load4(flat(right));
            store4(out, single::<PAD, 8>([a, b, c, d, e, f, g, h]));
        }

        /// `out[i]` is the parent of `left[i]` and `right[i]`; all three are equally long.
        $(#[$attr])*
        pub fn compress<const PAD: bool>(
            left: &[[u8; 32]],
            right: &[[u8; 32]],
            out: &mut [[u8; 32]],
        ) {
            let (left, last_left) = left.as_chunks();
            let (right, last_right) = right.as_chunks();
            let (out, last_out) = out.as_chunks_mut();
            for ((left, right), out) in left.iter().zip(right).zip(out) {
                parents::<PAD>(left, right, out);
            }
            if !last_out.is_empty() {
                let mut sides = [[[0; 32]; LANES]; 2];
                sides[0][..last_left.len()].copy_from_slice(last_left);
                sides[1][..last_right.len()].copy_from_slice(last_right);
                let mut digests = [[0; 32]; LANES];
                parents::<PAD>(&sides[0], &sides[1], &mut digests);
                last_out.copy_from_slice(&digests[..last_out.len()]);
            }
        }

        fn flat(nodes: &[[u8; 32]; LANES]) -> &[u8; 32 * LANES] {
            let bytes = nodes.as_flattened();
            bytes.try_into().expect("a node has 32 bytes")
        }
    };
}
