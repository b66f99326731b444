//! `prova xmss` end to end: keys, signatures, used epochs, batches, bad input, interruption.

mod common;

use common::Folder;

const MESSAGE: &str = "000000000000000000000000000000000000000000000000000000000000002a";
const OTHER: &str = "000000000000000000000000000000000000000000000000000000000000002b";

fn folder(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let made = folder.json("xmss keygen --out key --first 5 --epochs 20 --threads 1");
    let public = made["public_key"].as_str().expect("a string").to_string();
    assert_eq!((&made["first"], &made["last"]), (&5.into(), &24.into()));
    (folder, public)
}

#[test]
fn an_epoch_signs_once() {
    let (folder, public) = folder("xmss-once");
    let signed = folder.json(&format!(
        "xmss sign key --epoch 7 --message {MESSAGE} --out sig"
    ));
    assert_eq!(signed["public_key"], public);
    let signature = folder.read("sig");
    assert_eq!(signature.len(), 1208);
    let about = format!("--key {public} --epoch 7 --message {MESSAGE}");
    folder.ok(&format!("xmss verify {about} --signature sig"));

    // No second signature; the same one again for the same message only.
    for message in [MESSAGE, OTHER] {
        folder
            .run(&format!("xmss sign key --epoch 7 --message {message}"))
            .exits(2)
            .says("epoch 7 is used");
    }
    folder.ok(&format!(
        "xmss sign key --epoch 7 --message {MESSAGE} --again --out again"
    ));
    assert_eq!(folder.read("again"), signature);
    folder
        .run(&format!(
            "xmss sign key --epoch 7 --message {OTHER} --again"
        ))
        .exits(2)
        .says("another message");
    folder
        .run(&format!(
            "xmss sign key --epoch 8 --message {MESSAGE} --again"
        ))
        .exits(2)
        .says("not used yet");
    for epoch in [4, 25, 4_000_000_000_u32] {
        folder
            .run(&format!(
                "xmss sign key --epoch {epoch} --message {MESSAGE}"
            ))
            .exits(2)
            .says(&epoch.to_string());
    }

    // Without an epoch the first unused one is taken, until none is left.
    folder.write("message", [0x11; 32]);
    for epoch in (5..=24).filter(|epoch| *epoch != 7) {
        let signed = folder.json("xmss sign key --message-file message");
        assert_eq!(signed["epoch"], epoch);
    }
    folder
        .run("xmss sign key --message-file message")
        .exits(2)
        .says("every epoch of the window is used");
    let info = folder.json("xmss info key");
    assert_eq!(
        (&info["used"], &info["public_key"]),
        (&20.into(), &public.clone().into())
    );
    assert_eq!(info["used_ranges"], serde_json::json!([[5, 24]]));
    assert!(info["next_unused"].is_null());
    assert!(folder.ok("xmss info key").stdout.contains("5-24"));
    assert_eq!(
        folder
            .files()
            .iter()
            .filter(|name| name.contains("tmp"))
            .count(),
        0
    );
}

#[test]
fn what_is_not_signed_is_refused() {
    let (folder, public) = folder("xmss-refused");
    folder.ok(&format!(
        "xmss sign key --epoch 9 --message {MESSAGE} --out sig"
    ));
    let run = |key: &str, epoch: u32, message: &str| {
        folder.run(&format!(
            "xmss verify --key {key} --epoch {epoch} --message {message} --signature sig"
        ))
    };
    run(&public, 9, MESSAGE).exits(0);
    run(&public, 10, MESSAGE).exits(1).says("sig: ");
    run(&public, 9, OTHER).exits(1).says("sig: ");
    let other = public.replace(['3', '7'], "5");
    run(&other, 9, MESSAGE).exits(1).says("sig: ");
    let signature = folder.read("sig");
    for offset in [0, 671, 672, 695, 696, 1207] {
        let mut altered = signature.clone();
        altered[offset] ^= 0x40;
        folder.write("altered", altered);
        folder
            .run(&format!(
                "xmss verify --key {public} --epoch 9 --message {MESSAGE} --signature altered"
            ))
            .exits(1)
            .says("altered: ");
    }
    for length in [0, 1207, 1209] {
        let mut bytes = signature.clone();
        bytes.resize(length, 0x80);
        folder.write("short", bytes);
        folder
            .run(&format!(
                "xmss verify --key {public} --epoch 9 --message {MESSAGE} --signature short"
            ))
            .exits(2)
            .says("short: ");
    }
    // The hexadecimal form.
    folder.ok(&format!(
        "xmss sign key --epoch 9 --message {MESSAGE} --again --out hex --form hex"
    ));
    folder.ok(&format!(
        "xmss verify --key {public} --epoch 9 --message {MESSAGE} --signature hex"
    ));
}

#[test]
fn a_batch_names_each_bad_one() {
    let (folder, _) = folder("xmss-batch");
    let mut batch = Vec::new();
    for _ in 0..20 {
        folder.ok(&format!(
            "xmss sign key --message {MESSAGE} --out one --form signed --force"
        ));
        batch.extend(folder.read("one"));
    }
    assert_eq!(batch.len(), 20 * 1276);
    folder.write("batch", &batch);
    assert_eq!(folder.json("xmss verify --batch batch")["signatures"], 20);
    for bad in [3, 17] {
        batch[1276 * bad + 40] ^= 1;
    }
    folder.write("batch", &batch);
    let run = folder.run("xmss verify --batch batch --json").exits(1);
    assert_eq!(run.json()["bad"], serde_json::json!([3, 17]));
    folder
        .run("xmss verify --batch batch")
        .exits(1)
        .says("2 of 20 signatures are not valid");
    for length in [0, 1275, 1277] {
        folder.write("short", &batch[..length]);
        folder
            .run("xmss verify --batch short")
            .exits(2)
            .says("short: ");
    }
}

#[test]
fn bad_key_files_and_arguments() {
    let (folder, _) = folder("xmss-bad");
    folder
        .run("xmss keygen --out key")
        .exits(2)
        .says("exists already");
    folder
        .run("xmss keygen --out no/key")
        .exits(2)
        .says("cannot use no/");
    folder
        .run("xmss keygen --out k --epochs 0")
        .exits(2)
        .says("--epochs");
    folder
        .run("xmss keygen --out k --first 4294967295 --epochs 2")
        .exits(2)
        .says("below 2^32");
    let key = folder.read("key");
    for length in [0, 7, 100, key.len() - 1] {
        folder.write("cut", &key[..length.min(key.len())]);
        for command in [
            "info cut".to_string(),
            format!("sign cut --message {MESSAGE}"),
        ] {
            let run = folder.run(&format!("xmss {command}"));
            // The journal's end may be cut off, which is how a crash leaves it.
            assert!(
                run.code == Some(2) || length == key.len() - 1,
                "{command} {length}"
            );
        }
    }
    let mut altered = key;
    altered[30] ^= 1;
    folder.write("altered", altered);
    folder.run("xmss info altered").exits(2).says("altered");
    folder.run("xmss info missing").exits(2).says("missing");
    folder
        .run("xmss sign key --message 12")
        .exits(2)
        .says("64 hexadecimal digits");
    folder.write("short", [1; 31]);
    folder
        .run("xmss sign key --message-file short")
        .exits(2)
        .says("32 bytes");
    folder.write("taken", "x");
    folder
        .run(&format!("xmss sign key --message {MESSAGE} --out taken"))
        .exits(2)
        .says("exists already");
    // The epoch was not used up by it.
    assert_eq!(folder.json("xmss info key")["used"], 0);
}

#[cfg(unix)]
#[test]
fn a_signal_stops_key_generation_and_leaves_no_file() {
    let folder = Folder::new("xmss-signal");
    folder.interrupted(
        "xmss keygen --out key --epochs 16777216 --threads 1 --json",
        500,
    );
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}
