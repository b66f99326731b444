//! The verifier of the published `p3-whir`, with owned proof types.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::marker::PhantomData;

use p3_challenger::DuplexChallenger;
use p3_field::{ExtensionField, TwoAdicField};
use p3_merkle_tree::{MerkleTreeMmcs, PrunedMerklePaths};
use p3_symmetric::{CryptographicPermutation, MerkleCap, PaddingFreeSponge, TruncatedPermutation};
use prova_guest_rt::p3::Poseidon2Call;
use prova_guest_rt::{halt, print, read_input};
use prova_proof_file::ProofFile;
use prova_whir::suite::{BaseField, KoalaBear4, KoalaBear5, KoalaBearField, Poseidon2x16};
use prova_whir::verify::verify;
use prova_whir::{Field, Params, Statement, Suite, VerifyError, params::HashSuite};
use prova_whir_view::input::{Input, digest_bytes};
use prova_whir_view::{Error, Key, Rejected, Verified, field};

use crate::{Call, NO_KEY, STOCK_MALFORMED, STOCK_REJECTED, finish};

type Sponge = PaddingFreeSponge<Poseidon2Call, 16, 8, 8>;
type Node = TruncatedPermutation<Poseidon2Call, 2, 8, 16>;

/// The suite `Poseidon2x16` with every permutation a system call.
#[derive(Clone, Copy, Debug)]
pub struct CallSuite<F, EF>(PhantomData<(F, EF)>);

impl<F, EF> Default for CallSuite<F, EF> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<F, EF> Suite for CallSuite<F, EF>
where
    // No SIMD on this target: a packing is the field itself.
    F: BaseField<Packing = F>,
    EF: ExtensionField<F> + TwoAdicField,
    Poseidon2Call: CryptographicPermutation<[F; 16]>,
{
    const HASH: HashSuite = HashSuite::Poseidon2x16;
    type F = F;
    type EF = EF;
    type Digest = [F; 8];
    type Mmcs = MerkleTreeMmcs<F, F, Sponge, Node, 2, 8>;
    type Challenger = DuplexChallenger<F, Poseidon2Call, 16, 8>;

    fn mmcs() -> Self::Mmcs {
        MerkleTreeMmcs::new(Sponge::new(Poseidon2Call), Node::new(Poseidon2Call), 0)
    }
    fn challenger() -> Self::Challenger {
        DuplexChallenger::new(Poseidon2Call)
    }
    fn commitment(root: [F; 8]) -> MerkleCap<F, [F; 8]> {
        MerkleCap::new(alloc::vec![root])
    }
    fn root(commitment: &MerkleCap<F, [F; 8]>) -> Option<[F; 8]> {
        match commitment.roots() {
            [root] => Some(*root),
            _ => None,
        }
    }
    fn multiproof(sibling_hashes: Vec<[F; 8]>) -> PrunedMerklePaths<F, 8> {
        PrunedMerklePaths { sibling_hashes }
    }
    fn siblings(proof: &PrunedMerklePaths<F, 8>) -> &[[F; 8]] {
        &proof.sibling_hashes
    }
}

/// Parameters, statement, body: the stock verifier of one suite.
pub type Verify = fn(&Params, &Statement, &[u8]) -> Result<(), VerifyError>;

/// The stock verifier of a suite with the portable permutation. KoalaBear only: each suite adds more
/// than a megabyte of code.
#[must_use]
pub fn portable(params: &Params) -> Option<Verify> {
    Some(match (params.field, params.extension_degree) {
        (Field::KoalaBear, 4) => verify::<Poseidon2x16<KoalaBearField, KoalaBear4>>,
        (Field::KoalaBear, 5) => verify::<Poseidon2x16<KoalaBearField, KoalaBear5>>,
        _ => return None,
    })
}

/// The stock verifier of a suite with the system call; KoalaBear only, as [`portable`].
#[must_use]
pub fn call(params: &Params) -> Option<Verify> {
    Some(match (params.field, params.extension_degree) {
        (Field::KoalaBear, 4) => verify::<CallSuite<KoalaBearField, KoalaBear4>>,
        (Field::KoalaBear, 5) => verify::<CallSuite<KoalaBearField, KoalaBear5>>,
        _ => return None,
    })
}

/// Verifies the input's proof file by the stock verifier, under the key's parameters.
///
/// The digest of the key, of which this verifier knows nothing, is computed by system calls in
/// both stock guests, so that it does not weigh on what they measure.
pub fn run(choose: fn(&Params) -> Option<Verify>) {
    let input = match Input::parse(read_input()) {
        Ok(input) => input,
        Err(error) => halt(Error::from(error).code()),
    };
    let key = match Key::parse(input.key) {
        Ok(key) => key,
        Err(error) => halt(Error::from(error).code()),
    };
    let params: Option<Vec<u8>> = key
        .params
        .iter()
        .map(|&word| u8::try_from(word).ok())
        .collect();
    let Some((bytes, params)) = params.and_then(|bytes| {
        let params = Params::from_bytes(&bytes).ok()?;
        (params.check().is_ok() && params.hash == HashSuite::Poseidon2x16)
            .then_some((bytes, params))
    }) else {
        halt(NO_KEY);
    };
    let Ok(file) = ProofFile::parse(input.file) else {
        halt(STOCK_MALFORMED);
    };
    if bytes != file.params {
        halt(Error::from(Rejected::OtherParameters).code());
    }
    let statement = Statement::from_bytes(file.statement, params.field, params.extension_degree);
    let (Ok(statement), Some(verify)) = (statement, choose(&params)) else {
        halt(STOCK_MALFORMED);
    };
    match verify(&params, &statement, file.body) {
        Ok(()) => {}
        Err(error) => {
            print(&error.to_string());
            halt(if error.is_rejection() {
                STOCK_REJECTED
            } else {
                STOCK_MALFORMED
            })
        }
    }
    let key_digest = match params.field {
        Field::BabyBear => {
            digest_bytes::<field::BabyBear>(&key.digest::<field::BabyBear, _>(&Call))
        }
        Field::KoalaBear => {
            digest_bytes::<field::KoalaBear>(&key.digest::<field::KoalaBear, _>(&Call))
        }
    };
    finish(Ok(Verified {
        key_digest,
        statement: file.statement,
    }));
}
