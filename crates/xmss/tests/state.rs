//! Key files: every step of every operation stopped, damaged files, concurrent signers.

#[path = "support/sim.rs"]
mod sim;
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use prova_hash::blake2s::Kernel;
use prova_xmss::sign::{SecretKey, SignError, Unobserved, Window};
use prova_xmss::state::{FileError, FormatError, KeyFile, KeyInfo, UseError};
use prova_xmss::{Ethereum, LeanVmB};
use sim::{Extent, Fault, Sim, Survives};
use support::seed;

const WINDOW: (u32, u32) = (100, 115);

fn key() -> SecretKey {
    let window = Window::new(WINDOW.0, WINDOW.1).unwrap();
    SecretKey::generate(&seed(), window, &Unobserved).unwrap()
}

/// Messages that take few trials, so that thousands of signatures take little time: two an epoch.
fn messages(key: &SecretKey) -> BTreeMap<u32, [[u8; 32]; 2]> {
    let quick = |epoch: u32, tag: u8| {
        let message = |i: u32| {
            let mut message = [tag; 32];
            message[..4].copy_from_slice(&i.to_le_bytes());
            message
        };
        let few = |m: &[u8; 32]| key.search(Kernel::best(), epoch, m, 0..320).is_some();
        (0..).map(message).find(few).unwrap()
    };
    [101, 100, 115, 107]
        .map(|epoch| (epoch, [quick(epoch, 1), quick(epoch, 2)]))
        .into()
}

type Messages = BTreeMap<u32, [[u8; 32]; 2]>;

/// What left the signer.
#[derive(Default)]
struct Released {
    created: bool,
    signed: BTreeMap<u32, [u8; 32]>,
}

/// Creates a key file, signs, reopens it, signs on. Goes on after errors as a caller would.
fn script(sim: &Sim, path: &Path, messages: &Messages, released: &mut Released) {
    let Ok(mut file) = KeyFile::create_in(sim, path, key()) else {
        return;
    };
    released.created = true;
    let mut sign = |file: &mut KeyFile<Ethereum, Sim>, epoch: u32| {
        let message = messages[&epoch][0];
        match file.sign(epoch, &message) {
            Ok(signature) => {
                assert_eq!(
                    file.public_key().verify(epoch, &message, &signature),
                    Ok(())
                );
                assert_eq!(
                    released.signed.insert(epoch, message),
                    None,
                    "{epoch} twice"
                );
                true
            }
            Err(_) => {
                // Nothing more comes out of this handle.
                assert!(matches!(
                    file.sign(107, &messages[&107][0]),
                    Err(UseError::Poisoned)
                ));
                false
            }
        }
    };
    let _ = sign(&mut file, 101) && sign(&mut file, 100);
    drop(file);
    if let Ok(mut file) = KeyFile::<Ethereum, Sim>::open_in(sim, path) {
        let _ = !file.is_used(115) && sign(&mut file, 115);
    }
}

/// Whatever happened, nothing signs twice, and nothing is lost unseen.
fn check(sim: &Sim, path: &Path, messages: &Messages, released: &Released, context: &str) {
    let mut signed = released.signed.clone();
    {
        let mut file = match KeyFile::<Ethereum, Sim>::open_in(sim, path) {
            Ok(file) => file,
            Err(error) => {
                assert!(!released.created, "{context}: {error}");
                assert!(!sim.exists(path), "{context}: {error}");
                return;
            }
        };
        let mut lost = 0;
        for (&epoch, [first, second]) in messages {
            let was_used = file.is_used(epoch);
            assert!(
                was_used || !signed.contains_key(&epoch),
                "{context}: {epoch} forgotten"
            );
            match file.sign(epoch, second) {
                Ok(_) => assert_eq!(signed.insert(epoch, *second), None, "{context}: {epoch}"),
                Err(UseError::Used(_)) => {
                    assert!(was_used);
                    lost += usize::from(!signed.contains_key(&epoch));
                    signed.insert(epoch, *first);
                    let again = file.sign_again(epoch, first).unwrap();
                    assert_eq!(file.public_key().verify(epoch, first, &again), Ok(()));
                }
                Err(error) => panic!("{context}: {error}"),
            }
        }
        assert!(lost <= 1, "{context}: {lost} signatures lost");
    }
    // What was signed after the repair outlives a power loss too.
    sim.reboot(Survives::Nothing);
    let file = KeyFile::<Ethereum, Sim>::open_in(sim, path);
    let mut file = file.unwrap_or_else(|error| panic!("{context}, later: {error}"));
    assert_eq!(file.used_count(), messages.len() as u64, "{context}");
    for (&epoch, message) in &signed {
        assert!(
            matches!(file.sign(epoch, &[0; 32]), Err(UseError::Used(_))),
            "{context}"
        );
        assert!(file.sign_again(epoch, message).is_ok(), "{context}");
    }
}

#[test]
fn every_step_stopped() {
    let path = Path::new("/keys/key");
    let messages = messages(&key());
    let run = |fault: Option<(usize, Fault)>, survives: Survives| {
        let (sim, mut released) = (Sim::default(), Released::default());
        if let Some((at, fault)) = fault {
            sim.fail(at, fault);
        }
        script(&sim, path, &messages, &mut released);
        let steps = sim.steps();
        sim.reboot(survives);
        check(
            &sim,
            path,
            &messages,
            &released,
            &format!("{fault:?}, {survives:?}"),
        );
        (steps, released)
    };
    let (steps, released) = run(None, Survives::Nothing);
    assert_eq!(released.signed.len(), 3);
    let extents = [Extent::Nothing, Extent::Half, Extent::All];
    let faults: Vec<Fault> = extents
        .into_iter()
        .flat_map(|e| [Fault::Crash(e), Fault::Error(e)])
        .collect();
    let mut partial = 0;
    for at in 0..steps {
        for &fault in &faults {
            for survives in [
                Survives::All,
                Survives::Nothing,
                Survives::Lengths,
                Survives::Half,
            ] {
                let (_, released) = run(Some((at, fault)), survives);
                partial += usize::from(!released.signed.is_empty() && released.signed.len() < 3);
            }
        }
    }
    assert!(partial > 50, "the faults hit signing: {partial}");
}

#[test]
fn a_full_disk() {
    let (sim, path) = (Sim::default(), Path::new("/keys/key"));
    let messages = messages(&key());
    let mut file = KeyFile::create_in(&sim, path, key()).unwrap();
    let first = |epoch: u32| &messages[&epoch][0];
    assert!(file.sign(101, first(101)).is_ok());
    // Room for a part of the next record.
    sim.set_capacity(Some(192 + 64 + 20));
    let error = file.sign(100, first(100)).unwrap_err();
    assert!(
        matches!(&error, UseError::Mark { epoch: 100, error }
        if error.kind() == std::io::ErrorKind::StorageFull),
        "{error}"
    );
    assert!(matches!(
        file.sign(115, first(115)),
        Err(UseError::Poisoned)
    ));
    assert!(matches!(
        file.sign_again(101, first(101)),
        Err(UseError::Poisoned)
    ));
    drop(file);
    // Opened while full, then with room again.
    for capacity in [Some(192 + 64 + 20), None] {
        sim.set_capacity(capacity);
        let mut file = KeyFile::<Ethereum, Sim>::open_in(&sim, path).unwrap();
        assert!(file.is_used(101) && !file.is_used(100));
        assert_eq!(file.sign(100, first(100)).is_ok(), capacity.is_none());
    }
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_file_on_disk() {
    let folder = folder("disk");
    let path = folder.join("key");
    let (messages, window) = (messages(&key()), Window::new(WINDOW.0, WINDOW.1).unwrap());
    let mut file = KeyFile::<Ethereum>::create(&path, &seed(), window, &Unobserved).unwrap();
    assert_eq!(file.public_key(), key().public_key());
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        1,
        "no second name is left"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    let again = KeyFile::<Ethereum>::create(&path, &seed(), window, &Unobserved);
    assert!(matches!(again, Err(FileError::Exists(_))));
    assert!(matches!(
        KeyFile::<Ethereum>::open(&path),
        Err(FileError::Locked(_))
    ));
    std::fs::hard_link(&path, folder.join("alias")).unwrap();
    let alias = KeyFile::<Ethereum>::open(&folder.join("alias"));
    assert!(matches!(alias, Err(FileError::Locked(_))));

    let [first, second] = messages[&115];
    let signature = file.sign(115, &first).unwrap();
    assert!(matches!(file.sign(115, &first), Err(UseError::Used(115))));
    assert!(matches!(
        file.sign_again(115, &second),
        Err(UseError::OtherMessage(115))
    ));
    assert!(matches!(
        file.sign_again(100, &first),
        Err(UseError::Unused(100))
    ));
    let outside = file.sign(116, &first).unwrap_err();
    assert!(matches!(
        outside,
        UseError::Sign(SignError::OutsideWindow { epoch: 116, .. })
    ));
    assert_eq!(file.next_unused(0), Some(100));
    assert_eq!(file.next_unused(115), None);
    drop(file);

    let mut file = KeyFile::<Ethereum>::open(&path).unwrap();
    assert_eq!(file.used().collect::<Vec<_>>(), [(115, 115)]);
    assert_eq!(file.sign_again(115, &first).unwrap(), signature);
    let info = KeyInfo::read(&path).unwrap();
    assert_eq!(
        (info.window, info.used, info.used_count),
        (window, vec![(115, 115)], 1)
    );
    assert_eq!(
        (info.layout, info.next_unused, info.incomplete),
        (0, Some(100), false)
    );
    assert_eq!(&info.public_key, file.public_key());
    assert!(matches!(
        KeyFile::<LeanVmB>::open(&folder.join("alias")),
        Err(FileError::Locked(_))
    ));
    drop(file);
    let other = KeyFile::<LeanVmB>::open(&path).unwrap_err();
    let layout = FormatError::Layout {
        expected: 1,
        got: 0,
    };
    assert!(matches!(other, FileError::Format { error, .. } if error == layout));
    let missing = KeyFile::<Ethereum>::open(&folder.join("none")).unwrap_err();
    assert!(matches!(missing, FileError::Io { .. }));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn damaged_files_are_refused() {
    let folder = folder("damaged");
    let path = folder.join("key");
    let messages = messages(&key());
    let window = Window::new(WINDOW.0, WINDOW.1).unwrap();
    let mut file = KeyFile::<Ethereum>::create(&path, &seed(), window, &Unobserved).unwrap();
    for epoch in [101, 100] {
        file.sign(epoch, &messages[&epoch][0]).unwrap();
    }
    drop(file);
    let sound = std::fs::read(&path).unwrap();
    let journal = sound.len() - 128;
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let result = KeyFile::<Ethereum>::open(&path);
        let info = KeyInfo::read(&path);
        match result {
            Ok(file) => Ok(file.used_count()),
            Err(FileError::Format { error, .. }) => {
                let layout = matches!(error, FormatError::Layout { .. } | FormatError::PublicKey);
                assert!(layout || info.is_err());
                Err(error)
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(open(&sound), Ok(2));
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1 << (at % 8);
        let error = open(&bytes).expect_err("damaged");
        let number = at.saturating_sub(journal) / 64;
        if at >= journal {
            let offset = (journal + 64 * number) as u64;
            assert_eq!(
                error,
                FormatError::Record {
                    number: number as u64,
                    offset
                },
                "byte {at}"
            );
        } else {
            assert!(!matches!(error, FormatError::Record { .. }), "byte {at}");
        }
    }
    // Cut in the journal: what a crash can leave. Cut before it: damage.
    for len in 0..sound.len() {
        let got = open(&sound[..len]);
        match len.checked_sub(journal) {
            Some(rest) => {
                assert_eq!(got, Ok(rest as u64 / 64), "{len} bytes");
                let cut = std::fs::metadata(&path).unwrap().len();
                assert_eq!(cut, (len - rest % 64) as u64, "{len} bytes");
            }
            None => assert!(matches!(got, Err(FormatError::Short { .. })), "{len} bytes"),
        }
    }
    // Zeros in place of the last record: what a crash can leave. Of an earlier one: damage.
    let mut zeros = sound.clone();
    zeros[journal + 64..].fill(0);
    assert_eq!(open(&zeros), Ok(1));
    let mut zeros = sound.clone();
    zeros[journal..journal + 64].fill(0);
    assert!(matches!(
        open(&zeros),
        Err(FormatError::Record { number: 0, .. })
    ));
    // A record in the wrong place, and one of another file.
    let swapped = [
        &sound[..journal],
        &sound[journal + 64..],
        &sound[journal..journal + 64],
    ]
    .concat();
    assert!(matches!(
        open(&swapped),
        Err(FormatError::Record { number: 0, .. })
    ));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn one_of_many_signers_wins() {
    let folder = folder("threads");
    let path = folder.join("key");
    let messages = messages(&key());
    let window = Window::new(WINDOW.0, WINDOW.1).unwrap();
    drop(KeyFile::<Ethereum>::create(&path, &seed(), window, &Unobserved).unwrap());
    let wins = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (path, messages, wins) = (&path, &messages, &wins);
            scope.spawn(move || {
                for _ in 0..200 {
                    match KeyFile::<Ethereum>::open(path) {
                        Ok(mut file) => match file.sign(107, &messages[&107][thread % 2]) {
                            Ok(_) => {
                                wins.fetch_add(1, Ordering::SeqCst);
                            }
                            Err(UseError::Used(107)) => return,
                            Err(error) => panic!("{error}"),
                        },
                        Err(FileError::Locked(_)) => std::thread::yield_now(),
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    assert_eq!(wins.into_inner(), 1);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn creation_never_overwrites() {
    let (sim, path) = (Sim::default(), Path::new("/keys/key"));
    drop(KeyFile::create_in(&sim, path, key()).unwrap());
    let window = Window::new(0, 3).unwrap();
    let other = SecretKey::<Ethereum>::generate(&[9; 32], window, &Unobserved).unwrap();
    let result = KeyFile::create_in(&sim, path, other);
    assert!(matches!(result, Err(FileError::Exists(taken)) if taken == path));
    let file = KeyFile::<Ethereum, Sim>::open_in(&sim, path).unwrap();
    assert_eq!(file.public_key(), key().public_key());
}
