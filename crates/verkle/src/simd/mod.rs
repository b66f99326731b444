//! Kernels for x86-64 CPUs with AVX-512 IFMA: eight field elements or points at a time.
//!
//! Nothing here may run before [`Arm::Ifma`](crate::Arm::Ifma) was found available. Functions are
//! marked with the target features they need, so only their entry points are unsafe to call.

mod character;
pub(crate) mod decode;
pub(crate) mod field;
#[cfg(feature = "prove")]
pub(crate) mod mac;
#[cfg(feature = "prove")]
pub(crate) mod quotient;
