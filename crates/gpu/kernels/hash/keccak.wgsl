{% with lanes = range(25) %}
// Keccak-f[1600]; a lane is its low and its high word.
struct Keccak {
{% for i in lanes %}
    s{{ i }}: vec2<u32>,
{% endfor %}
}

// Rotation of a lane to the left by 0 < n < 32; by n + 32 when its words are swapped before.
fn rotate(v: vec2<u32>, n: u32) -> vec2<u32> {
    return (v << vec2<u32>(n)) | (v.yx >> vec2<u32>(32u - n));
}

fn keccak_f(x: Keccak) -> Keccak {
{% for i in lanes %}
    var s{{ i }} = x.s{{ i }};
{% endfor %}
    for (var r = 0u; r < 24u; r++) {
{% for i in range(5) %}
        let c{{ i }} = s{{ i }} ^ s{{ i + 5 }} ^ s{{ i + 10 }} ^ s{{ i + 15 }} ^ s{{ i + 20 }};
{% endfor %}
{% for i in range(5) %}
        let d{{ i }} = c{{ (i + 4) % 5 }} ^ rotate(c{{ (i + 1) % 5 }}, 1u);
{% endfor %}
{% for i in lanes %}
{% set n = hash.rotations[i] %}
{% set to = i // 5 + 5 * ((2 * (i % 5) + 3 * (i // 5)) % 5) %}
{% if n == 0 %}
        let b{{ to }} = s{{ i }} ^ d{{ i % 5 }};
{% elif n < 32 %}
        let b{{ to }} = rotate(s{{ i }} ^ d{{ i % 5 }}, {{ n }}u);
{% else %}
        let b{{ to }} = rotate((s{{ i }} ^ d{{ i % 5 }}).yx, {{ n - 32 }}u);
{% endif %}
{% endfor %}
{% for i in lanes %}
{% set row = 5 * (i // 5) %}
        s{{ i }} = b{{ i }} ^ (~b{{ row + (i + 1) % 5 }} & b{{ row + (i + 2) % 5 }});
{% endfor %}
        s0 ^= hash_constants[r].xy;
    }
    return Keccak({% for i in lanes %}s{{ i }}{% if not loop.last %}, {% endif %}{% endfor %});
}

fn keccak_digest(s: Keccak) -> Digest {
    return Digest(vec4<u32>(s.s0, s.s1), vec4<u32>(s.s2, s.s3));
}
{% endwith %}
