//! STARK proofs of the constraints that this program knows: proof files of system 6.

use std::path::Path;
use std::time::Instant;

use prova_hash::shape::{Keccak256, SoftKeccakF, node_bytes};
use prova_proof_file::{Failure as Verdict, ProofFile};
use prova_riscv::Input;
use prova_stark_verify::{Fibonacci, Key, Malformed, NoSteps, Params, Rejection, Verified, verify};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::infile;
use crate::output::Report;
use crate::text::{duration, fields, hex};

/// Longest verifying key that is read.
pub const MAX_KEY: u64 = 64 << 20;

/// What an option for the key is called.
pub const OPTION: &str = "--verifying-key";

/// The hash of trees, transcript and keys.
pub type Hash = Keccak256<SoftKeccakF>;

/// A copy of some bytes that begins at a multiple of 16, as reading in place wants them.
pub struct Aligned {
    region: Input,
    length: usize,
}

impl Aligned {
    /// # Errors
    /// More bytes than a guest's input may have.
    pub fn new(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self {
            region: Input::new(bytes).map_err(Failure::malformed)?,
            length: bytes.len(),
        })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        let header = prova_riscv_abi::INPUT_HEADER as usize;
        &self.region.bytes()[header..header + self.length]
    }
}

/// The failure of a verification.
pub fn failure(path: &Path, error: &Verdict<Rejection, Malformed>) -> Failure {
    match error {
        Verdict::Rejected(reason) => {
            Failure::rejected(format_args!("{}: proof rejected: {reason}", path.display()))
        }
        Verdict::Malformed(error) => {
            Failure::malformed(format_args!("{}: {error}", path.display()))
        }
    }
}

/// Bits of security of the low-degree test, under the conjecture that FRI is sound up to capacity.
pub fn bits(params: &Params) -> f64 {
    let fri = &params.fri;
    let bits = fri.num_queries * fri.log_blowup + fri.query_pow_bits;
    // The challenge field has 124 bits.
    f64::from(bits.min(124))
}

/// Verifies a proof file under the key of another file.
///
/// # Errors
/// No key, a damaged one, a malformed or wrong proof.
pub fn file(
    path: &Path,
    bytes: &[u8],
    key_path: Option<&Path>,
    no_conjecture: bool,
) -> Result<(Report, f64), Failure> {
    let key_path = key_path.ok_or_else(|| {
        Failure::malformed(format_args!(
            "{}: a STARK proof, which is verified under a verifying key of your own: give it with \
             {OPTION}",
            path.display()
        ))
    })?;
    if no_conjecture {
        return Err(Failure::rejected(format_args!(
            "{}: its security rests on a conjecture (--no-conjecture)",
            path.display()
        )));
    }
    let key_bytes = Aligned::new(&infile::read(key_path, MAX_KEY, "a verifying key")?)?;
    let refuse = |error| Failure::malformed(format_args!("{}: {error}", key_path.display()));
    let key = Key::parse(key_bytes.bytes()).map_err(refuse)?;
    let proof = Aligned::new(bytes)?;
    let start = Instant::now();
    let verified = verify::<_, _, NoSteps>(&Fibonacci, &Hash::default(), &key, proof.bytes())
        .map_err(|error| failure(path, &error))?;
    let time = start.elapsed();
    let bits = bits(key.params());
    let mut lines = vec![("valid", path.display().to_string())];
    lines.extend(lines_of(&verified, key.params()));
    lines.push(("time", duration(time)));
    let mut json = json!({
        "schema": "prova.verify/1",
        "valid": true,
        "file": path.display().to_string(),
        "system": "stark",
        "time_ms": time.as_secs_f64() * 1e3,
    });
    if let (Some(json), Value::Object(more)) =
        (json.as_object_mut(), json_of(&verified, key.params()))
    {
        json.extend(more);
    }
    Ok((
        Report {
            text: fields(&lines),
            json,
        },
        bits,
    ))
}

/// What a valid proof says, for people.
pub fn lines_of(verified: &Verified<'_>, params: &Params) -> Vec<(&'static str, String)> {
    let values: Vec<String> = verified.public_values.iter().map(u32::to_string).collect();
    let air = &params.air;
    vec![
        ("key digest", hex(&node_bytes(&verified.key_digest))),
        (
            "constraints",
            format!(
                "fibonacci, {} columns of 2^{} rows",
                air.width, air.degree_bits
            ),
        ),
        ("public values", values.join(", ")),
        (
            "security",
            format!(
                "{} bits, FRI up to capacity (conjecture), {} queries, proof-of-work {} bits",
                bits(params),
                params.fri.num_queries,
                params.fri.query_pow_bits
            ),
        ),
    ]
}

/// What a valid proof says, for programs.
pub fn json_of(verified: &Verified<'_>, params: &Params) -> Value {
    json!({
        "key_digest": hex(&node_bytes(&verified.key_digest)),
        "public_values": verified.public_values,
        "security": { "bits": bits(params), "conjecture": true },
    })
}

/// What a file says of itself without its key, for people and for programs.
pub fn describe(file: &ProofFile<'_>) -> (String, Value) {
    let words = file.statement.as_chunks::<4>().0;
    let values: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let text: Vec<String> = values.iter().map(u32::to_string).collect();
    let text = fields(&[
        ("key digest", hex(file.params)),
        ("public values", text.join(", ")),
    ]);
    let json = json!({ "key_digest": hex(file.params), "public_values": values });
    (text, json)
}
