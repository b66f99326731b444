//! The transcript of the Verkle protocols: SHA-256 over labelled messages.
//!
//! The state is a string of bytes. A message is appended as its label followed by its bytes, with
//! no lengths in between. A challenge is the digest of the state, read little-endian and reduced
//! modulo r; the state then starts anew with the challenge. Specified by the Verkle reference
//! implementation; the same in go-ipa (`common/transcript.go`) and rust-verkle.

use sha2::{Digest, Sha256};

use crate::element::Commitment;
use crate::field::Fr;

/// `C` ‖ commitment ‖ `z` ‖ point ‖ `y` ‖ value, each of 32 bytes.
const RECORD: [u8; 99] = {
    let mut record = [0; 99];
    record[0] = b'C';
    record[33] = b'z';
    record[66] = b'y';
    record
};
/// Records that are hashed together.
const RECORDS: usize = 64;

/// A transcript. Clone it to look ahead.
#[derive(Clone)]
pub struct Transcript {
    hasher: Sha256,
}

impl Transcript {
    /// A transcript that starts with the protocol's label. Deployed clients use `vt` for blocks,
    /// and `verkle` in rust-verkle's foreign-function interface.
    #[must_use]
    pub fn new(label: &[u8]) -> Self {
        Self {
            hasher: Sha256::new_with_prefix(label),
        }
    }

    /// Appends a label alone.
    pub fn domain_separator(&mut self, label: &[u8]) {
        self.hasher.update(label);
    }

    /// Appends bytes that are labelled messages already.
    #[cfg(feature = "prove")]
    pub(crate) fn append_raw(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Appends what the multipoint argument absorbs of every query: commitment, point and value,
    /// each under its label.
    pub(crate) fn append_queries<'a>(
        &mut self,
        queries: impl Iterator<Item = (&'a Commitment, u8, &'a [u8; 32])>,
    ) {
        // Labels and the high bytes of the point are the same in every record.
        let mut block = [RECORD; RECORDS];
        let mut filled = 0;
        for (commitment, point, value) in queries {
            if filled == RECORDS {
                self.hasher.update(block.as_flattened());
                filled = 0;
            }
            let record = &mut block[filled];
            record[1..33].copy_from_slice(commitment.as_bytes());
            record[34] = point;
            record[67..].copy_from_slice(value);
            filled += 1;
        }
        self.hasher.update(block[..filled].as_flattened());
    }

    /// Appends a scalar, little-endian.
    pub fn append_scalar(&mut self, label: &[u8], scalar: Fr) {
        self.hasher.update(label);
        self.hasher.update(scalar.to_le_bytes());
    }

    /// Appends the encoding of an element.
    pub fn append_point(&mut self, label: &[u8], point: &Commitment) {
        self.hasher.update(label);
        self.hasher.update(point.as_bytes());
    }

    /// Draws a scalar.
    pub fn challenge(&mut self, label: &[u8]) -> Fr {
        self.hasher.update(label);
        let digest: [u8; 32] = self.hasher.finalize_reset().into();
        let challenge = Fr::from_le_bytes_reduced(&digest);
        self.append_scalar(label, challenge);
        challenge
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    #[test]
    fn blocks_equal_single_messages() {
        let commitments = [Commitment::IDENTITY, Element::generator().to_commitment()];
        for count in [0, 1, RECORDS - 1, RECORDS, RECORDS + 1, 3 * RECORDS + 7] {
            let queries =
                || (0..count).map(|i| (&commitments[i % 2], (i * 7) as u8, Fr::from_u64(i as u64)));
            let values: alloc::vec::Vec<_> = queries().map(|(_, _, y)| y.to_le_bytes()).collect();
            let mut blocks = Transcript::new(b"t");
            blocks.append_queries(queries().zip(&values).map(|((c, z, _), y)| (c, z, y)));
            let mut single = Transcript::new(b"t");
            for (commitment, point, value) in queries() {
                single.append_point(b"C", commitment);
                single.append_scalar(b"z", Fr::from_u64(u64::from(point)));
                single.append_scalar(b"y", value);
            }
            assert_eq!(blocks.challenge(b"r"), single.challenge(b"r"), "{count}");
        }
    }
}
