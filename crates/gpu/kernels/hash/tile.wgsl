// Several levels above those nodes whose number is one of a run of neighbours modulo a stride, a
// workgroup a run.
struct Params {
    base: u32, groups: u32, stride: u32, run: u32, levels: u32,
    {% for k in range(outs) %}stored{{ k }}: u32, {% endfor +%}
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, {{ access }}> below: array<vec4<u32>>;
{% for k in range(outs) %}
@group(0) @binding({{ k + 2 }}) var<storage, read_write> out{{ k }}: array<vec4<u32>>;
{% endfor %}

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "hash/base.wgsl" %}
{% include hash.node %}

// The level at hand, its first half overwritten by the next one.
var<workgroup> tile: array<vec4<u32>, {{ 2 * first }}>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    // Node x of the tile, on every level: run neighbours, then the next run a stride away.
    let corner = group * params.run;
    for (var level = 1u; level <= params.levels; level++) {
        let half = params.run << (params.levels - level);
        for (var x = lane; x < half; x += 256u) {
            let at = 2u * (corner + x % params.run + x / params.run * params.stride);
            let y = x + half;
            var l: Digest;
            var r: Digest;
            if (level == 1u) {
                let other = 2u * (corner + y % params.run + y / params.run * params.stride);
                l = Digest(below[at], below[at + 1u]);
                r = Digest(below[other], below[other + 1u]);
            } else {
                l = Digest(tile[2u * x], tile[2u * x + 1u]);
                r = Digest(tile[2u * y], tile[2u * y + 1u]);
            }
            let d = compress(l, r);
            tile[2u * x] = d.a;
            tile[2u * x + 1u] = d.b;
{% for k in range(outs) %}
            if (level == params.stored{{ k }}) { out{{ k }}[at] = d.a; out{{ k }}[at + 1u] = d.b; }
{% endfor %}
        }
        workgroupBarrier();
    }
}
