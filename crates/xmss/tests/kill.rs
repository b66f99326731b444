//! Signers in processes of their own: killed at random points two hundred times, and at odds over
//! one file.

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use prova_xmss::sign::{Unobserved, Window};
use prova_xmss::state::{FileError, KeyFile, KeyInfo, UseError};
use prova_xmss::{Ethereum, PublicKey, Signature};
use support::seed;

const KILLS: u32 = 200;
/// In the child: the key file.
const KEY: &str = "PROVA_XMSS_KILL_TEST_KEY";
/// In the child: which run this is; each signs messages of its own.
const RUN: &str = "PROVA_XMSS_KILL_TEST_RUN";

fn message(run: u32, epoch: u32) -> [u8; 32] {
    let mut message = [0x6b; 32];
    message[..4].copy_from_slice(&run.to_le_bytes());
    message[4..8].copy_from_slice(&epoch.to_le_bytes());
    message
}

/// In the child: how often it opens the file to sign once; endlessly, and opened once, if not set.
const TURNS: &str = "PROVA_XMSS_KILL_TEST_TURNS";

/// Opens the file as soon as nobody else has it open.
fn open(path: &Path) -> KeyFile {
    loop {
        match KeyFile::<Ethereum>::open(path) {
            Err(FileError::Locked(_)) => std::thread::yield_now(),
            other => return other.unwrap(),
        }
    }
}

/// Signs at the next epoch not used and says so. Whether there was one.
fn sign_next(file: &mut KeyFile, run: u32) -> bool {
    let Some(epoch) = file.next_unused(0) else {
        return false;
    };
    let signature = file.sign(epoch, &message(run, epoch)).unwrap();
    let mut out = std::io::stdout();
    writeln!(out, "signed {epoch} {signature}").unwrap();
    out.flush().unwrap();
    true
}

/// Not a test of its own: what the child does until it is killed, or its turns are over.
#[test]
#[ignore = "the child of the other tests"]
fn child() {
    let (Ok(path), Ok(run)) = (std::env::var(KEY), std::env::var(RUN)) else {
        return;
    };
    let (path, run) = (Path::new(&path), run.parse().unwrap());
    if let Ok(turns) = std::env::var(TURNS) {
        for _ in 0..turns.parse().unwrap() {
            assert!(sign_next(&mut open(path), run));
        }
    } else {
        let mut file = KeyFile::<Ethereum>::open(path).unwrap();
        while sign_next(&mut file, run) {}
    }
}

fn start(path: &Path, run: u32) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "child",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(KEY, path)
        .env(RUN, run.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Epochs and signatures that a child gave out.
fn given_out(stdout: impl std::io::Read) -> Vec<(u32, String)> {
    let lines = BufReader::new(stdout).split(b'\n').map_while(Result::ok);
    let parse = |line: Vec<u8>| {
        let line = String::from_utf8(line).ok()?;
        let (_, signed) = line.split_once("signed ")?;
        let (epoch, signature) = signed.split_once(' ')?;
        Some((epoch.parse().ok()?, signature.to_owned()))
    };
    lines.filter_map(parse).collect()
}

/// Starts a child, kills it after a while, and returns what it gave out.
fn run_and_kill(path: &Path, run: u32, delay: Duration) -> Vec<(u32, String)> {
    let mut child = start(path, run).spawn().unwrap();
    let stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || given_out(stdout));
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// A folder, and in it a key file of as many epochs.
fn key_file(name: &str, epochs: u32) -> (PathBuf, PathBuf, PublicKey) {
    let name = format!("{name}-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("key");
    let window = Window::new(1000, 999 + epochs).unwrap();
    let file = KeyFile::<Ethereum>::create(&path, &seed(), window, &Unobserved).unwrap();
    let public = *file.public_key();
    (folder, path, public)
}

#[test]
fn processes_at_odds() {
    let (folder, path, public) = key_file("odds", 20);
    let children: Vec<_> = (0..5)
        .map(|run| start(&path, run).env(TURNS, "4").spawn().unwrap())
        .collect();
    let mut epochs = Vec::new();
    for (child, run) in children.into_iter().zip(0..) {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        for (epoch, text) in given_out(&output.stdout[..]) {
            let signature: Signature = text.parse().unwrap();
            assert_eq!(
                public.verify(epoch, &message(run, epoch), &signature),
                Ok(())
            );
            epochs.push(epoch);
        }
    }
    epochs.sort_unstable();
    assert_eq!(epochs, (1000..1020).collect::<Vec<u32>>());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn killed_signers() {
    let (folder, path, public) = key_file("kill", 1 << 14);
    let mut released: BTreeMap<u32, u32> = BTreeMap::new();
    let mut state = 1u64;
    for run in 0..KILLS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let delay = Duration::from_micros(2_000 + (state >> 33) % 40_000);
        let before = KeyInfo::read(&path).unwrap().used_count;
        let signed = run_and_kill(&path, run, delay);
        let whole = |text: &str| text.len() == 2 + 2 * 1208;
        for (epoch, text) in signed.iter().filter(|(_, text)| whole(text)) {
            let signature: Signature = text.parse().unwrap();
            assert_eq!(
                public.verify(*epoch, &message(run, *epoch), &signature),
                Ok(())
            );
            assert_eq!(
                released.insert(*epoch, run),
                None,
                "epoch {epoch} signed twice"
            );
        }
        // The next signer finds every one marked; at most the last mark is without a signature,
        // and that one can be had again.
        let mut file = open(&path);
        for epoch in signed.iter().map(|(epoch, _)| *epoch) {
            assert!(
                matches!(file.sign(epoch, &[0; 32]), Err(UseError::Used(_))),
                "{epoch}"
            );
        }
        let lost: Vec<u32> = file
            .used()
            .flat_map(|(first, last)| first..=last)
            .filter(|epoch| !released.contains_key(epoch))
            .collect();
        assert!(lost.len() <= 1, "{lost:?}");
        for epoch in lost {
            let signature = file.sign_again(epoch, &message(run, epoch)).unwrap();
            assert_eq!(
                public.verify(epoch, &message(run, epoch), &signature),
                Ok(())
            );
            released.insert(epoch, run);
        }
        assert!(file.used_count() >= before);
        assert_eq!(file.used_count(), released.len() as u64);
    }
    assert!(
        released.len() as u32 > KILLS / 4,
        "too few signatures: {}",
        released.len()
    );
    std::fs::remove_dir_all(folder).unwrap();
}
