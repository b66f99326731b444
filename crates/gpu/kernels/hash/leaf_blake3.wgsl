{% with depth = hash.depth %}
// SerializingHasher<Blake3> of the words of a row: chunks of 256 words, up to {{ 2 ** depth }} of them.
fn hash_row(row: u32) -> Digest {
    let width = {{ hash.width }};
    let last = (width - 1u) / 256u;
    var h = blake3_start();
{% for level in range(depth) %}
    var left{{ level }} = h;
{% endfor %}
    for (var chunk = 0u; chunk <= last; chunk++) {
        let first = 256u * chunk;
        let end = min(first + 256u, width);
        h = blake3_start();
        for (var base = first; base < end; base += 16u) {
            var m = Block({% for i in range(16) %}0u{% if not loop.last %}, {% endif %}{% endfor %});
            if (base + 16u <= end) {
{% for i in range(16) %}
                m.m{{ i }} = row_word(row, base + {{ i }}u);
{% endfor %}
            } else {
{% for i in range(15) %}
                if (base + {{ i }}u < end) { m.m{{ i }} = row_word(row, base + {{ i }}u); }
{% endfor %}
            }
            var flags = 0u;
            if (base == first) { flags |= CHUNK_START; }
            if (base + 16u >= end) { flags |= select(CHUNK_END, CHUNK_END | ROOT, last == 0u); }
            h = blake3_block(h, m, chunk, 4u * min(16u, end - base), flags);
        }
{% if depth > 0 %}
        // Chunk number t completes the subtrees whose bits in t are trailing ones; what waits for a
        // right neighbour waits at its level. The last chunk takes in all that waits.
        for (var level = 0u; level < {{ depth }}u; level++) {
            if (((chunk >> level) & 1u) == 1u) {
                var left = left0;
{% for l in range(1, depth) %}
                if (level == {{ l }}u) { left = left{{ l }}; }
{% endfor %}
                let root = chunk == last && (chunk >> level) == 1u;
                h = blake3_pair(left, h, select(PARENT, PARENT | ROOT, root));
            } else if (chunk != last) {
{% for l in range(depth) %}
                if (level == {{ l }}u) { left{{ l }} = h; }
{% endfor %}
                break;
            }
        }
{% endif %}
    }
    return h;
}
{% endwith %}
