//! RAM and input, as loads, stores and system calls see them.

use alloc::{vec, vec::Vec};

use crate::{input::Input, program::Program};

/// What an access that failed ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Unmapped,
    ReadOnly,
}

/// A stretch of addresses.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    length: u32,
}

impl Range {
    #[inline(always)]
    const fn contains(self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.length
    }

    const fn overlaps(self, address: u32, length: u32) -> bool {
        self.contains(address) || (length > 0 && self.start.wrapping_sub(address) < length)
    }
}

/// Words are kept in memory order, so that views of them as bytes and half-words are right on
/// little-endian hosts, and bytes on any; half-words and words are converted on access.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    ram: Vec<u32>,
    ram_base: u32,
    input: &'a [u32],
    input_base: u32,
    /// From the first executable segment to the end of the last, if code is protected: the one
    /// comparison that stores pay.
    hull: Range,
    /// The executable segments themselves, if there are several.
    protected: Vec<Range>,
}

impl<'a> Memory<'a> {
    /// The program in otherwise zeroed RAM, which the caller has checked to hold it.
    ///
    /// RAM is zeroed by the operating system page by page when it is touched.
    pub fn new(program: &Program, input: &'a Input, ram_end: u32) -> Self {
        let layout = program.layout();
        let mut memory = Self {
            ram: vec![0; (ram_end - layout.ram_base) as usize / 4],
            ram_base: layout.ram_base,
            input: input.words(),
            input_base: layout.input_base,
            hull: Range {
                start: 0,
                length: 0,
            },
            protected: Vec::new(),
        };
        for segment in program.segments() {
            let start = (segment.address - layout.ram_base) as usize;
            memory.ram_bytes_mut()[start..start + segment.data.len()]
                .copy_from_slice(&segment.data);
        }
        if !layout.writable_code {
            let code = program
                .segments()
                .iter()
                .filter(|segment| segment.executable);
            memory.protected = code
                .map(|s| Range {
                    start: s.address,
                    length: s.size,
                })
                .collect();
        }
        if let (Some(first), Some(last)) = (memory.protected.first(), memory.protected.last()) {
            let length = last.start - first.start + last.length;
            memory.hull = Range {
                start: first.start,
                length,
            };
        }
        memory
    }

    fn ram_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.ram)
    }

    fn ram_bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.ram)
    }

    /// The bytes of a range that lies in RAM or in the input as a whole.
    pub fn bytes(&self, address: u32, length: u32) -> Option<&[u8]> {
        slice(self.ram_bytes(), self.ram_base, address, length).or_else(|| {
            slice(
                bytemuck::cast_slice(self.input),
                self.input_base,
                address,
                length,
            )
        })
    }

    /// The bytes of a range that may be written.
    pub fn bytes_mut(&mut self, address: u32, length: u32) -> Result<&mut [u8], Fault> {
        let in_code = self.hull.overlaps(address, length)
            && self
                .protected
                .iter()
                .any(|range| range.overlaps(address, length));
        if in_code || self.is_input(address, length) {
            return Err(Fault::ReadOnly);
        }
        let offset = address.wrapping_sub(self.ram_base) as usize;
        self.ram_bytes_mut()
            .get_mut(offset..offset.saturating_add(length as usize))
            .ok_or(Fault::Unmapped)
    }

    fn is_input(&self, address: u32, length: u32) -> bool {
        slice::<u8>(
            bytemuck::cast_slice(self.input),
            self.input_base,
            address,
            length,
        )
        .is_some()
    }
}

fn slice<T>(region: &[T], base: u32, address: u32, length: u32) -> Option<&[T]> {
    let offset = address.wrapping_sub(base) as usize;
    region.get(offset..offset.checked_add(length as usize)?)
}

/// Aligned accesses of the fast engine. `None` stands for anything that is not plain: misaligned,
/// unmapped, read-only.
///
/// Rotating an offset right by the logarithm of the access size gives the index of the element,
/// and for a misaligned offset an index beyond any RAM: one comparison checks both.
impl Memory<'_> {
    #[inline(always)]
    pub fn load_word(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(self.ram_base).rotate_right(2);
        match self.ram.get(index as usize) {
            Some(&word) => Some(u32::from_le(word)),
            None => self.input_word(address),
        }
    }

    #[inline(always)]
    pub fn load_half(&self, address: u32) -> Option<u16> {
        let index = address.wrapping_sub(self.ram_base).rotate_right(1);
        match bytemuck::cast_slice::<u32, u16>(&self.ram).get(index as usize) {
            Some(&half) => Some(u16::from_le(half)),
            None => self.input_half(address),
        }
    }

    #[inline(always)]
    pub fn load_byte(&self, address: u32) -> Option<u8> {
        let index = address.wrapping_sub(self.ram_base);
        match self.ram_bytes().get(index as usize) {
            Some(&byte) => Some(byte),
            None => self.input_byte(address),
        }
    }

    #[inline(never)]
    fn input_word(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(self.input_base).rotate_right(2);
        self.input
            .get(index as usize)
            .map(|&word| u32::from_le(word))
    }

    #[inline(never)]
    fn input_half(&self, address: u32) -> Option<u16> {
        let index = address.wrapping_sub(self.input_base).rotate_right(1);
        let halves = bytemuck::cast_slice::<u32, u16>(self.input);
        halves.get(index as usize).map(|&half| u16::from_le(half))
    }

    #[inline(never)]
    fn input_byte(&self, address: u32) -> Option<u8> {
        let index = address.wrapping_sub(self.input_base);
        bytemuck::cast_slice::<u32, u8>(self.input)
            .get(index as usize)
            .copied()
    }

    #[inline(always)]
    pub fn store_word(&mut self, address: u32, value: u32) -> Option<()> {
        if self.hull.contains(address) {
            return None;
        }
        let index = address.wrapping_sub(self.ram_base).rotate_right(2);
        *self.ram.get_mut(index as usize)? = value.to_le();
        Some(())
    }

    #[inline(always)]
    pub fn store_half(&mut self, address: u32, value: u16) -> Option<()> {
        if self.hull.contains(address) {
            return None;
        }
        let index = address.wrapping_sub(self.ram_base).rotate_right(1);
        let halves = bytemuck::cast_slice_mut::<u32, u16>(&mut self.ram);
        *halves.get_mut(index as usize)? = value.to_le();
        Some(())
    }

    #[inline(always)]
    pub fn store_byte(&mut self, address: u32, value: u8) -> Option<()> {
        if self.hull.contains(address) {
            return None;
        }
        let index = address.wrapping_sub(self.ram_base);
        *self.ram_bytes_mut().get_mut(index as usize)? = value;
        Some(())
    }
}
