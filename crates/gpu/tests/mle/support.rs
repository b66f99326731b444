//! Operations by their definitions, and what the tests share.

use p3_field::{ExtensionField, PrimeCharacteristicRing, TwoAdicField};
use prova_gpu::mle::{Mle, Order, Table};
use prova_gpu::{Gpu, Kit, Recorder, Slice};
use prova_hash::HashField;

use crate::common::*;

pub fn mle<F: HashField + TwoAdicField, EF: ExtensionField<F>>(gpu: &Gpu) -> Mle {
    Mle::new(&kit::<F, EF>(gpu)).unwrap()
}

/// Room for `count` elements.
pub fn room(kit: &Kit, count: usize) -> Slice {
    let words = (count * kit.extension.degree()) as u64;
    kit.gpu.buffer(words).unwrap().slice(0, words)
}

/// Records, runs, and reads words of `slices` one after another.
pub fn run(gpu: &Gpu, slices: &[Slice], record: impl FnOnce(&mut Recorder<'_>)) -> Vec<u32> {
    let mut recorder = gpu.record();
    record(&mut recorder);
    let tickets: Vec<_> = slices.iter().map(|slice| recorder.read(slice)).collect();
    let back = recorder.finish().unwrap();
    tickets
        .iter()
        .flat_map(|&ticket| back.get(ticket))
        .copied()
        .collect()
}

/// A table in pieces of `piece` elements, each in a buffer of its own.
pub fn cut<F: HashField, EF: ExtensionField<F>>(gpu: &Gpu, values: &[EF], piece: usize) -> Table {
    let pieces = values
        .chunks_exact(piece)
        .map(|values| {
            let words = words::<F, EF>(values);
            gpu.upload(&words).unwrap().slice(0, words.len() as u64)
        })
        .collect();
    Table {
        pieces,
        log_len: values.len().ilog2() as usize,
    }
}

fn pair<EF: Copy>(order: Order, t: &[EF], i: usize) -> (EF, EF) {
    match order {
        Order::Suffix => (t[2 * i], t[2 * i + 1]),
        Order::Prefix => (t[i], t[i + t.len() / 2]),
    }
}

pub fn message<EF: PrimeCharacteristicRing + Copy>(order: Order, f: &[EF], w: &[EF]) -> [EF; 2] {
    let mut message = [EF::ZERO; 2];
    for i in 0..f.len() / 2 {
        let ((f0, f1), (w0, w1)) = (pair(order, f, i), pair(order, w, i));
        message[0] += f0 * w0;
        message[1] += (f1 - f0) * (w1 - w0);
    }
    message
}

pub fn bound<EF: PrimeCharacteristicRing + Copy>(order: Order, t: &[EF], r: EF) -> Vec<EF> {
    (0..t.len() / 2)
        .map(|i| {
            let (low, high) = pair(order, t, i);
            low + r * (high - low)
        })
        .collect()
}

/// `scale * eq(point, x)`, coordinate 0 at the highest index bit, by the definition.
pub fn eq<EF: PrimeCharacteristicRing + Copy>(point: &[EF], scale: EF) -> Vec<EF> {
    (0..1_usize << point.len())
        .map(|x| {
            let bits = point.iter().rev().enumerate();
            bits.map(|(i, &z)| if x >> i & 1 == 1 { z } else { EF::ONE - z })
                .fold(scale, |product, factor| product * factor)
        })
        .collect()
}

pub fn folded<F: HashField, EF: ExtensionField<F>>(column: &[F], row: &[EF]) -> Vec<EF> {
    column
        .chunks_exact(row.len())
        .map(|c| c.iter().zip(row).map(|(&f, &e)| e * f).sum())
        .collect()
}

pub fn partial<F: HashField, EF: ExtensionField<F>>(
    column: &[F],
    point: &[EF],
    fold: usize,
) -> Vec<EF> {
    let mut partial = vec![EF::ZERO; 1 << fold];
    for (row, e) in column.chunks_exact(1 << fold).zip(eq(point, EF::ONE)) {
        for (g, &f) in partial.iter_mut().zip(row) {
            *g += e * f;
        }
    }
    partial
}

pub fn evaluations<EF: PrimeCharacteristicRing + Copy>(f: &[EF], points: &[&[EF]]) -> Vec<EF> {
    points
        .iter()
        .map(|point| {
            let eq = eq(point, EF::ONE);
            f.iter().zip(eq).map(|(&f, e)| f * e).sum()
        })
        .collect()
}

pub fn add_weights<F: HashField + TwoAdicField, EF: ExtensionField<F>>(
    w: &mut [EF],
    equalities: &[(&[EF], EF)],
    log_domain: usize,
    selects: &[(usize, EF)],
) {
    for &(point, c) in equalities {
        for (w, e) in w.iter_mut().zip(eq(point, c)) {
            *w += e;
        }
    }
    let generator = F::two_adic_generator(log_domain);
    for &(i, c) in selects {
        let z = generator.exp_u64(i as u64);
        for (w, power) in w.iter_mut().zip(z.powers()) {
            *w += c * power;
        }
    }
}
