//! Opening the device that was asked for.

use super::args::{Backend, DeviceArgs};
use crate::error::Failure;
use crate::front::{DeviceError, GpuMachine, list_adapters};

/// What a run will use.
#[derive(Debug)]
pub enum Chosen {
    /// The CPU.
    Cpu {
        /// Why not the GPU, if it would have been preferred.
        fallback: Option<String>,
    },
    /// An open GPU.
    Gpu(Box<GpuMachine>),
}

impl Chosen {
    /// Whether the run will be on the CPU.
    pub const fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu { .. })
    }
}

/// Why a GPU is not even tried.
enum Refusal {
    /// The table is larger than `--gpu-max-log-n` allows.
    TooLarge {
        need: usize,
        limit: usize,
    },
    /// Nothing but software, which is slower than the CPU prover.
    Software(String),
    Device(DeviceError),
}

impl Refusal {
    fn reason(&self) -> String {
        match self {
            Self::TooLarge { need, limit } => format!(
                "the table is too large for the GPU: need 2^{need} values, limit 2^{limit} values"
            ),
            Self::Software(name) => {
                format!("there is only a software adapter, {name}; --gpu-adapter would use it")
            }
            Self::Device(error) => super::reason(error),
        }
    }

    fn failure(&self) -> Failure {
        match self {
            Self::Device(error) => super::failure(error, true),
            _ => Failure::resource(format_args!(
                "{}; see --gpu-max-log-n, --backend auto falls back to the CPU",
                self.reason()
            )),
        }
    }
}

impl DeviceArgs {
    /// Opens what was asked for; `num_variables` is `log2` of the table's values.
    ///
    /// # Errors
    /// Exit code 3 when a GPU was insisted on and there is none that does.
    pub fn choose(&self, num_variables: usize, profile: bool) -> Result<Chosen, Failure> {
        match self.backend {
            Backend::Cpu => Ok(Chosen::Cpu { fallback: None }),
            Backend::Gpu => self
                .open(num_variables, profile)
                .map_err(|refusal| refusal.failure()),
            Backend::Auto => Ok(self
                .worthwhile()
                .and_then(|()| self.open(num_variables, profile))
                .unwrap_or_else(|refusal| Chosen::Cpu {
                    fallback: Some(refusal.reason()),
                })),
        }
    }

    fn open(&self, num_variables: usize, profile: bool) -> Result<Chosen, Refusal> {
        if let Some(limit) = self.gpu.gpu_max_log_n
            && num_variables > limit
        {
            return Err(Refusal::TooLarge {
                need: num_variables,
                limit,
            });
        }
        let options = self.gpu.options(self.gpu_mode, profile);
        let machine = GpuMachine::open(&options).map_err(Refusal::Device)?;
        Ok(Chosen::Gpu(Box::new(machine)))
    }

    /// Refuses software adapters, unless one is asked for by its name.
    fn worthwhile(&self) -> Result<(), Refusal> {
        if self.gpu.gpu_adapter.is_some() {
            return Ok(());
        }
        let adapters = list_adapters();
        match adapters.first() {
            Some(first) if adapters.iter().all(|adapter| adapter.kind == "cpu") => {
                Err(Refusal::Software(first.name.clone()))
            }
            // Without any adapter the attempt to open one says so.
            _ => Ok(()),
        }
    }
}
