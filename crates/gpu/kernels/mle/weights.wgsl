// w[to + i] {{ "=" if fresh else "+=" }} sum_c A_c[x div 64] B_c[x mod 64] for x = start + i, i < count: a matrix product
// whose columns c are select terms and, {{ degree }} columns each, equality terms. A is in the extension,
// B in the base field.
//
// A select term (e, gamma), standing for gamma g^(e x), has A = gamma g^(64 e (x div 64)) and
// B = g^(e (x mod 64)). Exponents are modulo the order of g, a power of two up to 2^32, so words may
// wrap; powers come from two tables, g^(u + v 2^s) = small[u] large[v]. Column d of an equality term
// has B = coefficient d of the eq of its low 6 coordinates, and A = X^d times the eq of the others,
// itself a product of a factor of 5 index bits and one of the rest.
//
// A workgroup makes 2048 consecutive weights, a lane 2 * 4 of them in registers; 8 columns at a time
// are in workgroup memory.
struct Params { base: u32, groups: u32, count: u32, start: u32, to: u32, selects: u32, columns: u32, mask: u32, shift: u32, small: u32, large: u32, low: u32, tops: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read> factors: {{ ext_array }};
@group(0) @binding(3) var<storage, read_write> weights: {{ ext_array }};

{% include "field/base.wgsl" %}
{% include "field/ext.wgsl" %}
{% include "field/grid.wgsl" %}

var<workgroup> a: array<Ext, 256>;
var<workgroup> b: array<u32, 512>;

fn power(exponent: u32) -> u32 {
    let e = exponent & params.mask;
    let u = e & ((1u << params.shift) - 1u);
    return fmul(words[params.small + u], words[params.large + (e >> params.shift)]);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let x0 = params.start + 2048u * group;
    let low = lane & 15u;
    let high = lane >> 4u;
{% for i in range(2) %}
{% for j in range(4) %}
    var acc_{{ i }}_{{ j }} = ezero();
{% endfor %}
{% endfor %}
    for (var c0 = 0u; c0 < params.columns; c0 += 8u) {
        let column = c0 + (lane >> 5u);
        let row = lane & 31u;
        var left = ezero();
        if (column < params.selects) {
            let gamma = {{ load("factors", "column") }};
            left = escale(gamma, power(words[column] * (x0 + 64u * row)));
        } else if (column < params.columns) {
            let term = (column - params.selects) / {{ degree }}u;
            let d = (column - params.selects) % {{ degree }}u;
            let at = params.selects + term * (params.tops + {{ 32 * degree }}u);
            let top = {{ load("factors", "at + (x0 >> 11u)") }};
            let middle = {{ load("factors", "at + params.tops + 32u * d + (((x0 >> 6u) + row) & 31u)") }};
            left = emul(top, middle);
        }
        a[lane] = left;
        for (var n = lane; n < 512u; n += 256u) {
            let column = c0 + (n >> 6u);
            let x = n & 63u;
            var right = 0u;
            if (column < params.selects) {
                right = power(words[column] * x);
            } else if (column < params.columns) {
                right = words[params.low + 64u * (column - params.selects) + ((x0 + x) & 63u)];
            }
            b[n] = right;
        }
        workgroupBarrier();
        let last = min(8u, params.columns - c0);
        for (var c = 0u; c < last; c++) {
{% for j in range(4) %}
            let b_{{ j }} = b[64u * c + low + {{ 16 * j }}u];
{% endfor %}
{% for i in range(2) %}
            let a_{{ i }} = a[32u * c + high + {{ 16 * i }}u];
{% for j in range(4) %}
            acc_{{ i }}_{{ j }} = eadd(acc_{{ i }}_{{ j }}, escale(a_{{ i }}, b_{{ j }}));
{% endfor %}
{% endfor %}
        }
        workgroupBarrier();
    }
{% for i in range(2) %}
{% for j in range(4) %}
    {
        let i = 2048u * group + 64u * (high + {{ 16 * i }}u) + low + {{ 16 * j }}u;
        if (i < params.count) {
            let at = params.to + i;
{% if fresh %}
            {{ store("weights", "at", "acc_" ~ i ~ "_" ~ j) }}
{% else %}
            let sum = eadd({{ load("weights", "at") }}, acc_{{ i }}_{{ j }});
            {{ store("weights", "at", "sum") }}
{% endif %}
        }
    }
{% endfor %}
{% endfor %}
}
