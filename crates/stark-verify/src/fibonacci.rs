//! The constraints that guests are measured with.

use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};

use crate::constraints::StarkAir;

/// Two columns `a, b` and rows `(a, b) -> (b, a + b)`; the public values are the first row and the
/// last `b`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fibonacci;

impl StarkAir for Fibonacci {
    const NAME: &'static str = "fibonacci/1";
}

impl<F> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        2
    }

    fn num_public_values(&self) -> usize {
        3
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: AirBuilder> Air<AB> for Fibonacci {
    #[allow(clippy::arithmetic_side_effects, reason = "field arithmetic")]
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        // Rows and public values have the stated lengths; constraints on missing ones would be none.
        let (&[a, b], &[next_a, next_b], &[first_a, first_b, last]) = (
            main.current_slice(),
            main.next_slice(),
            builder.public_values(),
        ) else {
            builder.assert_one(AB::Expr::default());
            return;
        };
        let mut first = builder.when_first_row();
        first.assert_eq(a, first_a);
        first.assert_eq(b, first_b);
        let mut transition = builder.when_transition();
        transition.assert_eq(b, next_a);
        transition.assert_eq(a + b, next_b);
        builder.when_last_row().assert_eq(b, last);
    }
}
