//! The adapters of this machine, for `prova info`.

use serde_json::{Value, json};

use super::report::adapter_line;
use crate::front::AdapterInfo;
use crate::memsize::MemSize;

/// The adapters, the one that is used by default first; a line for each of its sides.
pub fn text(adapters: &[AdapterInfo]) -> String {
    if adapters.is_empty() {
        return "none found".to_string();
    }
    let list: Vec<String> = adapters.iter().map(adapter).collect();
    list.join("\n")
}

fn adapter(info: &AdapterInfo) -> String {
    let (least, most) = info.subgroup_sizes;
    let subgroups = if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    };
    let features = if info.features.is_empty() {
        "none".to_string()
    } else {
        info.features.join(" ")
    };
    format!(
        "{}\n  binding {}, buffer {}, workgroup memory {}, {} invocations, {} storage buffers, \
         subgroups of {subgroups}\n  features {features}",
        adapter_line(info),
        MemSize(info.max_binding_bytes),
        MemSize(info.max_buffer_bytes),
        MemSize(u64::from(info.workgroup_bytes)),
        info.workgroup_invocations,
        info.storage_buffers,
    )
}

/// The same as JSON.
pub fn json(adapters: &[AdapterInfo]) -> Value {
    adapters
        .iter()
        .map(|info| {
            json!({
                "name": info.name,
                "api": info.backend,
                "kind": info.kind,
                "driver": info.driver,
                "max_binding_bytes": info.max_binding_bytes,
                "max_buffer_bytes": info.max_buffer_bytes,
                "workgroup_bytes": info.workgroup_bytes,
                "workgroup_invocations": info.workgroup_invocations,
                "storage_buffers": info.storage_buffers,
                "subgroup_sizes": [info.subgroup_sizes.0, info.subgroup_sizes.1],
                "features": info.features,
            })
        })
        .collect()
}
