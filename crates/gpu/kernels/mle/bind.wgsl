// Binds a variable of two tables to r: t = low + r (high - low).
{% if measure %}
// A lane makes a pair of outputs of each table, and so measures the next round's message on the way.
{% endif %}
struct Params { base: u32, groups: u32, items: u32, steps: u32, first: u32, to: u32, {% for l in limbs %}r_{{ l }}: u32{% if not loop.last %}, {% endif %}{% endfor %} }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> f: {{ ext_array }};
@group(0) @binding(2) var<storage, read> w: {{ ext_array }};
@group(0) @binding(3) var<storage, read_write> f_out: {{ ext_array }};
@group(0) @binding(4) var<storage, read_write> w_out: {{ ext_array }};
{% if measure %}
@group(0) @binding(5) var<storage, read_write> partials: {{ ext_array }};
{% endif %}

{% include "field/base.wgsl" %}
{% include "field/ext.wgsl" %}
{% include "field/grid.wgsl" %}
{% if measure %}
{% include "mle/reduce.wgsl" %}
{% endif %}

fn line(r: Ext, low: Ext, high: Ext) -> Ext {
    return eadd(low, emul(r, esub(high, low)));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let r = Ext({% for l in limbs %}params.r_{{ l }}{% if not loop.last %}, {% endif %}{% endfor %});
{% if measure %}
    var zero = ezero();
    var leading = ezero();
{% endif %}
    for (var k = 0u; k < params.steps; k++) {
        let i = (group * params.steps + k) * 256u + lane;
        if (i < params.items) {
{% if measure %}
{% if order == "suffix" %}
            let a = 4u * i;
            let b = a + 1u;
            let c = a + 2u;
            let d = a + 3u;
            let out0 = params.to + 2u * i;
            let out1 = out0 + 1u;
{% else %}
            let a = i;
            let b = i + 2u * params.items;
            let c = i + params.items;
            let d = i + 3u * params.items;
            let out0 = params.to + i;
            let out1 = out0 + params.items;
{% endif %}
{% for t in ["f", "w"] %}
            let {{ t }}0 = line(r, {{ load(t, "a") }}, {{ load(t, "b") }});
            let {{ t }}1 = line(r, {{ load(t, "c") }}, {{ load(t, "d") }});
            {{ store(t ~ "_out", "out0", t ~ "0") }}
            {{ store(t ~ "_out", "out1", t ~ "1") }}
{% endfor %}
            zero = eadd(zero, emul(f0, w0));
            leading = eadd(leading, emul(esub(f1, f0), esub(w1, w0)));
{% else %}
{% if order == "suffix" %}
            let a = 2u * i;
            let b = a + 1u;
{% else %}
            let a = i;
            let b = i + params.items;
{% endif %}
            let out0 = params.to + i;
{% for t in ["f", "w"] %}
            let {{ t }}0 = line(r, {{ load(t, "a") }}, {{ load(t, "b") }});
            {{ store(t ~ "_out", "out0", t ~ "0") }}
{% endfor %}
{% endif %}
        }
    }
{% if measure %}
    let zeros = reduce(lane, zero);
    let leadings = reduce(lane, leading);
    if (lane == 0u) {
        let at = 2u * (params.first + group);
        {{ store("partials", "at", "zeros") }}
        {{ store("partials", "at + 1u", "leadings") }}
    }
{% endif %}
}
