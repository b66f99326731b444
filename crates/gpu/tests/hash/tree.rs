//! Trees, and what openings take from them.

use p3_baby_bear::BabyBear;
use p3_field::ExtensionField;
use p3_koala_bear::KoalaBear;
use prova_gpu::hash::{DIGEST_WORDS, HashCost, HashKind, Hashing, Spread, Step, tree_plan};
use prova_gpu::{Buffer, Gpu, Slice};

use crate::common::*;
use crate::oracle::{self, HashedField, digests};

/// A buffer with room for the digests of every level at aligned offsets, and those slices.
fn room(gpu: &Gpu, log: usize) -> (Buffer, Vec<Slice>) {
    let words = |level: usize| DIGEST_WORDS << (log - level);
    let aligned = |level| words(level).next_multiple_of(64);
    let buffer = gpu.buffer((0..=log).map(aligned).sum()).unwrap();
    let mut first = 0;
    let slices = (0..=log)
        .map(|level| {
            let slice = buffer.slice(first, words(level));
            first += aligned(level);
            slice
        })
        .collect();
    (buffer, slices)
}

/// Builds trees by `plan` and compares every stored level.
fn check<F: HashedField>(
    hashing: &Hashing,
    expected: &[Vec<u32>],
    stored: impl Fn(usize) -> bool,
    plan: &[Step],
) {
    let gpu = &hashing.kit().gpu;
    let log = expected.len() - 1;
    // Level 0 in the same buffer as the others, and in one of its own.
    let (_, slices) = room(gpu, log);
    let own = gpu.upload(&expected[0]).unwrap();
    for nodes in [&slices[0], &own.all()] {
        gpu.write(nodes, &expected[0]).unwrap();
        let levels: Vec<Option<Slice>> = (1..=log)
            .map(|level| stored(level).then(|| slices[level].clone()))
            .collect();
        let root = gpu.buffer(DIGEST_WORDS).unwrap().all();
        let mut recorder = gpu.record();
        hashing
            .build_tree(&mut recorder, plan, nodes, &levels, &root)
            .unwrap();
        let root = recorder.read(&root.slice(0, DIGEST_WORDS));
        let tickets: Vec<_> = levels
            .iter()
            .map(|level| level.as_ref().map(|slice| recorder.read(slice)))
            .collect();
        let back = recorder.finish().unwrap();
        assert_eq!(back.get(root), expected[log], "the root of 2^{log}");
        for (level, ticket) in (1..).zip(tickets) {
            let fits = ticket.is_none_or(|ticket| back.get(ticket) == expected[level]);
            assert!(fits, "{:?}, level {level} of {log}", hashing.kind());
        }
    }
}

fn expected<F: HashedField>(kind: HashKind, log: usize) -> Vec<Vec<u32>> {
    oracle::levels(kind, &elements::<F>(log as u64, 3 << log), 3)
}

/// Trees of the given sizes, keeping the levels whose bit is set.
fn planned<F: HashedField, EF: ExtensionField<F>>(
    kind: HashKind,
    sizes: impl IntoIterator<Item = usize>,
    patterns: &[u32],
) {
    let gpu = gpu();
    let hashing = Hashing::new::<F>(&kit::<F, EF>(&gpu), kind).unwrap();
    for log in sizes {
        let expected = expected::<F>(kind, log);
        for pattern in patterns {
            let stored = |level: usize| pattern >> level & 1 == 1;
            check::<F>(&hashing, &expected, stored, &tree_plan(log, stored));
        }
    }
}

/// None, all, every second, every fourth, and some.
const PATTERNS: [u32; 5] = [0, u32::MAX, 0x5554, 0x1110, 0x2cd3];

#[test]
fn poseidon2() {
    planned::<BabyBear, BabyBear4>(HashKind::Poseidon2x16, [0, 1, 4, 10], &PATTERNS[..2]);
    planned::<KoalaBear, KoalaBear5>(HashKind::Poseidon2x24, [3, 12], &PATTERNS[2..3]);
}

#[test]
fn keccak() {
    planned::<BabyBear, BabyBear4>(HashKind::Keccak, [5, 12], &PATTERNS[2..]);
}

#[test]
fn blake3() {
    planned::<KoalaBear, KoalaBear4>(HashKind::Blake3, 0..12, &PATTERNS[4..]);
    planned::<KoalaBear, KoalaBear4>(HashKind::Blake3, [12], &PATTERNS);
}

#[test]
fn a_thread_a_node() {
    let gpu = gpu();
    let kinds = [HashKind::Poseidon2x24, HashKind::Blake3];
    for kind in kinds {
        let hashing = Hashing::new::<BabyBear>(&kit::<BabyBear, BabyBear4>(&gpu), kind).unwrap();
        let log = 9;
        let expected = expected::<BabyBear>(kind, log);
        for pattern in [0, u32::MAX, 0x2d6] {
            let stored = |level: usize| pattern >> level & 1 == 1;
            let mut from = 0;
            let plan: Vec<Step> = [1, 2, 3, 3]
                .into_iter()
                .map(|levels| {
                    let below = from;
                    from += levels;
                    Step {
                        from: below,
                        log_nodes: log - below,
                        levels,
                        stored: (below + 1..=from)
                            .filter(|&level| level == from || stored(level))
                            .collect(),
                        spread: Spread::Threads,
                    }
                })
                .collect();
            check::<BabyBear>(&hashing, &expected, stored, &plan);
        }
        let half = &expected[log - 1];
        let level = gpu.upload(half).unwrap().all();
        let parents = gpu.buffer(DIGEST_WORDS).unwrap().all();
        let mut recorder = gpu.record();
        hashing.parents(&mut recorder, &level, 2, &parents).unwrap();
        let ticket = recorder.read(&parents.slice(0, DIGEST_WORDS));
        assert_eq!(recorder.finish().unwrap().get(ticket), expected[log]);

        // In parts: all three slices of one buffer, then three buffers.
        let (_, slices) = room(&gpu, log);
        gpu.write(&slices[0], &expected[0]).unwrap();
        let half = 1 << (log - 1);
        let left = slices[0].slice(0, digests(half));
        let right = slices[0].slice(digests(half), digests(half));
        let own = gpu.upload(&expected[0][digests(half) as usize..]).unwrap();
        for right in [right, own.all()] {
            let mut recorder = gpu.record();
            hashing
                .compress(&mut recorder, &left, &right, half as u32, &slices[1])
                .unwrap();
            let ticket = recorder.read(&slices[1]);
            assert!(recorder.finish().unwrap().get(ticket) == expected[1]);
        }
    }
}

fn quads<F: HashedField, EF: ExtensionField<F>>(kind: HashKind, width: usize) {
    let gpu = gpu();
    let hashing = Hashing::new::<F>(&kit::<F, EF>(&gpu), kind).unwrap();
    // What is not kept is left out alike for all kinds.
    let keeps: &[bool] = match kind {
        HashKind::Blake3 => &[true, false],
        _ => &[true],
    };
    // A quarter of 64 rows starts on an aligned offset whatever the width.
    for log in [2, 4, 8] {
        let (quarter, words) = ((1 << log) / 4, (width << log) / 4);
        let rows = elements::<F>(width as u64, width << log);
        let expected = oracle::levels(kind, &rows, width);
        let rows = F::words(&rows);
        let whole = gpu.upload(rows).unwrap();
        let parts: Vec<Buffer> = rows
            .chunks(words)
            .map(|part| gpu.upload(part).unwrap())
            .collect();
        let slices = |k: usize| parts[k].slice(0, words as u64);
        let apart: [Slice; 4] = core::array::from_fn(slices);
        let mut ways = vec![apart];
        if words % 64 == 0 {
            ways.push(core::array::from_fn(|k| {
                whole.slice((k * words) as u64, words as u64)
            }));
        }
        for rows in &ways {
            for &keep in keeps {
                let (_, slices) = room(&gpu, log);
                let mut recorder = gpu.record();
                let kept = |level: usize| keep.then(|| &slices[level]);
                hashing
                    .quads(
                        &mut recorder,
                        rows.each_ref(),
                        width,
                        quarter,
                        kept(0),
                        kept(1),
                        &slices[2],
                    )
                    .unwrap();
                let tickets: Vec<_> = slices[..3].iter().map(|s| recorder.read(s)).collect();
                let back = recorder.finish().unwrap();
                for level in if keep { 0..3 } else { 2..3 } {
                    assert!(
                        back.get(tickets[level]) == expected[level],
                        "{kind:?}, width {width}, 2^{log} rows, level {level}"
                    );
                }
            }
        }
    }
}

#[test]
fn four_rows_a_thread() {
    quads::<BabyBear, BabyBear4>(HashKind::Poseidon2x16, 16);
    quads::<KoalaBear, KoalaBear4>(HashKind::Poseidon2x24, 21);
    quads::<KoalaBear, KoalaBear5>(HashKind::Keccak, 40);
    quads::<BabyBear, BabyBear4>(HashKind::Blake3, 5);
    quads::<BabyBear, BabyBear4>(HashKind::Blake3, 640);
}

#[test]
fn plans_cover_every_level_once() {
    let cost = HashCost::of::<BabyBear>(HashKind::Poseidon2x16);
    for log in 0..=30 {
        for pattern in PATTERNS {
            let plan = tree_plan(log, |level| pattern >> level & 1 == 1);
            let mut from = 0;
            for step in &plan {
                assert_eq!(step.from, from);
                assert_eq!(step.log_nodes, log - from);
                assert!(step.levels > 0 && step.stored.len() <= 7);
                assert_eq!(step.stored.last(), Some(&(from + step.levels)));
                from += step.levels;
            }
            assert_eq!(from, log);
            let products: u64 = plan.iter().map(|step| step.cost(&cost).products).sum();
            assert_eq!(products, cost.node() * ((1 << log) - 1));
        }
    }
}
