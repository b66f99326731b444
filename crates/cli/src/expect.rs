//! Statements that a verifier expects.

use std::path::Path;

use prova_whir::{Points, Statement};
use serde::Deserialize;

use crate::error::Failure;
use crate::text::hex;

/// An expected statement: what is absent is not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    num_variables: Option<usize>,
    columns: Option<usize>,
    commitment: Option<String>,
    points: Option<String>,
    openings: Option<Vec<ExpectedOpening>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedOpening {
    columns: Option<Vec<usize>>,
    point: Option<Vec<Vec<u32>>>,
    values: Option<Vec<Vec<u32>>>,
}

/// Reads an expected statement: the object itself, or under the key `statement` of another.
///
/// # Errors
/// A file that cannot be read or has another form.
pub fn read(path: &Path) -> Result<Expected, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
    let wrong =
        |error: serde_json::Error| Failure::malformed(format_args!("{}: {error}", path.display()));
    let mut value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
    if let Some(inner) = value.get_mut("statement") {
        value = inner.take();
    }
    serde_json::from_value(value).map_err(wrong)
}

impl Expected {
    /// Compares; the error says where the statements differ first.
    ///
    /// # Errors
    /// The first difference.
    pub fn check(&self, statement: &Statement, degree: usize) -> Result<(), String> {
        let points = match statement.points {
            Points::Drawn => "drawn",
            Points::Given => "given",
        };
        let commitment = hex(&statement.commitment);
        let wanted = self
            .commitment
            .as_ref()
            .map(|text| text.trim_start_matches("0x").to_lowercase());
        same(
            "variables",
            self.num_variables.as_ref(),
            &statement.shape.num_variables,
        )?;
        same("columns", self.columns.as_ref(), &statement.shape.columns)?;
        same("commitment", wanted.as_ref(), &commitment)?;
        same("points", self.points.as_deref(), points)?;
        let Some(openings) = &self.openings else {
            return Ok(());
        };
        same(
            "number of openings",
            Some(&openings.len()),
            &statement.openings.len(),
        )?;
        for (index, (expected, got)) in openings.iter().zip(&statement.openings).enumerate() {
            let elements = |list: &[u32]| {
                list.chunks(degree.max(1))
                    .map(<[u32]>::to_vec)
                    .collect::<Vec<_>>()
            };
            let at = |what: &str| format!("opening {index}, {what}");
            same(&at("columns"), expected.columns.as_ref(), &got.columns)?;
            same(&at("point"), expected.point.as_ref(), &elements(&got.point))?;
            same(
                &at("values"),
                expected.values.as_ref(),
                &elements(&got.values),
            )?;
        }
        Ok(())
    }
}

fn same<T: PartialEq + std::fmt::Debug + ?Sized>(
    what: &str,
    expected: Option<&T>,
    got: &T,
) -> Result<(), String> {
    match expected {
        Some(expected) if expected != got => {
            Err(format!("{what}: expected {expected:?}, got {got:?}"))
        }
        _ => Ok(()),
    }
}
