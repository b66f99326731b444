//! The executable of a generated program.

use super::generator::{DATA, DONE, Generated};

const FILE_HEADER: usize = 52;
const PROGRAM_HEADER: usize = 32;
const NAMES: &[u8] = b"\0.symtab\0.strtab\0tohost\0fromhost\0";

/// ELF32 for RISC-V: code, data and the words of [`DONE`], with the two symbols by which the models
/// find the latter.
#[must_use]
pub fn executable(generated: &Generated) -> Vec<u8> {
    // Spike copies segments in pieces of 8 bytes.
    let mut code: Vec<u8> = generated
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    code.resize(code.len().next_multiple_of(8), 0);
    let parts = [
        (generated.base, 5, code.as_slice()),
        (generated.base + DATA, 6, generated.data.as_slice()),
        (generated.base + DONE, 6, [0; 16].as_slice()),
    ];
    let mut offset = FILE_HEADER + PROGRAM_HEADER * parts.len();
    let (mut headers, mut body) = (Vec::new(), Vec::new());
    for (address, flags, bytes) in parts {
        let length = bytes.len() as u32;
        headers.extend(words(&[
            1,
            offset as u32,
            address,
            address,
            length,
            length,
            flags,
            4,
        ]));
        body.extend_from_slice(bytes);
        offset += bytes.len();
    }
    let done = generated.base + DONE;
    let symbols = words(&[0, 0, 0, 0, 17, done, 8, ABSOLUTE, 24, done + 8, 8, ABSOLUTE]);
    let names = offset + symbols.len();
    let sections = names + NAMES.len().next_multiple_of(4);
    let mut file = vec![
        0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 243, 0,
    ];
    file.extend(words(&[
        1,
        generated.base,
        FILE_HEADER as u32,
        sections as u32,
        0,
    ]));
    for half in [FILE_HEADER, PROGRAM_HEADER, parts.len(), 40, 4, 3] {
        file.extend_from_slice(&(half as u16).to_le_bytes());
    }
    file.extend(headers);
    file.extend(body);
    file.extend(&symbols);
    file.extend_from_slice(NAMES);
    file.resize(sections, 0);
    file.extend([0; 40]);
    file.extend(words(&[
        1,
        2,
        0,
        0,
        offset as u32,
        symbols.len() as u32,
        2,
        1,
        4,
        16,
    ]));
    // Sail wants the names of sections to be a section of their own, if of the same bytes.
    for name in [9, 0] {
        file.extend(words(&[
            name,
            3,
            0,
            0,
            names as u32,
            NAMES.len() as u32,
            0,
            0,
            1,
            0,
        ]));
    }
    file
}

/// A global symbol's `st_info`, `st_other` and `st_shndx` (absolute).
const ABSOLUTE: u32 = 0xfff1_0010;

fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
