//! System calls: what `prova-riscv-abi` promises guests.

use alloc::{string::String, vec::Vec};

use p3_keccak::KeccakF;
use p3_symmetric::Permutation;
use prova_hash::blake2s;
use prova_riscv_abi::{MAX_OUTPUT, call, poseidon2};

use crate::{
    machine::{Exit, MAX_PANIC_MESSAGE},
    memory::Memory,
    poseidon2::{NotCanonical, Poseidon2},
    trap::Cause,
};

/// How often each system call succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct CallCounts {
    pub halt: u64,
    pub commit: u64,
    pub print: u64,
    pub panic: u64,
    pub keccak_f: u64,
    pub poseidon2: u64,
    pub blake2s: u64,
}

/// What system calls leave behind besides memory.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub output: Vec<u8>,
    pub printed: Vec<u8>,
    /// Most bytes kept in `printed`.
    print_limit: usize,
    /// Printed bytes that were not kept.
    pub printed_lost: u64,
    pub counts: CallCounts,
    poseidon2: Poseidon2,
}

impl Calls {
    pub fn new(print_limit: usize) -> Self {
        Self {
            print_limit,
            ..Self::default()
        }
    }

    /// Runs the system call `number` with arguments `a0` to `a4`. A call that fails has changed
    /// nothing.
    pub fn call(
        &mut self,
        memory: &mut Memory<'_>,
        number: u32,
        args: [u32; 5],
    ) -> Result<Option<Exit>, Cause> {
        let call = Call { number, memory };
        let counter = match number {
            call::HALT => {
                self.counts.halt += 1;
                return Ok(Some(Exit::Halted(args[0])));
            }
            call::PANIC => {
                let message = call.message(args[0], args[1])?;
                self.counts.panic += 1;
                return Ok(Some(Exit::Panicked(message)));
            }
            call::COMMIT => {
                self.commit(call.text(args[0], args[1])?)?;
                &mut self.counts.commit
            }
            call::PRINT => {
                self.print(call.text(args[0], args[1])?);
                &mut self.counts.print
            }
            call::KECCAK_F => {
                call.keccak_f(args[0])?;
                &mut self.counts.keccak_f
            }
            call::POSEIDON2 => {
                call.poseidon2(&mut self.poseidon2, args[0], args[1])?;
                &mut self.counts.poseidon2
            }
            call::BLAKE2S => {
                call.blake2s(args)?;
                &mut self.counts.blake2s
            }
            _ => return Err(Cause::UnknownCall { number }),
        };
        *counter += 1;
        Ok(None)
    }

    fn commit(&mut self, bytes: &[u8]) -> Result<(), Cause> {
        let length = self.output.len() as u64 + bytes.len() as u64;
        if length > MAX_OUTPUT as u64 {
            return Err(Cause::OutputTooLong { length });
        }
        self.output.extend_from_slice(bytes);
        Ok(())
    }

    fn print(&mut self, bytes: &[u8]) {
        let room = self.print_limit.saturating_sub(self.printed.len());
        let (kept, lost) = bytes.split_at(bytes.len().min(room));
        self.printed.extend_from_slice(kept);
        self.printed_lost += lost.len() as u64;
    }
}

struct Call<'m, 'a> {
    number: u32,
    memory: &'m mut Memory<'a>,
}

impl Call<'_, '_> {
    fn fault(&self, address: u32, length: u32) -> Cause {
        Cause::CallMemory {
            number: self.number,
            address,
            length,
        }
    }

    /// Bytes that can be read; none from anywhere.
    fn text(&self, address: u32, length: u32) -> Result<&[u8], Cause> {
        if length == 0 {
            return Ok(&[]);
        }
        self.memory
            .bytes(address, length)
            .ok_or_else(|| self.fault(address, length))
    }

    fn message(&self, address: u32, length: u32) -> Result<String, Cause> {
        let bytes = self.text(address, length)?;
        let kept = bytes.get(..MAX_PANIC_MESSAGE).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(kept).into_owned())
    }

    fn check_aligned(&self, address: u32) -> Result<(), Cause> {
        if address.is_multiple_of(4) {
            return Ok(());
        }
        Err(Cause::CallMisaligned {
            number: self.number,
            address,
        })
    }

    fn read<const N: usize>(&self, address: u32) -> Result<[u32; N], Cause> {
        self.check_aligned(address)?;
        let length = 4 * N as u32;
        let bytes = self.memory.bytes(address, length);
        let (words, _) = bytes
            .ok_or_else(|| self.fault(address, length))?
            .as_chunks::<4>();
        let mut out = [0; N];
        for (to, &word) in out.iter_mut().zip(words) {
            *to = u32::from_le_bytes(word);
        }
        Ok(out)
    }

    fn write<const N: usize>(&mut self, address: u32, values: &[u32; N]) -> Result<(), Cause> {
        let length = 4 * N as u32;
        let fault = self.fault(address, length);
        let bytes = self.memory.bytes_mut(address, length).map_err(|_| fault)?;
        for (to, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
            *to = value.to_le_bytes();
        }
        Ok(())
    }

    fn keccak_f(mut self, address: u32) -> Result<(), Cause> {
        let mut words = self.read::<50>(address)?;
        let (pairs, _) = words.as_chunks_mut::<2>();
        let mut state: [u64; 25] =
            core::array::from_fn(|i| u64::from(pairs[i][0]) | (u64::from(pairs[i][1]) << 32));
        KeccakF.permute_mut(&mut state);
        for (pair, lane) in pairs.iter_mut().zip(state) {
            *pair = [lane as u32, (lane >> 32) as u32];
        }
        self.write(address, &words)
    }

    fn poseidon2(
        mut self,
        calls: &mut Poseidon2,
        address: u32,
        instance: u32,
    ) -> Result<(), Cause> {
        match instance {
            poseidon2::BABY_BEAR_16 => self.permute(address, |words| calls.baby_bear_16(words)),
            poseidon2::BABY_BEAR_24 => self.permute(address, |words| calls.baby_bear_24(words)),
            poseidon2::KOALA_BEAR_16 => self.permute(address, |words| calls.koala_bear_16(words)),
            poseidon2::KOALA_BEAR_24 => self.permute(address, |words| calls.koala_bear_24(words)),
            _ => Err(self.bad_argument(1, instance)),
        }
    }

    fn permute<const N: usize>(
        &mut self,
        address: u32,
        permute: impl FnOnce(&mut [u32; N]) -> Result<(), NotCanonical>,
    ) -> Result<(), Cause> {
        let mut words = self.read::<N>(address)?;
        permute(&mut words).map_err(|NotCanonical { index, modulus }| Cause::NotCanonical {
            address: address + 4 * index as u32,
            word: words[index],
            modulus,
        })?;
        self.write(address, &words)
    }

    fn blake2s(mut self, args: [u32; 5]) -> Result<(), Cause> {
        let [chaining, block, count_low, count_high, last] = args;
        if last > 1 {
            return Err(self.bad_argument(4, last));
        }
        let mut state = self.read::<8>(chaining)?;
        let message = self.read::<16>(block)?;
        let count = u64::from(count_low) | (u64::from(count_high) << 32);
        blake2s::compress(&mut state, &message, count, last == 1);
        self.write(chaining, &state)
    }

    fn bad_argument(&self, index: u32, value: u32) -> Cause {
        Cause::CallArgument {
            number: self.number,
            index,
            value,
        }
    }
}
