// SerializingHasher<PaddingFreeSponge<KeccakF, 25, 17, 4>>: two words of the row make a lane, low
// word first; a block that is not full leaves the rest of the rate as it was.
fn hash_row(row: u32) -> Digest {
    let width = {{ hash.width }};
    var s = Keccak({% for i in range(25) %}vec2<u32>(0u){% if not loop.last %}, {% endif %}{% endfor %});
    for (var base = 0u; base < width; base += 34u) {
        if (base + 34u <= width) {
{% for i in range(17) %}
            s.s{{ i }} = vec2<u32>(row_word(row, base + {{ 2 * i }}u), row_word(row, base + {{ 2 * i + 1 }}u));
{% endfor %}
        } else {
{% for i in range(17) %}
            if (base + {{ 2 * i }}u < width) {
                s.s{{ i }} = vec2<u32>(row_word(row, base + {{ 2 * i }}u), 0u);
{% if i < 16 %}
                if (base + {{ 2 * i + 1 }}u < width) { s.s{{ i }}.y = row_word(row, base + {{ 2 * i + 1 }}u); }
{% endif %}
            }
{% endfor %}
        }
        s = keccak_f(s);
    }
    return keccak_digest(s);
}
