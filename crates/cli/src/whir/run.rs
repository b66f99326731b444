//! A run on the machine that was chosen, and on the CPU when that fails and may.

use std::time::{Duration, Instant};

use crate::device;
use crate::device::args::Backend;
use crate::device::choice::Chosen;
use crate::device::report::Device;
use crate::error::Failure;
use crate::front::{self, Committed, GpuMachine, Options, ProveError, Proved, Request, Table};
use crate::output::Output;

use super::job::{self, Job, JobArgs};
use super::profile::Profile;

/// Everything about a run but its machine.
pub struct Runner<'a> {
    /// The options.
    pub args: &'a JobArgs,
    /// The job.
    pub job: &'a Job,
    /// Number of opening points.
    pub openings: usize,
    /// Verify the proof before returning it.
    pub self_check: bool,
    /// Where notes go.
    pub output: Output,
}

/// Why an attempt on a device ended.
enum Stop {
    Prove(ProveError),
    Read(Failure),
}

impl From<ProveError> for Stop {
    fn from(error: ProveError) -> Self {
        Self::Prove(error)
    }
}

/// Makes the table; asked at every attempt, for an attempt consumes it.
type Read<'a> = &'a mut (dyn FnMut() -> Result<Table, Stop> + Send);

impl Runner<'_> {
    /// Proves.
    ///
    /// # Errors
    /// See [`front::prove`]; a device's failure unless the CPU may stand in.
    pub fn prove(
        &self,
        chosen: Chosen,
        request: &Request,
        profile: &mut Profile,
    ) -> Result<(Proved, Device), Failure> {
        let params = &self.job.params;
        let done = self.run(
            chosen,
            profile,
            |machine, read, options| machine.prove(params, read, request, options),
            |table, options| front::prove(params, table, request, options),
        )?;
        profile.prover(&done.0.times);
        Ok(done)
    }

    /// Commits.
    ///
    /// # Errors
    /// As [`Self::prove`].
    pub fn commit(
        &self,
        chosen: Chosen,
        profile: &mut Profile,
    ) -> Result<(Committed, Device), Failure> {
        let params = &self.job.params;
        let done = self.run(
            chosen,
            profile,
            |machine, read, options| machine.commit(params, read, options),
            |table, options| front::commit(params, table, options),
        )?;
        profile.prover(&done.0.times);
        Ok(done)
    }

    fn run<T: Send>(
        &self,
        chosen: Chosen,
        profile: &mut Profile,
        on_gpu: impl FnOnce(&GpuMachine, Read<'_>, &Options) -> Result<T, Stop> + Send,
        on_cpu: impl FnOnce(Table, &Options) -> Result<T, ProveError> + Send,
    ) -> Result<(T, Device), Failure> {
        let asked = self.args.device.backend;
        let fallback = match chosen {
            Chosen::Cpu { fallback } => fallback,
            Chosen::Gpu(machine) => match self.on_gpu(&machine, profile, on_gpu)? {
                Ok(value) => return Ok((value, Device::gpu(asked, &machine))),
                Err(reason) => Some(reason),
            },
        };
        if let Some(reason) = &fallback {
            self.output.note(&format!(
                "prova: GPU not used: {reason}; proving on the CPU"
            ));
        }
        let table = profile.time("input", || self.job.read())?;
        let options = self.job.options(self.self_check, self.output);
        let value = self
            .args
            .resources
            .threads
            .install(|| on_cpu(table, &options))?
            .map_err(|error| self.explain(error))?;
        Ok((value, Device::cpu(asked, fallback)))
    }

    /// An attempt on a device: what it gives, or why the CPU is to stand in.
    fn on_gpu<T: Send>(
        &self,
        machine: &GpuMachine,
        profile: &mut Profile,
        work: impl FnOnce(&GpuMachine, Read<'_>, &Options) -> Result<T, Stop> + Send,
    ) -> Result<Result<T, String>, Failure> {
        let start = Instant::now();
        let mut reading = Duration::ZERO;
        let mut read = || {
            let start = Instant::now();
            let table = self.job.read().map_err(Stop::Read);
            reading += start.elapsed();
            table
        };
        let options = self.job.options(self.self_check, self.output);
        let attempt = self
            .args
            .resources
            .threads
            .install(|| work(machine, &mut read, &options))?;
        profile.add("input", reading);
        match attempt {
            Ok(value) => Ok(Ok(value)),
            Err(Stop::Read(failure)) => Err(failure),
            Err(Stop::Prove(ProveError::Device(error)))
                if self.args.device.backend == Backend::Auto =>
            {
                profile.add("GPU, failed", start.elapsed().saturating_sub(reading));
                Ok(Err(device::reason(&error)))
            }
            Err(Stop::Prove(error)) => Err(self.explain(error)),
        }
    }

    fn explain(&self, error: ProveError) -> Failure {
        let shape = self.job.input.shape;
        job::explain(&self.args.params, shape, self.openings, error)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use prova_proof_file::Exit;
    use prova_whir_prover::Cancelled;

    use super::*;
    use crate::front::{DeviceError, DeviceErrorKind};

    const QUIET: Output = Output {
        json: false,
        quiet: true,
    };

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        job: JobArgs,
    }

    /// A run on the software adapter whose attempt reads its table and then fails with `error`;
    /// what comes of it, and how often the CPU was tried.
    fn failing(backend: &str, error: ProveError) -> (Result<Device, Failure>, usize) {
        let words = format!("job --random 1 --vars 8 --gpu-adapter llvmpipe --backend {backend}");
        let args = Cli::parse_from(words.split_whitespace()).job;
        let job = args.look().expect("a job");
        let runner = Runner {
            args: &args,
            job: &job,
            openings: 1,
            self_check: false,
            output: QUIET,
        };
        let chosen = args.device.choose(8, false).expect("the software adapter");
        assert!(!chosen.is_cpu());
        let mut on_cpu = 0;
        let result = runner.run(
            chosen,
            &mut Profile::start(),
            |_, read, _| {
                read()?;
                Err::<usize, _>(Stop::Prove(error))
            },
            |table, _| {
                on_cpu += 1;
                Ok(table.values.len())
            },
        );
        let result = result.map(|(values, device)| {
            assert_eq!(values, 1 << 8, "the input is read again");
            device
        });
        (result, on_cpu)
    }

    fn lost() -> ProveError {
        DeviceError::new(DeviceErrorKind::Lost, "reset").into()
    }

    #[test]
    fn the_cpu_stands_in_for_a_device_that_fails_in_mid_run() {
        let (result, on_cpu) = failing("auto", lost());
        let json = result.expect("the CPU's result").json(false);
        assert_eq!(json["used"], "cpu");
        assert_eq!(json["fallback"], "the device was lost: reset");
        assert_eq!(on_cpu, 1);
    }

    #[test]
    fn a_device_that_was_insisted_on_fails_the_run() {
        let (result, on_cpu) = failing("gpu", lost());
        let failure = result.expect_err("no result");
        assert_eq!(failure.exit, Exit::Resource);
        assert!(failure.message.contains("the device was lost: reset"));
        assert_eq!(on_cpu, 0);
    }

    #[test]
    fn wrong_proofs_and_signals_are_not_tried_again() {
        for (error, exit) in [
            (ProveError::SelfCheck("wrong".into()), Exit::Rejected),
            (Cancelled.into(), Exit::Cancelled),
        ] {
            let (result, on_cpu) = failing("auto", error);
            assert_eq!(result.expect_err("no result").exit, exit);
            assert_eq!(on_cpu, 0);
        }
    }
}
