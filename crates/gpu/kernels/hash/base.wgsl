// Digests and the permutations below them. Wants `hash`, see `Hashing::variables`, and
// field/base.wgsl before it.

struct Digest { a: vec4<u32>, b: vec4<u32> }

@group(0) @binding({{ hash.binding }}) var<uniform> hash_constants: array<vec4<u32>, {{ hash.constants }}>;

{% if hash.sbox == 7 %}
fn sbox(x: u32) -> u32 {
    let x2 = fmul(x, x);
    return fmul(fmul(x2, x), fmul(x2, x2));
}
{% elif hash.sbox == 3 %}
fn sbox(x: u32) -> u32 {
    return fmul(fmul(x, x), x);
}
{% endif %}
{% if hash.sbox > 0 %}
// x 2^-n, for factor = (p - 1) / 2^n and mask = 2^n - 1: with k = x mod 2^n, x - k p is divisible
// by 2^n, because p = 1 mod 2^n.
fn shrink(x: u32, n: u32, mask: u32, factor: u32) -> u32 {
    let r = (x >> n) - (x & mask) * factor;
    return min(r, r + P);
}

{% endif %}
{% for perm in hash.permutations %}
{% include "hash/poseidon2.wgsl" %}
{% endfor %}
{% if hash.kind == "keccak" %}
{% include "hash/keccak.wgsl" %}
{% elif hash.kind == "blake3" %}
{% include "hash/blake3.wgsl" %}
{% endif %}
