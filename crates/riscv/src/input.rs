//! The input region of a run.

use alloc::{vec, vec::Vec};

use prova_riscv_abi::{INPUT_HEADER, INPUT_MAGIC, INPUT_VERSION, MAX_INPUT};

/// The input region as the guest finds it: header, payload, zeros up to a multiple of 16 bytes.
#[derive(Clone, Debug)]
pub struct Input {
    /// Words in memory order, so that their bytes are those of the region on any host.
    words: Vec<u32>,
}

/// A payload that does not fit the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an input of {length} bytes is longer than {MAX_INPUT}")]
pub struct InputError {
    /// Bytes of the payload.
    pub length: usize,
}

impl Input {
    /// # Errors
    /// [`InputError`] if the payload is longer than [`MAX_INPUT`].
    pub fn new(payload: &[u8]) -> Result<Self, InputError> {
        let too_long = InputError {
            length: payload.len(),
        };
        let length = u32::try_from(payload.len()).map_err(|_| too_long)?;
        if length > MAX_INPUT {
            return Err(too_long);
        }
        let header = INPUT_HEADER as usize;
        let bytes = header + payload.len().next_multiple_of(16);
        let mut words = vec![0u32; bytes / 4];
        let region: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        for (to, word) in region
            .chunks_exact_mut(4)
            .zip([INPUT_MAGIC, INPUT_VERSION, length, 0])
        {
            to.copy_from_slice(&word.to_le_bytes());
        }
        region[header..header + payload.len()].copy_from_slice(payload);
        Ok(Self { words })
    }

    /// A header that announces no bytes.
    #[must_use]
    pub fn empty() -> Self {
        let words = [INPUT_MAGIC, INPUT_VERSION, 0, 0];
        Self {
            words: words.map(u32::to_le).to_vec(),
        }
    }

    /// The region's bytes, a multiple of 16.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// The region's words in memory order.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn region() {
        for length in [0usize, 1, 15, 16, 17, 1000] {
            let payload: Vec<u8> = (0..length).map(|i| i as u8 | 1).collect();
            let input = Input::new(&payload).expect("short");
            let bytes = input.bytes();
            assert_eq!(bytes.len(), 16 + length.next_multiple_of(16));
            assert_eq!(&bytes[..8], b"PRVI\x01\0\0\0");
            assert_eq!(bytes[8..12], (length as u32).to_le_bytes());
            assert_eq!(bytes[12..16], [0; 4]);
            assert_eq!(bytes[16..16 + length], payload);
            assert!(bytes[16 + length..].iter().all(|&b| b == 0));
        }
        assert_eq!(
            Input::new(&[]).expect("short").bytes(),
            Input::empty().bytes()
        );
    }
}
