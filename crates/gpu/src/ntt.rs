//! Transforms: Reed-Solomon encoding coset by coset.

use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates![];
