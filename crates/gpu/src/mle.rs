//! Sumcheck tables: folding, binding, evaluation and weights.

use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates![];
