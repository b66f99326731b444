// Digests at given positions, a thread each half.
struct Params { base: u32, groups: u32, count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> digests: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> positions: array<u32>;
@group(0) @binding(3) var<storage, read_write> gathered: array<vec4<u32>>;

{% include "field/grid.wgsl" %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= 2u * params.count) { return; }
    gathered[i] = digests[2u * positions[i >> 1u] + (i & 1u)];
}
