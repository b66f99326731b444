//! Medians, spreads and geometric means.

use serde::Serialize;

/// A sample's middle and its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of a sample; zeros if it is empty.
    pub fn of(sample: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = sample.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Self::default();
        };
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            f64::midpoint(sorted[middle - 1], sorted[middle])
        };
        Self { median, min, max }
    }
}

/// Geometric mean of positive numbers; `None` if there are none.
pub fn geomean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values
        .into_iter()
        .fold((0_u32, 0.0), |(count, sum), value| {
            (count + 1, sum + value.ln())
        });
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(
            Spread::of([3.0, 1.0, 2.0]),
            Spread {
                median: 2.0,
                min: 1.0,
                max: 3.0
            }
        );
        assert_eq!(Spread::of([4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(
            Spread::of([7.0]),
            Spread {
                median: 7.0,
                min: 7.0,
                max: 7.0
            }
        );
        assert_eq!(Spread::of([]), Spread::default());
    }

    #[test]
    fn geometric_means() {
        let mean = geomean([1.0, 4.0, 2.0]).unwrap();
        assert!((mean - 2.0).abs() < 1e-12);
        assert!((geomean([2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geomean([]), None);
    }
}
