// Moves items of `words` words: the item at `moves[2i]` of the source becomes item `moves[2i + 1]`
// of the target.
struct Params { base: u32, groups: u32, count: u32, words: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read> moves: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<u32>;

{% include "field/grid.wgsl" %}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let i = group * 64u + lane;
    let item = i / params.words;
    if (item >= params.count) { return; }
    let word = i - item * params.words;
    result[moves[2u * item + 1u] * params.words + word] =
        source[moves[2u * item] * params.words + word];
}
