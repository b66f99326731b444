//! Proofs of every shape, read to the end.
//!
//! Under a transcript that draws only zeros, a proof of zeros over a commitment to zeros passes every
//! check, whatever its sizes: a false statement, and a walk through all of the verifier's reading.
//! That the lengths of these bodies come from formulas of this file shows that the verifier's are the
//! sizes' alone; that nothing panics, that no layout within the announced ranges goes wrong.

use prova_binary_pcs::field::{E, PrimeCharacteristicRing};
use prova_binary_pcs::merkle::{Digest, hash};
use prova_binary_pcs::params::{Schedule, Target};
use prova_binary_pcs::transcript::{Transcript, halves};
use prova_lean_vm::verify::{CLAIMS, verify_with};
use prova_lean_vm::{Form, Layout, Malformed, Program, Proof, Sizes};
use prova_proof_file::Failure;

struct Zeros;

impl Transcript for Zeros {
    fn observe_bytes(&mut self, _: &[u8]) {}

    fn observe(&mut self, _: E) {}

    fn sample(&mut self) -> E {
        E::ZERO
    }

    fn check_grinding(&mut self, _: E, _: u32) -> bool {
        true
    }
}

fn scalars(body: &mut Vec<u8>, elements: impl IntoIterator<Item = E>) {
    for element in elements {
        body.extend(prova_binary_pcs::field::to_bytes(element));
    }
}

fn count(body: &mut Vec<u8>, n: usize) {
    body.extend((n as u64).to_le_bytes());
}

/// The nodes of a tree of equal leaves, from the leaf up.
fn nodes(leaf: Digest, depth: u32) -> Vec<Digest> {
    let above = |node: &Digest| Some(hash([*node, *node].as_flattened()));
    std::iter::successors(Some(leaf), above)
        .take(depth as usize + 1)
        .collect()
}

/// Scalars between the root and the opening.
fn middle_scalars(bus_variables: usize, sizes: &Sizes) -> usize {
    let mut bus = 3;
    let mut bound = 0;
    let mut width = if bus_variables % 2 == 1 { 1 } else { 2 };
    while bound < bus_variables {
        bus += 4 * bound + 3 * (1 << width);
        bound += width;
        width = 2;
    }
    let tables = 3 * sizes.log_heights.into_iter().max().unwrap() as usize + 102;
    let blocks = sizes.log_compressions() as usize;
    bus + 5 + tables + 3 + 64 + 2 * (8 + blocks) + 2 + 16 + 64
}

/// A proof of zeros.
fn body(form: Form, sizes: Sizes, layout: &Layout) -> Vec<u8> {
    let target = Target::v0(CLAIMS);
    let schedule = Schedule::derive(layout.variables, sizes.log_inv_rate, target).unwrap();
    let trees: Vec<(usize, Vec<Digest>)> = (0..)
        .zip(&schedule.levels)
        .map(|(index, level)| {
            let words = if index == 0 { 64 } else { 24 };
            let leaf = hash(&vec![0; 8 * words]);
            let sent = match form {
                Form::Wire if index == 0 => layout.lanes,
                _ => words,
            };
            (sent, nodes(leaf, level.depth()))
        })
        .collect();
    let root = |level: usize| halves(trees[level].1.last().unwrap());
    let zeros = |n: usize| std::iter::repeat_n(E::ZERO, n);

    let mut body = Vec::new();
    let announced = [sizes.log_memory].into_iter().chain(sizes.log_heights);
    let announced = announced.chain([sizes.log_inv_rate]);
    scalars(
        &mut body,
        announced.map(|size| prova_binary_pcs::field::embed(size.into())),
    );
    scalars(&mut body, root(0));
    // The product of the counters is not zero.
    scalars(&mut body, [E::ZERO, E::ZERO, E::ONE]);
    let middle = middle_scalars(layout.bus_variables, &sizes);
    scalars(&mut body, zeros(middle - 3));
    scalars(&mut body, zeros(2));
    for (index, level) in schedule.levels.iter().enumerate() {
        scalars(&mut body, zeros(2 * level.folds));
        if index + 1 < schedule.levels.len() {
            scalars(&mut body, root(index + 1));
            scalars(&mut body, zeros(3));
        } else {
            scalars(&mut body, zeros(1 << schedule.residual_variables));
        }
        scalars(&mut body, zeros(3));
    }
    scalars(&mut body, zeros(2 * (schedule.residual_variables - 1)));
    let read = 10 + middle + schedule.scalar_count();
    assert_eq!(body.len(), 24 * read);
    body.splice(0..0, (read as u64).to_le_bytes());

    match form {
        Form::Wire => count(&mut body, trees.len()),
        Form::Raw => count(&mut body, schedule.queries()),
    }
    for ((sent, nodes), level) in trees.iter().zip(&schedule.levels) {
        let entries = match form {
            Form::Wire => {
                // All positions are zero, which is one row.
                count(&mut body, 1);
                1
            }
            Form::Raw => level.queries,
        };
        for _ in 0..entries {
            count(&mut body, *sent);
            body.resize(body.len() + 8 * sent, 0);
            count(&mut body, nodes.len() - 1);
            body.extend(nodes[..nodes.len() - 1].as_flattened());
        }
    }
    body
}

fn verdict(
    log_instructions: u32,
    sizes: Sizes,
    form: Form,
) -> Result<(), prova_lean_vm::VerifyError> {
    let program = Program::new(&vec![0; 128 << log_instructions]).unwrap();
    let layout = Layout::new(sizes, log_instructions).map_err(Failure::Malformed)?;
    let body = body(form, sizes, &layout);
    let proof = Proof::parse(form, &body)?;
    let summary = verify_with(Zeros, &program, &[0; 32], &proof)?;
    assert_eq!(summary.sizes, sizes);
    assert_eq!(summary.form, form);
    for shorter in [1, 8, 33] {
        assert!(Proof::parse(form, &body[..body.len() - shorter]).is_err());
    }
    Ok(())
}

fn shapes() -> impl Iterator<Item = (u32, Sizes)> {
    let mut random = 1_u64;
    let mut draw = move |low: u32, high: u32| {
        random = random
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        low + (random >> 40) as u32 % (high - low + 1)
    };
    let extremes = [
        // (instructions, memory, heights, rate)
        (0, 16, [0, 0, 0, 0, 0, 3], 1),
        (0, 25, [0, 0, 0, 0, 0, 3], 4),
        (10, 16, [0, 0, 0, 0, 0, 19], 2),
        (3, 16, [23, 0, 0, 0, 0, 3], 3),
        (3, 16, [0, 0, 24, 0, 0, 3], 1),
        (3, 16, [0, 0, 0, 0, 23, 3], 4),
        (14, 16, [1, 2, 3, 4, 5, 6], 2),
    ];
    let extremes = extremes.map(|(instructions, log_memory, log_heights, log_inv_rate)| {
        let sizes = Sizes {
            log_memory,
            log_heights,
            log_inv_rate,
        };
        (instructions, sizes)
    });
    let others = std::iter::repeat_with(move || {
        let sizes = Sizes {
            log_memory: draw(16, 25),
            log_heights: std::array::from_fn(|table| match table {
                5 => draw(3, 19),
                _ => draw(0, 22),
            }),
            log_inv_rate: draw(1, 4),
        };
        (draw(0, 12), sizes)
    });
    extremes.into_iter().chain(others.take(60))
}

#[test]
fn every_shape_is_read_to_its_end() {
    let (mut read, mut largest) = (0, 0);
    for (log_instructions, sizes) in shapes() {
        for form in [Form::Wire, Form::Raw] {
            match verdict(log_instructions, sizes, form) {
                Ok(()) => {
                    read += 1;
                    let layout = Layout::new(sizes, log_instructions).unwrap();
                    largest = largest.max(layout.variables);
                }
                Err(Failure::Malformed(Malformed::Size { got, .. })) => assert!(got > 28),
                Err(error) => panic!("2^{log_instructions} instructions, {sizes:?}: {error}"),
            }
        }
    }
    assert!(read >= 60, "{read}");
    assert_eq!(largest, 28);
}
