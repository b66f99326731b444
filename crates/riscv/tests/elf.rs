//! The ELF loader: a well-formed file, and one of each malformation.

use prova_riscv::{
    Cause, ElfError, ElfPart, Exit, ImageError, Input, Layout, Machine, MachineError, NoObserver,
    Options, Program,
    asm::Assembler,
    isa::{ImmOp, Instruction, LoadOp, Reg, StoreOp},
};

const BASE: u32 = 0x40_0000;
const DATA: u32 = 0x40_2000;
const X: u32 = 1;
const W: u32 = 2;
const R: u32 = 4;

/// A program header and the data it refers to.
#[derive(Clone)]
struct Header {
    kind: u32,
    address: u32,
    data: Vec<u8>,
    memory: u32,
    flags: u32,
}

impl Header {
    fn load(address: u32, data: &[u8], memory: u32, flags: u32) -> Self {
        Self {
            kind: 1,
            address,
            data: data.to_vec(),
            memory,
            flags,
        }
    }
}

/// `halt(7)`, data with BSS behind it, and a header that is not for loading.
fn headers() -> Vec<Header> {
    let mut asm = Assembler::new();
    asm.li(Reg::A0, 7).syscall(0);
    let code = asm.finish().expect("no labels");
    vec![
        Header::load(BASE, &code, code.len() as u32, R | X),
        Header::load(DATA, b"data", 64, R | W),
        Header {
            kind: 0x7000_0003,
            ..Header::load(0, b"attributes", 0, R)
        },
    ]
}

fn file(headers: &[Header], entry: u32) -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01".to_vec();
    file.resize(16, 0);
    let half = |file: &mut Vec<u8>, value: u16| file.extend(value.to_le_bytes());
    let word = |file: &mut Vec<u8>, value: u32| file.extend(value.to_le_bytes());
    half(&mut file, 2);
    half(&mut file, 243);
    for value in [1, entry, 52, 0, 0] {
        word(&mut file, value);
    }
    for value in [52, 32, headers.len() as u16, 40, 0, 0] {
        half(&mut file, value);
    }
    let mut offset = 52 + 32 * headers.len() as u32;
    for header in headers {
        let size = header.data.len() as u32;
        let Header {
            kind,
            address,
            memory,
            flags,
            ..
        } = *header;
        for value in [kind, offset, address, address, size, memory, flags, 4] {
            word(&mut file, value);
        }
        offset += size;
    }
    for header in headers {
        file.extend(&header.data);
    }
    file
}

fn good() -> Vec<u8> {
    file(&headers(), BASE)
}

#[test]
fn loads_and_runs() {
    let program = Program::from_elf(&good()).expect("well-formed");
    assert_eq!((program.entry(), program.end()), (BASE, DATA + 64));
    let places: Vec<_> = program
        .segments()
        .iter()
        .map(|s| (s.address, s.size))
        .collect();
    assert_eq!(places, [(BASE, 12), (DATA, 64)]);
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    assert_eq!(machine.read_memory(DATA, 6), Some(&b"data\0\0"[..]));
    let outcome = machine.run(&mut NoObserver).expect("halts");
    assert_eq!(outcome.exit, Exit::Halted(7));

    let options = Options {
        ram_end: DATA + 60,
        ..Options::default()
    };
    let error = Machine::new(&program, &input, options).expect_err("too small");
    assert_eq!(
        error,
        MachineError::Program {
            program: DATA + 64,
            ram: DATA + 60
        }
    );
    for ram_end in [0, 0x1_0000, 0x50_0001, 0x8000_0004] {
        let options = Options {
            ram_end,
            ..Options::default()
        };
        let error = Machine::new(&program, &input, options).expect_err("no RAM");
        assert!(matches!(error, MachineError::RamEnd { .. }), "{error}");
    }
}

/// A segment's order in the file does not matter.
#[test]
fn order_of_headers() {
    let mut turned = headers();
    turned.reverse();
    let program = Program::from_elf(&file(&turned, BASE)).expect("well-formed");
    assert_eq!(
        program.segments(),
        Program::from_elf(&good()).expect("well-formed").segments()
    );
}

/// Bytes of the file header replaced.
#[test]
fn malformed_file_headers() {
    let cases: [(usize, &[u8], ElfError); 21] = [
        (0, b"MZ", ElfError::Magic { found: *b"MZLF" }),
        (4, &[2], ElfError::Class { found: 2 }),
        (4, &[0], ElfError::Class { found: 0 }),
        (5, &[2], ElfError::Endianness { found: 2 }),
        (6, &[0], ElfError::Version { found: 0 }),
        (20, &[2], ElfError::Version { found: 2 }),
        (16, &[1], ElfError::Type { found: 1 }),
        (16, &[3], ElfError::Type { found: 3 }),
        (18, &[62], ElfError::Machine { found: 62 }),
        (36, &[1], ElfError::Compressed { flags: 1 }),
        (36, &[2], ElfError::FloatAbi { flags: 2 }),
        (36, &[4], ElfError::FloatAbi { flags: 4 }),
        (36, &[8], ElfError::Embedded { flags: 8 }),
        (36, &[32], ElfError::Flags { flags: 32 }),
        (40, &[64], ElfError::FileHeaderSize { found: 64 }),
        (42, &[56], ElfError::HeaderSize { found: 56 }),
        (44, &[65], ElfError::TooManyHeaders { found: 65 }),
        (44, &[255, 255], ElfError::TooManyHeaders { found: 0xffff }),
        (44, &[0], ElfError::NoSegment),
        (24, &[1], ElfError::EntryMisaligned { entry: BASE + 1 }),
        (24, &[2], ElfError::EntryMisaligned { entry: BASE + 2 }),
    ];
    for (offset, bytes, error) in cases {
        let mut file = good();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        assert_eq!(Program::from_elf(&file).err(), Some(error), "{offset}");
    }
    // Total store ordering is no demand on one hart.
    let mut file = good();
    file[36] = 16;
    assert!(Program::from_elf(&file).is_ok());
}

/// Every file that ends early is refused, and says where.
#[test]
fn truncated_files() {
    let good = good();
    for length in 0..good.len() - b"attributes".len() {
        let error = Program::from_elf(&good[..length]).expect_err("truncated");
        let ElfError::Truncated {
            what,
            end,
            length: found,
        } = error
        else {
            panic!("{length}: {error}");
        };
        assert!(found == length && end > length as u64);
        let expected = match length {
            0..52 => ElfPart::FileHeader,
            52..148 => ElfPart::ProgramHeaders,
            148..160 => ElfPart::Segment(0),
            _ => ElfPart::Segment(1),
        };
        assert_eq!(what, expected, "{length}");
    }
    // Program headers and data that are far outside.
    for (offset, what) in [(28, ElfPart::ProgramHeaders), (52 + 4, ElfPart::Segment(0))] {
        let mut file = good.clone();
        file[offset..offset + 4].copy_from_slice(&[0xff; 4]);
        let error = Program::from_elf(&file).expect_err("outside");
        assert!(
            matches!(error, ElfError::Truncated { what: w, .. } if w == what),
            "{error}"
        );
    }
}

fn check(change: impl FnOnce(&mut Vec<Header>), error: ElfError) {
    let mut headers = headers();
    change(&mut headers);
    let file = file(&headers, BASE);
    assert_eq!(Program::from_elf(&file).err(), Some(error), "{error}");
}

#[test]
fn malformed_segments() {
    check(
        |h| h[1].memory = 3,
        ElfError::FileLarger {
            header: 1,
            file: 4,
            memory: 3,
        },
    );
    check(|h| h[2].kind = 2, ElfError::Dynamic { header: 2 });
    check(|h| h[2].kind = 3, ElfError::Dynamic { header: 2 });
    check(
        |h| h[0].flags |= W,
        ElfError::WritableCode {
            header: 0,
            address: BASE,
        },
    );
    check(
        |h| h[0].address += 2,
        ElfError::CodeMisaligned {
            header: 0,
            address: BASE + 2,
        },
    );
    check(|h| h[0].flags = R, ElfError::EntryOutside { entry: BASE });
    check(
        |h| h[0].address += 4,
        ElfError::EntryOutside { entry: BASE },
    );
    check(|h| h[0].kind = 0, ElfError::EntryOutside { entry: BASE });
    check(|h| h.clear(), ElfError::NoSegment);
    check(
        |h| h.iter_mut().for_each(|h| h.kind = 0),
        ElfError::NoSegment,
    );
    check(
        |h| h.iter_mut().for_each(|h| (h.data, h.memory) = (vec![], 0)),
        ElfError::NoSegment,
    );
    let address = 0xffff_fff0;
    check(
        |h| h[1].address = address,
        ElfError::Wraps {
            header: 1,
            address,
            size: 64,
        },
    );
    check(
        |h| h[1].memory = u32::MAX,
        ElfError::Wraps {
            header: 1,
            address: DATA,
            size: u32::MAX,
        },
    );
    for start in [0, BASE - 4, 0x7fff_fff0, 0x8000_0000] {
        let end = start + 64;
        let (low, high) = (BASE, 0x8000_0000);
        check(
            |h| h[1].address = start,
            ElfError::Outside {
                header: 1,
                start,
                end,
                low,
                high,
            },
        );
    }
}

#[test]
fn overlapping_segments() {
    let third = |address, data: &[u8], memory| {
        let header = Header::load(address, data, memory, R | W);
        move |h: &mut Vec<Header>| h.push(header)
    };
    let overlap = |first, second, address| ElfError::Overlap {
        first,
        second,
        address,
    };
    let covered = |bss, data, address| ElfError::BssOverData { bss, data, address };
    // Headers 1 and 3: `DATA..DATA + 4` is data, up to `DATA + 64` zeros.
    check(third(DATA, b"other", 5), overlap(1, 3, DATA));
    check(third(DATA + 3, b"o", 1), overlap(1, 3, DATA + 3));
    check(third(DATA - 4, b"others", 6), overlap(3, 1, DATA));
    check(third(DATA + 4, b"o", 1), covered(1, 3, DATA + 4));
    check(third(DATA + 63, b"o", 1), covered(1, 3, DATA + 63));
    check(third(DATA - 4, b"o", 5), covered(3, 1, DATA));
    check(third(DATA + 2, b"", 1), covered(3, 1, DATA + 2));
    check(third(DATA + 32, b"", 1), overlap(1, 3, DATA + 32));
    check(third(BASE + 4, b"", 8), covered(3, 0, BASE + 4));
    // One that spans several overlaps its neighbour.
    check(third(BASE, &[0; 16], 0x4000), overlap(0, 3, BASE));
    let mut touching = headers();
    third(DATA + 64, b"o", 1)(&mut touching);
    assert!(Program::from_elf(&file(&touching, BASE)).is_ok());
}

#[test]
fn bytes_that_are_no_program() {
    assert!(Program::from_elf(&[]).is_err());
    assert!(Program::from_elf(&[0; 4096]).is_err());
    // Whatever is flipped, it is loaded or refused.
    let good = good();
    for offset in 0..148 {
        for bit in 0..8 {
            let mut file = good.clone();
            file[offset] ^= 1 << bit;
            let _ = Program::from_elf(&file);
        }
    }
}

/// Code in two segments with data between them, and zeros behind the second.
#[test]
fn several_executable_segments() {
    let other = DATA + 0x1000;
    let r = |index| Reg::new(index).expect("below 32");
    let far = |rd, offset: u32| Instruction::Jal {
        rd,
        offset: offset.cast_signed(),
    };
    let mut first = Assembler::new();
    first.li(r(9), DATA).push(far(Reg::RA, other - BASE - 4));
    first
        .load(LoadOp::Lw, Reg::A0, 8, r(9))
        .push(Instruction::Jalr {
            rd: Reg::ZERO,
            rs1: r(8),
            offset: 0,
        });
    let mut second = Assembler::new();
    second.li(r(8), 5).store(StoreOp::Sw, r(8), 8, r(9));
    second
        .push(Instruction::Auipc { rd: r(8), imm: 0 })
        .op_imm(ImmOp::Addi, r(8), r(8), 12);
    second.push(Instruction::Jalr {
        rd: Reg::ZERO,
        rs1: Reg::RA,
        offset: 0,
    });
    second
        .op_imm(ImmOp::Addi, r(7), Reg::A0, 1)
        .store(StoreOp::Sw, r(7), 12, r(9));

    let mut headers = headers();
    let code = first.finish().expect("no labels");
    headers[0] = Header::load(BASE, &code, code.len() as u32, R | X);
    let code = second.finish().expect("no labels");
    let end = other + code.len() as u32;
    headers.push(Header::load(other, &code, code.len() as u32 + 6, R | X));
    let program = Program::from_elf(&file(&headers, BASE)).expect("well-formed");
    let input = Input::empty();
    let mut machine = Machine::new(&program, &input, Options::default()).expect("fits");
    let trap = machine.run(&mut NoObserver).expect_err("runs into zeros");
    assert_eq!((trap.pc, trap.cause), (end, Cause::Illegal { word: 0 }));
    assert_eq!(trap.cycles, 11);
    assert_eq!(
        machine.read_memory(DATA + 8, 8),
        Some(&[5, 0, 0, 0, 6, 0, 0, 0][..])
    );
    // Of the six bytes of zeros, the last two are no whole word.
    assert_eq!(
        (program.fetch(end), program.fetch(end + 4)),
        (Some(0), None)
    );
}

/// A segment that is code and data at once loads where the layout allows it.
#[test]
fn writable_code() {
    let mut headers = headers();
    headers[0].flags |= W;
    let file = file(&headers, BASE);
    let layout = Layout {
        writable_code: true,
        ..Layout::GUEST
    };
    assert!(Program::from_elf_at(&file, layout).is_ok());
}

#[test]
fn flat_images() {
    let image = |length: usize, base, entry| {
        Program::from_image(&vec![0x13; length], base, entry, Layout::GUEST).err()
    };
    assert_eq!(image(8, BASE, BASE + 4), None);
    assert_eq!(
        image(8, BASE, BASE + 8),
        Some(ImageError::Entry { entry: BASE + 8 })
    );
    assert_eq!(
        image(0, BASE, BASE),
        Some(ImageError::Entry { entry: BASE })
    );
    assert_eq!(
        image(8, BASE + 2, BASE),
        Some(ImageError::Misaligned { address: BASE + 2 })
    );
    assert_eq!(
        image(8, BASE, BASE + 2),
        Some(ImageError::Misaligned { address: BASE + 2 })
    );
    for base in [0, BASE - 4, 0x7fff_fffc, 0xffff_fffc] {
        assert!(
            matches!(image(8, base, base), Some(ImageError::Outside { .. })),
            "{base:#x}"
        );
    }
}
