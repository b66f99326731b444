//! Parameters, statements and security reports, as text and as JSON.

use prova_whir::derive::ConfigError;
use prova_whir::security::{self, Report};
use prova_whir::{Folding, Params, Points, Shape, Statement, with_suite};
use serde_json::{Value, json};

use crate::front::Plan;
use crate::memsize::MemSize;
use crate::params_args::{FoldArg, comma_list};
use crate::text::{count, hex, thousands};

/// Opened values are printed up to this many; JSON has them all.
const MANY_VALUES: usize = 16;

/// One line: field, hash, folding, rates.
pub fn params_line(params: &Params) -> String {
    let later = match params.round_log_inv_rates.as_slice() {
        [] => String::new(),
        rates => format!(", then {}", comma_list(rates)),
    };
    format!(
        "{}^{}, {}, {} order, fold {}, log inverse rate {}{later}",
        params.field,
        params.extension_degree,
        params.hash,
        params.order,
        FoldArg(params.folding.clone()),
        params.log_inv_rate,
    )
}

/// One line: target, union bound, regime (with CONJECTURE where it is one), proof-of-work.
pub fn security_line(params: &Params, report: &Report) -> String {
    format!(
        "{} bits a term, {:.1} bits all terms together, {}, proof-of-work up to {} bits",
        params.security_bits,
        report.union_bits,
        params.regime.description(),
        params.pow_bits,
    )
}

/// One line: columns, values a column, stacked size.
pub fn shape_line(shape: Shape) -> String {
    format!(
        "{} of 2^{} values (2^{} stacked)",
        count(shape.columns, "column", "columns"),
        shape.num_variables,
        shape.stacked_variables()
    )
}

/// One line: how many points and who chose them.
pub fn openings_line(statement: &Statement) -> String {
    let values: usize = statement
        .openings
        .iter()
        .map(|opening| opening.columns.len())
        .sum();
    format!(
        "{} {}, {}",
        count(statement.openings.len(), "point", "points"),
        points_name(statement.points),
        count(values, "value", "values"),
    )
}

const fn points_name(points: Points) -> &'static str {
    match points {
        Points::Drawn => "drawn",
        Points::Given => "given",
    }
}

/// The opened values, unless they are many.
pub fn values_text(statement: &Statement, degree: usize) -> String {
    let total: usize = statement
        .openings
        .iter()
        .map(|opening| opening.columns.len())
        .sum();
    if total > MANY_VALUES {
        return format!("{} (shown with --json)", thousands(total as u64));
    }
    let mut lines = Vec::new();
    for (index, opening) in statement.openings.iter().enumerate() {
        for (column, value) in opening
            .columns
            .iter()
            .zip(opening.values.chunks(degree.max(1)))
        {
            lines.push(format!("point {index}, column {column}: [{}]", join(value)));
        }
    }
    lines.join("\n")
}

fn join(coefficients: &[u32]) -> String {
    coefficients
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The security report of a statement; `openings` claims every opened column.
///
/// # Errors
/// Parameters that do not fit the statement.
pub fn security(params: &Params, statement: &Statement) -> Result<Report, ConfigError> {
    let claims = statement
        .openings
        .iter()
        .map(|opening| opening.columns.len())
        .sum();
    let degree = params.extension_degree;
    with_suite!(params, S => {
        let config = params.config::<S>(statement.shape, claims)?;
        Ok(security::report::<S>(params, &config, claims))
    }, else Err(ConfigError::NoSuite { degree }))
}

/// Parameters as JSON.
pub fn params_json(params: &Params) -> Value {
    json!({
        "field": params.field.name(),
        "extension_degree": params.extension_degree,
        "hash": params.hash.name(),
        "order": params.order.name(),
        "regime": params.regime.name(),
        "regime_description": params.regime.description(),
        "conjecture": params.regime.is_conjecture(),
        "security_bits": params.security_bits,
        "pow_bits": params.pow_bits,
        "log_inv_rate": params.log_inv_rate,
        "folding": match &params.folding {
            Folding::Constant(fold) => json!(fold),
            Folding::PerRound(list) => json!(list),
        },
        "round_log_inv_rates": params.round_log_inv_rates,
    })
}

/// A shape as JSON.
pub fn shape_json(shape: Shape) -> Value {
    json!({
        "num_variables": shape.num_variables,
        "columns": shape.columns,
        "stacked_variables": shape.stacked_variables(),
    })
}

/// A statement as JSON: what `prova verify --statement` compares with.
pub fn statement_json(statement: &Statement, degree: usize) -> Value {
    let elements = |list: &[u32]| {
        list.chunks(degree.max(1))
            .map(<[u32]>::to_vec)
            .collect::<Vec<_>>()
    };
    let openings: Vec<Value> = statement
        .openings
        .iter()
        .map(|opening| {
            json!({
                "columns": opening.columns,
                "point": elements(&opening.point),
                "values": elements(&opening.values),
            })
        })
        .collect();
    json!({
        "num_variables": statement.shape.num_variables,
        "columns": statement.shape.columns,
        "commitment": hex(&statement.commitment),
        "points": points_name(statement.points),
        "openings": openings,
    })
}

/// A security report as JSON.
pub fn security_json(params: &Params, report: &Report) -> Value {
    let terms: Vec<Value> = report
        .terms
        .iter()
        .map(|term| {
            json!({
                "name": term.name,
                "bits": term.bits(),
                "algebraic_bits": term.algebraic_bits,
                "pow_bits": term.pow_bits,
                "times": term.times,
            })
        })
        .collect();
    json!({
        "target_bits": params.security_bits,
        "union_bits": report.union_bits,
        "regime": params.regime.name(),
        "conjecture": params.regime.is_conjecture(),
        "terms": terms,
    })
}

/// The terms of a security report as a table.
pub fn security_table(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .terms
        .iter()
        .map(|term| {
            vec![
                term.name.clone(),
                format!("{:.1}", term.bits()),
                format!("{:.1}", term.algebraic_bits),
                term.pow_bits.to_string(),
                term.times.to_string(),
            ]
        })
        .collect();
    crate::text::table(&["error term", "bits", "algebraic", "work", "times"], &rows)
}

/// One line: the memory plan of a run.
pub fn plan_line(plan: &Plan) -> String {
    format!("{}, peak {}", plan.describe(), MemSize(plan.peak_bytes))
}

/// The memory plan as JSON.
pub fn plan_json(plan: &Plan) -> Value {
    json!({
        "description": plan.describe(),
        "keep_codeword": plan.keep_codeword,
        "peak_bytes": plan.peak_bytes,
    })
}
