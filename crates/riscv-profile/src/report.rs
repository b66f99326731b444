//! From counters to a report.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::collect::{Node, Step};
use crate::image::Image;

/// Name of the serialised form.
pub const SCHEMA: &str = "prova.riscv.profile";
/// Version of the serialised form; a change of a field's meaning, or a field gone, raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// A serialised profile of another kind or version.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Some other document.
    #[error("schema {SCHEMA:?} expected, got {got:?}")]
    Schema {
        /// What the document says it is.
        got: String,
    },
    /// Another version.
    #[error("profile version {SCHEMA_VERSION} expected, got {got}")]
    Version {
        /// What the document says.
        got: u32,
    },
}

/// What the machine knows of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Digest of the program's file, in hexadecimal; the caller chooses the hash.
    pub program: String,
    /// How the run ended, in words.
    pub exit: String,
    /// Cycles the machine counted.
    pub cycles: u64,
    /// Committed bytes, in hexadecimal.
    pub output: String,
    /// Calls of each system call.
    pub system_calls: Vec<Calls>,
}

/// Calls of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// What was called.
    pub name: String,
    /// How often.
    pub calls: u64,
}

/// Where the cycles of a run went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub version: u32,
    /// What the machine knows.
    #[serde(flatten)]
    pub facts: RunFacts,
    /// Different instructions that were executed.
    pub unique_instructions: u64,
    /// By function, most cycles first.
    pub functions: Vec<FunctionCycles>,
    /// By innermost function, inlined ones included, most cycles first; empty without debug
    /// information.
    pub inlined: Vec<FunctionCycles>,
    /// By source line, most cycles first; empty without debug information.
    pub lines: Vec<LineCycles>,
    /// Calls of functions that hash, found by name, and of the system calls that do.
    pub hashes: Vec<Calls>,
    /// By step, in the order in which they were first entered.
    pub steps: Vec<StepCycles>,
    /// Markers in the order in which they were met.
    pub markers: Vec<Marker>,
    /// Markers met; `markers` holds the first of them.
    pub markers_met: u64,
    /// Call stacks, `outermost;...;innermost`, and the cycles spent in the innermost function.
    pub stacks: BTreeMap<String, u64>,
}

impl Profile {
    /// Refuses a document of another kind or version.
    ///
    /// # Errors
    /// See [`SchemaError`].
    pub fn check(&self) -> Result<(), SchemaError> {
        if self.schema != SCHEMA {
            return Err(SchemaError::Schema {
                got: self.schema.clone(),
            });
        }
        match self.version {
            SCHEMA_VERSION => Ok(()),
            got => Err(SchemaError::Version { got }),
        }
    }

    /// One line a stack, as flame graph tools read it.
    #[must_use]
    pub fn folded(&self) -> String {
        let line = |(stack, cycles): (&String, &u64)| format!("{stack} {cycles}\n");
        self.stacks.iter().map(line).collect()
    }
}

/// Cycles of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCycles {
    /// Demangled name.
    pub name: String,
    /// Cycles in its own instructions.
    pub cycles: u64,
    /// Cycles in it and in what it called, a recursive call counted once. For inlined functions
    /// the same as `cycles`.
    pub inclusive: u64,
    /// How often its first instruction was executed; 0 for inlined functions.
    pub calls: u64,
}

/// Cycles of a source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCycles {
    /// Source file.
    pub file: String,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Cycles.
    pub cycles: u64,
}

/// Cycles of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepCycles {
    /// The marker's number; 0 before the first marker.
    pub step: u32,
    /// Cycles while this was the latest marker.
    pub cycles: u64,
    /// By function, most cycles first; `inclusive` counts this step only.
    pub functions: Vec<FunctionCycles>,
}

/// A marker that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Its number.
    pub value: u32,
    /// Cycles before it.
    pub cycle: u64,
}

pub(crate) struct Counts<'c> {
    pub cycles: u64,
    pub outside: u64,
    pub steps: &'c [Step],
    pub nodes: &'c [Node],
    pub markers: &'c [Marker],
    pub markers_seen: u64,
}

/// Functions whose calls count as hashing: the last part of the path, without generics, is one of
/// these.
const HASH_FUNCTIONS: [&str; 6] = [
    "keccakf",
    "keccak_f",
    "keccakf_u64",
    "permute",
    "permute_mut",
    "compress",
];
/// System calls that hash.
const HASH_CALLS: [&str; 3] = ["keccak_f", "poseidon2", "blake2s"];

pub(crate) fn build(image: &Image, counts: &Counts<'_>, facts: RunFacts) -> Profile {
    let mut all = vec![0u64; image.words()];
    let mut steps = Vec::new();
    for step in counts.steps {
        let words = executions(&step.differences);
        for (sum, word) in all.iter_mut().zip(&words) {
            *sum += word;
        }
        let cycles: u64 = words.iter().sum();
        if cycles > 0 {
            steps.push(StepCycles {
                step: step.value,
                cycles,
                functions: functions(image, &words, &inclusive(counts.nodes, Some(step.root))),
            });
        }
    }
    let mut functions = functions(image, &all, &inclusive(counts.nodes, None));
    if counts.outside > 0 {
        functions.push(FunctionCycles {
            name: "(outside the program)".into(),
            cycles: counts.outside,
            inclusive: counts.outside,
            calls: 0,
        });
    }
    debug_assert_eq!(
        counts.cycles,
        functions.iter().map(|f| f.cycles).sum::<u64>()
    );
    let (inlined, lines) = by_debug_info(image, &all);
    Profile {
        schema: SCHEMA.into(),
        version: SCHEMA_VERSION,
        hashes: hashes(&functions, &facts),
        unique_instructions: all.iter().filter(|&&n| n > 0).count() as u64,
        stacks: stacks(image, counts.nodes),
        functions,
        inlined,
        lines,
        steps,
        markers: counts.markers.to_vec(),
        markers_met: counts.markers_seen,
        facts,
    }
}

/// Executions of each word from their differences.
fn executions(differences: &[u64]) -> Vec<u64> {
    let running = differences.iter().scan(0u64, |sum, &difference| {
        *sum = sum.wrapping_add(difference);
        Some(*sum)
    });
    running.take(differences.len() - 1).collect()
}

/// Cycles in each function and what it called, over the stacks under one root or all of them.
fn inclusive(nodes: &[Node], root: Option<u32>) -> HashMap<u32, u64> {
    let mut sums = HashMap::new();
    let mut seen = Vec::new();
    for (start, node) in nodes.iter().enumerate().filter(|(_, n)| n.cycles > 0) {
        seen.clear();
        let mut at = start;
        while nodes[at].parent as usize != at {
            let function = nodes[at].function;
            if !seen.contains(&function) {
                seen.push(function);
            }
            at = nodes[at].parent as usize;
        }
        if root.is_none_or(|root| root as usize == at) {
            for &function in &seen {
                *sums.entry(function).or_insert(0) += node.cycles;
            }
        }
    }
    sums
}

fn functions(image: &Image, words: &[u64], inclusive: &HashMap<u32, u64>) -> Vec<FunctionCycles> {
    let mut own = vec![0u64; image.functions().len()];
    for (word, &count) in words.iter().enumerate().filter(|&(_, &n)| n > 0) {
        own[image.function_at(image.address(word)) as usize] += count;
    }
    let named = image.functions().iter().enumerate().zip(own);
    let rows = named
        .filter(|&(_, cycles)| cycles > 0)
        .map(|((index, function), cycles)| FunctionCycles {
            name: function.name.clone(),
            cycles,
            inclusive: u32::try_from(index)
                .ok()
                .and_then(|index| inclusive.get(&index).copied())
                .unwrap_or(cycles),
            calls: match index {
                0 => 0,
                _ => image.word(function.start).map_or(0, |word| words[word]),
            },
        });
    sorted(rows.collect())
}

/// Most cycles first, by name where equal.
fn sorted(mut rows: Vec<FunctionCycles>) -> Vec<FunctionCycles> {
    rows.sort_by(|a, b| (b.cycles, &a.name).cmp(&(a.cycles, &b.name)));
    rows
}

fn by_debug_info(image: &Image, words: &[u64]) -> (Vec<FunctionCycles>, Vec<LineCycles>) {
    let mut functions: HashMap<String, u64> = HashMap::new();
    let mut lines: HashMap<(String, u32), u64> = HashMap::new();
    if !image.has_lines() {
        return (Vec::new(), Vec::new());
    }
    for (word, &cycles) in words.iter().enumerate().filter(|&(_, &n)| n > 0) {
        let pc = image.address(word);
        let name = image
            .innermost(pc)
            .or_else(|| image.symbol(pc).map(str::to_owned))
            .unwrap_or_else(|| "(no symbol)".into());
        *functions.entry(name).or_insert(0) += cycles;
        let line = image.line(pc).unwrap_or_else(|| ("(unknown)".into(), 0));
        *lines.entry(line).or_insert(0) += cycles;
    }
    let functions = functions.into_iter().map(|(name, cycles)| FunctionCycles {
        name,
        cycles,
        inclusive: cycles,
        calls: 0,
    });
    let lines = lines
        .into_iter()
        .map(|((file, line), cycles)| LineCycles { file, line, cycles });
    let mut lines: Vec<LineCycles> = lines.collect();
    lines.sort_by(|a, b| (b.cycles, &a.file, a.line).cmp(&(a.cycles, &b.file, b.line)));
    (sorted(functions.collect()), lines)
}

fn hashes(functions: &[FunctionCycles], facts: &RunFacts) -> Vec<Calls> {
    let hashing = functions
        .iter()
        .filter(|f| f.calls > 0 && HASH_FUNCTIONS.contains(&last_part(&f.name)));
    let mut calls: Vec<Calls> = hashing
        .map(|function| Calls {
            name: function.name.clone(),
            calls: function.calls,
        })
        .collect();
    let system = facts.system_calls.iter();
    calls.extend(
        system
            .filter(|call| HASH_CALLS.contains(&call.name.as_str()))
            .cloned(),
    );
    calls
}

/// `permute_mut` of `<a::B<c::D> as e::F<[g; 16]>>::permute_mut`.
fn last_part(name: &str) -> &str {
    let name = name.split("::<").next().unwrap_or(name);
    let plain = name.rsplit("::").next().unwrap_or(name);
    plain.split('<').next().unwrap_or(plain)
}

fn stacks(image: &Image, nodes: &[Node]) -> BTreeMap<String, u64> {
    let mut stacks = BTreeMap::new();
    for (start, node) in nodes.iter().enumerate().filter(|(_, n)| n.cycles > 0) {
        let mut names = Vec::new();
        let mut at = start;
        while nodes[at].parent as usize != at {
            let name = &image.functions()[nodes[at].function as usize].name;
            // A semicolon would end a frame's name.
            names.push(name.replace(';', ","));
            at = nodes[at].parent as usize;
        }
        names.reverse();
        *stacks.entry(names.join(";")).or_insert(0) += node.cycles;
    }
    stacks
}
