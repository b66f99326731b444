// Proof-of-work: a thread a candidate, the smallest that passes wins.
struct Params { base: u32, groups: u32, first: u32, end: u32, slot: u32, mask: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<uniform> start: array<vec4<u32>, 4>;
@group(0) @binding(2) var<storage, read_write> best: atomic<u32>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "hash/base.wgsl" %}

// The word whose low bits decide, for a witness in Montgomery form.
fn trial(witness: u32) -> u32 {
{% if hash.kind == "poseidon2" %}
    var s = State16(
{% for q in range(4) %}
        start[{{ q }}].x, start[{{ q }}].y, start[{{ q }}].z, start[{{ q }}].w,
{% endfor %}
    );
{% for i in range(16) %}
    if (params.slot == {{ i }}u) { s.s{{ i }} = witness; }
{% endfor %}
    return fmul(permute16(s).s7, 1u);
{% else %}
    // Samples are taken from the digest's end.
    let l = Digest(start[0], start[1]);
{% if hash.kind == "keccak" %}
    // Keccak-256 of 36 bytes: padded by one bit, and by one at the end of the block of 17 lanes.
    let last = keccak_f(Keccak(
        l.a.xy, l.a.zw, l.b.xy, l.b.zw, vec2<u32>(witness, 1u),
        {% for i in range(11) %}vec2<u32>(0u), {% endfor +%}
        vec2<u32>(0u, 0x80000000u),
        {% for i in range(8) %}vec2<u32>(0u){% if not loop.last %}, {% endif %}{% endfor %},
    )).s3.y;
{% else %}
    let last = blake3_block(blake3_start(), Block(
        l.a.x, l.a.y, l.a.z, l.a.w, l.b.x, l.b.y, l.b.z, l.b.w,
        witness, 0u, 0u, 0u, 0u, 0u, 0u, 0u,
    ), 0u, 36u, CHUNK_START | CHUNK_END | ROOT).b.w;
{% endif %}
    let swapped = ((last & 0x00ff00ffu) << 8u) | ((last >> 8u) & 0x00ff00ffu);
    return (swapped << 16u) | (swapped >> 16u);
{% endif %}
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let witness = params.first + group * 64u + lane;
    // What a smaller candidate has already settled is not tried.
    if (witness >= params.end || atomicLoad(&best) < witness) { return; }
    if ((trial(fmul(witness, {{ square }}u)) & params.mask) == 0u) {
        atomicMin(&best, witness);
    }
}
