//! Sumcheck tables against plain loops over Plonky3's fields.

#[path = "../common/mod.rs"]
mod common;

/// A test for every field and degree.
macro_rules! for_all_fields {
    ($($name:ident: $test:ident;)*) => {
        $(mod $name {
            use super::*;
            #[test]
            fn baby_bear_4() { $test::<BabyBear, BabyBear4>(); }
            #[test]
            fn baby_bear_5() { $test::<BabyBear, BabyBear5>(); }
            #[test]
            fn koala_bear_4() { $test::<KoalaBear, KoalaBear4>(); }
            #[test]
            fn koala_bear_5() { $test::<KoalaBear, KoalaBear5>(); }
        })*
    };
}

mod columns;
mod pieces;
mod rounds;
mod support;
mod weights;
