//! The parameter search against the published query table.

use prova_binary_pcs::params::{ParamsError, Schedule, Target};

/// Queries a level for 15 to 28 variables, at the rates 1/2, 1/4, 1/8 and 1/16: leanVM-b (commit
/// 5df6c373).
const QUERIES: [[&[usize]; 4]; 14] = [
    [&[223, 56, 36], &[112, 45, 31], &[75, 37, 28], &[56, 32, 25]],
    [&[223, 56, 37], &[112, 45, 32], &[75, 37, 28], &[56, 32, 25]],
    [&[223, 56, 37], &[112, 45, 32], &[75, 38, 28], &[56, 32, 25]],
    [
        &[224, 56, 37, 28],
        &[112, 45, 32, 25],
        &[75, 38, 28, 22],
        &[56, 32, 25, 20],
    ],
    [
        &[224, 56, 37, 28],
        &[112, 45, 32, 25],
        &[75, 38, 28, 23],
        &[56, 32, 25, 21],
    ],
    [
        &[224, 56, 38, 28],
        &[112, 45, 32, 25],
        &[75, 38, 28, 23],
        &[56, 32, 25, 21],
    ],
    [
        &[224, 56, 38, 28, 22],
        &[112, 45, 32, 25, 20],
        &[75, 38, 28, 23, 19],
        &[56, 32, 25, 21, 17],
    ],
    [
        &[225, 56, 38, 28, 23],
        &[112, 45, 32, 25, 21],
        &[75, 38, 28, 23, 19],
        &[56, 32, 25, 21, 18],
    ],
    [
        &[225, 56, 38, 28, 23],
        &[112, 45, 32, 25, 21],
        &[75, 38, 28, 23, 19],
        &[56, 32, 25, 21, 18],
    ],
    [
        &[225, 56, 38, 28, 23, 19],
        &[113, 45, 32, 25, 21, 17],
        &[75, 38, 28, 23, 19, 16],
        &[57, 32, 25, 21, 18, 15],
    ],
    [
        &[226, 56, 38, 28, 23, 19],
        &[113, 45, 32, 25, 21, 18],
        &[75, 38, 28, 23, 19, 16],
        &[57, 32, 25, 21, 18, 15],
    ],
    [
        &[226, 56, 38, 28, 23, 19],
        &[113, 45, 32, 25, 21, 18],
        &[75, 38, 28, 23, 19, 16],
        &[57, 32, 25, 21, 18, 15],
    ],
    [
        &[227, 56, 38, 28, 23, 19, 16],
        &[113, 45, 32, 25, 21, 18, 15],
        &[75, 38, 28, 23, 19, 17, 14],
        &[57, 33, 25, 21, 18, 15, 14],
    ],
    [
        &[228, 56, 38, 28, 23, 19, 16],
        &[113, 45, 32, 25, 21, 18, 15],
        &[76, 38, 29, 23, 19, 17, 14],
        &[57, 33, 25, 21, 18, 16, 14],
    ],
];

fn all() -> impl Iterator<Item = (Schedule, &'static [usize])> {
    QUERIES.iter().zip(15..).flat_map(|(row, variables)| {
        row.iter().zip(1..).map(move |(queries, rate)| {
            let schedule = Schedule::derive(variables, rate, Target::v0(111)).unwrap();
            (schedule, *queries)
        })
    })
}

#[test]
fn queries_are_those_of_the_table() {
    assert_eq!(all().count(), 56);
    for (schedule, expected) in all() {
        let queries: Vec<usize> = schedule.levels.iter().map(|level| level.queries).collect();
        assert_eq!(queries, expected, "{schedule}");
    }
}

#[test]
fn every_bound_holds_and_no_count_hangs_on_rounding() {
    for (schedule, _) in all() {
        assert!(schedule.security_bits() >= 128.0, "{schedule}");
        for level in &schedule.levels {
            let bounds = &level.bounds;
            let least = [
                bounds.agreement_bits,
                bounds.out_of_domain_bits,
                bounds.algebraic_bits,
                bounds.query_bits + 17.0,
            ];
            assert!(least.iter().all(|&bits| bits >= 128.0), "{schedule}");
            let per_query = bounds.query_bits / level.queries as f64;
            let exact = 111.0 / per_query;
            let to_tie = (exact - exact.round()).abs();
            assert!(to_tie > 1e-6, "{exact} queries: {schedule}");
        }
    }
}

#[test]
fn ladders_have_the_published_shape() {
    let schedule = Schedule::derive(24, 1, Target::v0(111)).unwrap();
    let depths: Vec<u32> = schedule.levels.iter().map(|level| level.depth()).collect();
    assert_eq!(depths, [19, 19, 18, 17, 16, 15]);
    assert_eq!(schedule.residual_variables, 3);
    assert_eq!(schedule.scalar_count(), 99);
    assert_eq!(schedule.queries(), 389);
    let rates: Vec<u32> = schedule
        .levels
        .iter()
        .map(|level| level.log_inv_rate)
        .collect();
    assert_eq!(rates, [1, 4, 6, 8, 10, 12]);
    let widest = Schedule::derive(28, 4, Target::v0(111)).unwrap();
    assert_eq!((widest.levels.len(), widest.residual_variables), (7, 4));
}

#[test]
fn more_grinding_needs_fewer_queries() {
    let grinding = |bits| Target {
        grinding_bits: bits,
        later_grinding_bits: bits,
        ..Target::v0(111)
    };
    let count = |bits| Schedule::derive(24, 1, grinding(bits)).unwrap().queries();
    assert!(count(20) < count(17));
}

#[test]
fn profile_v1_grinds_more_and_stays_secure() {
    for variables in 15..=28 {
        for rate in 1..=4 {
            let v0 = Schedule::derive(variables, rate, Target::v0(32)).unwrap();
            let v1 = Schedule::derive(variables, rate, Target::v1(variables, 32)).unwrap();
            assert!(v1.security_bits() >= 128.0, "{v1}");
            assert!(v1.queries() <= v0.queries());
            // At higher rates one more bit does not always save a query.
            assert!(
                v1.queries() < v0.queries() || variables <= 20 || rate > 1,
                "{v1}"
            );
            let target = v1.target;
            for (index, level) in v1.levels.iter().enumerate() {
                let most = if index == 0 {
                    target.grinding_bits
                } else {
                    target.later_grinding_bits
                };
                assert!(level.grinding_bits <= most);
                // A bit less of grinding would not be enough.
                let bounds = &level.bounds;
                assert!(bounds.query_bits + f64::from(level.grinding_bits) < 129.0);
                let others = [
                    bounds.agreement_bits,
                    bounds.out_of_domain_bits,
                    bounds.algebraic_bits,
                ];
                assert!(others.iter().all(|&bits| bits >= 128.0), "{v1}");
            }
        }
    }
    let largest = Target::v1(28, 32);
    assert_eq!(
        (largest.grinding_bits, largest.later_grinding_bits),
        (23, 21)
    );
}

#[test]
fn grinding_bits_of_v1_do_not_hang_on_rounding() {
    for variables in 15..=28 {
        for rate in 1..=4 {
            let schedule = Schedule::derive(variables, rate, Target::v1(variables, 32)).unwrap();
            for level in &schedule.levels {
                let left = 128.0 - level.bounds.query_bits;
                assert!((left - left.round()).abs() > 1e-7, "{left}: {schedule}");
            }
        }
    }
}

#[test]
fn the_display_names_every_bound() {
    let text = Schedule::derive(24, 1, Target::v0(111))
        .unwrap()
        .to_string();
    for part in [
        "24 variables",
        "rate 1/2",
        "128.29",
        "153.25",
        "179.66",
        "225",
        "Johnson",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    let derive = |variables, rate| Schedule::derive(variables, rate, Target::v0(111));
    assert_eq!(derive(14, 1), Err(ParamsError::Variables { got: 14 }));
    assert_eq!(derive(29, 1), Err(ParamsError::Variables { got: 29 }));
    assert_eq!(derive(20, 0), Err(ParamsError::Rate { got: 0 }));
    assert_eq!(derive(20, 5), Err(ParamsError::Rate { got: 5 }));
    let greedy = Target {
        security_bits: 190,
        ..Target::v0(111)
    };
    assert_eq!(
        Schedule::derive(24, 1, greedy),
        Err(ParamsError::Insecure {
            level: 0,
            bits: 190
        })
    );
}
