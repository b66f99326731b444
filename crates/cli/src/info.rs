//! `prova info`: this build and this machine.

use p3_field::PackedValue;
use prova_hash::Poseidon2Kernel;
use serde_json::json;

use crate::device::adapters;
use crate::front::list_adapters;
use crate::machine::{self, Feature};
use crate::memsize::MemSize;
use crate::output::{Output, Report};
use crate::text::fields;

type Packing<F> = <F as p3_field::Field>::Packing;

/// Gathers the report; warns when the CPU could do better than this build.
pub fn run(output: Output) -> Report {
    let features = machine::features();
    let (compiled, possible) = (machine::compiled_simd(), machine::possible_simd());
    let baby_bear = <Packing<p3_baby_bear::BabyBear> as PackedValue>::WIDTH;
    let koala_bear = <Packing<p3_koala_bear::KoalaBear> as PackedValue>::WIDTH;
    let kernel = Poseidon2Kernel::<p3_baby_bear::BabyBear, 16>::grain();
    let poseidon2 = kernel.backend();
    let memory = machine::memory();
    let threads = rayon::current_num_threads();
    let gpus = list_adapters();
    let list = |pick: fn(&&Feature) -> bool| {
        features
            .iter()
            .filter(pick)
            .map(|f| f.name)
            .collect::<Vec<_>>()
    };
    let found = list(|f| f.found);
    let relied_on = list(|f| f.compiled);
    let better = compiled != possible;
    if better {
        output.note(&format!(
            "warning: this CPU has {possible}, but this program was compiled for {compiled}; \
             build it with -C target-cpu=native to use it"
        ));
    }
    let known = |size: Option<u64>| size.map_or("unknown".to_string(), |s| MemSize(s).to_string());
    let words = |list: &[&str]| {
        if list.is_empty() {
            "none".to_string()
        } else {
            list.join(" ")
        }
    };
    let text = fields(&[
        ("prova", env!("CARGO_PKG_VERSION").to_string()),
        (
            "systems",
            format!(
                "whir (format version {}), lean-vm ({}, verifier only), hash-batch ({}), verkle ({})",
                prova_whir::FORMAT_VERSION,
                prova_lean_vm::file::FORMAT_VERSION,
                prova_hash_batch::file::FORMAT_VERSION,
                prova_verkle::file::FORMAT_VERSION
            ),
        ),
        (
            "target",
            format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        ),
        (
            "compiled for",
            format!("{compiled} ({})", words(&relied_on)),
        ),
        ("CPU has", format!("{possible} ({})", words(&found))),
        (
            "field packing",
            format!("BabyBear {baby_bear} lanes, KoalaBear {koala_bear} lanes"),
        ),
        ("kernels", kernels(poseidon2, compiled)),
        ("threads", threads.to_string()),
        (
            "memory",
            format!(
                "{} in all, {} available",
                known(memory.total),
                known(memory.available)
            ),
        ),
        ("GPU adapters", adapters::text(&gpus)),
    ]);
    let json = json!({
        "schema": "prova.info/1",
        "version": env!("CARGO_PKG_VERSION"),
        "systems": [
            { "name": "whir", "format_versions": [prova_whir::FORMAT_VERSION] },
            { "name": "lean-vm", "format_versions": [prova_lean_vm::file::FORMAT_VERSION] },
            { "name": "hash-batch", "format_versions": [prova_hash_batch::file::FORMAT_VERSION] },
            { "name": "verkle", "format_versions": [prova_verkle::file::FORMAT_VERSION] },
        ],
        "arch": std::env::consts::ARCH,
        "os": std::env::consts::OS,
        "compiled_simd": compiled,
        "compiled_features": relied_on,
        "cpu_simd": possible,
        "cpu_features": found,
        "cpu_could_do_better": better,
        "kernels": {
            "poseidon2": poseidon2,
            "fields": compiled,
            "bandersnatch": prova_verkle::Arm::best().name(),
        },
        "packing": { "babybear": baby_bear, "koalabear": koala_bear },
        "threads": threads,
        "memory_total_bytes": memory.total,
        "memory_available_bytes": memory.available,
        "gpu_adapters": adapters::json(&gpus),
    });
    Report { text, json }
}

/// Which code hashes and transforms.
fn kernels(poseidon2: &str, compiled: &str) -> String {
    format!(
        "Poseidon2 {poseidon2} (chosen at run time), transforms and sumcheck {compiled} (at \
         compile time), BLAKE3 chosen at run time, Bandersnatch {} (chosen at run time)",
        prova_verkle::Arm::best().name()
    )
}
