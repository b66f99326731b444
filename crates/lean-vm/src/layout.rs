//! Announced sizes, and where columns and bus blocks lie.

use alloc::vec::Vec;

use prova_binary_pcs::Malformed;
use prova_binary_pcs::opening::Commitment;
use prova_binary_pcs::params::{LEAST_VARIABLES, MOST_LOG_INV_RATE, MOST_VARIABLES};
use prova_binary_pcs::stack::{Placement, Stack};
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;
use prova_proof_file::TapeError;

use crate::tables::{PACKED, PACKED_SLOTS, TABLES, Table};

/// Logarithm of the packed words of one BLAKE2s compression.
pub const LOG_BLOCK_WORDS: u32 = 8;

/// Columns that belong to no table: three memory lanes, the memory's final counters, the bytecode's,
/// and the packed BLAKE2s witness.
pub const GLOBALS: usize = 6;

/// The sizes that a proof announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Logarithm of the number of memory cells, 16 to 32.
    pub log_memory: u32,
    /// Logarithms of the tables' heights, at most 32, that of BLAKE2s at least 3.
    pub log_heights: [u32; TABLES],
    /// Logarithm of the inverse rate of the commitment, 1 to 4.
    pub log_inv_rate: u32,
}

impl Sizes {
    /// Reads the sizes, the first scalars of a proof.
    ///
    /// # Errors
    /// A size out of range or that is not an integer.
    pub fn read<T: Transcript>(channel: &mut Channel<'_, T>) -> Result<Self, TapeError> {
        let log_memory = channel.read_integer(16..=32, "a memory of 2^16 to 2^32 cells")?;
        let mut log_heights = [0; TABLES];
        for (height, table) in log_heights.iter_mut().zip(Table::ALL) {
            *height = match table {
                Table::Blake2s => {
                    channel.read_integer(3..=32, "a BLAKE2S table of 2^3 to 2^32 rows")?
                }
                _ => channel.read_integer(0..=32, "a table of 1 to 2^32 rows")?,
            };
        }
        let expected = "a log inverse rate of 1 to 4";
        Ok(Self {
            log_memory,
            log_heights,
            log_inv_rate: channel.read_integer(1..=MOST_LOG_INV_RATE, expected)?,
        })
    }

    /// The height of the highest table, as a logarithm.
    #[must_use]
    pub fn most_height(&self) -> u32 {
        self.log_heights.iter().copied().max().unwrap_or(0)
    }

    /// The tables with their heights.
    pub fn tables(&self) -> impl Iterator<Item = (Table, u32)> {
        Table::ALL.into_iter().zip(self.log_heights)
    }

    /// The height of the BLAKE2s table, as a logarithm.
    #[must_use]
    pub const fn log_compressions(&self) -> u32 {
        let [.., log_compressions] = self.log_heights;
        log_compressions
    }
}

/// Where a table's column is found in the committed polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnPlace {
    /// It is a block of its own.
    Committed(Placement),
    /// It is the word at this slot of every block of the packed BLAKE2s witness.
    Packed {
        /// The slot.
        slot: u64,
    },
}

/// Blocks of one table on a bus cube.
pub type TableBlocks = [Vec<Placement>; TABLES];

/// Everything derived from the sizes.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The announced sizes.
    pub sizes: Sizes,
    /// Logarithm of the number of instructions.
    pub log_instructions: u32,
    /// Placements of the [`GLOBALS`].
    pub globals: [Placement; GLOBALS],
    /// Places of the tables' columns.
    pub columns: [Vec<ColumnPlace>; TABLES],
    /// Words of all committed columns.
    pub total: u64,
    /// Variables of the committed polynomial.
    pub variables: usize,
    /// Lanes of the commitment that hold words.
    pub lanes: usize,
    /// Blocks of boundary, memory and bytecode on the push and pull cubes.
    pub framework: [Placement; 3],
    /// Blocks of the tables on the push and pull cubes, one a flush.
    pub flushes: TableBlocks,
    /// Blocks of the tables on the cube of counters, one a counter.
    pub counters: TableBlocks,
    /// Variables of the three cubes.
    pub bus_variables: usize,
}

impl Layout {
    /// Derives the layout for a program of `2^log_instructions` instructions.
    ///
    /// # Errors
    /// [`Malformed::Size`] when the committed polynomial has more variables than are supported.
    pub fn new(sizes: Sizes, log_instructions: u32) -> Result<Self, Malformed> {
        let too_large = |got| Malformed::Size {
            what: "a committed polynomial in variables",
            least: u64::try_from(LEAST_VARIABLES).unwrap_or(0),
            most: u64::try_from(MOST_VARIABLES).unwrap_or(0),
            got,
        };
        let layout = Self::place(sizes, log_instructions).ok_or_else(|| too_large(u64::MAX))?;
        if layout.variables > MOST_VARIABLES {
            return Err(too_large(
                u64::try_from(layout.variables).unwrap_or(u64::MAX),
            ));
        }
        Ok(layout)
    }

    /// `None` when a number of words does not fit 64 bits.
    fn place(sizes: Sizes, log_instructions: u32) -> Option<Self> {
        let h = sizes.log_memory;
        let log_packed = sizes.log_compressions().checked_add(LOG_BLOCK_WORDS)?;
        let mut columns = Vec::from([h, h, h, h, log_instructions, log_packed]);
        let mut flushes = Vec::from([0, h, log_instructions]);
        let mut counters = Vec::new();
        for (table, height) in sizes.tables() {
            columns.extend(core::iter::repeat_n(height, committed(table)));
            flushes.extend(core::iter::repeat_n(height, table.flushes()));
            counters.extend(core::iter::repeat_n(height, table.counters()));
        }
        let (columns, flushes, counters) = (
            Stack::new(&columns)?,
            Stack::new(&flushes)?,
            Stack::new(&counters)?,
        );

        let variables = usize::try_from(columns.variables())
            .ok()?
            .max(LEAST_VARIABLES);
        let (globals, columns_placed) = columns.placements.split_first_chunk()?;
        let (framework, flushes_placed) = flushes.placements.split_first_chunk()?;
        Some(Self {
            sizes,
            log_instructions,
            globals: *globals,
            columns: column_places(columns_placed)?,
            total: columns.total,
            variables,
            lanes: Commitment::lanes_for(columns.total, variables),
            framework: *framework,
            flushes: split(flushes_placed, Table::flushes)?,
            counters: split(&counters.placements, Table::counters)?,
            bus_variables: usize::try_from(flushes.variables()).ok()?,
        })
    }

    /// Variables of a memory column.
    #[must_use]
    pub fn memory_variables(&self) -> usize {
        usize::try_from(self.sizes.log_memory).unwrap_or(usize::MAX)
    }

    /// Variables of a bytecode column.
    #[must_use]
    pub fn bytecode_variables(&self) -> usize {
        usize::try_from(self.log_instructions).unwrap_or(usize::MAX)
    }

    /// Placement of the packed BLAKE2s witness.
    #[must_use]
    pub const fn packed(&self) -> Placement {
        let [.., packed] = self.globals;
        packed
    }
}

/// Columns of a table that are committed.
const fn committed(table: Table) -> usize {
    match table {
        Table::Blake2s => table.columns() - PACKED_SLOTS.len(),
        _ => table.columns(),
    }
}

/// Cuts a list of placements into the tables' pieces.
fn split(placements: &[Placement], count: impl Fn(Table) -> usize) -> Option<TableBlocks> {
    let mut rest = placements;
    let mut pieces = TableBlocks::default();
    for (piece, table) in pieces.iter_mut().zip(Table::ALL) {
        let (head, tail) = rest.split_at_checked(count(table))?;
        *piece = head.to_vec();
        rest = tail;
    }
    Some(pieces)
}

fn column_places(placements: &[Placement]) -> Option<[Vec<ColumnPlace>; TABLES]> {
    let committed = split(placements, committed)?;
    let mut places = committed.map(|columns| {
        let columns = columns.into_iter().map(ColumnPlace::Committed);
        columns.collect::<Vec<_>>()
    });
    let [.., blake2s] = &mut places;
    let packed = PACKED_SLOTS.map(|slot| ColumnPlace::Packed { slot });
    blake2s.splice(PACKED.start..PACKED.start, packed);
    Some(places)
}
