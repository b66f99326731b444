//! The interface between a Merkle tree and its hash function.

/// Hashes whole batches of rows and of node pairs.
pub trait TreeHasher<F>: Clone + Send + Sync {
    /// One digest: the digest array of the matching Plonky3 Merkle commitment.
    type Digest: Copy + Eq + core::fmt::Debug + Default + Send + Sync + 'static;

    /// Hashes the `out.len()` rows of a row-major matrix of `width` columns.
    ///
    /// # Panics
    /// If `width` is zero or `rows.len() != width * out.len()`.
    fn hash_rows(&self, rows: &[F], width: usize, out: &mut [Self::Digest]);

    /// Writes `out[i] = compress(left[i], right[i])`.
    ///
    /// # Panics
    /// If the three lengths differ.
    fn compress(&self, left: &[Self::Digest], right: &[Self::Digest], out: &mut [Self::Digest]);
}

pub(crate) fn check_rows<F, D>(rows: &[F], width: usize, out: &[D]) {
    assert!(width > 0, "a row has at least one column");
    assert_eq!(
        rows.len(),
        width * out.len(),
        "rows must be width * count elements"
    );
}

pub(crate) fn check_pairs<D>(left: &[D], right: &[D], out: &[D]) {
    assert_eq!(left.len(), out.len(), "one left child per node");
    assert_eq!(right.len(), out.len(), "one right child per node");
}
