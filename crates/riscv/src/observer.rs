//! What a run tells about itself while it happens.

/// Told, in execution order, what a run did. All methods do nothing unless implemented.
///
/// Every retired instruction is in exactly one `run`. The event of a jump or a system call follows
/// the run that ends with that instruction; a marker's precedes the run that begins with it, so
/// that whatever follows the event belongs to the new step. A run says nothing about whether a
/// branch at its end was taken: a run may end anywhere, with or without a jump.
pub trait Observer {
    /// `false` lets the machine leave all events out; then no method is called.
    const ACTIVE: bool = true;

    /// `count` instructions in a row were retired, the first at `pc`, each 4 bytes behind the one
    /// before.
    fn run(&mut self, pc: u32, count: u32) {
        let _ = (pc, count);
    }

    /// The `jal` or `jalr` at `from`, which links `x1` or `x5`, went to `to`.
    fn call(&mut self, from: u32, to: u32, return_to: u32) {
        let _ = (from, to, return_to);
    }

    /// The `jalr x0, 0(x1)` or `jalr x0, 0(x5)` at `from` went to `to`.
    fn ret(&mut self, from: u32, to: u32) {
        let _ = (from, to);
    }

    /// The marker `addi x0, x0, value` at `pc` is about to be retired; `value` is sign-extended.
    fn marker(&mut self, pc: u32, value: u32) {
        let _ = (pc, value);
    }

    /// The `ecall` at `pc` made the system call `number` and succeeded.
    fn syscall(&mut self, pc: u32, number: u32) {
        let _ = (pc, number);
    }
}

/// Observes nothing, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ACTIVE: bool = false;
}

impl<O: Observer> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;

    fn run(&mut self, pc: u32, count: u32) {
        (**self).run(pc, count);
    }

    fn call(&mut self, from: u32, to: u32, return_to: u32) {
        (**self).call(from, to, return_to);
    }

    fn ret(&mut self, from: u32, to: u32) {
        (**self).ret(from, to);
    }

    fn marker(&mut self, pc: u32, value: u32) {
        (**self).marker(pc, value);
    }

    fn syscall(&mut self, pc: u32, number: u32) {
        (**self).syscall(pc, number);
    }
}
