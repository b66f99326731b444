//! What a guest reads and what it commits.

use alloc::vec::Vec;

use prova_proof_file::{ProofFile, System};

use crate::body::Body;
use crate::error::{Error, Malformed, Rejected};
use crate::ext::Extension;
use crate::field::{BabyBear, KoalaBear, Modulus, to_canonical};
use crate::key::Key;
use crate::observe::{Observer, Step};
use crate::sponge::{Digest, Permutation};
use crate::statement::Statement;
use crate::verify::verify;

/// First word of an input, `PVWI` in memory order.
pub const MAGIC: u32 = u32::from_le_bytes(*b"PVWI");
/// Version of the input's layout.
pub const VERSION: u32 = 1;
/// Bytes of the header: magic number, version, bytes of the key, bytes of the proof file.
pub const HEADER: usize = 16;
/// Version of the WHIR sections this verifier reads.
const FORMAT_VERSIONS: &[u16] = &[1];

/// The two parts of an input.
///
/// Header of four little-endian words, the key's words, zeros up to a multiple of 16 bytes, the
/// proof file. The start must be a multiple of 4 in memory.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The key's words.
    pub key: &'a [u32],
    /// The proof file.
    pub file: &'a [u8],
}

fn words<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a [u32], Malformed> {
    bytemuck::try_cast_slice(bytes).map_err(|_| Malformed::Misaligned { what })
}

impl<'a> Input<'a> {
    /// Cuts an input into its parts.
    ///
    /// # Errors
    /// [`Malformed`]: header, alignment, lengths, padding.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let no_header = Malformed::NoHeader {
            expected: HEADER,
            got: bytes.len(),
        };
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(no_header.clone())?;
        let &[magic, version, key_bytes, file_bytes] = words(header, "an input")? else {
            return Err(no_header);
        };
        if magic != MAGIC {
            return Err(Malformed::Magic {
                expected: MAGIC,
                got: magic,
            });
        }
        if version != VERSION {
            return Err(Malformed::Version {
                expected: VERSION,
                got: version,
            });
        }
        // Every target has pointers of at least 32 bits.
        let (key_bytes, file_bytes) = (key_bytes as usize, file_bytes as usize);
        let padding = key_bytes.wrapping_neg() % 16;
        let expected = key_bytes.saturating_add(padding).saturating_add(file_bytes);
        let length = Malformed::Length {
            expected: expected.saturating_add(HEADER),
            got: bytes.len(),
        };
        if expected != rest.len() {
            return Err(length);
        }
        let (key, rest) = rest.split_at_checked(key_bytes).ok_or(length.clone())?;
        let (padding, file) = rest.split_at_checked(padding).ok_or(length.clone())?;
        if padding.iter().any(|&byte| byte != 0) {
            return Err(length);
        }
        Ok(Self {
            key: words(key, "the key")?,
            file,
        })
    }

    /// The bytes of an input.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let header = [
            MAGIC,
            VERSION,
            length(4 * self.key.len()),
            length(self.file.len()),
        ];
        let mut out: Vec<u8> = Vec::new();
        for word in header.iter().chain(self.key) {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.resize(out.len().next_multiple_of(16), 0);
        out.extend_from_slice(self.file);
        out
    }
}

/// A statement that was verified, and under which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<'a> {
    /// Digest of the key, canonical words, little-endian.
    pub key_digest: [u8; 32],
    /// The statement section of the proof file.
    pub statement: &'a [u8],
}

impl Verified<'_> {
    /// What a guest commits: the digest of the key, then the statement section.
    #[must_use]
    pub fn output(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.key_digest.len() + self.statement.len());
        out.extend_from_slice(&self.key_digest);
        out.extend_from_slice(self.statement);
        out
    }
}

/// The bytes of a digest of elements in Montgomery form.
#[must_use]
pub fn digest_bytes<M: Modulus>(digest: &Digest) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (slot, &word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(digest) {
        *slot = to_canonical::<M>(word).to_le_bytes();
    }
    bytes
}

/// Verifies the proof file of an input under the key of the same input.
///
/// The key is **not** trusted: the result says by its digest which key it was, and means nothing
/// to a reader who does not compare that with a key of its own.
///
/// # Errors
/// [`Error`]; [`Error::code`] is what a guest halts with.
pub fn verify_input<'a, P: Permutation>(
    permutation: &P,
    input: &'a [u8],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, Error> {
    observer.step(Step::Input);
    let input = Input::parse(input)?;
    let key = Key::parse(input.key)?;
    verify_file(permutation, &key, input.file, observer)
}

/// Verifies a proof file under a key.
///
/// # Errors
/// [`Error`].
pub fn verify_file<'a, P: Permutation>(
    permutation: &P,
    key: &Key<'_>,
    file: &'a [u8],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, Error> {
    let (field, degree) = (key.numbers.field, key.numbers.degree);
    let baby_bear = field == u32::from(BabyBear::TAG);
    match (baby_bear, degree) {
        (true, 4) => verify_in::<BabyBear, 4, P>(permutation, key, file, observer),
        (true, 5) => verify_in::<BabyBear, 5, P>(permutation, key, file, observer),
        (false, 4) => verify_in::<KoalaBear, 4, P>(permutation, key, file, observer),
        (false, 5) => verify_in::<KoalaBear, 5, P>(permutation, key, file, observer),
        _ => Err(Malformed::Suite { field, degree }.into()),
    }
}

fn verify_in<'a, M: Extension<D>, const D: usize, P: Permutation>(
    permutation: &P,
    key: &Key<'_>,
    file: &'a [u8],
    observer: &mut impl Observer,
) -> Result<Verified<'a>, Error> {
    let file = ProofFile::parse(file).map_err(Malformed::File)?;
    file.require(System::Whir, FORMAT_VERSIONS)
        .map_err(Malformed::File)?;
    let params = file.params.iter().map(|&byte| u32::from(byte));
    if !params.eq(key.params.iter().copied()) {
        return Err(Rejected::OtherParameters.into());
    }
    let statement = Statement::parse::<M>(file.statement, key)?;
    let body = Body::parse(words(file.body, "the body")?, key, M::P)?;
    let key_digest = digest_bytes::<M>(&key.digest::<M, P>(permutation));
    verify::<M, D, P>(permutation, key, &statement, &body, observer)?;
    Ok(Verified {
        key_digest,
        statement: statement.bytes(),
    })
}
