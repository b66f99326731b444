// Transposes a matrix of items of {{ words }} words by tiles of {{ tall }} rows and {{ wide }} columns
// of the result.
struct Params { base: u32, groups: u32, rows: u32, columns: u32, across: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

// One word of padding a line, so that lines start in different memory banks.
const LINE = {{ tall * words + 1 }}u;
var<workgroup> tile: array<u32, {{ wide * (tall * words + 1) }}>;

{% include "field/grid.wgsl" %}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id, count);
    if (group >= params.groups) { return; }
    let x0 = group / params.across * {{ tall }}u;
    let j0 = group % params.across * {{ wide }}u;
    for (var i = lane; i < {{ tall * wide * words }}u; i += 256u) {
        let j = i / {{ tall * words }}u;
        let w = i % {{ tall * words }}u;
        if (j0 + j < params.columns && x0 + w / {{ words }}u < params.rows) {
            tile[j * LINE + w] = table[((j0 + j) * params.rows + x0) * {{ words }}u + w];
        }
    }
    workgroupBarrier();
    for (var i = lane; i < {{ tall * wide * words }}u; i += 256u) {
        let x = i / {{ wide * words }}u;
        let w = i % {{ wide * words }}u;
        if (x0 + x < params.rows && j0 + w / {{ words }}u < params.columns) {
            out[((x0 + x) * params.columns + j0) * {{ words }}u + w] =
                tile[w / {{ words }}u * LINE + x * {{ words }}u + w % {{ words }}u];
        }
    }
}
