// Digests of the rows of a row-major matrix, a thread a row.
struct Params { base: u32, groups: u32, count: u32, width: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, {{ access }}> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> digests: array<vec4<u32>>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "hash/base.wgsl" %}

fn row_word(row: u32, i: u32) -> u32 {
    return rows[row * params.width + i];
}

{% include hash.leaf %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= params.count) { return; }
    let d = hash_row(i);
    digests[2u * i] = d.a;
    digests[2u * i + 1u] = d.b;
}
