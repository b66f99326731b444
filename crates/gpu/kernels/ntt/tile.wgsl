{% from "ntt/butterflies.wgsl" import butterflies %}
// {{ bits }} levels of the transform on tiles in workgroup memory. A unit is the rows of one node,
// `segment` words apart, times {{ columns }} neighbouring words; a workgroup takes {{ units }}.
struct Params {
    base: u32, groups: u32,
    // Words from one row of a unit to the next; units of a node; nodes; number of the first node.
    segment: u32, chunks: u32, nodes: u32, first: u32,
    share: u32,
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
{% if leaves %}
@group(0) @binding({{ 5 if first else 4 }}) var<storage, read_write> digests: array<vec4<u32>>;
{% endif %}

var<workgroup> tile: array<u32, {{ units * 2 ** bits * columns }}>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "ntt/twiddles.wgsl" %}
{% if leaves %}
{% include "hash/base.wgsl" %}

fn row_word(row: u32, i: u32) -> u32 {
    return tile[row * {{ columns }}u + i];
}

{% include hash.leaf %}
{% endif %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let segment = params.segment;
    let words = segment << {{ bits }}u;
    let all = params.nodes * params.chunks;
{% for stage in stages %}
    for (var item = lane; item < {{ units * stage.items }}u; item += 256u) {
        let block = item / {{ stage.span }}u;
        let inside = item % {{ stage.span }}u;
        let unit = group * {{ units }}u + (block >> {{ stage.done }}u);
        if (unit < all) {
            let y = block & {{ 2 ** stage.done - 1 }}u;
            let node = ((params.first + unit / params.chunks) << {{ stage.done }}u) + y;
            let at = block * {{ stage.span * 2 ** stage.bits }}u + inside;
            let row = y * {{ stage.gap * 2 ** stage.bits }}u + inside / {{ columns }}u;
            let place = unit % params.chunks * {{ columns }}u + row * segment + inside % {{ columns }}u;
{% for k in range(2 ** stage.bits) %}
{% if stage.first %}
            var x{{ k }} = {% if first %}message[place + {{ k * stage.gap }}u * segment]{% else %}out[unit / params.chunks * words + place + {{ k * stage.gap }}u * segment]{% endif %};
{% else %}
            var x{{ k }} = tile[at + {{ k * stage.span }}u];
{% endif %}
{% endfor %}
{{ butterflies(stage.bits, "node", stage.deep, roots) }}
{% for k in range(2 ** stage.bits) %}
{% if stage.last and not staged %}
            out[unit / params.chunks * words + place + {{ k * stage.gap }}u * segment] = x{{ k }};
{% else %}
            tile[at + {{ k * stage.span }}u] = x{{ k }};
{% endif %}
{% endfor %}
        }
    }
{% if not stage.last or staged %}
    workgroupBarrier();
{% endif %}
{% endfor %}
{% if staged %}
    // Whole rows of neighbouring units: one stretch of the codeword.
    let origin = group * {{ units * 2 ** bits * columns }}u;
    let length = min(all * {{ 2 ** bits * columns }}u - origin, {{ units * 2 ** bits * columns }}u);
    for (var i = lane; i < length; i += 256u) { out[origin + i] = tile[i]; }
{% endif %}
{% if leaves %}
    let height = length / {{ columns }}u;
    for (var row = lane; row < height; row += 256u) {
        let d = hash_row(row);
        let to = 2u * (origin / {{ columns }}u + row);
        digests[to] = d.a;
        digests[to + 1u] = d.b;
    }
{% endif %}
}
