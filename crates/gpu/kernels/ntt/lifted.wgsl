{% from "ntt/butterflies.wgsl" import butterflies %}
{% set parts = 2 ** lift %}
{% set head = stages[0] %}
{% macro at(x) %}{{ "twiddle(" ~ x ~ ")" if head.deep else "low[" ~ x ~ "]" }}{% endmacro %}
{% set word = ["u32", "vec2<u32>", "vec4<u32>"][lift] %}
// {{ lift + bits }} levels of the transform: a tile of {{ parts }} * {{ 2 ** bits }} rows by
// {{ columns }} words waits in registers, and its {{ parts }} parts take the last {{ bits }} levels
// one after another in workgroup memory of a {{ parts }}th of its size.
{% if apart %}
// The first pass: every coset is a node of the same message; a workgroup reads its tile of it once
// for up to `share` of them, and undoes the levels in registers between two.
{% endif %}
struct Params {
    base: u32, groups: u32,
    // Words from one row of a tile to the next; tiles of a node; nodes; number of the first node.
    segment: u32, chunks: u32, nodes: u32, first: u32,
    // Nodes a workgroup works on.
    share: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> low: array<u32>;
@group(0) @binding(2) var<storage, read> high: array<u32>;
{% if first %}
@group(0) @binding(3) var<storage, {{ access }}> message: array<u32>;
@group(0) @binding(4) var<storage, read_write> out: array<u32>;
{% else %}
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
{% endif %}
{% if leaves %}
@group(0) @binding({{ 5 if first else 4 }}) var<storage, read_write> digests: array<vec4<u32>>;
{% endif %}

var<workgroup> tile: array<u32, {{ 2 ** bits * columns }}>;

{% include "field/base.wgsl" %}
{% include "field/grid.wgsl" %}
{% include "ntt/twiddles.wgsl" %}
{% if leaves %}
{% include "hash/base.wgsl" %}

fn row_word(row: u32, i: u32) -> u32 {
    return tile[row * {{ columns }}u + i];
}

{% include hash.leaf %}
{% endif %}

{% if apart and lift > 0 %}
// T[x]^-1 / 2. But for T[0] = 1, T[x]^-1 = -T[x'], where 1 - rev(x) = rev(x') keeps the highest bit
// of x and flips those below.
fn half_inverse(x: u32) -> u32 {
    if (x == 0u) { return fhalve(ONE); }
    let mirror = x ^ ((1u << firstLeadingBit(x)) - 1u);
    return fneg(fhalve({{ at("mirror") }}));
}

{% endif %}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let segment = params.segment;
    let words = segment * {{ parts * 2 ** bits }}u;
    let origin = group % params.chunks * {{ columns }}u;
    let start = group / params.chunks * params.share;
    let end = min(start + params.share, params.nodes);
    let source = {% if not first %}start * words + {% endif %}origin + lane / {{ columns }}u * segment + lane % {{ columns }}u;
{% set array = "message" if first else "out" %}
{% for k in range(16) %}
    var v{{ k }} = {{ word }}({% for j in range(parts) %}{{ array }}[source + {{ j * 2 ** bits + k * head.gap }}u * segment]{% if not loop.last %}, {% endif %}{% endfor %});
{% endfor %}
{% if not first %}
    // Nobody writes to the tile's place before everybody has read.
    storageBarrier();
    workgroupBarrier();
{% endif %}
    for (var n = start; n < end; n++) {
        let root = params.first + n;
{% if lift > 0 %}
        {
            let s = {{ at("root") }};
{% if lift == 2 %}
            let l = {{ at("2u * root") }};
            let r = {{ at("2u * root + 1u") }};
{% endif %}
{% for k in range(16) %}
            {
{% if lift == 1 %}
                let t = fmul(v{{ k }}.y, s);
                v{{ k }} = vec2(fadd(v{{ k }}.x, t), fsub(v{{ k }}.x, t));
{% else %}
                let t = fmul(v{{ k }}.z, s);
                let u = fmul(v{{ k }}.w, s);
                let a = fadd(v{{ k }}.x, t);
                let c = fsub(v{{ k }}.x, t);
                let b = fmul(fadd(v{{ k }}.y, u), l);
                let d = fmul(fsub(v{{ k }}.y, u), r);
                v{{ k }} = vec4(fadd(a, b), fsub(a, b), fadd(c, d), fsub(c, d));
{% endif %}
            }
{% endfor %}
        }
{% endif %}
        for (var part = 0u; part < {{ parts }}u; part++) {
            let top = (root << {{ lift }}u) + part;
{% if lift == 0 %}
{% for k in range(16) %}
            var x{{ k }} = v{{ k }};
{% endfor %}
{% else %}
{% for k in range(16) %}
            var x{{ k }} = v{{ k }}.x;
            v{{ k }} = v{{ k }}.{{ "yx" if lift == 1 else "yzwx" }};
{% endfor %}
{% endif %}
{{ butterflies(4, "top", head.deep, roots) }}
            let place = n * words + origin + part * {{ 2 ** bits }}u * segment;
{% if head.last and not staged %}
            let at = place + lane / {{ columns }}u * segment + lane % {{ columns }}u;
{% for k in range(16) %}
            out[at + {{ k * head.gap }}u * segment] = x{{ k }};
{% endfor %}
{% else %}
{% for k in range(16) %}
            tile[lane + {{ k * head.span }}u] = x{{ k }};
{% endfor %}
            workgroupBarrier();
{% endif %}
{% for stage in stages[1:] %}
            for (var item = lane; item < {{ stage.items }}u; item += 256u) {
                let y = item / {{ stage.span }}u;
                let inside = item % {{ stage.span }}u;
                let at = y * {{ stage.span * 2 ** stage.bits }}u + inside;
                let node = (top << {{ stage.done }}u) + y;
{% for k in range(2 ** stage.bits) %}
                var x{{ k }} = tile[at + {{ k * stage.span }}u];
{% endfor %}
{{ butterflies(stage.bits, "node", stage.deep, roots) }}
{% if stage.last and not staged %}
                let row = y * {{ stage.gap * 2 ** stage.bits }}u + inside / {{ columns }}u;
                let to = place + row * segment + inside % {{ columns }}u;
{% for k in range(2 ** stage.bits) %}
                out[to + {{ k * stage.gap }}u * segment] = x{{ k }};
{% endfor %}
{% else %}
{% for k in range(2 ** stage.bits) %}
                tile[at + {{ k * stage.span }}u] = x{{ k }};
{% endfor %}
{% endif %}
            }
            workgroupBarrier();
{% endfor %}
{% if staged %}
            for (var i = lane; i < {{ 2 ** bits * columns }}u; i += 256u) { out[place + i] = tile[i]; }
{% if leaves %}
            for (var row = lane; row < {{ 2 ** bits }}u; row += 256u) {
                let d = hash_row(row);
                let to = 2u * (place / {{ columns }}u + row);
                digests[to] = d.a;
                digests[to + 1u] = d.b;
            }
{% endif %}
            workgroupBarrier();
{% endif %}
        }
{% if apart and lift > 0 %}
        // The parts have come round to their places.
        if (n + 1u < end) {
            let s = half_inverse(root);
{% if lift == 2 %}
            let l = half_inverse(2u * root);
            let r = half_inverse(2u * root + 1u);
{% endif %}
{% for k in range(16) %}
            {
{% if lift == 1 %}
                let b = fmul(fsub(v{{ k }}.x, v{{ k }}.y), s);
                v{{ k }} = vec2(fhalve(fadd(v{{ k }}.x, v{{ k }}.y)), b);
{% else %}
                let a = fhalve(fadd(v{{ k }}.x, v{{ k }}.y));
                let b = fmul(fsub(v{{ k }}.x, v{{ k }}.y), l);
                let c = fhalve(fadd(v{{ k }}.z, v{{ k }}.w));
                let d = fmul(fsub(v{{ k }}.z, v{{ k }}.w), r);
                v{{ k }} = vec4(fhalve(fadd(a, c)), fhalve(fadd(b, d)), fmul(fsub(a, c), s), fmul(fsub(b, d), s));
{% endif %}
            }
{% endfor %}
        }
{% endif %}
    }
}
