//! The conversation that the constraint-system provers hold with a verifier.

use crate::field::E;

/// Sends scalars, each absorbed at once, and draws challenges.
pub trait Channel {
    /// Sends a scalar and absorbs it.
    fn send(&mut self, value: E);

    /// Draws a challenge.
    fn sample(&mut self) -> E;

    /// Sends scalars in order.
    fn send_all(&mut self, values: &[E]) {
        values.iter().for_each(|&value| self.send(value));
    }

    /// Draws `n` challenges in order.
    fn sample_many(&mut self, n: usize) -> Vec<E> {
        (0..n).map(|_| self.sample()).collect()
    }
}
