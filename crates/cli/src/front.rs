//! The one place that names the prover: everything the commands use of it.

pub use crate::stub::observer::{Observer, Stage, StageTimes};
pub use crate::stub::{
    Estimate, GivenPoint, Options, Plan, ProveError, Proved, Request, Table, commit, estimate, prove,
};
