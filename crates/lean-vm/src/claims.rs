//! The public input, and the list of all claims about single columns.

use alloc::vec;
use alloc::vec::Vec;

use prova_binary_pcs::field::{E, PrimeCharacteristicRing, Y};
use prova_binary_pcs::poly::bit_coordinates;
use prova_binary_pcs::stack::{Placement, PointClaim};
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::{Transcript, halves};

use crate::bus::FrameworkValues;
use crate::error::{Outcome, Rejection, reject};
use crate::layout::{ColumnPlace, LOG_BLOCK_WORDS, Layout};
use crate::table_sumcheck::TableClaims;

/// Claims about the memory lanes on the line through the first two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicClaims {
    /// The lowest coordinate; the others are zero.
    pub coordinate: E,
    /// The three lanes there.
    pub memory: [E; 3],
}

/// Verifies that the first two memory cells hold the halves of the public input.
///
/// # Errors
/// Too few scalars; [`Rejection::PublicInput`].
pub fn public_input<T: Transcript>(
    channel: &mut Channel<'_, T>,
    public_input: &[u8; 32],
) -> Outcome<PublicClaims> {
    let coordinate = channel.sample();
    let memory @ [lane0, lane1, lane2] = channel.read_array()?;
    let [cell0, cell1] = halves(public_input);
    let line = cell0 + coordinate * (cell0 + cell1);
    if lane0 + Y * (lane1 + Y * lane2) != line {
        return reject(Rejection::PublicInput);
    }
    Ok(PublicClaims { coordinate, memory })
}

/// All claims about single columns, lifted to the committed polynomial, in the order of their
/// batching: framework at `zeta`, the tables' columns, memory lanes on the public line.
#[must_use]
pub fn collect(
    layout: &Layout,
    zeta: &[E],
    framework: &FrameworkValues,
    tables: &TableClaims,
    public: &PublicClaims,
) -> Vec<PointClaim> {
    let mut claims = Claims {
        layout,
        list: Vec::new(),
    };
    let [lanes @ .., memory_final, bytecode_final, _packed] = layout.globals;
    let cell = cut(zeta, layout.memory_variables());
    let instruction = cut(zeta, layout.bytecode_variables());
    for (lane, value) in lanes.into_iter().zip(framework.memory) {
        claims.committed(lane, cell, value);
    }
    claims.committed(memory_final, cell, framework.memory_final);
    claims.committed(bytecode_final, instruction, framework.bytecode_final);

    let heights = layout.sizes.log_heights;
    for ((places, columns), height) in layout.columns.iter().zip(&tables.columns).zip(heights) {
        let row = cut(&tables.point, usize::try_from(height).unwrap_or(usize::MAX));
        for (place, &value) in places.iter().zip(columns.as_slice()) {
            claims.column(*place, row, value);
        }
    }

    let mut line = vec![E::ZERO; layout.memory_variables()];
    if let Some(lowest) = line.first_mut() {
        *lowest = public.coordinate;
    }
    for (lane, value) in lanes.into_iter().zip(public.memory) {
        claims.committed(lane, &line, value);
    }
    claims.list
}

struct Claims<'a> {
    layout: &'a Layout,
    list: Vec<PointClaim>,
}

impl Claims<'_> {
    fn committed(&mut self, placement: Placement, point: &[E], value: E) {
        let point = placement.lift(point, self.layout.variables);
        self.list.push(PointClaim { point, value });
    }

    fn column(&mut self, place: ColumnPlace, row: &[E], value: E) {
        match place {
            ColumnPlace::Committed(placement) => self.committed(placement, row, value),
            ColumnPlace::Packed { slot } => {
                let slot = bit_coordinates(slot, usize::try_from(LOG_BLOCK_WORDS).unwrap_or(0));
                let word: Vec<E> = slot.chain(row.iter().copied()).collect();
                self.committed(self.layout.packed(), &word, value);
            }
        }
    }
}

fn cut(point: &[E], variables: usize) -> &[E] {
    point.get(..variables).unwrap_or_default()
}
