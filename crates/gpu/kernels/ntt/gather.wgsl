// Copies the rows that `positions` names, one after another.
struct Params { base: u32, groups: u32, width: u32, words: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read> positions: array<u32>;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

{% include "field/grid.wgsl" %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= params.words) { return; }
    out[i] = rows[positions[i / params.width] * params.width + i % params.width];
}
