//! The one place that names the prover and its devices: everything the commands use of them.

pub use prova_gpu::{AdapterInfo, Cost, Ledger, Limits, list_adapters};
pub use prova_whir_gpu::{
    GpuEstimate, GpuMachine, GpuOptions, MemoryPlan, Mode, estimate as estimate_gpu,
};
pub use prova_whir_prover::{
    Committed, DeviceError, DeviceErrorKind, Estimate, GivenPoint, Observer, Options, Plan,
    ProveError, Proved, Request, Stage, StageTimes, Table, commit, estimate, prove,
};
