//! Kernels whose high products are the machine's own.
//!
//! WGSL has no high word of a product. Such a kernel calls `mulhi`, whose body stands in for it;
//! here the compiled SPIR-V gets `OpUMulExtended` in its place and goes to the driver as it is.

use std::borrow::Cow;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::device::{Gpu, Real};
use crate::kernel::Kernel;

const OP_NAME: u32 = 5;
const OP_TYPE_STRUCT: u32 = 30;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_END: u32 = 56;
const OP_COMPOSITE_EXTRACT: u32 = 81;
const OP_U_MUL_EXTENDED: u32 = 151;
const OP_BITWISE_XOR: u32 = 198;
/// Words before the first instruction; the fourth bounds all ids.
const HEADER: usize = 5;
const BOUND: usize = 3;

/// The module of a native kernel, where the device takes SPIR-V. `None` for other kernels; also
/// when the text does not compile, so that the ordinary path reports why.
pub(crate) fn module(gpu: &Gpu, real: &Real, kernel: &Kernel) -> Option<wgpu::ShaderModule> {
    if !kernel.is_native() || !gpu.has_spirv_passthrough() {
        return None;
    }
    let spirv = spirv(kernel.wgsl()).ok()?;
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(kernel.label()),
        entry_points: Cow::Owned(vec![wgpu::PassthroughShaderEntryPoint {
            name: Cow::Borrowed("main"),
            workgroup_size: (0, 0, 0),
        }]),
        spirv: Some(Cow::Owned(spirv)),
        ..Default::default()
    };
    // SAFETY: the module is naga's translation of a validated kernel, with one function's body
    // replaced by another of the same type; as with every kernel, accesses are guarded in its text.
    Some(unsafe { real.device.create_shader_module_passthrough(descriptor) })
}

/// SPIR-V of a kernel's text, `mulhi` replaced.
///
/// # Errors
/// What naga says of a text it refuses, or that there is no `mulhi` to replace in a text that
/// declares one.
#[doc(hidden)]
pub fn spirv(wgsl: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.emit_to_string(wgsl))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::SHADER_INT64)
        .validate(&module)
        .map_err(|e| e.emit_to_string(wgsl))?;
    let unchecked = BoundsCheckPolicy::Unchecked;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        fake_missing_bindings: true,
        bounds_check_policies: BoundsCheckPolicies {
            index: unchecked,
            buffer: unchecked,
            image_load: unchecked,
            binding_array: unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: "main".to_owned(),
    };
    let words =
        spv::write_vec(&module, &info, &options, Some(&entry)).map_err(|e| e.to_string())?;
    if module
        .functions
        .iter()
        .any(|(_, f)| f.name.as_deref() == Some("mulhi"))
    {
        return replace_mulhi(&words).ok_or_else(|| "no body of mulhi to replace".to_owned());
    }
    Ok(words)
}

/// An instruction: opcode and all its words, the first included.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = words.get(HEADER..).unwrap_or_default();
    core::iter::from_fn(move || {
        let &first = rest.first()?;
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            return None;
        }
        let (instruction, later) = rest.split_at(length);
        rest = later;
        Some((first & 0xffff, instruction))
    })
}

/// The text of a name instruction starts with its third word, little-endian bytes up to a zero.
fn is_named(instruction: &[u32], name: &str) -> bool {
    let bytes = instruction[2..].iter().flat_map(|word| word.to_le_bytes());
    bytes.take_while(|&byte| byte != 0).eq(name.bytes())
}

/// The module with the exclusive-or in `mulhi` replaced by the high word of the product.
fn replace_mulhi(words: &[u32]) -> Option<Vec<u32>> {
    let function = instructions(words)
        .find(|(op, words)| *op == OP_NAME && is_named(words, "mulhi"))
        .map(|(_, words)| words[1])?;
    let bound = *words.get(BOUND)?;
    let (pair, extended) = (bound, bound + 1);
    let mut out = words[..HEADER].to_vec();
    out[BOUND] = bound + 2;
    let mut inside = false;
    let mut declared = None;
    let mut replaced = false;
    // The word type is that of the stand-in's result; its struct is declared before functions.
    let word = {
        let mut within = false;
        instructions(words).find_map(|(op, words)| {
            within = match op {
                OP_FUNCTION => words[2] == function,
                OP_FUNCTION_END => false,
                _ => within,
            };
            (within && op == OP_BITWISE_XOR).then(|| words[1])
        })?
    };
    for (op, instruction) in instructions(words) {
        if op == OP_FUNCTION {
            if declared.is_none() {
                out.extend([(4 << 16) | OP_TYPE_STRUCT, pair, word, word]);
                declared = Some(pair);
            }
            inside = instruction[2] == function;
        } else if op == OP_FUNCTION_END {
            inside = false;
        }
        if inside && op == OP_BITWISE_XOR {
            let [_, ty, result, a, b] = *instruction else {
                return None;
            };
            out.extend([(5 << 16) | OP_U_MUL_EXTENDED, pair, extended, a, b]);
            out.extend([(5 << 16) | OP_COMPOSITE_EXTRACT, ty, result, extended, 1]);
            replaced = true;
        } else {
            out.extend_from_slice(instruction);
        }
    }
    replaced.then_some(out)
}
