// CompressionFunctionFromHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>, 2, 4>.
fn compress(l: Digest, r: Digest) -> Digest {
    return keccak_digest(keccak_f(Keccak(
        l.a.xy, l.a.zw, l.b.xy, l.b.zw, r.a.xy, r.a.zw, r.b.xy, r.b.zw,
        {% for i in range(17) %}vec2<u32>(0u){% if not loop.last %}, {% endif %}{% endfor %},
    )));
}
