//! Command-line options for the device.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::error::Failure;
use crate::front::{GpuOptions, Mode};
use crate::memsize::MemSize;

/// Where to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// On the CPU.
    #[default]
    Cpu,
    /// On a GPU; a failure of the device is a failure of the command.
    Gpu,
    /// On a GPU if there is one that is not software, and on the CPU whenever that fails.
    Auto,
}

impl Backend {
    /// Name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
            Self::Auto => "auto",
        }
    }
}

/// `cpu` or `gpu`, for commands in which nothing can fall back.
pub fn fixed_backend() -> impl TypedValueParser<Value = Backend> {
    PossibleValuesParser::new(["cpu", "gpu"]).map(|name| match name.as_str() {
        "gpu" => Backend::Gpu,
        _ => Backend::Cpu,
    })
}

/// A mode by its name.
pub fn mode() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(
        Mode::ALL.map(|mode| PossibleValue::new(mode.name()).help(mode_help(mode))),
    )
    .try_map(|name| name.parse::<Mode>())
}

const fn mode_help(mode: Mode) -> &'static str {
    match mode {
        Mode::Split => "commitments on the GPU, transform and tree submitted apart",
        Mode::Fused => "commitments on the GPU, one submission each",
        Mode::Grind => "the same, and proof-of-work on the GPU",
        Mode::Resident => "everything on the GPU",
    }
}

/// Where to prove, and how.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// Where to prove; the proof is the same, byte for byte.
    #[arg(long, value_enum, default_value_t)]
    pub backend: Backend,
    /// What runs on the GPU.
    #[arg(long, value_name = "MODE", default_value = "resident", value_parser = mode())]
    pub gpu_mode: Mode,
    #[command(flatten)]
    pub gpu: GpuArgs,
}

/// Which GPU, and how much of it.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Device")]
pub struct GpuArgs {
    /// GPU whose name contains this, in any case [default: the first that `prova info` lists].
    #[arg(
        long,
        value_name = "NAME",
        env = "PROVA_GPU_ADAPTER",
        hide_env_values = true
    )]
    pub gpu_adapter: Option<String>,
    /// Most GPU memory to use, such as 2GiB.
    #[arg(
        long,
        value_name = "SIZE",
        env = "PROVA_GPU_MAX_BYTES",
        hide_env_values = true
    )]
    pub gpu_max_bytes: Option<MemSize>,
    /// Largest table to prove on the GPU: 2^N values, all columns together.
    #[arg(
        long,
        value_name = "N",
        env = "PROVA_GPU_MAX_LOG_N",
        hide_env_values = true
    )]
    pub gpu_max_log_n: Option<usize>,
}

impl GpuArgs {
    /// How to open the device.
    pub fn options(&self, mode: Mode, profile: bool) -> GpuOptions {
        GpuOptions {
            adapter: self.gpu_adapter.clone(),
            mode,
            max_bytes: self.gpu_max_bytes.map(|size| size.0),
            max_log_n: self.gpu_max_log_n,
            profile,
            ..GpuOptions::default()
        }
    }
}

/// Options that have no effect on the CPU.
const GPU_ONLY: [(&str, &str); 4] = [
    ("gpu_mode", "--gpu-mode"),
    ("gpu_adapter", "--gpu-adapter"),
    ("gpu_max_bytes", "--gpu-max-bytes"),
    ("gpu_max_log_n", "--gpu-max-log-n"),
];

/// Refuses GPU options on a command line that proves on the CPU. The environment may set them: it
/// is for every command.
///
/// # Errors
/// Exit code 2.
pub fn check(matches: &ArgMatches) -> Result<(), Failure> {
    let mut leaf = matches;
    while let Some((_, deeper)) = leaf.subcommand() {
        leaf = deeper;
    }
    let has = |id: &str| leaf.ids().any(|known| known.as_str() == id);
    if !has("backend") || leaf.get_one::<Backend>("backend") != Some(&Backend::Cpu) {
        return Ok(());
    }
    let given = GPU_ONLY
        .iter()
        .find(|(id, _)| has(id) && leaf.value_source(id) == Some(ValueSource::CommandLine));
    match given {
        Some((_, flag)) => Err(Failure::malformed(format_args!(
            "{flag} has no effect on the CPU; add --backend gpu"
        ))),
        None => Ok(()),
    }
}
