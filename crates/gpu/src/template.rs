//! WGSL from templates: one text an operation, specialised by field, degree and width.

use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior};

use crate::field::{Extension, Field, Multiply};

/// Templates by their path below `kernels/`.
macro_rules! templates {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $path)))),*]
    };
}
pub(crate) use templates;

/// A list of templates: path and text.
pub(crate) type List = &'static [(&'static str, &'static str)];

const FIELD: List = templates![
    "field/base.wgsl",
    "field/ext.wgsl",
    "field/grid.wgsl",
    "field/chain.wgsl"
];

/// Every family's templates.
const FAMILIES: [List; 5] = [
    FIELD,
    crate::gather::TEMPLATES,
    crate::ntt::TEMPLATES,
    crate::hash::TEMPLATES,
    crate::mle::TEMPLATES,
];

/// Renders templates for one field, challenge extension and multiplication.
///
/// Templates see: `p` (modulus), `p_high` (`(p - 1) / 2^16`), `p_inverse` (`p^-1 mod 2^32`),
/// `half` (`(p + 1) / 2`), `one` (1 in Montgomery form), `multiply` (`m16`, `u64` or `native`),
/// `degree`, `reduction` (the coefficients of `x^degree`, as `"0"`, `"1"`, `"-1"` or a Montgomery
/// word), `limbs` (member names of an extension element), `ext_array` (type of a storage array of
/// extension elements) and the functions `load(array, index)` and `store(array, index, value)` for
/// such arrays; and whatever a caller adds.
#[derive(Debug)]
pub struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    /// Templates specialised to a field.
    #[must_use]
    pub fn new(field: &Field, extension: &Extension, multiply: Multiply) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        for (name, source) in FAMILIES.iter().copied().flatten() {
            environment
                .add_template(name, source)
                .expect("templates parse: a test renders each");
        }
        let degree = extension.degree();
        let limbs = &["x", "y", "z", "w", "v"][..degree];
        environment.add_global("p", field.modulus);
        environment.add_global("p_high", field.modulus >> 16);
        environment.add_global("p_inverse", field.inverse);
        environment.add_global("half", field.modulus.div_ceil(2));
        environment.add_global("one", field.one);
        environment.add_global("multiply", multiply.name());
        environment.add_global("degree", degree);
        environment.add_global("reduction", extension.reduction_terms(field));
        environment.add_global("limbs", Value::from_serialize(limbs));
        let vector = degree == 4;
        environment.add_global(
            "ext_array",
            if vector {
                "array<vec4<u32>>"
            } else {
                "array<u32>"
            },
        );
        environment.add_function("load", move |array: &str, index: &str| {
            if vector {
                return format!("{array}[{index}]");
            }
            let words: Vec<_> = (0..degree)
                .map(|d| format!("{array}[{degree}u * ({index}) + {d}u]"))
                .collect();
            format!("Ext({})", words.join(", "))
        });
        let names: Vec<&str> = limbs.to_vec();
        environment.add_function("store", move |array: &str, index: &str, value: &str| {
            if vector {
                return format!("{array}[{index}] = {value};");
            }
            names
                .iter()
                .enumerate()
                .map(|(d, limb)| format!("{array}[{degree}u * ({index}) + {d}u] = {value}.{limb};"))
                .collect::<Vec<_>>()
                .join(" ")
        });
        Self { environment }
    }

    /// The text of `template` with further variables.
    ///
    /// # Panics
    /// If there is no such template or a variable is missing: a defect of this crate.
    #[must_use]
    pub fn render(&self, template: &str, variables: Value) -> String {
        self.environment
            .get_template(template)
            .and_then(|template| template.render(variables))
            .unwrap_or_else(|error| panic!("template {template}: {error:#}"))
    }

    /// Names of all templates.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FAMILIES.into_iter().flatten().map(|(name, _)| *name)
    }
}
