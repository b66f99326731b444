//! The container: round trips, and every way to damage a file.

use proptest::prelude::*;
use prova_proof_file::{
    ALIGNMENT, FileError, HEADER_LEN, MAGIC, MAX_BODY_LEN, MAX_PARAMS_LEN, MAX_STATEMENT_LEN,
    ProofFile, Section, System,
};

const PARAMS_LEN_AT: usize = 12;
const STATEMENT_LEN_AT: usize = 16;
const BODY_LEN_AT: usize = 24;

/// Sections of 5, 16 and 17 bytes: one padded, one full, one that runs over.
const SMALL: ProofFile<'static> = ProofFile {
    system: System::Whir,
    version: 1,
    params: b"param",
    statement: b"sixteen bytes ok",
    body: b"seventeen bytes !",
};

const EMPTY: ProofFile<'static> = ProofFile {
    system: System::Verkle,
    version: 0,
    params: &[],
    statement: &[],
    body: &[],
};

fn bytes_of(file: &ProofFile<'_>) -> Vec<u8> {
    file.to_bytes().expect("below the caps")
}

/// A header and nothing after it.
fn header(params_len: u32, statement_len: u64, body_len: u64) -> Vec<u8> {
    let mut bytes = bytes_of(&EMPTY);
    bytes[PARAMS_LEN_AT..][..4].copy_from_slice(&params_len.to_le_bytes());
    bytes[STATEMENT_LEN_AT..][..8].copy_from_slice(&statement_len.to_le_bytes());
    bytes[BODY_LEN_AT..][..8].copy_from_slice(&body_len.to_le_bytes());
    bytes
}

fn system() -> impl Strategy<Value = System> {
    prop::sample::select(System::ALL)
}

fn section() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..70)
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        system in system(),
        version: u16,
        params in section(),
        statement in section(),
        body in section(),
    ) {
        let file =
            ProofFile { system, version, params: &params, statement: &statement, body: &body };
        let bytes = bytes_of(&file);
        prop_assert_eq!(u64::try_from(bytes.len()).unwrap(), file.encoded_len().unwrap());
        prop_assert_eq!(ProofFile::parse(&bytes), Ok(file));
    }

    #[test]
    fn what_is_accepted_is_canonical(
        mut bytes in prop::collection::vec(prop_oneof![3 => Just(0u8), 1 => any::<u8>()], 0..130),
        lens in [0u8..40, 0u8..40, 0u8..40],
        honest_header: bool,
    ) {
        if honest_header && bytes.len() >= HEADER_LEN {
            bytes[..HEADER_LEN].copy_from_slice(&header(
                lens[0].into(),
                lens[1].into(),
                lens[2].into(),
            ));
        }
        if let Ok(file) = ProofFile::parse(&bytes) {
            prop_assert_eq!(bytes_of(&file), bytes);
        }
    }
}

#[test]
fn the_layout_is_the_documented_one() {
    let mut expected = b"PROVA\x1a\r\n".to_vec();
    expected.extend([1, 0, 1, 0, 5, 0, 0, 0]);
    expected.extend([16, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([17, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend(b"param\0\0\0\0\0\0\0\0\0\0\0");
    expected.extend(b"sixteen bytes ok");
    expected.extend(b"seventeen bytes !\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(bytes_of(&SMALL), expected);
}

#[test]
fn an_empty_file_is_its_header() {
    let bytes = bytes_of(&EMPTY);
    assert_eq!(bytes.len(), HEADER_LEN);
    assert_eq!(ProofFile::parse(&bytes), Ok(EMPTY));
}

#[test]
fn sections_start_aligned_and_lie_in_the_file() {
    for lens in [[0, 0, 0], [1, 1, 1], [15, 16, 17], [16, 0, 31], [33, 7, 0]] {
        let [params, statement, body] = lens.map(|len| vec![0xAB; len]);
        let bytes = bytes_of(&ProofFile {
            system: System::Whir,
            version: 1,
            params: &params,
            statement: &statement,
            body: &body,
        });
        assert_eq!(bytes.len() % ALIGNMENT, 0);
        let file = ProofFile::parse(&bytes).unwrap();
        for section in Section::ALL {
            let data = file.section(section);
            let offset = data.as_ptr().addr() - bytes.as_ptr().addr();
            assert_eq!(offset % ALIGNMENT, 0, "{section} of {lens:?}");
            assert_eq!(data, &bytes[offset..][..data.len()]);
        }
    }
}

#[test]
fn every_changed_byte_is_an_error_or_another_file() {
    let bytes = bytes_of(&SMALL);
    for at in 0..bytes.len() {
        for change in 1..=u8::MAX {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            if let Ok(file) = ProofFile::parse(&changed) {
                assert_ne!(file, SMALL, "offset {at}, change {change:#04x}");
                assert_eq!(
                    bytes_of(&file),
                    changed,
                    "offset {at}, change {change:#04x}"
                );
            }
        }
    }
}

#[test]
fn every_padding_byte_must_be_zero() {
    let bytes = bytes_of(&SMALL);
    let padding = (HEADER_LEN + 5..HEADER_LEN + 16).chain(HEADER_LEN + 32 + 17..bytes.len());
    for at in padding {
        let mut changed = bytes.clone();
        changed[at] = 9;
        let offset = at.try_into().unwrap();
        assert_eq!(
            ProofFile::parse(&changed),
            Err(FileError::NonZeroPadding { offset, got: 9 })
        );
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = bytes_of(&SMALL);
    let expected = bytes.len().try_into().unwrap();
    for len in 0..bytes.len() {
        let got = len.try_into().unwrap();
        let error = if len < HEADER_LEN {
            FileError::TooShort { needed: 32, got }
        } else {
            FileError::LengthMismatch { expected, got }
        };
        assert_eq!(ProofFile::parse(&bytes[..len]), Err(error));
    }
}

#[test]
fn nothing_may_trail() {
    for file in [SMALL, EMPTY] {
        let mut bytes = bytes_of(&file);
        let expected = bytes.len().try_into().unwrap();
        for _ in 0..40 {
            bytes.push(0);
            let got = bytes.len().try_into().unwrap();
            assert_eq!(
                ProofFile::parse(&bytes),
                Err(FileError::LengthMismatch { expected, got })
            );
        }
    }
}

#[test]
fn other_files_and_damaged_transfers_are_named() {
    for (bytes, offset) in [
        (&b"\x7fELF"[..], 0),
        (b"PROVE", 4),
        (b"PROVA\x1a\n", 6),
        (b"PROVA\x1a\r\r\n", 7),
        (&[0; 100], 0),
    ] {
        let (expected, got) = (MAGIC[offset], bytes[offset]);
        assert_eq!(
            ProofFile::parse(bytes),
            Err(FileError::NotAProofFile {
                offset,
                expected,
                got
            })
        );
    }
    let error = ProofFile::parse(b"PROVE").unwrap_err();
    assert_eq!(
        error.to_string(),
        "not a proof file: expected byte 0x41 at offset 4, got 0x45"
    );
}

#[test]
fn numbers_without_a_system_are_refused() {
    for got in (0..=u16::MAX).filter(|number| !(1..=6).contains(number)) {
        let mut bytes = bytes_of(&SMALL);
        bytes[8..10].copy_from_slice(&got.to_le_bytes());
        assert_eq!(
            ProofFile::parse(&bytes),
            Err(FileError::UnknownSystem { got })
        );
    }
    for (number, &system) in (1..).zip(System::ALL) {
        assert_eq!(System::try_from(number), Ok(system));
        assert_eq!(u16::from(system), number);
    }
    assert_eq!(System::Whir.to_string(), "whir");
}

#[test]
fn a_reader_asks_for_its_system_and_versions() {
    assert_eq!(SMALL.require(System::Whir, &[1, 2]), Ok(()));
    assert_eq!(
        SMALL.require(System::Riscv, &[1]),
        Err(FileError::WrongSystem {
            expected: System::Riscv,
            got: System::Whir
        })
    );
    let error = SMALL.require(System::Whir, &[2, 3]).unwrap_err();
    assert_eq!(
        error,
        FileError::UnsupportedVersion {
            system: System::Whir,
            supported: &[2, 3],
            got: 1
        }
    );
    assert_eq!(
        error.to_string(),
        "unsupported format version of system whir at offset 10: expected one of [2, 3], got 1"
    );
}

#[test]
fn huge_lengths_are_refused_from_the_header_alone() {
    // An error that is `Copy` owns no memory, and so does a parsed file: parsing cannot allocate.
    const fn owns_nothing<T: Copy>() {}
    owns_nothing::<Result<ProofFile<'_>, FileError>>();

    for len in [
        u64::MAX,
        u64::MAX - 15,
        u64::MAX / 2,
        1 << 40,
        MAX_BODY_LEN + 1,
    ] {
        assert_eq!(
            ProofFile::parse(&header(0, 0, len)),
            Err(FileError::SectionTooLarge {
                section: Section::Body,
                len,
                cap: MAX_BODY_LEN
            })
        );
        let error = FileError::SectionTooLarge {
            section: Section::Statement,
            len,
            cap: MAX_STATEMENT_LEN,
        };
        assert_eq!(ProofFile::parse(&header(0, len, len)), Err(error));
    }
    assert_eq!(
        ProofFile::parse(&header(u32::MAX, u64::MAX, u64::MAX)),
        Err(FileError::SectionTooLarge {
            section: Section::Params,
            len: u32::MAX.into(),
            cap: MAX_PARAMS_LEN
        })
    );
    // At the caps the lengths are plausible, and the file is too short for them.
    let caps = header(1 << 16, MAX_STATEMENT_LEN, MAX_BODY_LEN);
    let expected = 32 + MAX_PARAMS_LEN + MAX_STATEMENT_LEN + MAX_BODY_LEN;
    assert_eq!(
        ProofFile::parse(&caps),
        Err(FileError::LengthMismatch { expected, got: 32 })
    );
}

#[test]
fn the_writer_keeps_the_caps_too() {
    for section in Section::ALL {
        let cap = section.cap();
        let long = vec![0; usize::try_from(cap).unwrap() + 1];
        let with = |data| match section {
            Section::Params => ProofFile {
                params: data,
                ..SMALL
            },
            Section::Statement => ProofFile {
                statement: data,
                ..SMALL
            },
            Section::Body => ProofFile {
                body: data,
                ..SMALL
            },
        };
        let error = FileError::SectionTooLarge {
            section,
            len: cap + 1,
            cap,
        };
        assert_eq!(with(&long).to_bytes(), Err(error));
        assert_eq!(with(&long).encoded_len(), Err(error));
        assert!(with(&long[1..]).encoded_len().is_ok());
    }
    let params = vec![7; usize::try_from(MAX_PARAMS_LEN).unwrap()];
    let largest = ProofFile {
        params: &params,
        ..SMALL
    };
    assert_eq!(ProofFile::parse(&bytes_of(&largest)), Ok(largest));
}
