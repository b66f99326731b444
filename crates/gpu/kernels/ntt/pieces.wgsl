{% set count = 2 ** bits %}
// {{ bits }} levels of the transform across {{ count }} pieces of a matrix that have bindings of their own.
struct Params {
    base: u32, groups: u32,
    words: u32,
    // Twiddles of the node and of those below it.
{% for t in range(count - 1) %}
    s{{ t }}: u32,
{% endfor %}
}
@group(0) @binding(0) var<uniform> params: Params;
{% for k in range(count) %}
@group(0) @binding({{ k + 1 }}) var<storage, read_write> out{{ k }}: array<u32>;
{% endfor %}
{% if first %}
{% for k in range(count) %}
@group(0) @binding({{ count + k + 1 }}) var<storage, {{ access }}> message{{ k }}: array<u32>;
{% endfor %}
{% endif %}

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 256u + lane;
    if (i >= params.words) { return; }
{% for k in range(count) %}
    var x{{ k }} = {{ "message" if first else "out" }}{{ k }}[i];
{% endfor %}
{% for level in range(bits) %}
{% set half = 2 ** (bits - level - 1) %}
{% for y in range(2 ** level) %}
{% for k in range(half) %}
{% set j = 2 * y * half + k %}
    let t{{ level }}_{{ j }} = fmul(x{{ j + half }}, params.s{{ 2 ** level - 1 + y }});
    x{{ j + half }} = fsub(x{{ j }}, t{{ level }}_{{ j }});
    x{{ j }} = fadd(x{{ j }}, t{{ level }}_{{ j }});
{% endfor %}
{% endfor %}
{% endfor %}
{% for k in range(count) %}
    out{{ k }}[i] = x{{ k }};
{% endfor %}
}
