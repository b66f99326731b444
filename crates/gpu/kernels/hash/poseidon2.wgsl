{% with w = perm.width, quads = perm.width // 4 %}
{% macro linear(quads) %}
{% for q in range(quads) %}
{% set i = 4 * q %}
    // (2, 3, 1, 1), circulant.
    let l{{ q }} = fadd(s{{ i }}, s{{ i + 1 }});
    let h{{ q }} = fadd(s{{ i + 2 }}, s{{ i + 3 }});
    let all{{ q }} = fadd(l{{ q }}, h{{ q }});
    let low{{ q }} = fadd(all{{ q }}, s{{ i + 1 }});
    let high{{ q }} = fadd(all{{ q }}, s{{ i + 3 }});
    let x{{ i }} = fadd(low{{ q }}, l{{ q }});
    let x{{ i + 1 }} = fadd(low{{ q }}, fadd(s{{ i + 2 }}, s{{ i + 2 }}));
    let x{{ i + 2 }} = fadd(high{{ q }}, h{{ q }});
    let x{{ i + 3 }} = fadd(high{{ q }}, fadd(s{{ i }}, s{{ i }}));
{% endfor %}
{% for j in range(4) %}
    let sum{{ j }} = {% for q in range(quads - 1) %}fadd({% endfor %}x{{ j }}{% for q in range(1, quads) %}, x{{ 4 * q + j }}){% endfor %};
{% endfor %}
{% for i in range(4 * quads) %}
    s{{ i }} = fadd(x{{ i }}, sum{{ i % 4 }});
{% endfor %}
{% endmacro %}
// Poseidon2 of width {{ w }}: {{ perm.internal }} internal rounds between two times four external ones.
struct State{{ w }} {
{% for i in range(w) %}
    s{{ i }}: u32,
{% endfor %}
}

fn permute{{ w }}(x: State{{ w }}) -> State{{ w }} {
{% for i in range(w) %}
    var s{{ i }} = x.s{{ i }};
{% endfor %}
    {
{{ linear(quads) }}
    }
    for (var r = 0u; r < 8u; r++) {
        if (r == 4u) {
            for (var k = 0u; k < {{ perm.internal }}u; k++) {
                let part = {% for i in range(2, w) %}fadd({% endfor %}s1{% for i in range(2, w) %}, s{{ i }}){% endfor %};
                s0 = sbox(fadd(s0, hash_constants[{{ perm.first_internal }}u + k].x));
                let sum = fadd(part, s0);
                s0 = fsub(part, s0);
{% for d in perm.diagonal %}
{% set s = "s" ~ (loop.index0 + 1) %}
{% if d.kind == "small" %}
{% if d.n == 1 %}
                {{ s }} = fadd(sum, {{ s }});
{% elif d.n == 2 %}
                {{ s }} = fadd(sum, fadd({{ s }}, {{ s }}));
{% elif d.n == 3 %}
                {{ s }} = fadd(sum, fadd(fadd({{ s }}, {{ s }}), {{ s }}));
{% elif d.n == 4 %}
                { let d = fadd({{ s }}, {{ s }}); {{ s }} = fadd(sum, fadd(d, d)); }
{% elif d.n == -3 %}
                {{ s }} = fsub(sum, fadd(fadd({{ s }}, {{ s }}), {{ s }}));
{% elif d.n == -4 %}
                { let d = fadd({{ s }}, {{ s }}); {{ s }} = fsub(sum, fadd(d, d)); }
{% endif %}
{% else %}
                {{ s }} = {{ d.kind }}(sum, {% if d.n == 1 %}fhalve({{ s }}){% else %}shrink({{ s }}, {{ d.n }}u, {{ d.mask }}u, {{ d.factor }}u){% endif %});
{% endif %}
{% endfor %}
            }
        }
{% for q in range(quads) %}
        let c{{ q }} = hash_constants[{{ perm.first_external }}u + {{ quads }}u * r + {{ q }}u];
{% for c in ["x", "y", "z", "w"] %}
        s{{ 4 * q + loop.index0 }} = sbox(fadd(s{{ 4 * q + loop.index0 }}, c{{ q }}.{{ c }}));
{% endfor %}
{% endfor %}
{{ linear(quads) }}
    }
    return State{{ w }}({% for i in range(w) %}s{{ i }}{% if not loop.last %}, {% endif %}{% endfor %});
}
{% endwith %}
