//! `prova verkle witness`.
