//! The machine: registers, memory, system calls and two ways to execute.
//!
//! [`Machine::step`] is the reference: it fetches, decodes and executes one instruction, and
//! decides all traps. [`Machine::run`] executes the plain instructions of the pre-decoded program
//! ([`fast`]) and leaves everything else, whatever may trap included, to
//! `step`.

mod code;
mod fast;
mod step;

use alloc::{string::String, vec::Vec};
use core::ops::ControlFlow;

use prova_riscv_abi::DEFAULT_RAM_END;

pub(crate) use code::Code;

use crate::{
    input::Input,
    isa::Reg,
    memory::Memory,
    observer::Observer,
    program::Program,
    syscall::{CallCounts, Calls},
    trap::{Cause, Trap},
};
use fast::{Registers, Stop};

/// Cycles between two calls of [`Control::poll`]; a few more if no jump comes sooner.
pub const POLL_INTERVAL: u64 = 1 << 22;
/// Bytes of a guest's panic message that are kept.
pub const MAX_PANIC_MESSAGE: usize = 1 << 16;

/// How to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// First address behind RAM, a multiple of 4.
    pub ram_end: u32,
    /// Most instructions that a run may retire.
    pub cycle_limit: u64,
    /// Most printed bytes that are kept.
    pub print_limit: usize,
}

impl Default for Options {
    /// RAM up to [`DEFAULT_RAM_END`], no cycle limit, 1 MiB of printed text.
    fn default() -> Self {
        Self {
            ram_end: DEFAULT_RAM_END,
            cycle_limit: u64::MAX,
            print_limit: 1 << 20,
        }
    }
}

/// Why a machine cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The end of RAM is not a multiple of 4 between base and most of the layout.
    #[error("RAM cannot end at {end:#x}: expected a multiple of 4 in ({base:#x}, {most:#x}]")]
    RamEnd {
        /// The end.
        end: u32,
        /// First address of RAM.
        base: u32,
        /// Most that the layout allows.
        most: u32,
    },
    /// The program does not fit in RAM.
    #[error("the program ends at {program:#x}, RAM at {ram:#x}")]
    Program {
        /// First address behind the program.
        program: u32,
        /// First address behind RAM.
        ram: u32,
    },
    /// RAM or the end of the address space is in the way of the input.
    #[error("an input region of {length} bytes at {base:#x} does not fit beside RAM")]
    Input {
        /// First address of the input.
        base: u32,
        /// Bytes of the region.
        length: usize,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `halt` with this code.
    Halted(u32),
    /// `panic` with this message, cut after [`MAX_PANIC_MESSAGE`] bytes.
    Panicked(String),
}

/// What a run that ended by itself did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub exit: Exit,
    /// Instructions retired, system calls included.
    pub cycles: u64,
    /// The committed bytes.
    pub output: Vec<u8>,
    /// The printed bytes, up to [`Options::print_limit`].
    pub printed: Vec<u8>,
    /// Printed bytes behind the limit.
    pub printed_lost: u64,
    /// How often each system call was made.
    pub calls: CallCounts,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction was retired.
    Retired,
    /// The run has ended; see [`Machine::exit`].
    Exited,
}

/// Progress and cancellation of a run.
pub trait Control {
    /// Called about every [`POLL_INTERVAL`] cycles, with the cycles so far. To break stops the
    /// run with [`Cause::Cancelled`]; it can be resumed.
    fn poll(&mut self, cycles: u64) -> ControlFlow<()>;
}

impl<F: FnMut(u64) -> ControlFlow<()>> Control for F {
    fn poll(&mut self, cycles: u64) -> ControlFlow<()> {
        self(cycles)
    }
}

/// A program in execution. All registers begin as zero, RAM outside the program as well.
#[derive(Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    memory: Memory<'a>,
    registers: Registers,
    pc: u32,
    cycles: u64,
    cycle_limit: u64,
    calls: Calls,
    exit: Option<Exit>,
}

impl<'a> Machine<'a> {
    /// Memory with program and input, at the entry of the program. Needs as much memory as the
    /// guest touches.
    ///
    /// # Errors
    /// [`MachineError`]: what does not fit.
    pub fn new(
        program: &'a Program,
        input: &'a Input,
        options: Options,
    ) -> Result<Self, MachineError> {
        check_fit(program, input, options.ram_end)?;
        Ok(Self {
            program,
            memory: Memory::new(program, input, options.ram_end),
            registers: Registers::default(),
            pc: program.entry(),
            cycles: 0,
            cycle_limit: options.cycle_limit,
            calls: Calls::new(options.print_limit),
            exit: None,
        })
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// [`Trap`] if the guest did what it must not, or the cycle limit is reached.
    pub fn run<O: Observer>(&mut self, observer: &mut O) -> Result<Outcome, Trap> {
        self.run_controlled(observer, &mut |_| ControlFlow::Continue(()))
    }

    /// Runs to the end, unless `control` breaks.
    ///
    /// After [`Cause::Cancelled`], and after [`Cause::CycleLimit`] with a
    /// [greater limit](Self::set_cycle_limit), another call goes on where this one stopped.
    ///
    /// # Errors
    /// [`Trap`] if the guest did what it must not, the cycle limit is reached or `control` breaks.
    pub fn run_controlled<O: Observer>(
        &mut self,
        observer: &mut O,
        control: &mut dyn Control,
    ) -> Result<Outcome, Trap> {
        let mut next_poll = self.cycles.saturating_add(POLL_INTERVAL);
        loop {
            if let Some(exit) = &self.exit {
                return Ok(self.outcome(exit.clone()));
            }
            if self.cycles >= next_poll {
                if control.poll(self.cycles).is_break() {
                    return Err(self.trap(Cause::Cancelled));
                }
                next_poll = self.cycles.saturating_add(POLL_INTERVAL);
            }
            if self.run_fast(next_poll - self.cycles, observer) == Stop::Slow {
                self.step(observer)?;
            }
        }
    }

    /// Runs what the fast engine can, about `cycles` and not beyond the cycle limit.
    /// [`Stop::Slow`] asks for a step.
    fn run_fast<O: Observer>(&mut self, cycles: u64, observer: &mut O) -> Stop {
        let Some(code) = self.program.code().segment_at(self.pc) else {
            return Stop::Slow;
        };
        // The engine looks at its budget between rows only.
        let room = self.cycle_limit.saturating_sub(self.cycles);
        let Some(before_last) = room.checked_sub(code.longest.into()) else {
            return Stop::Slow;
        };
        let budget = cycles.min(before_last.saturating_add(1));
        let (retired, stop) = fast::run(
            code,
            &mut self.registers,
            &mut self.memory,
            &mut self.pc,
            u32::try_from(budget).unwrap_or(u32::MAX),
            observer,
        );
        self.cycles += retired;
        stop
    }

    fn outcome(&self, exit: Exit) -> Outcome {
        Outcome {
            exit,
            cycles: self.cycles,
            output: self.calls.output.clone(),
            printed: self.calls.printed.clone(),
            printed_lost: self.calls.printed_lost,
            calls: self.calls.counts,
        }
    }

    fn trap(&self, cause: Cause) -> Trap {
        Trap {
            pc: self.pc,
            cycles: self.cycles,
            cause,
        }
    }

    /// The program in execution.
    #[must_use]
    pub const fn program(&self) -> &'a Program {
        self.program
    }

    /// Address of the next instruction; after an exit, of the system call that exited.
    #[must_use]
    pub const fn pc(&self) -> u32 {
        self.pc
    }

    /// Instructions retired so far.
    #[must_use]
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// How the run ended, if it has.
    #[must_use]
    pub const fn exit(&self) -> Option<&Exit> {
        self.exit.as_ref()
    }

    /// Committed so far.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.calls.output
    }

    /// Printed so far, up to the limit.
    #[must_use]
    pub fn printed(&self) -> &[u8] {
        &self.calls.printed
    }

    /// System calls so far.
    #[must_use]
    pub const fn calls(&self) -> CallCounts {
        self.calls.counts
    }

    /// `x0` to `x31`.
    #[must_use]
    pub fn registers(&self) -> [u32; 32] {
        core::array::from_fn(|index| self.registers.0[index])
    }

    /// Sets a register; for debugging. Writes to `x0` are lost.
    pub fn set_register(&mut self, register: Reg, value: u32) {
        self.registers.set(register, value);
    }

    /// Bytes of RAM or input; `None` if the range is not in one of them as a whole.
    #[must_use]
    pub fn read_memory(&self, address: u32, length: u32) -> Option<&[u8]> {
        self.memory.bytes(address, length)
    }

    /// Replaces the cycle limit.
    pub const fn set_cycle_limit(&mut self, limit: u64) {
        self.cycle_limit = limit;
    }
}

fn check_fit(program: &Program, input: &Input, end: u32) -> Result<(), MachineError> {
    let layout = program.layout();
    let (base, most) = (layout.ram_base, layout.max_ram_end);
    if end <= base || end > most || !end.is_multiple_of(4) || !base.is_multiple_of(4) {
        return Err(MachineError::RamEnd { end, base, most });
    }
    if program.end() > end || layout.program_base < base {
        return Err(MachineError::Program {
            program: program.end(),
            ram: end,
        });
    }
    let (start, length) = (layout.input_base, input.bytes().len());
    let fits = u32::try_from(length)
        .ok()
        .and_then(|length| start.checked_add(length));
    match fits {
        Some(input_end) if input_end <= base || start >= end => Ok(()),
        _ => Err(MachineError::Input {
            base: start,
            length,
        }),
    }
}
