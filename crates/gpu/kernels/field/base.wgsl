// A 31-bit prime field in Montgomery form, R = 2^32: words below p in, words below p out.

const P: u32 = {{ p }}u;
const ONE: u32 = {{ one }}u;

fn fadd(a: u32, b: u32) -> u32 {
    let s = a + b;
    return min(s, s - P);
}

fn fsub(a: u32, b: u32) -> u32 {
    let d = a - b;
    return min(d, d + P);
}

fn fneg(a: u32) -> u32 {
    return select(P - a, 0u, a == 0u);
}

fn fhalve(a: u32) -> u32 {
    return (a >> 1u) + (a & 1u) * {{ half }}u;
}

{% if multiply == "m16" %}
// p = 1 mod 2^16, so the digit that makes a low half-word vanish is that half-word itself: each of
// two rounds shifts 16 bits away and subtracts digit * (p - 1) / 2^16. With b = b1 2^16 + b0 the
// first round takes a * b0, the second adds a * b1. Both intermediate values fit a signed word:
// a1, b1 <= (p - 1) / 2^16 < 2^15.
fn fmul(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let first = a1 * b0 + (low >> 16u) - (low & 0xffffu) * {{ p_high }}u;
    let cross = a0 * b1;
    let digits = (first & 0xffffu) + (cross & 0xffffu);
    let carried = bitcast<u32>(bitcast<i32>(first) >> 16u) + (cross >> 16u) + (digits >> 16u);
    let r = a1 * b1 + carried - (digits & 0xffffu) * {{ p_high }}u;
    return min(r, r + P);
}
{% elif multiply == "u64" %}
fn fmul(a: u32, b: u32) -> u32 {
    let t = u64(a) * u64(b);
    let q = u32(t) * {{ p_inverse }}u;
    let r = u32(t >> 32u) - u32((u64(q) * u64(P)) >> 32u);
    return min(r, r + P);
}
{% else %}
// Stands for the high word of a product; its body is replaced before the driver sees it.
fn mulhi(a: u32, b: u32) -> u32 {
    return a ^ b;
}

fn fmul(a: u32, b: u32) -> u32 {
    let q = (a * b) * {{ p_inverse }}u;
    let r = mulhi(a, b) - mulhi(q, P);
    return min(r, r + P);
}
{% endif %}
