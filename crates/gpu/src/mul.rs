//! Choosing how kernels multiply: by trying on the device at hand.

use std::time::Instant;

use minijinja::context;
use p3_field::extension::BinomialExtensionField;

use crate::buffer::Slice;
use crate::device::Gpu;
use crate::error::GpuError;
use crate::field::{Extension, Field, Multiply};
use crate::kit::Kit;
use crate::ledger::Cost;
use crate::recorder::Recorder;

/// Chains of products that a trial runs.
const CHAINS: usize = 1 << 14;
/// Products of a chain.
const ROUNDS: u32 = 256;
/// Timed runs of a trial; the fastest counts, because anything else on the machine only slows.
const RUNS: usize = 3;

impl Gpu {
    /// The ways to multiply that this device can run, the portable one first.
    #[must_use]
    pub fn multiplications(&self) -> Vec<Multiply> {
        let mut list = vec![Multiply::M16];
        if self.has_int64() {
            list.push(Multiply::U64);
        }
        if self.has_spirv_passthrough() {
            list.push(Multiply::Native);
        }
        list
    }
}

/// Records `out[i] = left[i] * right[i]^rounds` for the words of equally long slices.
///
/// # Errors
/// As [`Recorder::dispatch`].
pub fn chain(
    kit: &Kit,
    recorder: &mut Recorder<'_>,
    left: &Slice,
    right: &Slice,
    out: &Slice,
    rounds: u32,
) -> Result<(), GpuError> {
    let count = left.words().min(right.words()).min(out.words());
    let kernel = kit.kernel("chain", "field/chain.wgsl", context! {});
    let cost = Cost::new(8 * count, 4 * count, count * u64::from(rounds));
    let groups = count.div_ceil(64) as u32;
    recorder.dispatch(
        &kernel,
        &[left, right, out],
        &[count as u32, rounds],
        groups,
        cost,
    )
}

/// The fields to try multiplications on: what is fastest on one 31-bit prime is so on another.
#[must_use]
pub fn trial_field() -> (Field, Extension) {
    (
        Field::of::<p3_baby_bear::BabyBear>(),
        Extension::of::<p3_baby_bear::BabyBear, BinomialExtensionField<p3_baby_bear::BabyBear, 4>>(
        ),
    )
}

/// Times one way to multiply; the seconds of the fastest run, or none if products are wrong.
fn trial(
    kit: &Kit,
    [left, right]: [&[u32]; 2],
    slices: [&Slice; 3],
) -> Result<Option<f64>, GpuError> {
    let mut seconds = f64::INFINITY;
    // The first run compiles.
    for run in 0..=RUNS {
        let mut recorder = kit.gpu.record();
        let [a, b, out] = slices;
        chain(kit, &mut recorder, a, b, out, ROUNDS)?;
        let ticket = recorder.read(&out.slice(0, 64));
        let start = Instant::now();
        let back = recorder.finish()?;
        if run > 0 {
            seconds = seconds.min(start.elapsed().as_secs_f64());
        }
        let right_so_far = back
            .get(ticket)
            .iter()
            .zip(left.iter().zip(right))
            .all(|(&got, (&x, &y))| got == kit.field.chain(x, y, ROUNDS));
        if !right_so_far {
            return Ok(None);
        }
    }
    Ok(Some(seconds))
}

/// Times every way to multiply on chains of dependent products and returns the fastest that
/// computes the right thing, with its products a second, which the device keeps for cutting
/// submissions.
///
/// # Errors
/// A device that fails, or computes wrong products in every way.
pub fn fastest(gpu: &Gpu, field: &Field, extension: &Extension) -> Result<Multiply, GpuError> {
    let left: Vec<u32> = (0..CHAINS as u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) % field.modulus)
        .collect();
    let right: Vec<u32> = (0..CHAINS as u32)
        .map(|i| i.wrapping_mul(0x85eb_ca6b) % field.modulus)
        .collect();
    let (a, b) = (gpu.upload(&left)?, gpu.upload(&right)?);
    let out = gpu.buffer(CHAINS as u64)?;
    let words = CHAINS as u64;
    let mut best: Option<(Multiply, u64)> = None;
    for multiply in gpu.multiplications() {
        let kit = Kit::new(gpu.clone(), field.clone(), extension.clone(), multiply);
        let slices = [&a.slice(0, words), &b.slice(0, words), &out.slice(0, words)];
        let seconds = match trial(&kit, [&left, &right], slices) {
            Ok(Some(seconds)) => seconds,
            Ok(None) => {
                tracing::warn!(multiply = multiply.name(), "wrong products; not used");
                continue;
            }
            // A driver that does not take one way of saying it may take another.
            Err(GpuError::Validation(message)) => {
                tracing::warn!(multiply = multiply.name(), message, "refused; not used");
                continue;
            }
            Err(error) => return Err(error),
        };
        let rate = (words as f64 * f64::from(ROUNDS) / seconds.max(1e-9)) as u64;
        tracing::debug!(multiply = multiply.name(), rate, "products a second");
        if best.is_none_or(|(_, other)| rate > other) {
            best = Some((multiply, rate));
        }
    }
    let (multiply, rate) = best.ok_or_else(|| {
        GpuError::Unsupported(format!("{} computes wrong field products", gpu.info().name))
    })?;
    gpu.set_products_per_second(rate);
    // The trial is not part of anybody's run.
    let _ = gpu.take_ledger();
    Ok(multiply)
}
