// Dependent products: times a multiplication, and tests all operations on pairs.
struct Params { base: u32, groups: u32, count: u32, rounds: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> left: array<u32>;
@group(0) @binding(2) var<storage, read> right: array<u32>;
@group(0) @binding(3) var<storage, read_write> products: array<u32>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    if (i >= params.count) { return; }
    var x = left[i];
    let y = right[i];
    for (var k = 0u; k < params.rounds; k++) { x = fmul(x, y); }
    products[i] = x;
}
