//! A plain prover of openings, to have proofs of every shape.

use prova_binary_pcs::code::Subspaces;
use prova_binary_pcs::field::{E, Field as _, K, PrimeCharacteristicRing};
use prova_binary_pcs::field::{embed, to_bytes, to_limbs};
use prova_binary_pcs::merkle::{Digest, hash, pruned_siblings};
use prova_binary_pcs::opening::sample_positions;
use prova_binary_pcs::params::Schedule;
use prova_binary_pcs::poly::{Quadratic, dot, eq_table, evaluate};
use prova_binary_pcs::stream::Form;
use prova_binary_pcs::transcript::{ChainV0, Transcript, halves};

use super::encode_fast;

/// All layers of a tree, leaves first.
pub struct Tree(pub Vec<Vec<Digest>>);

impl Tree {
    pub fn new(images: &[Vec<u64>]) -> Self {
        let leaves = images.iter().map(|image| hash(&bytes(image))).collect();
        let mut layers: Vec<Vec<Digest>> = vec![leaves];
        while layers[layers.len() - 1].len() > 1 {
            let nodes = layers[layers.len() - 1].chunks(2);
            layers.push(nodes.map(|pair| hash(&pair.concat())).collect());
        }
        Self(layers)
    }

    pub fn root(&self) -> Digest {
        self.0[self.0.len() - 1][0]
    }

    pub fn depth(&self) -> u32 {
        self.0.len() as u32 - 1
    }

    pub fn path(&self, position: u64) -> Vec<Digest> {
        let below_root = &self.0[..self.0.len() - 1];
        let heights = below_root.iter().zip(0..);
        heights
            .map(|(layer, h)| layer[(position >> h) as usize ^ 1])
            .collect()
    }

    /// What a pruned opening of distinct ascending positions sends.
    pub fn siblings(&self, positions: &[u64]) -> Vec<Digest> {
        let mut known = positions.to_vec();
        let mut siblings = Vec::new();
        for layer in &self.0[..self.0.len() - 1] {
            for &node in &known {
                if !known.contains(&(node ^ 1)) {
                    siblings.push(layer[node as usize ^ 1]);
                }
            }
            known.iter_mut().for_each(|node| *node >>= 1);
            known.dedup();
        }
        assert_eq!(siblings.len(), pruned_siblings(positions, self.depth()));
        siblings
    }
}

pub fn bytes(image: &[u64]) -> Vec<u8> {
    image.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Openings as they are written.
pub struct Writer {
    form: Form,
    openings: Vec<u8>,
    entries: u64,
}

impl Writer {
    pub const fn new(form: Form) -> Self {
        Self {
            form,
            openings: Vec::new(),
            entries: 0,
        }
    }

    fn list(&mut self, len: usize, content: &[u8]) {
        self.openings.extend((len as u64).to_le_bytes());
        self.openings.extend(content);
    }

    pub fn open(&mut self, images: &[Vec<u64>], tree: &Tree, zeros: usize, positions: &[u64]) {
        match self.form {
            Form::Wire => {
                let mut distinct = positions.to_vec();
                distinct.sort_unstable();
                distinct.dedup();
                self.list(distinct.len(), &[]);
                for &position in &distinct {
                    let row = &images[position as usize][zeros..];
                    self.list(row.len(), &bytes(row));
                }
                let siblings = tree.siblings(&distinct);
                self.list(siblings.len(), &siblings.concat());
                self.entries += 1;
            }
            Form::Raw => {
                for &position in positions {
                    let image = &images[position as usize];
                    self.list(image.len(), &bytes(image));
                    let path = tree.path(position);
                    self.list(path.len(), &path.concat());
                    self.entries += 1;
                }
            }
        }
    }

    pub fn body(&self, scalars: &[E]) -> Vec<u8> {
        let mut body = (scalars.len() as u64).to_le_bytes().to_vec();
        body.extend(scalars.iter().flat_map(|&scalar| to_bytes(scalar)));
        body.extend(self.entries.to_le_bytes());
        body.extend(&self.openings);
        body
    }
}

/// An oracle: leaf images by position, and their tree.
struct Oracle {
    images: Vec<Vec<u64>>,
    tree: Tree,
}

impl Oracle {
    fn first(lanes: &[Vec<E>], rate: u32) -> Self {
        let codes: Vec<Vec<E>> = lanes.iter().map(|lane| encode_fast(lane, rate)).collect();
        let word = |code: &Vec<E>, position: usize| to_limbs(code[position])[0];
        let images: Vec<Vec<u64>> = (0..codes[0].len())
            .map(|p| codes.iter().rev().map(|code| word(code, p)).collect())
            .collect();
        let tree = Tree::new(&images);
        Self { images, tree }
    }

    fn later(f: &[E], rate: u32) -> Self {
        let lane = |l| f.iter().skip(l).step_by(8).copied().collect::<Vec<E>>();
        let codes: Vec<Vec<E>> = (0..8).map(|l| encode_fast(&lane(l), rate)).collect();
        let images: Vec<Vec<u64>> = (0..codes[0].len())
            .map(|p| codes.iter().flat_map(|code| to_limbs(code[p])).collect())
            .collect();
        let tree = Tree::new(&images);
        Self { images, tree }
    }
}

/// How a prover of a false statement tries to get through.
#[derive(Clone, Copy, Debug)]
pub enum Cheat {
    /// The target is one more than it is, and what follows the folds of this level, an oracle or the
    /// residual, is altered so that all later messages fit together.
    Fold(usize),
    /// The value at the out-of-domain point of this level's next oracle is one more than it is.
    OutOfDomain(usize),
}

pub struct Prover {
    chain: ChainV0,
    scalars: Vec<E>,
    f: Vec<E>,
    w: Vec<E>,
    /// What the verifier takes the weighted sum of `f` for, and its next round.
    claim: E,
    round: Quadratic,
}

impl Prover {
    fn send(&mut self, values: &[E]) {
        for &value in values {
            self.chain.observe(value);
            self.scalars.push(value);
        }
    }

    /// Sends the round of a claim about `f`, and returns it as the verifier reads it.
    fn send_round(&mut self, claim: E, weights: &[E]) -> Quadratic {
        let halves = |table: &[E], bit| table.iter().skip(bit).step_by(2).copied().collect();
        let [f0, f1, w0, w1]: [Vec<E>; 4] = [
            halves(&self.f, 0),
            halves(&self.f, 1),
            halves(weights, 0),
            halves(weights, 1),
        ];
        let sum = |a: &[E], b: &[E]| a.iter().zip(b).map(|(&a, &b)| a + b).collect::<Vec<E>>();
        let sent = [dot(&f0, &w0), dot(&sum(&f0, &f1), &sum(&w0, &w1))];
        self.send(&sent);
        Quadratic::plain(claim, sent)
    }

    fn fold(&mut self) {
        let r = self.chain.sample();
        for table in [&mut self.f, &mut self.w] {
            *table = table.chunks(2).map(|p| p[0] + r * (p[0] + p[1])).collect();
        }
        self.claim = self.round.at(r);
    }

    fn send_own_round(&mut self) {
        let weights = self.w.clone();
        self.round = self.send_round(self.claim, &weights);
    }

    fn send_root(&mut self, root: &Digest) {
        self.send(&halves(root));
    }

    fn grind(&mut self, bits: u32) {
        let base = self.chain.grinding_base();
        let good = |nonce: &u64| ChainV0::is_good_nonce(base, embed(*nonce), bits);
        let nonce = embed((0..).find(good).unwrap());
        assert!(self.chain.check_grinding(nonce, bits));
        self.scalars.push(nonce);
    }

    /// Alters `f` so that its weighted sum is the claim.
    fn make_claim_true(&mut self) {
        let off = self.claim + dot(&self.f, &self.w);
        let at = self.w.iter().position(|w| *w != E::ZERO).unwrap();
        self.f[at] += off * self.w[at].inverse();
    }

    fn glue(&mut self, scale: E, claim: E, round: &Quadratic, weights: &[E]) {
        self.claim += scale * claim;
        self.round.add_scaled(scale, round);
        for (w, &weight) in self.w.iter_mut().zip(weights) {
            *w += scale * weight;
        }
    }
}

/// The root of the commitment to the words of `lanes` lanes.
pub struct Committed {
    pub root: Digest,
    pub lanes: usize,
    oracle: Oracle,
    words: Vec<K>,
}

pub fn commit(words: &[K], lanes: usize, schedule: &Schedule) -> Committed {
    let size = words.len() / 64;
    assert!(words[lanes * size..].iter().all(|word| word.to_bits() == 0));
    let rows: Vec<Vec<E>> = words
        .chunks(size)
        .map(|lane| lane.iter().map(|&word| E::from(word)).collect())
        .collect();
    let oracle = Oracle::first(&rows, schedule.log_inv_rate);
    Committed {
        root: oracle.tree.root(),
        lanes,
        oracle,
        words: words.to_vec(),
    }
}

/// Lanes become the lowest variables.
fn rotate<V: Copy>(table: &[V]) -> Vec<V> {
    let size = table.len() / 64;
    (0..table.len())
        .map(|i| table[i % 64 * size + i / 64])
        .collect()
}

/// Proves `sum_u weights_u words_u = target` and returns the body, or what a cheating prover sends.
pub fn prove(
    chain: ChainV0,
    schedule: &Schedule,
    committed: Committed,
    weights: &[E],
    form: Form,
    cheat: Option<Cheat>,
) -> Vec<u8> {
    let Committed {
        mut oracle,
        words,
        lanes,
        ..
    } = committed;
    let mut prover = Prover {
        chain,
        scalars: Vec::new(),
        f: rotate(&words).into_iter().map(E::from).collect(),
        w: rotate(weights),
        claim: E::ZERO,
        round: Quadratic::plain(E::ZERO, [E::ZERO; 2]),
    };
    let mut writer = Writer::new(form);
    prover.claim = dot(&prover.f, &prover.w);
    if let Some(Cheat::Fold(_)) = cheat {
        prover.claim += E::ONE;
    }
    prover.chain.observe(prover.claim);
    for half in halves(&oracle.tree.root()) {
        prover.chain.observe(half);
    }
    prover.send_own_round();
    for (index, level) in schedule.levels.iter().enumerate() {
        // What the rows of this level's oracle fold to.
        let mut folded = Vec::new();
        for left in (0..level.folds).rev() {
            prover.fold();
            folded.clone_from(&prover.f);
            if left == 0 && matches!(cheat, Some(Cheat::Fold(at)) if at == index) {
                // The next message goes out before the oracle, and has to fit it.
                prover.make_claim_true();
            }
            prover.send_own_round();
        }
        let mut next = None;
        if let Some(following) = schedule.levels.get(index + 1) {
            let oracle = Oracle::later(&prover.f, following.log_inv_rate);
            prover.send_root(&oracle.tree.root());
            let z: Vec<E> = (0..level.log_message)
                .map(|_| prover.chain.sample())
                .collect();
            let mut value = evaluate(&prover.f, &z);
            if matches!(cheat, Some(Cheat::OutOfDomain(at)) if at == index) {
                value += E::ONE;
            }
            prover.send(&[value]);
            let weights = eq_table(&z);
            let round = prover.send_round(value, &weights);
            next = Some((oracle, weights, value, round));
        } else {
            let residual = prover.f.clone();
            prover.send(&residual);
        }
        prover.grind(level.grinding_bits);
        let positions = sample_positions(|| prover.chain.sample(), level.depth(), level.queries);
        let lambda = prover.chain.sample();
        let zeros = if index == 0 { 64 - lanes } else { 0 };
        writer.open(&oracle.images, &oracle.tree, zeros, &positions);
        let columns = column_weights(&positions, lambda, level.log_message);
        let enforced = dot(&folded, &columns);
        let round = prover.send_round(enforced, &columns);
        let mut scale = lambda;
        if let Some((following, weights, value, round)) = next {
            prover.glue(scale, value, &round, &weights);
            scale *= lambda;
            oracle = following;
        }
        prover.glue(scale, enforced, &round, &columns);
    }
    for left in (0..schedule.residual_variables).rev() {
        prover.fold();
        if left > 0 {
            prover.send_own_round();
        }
    }
    assert_eq!(prover.scalars.len(), schedule.scalar_count());
    writer.body(&prover.scalars)
}

fn column_weights(positions: &[u64], lambda: E, variables: usize) -> Vec<E> {
    let subspaces = Subspaces::new(variables);
    let mut sum = vec![E::ZERO; 1 << variables];
    let mut power = E::ONE;
    for &position in positions {
        let mut table = vec![power];
        for value in subspaces.normalised(position) {
            let high: Vec<E> = table.iter().map(|&low| low * value).collect();
            table.extend(high);
        }
        sum.iter_mut()
            .zip(&table)
            .for_each(|(sum, &term)| *sum += term);
        power *= lambda;
    }
    sum
}
