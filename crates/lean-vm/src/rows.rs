//! What a row puts on the bus, and its constraints, for each table.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, G, PrimeCharacteristicRing, embed};

use crate::tables::{Columns, Table};

/// A memory access: the tuple is pulled with its counter and pushed with `g` times it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Address of the cell, a power of `g`.
    pub address: E,
    /// The access counter.
    pub counter: E,
    /// The three lanes of the cell.
    pub lanes: [E; 3],
}

/// What a row puts on the bus, and its constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The table.
    pub table: Table,
    /// Program counter and frame pointer.
    pub state: [E; 2],
    /// Program counter and frame pointer of the next step.
    pub next: [E; 2],
    /// Counter of the bytecode access.
    pub bytecode_counter: E,
    /// Operands, from slot 4 of the instruction.
    pub operands: Vec<E>,
    /// Memory accesses, in order.
    pub accesses: Vec<Access>,
    /// Expressions that are zero on every row of a correct execution.
    pub constraints: [E; 2],
}

/// First slot of a tuple on the bus: what kind it is.
pub mod separator {
    /// Program counter and frame pointer.
    pub const STATE: u64 = 1;
    /// A cell of the memory.
    pub const MEMORY: u64 = 2;
    /// An instruction.
    pub const BYTECODE: u64 = 4;
}

impl Row {
    /// The tuples that the row pushes and pulls, pairwise: state, instruction, memory accesses.
    #[must_use]
    pub fn flushes(&self) -> Vec<Flush> {
        let state = |[pc, fp]: [E; 2]| Vec::from([embed(separator::STATE), pc, fp]);
        let [pc, _] = self.state;
        let bytecode = |counter: E| {
            let mut tuple =
                Vec::from([embed(separator::BYTECODE), pc, counter, self.table.opcode()]);
            tuple.extend_from_slice(&self.operands);
            tuple
        };
        let memory = |access: &Access, counter: E| {
            let [lane0, lane1, lane2] = access.lanes;
            let kind = embed(separator::MEMORY);
            Vec::from([kind, access.address, counter, lane0, lane1, lane2])
        };
        let mut flushes = Vec::from([
            Flush {
                push: state(self.next),
                pull: state(self.state),
            },
            Flush {
                push: bytecode(self.bytecode_counter * G),
                pull: bytecode(self.bytecode_counter),
            },
        ]);
        flushes.extend(self.accesses.iter().map(|access| Flush {
            push: memory(access, access.counter * G),
            pull: memory(access, access.counter),
        }));
        flushes
    }

    /// The counters in ascending order of their columns: memory accesses, then bytecode.
    pub fn counters(&self) -> impl Iterator<Item = E> {
        let memory = self.accesses.iter().map(|access| access.counter);
        memory.chain([self.bytecode_counter])
    }
}

/// A pair of tuples, slot by slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flush {
    /// What the row pushes.
    pub push: Vec<E>,
    /// What the row pulls.
    pub pull: Vec<E>,
}

impl Columns {
    /// What the row puts on the bus.
    #[must_use]
    pub fn row(&self) -> Row {
        match self {
            Self::Xor(values) => arithmetic(values, Table::Xor, |a, b| {
                let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
                [a0 + b0, a1 + b1, a2 + b2]
            }),
            Self::Mul(values) => arithmetic(values, Table::Mul, |a, b| {
                let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
                // Coordinates of the product modulo y^3 + y + 1.
                let high = a1 * b2 + a2 * b1;
                let top = a2 * b2;
                [
                    a0 * b0 + high,
                    a0 * b1 + a1 * b0 + high + top,
                    a0 * b2 + a1 * b1 + a2 * b0 + top,
                ]
            }),
            Self::Set(values) => set(values),
            Self::Deref(values) => deref(values),
            Self::Jump(values) => jump(values),
            Self::Blake2s(values) => blake2s(values),
        }
    }
}

/// The row of a table that steps to the next instruction and has no constraints.
fn straight(
    table: Table,
    pc: E,
    fp: E,
    bytecode_counter: E,
    operands: &[E],
    accesses: &[Access],
) -> Row {
    Row {
        table,
        state: [pc, fp],
        next: [pc * G, fp],
        bytecode_counter,
        operands: operands.to_vec(),
        accesses: accesses.to_vec(),
        constraints: [E::ZERO; 2],
    }
}

const fn access(address: E, counter: E, lanes: [E; 3]) -> Access {
    Access {
        address,
        counter,
        lanes,
    }
}

fn arithmetic(values: &[E; 15], table: Table, result: impl Fn([E; 3], [E; 3]) -> [E; 3]) -> Row {
    let [pc, fp, oa, ob, oc, a0, a1, a2, b0, b1, b2, ra, rb, rc, rbc] = *values;
    let (a, b) = ([a0, a1, a2], [b0, b1, b2]);
    let accesses = [
        access(fp * oa, ra, a),
        access(fp * ob, rb, b),
        access(fp * oc, rc, result(a, b)),
    ];
    straight(table, pc, fp, rbc, &[oa, ob, oc], &accesses)
}

fn set(values: &[E; 8]) -> Row {
    let [pc, fp, o, k0, k1, k2, r, rbc] = *values;
    let accesses = [access(fp * o, r, [k0, k1, k2])];
    straight(Table::Set, pc, fp, rbc, &[o, k0, k1, k2], &accesses)
}

fn deref(values: &[E; 15]) -> Row {
    let [
        pc,
        fp,
        alpha,
        beta,
        gamma,
        f_pc,
        f_fp,
        ptr,
        v0,
        v1,
        v2,
        r_ptr,
        r_target,
        r_local,
        rbc,
    ] = *values;
    // Of the three sources one is chosen by the flags; pc and fp have a lane 0 only.
    let cell = |v: E| v + f_pc * v + f_fp * v;
    let target = [
        cell(v0) + f_pc * (pc * G * G) + f_fp * fp,
        cell(v1),
        cell(v2),
    ];
    let accesses = [
        access(fp * alpha, r_ptr, [ptr, E::ZERO, E::ZERO]),
        access(ptr * beta, r_target, target),
        access(fp * gamma, r_local, [v0, v1, v2]),
    ];
    let operands = [alpha, beta, gamma, f_pc, f_fp];
    straight(Table::Deref, pc, fp, rbc, &operands, &accesses)
}

fn jump(values: &[E; 14]) -> Row {
    let [pc, fp, oc, od, of, c, d, f, r_c, r_d, r_f, rbc, w, b] = *values;
    let narrow = |o: E, counter, value| access(fp * o, counter, [value, E::ZERO, E::ZERO]);
    let accesses = [narrow(oc, r_c, c), narrow(od, r_d, d), narrow(of, r_f, f)];
    let next_pc = pc * G;
    Row {
        next: [b * d + b * next_pc + next_pc, b * f + b * fp + fp],
        // `b` says whether `c` is not zero, with `w` its inverse.
        constraints: [b + c * w, c * (b + E::ONE)],
        ..straight(Table::Jump, pc, fp, rbc, &[oc, od, of], &accesses)
    }
}

fn blake2s(values: &[E; 35]) -> Row {
    let [
        pc,
        fp,
        o0,
        o1,
        o2,
        o3,
        o_v,
        o_out,
        m0lo,
        m0hi,
        m1lo,
        m1hi,
        m2lo,
        m2hi,
        m3lo,
        m3hi,
        out0lo,
        out0hi,
        out1lo,
        out1hi,
        cv0lo,
        cv0hi,
        cv1lo,
        cv1hi,
        md0,
        md1,
        r_m0,
        r_m1,
        r_m2,
        r_m3,
        r_cv0,
        r_cv1,
        r_out0,
        r_out1,
        rbc,
    ] = *values;
    let cell = |address, counter, lo, hi| access(address, counter, [lo, hi, E::ZERO]);
    let accesses = [
        cell(fp * o0, r_m0, m0lo, m0hi),
        cell(fp * o1, r_m1, m1lo, m1hi),
        cell(fp * o2, r_m2, m2lo, m2hi),
        cell(fp * o3, r_m3, m3lo, m3hi),
        cell(fp * o_v, r_cv0, cv0lo, cv0hi),
        cell(fp * o_v * G, r_cv1, cv1lo, cv1hi),
        cell(fp * o_out, r_out0, out0lo, out0hi),
        cell(fp * o_out * G, r_out1, out1lo, out1hi),
    ];
    let operands = [o0, o1, o2, o3, o_v, o_out, md0, md1];
    straight(Table::Blake2s, pc, fp, rbc, &operands, &accesses)
}
