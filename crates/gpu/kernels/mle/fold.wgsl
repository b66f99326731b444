// out[to + x] = sum_j eq[j] f[from + x * 2^{{ fold }} + j] for rows x: {{ lanes }} lanes a row,
// {{ chunk }} consecutive words a lane, so the lanes of a workgroup read consecutive words.
struct Params { base: u32, groups: u32, rows: u32, from_word: u32, to: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> f: array<{{ "vec4<u32>" if chunk >= 4 else "u32" }}>;
@group(0) @binding(2) var<storage, read> eq: {{ ext_array }};
@group(0) @binding(3) var<storage, read_write> folded: {{ ext_array }};

{% include "field/base.wgsl" %}
{% include "field/ext.wgsl" %}
{% include "field/grid.wgsl" %}
{% if lanes > 1 %}

var<workgroup> sums: array<Ext, 256>;
{% endif %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let row = group * {{ 256 // lanes }}u + lane / {{ lanes }}u;
    let part = lane % {{ lanes }}u;
    var acc = ezero();
    if (row < params.rows) {
        let word = params.from_word + (row * {{ lanes }}u + part) * {{ chunk }}u;
        let j = part * {{ chunk }}u;
{% if chunk >= 4 %}
{% for v in range(chunk // 4) %}
        let f{{ v }} = f[word / 4u + {{ v }}u];
{% for c in range(4) %}
        acc = eadd(acc, escale({{ load("eq", "j + " ~ (4 * v + c) ~ "u") }}, f{{ v }}.{{ limbs[c] }}));
{% endfor %}
{% endfor %}
{% else %}
{% for c in range(chunk) %}
        acc = eadd(acc, escale({{ load("eq", "j + " ~ c ~ "u") }}, f[word + {{ c }}u]));
{% endfor %}
{% endif %}
    }
{% if lanes > 1 %}
    sums[lane] = acc;
    workgroupBarrier();
    for (var s = {{ lanes // 2 }}u; s > 0u; s = s >> 1u) {
        if (part < s) { sums[lane] = eadd(sums[lane], sums[lane + s]); }
        workgroupBarrier();
    }
    acc = sums[lane];
{% endif %}
    if (part == 0u && row < params.rows) {
        {{ store("folded", "params.to + row", "acc") }}
    }
}
