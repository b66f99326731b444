// Parents of two stretches of nodes, position by position.
struct Params { base: u32, groups: u32, count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, {{ access }}> left: array<vec4<u32>>;
@group(0) @binding(2) var<storage, {{ access }}> right: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> parents: array<vec4<u32>>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "hash/base.wgsl" %}
{% include hash.node %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= params.count) { return; }
    let l = Digest(left[2u * i], left[2u * i + 1u]);
    let r = Digest(right[2u * i], right[2u * i + 1u]);
    let d = compress(l, r);
    parents[2u * i] = d.a;
    parents[2u * i + 1u] = d.b;
}
