//! The permutation behind the stand-in for `tiny-keccak`.

/// Keccak-f[1600] for `tiny-keccak`: the system call with the feature `keccak-call`, else computed.
#[unsafe(no_mangle)]
extern "Rust" fn prova_stock_keccak_f(state: &mut [u64; 25]) {
    #[cfg(feature = "keccak-call")]
    crate::sys::keccak_f(state);
    #[cfg(not(feature = "keccak-call"))]
    keccak::f1600(state);
}
