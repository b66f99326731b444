// CompressionFunctionFromHasher<Blake3, 2, 32>: one block that is a whole message.
fn compress(l: Digest, r: Digest) -> Digest {
    return blake3_pair(l, r, CHUNK_START | CHUNK_END | ROOT);
}
