//! Rows and items moved about.

use p3_baby_bear::BabyBear;
use prova_gpu::gather::gather;
use prova_gpu::ntt::transpose;

use crate::common::*;

#[test]
fn gathered_rows() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    for (width, rows, count) in [(1, 7, 3), (16, 100, 64), (20, 33, 40), (64, 256, 91)] {
        let table: Vec<u32> = (0..rows * width).collect();
        let positions: Vec<u32> = (0..count).map(|i| (i * 37 + 5) % rows).collect();
        let uploaded = gpu.upload(&table).unwrap();
        // Backwards, so that places are looked at too.
        let moves: Vec<(u32, u32)> = (0..count)
            .map(|i| (positions[i as usize], count - 1 - i))
            .collect();
        let out = gpu.buffer(u64::from(count * width)).unwrap();
        let mut recorder = gpu.record();
        let (from, to) = (uploaded.all(), out.all());
        gather(&kit, &mut recorder, &from, width as usize, &moves, &to).unwrap();
        let ticket = recorder.read(&out.slice(0, u64::from(count * width)));
        let back = recorder.finish().unwrap();
        let expected: Vec<u32> = positions
            .iter()
            .rev()
            .flat_map(|p| p * width..(p + 1) * width)
            .collect();
        assert!(back.get(ticket) == expected, "width {width}");
    }
}

#[test]
fn transposed_tables() {
    let gpu = gpu();
    let kit = kit::<BabyBear, BabyBear4>(&gpu);
    for words in [1, 4, 5] {
        for (rows, columns) in [
            (1, 1),
            (64, 1),
            (1, 64),
            (300, 2),
            (64, 16),
            (70, 33),
            (128, 64),
        ] {
            let length = rows * columns * words;
            let table: Vec<u32> = (0..length as u32).collect();
            let uploaded = gpu.upload(&table).unwrap();
            let out = gpu.buffer(length as u64).unwrap();
            let mut recorder = gpu.record();
            let (input, output) = (uploaded.all(), out.all());
            transpose(&kit, &mut recorder, &input, rows, columns, words, &output).unwrap();
            let ticket = recorder.read(&out.slice(0, length as u64));
            let back = recorder.finish().unwrap();
            let mut expected = vec![0; length];
            for x in 0..rows {
                for j in 0..columns {
                    for w in 0..words {
                        expected[(x * columns + j) * words + w] = table[(j * rows + x) * words + w];
                    }
                }
            }
            assert!(
                back.get(ticket) == expected,
                "{rows} by {columns} of {words}"
            );
        }
    }
}
