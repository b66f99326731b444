//! What the machine is, and what this program was compiled for.

/// Memory of the machine in bytes, as far as the system tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// All of it.
    pub total: Option<u64>,
    /// What a new process can use without swapping; a container's limit counts.
    pub available: Option<u64>,
}

/// Reads the system's own account of its memory; unknown outside Linux.
pub fn memory() -> Memory {
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: u64 = line
            .trim_start_matches(':')
            .trim()
            .strip_suffix("kB")?
            .trim()
            .parse()
            .ok()?;
        kib.checked_mul(1024)
    };
    let number = |path: &str| {
        std::fs::read_to_string(path)
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    let group_limit = number("/sys/fs/cgroup/memory.max");
    let group_free = group_limit.zip(number("/sys/fs/cgroup/memory.current"));
    let group_free = group_free.map(|(limit, used)| limit.saturating_sub(used));
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    Memory {
        total: least(field("MemTotal"), group_limit),
        available: least(field("MemAvailable"), group_free),
    }
}

/// One CPU feature that matters here.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Its name in `-C target-feature`.
    pub name: &'static str,
    /// Whether this program was compiled to rely on it.
    pub compiled: bool,
    /// Whether the CPU has it.
    pub found: bool,
}

/// The features that the kernels and the field packings choose by.
///
/// `is_x86_feature_detected!` answers for the compiler and not for the CPU when a feature is
/// enabled at compile time, so the CPU is asked directly.
#[cfg(target_arch = "x86_64")]
pub fn features() -> Vec<Feature> {
    let id = raw_cpuid::CpuId::new();
    let basic = id.get_feature_info();
    let basic = basic.as_ref();
    let extended = id.get_extended_feature_info();
    let extended = extended.as_ref();
    macro_rules! features {
        ($($source:ident $name:literal $method:ident),+ $(,)?) => {
            vec![$(Feature {
                name: $name,
                compiled: cfg!(target_feature = $name),
                found: $source.is_some_and(|info| info.$method()),
            }),+]
        };
    }
    features![
        basic "sse4.1" has_sse41,
        basic "sse4.2" has_sse42,
        basic "avx" has_avx,
        basic "fma" has_fma,
        extended "bmi1" has_bmi1,
        extended "bmi2" has_bmi2,
        extended "avx2" has_avx2,
        extended "avx512f" has_avx512f,
        extended "avx512bw" has_avx512bw,
        extended "avx512cd" has_avx512cd,
        extended "avx512dq" has_avx512dq,
        extended "avx512vl" has_avx512vl,
        extended "avx512ifma" has_avx512_ifma,
        extended "avx512vbmi" has_avx512vbmi,
        extended "gfni" has_gfni,
        extended "vaes" has_vaes,
        extended "vpclmulqdq" has_vpclmulqdq,
    ]
}

/// The features that the kernels and the field packings choose by.
#[cfg(target_arch = "aarch64")]
pub fn features() -> Vec<Feature> {
    // NEON is part of the architecture.
    let compiled = cfg!(target_feature = "neon");
    vec![Feature {
        name: "neon",
        compiled,
        found: true,
    }]
}

/// The features that the kernels and the field packings choose by.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn features() -> Vec<Feature> {
    Vec::new()
}

/// A feature this program was compiled to rely on and the CPU lacks.
///
/// Runs before anything else, on a CPU that may lack the vector instructions which the compiler
/// puts into ordinary code, so it works on registers and branches only.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn missing() -> Option<&'static str> {
    let basic = raw_cpuid::cpuid!(1);
    let extended = raw_cpuid::cpuid!(7, 0);
    macro_rules! require {
        ($($name:literal $leaf:ident.$register:ident $bit:literal),+ $(,)?) => {
            $(if cfg!(target_feature = $name) && $leaf.$register >> $bit & 1 == 0 {
                return Some($name);
            })+
        };
    }
    require!(
        "sse4.1" basic.ecx 19,
        "sse4.2" basic.ecx 20,
        "fma" basic.ecx 12,
        "avx" basic.ecx 28,
        "bmi1" extended.ebx 3,
        "avx2" extended.ebx 5,
        "bmi2" extended.ebx 8,
        "avx512f" extended.ebx 16,
        "avx512dq" extended.ebx 17,
        "avx512ifma" extended.ebx 21,
        "avx512cd" extended.ebx 28,
        "avx512bw" extended.ebx 30,
        "avx512vl" extended.ebx 31,
        "avx512vbmi" extended.ecx 1,
        "gfni" extended.ecx 8,
        "vaes" extended.ecx 9,
        "vpclmulqdq" extended.ecx 10,
    );
    None
}

/// A feature this program was compiled to rely on and the CPU lacks: none but the architecture's
/// own are asked for.
#[cfg(not(target_arch = "x86_64"))]
pub fn missing() -> Option<&'static str> {
    None
}

/// The width of vectors this program was compiled for.
pub const fn compiled_simd() -> &'static str {
    if cfg!(all(target_arch = "x86_64", target_feature = "avx512f")) {
        "AVX-512"
    } else if cfg!(all(target_arch = "x86_64", target_feature = "avx2")) {
        "AVX2"
    } else if cfg!(all(target_arch = "aarch64", target_feature = "neon")) {
        "NEON"
    } else {
        "none"
    }
}

/// The best of [`compiled_simd`]'s answers that this CPU can do.
pub fn possible_simd() -> &'static str {
    let features = features();
    let found = |name: &str| features.iter().any(|f| f.name == name && f.found);
    if found("avx512f") {
        "AVX-512"
    } else if found("avx2") {
        "AVX2"
    } else if found("neon") {
        "NEON"
    } else {
        "none"
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_runs_what_was_compiled_for_it() {
        assert_eq!(super::missing(), None);
        for feature in super::features() {
            assert!(feature.found || !feature.compiled, "{}", feature.name);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_known() {
        let memory = super::memory();
        assert!(memory.total.is_some_and(|total| total > 0));
        assert!(memory.available <= memory.total);
    }
}
