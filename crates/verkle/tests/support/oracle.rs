//! A slow prover and verifier written from the protocol's text with arkworks alone, sharing no
//! code with the crate: everything goes in and comes out as bytes.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::LazyLock;

use ark_ec::twisted_edwards::TECurveConfig;
use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ed_on_bls12_381_bandersnatch::{
    BandersnatchConfig, EdwardsAffine, EdwardsProjective, Fq, Fr,
};
use ark_ff::{AdditiveGroup, BigInteger, Field, One, PrimeField, Zero};
use sha2::{Digest, Sha256};

/// Points of the domain, generators, values of a polynomial.
pub const N: usize = 256;
const ROUNDS: usize = 8;
/// Bytes of a multiproof.
pub const PROOF_LEN: usize = 576;

/// 32 bytes: a scalar (little-endian) or an element (x, big-endian).
pub type Word = [u8; 32];

/// The canonical bytes of a scalar.
pub fn scalar_to_bytes(scalar: Fr) -> Word {
    let bytes = scalar.into_bigint().to_bytes_le();
    bytes.try_into().expect("32 bytes")
}

/// A scalar of canonical bytes.
pub fn scalar_from_bytes(bytes: &Word) -> Result<Fr, String> {
    let scalar = Fr::from_le_bytes_mod_order(bytes);
    if scalar_to_bytes(scalar) == *bytes {
        Ok(scalar)
    } else {
        Err("scalar not canonical".into())
    }
}

/// Encodes the class of a point: x of the representative whose y is above (p − 1)/2.
pub fn encode(point: EdwardsProjective) -> Word {
    let affine = point.into_affine();
    let negate = affine.y.into_bigint() <= Fq::MODULUS_MINUS_ONE_DIV_TWO;
    let x = if negate { -affine.x } else { affine.x };
    x.into_bigint().to_bytes_be().try_into().expect("32 bytes")
}

/// Decodes an element with all checks.
pub fn decode(bytes: &Word) -> Result<EdwardsProjective, String> {
    let x = Fq::from_be_bytes_mod_order(bytes);
    if x.into_bigint().to_bytes_be() != bytes {
        return Err("x not canonical".into());
    }
    let numerator = BandersnatchConfig::COEFF_A * x * x - Fq::one();
    let denominator = BandersnatchConfig::COEFF_D * x * x - Fq::one();
    let y = (numerator / denominator).sqrt().ok_or("not on the curve")?;
    if !(-numerator).legendre().is_qr() {
        return Err("not in the subgroup".into());
    }
    let y = if y.into_bigint() > Fq::MODULUS_MINUS_ONE_DIV_TWO {
        y
    } else {
        -y
    };
    Ok(EdwardsAffine::new_unchecked(x, y).into())
}

/// Equality of classes: the points agree up to (0, −1).
pub fn same(a: EdwardsProjective, b: EdwardsProjective) -> bool {
    a.x * b.y == b.x * a.y
}

/// The transcript as a growing string.
pub struct Log(Vec<u8>);

impl Log {
    pub fn new(label: &[u8]) -> Self {
        Self(label.to_vec())
    }

    pub fn label(&mut self, label: &[u8]) {
        self.0.extend_from_slice(label);
    }

    pub fn append(&mut self, label: &[u8], message: &Word) {
        self.0.extend_from_slice(label);
        self.0.extend_from_slice(message);
    }

    pub fn challenge(&mut self, label: &[u8]) -> Fr {
        self.0.extend_from_slice(label);
        let challenge = Fr::from_le_bytes_mod_order(&Sha256::digest(&self.0));
        self.0.clear();
        self.append(label, &scalar_to_bytes(challenge));
        challenge
    }

    /// The bytes of one more challenge: equal for transcripts in the same state.
    pub fn state(&mut self) -> Word {
        scalar_to_bytes(self.challenge(b"state"))
    }
}

/// An opening of a polynomial given by its 256 values.
pub struct Opening {
    pub commitment: Word,
    pub values: Vec<Fr>,
    pub point: u8,
}

/// A claim: commitment, point, value.
pub type Claim = (Word, u8, Word);

impl Opening {
    pub fn claim(&self) -> Claim {
        let value = scalar_to_bytes(self.values[usize::from(self.point)]);
        (self.commitment, self.point, value)
    }
}

/// Generators.
pub struct Oracle {
    generators: Vec<EdwardsAffine>,
    q: EdwardsProjective,
}

fn inner(a: &[Fr], b: &[Fr]) -> Fr {
    a.iter().zip(b).map(|(a, b)| *a * b).sum()
}

fn sum(points: &[EdwardsAffine], scalars: &[Fr]) -> EdwardsProjective {
    EdwardsProjective::msm(points, scalars).expect("equal lengths")
}

/// low + factor·high
fn fold(values: &[Fr], factor: Fr) -> Vec<Fr> {
    let (low, high) = values.split_at(values.len() / 2);
    low.iter().zip(high).map(|(l, h)| *l + factor * h).collect()
}

fn fold_points(points: &[EdwardsAffine], factor: Fr) -> Vec<EdwardsAffine> {
    let (low, high) = points.split_at(points.len() / 2);
    let folded: Vec<EdwardsProjective> =
        low.iter().zip(high).map(|(l, h)| *h * factor + l).collect();
    EdwardsProjective::normalize_batch(&folded)
}

/// Π_{i ≠ j} (j − i), for every j.
static DERIVATIVES: LazyLock<Vec<Fr>> = LazyLock::new(|| {
    let product = |j: usize| {
        (0..N)
            .filter(|i| *i != j)
            .map(|i| Fr::from(j as u64) - Fr::from(i as u64))
            .product()
    };
    (0..N).map(product).collect()
});

/// The values at a point of the 256 Lagrange polynomials: L_j(X) = Π_{i ≠ j} (X − i)/(j − i).
pub fn lagrange(point: Fr) -> Vec<Fr> {
    (0..N)
        .map(|j| {
            let numerator: Fr = (0..N)
                .filter(|i| *i != j)
                .map(|i| point - Fr::from(i as u64))
                .product();
            numerator / DERIVATIVES[j]
        })
        .collect()
}

/// The values of (f(X) − f(z))/(X − z). At z it is f'(z), found from the fact that the quotient
/// has degree below 255: Σ q_j/A'(j) = 0.
pub fn quotient(values: &[Fr], z: usize) -> Vec<Fr> {
    let mut q: Vec<Fr> = (0..N)
        .map(|j| {
            if j == z {
                Fr::zero()
            } else {
                (values[j] - values[z]) / (Fr::from(j as u64) - Fr::from(z as u64))
            }
        })
        .collect();
    let others: Fr = (0..N).map(|j| q[j] / DERIVATIVES[j]).sum();
    q[z] = -others * DERIVATIVES[z];
    q
}

impl Oracle {
    /// The generators of the Verkle specification, derived from its seed.
    pub fn new() -> Self {
        let generators = (0u64..)
            .filter_map(|k| {
                let digest = Sha256::new_with_prefix(b"eth_verkle_oct_2021")
                    .chain_update(k.to_be_bytes())
                    .finalize();
                let x = Fq::from_be_bytes_mod_order(&digest);
                let word = x.into_bigint().to_bytes_be().try_into().expect("32 bytes");
                decode(&word).ok().map(CurveGroup::into_affine)
            })
            .take(N)
            .collect();
        Self {
            generators,
            q: EdwardsProjective::generator(),
        }
    }

    fn commit_point(&self, values: &[Fr]) -> EdwardsProjective {
        sum(&self.generators, values)
    }

    /// The commitment of 256 values.
    pub fn commit(&self, values: &[Fr]) -> Word {
        encode(self.commit_point(values))
    }

    /// An opening of values at a point, with their commitment.
    pub fn opening(&self, values: Vec<Fr>, point: u8) -> Opening {
        Opening {
            commitment: self.commit(&values),
            values,
            point,
        }
    }

    /// The inner product argument: 544 bytes and the value.
    pub fn prove_ipa(
        &self,
        log: &mut Log,
        commitment: &Word,
        values: &[Fr],
        point: Fr,
    ) -> (Vec<u8>, Fr) {
        let mut a = values.to_vec();
        let mut b = lagrange(point);
        let mut g = self.generators.clone();
        let value = inner(&a, &b);
        let q = self.q * start(log, commitment, point, value);
        let (mut ls, mut rs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let half = a.len() / 2;
            let l = sum(&g[..half], &a[half..]) + q * inner(&a[half..], &b[..half]);
            let r = sum(&g[half..], &a[..half]) + q * inner(&a[..half], &b[half..]);
            let (l, r) = (encode(l), encode(r));
            let x = round(log, &l, &r);
            let inverse = x.inverse().expect("not zero");
            a = fold(&a, x);
            b = fold(&b, inverse);
            g = fold_points(&g, inverse);
            ls.extend_from_slice(&l);
            rs.extend_from_slice(&r);
        }
        ls.extend(rs);
        ls.extend_from_slice(&scalar_to_bytes(a[0]));
        (ls, value)
    }

    /// Verifies the 544 bytes of an inner product argument by folding everything.
    pub fn verify_ipa(
        &self,
        log: &mut Log,
        commitment: EdwardsProjective,
        point: Fr,
        value: Fr,
        proof: &[u8],
    ) -> Result<(), String> {
        if proof.len() != 544 {
            return Err(format!("length {}", proof.len()));
        }
        let words: Vec<Word> = proof
            .chunks(32)
            .map(|c| c.try_into().expect("32 bytes"))
            .collect();
        let a = scalar_from_bytes(&words[2 * ROUNDS])?;
        let w = start(log, &encode(commitment), point, value);
        let mut b = lagrange(point);
        let mut g = self.generators.clone();
        let mut p = commitment + self.q * (w * value);
        for k in 0..ROUNDS {
            let (l, r) = (decode(&words[k])?, decode(&words[ROUNDS + k])?);
            let x = round(log, &words[k], &words[ROUNDS + k]);
            let inverse = x.inverse().ok_or("zero challenge")?;
            p += l * x + r * inverse;
            b = fold(&b, inverse);
            g = fold_points(&g, inverse);
        }
        if same(p, g[0] * a + self.q * (w * a * b[0])) {
            Ok(())
        } else {
            Err("rejected".into())
        }
    }

    /// The multiproof of openings in their order: 576 bytes.
    pub fn prove(&self, log: &mut Log, openings: &[Opening]) -> Vec<u8> {
        log.label(b"multiproof");
        for opening in openings {
            absorb(log, &opening.claim());
        }
        let r = log.challenge(b"r");
        let mut power = Fr::one();
        let mut groups = vec![vec![Fr::ZERO; N]; N];
        for opening in openings {
            let group = &mut groups[usize::from(opening.point)];
            for (sum, value) in group.iter_mut().zip(&opening.values) {
                *sum += power * value;
            }
            power *= r;
        }
        let used = |z: &usize| openings.iter().any(|o| usize::from(o.point) == *z);
        let mut g = vec![Fr::ZERO; N];
        for z in (0..N).filter(used) {
            for (sum, value) in g.iter_mut().zip(quotient(&groups[z], z)) {
                *sum += value;
            }
        }
        let d = self.commit_point(&g);
        log.append(b"D", &encode(d));
        let t = log.challenge(b"t");
        let mut h = vec![Fr::ZERO; N];
        for z in (0..N).filter(used) {
            let factor = (t - Fr::from(z as u64)).inverse().expect("not zero");
            for (sum, value) in h.iter_mut().zip(&groups[z]) {
                *sum += factor * value;
            }
        }
        let e = self.commit_point(&h);
        log.append(b"E", &encode(e));
        let difference: Vec<Fr> = h.iter().zip(&g).map(|(h, g)| *h - g).collect();
        let (ipa, _) = self.prove_ipa(log, &encode(e - d), &difference, t);
        [encode(d).to_vec(), ipa].concat()
    }

    /// Verifies 576 bytes against claims in their order.
    pub fn verify(&self, log: &mut Log, proof: &[u8], claims: &[Claim]) -> Result<(), String> {
        if proof.len() != PROOF_LEN {
            return Err(format!("length {}", proof.len()));
        }
        if claims.is_empty() {
            return Err("no claims".into());
        }
        log.label(b"multiproof");
        for claim in claims {
            absorb(log, claim);
        }
        let r = log.challenge(b"r");
        let word = proof[..32].try_into().expect("32 bytes");
        let d = decode(&word)?;
        log.append(b"D", &word);
        let t = log.challenge(b"t");
        let mut e = EdwardsProjective::zero();
        let mut value = Fr::ZERO;
        let mut power = Fr::one();
        for (commitment, z, y) in claims {
            let difference = t - Fr::from(u64::from(*z));
            let scalar = power * difference.inverse().ok_or("t in the domain")?;
            e += decode(commitment)? * scalar;
            value += scalar_from_bytes(y)? * scalar;
            power *= r;
        }
        log.append(b"E", &encode(e));
        self.verify_ipa(log, e - d, t, value, &proof[32..])
    }
}

fn absorb(log: &mut Log, (commitment, point, value): &Claim) {
    log.append(b"C", commitment);
    log.append(b"z", &scalar_to_bytes(Fr::from(u64::from(*point))));
    log.append(b"y", value);
}

fn start(log: &mut Log, commitment: &Word, point: Fr, value: Fr) -> Fr {
    log.label(b"ipa");
    log.append(b"C", commitment);
    log.append(b"input point", &scalar_to_bytes(point));
    log.append(b"output point", &scalar_to_bytes(value));
    log.challenge(b"w")
}

fn round(log: &mut Log, l: &Word, r: &Word) -> Fr {
    log.append(b"L", l);
    log.append(b"R", r);
    log.challenge(b"x")
}
