//! How a run spends device memory, and the leaner ways to spend it.

use core::fmt;

/// What stays on the device between a commitment and its opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Keep codewords. Otherwise the cosets that opened rows lie in are encoded again.
    pub keep_codewords: bool,
    /// Of every so many tree levels one is kept, the leaves first; the others' digests are hashed
    /// again when they are opened.
    pub level_stride: usize,
    /// Encode and hash one coset at a time.
    pub one_coset: bool,
    /// Move the digests of a tree's lower levels to the host as they are made.
    pub spill: bool,
}

impl MemoryPlan {
    /// Every plan, by falling memory and rising work.
    pub const LADDER: [Self; 6] = [
        Self {
            keep_codewords: true,
            level_stride: 1,
            one_coset: false,
            spill: false,
        },
        Self {
            keep_codewords: false,
            level_stride: 1,
            one_coset: false,
            spill: false,
        },
        Self {
            keep_codewords: false,
            level_stride: 2,
            one_coset: false,
            spill: false,
        },
        Self {
            keep_codewords: false,
            level_stride: 4,
            one_coset: false,
            spill: false,
        },
        Self {
            keep_codewords: false,
            level_stride: 4,
            one_coset: true,
            spill: false,
        },
        Self {
            keep_codewords: false,
            level_stride: 4,
            one_coset: true,
            spill: true,
        },
    ];

    /// Whether a tree level is stored.
    #[must_use]
    pub fn stores(&self, level: usize, log_leaves: usize) -> bool {
        level.is_multiple_of(self.level_stride) || level == log_leaves
    }

    /// The stored level at or below a level.
    #[must_use]
    pub fn stored_below(&self, level: usize, log_leaves: usize) -> usize {
        if self.stores(level, log_leaves) {
            level
        } else {
            level - level % self.level_stride
        }
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::LADDER[0] {
            return f.write_str("everything kept on the device");
        }
        f.write_str("opened cosets encoded again")?;
        if self.level_stride > 1 {
            write!(f, ", one tree level of {} kept", self.level_stride)?;
        }
        if self.one_coset {
            f.write_str(", one coset at a time")?;
        }
        if self.spill {
            f.write_str(", lower digests in host memory")?;
        }
        Ok(())
    }
}

/// Which stages run on the device, and in how many pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Commitments on the device, transform and tree submitted apart.
    Split,
    /// Commitments on the device, one submission each.
    Fused,
    /// [`Self::Fused`], and proof-of-work on the device.
    Grind,
    /// Everything on the device: tables stay there from commitment to the last rounds.
    #[default]
    Resident,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::Split, Self::Fused, Self::Grind, Self::Resident];

    /// Name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Fused => "fused",
            Self::Grind => "grind",
            Self::Resident => "resident",
        }
    }

    /// Whether proof-of-work is searched on the device.
    #[must_use]
    pub const fn grinds(self) -> bool {
        matches!(self, Self::Grind | Self::Resident)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No mode has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected split, fused, grind or resident, got `{0}`")]
pub struct UnknownMode(pub String);

impl core::str::FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Self, UnknownMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}
