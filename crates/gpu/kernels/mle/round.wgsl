// The message of a round, sum f_0 w_0 and sum (f_1 - f_0)(w_1 - w_0) over pairs: a partial sum of
// each a workgroup, which walks 256 * steps pairs.
struct Params { base: u32, groups: u32, items: u32, steps: u32, first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> f: {{ ext_array }};
@group(0) @binding(2) var<storage, read> w: {{ ext_array }};
@group(0) @binding(3) var<storage, read_write> partials: {{ ext_array }};

{% include "field/base.wgsl" %}
{% include "field/ext.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "mle/reduce.wgsl" %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    var zero = ezero();
    var leading = ezero();
    for (var k = 0u; k < params.steps; k++) {
        let i = (group * params.steps + k) * 256u + lane;
        if (i < params.items) {
{% if order == "suffix" %}
            let a = 2u * i;
            let b = a + 1u;
{% else %}
            let a = i;
            let b = i + params.items;
{% endif %}
            let f0 = {{ load("f", "a") }};
            let f1 = {{ load("f", "b") }};
            let w0 = {{ load("w", "a") }};
            let w1 = {{ load("w", "b") }};
            zero = eadd(zero, emul(f0, w0));
            leading = eadd(leading, emul(esub(f1, f0), esub(w1, w0)));
        }
    }
    let zeros = reduce(lane, zero);
    let leadings = reduce(lane, leading);
    if (lane == 0u) {
        let at = 2u * (params.first + group);
        {{ store("partials", "at", "zeros") }}
        {{ store("partials", "at + 1u", "leadings") }}
    }
}
