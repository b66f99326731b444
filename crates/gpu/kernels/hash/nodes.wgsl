// The nodes above 2^levels others, a thread each: node i of the top level and all below it.
struct Params {
    base: u32, groups: u32, count: u32, stride: u32, levels: u32, width: u32,
    {% for k in range(outs) %}stored{{ k }}: u32, {% endfor +%}
}
@group(0) @binding(0) var<uniform> params: Params;
{% for k in range(sources) %}
@group(0) @binding({{ k + 1 }}) var<storage, {{ access }}> below{{ k }}: array<{{ "u32" if source == "rows" else "vec4<u32>" }}>;
{% endfor %}
{% for k in range(outs) %}
@group(0) @binding({{ sources + 1 + k }}) var<storage, read_write> out{{ k }}: array<vec4<u32>>;
{% endfor %}

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "hash/base.wgsl" %}

{% if source == "rows" %}
// Which quarter of the leaves a thread is at.
var<private> quarter: u32;

fn row_word(row: u32, i: u32) -> u32 {
{% if sources == 1 %}
    return below0[(quarter * params.stride + row) * params.width + i];
{% else %}
    let at = row * params.width + i;
{% for k in range(sources - 1) %}
    if (quarter == {{ k }}u) { return below{{ k }}[at]; }
{% endfor %}
    return below{{ sources - 1 }}[at];
{% endif %}
}

{% include hash.leaf %}
{% endif %}
{% include hash.node %}

// Stores node i of a level, where that level is stored.
fn store(level: u32, i: u32, d: Digest) {
{% for k in range(outs) %}
    if (level == params.stored{{ k }}) {
        out{{ k }}[2u * i] = d.a;
        out{{ k }}[2u * i + 1u] = d.b;
    }
{% endfor %}
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= params.count) { return; }
{% for l in range(depth) %}
    var left{{ l }} = Digest(vec4<u32>(0u), vec4<u32>(0u));
{% endfor %}
    // Siblings come one after the other: node t is number k, the reversal of t. A finished node
    // waits for its right neighbour at its level.
    let nodes = 1u << params.levels;
    for (var t = 0u; t < nodes; t++) {
        var k = reverseBits(t) >> (32u - params.levels);
{% if source == "rows" %}
        quarter = k;
        var d = hash_row(i);
        store(0u, i + k * params.stride, d);
{% elif source == "halves" %}
        var d = Digest(below0[2u * i], below0[2u * i + 1u]);
        if (k == 1u) { d = Digest(below1[2u * i], below1[2u * i + 1u]); }
{% else %}
        let at = 2u * (i + k * params.stride);
        var d = Digest(below0[at], below0[at + 1u]);
{% endif %}
        var level = 0u;
        while (((t >> level) & 1u) == 1u) {
            var left = left0;
{% for l in range(1, depth) %}
            if (level == {{ l }}u) { left = left{{ l }}; }
{% endfor %}
            d = compress(left, d);
            level += 1u;
            k &= (nodes >> level) - 1u;
            store(level, i + k * params.stride, d);
        }
{% for l in range(depth) %}
        if (level == {{ l }}u) { left{{ l }} = d; }
{% endfor %}
    }
}
