//! The `prova` command.
fn main() {}
