use alloc::{string::ToString, vec::Vec};

use super::*;

/// Every opcode with every `funct3` and the `funct7` values around the legal ones, and registers
/// and immediates of all bits in turn: decoding never invents or loses a bit.
#[test]
fn encode_inverts_decode() {
    let mut legal = 0u32;
    for opcode in 0..128u32 {
        for funct3 in 0..8u32 {
            for funct7 in 0..128u32 {
                for fields in 0..48u32 {
                    let word = opcode | (funct3 << 12) | (funct7 << 25) | registers(fields);
                    legal += u32::from(check(word));
                }
            }
        }
    }
    assert!(legal > 100_000);
}

/// `rd`, `rs1` and `rs2` in patterns: one-hot, all ones but one, and mixed.
fn registers(pattern: u32) -> u32 {
    let bits = match pattern {
        0..15 => 1 << pattern,
        15..30 => 0x7fff ^ (1 << (pattern - 15)),
        30 => 0,
        31 => 0x7fff,
        _ => pattern.wrapping_mul(0x9e37_79b9) >> 17,
    };
    ((bits & 31) << 7) | ((bits >> 5) & 31) << 15 | (bits >> 10) << 20
}

fn check(word: u32) -> bool {
    match Instruction::decode(word) {
        Ok(instruction) => {
            assert_eq!(instruction.encode(), Ok(word), "{instruction:?}");
            true
        }
        Err(DecodeError::Compressed(half)) => {
            assert!(word & 3 != 3 && u32::from(half) == word & 0xffff);
            false
        }
        Err(DecodeError::Illegal(w)) => {
            assert!(w == word && (word & 3 == 3 || word == 0));
            false
        }
    }
}

#[test]
fn random_words() {
    let mut state = 1u64;
    for _ in 0..4_000_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let random = (state >> 32) as u32;
        check(random);
        check(random | 3);
    }
}

/// One decoded value per immediate: all 2^12 and 2^13 offsets, and steps through 2^21 and 2^32.
#[test]
fn immediates() {
    let (rd, rs1, rs2) = (Reg(3), Reg(17), Reg(30));
    let back = |instruction: Instruction| {
        let word = instruction.encode().expect("in range");
        assert_eq!(Instruction::decode(word), Ok(instruction));
    };
    for offset in -2048..2048 {
        back(Instruction::Jalr { rd, rs1, offset });
        back(Instruction::Load {
            op: LoadOp::Lhu,
            rd,
            rs1,
            offset,
        });
        back(Instruction::Store {
            op: StoreOp::Sh,
            rs1,
            rs2,
            offset,
        });
        back(Instruction::OpImm {
            op: ImmOp::Xori,
            rd,
            rs1,
            imm: offset,
        });
        back(Instruction::Branch {
            op: BranchOp::Bltu,
            rs1,
            rs2,
            offset: 2 * offset,
        });
    }
    for offset in (-1 << 19)..(1 << 19) {
        back(Instruction::Jal {
            rd,
            offset: 2 * offset,
        });
        back(Instruction::Lui {
            rd,
            imm: (offset.cast_unsigned()) << 12,
        });
    }
    for imm in 0..32 {
        back(Instruction::OpImm {
            op: ImmOp::Srai,
            rd,
            rs1,
            imm,
        });
    }
}

#[test]
fn immediates_out_of_range() {
    let (rd, rs1, rs2) = (Reg(1), Reg(2), Reg(3));
    let op = BranchOp::Beq;
    for instruction in [
        Instruction::Lui { rd, imm: 0x1001 },
        Instruction::Auipc { rd, imm: 1 },
        Instruction::Jal {
            rd,
            offset: 1 << 20,
        },
        Instruction::Jal { rd, offset: 3 },
        Instruction::Jalr {
            rd,
            rs1,
            offset: 2048,
        },
        Instruction::Branch {
            op,
            rs1,
            rs2,
            offset: 4096,
        },
        Instruction::Branch {
            op,
            rs1,
            rs2,
            offset: -4098,
        },
        Instruction::Branch {
            op,
            rs1,
            rs2,
            offset: 1,
        },
        Instruction::Load {
            op: LoadOp::Lb,
            rd,
            rs1,
            offset: -2049,
        },
        Instruction::Store {
            op: StoreOp::Sb,
            rs1,
            rs2,
            offset: 2048,
        },
        Instruction::OpImm {
            op: ImmOp::Addi,
            rd,
            rs1,
            imm: 2048,
        },
        Instruction::OpImm {
            op: ImmOp::Slli,
            rd,
            rs1,
            imm: 32,
        },
        Instruction::OpImm {
            op: ImmOp::Srai,
            rd,
            rs1,
            imm: -1,
        },
        Instruction::Fence {
            fm: 16,
            pred: 0,
            succ: 0,
            rd,
            rs1,
        },
    ] {
        assert!(instruction.encode().is_err(), "{instruction:?}");
    }
}

/// Words that are instructions elsewhere, but not here.
#[test]
fn illegal_words() {
    for word in [
        0x0000_0000,
        0xffff_ffff,
        0x0000_100f, // fence.i
        0x3020_0073, // mret
        0xc000_2573, // rdcycle a0
        0x1050_0073, // wfi
        0x0200_1013, // slli with bit 25, legal on RV64 only
        0x0000_3003, // ld
        0x0000_6003, // lwu
        0x0000_3023, // sd
        0x0000_001b, // addiw
        0x0000_003b, // addw
        0x0000_202f, // lr.w
        0x0000_0053, // fadd.s
        0x4000_1033, // sub with the funct3 of sll
        0x0000_00f3, // ecall with rd
    ] {
        assert_eq!(
            Instruction::decode(word),
            Err(DecodeError::Illegal(word)),
            "{word:#010x}"
        );
    }
    assert_eq!(
        Instruction::decode(0x4501),
        Err(DecodeError::Compressed(0x4501))
    );
}

/// At address 0x400000, in the form GNU objdump prints.
#[test]
fn text() {
    let pairs: Vec<(u32, &str)> = [
        (0x0000_0013, "nop"),
        (0x0050_0013, "li zero,5"),
        (0xfff0_0513, "li a0,-1"),
        (0x0005_8513, "mv a0,a1"),
        (0x0015_0513, "addi a0,a0,1"),
        (0xfff5_4513, "not a0,a0"),
        (0x0015_3513, "seqz a0,a0"),
        (0x0ff5_7513, "zext.b a0,a0"),
        (0x0025_1513, "slli a0,a0,0x2"),
        (0x4025_5513, "srai a0,a0,0x2"),
        (0x00b5_0533, "add a0,a0,a1"),
        (0x40b0_0533, "neg a0,a1"),
        (0x00b0_3533, "snez a0,a1"),
        (0x0005_a533, "sltz a0,a1"),
        (0x00b0_2533, "sgtz a0,a1"),
        (0x02b5_0533, "mul a0,a0,a1"),
        (0x02b5_7533, "remu a0,a0,a1"),
        (0x1234_5537, "lui a0,0x12345"),
        (0x0000_1517, "auipc a0,0x1"),
        (0x0000_8067, "ret"),
        (0x0005_0067, "jr a0"),
        (0x0085_0067, "jr 8(a0)"),
        (0x0005_00e7, "jalr a0"),
        (0x0085_00e7, "jalr 8(a0)"),
        (0x0003_02e7, "jalr t0,t1"),
        (0x0083_02e7, "jalr t0,8(t1)"),
        (0x0080_006f, "j 0x400008"),
        (0xffdf_f0ef, "jal 0x3ffffc"),
        (0x0080_02ef, "jal t0,0x400008"),
        (0x0005_0463, "beqz a0,0x400008"),
        (0x00b5_1463, "bne a0,a1,0x400008"),
        (0x00a0_4463, "bgtz a0,0x400008"),
        (0x00a0_5463, "blez a0,0x400008"),
        (0x0005_5463, "bgez a0,0x400008"),
        (0x00b5_6463, "bltu a0,a1,0x400008"),
        (0xfff5_0503, "lb a0,-1(a0)"),
        (0x0081_2503, "lw a0,8(sp)"),
        (0x00a1_2423, "sw a0,8(sp)"),
        (0x0ff0_000f, "fence"),
        (0x0310_000f, "fence rw,w"),
        (0x8330_000f, "fence.tso"),
        (0x0000_0073, "ecall"),
        (0x0010_0073, "ebreak"),
    ]
    .to_vec();
    for (word, expected) in pairs {
        let instruction = Instruction::decode(word).expect(expected);
        assert_eq!(instruction.disasm(0x40_0000).to_string(), expected);
    }
}

#[test]
fn markers() {
    assert_eq!(Instruction::NOP.marker(), None);
    assert_eq!(Instruction::decode(0x0000_0013), Ok(Instruction::NOP));
    assert_eq!(Instruction::from_marker(0), None);
    assert_eq!(Instruction::from_marker(2048), None);
    for value in 1..2048 {
        let marker = Instruction::from_marker(value).expect("in range");
        let word = marker.encode().expect("in range");
        let back = Instruction::decode(word).expect("legal");
        assert_eq!(back.marker(), Some(value));
    }
    // `addi a0, x0, 5` and `addi x0, a0, 5` are none.
    for word in [0x0050_0513, 0x0055_0013] {
        assert_eq!(Instruction::decode(word).expect("legal").marker(), None);
    }
}
