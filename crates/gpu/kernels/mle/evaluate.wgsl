// Partial sums of sum_b eq_p(b) f[b] for a table of extension elements,
// eq_p(b) = high[b >> s] low[b mod 2^s]; blocks as in partial.wgsl.
struct Params { base: u32, groups: u32, stripes: u32, steps: u32, blocks: u32, stride: u32, span: u32, high_first: u32, low_first: u32, table: u32, table_step: u32, low: u32, first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> f: {{ ext_array }};
@group(0) @binding(2) var<storage, read> factors: {{ ext_array }};
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
    let place = group % params.stripes * 256u + lane;
    let from_block = group / params.stripes * params.steps;
    let to_block = min(from_block + params.steps, params.blocks);
{% for p in range(points) %}
    var acc_{{ p }} = ezero();
{% endfor %}
    if (place < params.span) {
        for (var h = from_block; h < to_block; h++) {
            let value = {{ load("f", "h * params.stride + place") }};
            let at = params.table + params.high_first + h;
{% for p in range(points) %}
            let high_{{ p }} = {{ load("factors", "at + " ~ p ~ "u * params.table_step") }};
            acc_{{ p }} = eadd(acc_{{ p }}, emul(high_{{ p }}, value));
{% endfor %}
        }
        let at = params.table + params.low + params.low_first + place;
{% for p in range(points) %}
        let low_{{ p }} = {{ load("factors", "at + " ~ p ~ "u * params.table_step") }};
        acc_{{ p }} = emul(acc_{{ p }}, low_{{ p }});
{% endfor %}
    }
    let to = (params.first + group) * {{ points }}u;
{% for p in range(points) %}
    let sum_{{ p }} = reduce(lane, acc_{{ p }});
    if (lane == 0u) {
        {{ store("partials", "to + " ~ p ~ "u", "sum_" ~ p) }}
    }
{% endfor %}
}
