//! The WHIR prover.
//!
//! One loop ([`rounds`]) over a coarse [`Backend`] seam; [`pcs`] puts it behind Plonky3's
//! commitment traits, [`front`] behind run-time parameters. The proofs are `p3-whir`'s own types,
//! and the stock verifier accepts them.

pub mod backend;
pub mod cpu;
pub mod error;
pub mod estimate;
pub mod front;
pub mod layout;
pub mod machine;
pub mod observer;
pub mod pcs;
pub mod plan;
pub mod reference;
pub mod rounds;
pub mod stock;
pub mod suite;

pub use backend::Backend;
pub use error::{BackendError, DeviceError, DeviceErrorKind};
pub use estimate::{Estimate, RoundEstimate, estimate};
pub use front::{
    Committed, GivenPoint, Options, ProveError, Proved, Request, Table, commit, commit_on, prove,
    prove_on,
};
pub use machine::{CpuMachine, Job, Machine, Prepared};
pub use observer::{Cancelled, Observer, Stage, StageTimes, Unobserved};
pub use pcs::WhirPcs;
pub use plan::Plan;
pub use suite::ProverSuite;
