//! Reading back.

use super::Ticket;

/// Where reads go: buffers that the host can map, none larger than a buffer may be.
#[derive(Default)]
pub(super) struct Staging {
    /// Words of each buffer.
    pub(super) sizes: Vec<u64>,
    /// The buffers; none on a dry device.
    pub(super) buffers: Vec<wgpu::Buffer>,
    /// Of each read: which buffer, and its first word there.
    pub(super) places: Vec<(usize, u64)>,
    /// Lengths of the reads.
    lengths: Vec<u64>,
}

impl Staging {
    /// Finds room for a read.
    pub(super) fn place(&mut self, words: u64, most: u64) {
        if self.sizes.last().is_none_or(|size| size + words > most) {
            self.sizes.push(0);
        }
        let index = self.sizes.len() - 1;
        self.places.push((index, self.sizes[index]));
        self.sizes[index] += words;
        self.lengths.push(words);
    }

    /// Zeros in place of all words.
    pub(super) fn read_back(&self) -> ReadBack {
        let ranges = self.places.iter().zip(&self.lengths);
        ReadBack {
            words: self.sizes.iter().map(|&n| vec![0; n as usize]).collect(),
            ranges: ranges
                .map(|(&(index, first), &words)| (index, first as usize, (first + words) as usize))
                .collect(),
        }
    }
}

/// What a recording read back.
#[derive(Clone, Debug)]
pub struct ReadBack {
    pub(super) words: Vec<Vec<u32>>,
    /// Of each read: which list, and from where to where.
    ranges: Vec<(usize, usize, usize)>,
}

impl ReadBack {
    /// The words of one read.
    ///
    /// # Panics
    /// If the ticket is from another recording.
    #[must_use]
    pub fn get(&self, ticket: Ticket) -> &[u32] {
        let (index, from, to) = self.ranges[ticket.0];
        &self.words[index][from..to]
    }
}
