//! Kept proof files and both verdicts on them.
#![allow(dead_code)] // each test binary uses its own part

use std::fs;
use std::path::PathBuf;

use prova_proof_file::ProofFile;
use prova_whir::{Params, Statement};
use prova_whir_view::input::Input;
use prova_whir_view::{Error, Key, Portable, VerifyingKey};

/// Folder of the fixtures.
pub fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

/// A kept proof file.
pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    pub params: Params,
    pub statement: Statement,
    pub key: VerifyingKey,
}

impl Case {
    pub fn read(name: &str) -> Self {
        let bytes = fs::read(vectors().join(format!("{name}.proof"))).unwrap();
        let file = ProofFile::parse(&bytes).unwrap();
        let params = Params::from_bytes(file.params).unwrap();
        let statement =
            Statement::from_bytes(file.statement, params.field, params.extension_degree).unwrap();
        let key = VerifyingKey::derive(&Portable::default(), &params, &statement)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        Self {
            name: name.to_owned(),
            params,
            statement,
            key,
            bytes,
        }
    }

    pub fn file(&self) -> ProofFile<'_> {
        ProofFile::parse(&self.bytes).unwrap()
    }
}

/// All of them, by name.
pub fn cases() -> Vec<Case> {
    let mut names: Vec<String> = fs::read_dir(vectors())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".proof").map(str::to_owned)
        })
        .collect();
    names.sort_unstable();
    names.iter().map(|name| Case::read(name)).collect()
}

/// An input of a key and a proof file, in storage aligned to a word.
pub fn input(key: &VerifyingKey, file: &[u8]) -> Vec<u32> {
    let input = Input {
        key: key.words(),
        file,
    };
    aligned(&input.to_bytes())
}

/// The stock verifier's verdict on a file: accepted, rejected or malformed.
pub fn stock(file: &[u8]) -> Result<(), prova_whir::VerifyError> {
    prova_whir::verify_file(&ProofFile::parse(file)?).map(|_| ())
}

/// Our verdict on a file under a key.
pub fn ours(portable: &Portable, key: &VerifyingKey, file: &[u32]) -> Result<(), Error> {
    let key = Key::parse(key.words())?;
    let file = bytemuck::cast_slice(file);
    let mut unobserved = prova_whir_view::Unobserved;
    prova_whir_view::verify_file(portable, &key, file, &mut unobserved).map(|_| ())
}

/// Bytes in storage aligned to a word; files and inputs are whole words.
pub fn aligned(bytes: &[u8]) -> Vec<u32> {
    assert_eq!(bytes.len() % 4, 0);
    bytemuck::pod_collect_to_vec(bytes)
}
