//! From Plonky3's proof to a file.

use alloc::vec::Vec;

use p3_baby_bear::BabyBear;
use p3_field::PrimeField32;
use p3_fri::FriProof;
use p3_uni_stark::{Commitments, OpenedValues};
use prova_hash::shape::{Keccak256, SoftKeccakF};
use prova_proof_file::{ProofFile, System};

use super::{HostError, Proof, push_cap, push_digest};
use crate::constraints::{Challenge, ext};
use crate::field::to_canonical;
use crate::key::{Key, VerifyingKey};
use crate::params::Shape;
use crate::tape::VERSION;

/// Writes a proof file out of Plonky3's proof and public values.
///
/// # Errors
///
/// [`HostError`], if a part has another length than the key asks for.
pub fn to_file(
    key: &VerifyingKey,
    proof: &Proof,
    public: &[BabyBear],
) -> Result<Vec<u8>, HostError> {
    let encoded = key.to_bytes();
    let digest = Key::parse(&encoded)?.digest(&Keccak256::<SoftKeccakF>::new());
    let shape = Shape::new(&key.params);
    length("public values", shape.public_values, public.len())?;
    length(
        "trace height",
        1usize.unbounded_shl(key.params.air.degree_bits),
        1usize << proof.degree_bits,
    )?;
    let mut body = Vec::new();
    write_commitments(&mut body, &shape, proof)?;
    write_opened(&mut body, &shape, &proof.opened_values)?;
    write_fri(&mut body, &shape, proof)?;
    let public: Vec<_> = public
        .iter()
        .map(|value| to_canonical(value.to_unique_u32()))
        .collect();
    let file = ProofFile {
        system: System::Stark,
        version: VERSION,
        params: bytemuck::bytes_of(&digest),
        statement: bytemuck::cast_slice(&public),
        body: bytemuck::cast_slice(&body),
    };
    Ok(file.to_bytes()?)
}

fn write_commitments(out: &mut Vec<u32>, shape: &Shape, proof: &Proof) -> Result<(), HostError> {
    let Commitments {
        trace,
        quotient_chunks,
        random: _,
    } = &proof.commitments;
    for cap in [trace, quotient_chunks] {
        length("commitment", shape.cap, cap.num_roots())?;
        push_cap(out, cap);
    }
    let caps = &proof.opening_proof.commit_phase_commits;
    length("rounds", shape.rounds.len(), caps.len())?;
    for (round, cap) in shape.rounds.iter().zip(caps) {
        length("commitment of a round", round.cap, cap.num_roots())?;
        push_cap(out, cap);
    }
    Ok(())
}

fn write_opened(
    out: &mut Vec<u32>,
    shape: &Shape,
    opened: &OpenedValues<Challenge>,
) -> Result<(), HostError> {
    let OpenedValues {
        trace_local,
        trace_next,
        preprocessed,
        quotient_chunks,
        random: _,
    } = opened;
    let air = &shape.params.air;
    let read = |width: usize, read: bool| if read { width } else { 0 };
    let next = trace_next.as_deref().unwrap_or_default();
    let (pre_local, pre_next) = preprocessed.as_ref().map_or((&[][..], &[][..]), |rows| {
        (&rows.local, rows.next.as_deref().unwrap_or_default())
    });
    for (values, expected) in [
        (&trace_local[..], shape.width),
        (next, read(shape.width, air.reads_next)),
        (pre_local, shape.preprocessed_width),
        (
            pre_next,
            read(shape.preprocessed_width, air.reads_preprocessed_next),
        ),
    ] {
        length("opened values", expected, values.len())?;
        push_exts(out, values);
    }
    length("parts of the quotient", shape.chunks, quotient_chunks.len())?;
    for part in quotient_chunks {
        length("part of the quotient", 4, part.len())?;
        push_exts(out, part);
    }
    Ok(())
}

fn write_fri(out: &mut Vec<u32>, shape: &Shape, proof: &Proof) -> Result<(), HostError> {
    let FriProof {
        batch_pow_witness,
        commit_phase_commits: _,
        commit_pow_witnesses,
        input_openings,
        commit_phase_openings,
        final_poly,
        query_pow_witness,
    } = &proof.opening_proof;
    push_bases(
        out,
        &[
            proof.ood_pow_witness,
            *batch_pow_witness,
            *query_pow_witness,
        ],
    );
    length(
        "nonces of rounds",
        shape.rounds.len(),
        commit_pow_witnesses.len(),
    )?;
    push_bases(out, commit_pow_witnesses);
    length("final polynomial", shape.final_poly_len, final_poly.len())?;
    push_exts(out, final_poly);

    length("input trees", shape.inputs(), input_openings.len())?;
    let widths = [
        shape.width,
        shape.quotient_width(),
        shape.preprocessed_width,
    ];
    for (opening, width) in input_openings.iter().zip(widths) {
        length("opened rows", shape.queries, opening.opened_values.len())?;
        for rows in &opening.opened_values {
            let row = rows.concat();
            length("opened row", width, row.len())?;
            push_bases(out, &row);
        }
    }
    length("rounds", shape.rounds.len(), commit_phase_openings.len())?;
    for (opening, round) in commit_phase_openings.iter().zip(&shape.rounds) {
        length("opened groups", shape.queries, opening.sibling_values.len())?;
        for group in &opening.sibling_values {
            length("opened group", round.arity().saturating_sub(1), group.len())?;
            push_exts(out, group);
        }
    }
    let trees: Vec<&[[u8; 32]]> = input_openings
        .iter()
        .map(|opening| &opening.opening_proof.sibling_hashes[..])
        .chain(
            commit_phase_openings
                .iter()
                .map(|opening| &opening.opening_proof.sibling_hashes[..]),
        )
        .collect();
    out.extend(
        trees
            .iter()
            .map(|tree| u32::try_from(tree.len()).unwrap_or(u32::MAX)),
    );
    for sibling in trees.into_iter().flatten() {
        push_digest(out, sibling);
    }
    Ok(())
}

fn push_exts(out: &mut Vec<u32>, values: &[Challenge]) {
    out.extend(values.iter().flat_map(ext));
}

fn push_bases(out: &mut Vec<u32>, values: &[BabyBear]) {
    out.extend(values.iter().map(PrimeField32::to_unique_u32));
}

/// Fails unless a part has the length that the key asks for.
fn length(what: &'static str, expected: usize, got: usize) -> Result<(), HostError> {
    if expected == got {
        return Ok(());
    }
    Err(HostError::Length {
        what,
        expected,
        got,
    })
}
