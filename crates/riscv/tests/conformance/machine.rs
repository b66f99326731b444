//! Generated programs on the machine under test.

use prova_riscv::{
    Cause, Exit, Input, Layout, Machine, NoObserver, Observer, Options, Program, Step, Trap,
};

use super::{
    elf::executable,
    generator::{DATA, DATA_SIZE, Generated, SIZE},
    trace::{Retired, Trace},
};

/// Where guests of this machine lie.
pub const GUEST_BASE: u32 = 0x0040_0000;

/// No generated program retires as many instructions.
const MOST: usize = 20_000;

/// Runs to [`Generated::stop`] in single steps. The error says what went wrong, or which
/// register changed that should not have.
pub fn trace(generated: &Generated) -> Result<Trace, String> {
    let (program, input) = (program(generated), Input::empty());
    let mut machine = machine(&program, &input, generated);
    let mut retired = Vec::new();
    while machine.pc() != generated.stop {
        let pc = machine.pc();
        if retired.len() > MOST {
            return Err(format!("no end after {MOST} instructions"));
        }
        let before = machine.registers();
        let step = machine
            .step(&mut NoObserver)
            .map_err(|trap| trap.to_string())?;
        if step != Step::Retired {
            return Err(format!("the program ended at {pc:#x}"));
        }
        let word = generated.words[(pc.wrapping_sub(generated.base) / 4) as usize];
        let rd = target(word);
        let mut expected = before;
        expected[rd as usize] = machine.registers()[rd as usize];
        if expected != machine.registers() || machine.registers()[0] != 0 {
            return Err(format!(
                "{word:#010x} at {pc:#x} changed a register other than x{rd}"
            ));
        }
        retired.push(Retired {
            pc,
            rd,
            value: expected[rd as usize],
        });
    }
    Ok(Trace {
        retired,
        registers: machine.registers(),
        memory: memory(&machine, generated),
    })
}

/// Runs at full speed, up to the stop after the given number of instructions and then to the end,
/// and checks that all is as in the trace: the addresses told to an observer, the registers, the
/// memory and the guest's own commitment to it.
pub fn whole(generated: &Generated, expected: &Trace) -> Result<(), String> {
    let (program, input) = (program(generated), Input::empty());
    let mut silent = machine(&program, &input, generated);
    let mut observed = machine(&program, &input, generated);
    let mut addresses = Addresses(Vec::new());
    for machine in [&mut silent, &mut observed] {
        machine.set_cycle_limit(expected.retired.len() as u64);
    }
    let stops = [silent.run(&mut NoObserver), observed.run(&mut addresses)];
    if !addresses
        .0
        .iter()
        .eq(expected.retired.iter().map(|retired| &retired.pc))
    {
        return Err("the observer was told of other instructions".to_owned());
    }
    for (machine, stop) in [&mut silent, &mut observed].into_iter().zip(stops) {
        match stop {
            Err(Trap {
                cause: Cause::CycleLimit { .. },
                pc,
                ..
            }) if pc == generated.stop => {}
            other => return Err(format!("stopped with {other:?}")),
        }
        if machine.registers() != expected.registers {
            return Err("registers differ".to_owned());
        }
        machine.set_cycle_limit(u64::MAX);
        let outcome = machine
            .run(&mut NoObserver)
            .map_err(|trap| trap.to_string())?;
        if outcome.exit != Exit::Halted(0) || outcome.output != expected.memory {
            return Err("the committed memory differs".to_owned());
        }
    }
    Ok(())
}

struct Addresses(Vec<u32>);

impl Observer for Addresses {
    fn run(&mut self, pc: u32, count: u32) {
        self.0.extend((0..count).map(|i| pc + 4 * i));
    }
}

fn program(generated: &Generated) -> Program {
    let layout = if generated.base == GUEST_BASE {
        Layout::GUEST
    } else {
        Layout::bare(generated.base)
    };
    Program::from_elf_at(&executable(generated), layout).expect("a valid executable")
}

fn machine<'a>(program: &'a Program, input: &'a Input, generated: &Generated) -> Machine<'a> {
    let options = Options {
        ram_end: generated.base + SIZE,
        ..Options::default()
    };
    Machine::new(program, input, options).expect("it fits")
}

fn memory(machine: &Machine<'_>, generated: &Generated) -> Vec<u8> {
    machine
        .read_memory(generated.base + DATA, DATA_SIZE)
        .expect("within RAM")
        .to_vec()
}

/// The register that an instruction writes, 0 for none: all formats but those of branches, stores
/// and fences have one, in the same place.
fn target(word: u32) -> u32 {
    match word & 0x7f {
        0x63 | 0x23 | 0x0f => 0,
        _ => word >> 7 & 31,
    }
}
