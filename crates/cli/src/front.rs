//! The one place that names the prover: everything the commands use of it.

pub use prova_whir_prover::{
    Estimate, GivenPoint, Observer, Options, Plan, ProveError, Proved, Request, Stage, StageTimes,
    Table, commit, estimate, prove,
};
