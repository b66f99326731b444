// The challenge extension F[x] / (x^{{ degree }} - r(x)), coefficients lowest first.

{% if degree == 4 %}
alias Ext = vec4<u32>;
{% else %}
struct Ext { x: u32, y: u32, z: u32, w: u32, v: u32 }
{% endif %}

fn ezero() -> Ext {
    return Ext({% for limb in limbs %}0u{% if not loop.last %}, {% endif %}{% endfor %});
}

fn ebase(a: u32) -> Ext {
    return Ext(a{% for limb in limbs[1:] %}, 0u{% endfor %});
}

fn eadd(a: Ext, b: Ext) -> Ext {
    return Ext({% for l in limbs %}fadd(a.{{ l }}, b.{{ l }}){% if not loop.last %}, {% endif %}{% endfor %});
}

fn esub(a: Ext, b: Ext) -> Ext {
    return Ext({% for l in limbs %}fsub(a.{{ l }}, b.{{ l }}){% if not loop.last %}, {% endif %}{% endfor %});
}

// a * b for b in the base field.
fn escale(a: Ext, b: u32) -> Ext {
    return Ext({% for l in limbs %}fmul(a.{{ l }}, b){% if not loop.last %}, {% endif %}{% endfor %});
}

fn emul(a: Ext, b: Ext) -> Ext {
{% for k in range(2 * degree - 1) %}
    var c{{ k }} = {% set first = [0, k - degree + 1]|max %}{% set last = [k, degree - 1]|min %}{% for i in range(first, last) %}fadd({% endfor %}fmul(a.{{ limbs[first] }}, b.{{ limbs[k - first] }}){% for i in range(first + 1, last + 1) %}, fmul(a.{{ limbs[i] }}, b.{{ limbs[k - i] }})){% endfor %};
{% endfor %}
{% for k in range(2 * degree - 2, degree - 1, -1) %}
{% for r in reduction %}
{% if r == "1" %}
    c{{ k - degree + loop.index0 }} = fadd(c{{ k - degree + loop.index0 }}, c{{ k }});
{% elif r == "-1" %}
    c{{ k - degree + loop.index0 }} = fsub(c{{ k - degree + loop.index0 }}, c{{ k }});
{% elif r != "0" %}
    c{{ k - degree + loop.index0 }} = fadd(c{{ k - degree + loop.index0 }}, fmul(c{{ k }}, {{ r }}));
{% endif %}
{% endfor %}
{% endfor %}
    return Ext({% for l in limbs %}c{{ loop.index0 }}{% if not loop.last %}, {% endif %}{% endfor %});
}
