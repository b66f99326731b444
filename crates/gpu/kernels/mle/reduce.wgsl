// Sums over the lanes of a workgroup that agree modulo {{ stop }}; lane l < {{ stop }} gets its own
// class. Called by all lanes together.
{% if stop <= 128 %}
var<workgroup> sums: array<Ext, 128>;
{% endif %}

fn reduce(lane: u32, value: Ext) -> Ext {
{% if stop > 128 %}
    return value;
{% else %}
    // Earlier readers are done.
    workgroupBarrier();
    if (lane >= 128u) { sums[lane - 128u] = value; }
    workgroupBarrier();
    if (lane < 128u) { sums[lane] = eadd(sums[lane], value); }
    workgroupBarrier();
    for (var s = 64u; s >= {{ stop }}u; s = s >> 1u) {
        if (lane < s) { sums[lane] = eadd(sums[lane], sums[lane + s]); }
        workgroupBarrier();
    }
    return sums[lane & 127u];
{% endif %}
}
