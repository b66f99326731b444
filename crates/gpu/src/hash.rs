//! Hashing of rows and nodes, and proof-of-work.

use crate::template::{List, templates};

pub(crate) const TEMPLATES: List = templates![];
