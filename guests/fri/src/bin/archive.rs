//! Reads and checks the same proof as an `rkyv` archive, and commits the sum of the same words.
#![no_std]
#![no_main]

extern crate alloc;

#[path = "../archive.rs"]
mod archive;

use archive::ArchivedArchive;
use rkyv::rancor::Failure;

prova_guest_rt::entry!(main);

fn main() {
    match run(prova_guest_rt::read_input()) {
        Some(sum) => prova_guest_rt::commit(&sum.to_le_bytes()),
        None => prova_guest_rt::halt(1),
    }
}

/// The modulus of BabyBear.
const MODULUS: u32 = 0x7800_0001;

fn run(input: &[u8]) -> Option<u32> {
    let archive = rkyv::access::<ArchivedArchive, Failure>(input).ok()?;
    let mut sum = 0u32;
    let mut fine = true;
    let mut element = |word: u32| {
        sum = sum.wrapping_add(word);
        fine &= word < MODULUS;
    };
    archive
        .nonces
        .iter()
        .for_each(|word| element(word.to_native()));
    for ext in archive.opened.iter().chain(archive.final_poly.iter()) {
        ext.iter().for_each(|word| element(word.to_native()));
    }
    for row in archive
        .inputs
        .iter()
        .flat_map(|opening| opening.rows.iter())
    {
        row.iter().for_each(|word| element(word.to_native()));
    }
    for round in archive.rounds.iter() {
        for group in round.groups.iter() {
            for ext in group.iter() {
                ext.iter().for_each(|word| element(word.to_native()));
            }
        }
    }
    let inputs = archive.inputs.iter().map(|opening| &opening.siblings);
    let rounds = archive.rounds.iter().map(|round| &round.siblings);
    inputs.chain(rounds).for_each(|tree| {
        for node in tree.iter() {
            node.iter()
                .for_each(|word| sum = sum.wrapping_add(word.to_native()));
        }
    });
    fine.then_some(sum)
}
