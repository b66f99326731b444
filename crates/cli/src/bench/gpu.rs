//! The devices of a benchmark, and where their time goes.

use rayon::ThreadPool;
use serde::Serialize;

use super::grid::Cell;
use super::measure::{Job, Stopped};
use super::sides::{Proof, Side};
use crate::device;
use crate::device::args::GpuArgs;
use crate::device::work::{self, KernelWork};
use crate::error::Failure;
use crate::front::{DeviceError, DeviceErrorKind, GpuMachine, Mode};
use crate::memsize::MemSize;

/// The GPU that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuHeader {
    /// Name of the adapter.
    pub adapter: String,
    /// Its API.
    pub api: String,
    /// Its kind.
    pub kind: String,
    /// Driver name and version.
    pub driver: String,
    /// Each mode, and how its kernels multiply.
    pub multiply: Vec<(&'static str, &'static str)>,
    /// Most bytes of device memory, if limited.
    pub max_bytes: Option<u64>,
}

impl GpuHeader {
    /// The modes, in the order of the command line.
    pub fn modes(&self) -> Vec<&str> {
        self.multiply.iter().map(|&(mode, _)| mode).collect()
    }

    /// One line.
    pub fn line(&self) -> String {
        let modes: Vec<String> = self
            .multiply
            .iter()
            .map(|(mode, multiply)| format!("{mode} {multiply}"))
            .collect();
        let memory = self.max_bytes.map_or(String::new(), |bytes| {
            format!(", at most {} of device memory", MemSize(bytes))
        });
        format!(
            "{} ({}, {}), driver {}; products by mode: {}{memory}",
            self.adapter,
            self.api,
            self.kind,
            self.driver,
            modes.join(", ")
        )
    }
}

/// One device a mode: none, if no GPU is measured.
#[derive(Debug)]
pub struct Devices<'a> {
    args: &'a GpuArgs,
    machines: Vec<GpuMachine>,
}

impl<'a> Devices<'a> {
    /// Opens the adapter once for each mode.
    ///
    /// # Errors
    /// Exit code 3.
    pub fn open(args: &'a GpuArgs, modes: &[Mode]) -> Result<Self, Failure> {
        let machines = modes
            .iter()
            .map(|&mode| GpuMachine::open(&args.options(mode, false)))
            .collect::<Result<_, _>>()
            .map_err(|error| device::failure(&error, false))?;
        Ok(Self { args, machines })
    }

    /// The open devices.
    pub fn machines(&self) -> &[GpuMachine] {
        &self.machines
    }

    /// What the results say about them.
    pub fn header(&self) -> Option<GpuHeader> {
        let info = self.machines.first()?.info();
        let multiply = self.machines.iter();
        Some(GpuHeader {
            adapter: info.name.clone(),
            api: info.backend.clone(),
            kind: info.kind.clone(),
            driver: info.driver.clone(),
            multiply: multiply
                .map(|machine| (machine.mode().name(), machine.multiply().name()))
                .collect(),
            max_bytes: self.args.gpu_max_bytes.map(|size| size.0),
        })
    }

    /// Opens a lost device again. If that fails it stays as it is, and the next run says so.
    pub fn failed(&mut self, mode: Mode, error: &DeviceError) {
        if error.kind != DeviceErrorKind::Lost {
            return;
        }
        let lost = self.machines.iter_mut().find(|m| m.mode() == mode);
        if let Some((lost, open)) = lost.zip(GpuMachine::open(&self.args.options(mode, false)).ok())
        {
            *lost = open;
        }
    }
}

/// Where the time of one run went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelProfile {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Threads of the host.
    pub threads: usize,
    /// The mode.
    pub mode: &'static str,
    /// Commit and open of this run, which timing every dispatch slows down.
    pub total_ms: f64,
    /// Command buffers handed to the queue.
    pub submissions: u64,
    /// Times the host waited.
    pub waits: u64,
    /// Bytes to the device.
    pub uploaded_bytes: u64,
    /// Bytes to the host.
    pub read_back_bytes: u64,
    /// Every kernel.
    pub kernels: Vec<KernelWork>,
}

impl KernelProfile {
    /// A number summed over all kernels.
    pub fn total(&self, number: fn(&KernelWork) -> u64) -> u64 {
        self.kernels.iter().map(number).sum()
    }

    /// Device time of all kernels in milliseconds; `-` where nothing was timed.
    pub fn device_ms(&self) -> String {
        let times: Vec<f64> = self.kernels.iter().filter_map(|k| k.time_ms).collect();
        if times.is_empty() {
            return "-".to_string();
        }
        format!("{:.3}", times.iter().sum::<f64>())
    }
}

/// What profiling a mode gives.
#[derive(Debug, Default)]
pub struct Profiled {
    /// One profile a cell.
    pub profiles: Vec<KernelProfile>,
    /// Cells in which the device failed, and how.
    pub skipped: Vec<(Cell, String)>,
    /// Proofs that were wrong.
    pub defects: Vec<String>,
}

/// Runs every job in a mode on a device that times its dispatches, after a run for warming up.
/// The proofs are verified and compared like all others. Cells that the mode did not do before are
/// left out.
///
/// # Errors
/// A signal, or a device that cannot be opened again.
pub fn profile(
    args: &GpuArgs,
    mode: Mode,
    jobs: &mut [(Job, Option<Proof>)],
    pool: &ThreadPool,
    done: impl Fn(Cell) -> bool,
) -> Result<Profiled, Failure> {
    let machine = GpuMachine::open(&args.options(mode, true))
        .map_err(|error| device::failure(&error, false))?;
    let mut found = Profiled::default();
    for (job, reference) in jobs.iter_mut().filter(|(job, _)| done(job.cell)) {
        let mut run = || {
            job.run_once(pool, Side::Gpu(&machine), reference)?;
            // The warm-up's work is not this run's.
            let _ = machine.gpu().take_ledger();
            job.run_once(pool, Side::Gpu(&machine), reference)
        };
        match run() {
            Ok(run) => {
                let ledger = machine.gpu().take_ledger();
                found.profiles.push(KernelProfile {
                    cell: job.cell,
                    threads: pool.current_num_threads(),
                    mode: mode.name(),
                    total_ms: (run.commit + run.open).as_secs_f64() * 1e3,
                    submissions: ledger.submissions,
                    waits: ledger.waits,
                    uploaded_bytes: ledger.uploaded,
                    read_back_bytes: ledger.read_back,
                    kernels: work::kernels(&ledger),
                });
            }
            Err(Stopped::Failed(failure)) => return Err(failure),
            Err(Stopped::Defect(defect)) => found.defects.push(defect),
            Err(Stopped::Skip(reason)) => found.skipped.push((job.cell, reason)),
            Err(Stopped::Device(error)) => {
                let reason = format!("profile of mode {mode}: {}", device::reason(&error));
                found.skipped.push((job.cell, reason));
            }
        }
    }
    Ok(found)
}
