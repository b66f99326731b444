// Linear index of a workgroup; a dispatch may be a part of a larger one, and two-dimensional.
fn group_index(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return params.base + id.x + id.y * count.x;
}
