//! Proof files: what is written is read, and everything else is refused with a reason.
#![cfg(feature = "prove")]

mod support {
    pub mod case;
}

use prova_proof_file::{FileError, ProofFile, System, TapeError};
use prova_verkle::file::{
    FORMAT_VERSION, FileVerifyError, RECORD_LEN, Record, RecordsError, Statement, records,
};
use prova_verkle::{Fr, Modulus, PointError, ScalarBytes, ScalarModulus, Setup, VerifyError, ipa};
use support::case::{Case, LABEL, dense};

fn case(setup: &Setup) -> (Statement, [u8; 576]) {
    let polynomials = [dense(1), dense(2), [Fr::ZERO; 256]];
    let case = Case::new(
        setup,
        &polynomials,
        &[(0, 8), (2, 9), (1, 8), (0, 255), (0, 8)],
    );
    let statement = Statement {
        label: LABEL.to_vec(),
        records: case.queries().iter().map(Record::from).collect(),
    };
    (statement, case.proof.to_bytes())
}

fn read(params: &[u8], statement: &[u8]) -> Result<Statement, FileVerifyError> {
    Statement::read(&ProofFile {
        system: System::Verkle,
        version: FORMAT_VERSION,
        params,
        statement,
        body: &[],
    })
}

fn order() -> [u8; 32] {
    let limbs = ScalarModulus::MODULUS.map(u64::to_le_bytes);
    limbs.as_flattened().try_into().expect("32 bytes")
}

#[test]
fn written_and_read() {
    let setup = Setup::ethereum();
    let (statement, proof) = case(&setup);
    let bytes = statement.to_bytes();
    assert_eq!(bytes.len(), RECORD_LEN * statement.records.len());
    assert_eq!(records(&bytes).as_ref(), Ok(&statement.records));
    for label in [LABEL.to_vec(), Vec::new(), vec![0xff; 255]] {
        let statement = Statement {
            label,
            ..statement.clone()
        };
        let back = read(&statement.params(), &bytes).expect("its own encoding");
        assert_eq!(back, statement);
        let verdict = back.verify(&setup, &proof);
        if back.label == LABEL {
            assert_eq!(verdict, Ok(()));
        } else {
            assert_eq!(
                verdict,
                Err(FileVerifyError::Rejected(VerifyError::Rejected))
            );
        }
    }
}

#[test]
fn damaged_sections() {
    let setup = Setup::ethereum();
    let (statement, _) = case(&setup);
    let (params, bytes) = (statement.params(), statement.to_bytes());
    let other = ProofFile {
        system: System::Whir,
        version: FORMAT_VERSION,
        params: &params,
        statement: &bytes,
        body: &[],
    };
    assert!(matches!(
        Statement::read(&other),
        Err(FileVerifyError::File(FileError::WrongSystem { .. }))
    ));
    let later = ProofFile {
        system: System::Verkle,
        version: FORMAT_VERSION + 1,
        ..other
    };
    assert!(matches!(
        Statement::read(&later),
        Err(FileVerifyError::File(_))
    ));
    for length in 0..params.len() {
        let error = read(&params[..length], &bytes).unwrap_err();
        assert!(matches!(error, FileVerifyError::Tape(_)), "{error}");
        assert!(!error.is_rejection());
    }
    let longer = [&params[..], &[0]].concat();
    assert!(matches!(
        read(&longer, &bytes),
        Err(FileVerifyError::Tape(_))
    ));
    for group in [0, 2, 255] {
        let mut params = params.clone();
        params[0] = group;
        assert!(matches!(
            read(&params, &bytes),
            Err(FileVerifyError::Tape(TapeError::Invalid { offset: 0, got, .. }))
                if got == u64::from(group)
        ));
    }
    for got in [0, 1, 64, 66, bytes.len() - 1] {
        let error = RecordsError::Length { got };
        let records: Vec<u8> = bytes.iter().copied().cycle().take(got).collect();
        assert_eq!(read(&params, &records), Err(error.into()));
    }
}

#[test]
fn values_and_commitments_are_checked() {
    let setup = Setup::ethereum();
    let (statement, proof) = case(&setup);
    let bytes = statement.to_bytes();
    for opening in 0..statement.records.len() {
        let mut altered = bytes.clone();
        altered[RECORD_LEN * opening + 33..][..32].copy_from_slice(&order());
        assert_eq!(records(&altered), Err(RecordsError::Value { opening }));
    }
    // The first opening that has the bad commitment is named, whichever order they sort in.
    for bad in [[0xff; 32], [0x73; 32]] {
        for opening in 0..4 {
            let mut statement = statement.clone();
            for record in &mut statement.records[opening..] {
                record.commitment = bad;
            }
            match statement.verify(&setup, &proof) {
                Err(FileVerifyError::Commitment { opening: at, error }) => {
                    assert_eq!(at, opening);
                    assert!(bad != [0xff; 32] || error == PointError::NotCanonical);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    for opening in 0..statement.records.len() {
        let mut value = statement.clone();
        value.records[opening].value = ScalarBytes::from(Fr::from(77));
        let mut point = statement.clone();
        point.records[opening].point ^= 1;
        let mut commitment = statement.clone();
        commitment.records[opening].commitment[..].copy_from_slice(&proof[..32]);
        for altered in [value, point, commitment] {
            let error = altered.verify(&setup, &proof).unwrap_err();
            assert_eq!(error, FileVerifyError::Rejected(VerifyError::Rejected));
            assert!(error.is_rejection());
        }
    }
    let none = Statement {
        records: Vec::new(),
        ..statement.clone()
    };
    assert_eq!(
        none.verify(&setup, &proof),
        Err(FileVerifyError::Rejected(VerifyError::NoOpenings))
    );
    for got in [0, 575] {
        let error = ipa::DecodeError::Length { expected: 576, got };
        assert_eq!(
            statement.verify(&setup, &proof[..got]),
            Err(FileVerifyError::Proof(error))
        );
    }
    let longer = [&proof[..], &[0]].concat();
    assert!(statement.verify(&setup, &longer).is_err());
}
