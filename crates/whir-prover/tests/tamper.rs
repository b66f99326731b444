//! Hostile proof files: every byte, every length, another statement, other parameters.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{ours, params, table};
use prova_proof_file::{ProofFile, System as ProofSystem};
use prova_whir::{Field, HashSuite, Regime, VerifyError, verify_file, verify_parts};
use prova_whir_prover::Request;

/// Counts live bytes, so that a test can bound what a verifier allocates.
struct Counting;
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// The counters are global: tests that read them take turns.
static TURN: Mutex<()> = Mutex::new(());

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps `dealloc`'s contract.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A small file with several rounds and grinding in every place.
fn file(hash: HashSuite) -> Vec<u8> {
    let mut params = params(Field::BabyBear, 4, hash);
    (params.regime, params.security_bits, params.pow_bits) = (Regime::Capacity, 118, 12);
    params.security_bits = 30;
    let proved = ours(
        &params,
        &table(&params, 9, 2, 7),
        &Request::Drawn { count: 2 },
    )
    .unwrap();
    ProofFile {
        system: ProofSystem::Whir,
        version: prova_whir::FORMAT_VERSION,
        params: &params.to_bytes(),
        statement: &proved.statement.to_bytes(),
        body: &proved.body,
    }
    .to_bytes()
    .unwrap()
}

fn verify(bytes: &[u8]) -> Result<(), VerifyError> {
    let file = ProofFile::parse(bytes)?;
    verify_file(&file).map(|_| ())
}

#[test]
fn every_flipped_byte_is_refused() {
    let _turn = TURN.lock().unwrap();
    for hash in [HashSuite::Poseidon2x16, HashSuite::Blake3] {
        let good = file(hash);
        verify(&good).unwrap();
        let mut bytes = good.clone();
        let (mut rejected, mut malformed) = (0, 0);
        for i in 0..bytes.len() {
            let flips: &[u8] = if i < 128 {
                &[1, 2, 4, 8, 16, 32, 64, 128]
            } else {
                &[1, 0x80]
            };
            for flip in flips {
                bytes[i] ^= flip;
                match verify(&bytes) {
                    Ok(()) => panic!("byte {i} flipped by {flip:#x} is accepted"),
                    Err(error) if error.is_rejection() => rejected += 1,
                    Err(_) => malformed += 1,
                }
                bytes[i] ^= flip;
            }
        }
        assert_eq!(bytes, good);
        assert!(
            rejected > 1000 && malformed > 100,
            "{rejected} rejected, {malformed} malformed"
        );
    }
}

#[test]
fn every_truncation_and_extension_is_malformed() {
    let _turn = TURN.lock().unwrap();
    let good = file(HashSuite::Blake3);
    for len in 0..good.len() {
        let error = verify(&good[..len]).expect_err("truncated");
        assert!(!error.is_rejection(), "{len}: {error}");
    }
    for extra in [1, 15, 16, 4096] {
        let mut long = good.clone();
        long.resize(good.len() + extra, 0);
        assert!(!verify(&long).expect_err("extended").is_rejection());
    }
}

#[test]
fn memory_stays_near_the_file_size() {
    let _turn = TURN.lock().unwrap();
    let good = file(HashSuite::Poseidon2x16);
    let measure = |bytes: &[u8]| {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let result = verify(bytes);
        (PEAK.load(Ordering::Relaxed) - before, result.is_ok())
    };
    let (honest, accepted) = measure(&good);
    assert!(accepted);
    let bound = honest.max(16 * good.len()) + (1 << 20);
    let mut bytes = good.clone();
    for i in 0..good.len() {
        for value in [0, 0xff, 0x7f] {
            bytes[i] = value;
            let (peak, _) = measure(&bytes);
            assert!(
                peak <= bound,
                "byte {i} = {value}: {peak} bytes for a {}-byte file",
                good.len()
            );
        }
        bytes[i] = good[i];
    }
}

#[test]
fn another_statement_or_other_parameters_are_refused() {
    let _turn = TURN.lock().unwrap();
    let params = params(Field::KoalaBear, 5, HashSuite::Keccak);
    let proved = ours(
        &params,
        &table(&params, 9, 2, 7),
        &Request::Drawn { count: 2 },
    )
    .unwrap();
    verify_parts(&params, &proved.statement, &proved.body).unwrap();

    let mut other = proved.statement.clone();
    other.openings[1].values[0] ^= 1;
    assert!(
        verify_parts(&params, &other, &proved.body)
            .unwrap_err()
            .is_rejection()
    );
    let mut other = proved.statement.clone();
    other.openings.swap(0, 1);
    assert!(verify_parts(&params, &other, &proved.body).is_err());
    let mut other = proved.statement.clone();
    other.openings.pop();
    assert!(verify_parts(&params, &other, &proved.body).is_err());
    let mut other = proved.statement.clone();
    other.openings[0].columns = vec![1, 0];
    assert!(verify_parts(&params, &other, &proved.body).is_err());
    let mut other = proved.statement.clone();
    other.openings[0].values.pop();
    assert!(verify_parts(&params, &other, &proved.body).is_err());
    let mut other = proved.statement.clone();
    other.openings[0].values[0] = u32::MAX;
    assert!(verify_parts(&params, &other, &proved.body).is_err());
    let mut other = proved.statement.clone();
    other.commitment[3] ^= 1;
    assert!(
        verify_parts(&params, &other, &proved.body)
            .unwrap_err()
            .is_rejection()
    );
    let mut other = proved.statement.clone();
    other.shape.num_variables += 1;
    assert!(verify_parts(&params, &other, &proved.body).is_err());

    for change in [
        |p: &mut prova_whir::Params| p.security_bits += 1,
        |p: &mut prova_whir::Params| p.pow_bits += 1,
        |p: &mut prova_whir::Params| p.log_inv_rate += 1,
        |p: &mut prova_whir::Params| p.regime = Regime::UniqueDecoding,
        |p: &mut prova_whir::Params| p.hash = HashSuite::Blake3,
        |p: &mut prova_whir::Params| p.field = Field::BabyBear,
        |p: &mut prova_whir::Params| p.extension_degree = 4,
        |p: &mut prova_whir::Params| p.order = prova_whir::Order::Prefix,
        |p: &mut prova_whir::Params| p.folding = prova_whir::Folding::PerRound(vec![2, 2]),
        |p: &mut prova_whir::Params| p.extension_degree = 6,
        |p: &mut prova_whir::Params| p.log_inv_rate = 0,
        |p: &mut prova_whir::Params| p.log_inv_rate = 200,
        |p: &mut prova_whir::Params| p.folding = prova_whir::Folding::Constant(0),
    ] {
        let mut other = params.clone();
        change(&mut other);
        assert!(
            verify_parts(&other, &proved.statement, &proved.body).is_err(),
            "{other:?}"
        );
    }
}
