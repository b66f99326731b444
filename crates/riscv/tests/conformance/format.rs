//! Instruction formats and encodings of RV32IM ("The RISC-V Instruction Set Manual, Volume I",
//! chapter "RV32/64G Instruction Set Listings").

/// Two sources, one target: `funct7`, `funct3`.
#[derive(Clone, Copy)]
pub struct R(u32, u32);

impl R {
    pub const ALL: [Self; 18] = [
        Self(0x00, 0), // add
        Self(0x20, 0), // sub
        Self(0x00, 1), // sll
        Self(0x00, 2), // slt
        Self(0x00, 3), // sltu
        Self(0x00, 4), // xor
        Self(0x00, 5), // srl
        Self(0x20, 5), // sra
        Self(0x00, 6), // or
        Self(0x00, 7), // and
        Self(0x01, 0), // mul
        Self(0x01, 1), // mulh
        Self(0x01, 2), // mulhsu
        Self(0x01, 3), // mulhu
        Self(0x01, 4), // div
        Self(0x01, 5), // divu
        Self(0x01, 6), // rem
        Self(0x01, 7), // remu
    ];

    pub const fn word(self, rd: u32, rs1: u32, rs2: u32) -> u32 {
        self.0 << 25 | rs2 << 20 | rs1 << 15 | self.1 << 12 | rd << 7 | 0x33
    }
}

/// A source, an immediate, a target: opcode, `funct3`, bits that are set in the immediate.
#[derive(Clone, Copy)]
pub struct I(u32, u32, u32);

impl I {
    pub const ADDI: Self = Self(0x13, 0, 0);
    pub const LW: Self = Self(0x03, 2, 0);
    pub const JALR: Self = Self(0x67, 0, 0);
    /// Those of the arithmetic unit.
    pub const ALL: [Self; 9] = [
        Self::ADDI,
        Self(0x13, 2, 0),     // slti
        Self(0x13, 3, 0),     // sltiu
        Self(0x13, 4, 0),     // xori
        Self(0x13, 6, 0),     // ori
        Self(0x13, 7, 0),     // andi
        Self(0x13, 1, 0),     // slli
        Self(0x13, 5, 0),     // srli
        Self(0x13, 5, 0x400), // srai
    ];

    /// The loads of 1, 2 or 4 bytes.
    pub const fn loads(size: u32) -> &'static [Self] {
        match size {
            1 => &[Self(0x03, 0, 0), Self(0x03, 4, 0)],
            2 => &[Self(0x03, 1, 0), Self(0x03, 5, 0)],
            _ => &[Self::LW],
        }
    }

    /// Whether the immediate is a shift, from 0 to 31.
    pub const fn is_shift(self) -> bool {
        self.0 == 0x13 && matches!(self.1, 1 | 5)
    }

    pub const fn word(self, rd: u32, rs1: u32, immediate: i32) -> u32 {
        assert!(-2048 <= immediate && immediate < 2048);
        (immediate as u32 | self.2) << 20 | rs1 << 15 | self.1 << 12 | rd << 7 | self.0
    }
}

/// Stores: `funct3`.
#[derive(Clone, Copy)]
pub struct S(u32);

impl S {
    pub const SW: Self = Self(2);

    /// The store of 1, 2 or 4 bytes.
    pub const fn of_size(size: u32) -> Self {
        Self(size.trailing_zeros())
    }

    pub const fn word(self, base: u32, source: u32, offset: i32) -> u32 {
        assert!(-2048 <= offset && offset < 2048);
        let offset = offset as u32;
        (offset >> 5) << 25 | source << 20 | base << 15 | self.0 << 12 | (offset & 0x1f) << 7 | 0x23
    }
}

/// Branches: `funct3`.
#[derive(Clone, Copy)]
pub struct B(u32);

impl B {
    pub const BNE: Self = Self(1);
    pub const BLT: Self = Self(4);
    pub const BLTU: Self = Self(6);
    pub const ALL: [Self; 6] = [Self(0), Self::BNE, Self::BLT, Self(5), Self::BLTU, Self(7)];

    pub const fn word(self, rs1: u32, rs2: u32, offset: i32) -> u32 {
        assert!(-4096 <= offset && offset < 4096 && offset % 2 == 0);
        let offset = offset as u32;
        (offset >> 12 & 1) << 31
            | (offset >> 5 & 0x3f) << 25
            | rs2 << 20
            | rs1 << 15
            | self.0 << 12
            | (offset >> 1 & 0xf) << 8
            | (offset >> 11 & 1) << 7
            | 0x63
    }
}

/// An upper immediate and a target: opcode.
#[derive(Clone, Copy)]
pub struct U(u32);

impl U {
    pub const LUI: Self = Self(0x37);
    pub const AUIPC: Self = Self(0x17);

    /// The lower 12 bits of the value do not count.
    pub const fn word(self, rd: u32, value: u32) -> u32 {
        value & 0xffff_f000 | rd << 7 | self.0
    }
}

/// `jal`.
pub struct J;

impl J {
    pub const fn word(self, rd: u32, offset: i32) -> u32 {
        assert!(-(1 << 20) <= offset && offset < 1 << 20 && offset % 2 == 0);
        let offset = offset as u32;
        (offset >> 20 & 1) << 31
            | (offset >> 1 & 0x3ff) << 21
            | (offset >> 11 & 1) << 20
            | (offset >> 12 & 0xff) << 12
            | rd << 7
            | 0x6f
    }
}
