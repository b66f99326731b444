//! What the sample guests compute.
#![no_std]

extern crate alloc;

mod functions;

pub use functions::*;
