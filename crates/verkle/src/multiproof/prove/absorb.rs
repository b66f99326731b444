//! Absorption of the openings.

use alloc::vec;

use crate::field::Fr;
use crate::transcript::Transcript;

use super::parallel::{for_each_chunk, join};
use super::{Opening, Polynomial};

/// `C` ‖ commitment ‖ `z` ‖ point ‖ `y` ‖ value.
const RECORD: usize = 3 * (1 + 32);
/// Openings whose records are in memory at a time, twice.
const BLOCK: usize = 2048;
/// Records that one task writes.
const TASK: usize = 128;

type Records = [[u8; RECORD]];

/// Appends commitment, point and value of every opening. A value given by bytes is appended as it
/// is: whether it is canonical is seen when the polynomials are added.
pub(super) fn absorb(transcript: &mut Transcript, openings: &[Opening<'_>]) {
    let (first, rest) = openings.split_at(openings.len().min(BLOCK));
    let mut current = vec![[0; RECORD]; first.len()];
    let mut next = vec![[0; RECORD]; rest.len().min(BLOCK)];
    fill(&mut current, first);
    let mut filled = first.len();
    // One block is hashed while the next is written.
    for block in rest.chunks(BLOCK) {
        join(
            || transcript.append_raw(current[..filled].as_flattened()),
            || fill(&mut next, block),
        );
        filled = block.len();
        core::mem::swap(&mut current, &mut next);
    }
    transcript.append_raw(current[..filled].as_flattened());
}

/// Writes the records of openings, of which there may be fewer than room.
fn fill(records: &mut Records, openings: &[Opening<'_>]) {
    for_each_chunk(&mut records[..openings.len()], TASK, |task, records| {
        for (record, opening) in records.iter_mut().zip(&openings[TASK * task..]) {
            write(record, opening);
        }
    });
}

fn write(record: &mut [u8; RECORD], opening: &Opening<'_>) {
    let (fields, _) = record.as_chunks_mut::<33>();
    let mut point = [0; 32];
    point[0] = opening.point;
    let messages = [
        (b'C', *opening.commitment.as_bytes()),
        (b'z', point),
        (b'y', value(opening)),
    ];
    for ([field_label, field @ ..], (label, message)) in fields.iter_mut().zip(messages) {
        *field_label = label;
        *field = message;
    }
}

fn value(opening: &Opening<'_>) -> [u8; 32] {
    let point = usize::from(opening.point);
    match opening.polynomial {
        Polynomial::Dense(values) => values[point].to_le_bytes(),
        Polynomial::Bytes(bytes) => bytes.as_chunks::<32>().0[point],
        Polynomial::Sparse(pairs) => pairs
            .iter()
            .filter(|(position, _)| *position == opening.point)
            .map(|(_, value)| *value)
            .sum::<Fr>()
            .to_le_bytes(),
    }
}
