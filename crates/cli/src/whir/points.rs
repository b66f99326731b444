//! Opening points from a file.

use std::path::Path;

use prova_whir::{Params, Shape};
use serde::Deserialize;

use crate::error::Failure;
use crate::front::GivenPoint;

/// The file's form, for `--help`.
pub const FORM: &str = r#"POINTS FILE (--at)
  {"points": [{"columns": [0, 2], "at": [[1, 2, 3, 4, 5], 7, ...]}, ...]}

  `at` has one coordinate per variable, the highest index bit first. A coordinate is a list of as
  many canonical coefficients as the extension degree, lowest first, or one number for an element
  of the base field. `columns` may be left out to open all of them."#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsFile {
    points: Vec<PointEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointEntry {
    #[serde(default)]
    columns: Vec<usize>,
    at: Vec<Coordinate>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Coordinate {
    Base(u32),
    Extension(Vec<u32>),
}

/// Reads the points of `path` for a table of `shape`.
///
/// # Errors
/// A file that cannot be read or has another form, wrong numbers of coordinates or coefficients,
/// values that are not canonical, columns that do not exist or are not ascending.
pub fn read(path: &Path, params: &Params, shape: Shape) -> Result<Vec<GivenPoint>, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
    let wrong = |what: String| Failure::malformed(format_args!("{}: {what}", path.display()));
    let file: PointsFile =
        serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    if file.points.is_empty() || file.points.len() > usize::from(u16::MAX) {
        return Err(wrong(format!(
            "expected 1 to 65535 points, got {}",
            file.points.len()
        )));
    }
    let points = file.points.into_iter().enumerate();
    points
        .map(|(index, entry)| {
            given(entry, params, shape).map_err(|what| wrong(format!("point {index}: {what}")))
        })
        .collect()
}

fn given(entry: PointEntry, params: &Params, shape: Shape) -> Result<GivenPoint, String> {
    if entry.at.len() != shape.num_variables {
        return Err(format!(
            "expected {} coordinates, one per variable, got {}",
            shape.num_variables,
            entry.at.len()
        ));
    }
    let ascending = entry.columns.is_sorted_by(|a, b| a < b);
    if !ascending
        || entry
            .columns
            .last()
            .is_some_and(|&last| last >= shape.columns)
    {
        return Err(format!(
            "expected ascending columns below {}",
            shape.columns
        ));
    }
    let degree = params.extension_degree;
    let mut coordinates = Vec::with_capacity(degree * entry.at.len());
    for coordinate in entry.at {
        let coefficients = match coordinate {
            Coordinate::Base(value) => {
                let mut coefficients = vec![0; degree];
                coefficients[0] = value;
                coefficients
            }
            Coordinate::Extension(coefficients) => coefficients,
        };
        if coefficients.len() != degree {
            return Err(format!(
                "expected {degree} coefficients a coordinate, got {}",
                coefficients.len()
            ));
        }
        let modulus = params.field.modulus();
        if let Some(value) = coefficients.iter().find(|&&value| value >= modulus) {
            return Err(format!(
                "expected coefficients below {modulus}, got {value}"
            ));
        }
        coordinates.extend(coefficients);
    }
    Ok(GivenPoint {
        columns: entry.columns,
        coordinates,
    })
}
