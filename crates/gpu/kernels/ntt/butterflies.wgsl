{# `bits` levels of the transform tree below `node` on the words x0, x1, ... of one column: block k
   of the node's polynomial in x{k}. A node reduces modulo X^2h - s^2; its halves, modulo X^h - s
   and X^h + s, take a + s b and a - s b, with s = T[node]; node x at one level has the nodes 2x and
   2x + 1 below it. `deep` where T is beyond the low table: then T[x 2^j + y] = T[x 2^j] T[y], and
   T[2x]^2 = T[x]. #}
{% macro butterflies(bits, node, deep, roots) %}
            {
{% if deep %}
                let u{{ bits - 1 }} = twiddle(({{ node }}) << {{ bits - 1 }}u);
{% for level in range(bits - 2, -1, -1) %}
                let u{{ level }} = fmul(u{{ level + 1 }}, u{{ level + 1 }});
{% endfor %}
{% endif %}
{% for level in range(bits) %}
{% set half = 2 ** (bits - level - 1) %}
{% for y in range(2 ** level) %}
                {
{% if not deep %}
                    let s = low[(({{ node }}) << {{ level }}u) + {{ y }}u];
{% elif y == 0 %}
                    let s = u{{ level }};
{% else %}
                    let s = fmul(u{{ level }}, {{ roots[y] }}u);
{% endif %}
{% for k in range(half) %}
{% set i = 2 * y * half + k %}
                    let t{{ k }} = fmul(x{{ i + half }}, s);
                    x{{ i + half }} = fsub(x{{ i }}, t{{ k }});
                    x{{ i }} = fadd(x{{ i }}, t{{ k }});
{% endfor %}
                }
{% endfor %}
{% endfor %}
            }
{% endmacro %}
