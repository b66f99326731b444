{% from "ntt/butterflies.wgsl" import butterflies %}
// {{ bits }} levels of the transform, one column of one node a thread, in registers. Neighbouring
// threads take neighbouring words of the rows.
{% if first %}
// The first pass: every coset is a node of the same message, which a thread reads once for up to
// `share` of them.
{% endif %}
struct Params {
    base: u32, groups: u32,
    // Words from one operand to the next; nodes; number of the first one.
    segment: u32, nodes: u32, first: u32,
    // Nodes a thread works on, and threads.
    share: u32, threads: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> low: array<u32>;
@group(0) @binding(2) var<storage, read> high: array<u32>;
{% if first %}
@group(0) @binding(3) var<storage, {{ access }}> message: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;
{% else %}
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
{% endif %}

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "ntt/twiddles.wgsl" %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let thread = group * 256u + lane;
    if (thread >= params.threads) { return; }
    let segment = params.segment;
    let words = segment << {{ bits }}u;
    let column = thread % segment;
    let start = thread / segment * params.share;
{% if first %}
{% for k in range(2 ** bits) %}
    let v{{ k }} = message[column + {{ k }}u * segment];
{% endfor %}
    let end = min(start + params.share, params.nodes);
    for (var n = start; n < end; n++) {
{% else %}
    let n = start;
    {
{% endif %}
        let at = n * words + column;
{% for k in range(2 ** bits) %}
        var x{{ k }} = {% if first %}v{{ k }}{% else %}out[at + {{ k }}u * segment]{% endif %};
{% endfor %}
{{ butterflies(bits, "params.first + n", deep, roots) }}
{% for k in range(2 ** bits) %}
        out[at + {{ k }}u * segment] = x{{ k }};
{% endfor %}
    }
}
