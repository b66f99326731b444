//! Tapes and verdicts.

use std::error::Error as _;

use proptest::prelude::*;
use prova_proof_file::{
    Exit, Failure, FileError, Malformed, Section, Tape, TapeError, TapeWriter, Verdict,
};

#[derive(Clone, Debug)]
enum Item {
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    Bytes(Vec<u8>),
}

impl Item {
    fn write(&self, out: &mut TapeWriter) {
        match self {
            Self::U8(value) => out.u8(*value),
            Self::U16(value) => out.u16(*value),
            Self::U32(value) => out.u32(*value),
            Self::U64(value) => out.u64(*value),
            Self::Bytes(value) => out.bytes(value),
        }
    }

    fn is_next(&self, tape: &mut Tape<'_>) -> Result<bool, TapeError> {
        Ok(match self {
            Self::U8(value) => tape.u8()? == *value,
            Self::U16(value) => tape.u16()? == *value,
            Self::U32(value) => tape.u32()? == *value,
            Self::U64(value) => tape.u64()? == *value,
            Self::Bytes(value) => tape.bytes(value.len())? == value,
        })
    }
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        any::<u8>().prop_map(Item::U8),
        any::<u16>().prop_map(Item::U16),
        any::<u32>().prop_map(Item::U32),
        any::<u64>().prop_map(Item::U64),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Item::Bytes),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read(items in prop::collection::vec(item(), 0..20)) {
        let mut out = TapeWriter::new();
        for item in &items {
            item.write(&mut out);
        }
        let len = out.position();
        let bytes = out.into_bytes();
        prop_assert_eq!(bytes.len(), len);

        let mut tape = Tape::new(Section::Body, &bytes);
        for item in &items {
            prop_assert_eq!(tape.position() + tape.remaining(), len);
            prop_assert!(item.is_next(&mut tape)?);
        }
        prop_assert_eq!(tape.finish(), Ok(()));

        for cut in 0..len {
            let mut tape = Tape::new(Section::Body, &bytes[..cut]);
            let read = items.iter().try_for_each(|item| item.is_next(&mut tape).map(drop));
            let exhausted = matches!(
                read,
                Err(TapeError::Exhausted { section: Section::Body, offset, needed, remaining })
                    if offset + remaining == cut && needed > remaining
            );
            prop_assert!(exhausted, "cut at {}: {:?}", cut, read);
        }
    }
}

#[test]
fn integers_are_little_endian() {
    let mut out = TapeWriter::with_capacity(15);
    out.u8(1);
    out.u16(0x0302);
    out.u32(0x0706_0504);
    out.u64(0x0F0E_0D0C_0B0A_0908);
    let bytes = out.into_bytes();
    assert_eq!(bytes, (1..=15).collect::<Vec<u8>>());
    assert_eq!(Tape::new(Section::Params, &bytes).array(), Ok([1, 2, 3, 4]));
}

#[test]
fn a_failed_read_moves_nothing() {
    let mut tape = Tape::new(Section::Statement, &[1, 2, 3]);
    assert_eq!(tape.u8(), Ok(1));
    let exhausted = |needed| {
        Err(TapeError::Exhausted {
            section: Section::Statement,
            offset: 1,
            needed,
            remaining: 2,
        })
    };
    assert_eq!(tape.u32(), exhausted(4).map(u32::from));
    assert_eq!(tape.bytes(usize::MAX).map(|_| 0u8), exhausted(usize::MAX));
    assert_eq!(tape.array::<3>().map(|_| 0u8), exhausted(3));
    assert_eq!((tape.position(), tape.remaining()), (1, 2));
    assert_eq!(tape.u16(), Ok(0x0302));
    assert_eq!(tape.bytes(0), Ok(&[][..]));
    assert_eq!(tape.finish(), Ok(()));
}

#[test]
fn bytes_left_over_are_an_error() {
    let mut tape = Tape::new(Section::Body, &[0; 5]);
    assert_eq!(tape.u16(), Ok(0));
    let error = tape.finish().unwrap_err();
    assert_eq!(
        error,
        TapeError::Trailing {
            section: Section::Body,
            offset: 2,
            remaining: 3
        }
    );
    assert_eq!(
        error.to_string(),
        "the body section is too long: expected its end at offset 2, got 3 more bytes"
    );
}

#[test]
fn an_invalid_value_names_its_place() {
    let mut tape = Tape::new(Section::Params, &[0, 9]);
    assert_eq!(tape.u8(), Ok(0));
    let offset = tape.position();
    let got = tape.u8().unwrap();
    assert_eq!(
        tape.invalid(offset, "a field tag, 1 or 2", got.into())
            .to_string(),
        "invalid value in the params section at offset 1: expected a field tag, 1 or 2, got 9"
    );
}

#[derive(Debug, thiserror::Error)]
#[error("the claim does not hold")]
struct Reason;

#[test]
fn verdicts_have_exit_codes_and_keep_their_message() {
    let rejected: Failure<Reason> = Failure::Rejected(Reason);
    let tape: Verdict<Reason> = Tape::new(Section::Body, &[1])
        .finish()
        .map_err(Failure::from);
    let file: Verdict<Reason> = Err(FileError::UnknownSystem { got: 9 }.into());
    assert_eq!(Exit::from(&Ok::<_, Failure<Reason>>(())), Exit::Done);
    assert_eq!(rejected.exit(), Exit::Rejected);
    assert_eq!(Exit::from(&tape), Exit::Malformed);
    assert_eq!(Exit::from(&file), Exit::Malformed);

    assert_eq!(rejected.to_string(), "the claim does not hold");
    assert!(rejected.source().is_none());
    let Failure::Malformed(inner) = tape.unwrap_err() else {
        panic!("a tape error is malformed")
    };
    assert!(matches!(inner, Malformed::Tape(TapeError::Trailing { .. })));

    let mapped: Failure<u8> = rejected.map_rejected(|Reason| 5);
    assert_eq!(mapped, Failure::Rejected(5));
}

#[test]
fn exit_codes_are_fixed() {
    let exits = [
        Exit::Done,
        Exit::Rejected,
        Exit::Malformed,
        Exit::Resource,
        Exit::Cancelled,
    ];
    assert_eq!(exits.map(Exit::code), [0, 1, 2, 3, 4]);
}
