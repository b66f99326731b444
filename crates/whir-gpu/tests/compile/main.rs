//! Kernels compile for every API, whatever the device at hand: those that runs use are collected
//! from devices that only record, and translated to SPIR-V, MSL and HLSL as wgpu would do it.
//! Where `spirv-val` is installed it validates the SPIR-V.
//!
//! The text of a kernel depends on the sizes of a run, so not every text there can be is compiled,
//! but those of: every suite in both orders, transform and tree apart or in one submission, at
//! three sizes; two suites under every memory plan at several sizes, with bindings of the default
//! size and so small that messages, codewords and trees take several; proof-of-work over every
//! hash; and what no run uses. All of it with every way to multiply.

mod collect;
mod translate;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use collect::{Collection, breadth, depth, others};
use p3_baby_bear::BabyBear;
use p3_koala_bear::KoalaBear;
use prova_gpu::{Kernel, Multiply, Templates};
use prova_whir::Field;
use translate::translate;

const MULTIPLICATIONS: [Multiply; 3] = [Multiply::M16, Multiply::U64, Multiply::Native];

/// That every template with an entry point was rendered: a comment of its own is in some kernel.
fn covers_all_templates(kernels: &[(Multiply, Kernel)]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/kernels");
    let texts: Vec<(&str, String)> = Templates::names()
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).expect("a template");
            (name, text)
        })
        .collect();
    for (name, text) in texts.iter().filter(|(_, text)| text.contains("@compute")) {
        let own = |comment: &&str| {
            let mut others = texts.iter().filter(|(other, _)| other != name);
            others.all(|(_, other)| !other.contains(*comment))
        };
        // What a comment says between two variables.
        let mut comments = text
            .lines()
            .filter(|line| line.trim_start().starts_with("// "))
            .flat_map(|line| line.split("{{"))
            .map(|part| part.rsplit("}}").next().unwrap_or(part))
            .filter(|part| part.len() >= 20)
            .filter(own);
        assert!(
            comments.any(|comment| kernels.iter().any(|(_, k)| k.wgsl().contains(comment))),
            "no kernel of {name} was compiled"
        );
    }
}

/// Where validated modules lie meanwhile.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("prova-compile-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn validate(folder: &Path, index: usize, spirv: &[u32]) -> Result<(), String> {
    let path = folder.join(format!("{index}.spv"));
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(&path, bytes).map_err(|error| error.to_string())?;
    let output = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3"])
        .arg(&path)
        .output()
        .map_err(|error| error.to_string())?;
    // As many modules as there are kernels would fill a small disk.
    let _ = std::fs::remove_file(&path);
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn every_kernel_compiles_for_every_api() {
    let mut collection = Collection::default();
    for multiply in MULTIPLICATIONS {
        breadth(&mut collection, multiply);
        depth(&mut collection, multiply);
        others::<BabyBear>(&mut collection, Field::BabyBear, multiply);
        others::<KoalaBear>(&mut collection, Field::KoalaBear, multiply);
    }
    let kernels: Vec<_> = collection.kernels.into_values().collect();
    covers_all_templates(&kernels);

    let validator = Command::new("spirv-val").arg("--version").output().is_ok();
    let scratch = Scratch::new();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failures = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((multiply, kernel)) = kernels.get(index) else {
                return failures;
            };
            let done = translate(*multiply, kernel).and_then(|spirv| match validator {
                true => validate(&scratch.0, index, &spirv),
                false => Ok(()),
            });
            if let Err(what) = done {
                failures.push(format!(
                    "{} ({}): {what}\n{}",
                    kernel.label(),
                    multiply.name(),
                    kernel.wgsl()
                ));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .flat_map(|thread| thread.join().expect("no thread panics"))
            .collect()
    });
    assert!(
        failures.is_empty(),
        "{} of {} kernels; the first: {}",
        failures.len(),
        kernels.len(),
        failures[0]
    );
}
