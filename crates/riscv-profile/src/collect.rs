//! Counters of one run.

use std::collections::HashMap;

use prova_riscv::Observer;

use crate::image::Image;
use crate::report::{self, Marker, Profile, RunFacts};

/// Deepest call stack that is followed; deeper calls count for the deepest followed one.
const MAX_DEPTH: usize = 1 << 12;
/// How far up a return looks for its call: programs may leave several frames at once.
const MAX_UNWIND: usize = 64;
/// Most markers whose order is kept.
const MAX_MARKERS: usize = 1 << 16;

/// A node of the tree of call stacks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub parent: u32,
    /// Index into the image's functions; a root has that of code without a symbol.
    pub function: u32,
    pub cycles: u64,
}

/// Counters of one step.
#[derive(Debug)]
pub(crate) struct Step {
    pub value: u32,
    /// Root of the step's call stacks.
    pub root: u32,
    /// Differences of the executions of consecutive words, modulo `2^64`: a stretch of straight
    /// code changes two of them, however long it is.
    pub differences: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    caller: u32,
    return_to: u32,
}

/// Watches a run.
pub struct Profiler<'i> {
    image: &'i Image,
    steps: Vec<Step>,
    /// Position in `steps` of the step now running.
    step: usize,
    nodes: Vec<Node>,
    children: HashMap<(u32, u32), u32>,
    frames: Vec<Frame>,
    current: u32,
    cycles: u64,
    outside: u64,
    markers: Vec<Marker>,
    markers_seen: u64,
}

impl<'i> Profiler<'i> {
    /// A profiler for a run of the image's program.
    #[must_use]
    pub fn new(image: &'i Image) -> Self {
        let mut profiler = Self {
            image,
            steps: Vec::new(),
            step: 0,
            nodes: Vec::new(),
            children: HashMap::new(),
            frames: Vec::new(),
            current: 0,
            cycles: 0,
            outside: 0,
            markers: Vec::new(),
            markers_seen: 0,
        };
        profiler.current = profiler.add_step(0);
        profiler
    }

    /// The profile of what was watched; `facts` are what the machine knows of the same run.
    #[must_use]
    pub fn finish(self, facts: RunFacts) -> Profile {
        report::build(self.image, &self.counts(), facts)
    }

    fn counts(&self) -> report::Counts<'_> {
        report::Counts {
            cycles: self.cycles,
            outside: self.outside,
            steps: &self.steps,
            nodes: &self.nodes,
            markers: &self.markers,
            markers_seen: self.markers_seen,
        }
    }

    /// Starts the counters of a step; returns the root of its call stacks.
    fn add_step(&mut self, value: u32) -> u32 {
        let root = index(self.nodes.len());
        self.nodes.push(Node {
            parent: root,
            function: 0,
            cycles: 0,
        });
        self.step = self.steps.len();
        self.steps.push(Step {
            value,
            root,
            differences: vec![0; self.image.words() + 1],
        });
        root
    }

    fn child(&mut self, parent: u32, function: u32) -> u32 {
        let next = index(self.nodes.len());
        let node = *self.children.entry((parent, function)).or_insert(next);
        if node == next {
            self.nodes.push(Node {
                parent,
                function,
                cycles: 0,
            });
        }
        node
    }

    fn is_root(&self, node: u32) -> bool {
        self.nodes[node as usize].parent == node
    }

    /// The same stack under the root of another step.
    fn under(&mut self, node: u32, root: u32) -> u32 {
        if self.is_root(node) {
            return root;
        }
        let Node {
            parent, function, ..
        } = self.nodes[node as usize];
        let parent = self.under(parent, root);
        self.child(parent, function)
    }
}

impl Observer for Profiler<'_> {
    #[inline]
    fn run(&mut self, pc: u32, count: u32) {
        self.cycles += u64::from(count);
        let Some(word) = self.image.word(pc) else {
            self.outside += u64::from(count);
            return;
        };
        let differences = &mut self.steps[self.step].differences;
        let end = (word + count as usize).min(differences.len() - 1);
        differences[word] = differences[word].wrapping_add(1);
        differences[end] = differences[end].wrapping_sub(1);
        // Code of another function without a call: a tail call, or one function running on into
        // the next. It takes the place of the function that was running.
        let function = self.image.function_at(pc);
        if self.nodes[self.current as usize].function != function || self.is_root(self.current) {
            let parent = self.nodes[self.current as usize].parent;
            self.current = self.child(parent, function);
        }
        self.nodes[self.current as usize].cycles += u64::from(count);
    }

    #[inline]
    fn call(&mut self, _from: u32, to: u32, return_to: u32) {
        if self.frames.len() < MAX_DEPTH {
            self.frames.push(Frame {
                caller: self.current,
                return_to,
            });
            let function = self.image.function_at(to);
            self.current = self.child(self.current, function);
        }
    }

    #[inline]
    fn ret(&mut self, _from: u32, to: u32) {
        let found = self
            .frames
            .iter()
            .rev()
            .take(MAX_UNWIND)
            .position(|frame| frame.return_to == to);
        if let Some(above) = found {
            let depth = self.frames.len() - 1 - above;
            self.current = self.frames[depth].caller;
            self.frames.truncate(depth);
        }
    }

    fn marker(&mut self, _pc: u32, value: u32) {
        self.markers_seen += 1;
        if self.markers.len() < MAX_MARKERS {
            self.markers.push(Marker {
                value,
                cycle: self.cycles,
            });
        }
        let known = self.steps.iter().position(|step| step.value == value);
        let root = match known {
            Some(step) => {
                self.step = step;
                self.steps[step].root
            }
            None => self.add_step(value),
        };
        for i in 0..self.frames.len() {
            self.frames[i].caller = self.under(self.frames[i].caller, root);
        }
        self.current = self.under(self.current, root);
    }

    fn syscall(&mut self, _pc: u32, _number: u32) {}
}

fn index(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
