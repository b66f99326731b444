//! Devices and what goes wrong on them: typed errors, and a device that stays usable.

mod common;

use common::*;
use p3_baby_bear::BabyBear;
use prova_gpu::device::{Fault, Options};
use prova_gpu::{Cost, Gpu, GpuError, Kernel, Limits, Slice, gather, mul};
use prova_hash::HashField;

const WORDS: u64 = 1 << 10;

/// Adds one to every word.
fn increment() -> Kernel {
    kernel("increment", "words[i] = words[i] + 1u;")
}

fn kernel(label: &'static str, body: &str) -> Kernel {
    let text = format!(
        "struct Params {{ base: u32, groups: u32 }}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {{
    let group = params.base + id.x + id.y * count.x;
    if (group >= params.groups) {{ return; }}
    let i = group * 64u + lane;
    if (i >= arrayLength(&words)) {{ return; }}
    {body}
}}
"
    );
    Kernel::new(label, text, false)
}

fn run(gpu: &Gpu, kernel: &Kernel, slice: &Slice, cost: Cost) -> Result<Vec<u32>, GpuError> {
    let mut recorder = gpu.record();
    let groups = slice.words().div_ceil(64) as u32;
    recorder.dispatch(kernel, &[slice], &[], groups, cost)?;
    let ticket = recorder.read(slice);
    Ok(recorder.finish()?.get(ticket).to_vec())
}

/// The device computes.
fn works(gpu: &Gpu) {
    let words: Vec<u32> = (0..WORDS as u32).collect();
    let buffer = gpu.upload(&words).expect("an upload");
    let got = run(gpu, &increment(), &buffer.slice(0, WORDS), Cost::default());
    let expected: Vec<u32> = words.iter().map(|w| w + 1).collect();
    assert_eq!(got, Ok(expected));
    let left: Vec<BabyBear> = elements(1, 100);
    let kit = kit::<BabyBear, BabyBear4>(gpu);
    let (a, out) = (
        gpu.upload(BabyBear::words(&left)).expect("an upload"),
        gpu.buffer(100).expect("room"),
    );
    let a = a.slice(0, 100);
    let mut recorder = gpu.record();
    mul::chain(&kit, &mut recorder, &a, &a, &out.slice(0, 100), 1).expect("recorded");
    let ticket = recorder.read(&out.slice(0, 100));
    let squares: Vec<BabyBear> = left.iter().map(|&x| x * x).collect();
    let back = recorder.finish().expect("run");
    assert_eq!(back.get(ticket), BabyBear::words(&squares));
}

fn is_validation<T>(result: Result<T, GpuError>) -> bool {
    matches!(result, Err(GpuError::Validation(message)) if !message.is_empty())
}

#[test]
fn refused_commands_are_typed_and_leave_the_device_usable() {
    let gpu = gpu();
    let buffer = gpu.buffer(WORDS).expect("room");
    let slice = buffer.slice(0, WORDS);
    let free = Cost::default();
    // A text that is no WGSL, one that wants another binding, and a binding without words.
    let broken = kernel("broken", "words[i] = nobody;");
    assert!(is_validation(run(&gpu, &broken, &slice, free)));
    works(&gpu);
    let unbound = increment().wgsl().replace("binding(1)", "binding(7)");
    let unbound = Kernel::new("unbound", unbound, false);
    assert!(is_validation(run(&gpu, &unbound, &slice, free)));
    works(&gpu);
    let mut recorder = gpu.record();
    let empty = buffer.slice(0, 0);
    assert!(is_validation(recorder.dispatch(
        &increment(),
        &[&empty],
        &[],
        1,
        free
    )));
    drop(recorder);
    works(&gpu);
    // A copy beyond a buffer is noticed at the submission.
    let mut recorder = gpu.record();
    recorder.copy(&slice, &slice);
    assert!(is_validation(recorder.submit()));
    works(&gpu);
    assert_eq!(gpu.check(), Ok(()));
}

#[test]
fn a_dropped_recording_leaves_nothing_behind() {
    let gpu = gpu();
    let held = {
        let buffer = gpu.upload(&[0; WORDS as usize]).expect("an upload");
        let mut recorder = gpu.record();
        recorder
            .dispatch(&increment(), &[&buffer.all()], &[], 16, Cost::default())
            .expect("recorded");
        drop(recorder);
        let got = gpu.record();
        let mut got = got;
        let ticket = got.read(&buffer.slice(0, WORDS));
        assert!(
            got.finish()
                .expect("read")
                .get(ticket)
                .iter()
                .all(|&w| w == 0)
        );
        gpu.held_bytes()
    };
    gpu.reset_peak();
    assert_eq!(gpu.peak_bytes(), 0, "nothing in use");
    for _ in 0..100 {
        works(&gpu);
    }
    assert!(
        gpu.held_bytes() <= held + (1 << 20),
        "buffers are used again"
    );
}

#[test]
fn a_lost_device_stays_lost() {
    for after in 0..3 {
        let gpu = gpu();
        let kernel = increment();
        let buffer = gpu.buffer(WORDS).expect("room");
        let slice = buffer.slice(0, WORDS);
        gpu.inject(Fault::Lose { after });
        for _ in 0..after {
            run(&gpu, &kernel, &slice, Cost::default()).expect("not yet");
        }
        let lost = |result| matches!(result, Err(GpuError::Lost(_)));
        assert!(lost(
            run(&gpu, &kernel, &slice, Cost::default()).map(|_| ())
        ));
        assert!(lost(
            run(&gpu, &kernel, &slice, Cost::default()).map(|_| ())
        ));
        assert!(lost(gpu.upload(&[1, 2, 3]).map(|_| ())));
        let kit = kit::<BabyBear, BabyBear4>(&gpu);
        let mut recorder = gpu.record();
        let moved = gather::gather(&kit, &mut recorder, &slice, 8, &[(0, 1)], &slice);
        assert!(lost(moved));
        drop(recorder);
        assert!(lost(gpu.check()));
    }
    works(&gpu());
}

#[test]
fn memory_is_counted_and_limited() {
    let limit = 1 << 20;
    let options = Options {
        max_bytes: Some(limit),
        ..Options::default()
    };
    for gpu in [
        Gpu::open(&options).expect("an adapter"),
        Gpu::dry(Limits {
            memory: limit,
            ..Limits::WEBGPU
        }),
    ] {
        let half = gpu.buffer(limit / 8).expect("a half");
        let other = gpu.buffer(limit / 8).expect("the other half");
        assert_eq!((gpu.held_bytes(), gpu.peak_bytes()), (limit, limit));
        let expected = GpuError::OutOfMemory {
            need: limit + 256,
            limit,
        };
        assert_eq!(gpu.buffer(1).err(), Some(expected));
        drop(half);
        // Idle memory makes room for other sizes.
        let quarters = [gpu.buffer(limit / 16), gpu.buffer(limit / 16)];
        assert!(quarters.iter().all(Result::is_ok));
        assert_eq!(gpu.peak_bytes(), limit);
        drop((other, quarters));
        gpu.reset_peak();
        assert_eq!(gpu.peak_bytes(), 0);
        assert!(gpu.buffer(u64::MAX / 4).is_err());
        assert!(gpu.buffer(u64::MAX).is_err());
        assert!(gpu.held_bytes() <= limit);
    }
}

#[test]
fn long_dispatches_are_cut_into_submissions() {
    let gpu = gpu();
    gpu.set_products_per_second(1_000_000);
    let _ = gpu.take_ledger();
    let words = vec![7; 1 << 16];
    let buffer = gpu.upload(&words).expect("an upload");
    let slice = buffer.slice(0, 1 << 16);
    // Ten times what a submission may take.
    let cost = Cost::new(0, 0, 600_000);
    let got = run(&gpu, &increment(), &slice, cost).expect("run");
    assert!(got.iter().all(|&w| w == 8));
    let ledger = gpu.take_ledger();
    assert_eq!((ledger.dispatches(), ledger.submissions), (1, 10));
    // As planned on a dry device.
    let dry = Gpu::dry(gpu.limits());
    dry.set_products_per_second(1_000_000);
    let buffer = dry.buffer(1 << 16).expect("room");
    run(&dry, &increment(), &buffer.slice(0, 1 << 16), cost).expect("counted");
    assert_eq!(dry.ledger().submissions, 10);
}

#[test]
fn reads_are_spread_over_buffers() {
    let gpu = gpu();
    let words: Vec<u32> = (0..5000).collect();
    let buffer = gpu.upload(&words).expect("an upload");
    let mut recorder = gpu.record();
    let tickets = [(0, 0), (64, 100), (0, 5000), (4999, 1)].map(|(first, count)| {
        let ticket = recorder.read(&buffer.slice(first, count));
        (ticket, first as usize, count as usize)
    });
    let back = recorder.finish().expect("read");
    for (ticket, first, count) in tickets {
        assert_eq!(back.get(ticket), &words[first..first + count]);
    }
    let nothing = gpu.record().finish().expect("a wait for nothing");
    drop(nothing);
}

#[test]
fn unknown_adapters_are_refused() {
    let options = Options {
        adapter: Some("no such adapter".to_owned()),
        ..Options::default()
    };
    let error = Gpu::open(&options).expect_err("an unknown adapter");
    assert!(matches!(error, GpuError::NoAdapter { wanted: Some(_) }));
}
