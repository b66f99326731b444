// TruncatedPermutation<_, 2, 8, 16>.
fn compress(l: Digest, r: Digest) -> Digest {
    let s = permute16(State16(
        l.a.x, l.a.y, l.a.z, l.a.w, l.b.x, l.b.y, l.b.z, l.b.w,
        r.a.x, r.a.y, r.a.z, r.a.w, r.b.x, r.b.y, r.b.z, r.b.w,
    ));
    return Digest(vec4<u32>(s.s0, s.s1, s.s2, s.s3), vec4<u32>(s.s4, s.s5, s.s6, s.s7));
}
