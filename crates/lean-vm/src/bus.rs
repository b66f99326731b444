//! The bus: what rows push must be what rows pull, as multisets, and no counter may be zero.
//!
//! Tuples are fingerprinted with a random multilinear form, and three grand products are proved at
//! once by a batched GKR protocol over trees of radix four: of everything pushed, of everything
//! pulled, and of all counters.

use alloc::vec::Vec;

use prova_binary_pcs::field::{E, G, K, PrimeCharacteristicRing, embed, power_of_g};
use prova_binary_pcs::poly::{dot, eq_table, evaluate};
use prova_binary_pcs::stack::Placement;
use prova_binary_pcs::stream::Channel;
use prova_binary_pcs::transcript::Transcript;
use prova_proof_file::TapeError;

use crate::error::{Outcome, Rejection, reject};
use crate::layout::Layout;
use crate::program::{Program, SLOTS};
use crate::rows::separator;
use crate::tables::TABLES;

/// The random form that turns a tuple into one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Weights of the 16 slots: the equality weights of four challenges.
    pub weights: [E; SLOTS],
    /// Added to every fingerprint.
    pub beta: E,
}

impl Fingerprint {
    /// Draws the four challenges and `beta`.
    pub fn sample<T: Transcript>(channel: &mut Channel<'_, T>) -> Self {
        let alpha = channel.sample_many(4);
        let mut weights = [E::ZERO; SLOTS];
        for (to, from) in weights.iter_mut().zip(eq_table(&alpha)) {
            *to = from;
        }
        Self {
            weights,
            beta: channel.sample(),
        }
    }

    /// The fingerprint of a tuple, whose further slots are zero.
    pub fn of(&self, tuple: &[E]) -> E {
        self.beta + dot(&self.weights, tuple)
    }
}

/// Where the three grand products end: claims about their leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaves {
    /// The point, common to the three cubes; coordinate 0 belongs to the lowest bit of a leaf's
    /// index.
    pub point: Vec<E>,
    /// The leaf polynomials of push, pull and counters there.
    pub values: [E; 3],
}

/// Verifies the grand products down to their leaves.
///
/// # Errors
/// Too few scalars; different products, a zero product of counters, a layer that does not fit.
pub fn grand_products<T: Transcript>(
    channel: &mut Channel<'_, T>,
    variables: usize,
) -> Outcome<Leaves> {
    let roots @ [push, pull, count] = channel.read_array()?;
    if push != pull {
        return reject(Rejection::Unbalanced);
    }
    if count == E::ZERO {
        return reject(Rejection::ZeroCounter);
    }
    let mut lambda = channel.sample();
    let mut leaves = Leaves {
        point: Vec::new(),
        values: roots,
    };
    // An odd number of variables makes the layer below the roots binary.
    let mut width = if variables % 2 == 1 { 1 } else { 2 };
    let mut layer = 0;
    while leaves.point.len() < variables {
        leaves = descend(channel, &leaves, lambda, width, layer)?;
        // Drawn after the last layer too.
        lambda = channel.sample();
        width = 2;
        layer += 1;
    }
    Ok(leaves)
}

/// One layer: from claims about products of `2^width` children to claims about the children.
fn descend<T: Transcript>(
    channel: &mut Channel<'_, T>,
    above: &Leaves,
    lambda: E,
    width: usize,
    layer: usize,
) -> Outcome<Leaves> {
    let batch = |[push, pull, count]: [E; 3]| push + lambda * (pull + lambda * count);
    let mut claim = batch(above.values);
    let mut rounds = Vec::with_capacity(above.point.len());
    for &coordinate in &above.point {
        // A quartic without its equality factor, of which h(0) + h(1) is sent.
        let [sum, c2, c3, c4] = channel.read_array()?;
        let r = channel.sample();
        let c0 = claim + coordinate * sum;
        let c1 = sum + c2 + c3 + c4;
        claim = c0 + r * (c1 + r * (c2 + r * (c3 + r * c4)));
        rounds.push(r);
    }
    let mut children = <[Vec<E>; 3]>::default();
    for side in &mut children {
        *side = channel.read_many(1 << width)?;
    }
    let products = children
        .each_ref()
        .map(|side| side.iter().copied().product());
    if claim != batch(products) {
        return reject(Rejection::BusLayer { layer });
    }
    let mut point = channel.sample_many(width);
    let values = children.map(|side| evaluate(&side, &point));
    point.extend(rounds);
    Ok(Leaves { point, values })
}

/// Values that the verifier cannot compute for the framework's blocks, at the leaves' point cut to
/// the blocks' variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameworkValues {
    /// The three lanes of the memory.
    pub memory: [E; 3],
    /// The memory's final counters.
    pub memory_final: E,
    /// The bytecode's final counters.
    pub bytecode_final: E,
}

impl FrameworkValues {
    /// Reads the values.
    ///
    /// # Errors
    /// [`TapeError::Exhausted`].
    pub fn read<T: Transcript>(channel: &mut Channel<'_, T>) -> Result<Self, TapeError> {
        Ok(Self {
            memory: channel.read_array()?,
            memory_final: channel.read()?,
            bytecode_final: channel.read()?,
        })
    }
}

/// The weights of all blocks at the leaves' point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selectors {
    /// Boundary, memory and bytecode.
    pub framework: [E; 3],
    /// The tables' flushes.
    pub flushes: [Vec<E>; TABLES],
    /// The tables' counters.
    pub counters: [Vec<E>; TABLES],
}

impl Selectors {
    /// The weights at `point`.
    #[must_use]
    pub fn new(layout: &Layout, point: &[E]) -> Self {
        let all = |blocks: &Vec<Placement>| {
            let weights = blocks.iter().map(|block| block.selector_weight(point));
            weights.collect()
        };
        Self {
            framework: layout.framework.map(|block| block.selector_weight(point)),
            flushes: layout.flushes.each_ref().map(all),
            counters: layout.counters.each_ref().map(all),
        }
    }
}

/// What the tables' blocks must contribute to the leaves of push, pull and counters: the leaves
/// without the framework's blocks and without the ones on unoccupied leaves.
pub fn owed_by_tables(
    program: &Program,
    layout: &Layout,
    fingerprint: &Fingerprint,
    leaves: &Leaves,
    selectors: &Selectors,
    values: &FrameworkValues,
) -> [E; 3] {
    let [push, pull, count] = leaves.values;
    let flushed = selectors.flushes.iter().flatten();
    let occupied: E = selectors.framework.iter().chain(flushed).copied().sum();
    let counted: E = selectors.counters.iter().flatten().copied().sum();
    let (framework_push, framework_pull) =
        framework_leaves(program, layout, fingerprint, &leaves.point, values);
    [
        push + dot(&selectors.framework, &framework_push) + E::ONE + occupied,
        pull + dot(&selectors.framework, &framework_pull) + E::ONE + occupied,
        count + E::ONE + counted,
    ]
}

/// Fingerprints of boundary, memory and bytecode as they are pushed and as they are pulled.
pub(crate) fn framework_leaves(
    program: &Program,
    layout: &Layout,
    fingerprint: &Fingerprint,
    point: &[E],
    values: &FrameworkValues,
) -> ([E; 3], [E; 3]) {
    // The walk starts at instruction 0 and ends at the last one, both in frame 0.
    let boundary = |pc: E| fingerprint.of(&[embed(separator::STATE), pc, E::ONE]);
    let last = (1_u64 << layout.log_instructions.min(63)) - 1;

    let cells = index(point, layout.memory_variables());
    let [lane0, lane1, lane2] = values.memory;
    let memory = |counter: E| {
        let kind = embed(separator::MEMORY);
        fingerprint.of(&[kind, cells, counter, lane0, lane1, lane2])
    };

    let instructions = point.get(..layout.bytecode_variables()).unwrap_or_default();
    let table = program.evaluate(instructions, &fingerprint.weights);
    let counters = index(point, layout.bytecode_variables());
    let bytecode =
        |counter: E| table + fingerprint.of(&[embed(separator::BYTECODE), counters, counter]);

    (
        [boundary(E::ONE), memory(E::ONE), bytecode(E::ONE)],
        [
            boundary(power_of_g(last).into()),
            memory(values.memory_final),
            bytecode(values.bytecode_final),
        ],
    )
}

/// The column `g^i` of `2^variables` entries, extended: `prod_k (1 + z_k (1 + g^(2^k)))`.
pub(crate) fn index(point: &[E], variables: usize) -> E {
    let mut power = G;
    point.iter().take(variables).fold(E::ONE, |product, &z| {
        let factor = E::ONE + z * (K::ONE + power);
        power = power.square();
        product * factor
    })
}
