//! The two tweak layouts. Everything else of the scheme is common.

/// What a hash call of the verifier is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One step of a chain; sub-position `8 * chain + position`, index the epoch.
    ChainStep,
    /// A leaf over 42 chain ends; index the epoch.
    Leaf,
    /// An inner node; sub-position its level, index its number on that level.
    Node,
    /// The encoding of a message; index the epoch.
    Encoding,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Ethereum {}
    impl Sealed for super::LeanVmB {}
}

/// A tweak layout, fixed at compile time.
pub trait Layout: sealed::Sealed + Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Number in key files.
    const ID: u8;
    /// Name for reports.
    const NAME: &'static str;

    /// The tweaks of `N` calls, as little-endian words: all first words, then all second ones.
    fn tweaks<const N: usize>(purpose: Purpose, sub: &[u32; N], index: &[u32; N]) -> [[u32; N]; 4];

    /// The tweak of a call, as little-endian words.
    #[inline]
    fn tweak(purpose: Purpose, sub: u32, index: u32) -> [u32; 4] {
        Self::tweaks(purpose, &[sub], &[index]).map(|[word]| word)
    }
}

/// The layout of Ethereum's cryptography specifications: a zero byte, the type, two zero bytes,
/// the sub-position, four zero bytes, the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ethereum;

impl Layout for Ethereum {
    const ID: u8 = 0;
    const NAME: &'static str = "ethereum";

    #[inline]
    fn tweaks<const N: usize>(purpose: Purpose, sub: &[u32; N], index: &[u32; N]) -> [[u32; N]; 4] {
        let kind: u32 = match purpose {
            Purpose::ChainStep => 1,
            Purpose::Leaf => 2,
            Purpose::Node => 3,
            Purpose::Encoding => 4,
        };
        [[kind << 8; N], *sub, [0; N], *index]
    }
}

/// The tweak of a type byte in the layout [`Ethereum`].
#[inline]
pub(crate) fn ethereum_tweak(kind: u8, sub: u32, index: u32) -> [u32; 4] {
    [u32::from(kind) << 8, sub, 0, index]
}

/// The layout of leanVM-b (commit 5df6c373): the type, the sub-position, the index, seven zero
/// bytes, nothing aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeanVmB;

impl Layout for LeanVmB {
    const ID: u8 = 1;
    const NAME: &'static str = "leanvm-b";

    #[inline]
    fn tweaks<const N: usize>(purpose: Purpose, sub: &[u32; N], index: &[u32; N]) -> [[u32; N]; 4] {
        let kind: u32 = match purpose {
            Purpose::ChainStep => 0,
            Purpose::Leaf => 1,
            Purpose::Node => 2,
            Purpose::Encoding => 3,
        };
        let mut second = sub.map(|sub| sub >> 24);
        for (word, index) in second.iter_mut().zip(index) {
            *word |= index << 8;
        }
        let first = sub.map(|sub| kind | (sub << 8));
        [first, second, index.map(|index| index >> 24), [0; N]]
    }
}
