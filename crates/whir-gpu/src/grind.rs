//! Proof-of-work on the device.

use prova_gpu::GpuError;
use prova_gpu::hash::Hashing;
use prova_hash::{ByteSearch, DuplexSearch, HashField};

/// Below this many bits the CPU is done before a device has started.
const LEAST_BITS: usize = 14;

/// Searches the witnesses of a transcript on the device, and declines where that does not
/// pay or the device fails: the CPU finds the same witness.
#[derive(Debug)]
pub struct DeviceSearch {
    hashing: Hashing,
    least_bits: usize,
}

impl DeviceSearch {
    /// A search on the device of these hashes.
    #[must_use]
    pub fn new(hashing: Hashing, least_bits: Option<usize>) -> Self {
        Self {
            hashing,
            least_bits: least_bits.unwrap_or(LEAST_BITS),
        }
    }
}

impl DeviceSearch {
    fn found(&self, searched: Result<Option<u64>, GpuError>) -> Option<u64> {
        searched.unwrap_or_else(|error| {
            // The failure shows again in the next command that needs the device.
            tracing::warn!(%error, "proof-of-work goes on on the CPU");
            None
        })
    }
}

impl<F: HashField> DuplexSearch<F> for DeviceSearch {
    fn search(&self, state: &[F; 16], slot: usize, bits: usize) -> Option<u64> {
        if bits < self.least_bits {
            return None;
        }
        let state: [u32; 16] = F::words(state).try_into().expect("a state of 16 elements");
        self.found(self.hashing.grind_duplex(&state, slot, bits as u32))
    }
}

impl ByteSearch for DeviceSearch {
    fn search(&self, pending: &[u8], bits: usize) -> Option<u64> {
        if bits < self.least_bits {
            return None;
        }
        let pending: &[u8; 32] = pending.try_into().ok()?;
        self.found(self.hashing.grind_bytes(pending, bits as u32))
    }
}
