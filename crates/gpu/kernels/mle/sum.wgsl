// out[first + i] = sum over g < count of partials[g * width + i]: a workgroup an output.
struct Params { base: u32, groups: u32, count: u32, width: u32, first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partials: {{ ext_array }};
@group(0) @binding(2) var<storage, read_write> totals: {{ ext_array }};

{% include "field/base.wgsl" %}
{% include "field/ext.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "mle/reduce.wgsl" %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    var acc = ezero();
    for (var g = lane; g < params.count; g += 256u) {
        acc = eadd(acc, {{ load("partials", "g * params.width + group") }});
    }
    let total = reduce(lane, acc);
    if (lane == 0u) {
        {{ store("totals", "params.first + group", "total") }}
    }
}
