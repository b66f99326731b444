{% with %}
// The compression function of BLAKE3, truncated to the next chaining value.
const CHUNK_START: u32 = 1u;
const CHUNK_END: u32 = 2u;
const PARENT: u32 = 4u;
const ROOT: u32 = 8u;

struct Block {
{% for i in range(16) %}
    m{{ i }}: u32,
{% endfor %}
}

{% macro quarter(a, b, c, d, x, y) %}
        v{{ a }} += v{{ b }} + {{ x }};
        v{{ d }} ^= v{{ a }}; v{{ d }} = (v{{ d }} >> 16u) | (v{{ d }} << 16u);
        v{{ c }} += v{{ d }};
        v{{ b }} ^= v{{ c }}; v{{ b }} = (v{{ b }} >> 12u) | (v{{ b }} << 20u);
        v{{ a }} += v{{ b }} + {{ y }};
        v{{ d }} ^= v{{ a }}; v{{ d }} = (v{{ d }} >> 8u) | (v{{ d }} << 24u);
        v{{ c }} += v{{ d }};
        v{{ b }} ^= v{{ c }}; v{{ b }} = (v{{ b }} >> 7u) | (v{{ b }} << 25u);
{% endmacro %}
fn blake3_start() -> Digest {
    return Digest(hash_constants[0], hash_constants[1]);
}

fn blake3_block(h: Digest, block: Block, counter: u32, bytes: u32, flags: u32) -> Digest {
{% for i in range(16) %}
    var m{{ i }} = block.m{{ i }};
{% endfor %}
{% for c in ["x", "y", "z", "w"] %}
    var v{{ loop.index0 }} = h.a.{{ c }};
    var v{{ loop.index0 + 4 }} = h.b.{{ c }};
    var v{{ loop.index0 + 8 }} = hash_constants[0].{{ c }};
{% endfor %}
    var v12 = counter;
    var v13 = 0u;
    var v14 = bytes;
    var v15 = flags;
    for (var r = 0u; r < 7u; r++) {
{% for i in range(4) %}
{{ quarter(i, i + 4, i + 8, i + 12, "m" ~ (2 * i), "m" ~ (2 * i + 1)) }}
{% endfor %}
{% for i in range(4) %}
{{ quarter(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, "m" ~ (2 * i + 8), "m" ~ (2 * i + 9)) }}
{% endfor %}
{% for i in range(16) %}
        let n{{ i }} = m{{ hash.schedule[i] }};
{% endfor %}
{% for i in range(16) %}
        m{{ i }} = n{{ i }};
{% endfor %}
    }
    return Digest(
        vec4<u32>(v0 ^ v8, v1 ^ v9, v2 ^ v10, v3 ^ v11),
        vec4<u32>(v4 ^ v12, v5 ^ v13, v6 ^ v14, v7 ^ v15),
    );
}

fn blake3_pair(l: Digest, r: Digest, flags: u32) -> Digest {
    return blake3_block(blake3_start(), Block(
        l.a.x, l.a.y, l.a.z, l.a.w, l.b.x, l.b.y, l.b.z, l.b.w,
        r.a.x, r.a.y, r.a.z, r.a.w, r.b.x, r.b.y, r.b.z, r.b.w,
    ), 0u, 64u, flags);
}
{% endwith %}
