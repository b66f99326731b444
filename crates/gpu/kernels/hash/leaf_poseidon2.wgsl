{% with w = hash.leaf_width, rate = hash.leaf_width - 8 %}
// PaddingFreeSponge<_, {{ w }}, {{ rate }}, 8> of the words of a row. A block that is not full leaves the rest
// of the rate as it was.
fn hash_row(row: u32) -> Digest {
    let width = {{ hash.width }};
    var s = State{{ w }}({% for i in range(w) %}0u{% if not loop.last %}, {% endif %}{% endfor %});
    for (var base = 0u; base < width; base += {{ rate }}u) {
        if (base + {{ rate }}u <= width) {
{% for i in range(rate) %}
            s.s{{ i }} = row_word(row, base + {{ i }}u);
{% endfor %}
        } else {
{% for i in range(rate - 1) %}
            if (base + {{ i }}u < width) { s.s{{ i }} = row_word(row, base + {{ i }}u); }
{% endfor %}
        }
        s = permute{{ w }}(s);
    }
    return Digest(vec4<u32>(s.s0, s.s1, s.s2, s.s3), vec4<u32>(s.s4, s.s5, s.s6, s.s7));
}
{% endwith %}
