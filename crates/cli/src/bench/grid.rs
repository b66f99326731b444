//! The cells of a benchmark: polynomial size, folding factor and rate.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::Serialize;

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Variables; the polynomial has `2^vars` coefficients.
    pub vars: usize,
    /// Variables folded each round.
    pub fold: usize,
    /// `log2` of the inverse rate of the first code.
    pub rate: usize,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.vars, self.fold, self.rate)
    }
}

impl FromStr for Cell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("expected VARS,FOLD,RATE such as 20,4,1, got {text:?}");
        let numbers: Vec<usize> = text
            .split(',')
            .map(|number| number.trim().parse())
            .collect::<Result<_, _>>()
            .map_err(|_| error())?;
        match numbers[..] {
            [vars @ 0..=40, fold @ 1..=10, rate @ 1..=27] => Ok(Self { vars, fold, rate }),
            [_, _, _] => Err(format!(
                "expected VARS 0 to 40, FOLD 1 to 10 and RATE 1 to 27, got {text:?}"
            )),
            _ => Err(error()),
        }
    }
}

/// A named set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Grid {
    /// A handful of small cells.
    Quick,
    /// The 29 cells of the published Apple-silicon benchmark.
    Apple,
    /// Cells of rate 1/32 and 1/64.
    HighRate,
}

impl Grid {
    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Apple => "apple",
            Self::HighRate => "high-rate",
        }
    }

    /// The cells, in the order they are run.
    pub fn cells(self) -> Vec<Cell> {
        match self {
            Self::Quick => list(&[(16, 1, 1), (16, 4, 1), (18, 2, 1), (18, 4, 2), (20, 4, 1)]),
            Self::Apple => {
                let mut cells = product(20, &[1, 2, 4], &[1, 2, 3]);
                cells.extend(product(22, &[1, 2, 3, 4, 6], &[1, 2, 3]));
                cells.extend(product(24, &[1, 2, 3, 4, 6], &[1]));
                cells
            }
            Self::HighRate => {
                let mut cells = product(22, &[1, 2, 3, 4], &[5]);
                cells.extend(list(&[(22, 1, 6), (22, 2, 6), (22, 6, 5)]));
                cells
            }
        }
    }
}

fn list(cells: &[(usize, usize, usize)]) -> Vec<Cell> {
    cells
        .iter()
        .map(|&(vars, fold, rate)| Cell { vars, fold, rate })
        .collect()
}

fn product(vars: usize, folds: &[usize], rates: &[usize]) -> Vec<Cell> {
    let pairs = folds
        .iter()
        .flat_map(|&fold| rates.iter().map(move |&rate| (fold, rate)));
    pairs
        .map(|(fold, rate)| Cell { vars, fold, rate })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_grid_has_29_cells() {
        let cells = Grid::Apple.cells();
        assert_eq!(cells.len(), 29);
        for (vars, count) in [(20, 9), (22, 15), (24, 5)] {
            assert_eq!(cells.iter().filter(|cell| cell.vars == vars).count(), count);
        }
        assert!(cells.contains(&Cell {
            vars: 24,
            fold: 3,
            rate: 1
        }));
    }

    #[test]
    fn grids_have_no_cell_twice() {
        for grid in Grid::value_variants() {
            let cells = grid.cells();
            for (index, cell) in cells.iter().enumerate() {
                assert!(!cells[..index].contains(cell), "{} {cell}", grid.name());
            }
        }
        assert_eq!(Grid::HighRate.cells().len(), 7);
    }

    #[test]
    fn cells_are_read_as_they_are_shown() {
        let cell = Cell {
            vars: 22,
            fold: 4,
            rate: 1,
        };
        assert_eq!(cell.to_string().parse(), Ok(cell));
        for text in [
            "", "22", "22,4", "22,4,1,1", "22,0,1", "41,1,1", "a,1,1", "22,4,0",
        ] {
            assert!(text.parse::<Cell>().is_err(), "{text}");
        }
    }
}
