//! Plans, without a device.

use prova_gpu::Limits;
use prova_gpu::ntt::{plan, plan_with_leaves};

use crate::oracle::shape;

#[test]
fn published_schedule_moves_few_bytes() {
    let shapes = [
        (20, 16, 1),
        (16, 64, 2),
        (12, 64, 5),
        (8, 64, 8),
        (4, 64, 11),
    ];
    let bytes: u64 = shapes
        .iter()
        .flat_map(|&(log_rows, width, rate)| {
            let passes = plan(shape(log_rows, width, rate), 1 << rate, &Limits::WEBGPU);
            assert!(passes.len() <= 2, "{passes:?}");
            passes
        })
        .map(|pass| pass.cost.bytes())
        .sum();
    assert!(bytes * 10 <= 8 << 30, "{bytes} bytes");
}

#[test]
fn plans_cover_all_levels() {
    for log_rows in 0..=26 {
        for width in [1, 2, 4, 5, 8, 16, 20, 64, 80, 256, 320] {
            for cosets in [1, 2, 8] {
                let shape = shape(log_rows, width, 3);
                let mut plans = vec![plan(shape, cosets, &Limits::WEBGPU)];
                plans.extend(plan_with_leaves(shape, cosets, &Limits::WEBGPU));
                for passes in &plans {
                    assert!(!passes.is_empty());
                    let done = passes.iter().fold(0, |done, pass| {
                        assert_eq!(pass.done, done, "{shape:?}: {passes:?}");
                        done + pass.bits
                    });
                    assert_eq!(done, log_rows, "{shape:?}: {passes:?}");
                    let few = log_rows.div_ceil(8) + 1;
                    assert!(passes.len() <= few, "{shape:?}: {passes:?}");
                }
                if let Some(hashing) = plans.get(1) {
                    assert!(hashing.last().is_some_and(|pass| pass.leaves));
                    assert!(width <= 64, "{shape:?}");
                }
            }
        }
    }
}
