//! `prova verkle tree`.
