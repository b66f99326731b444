// Partial sums of g_p[j] = sum_x eq_p(x) f[x * 2^{{ fold }} + j], eq_p(x) = high[x >> b] low[x mod 2^b].
//
// A lane keeps its place in the blocks of 2^b rows and walks over blocks: the high factor is the
// same for a whole workgroup, the low factor is applied once at the end. {{ width }} consecutive
// words a lane. `stride` is the distance of two blocks of the piece, `span` the words of a block
// that are in the piece, `low_first` the first of them.
struct Params { base: u32, groups: u32, stripes: u32, steps: u32, blocks: u32, stride: u32, span: u32, high_first: u32, low_first: u32, table: u32, table_step: u32, low: u32, first: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> f: array<{{ ["", "u32", "vec2<u32>", "", "vec4<u32>"][width] }}>;
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
    let place = (group % params.stripes * 256u + lane) * {{ width }}u;
    let from_block = group / params.stripes * params.steps;
    let to_block = min(from_block + params.steps, params.blocks);
{% for p in range(points) %}
{% for c in range(width) %}
    var acc_{{ p }}_{{ c }} = ezero();
{% endfor %}
{% endfor %}
    if (place < params.span) {
        for (var h = from_block; h < to_block; h++) {
            let value = f[(h * params.stride + place) / {{ width }}u];
            let at = params.table + params.high_first + h;
{% for p in range(points) %}
            let high_{{ p }} = {{ load("factors", "at + " ~ p ~ "u * params.table_step") }};
{% for c in range(width) %}
            acc_{{ p }}_{{ c }} = eadd(acc_{{ p }}_{{ c }}, escale(high_{{ p }}, value{% if width > 1 %}.{{ limbs[c] }}{% endif %}));
{% endfor %}
{% endfor %}
        }
        let at = params.table + params.low + ((params.low_first + place) >> {{ fold }}u);
{% for p in range(points) %}
        let low_{{ p }} = {{ load("factors", "at + " ~ p ~ "u * params.table_step") }};
{% for c in range(width) %}
        acc_{{ p }}_{{ c }} = emul(acc_{{ p }}_{{ c }}, low_{{ p }});
{% endfor %}
{% endfor %}
    }
    let to = (params.first + group) * {{ points * 2 ** fold }}u + lane * {{ width }}u;
{% for p in range(points) %}
{% for c in range(width) %}
    let sum_{{ p }}_{{ c }} = reduce(lane, acc_{{ p }}_{{ c }});
    if (lane < {{ stop }}u) {
        {{ store("partials", "to + " ~ (p * 2 ** fold + c) ~ "u", "sum_" ~ p ~ "_" ~ c) }}
    }
{% endfor %}
{% endfor %}
}
