//! A kernel in the languages of the APIs, with the options that wgpu gives for kernels it trusts.

use std::collections::BTreeSet;

use naga::back::{hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy, Layouter};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ResourceBinding, ShaderStage, TypeInner};
use prova_gpu::{Kernel, Limits, Multiply, native};

const UNCHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Unchecked,
    buffer: BoundsCheckPolicy::Unchecked,
    image_load: BoundsCheckPolicy::Unchecked,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// What every kernel has in common, and why one does not.
fn conventions(kernel: &Kernel, module: &Module) -> Result<(), String> {
    let text = kernel.wgsl();
    let check = |holds: bool, what: &str| holds.then_some(()).ok_or_else(|| what.to_owned());
    check(text.len() < 64 << 10, "a text of 64 KiB or more")?;
    check(!text.contains("enable "), "an extension")?;

    let [entry] = module.entry_points.as_slice() else {
        return Err("not one entry point".to_owned());
    };
    check(
        entry.name == "main" && entry.stage == ShaderStage::Compute,
        "another entry point than main",
    )?;
    let invocations: u32 = entry.workgroup_size.iter().product();
    check(
        invocations <= Limits::WEBGPU.invocations,
        "a large workgroup",
    )?;

    let mut layouter = Layouter::default();
    layouter
        .update(module.to_ctx())
        .map_err(|error| error.to_string())?;
    let (mut shared, mut storage, mut bindings) = (0, 0, BTreeSet::new());
    for (_, variable) in module.global_variables.iter() {
        match variable.space {
            AddressSpace::WorkGroup => {
                // As WebGPU counts it.
                shared += layouter[variable.ty].size.next_multiple_of(16);
            }
            AddressSpace::Storage { .. } => storage += 1,
            AddressSpace::Uniform | AddressSpace::Private => {}
            space => return Err(format!("a variable in {space:?}")),
        }
        if let Some(binding) = variable.binding {
            check(binding.group == 0, "another group than 0")?;
            check(
                bindings.insert(binding.binding),
                "two variables at a binding",
            )?;
            if binding.binding == 0 {
                check(variable.space == AddressSpace::Uniform, "no parameters")?;
                let TypeInner::Struct { members, .. } = &module.types[variable.ty].inner else {
                    return Err("parameters are no struct".to_owned());
                };
                let names = members.iter().map(|member| member.name.as_deref());
                check(
                    names.take(2).eq([Some("base"), Some("groups")]),
                    "parameters begin otherwise",
                )?;
                check(members.len() <= 64, "many parameters")?;
                check(
                    members.iter().all(|member| {
                        module.types[member.ty].inner == TypeInner::Scalar(naga::Scalar::U32)
                    }),
                    "a parameter that is no word",
                )?;
            }
        }
    }
    check(
        shared <= Limits::WEBGPU.workgroup_memory,
        "much workgroup memory",
    )?;
    check(
        storage <= Limits::WEBGPU.storage_buffers,
        "many storage buffers",
    )?;
    check(
        bindings
            .iter()
            .copied()
            .eq(0..kernel.accesses().len() as u32),
        "bindings with gaps",
    )
}

/// SPIR-V as wgpu hands it to a driver.
fn to_spirv(module: &Module, info: &ModuleInfo) -> Result<Vec<u32>, String> {
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::FORCE_POINT_SIZE,
        fake_missing_bindings: false,
        binding_map: spv::BindingMap::from_iter(addresses(module).map(|address| {
            let info = spv::BindingInfo {
                descriptor_set: 0,
                binding: address.binding,
                binding_array_size: None,
            };
            (address, info)
        })),
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..spv::Options::default()
    };
    let entry = spv::PipelineOptions {
        shader_stage: ShaderStage::Compute,
        entry_point: "main".to_owned(),
    };
    spv::write_vec(module, info, &options, Some(&entry)).map_err(|error| error.to_string())
}

fn to_msl(module: &Module, info: &ModuleInfo) -> Result<String, String> {
    let count = addresses(module).count() as u8;
    let resources = addresses(module).map(|address| {
        let target = msl::BindTarget {
            buffer: Some(address.binding as u8),
            mutable: true,
            ..msl::BindTarget::default()
        };
        (address, target)
    });
    let resources = msl::EntryPointResources {
        resources: resources.collect(),
        immediates_buffer: None,
        sizes_buffer: Some(count),
    };
    let options = msl::Options {
        lang_version: (2, 3),
        per_entry_point_map: [("main".to_owned(), resources)].into(),
        fake_missing_bindings: false,
        bounds_check_policies: UNCHECKED,
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..msl::Options::default()
    };
    let entry = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, "main".to_owned())),
        ..msl::PipelineOptions::default()
    };
    let (text, translated) =
        msl::write_string(module, info, &options, &entry).map_err(|error| error.to_string())?;
    for name in translated.entry_point_names {
        name.map_err(|error| error.to_string())?;
    }
    Ok(text)
}

/// HLSL for the older compiler, which every system has, where it knows the types.
fn to_hlsl(module: &Module, info: &ModuleInfo, wide: bool) -> Result<String, String> {
    let count = addresses(module).count() as u32;
    let target = |register| hlsl::BindTarget {
        register,
        ..hlsl::BindTarget::default()
    };
    let options = hlsl::Options {
        shader_model: if wide {
            hlsl::ShaderModel::V6_0
        } else {
            hlsl::ShaderModel::V5_1
        },
        binding_map: addresses(module)
            .map(|address| (address, target(address.binding)))
            .collect(),
        fake_missing_bindings: false,
        special_constants_binding: Some(target(count)),
        zero_initialize_workgroup_memory: false,
        restrict_indexing: false,
        force_loop_bounding: false,
        ..hlsl::Options::default()
    };
    let entry = hlsl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, "main".to_owned())),
    };
    let mut text = String::new();
    let translated = hlsl::Writer::new(&mut text, &options, &entry)
        .write(module, info, None)
        .map_err(|error| error.to_string())?;
    for name in translated.entry_point_names {
        name.map_err(|error| error.to_string())?;
    }
    Ok(text)
}

fn addresses(module: &Module) -> impl Iterator<Item = ResourceBinding> {
    let variables = module.global_variables.iter();
    variables.filter_map(|(_, variable)| variable.binding)
}

/// Whether SPIR-V has an instruction of an opcode.
fn has_instruction(words: &[u32], opcode: u32) -> bool {
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        if first & 0xffff == opcode {
            return true;
        }
        rest = &rest[(first >> 16) as usize..];
    }
    false
}

const OP_U_MUL_EXTENDED: u32 = 151;

/// Validates and translates a kernel; its SPIR-V.
pub fn translate(multiply: Multiply, kernel: &Kernel) -> Result<Vec<u32>, String> {
    let text = kernel.wgsl();
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let wide = multiply == Multiply::U64;
    let capabilities = if wide {
        Capabilities::SHADER_INT64
    } else {
        Capabilities::empty()
    };
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| error.emit_to_string(text))?;
    conventions(kernel, &module)?;
    let ordinary = to_spirv(&module, &info)?;
    let texts = [to_msl(&module, &info)?, to_hlsl(&module, &info, wide)?];
    if ordinary.is_empty() || texts.iter().any(String::is_empty) {
        return Err("an empty translation".to_owned());
    }
    if !kernel.is_native() {
        return Ok(ordinary);
    }
    let native = native::spirv(text)?;
    if has_instruction(&native, OP_U_MUL_EXTENDED) != text.contains("fn mulhi(") {
        return Err("no extended product".to_owned());
    }
    Ok(native)
}
