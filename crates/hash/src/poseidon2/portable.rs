//! The same operations over Plonky3's own packed permutation.

use p3_field::PackedValue;
use p3_symmetric::Permutation;

use super::params::Poseidon2Field;

/// Sponge digests of rows, as many rows a call as the packing has lanes.
pub(super) fn hash_rows<F: Poseidon2Field<W>, const W: usize>(
    perm: &F::Perm,
    rows: &[F],
    width: usize,
    out: &mut [[F; 8]],
) {
    let lanes = F::Packing::WIDTH;
    let rate = W - 8;
    for (group, digests) in rows.chunks(width * lanes).zip(out.chunks_mut(lanes)) {
        let mut state = [F::Packing::default(); W];
        for base in (0..width).step_by(rate) {
            for (lane, row) in group.chunks_exact(width).enumerate() {
                let block = &row[base..width.min(base + rate)];
                for (slot, &x) in state.iter_mut().zip(block) {
                    slot.as_slice_mut()[lane] = x;
                }
            }
            perm.permute_mut(&mut state);
        }
        unpack(&state, digests);
    }
}

/// Nodes, as many a call as the packing has lanes.
pub(super) fn compress<F: Poseidon2Field<16>>(
    perm: &F::Perm,
    left: &[[F; 8]],
    right: &[[F; 8]],
    out: &mut [[F; 8]],
) {
    let lanes = F::Packing::WIDTH;
    for ((l, r), o) in left
        .chunks(lanes)
        .zip(right.chunks(lanes))
        .zip(out.chunks_mut(lanes))
    {
        let mut state = [F::Packing::default(); 16];
        for (lane, (a, b)) in l.iter().zip(r).enumerate() {
            for i in 0..8 {
                state[i].as_slice_mut()[lane] = a[i];
                state[8 + i].as_slice_mut()[lane] = b[i];
            }
        }
        perm.permute_mut(&mut state);
        unpack(&state, o);
    }
}

/// As the wide-lane search: the smallest passing candidate of `from..to`.
pub(super) fn search<F: Poseidon2Field<16>>(
    perm: &F::Perm,
    base: &[F; 16],
    slot: usize,
    mask: u32,
    from: u64,
    to: u64,
) -> Option<u64> {
    let lanes = F::Packing::WIDTH;
    let start: [F::Packing; 16] = core::array::from_fn(|i| F::Packing::from(base[i]));
    (from..to).step_by(lanes).find_map(|n| {
        let mut state = start;
        state[slot] = F::Packing::from_fn(|lane| F::from_u64(n + lane as u64));
        perm.permute_mut(&mut state);
        let samples = state[7].as_slice().iter().zip(n..to);
        samples
            .filter(|(sample, _)| sample.as_canonical_u32() & mask == 0)
            .map(|(_, candidate)| candidate)
            .next()
    })
}

fn unpack<P: PackedValue>(state: &[P], out: &mut [[P::Value; 8]])
where
    P::Value: Copy,
{
    for (lane, digest) in out.iter_mut().enumerate() {
        *digest = core::array::from_fn(|i| state[i].as_slice()[lane]);
    }
}
