//! Where the prover works: the CPU, or a GPU with the CPU behind it.
//!
//! [`args`] are the options, [`choice`] opens what they ask for, [`report`] says what was used,
//! [`work`] what a device was asked to do, and [`adapters`] what there is to choose from.

pub mod adapters;
pub mod args;
pub mod choice;
pub mod report;
pub mod work;

use crate::error::Failure;
use crate::front::{DeviceError, DeviceErrorKind};
use crate::memsize::MemSize;

/// What went wrong with a device, on one line: need and limit where they are known.
pub fn reason(error: &DeviceError) -> String {
    let DeviceErrorKind::OutOfMemory { need, limit } = error.kind else {
        return error.to_string();
    };
    let words: Vec<&str> = error.message.split_whitespace().collect();
    let detail = if words.is_empty() {
        String::new()
    } else {
        format!(": {}", words.join(" "))
    };
    // A driver that runs out of memory gives no numbers.
    if need == 0 {
        return format!("the device is out of memory{detail}");
    }
    format!(
        "not enough device memory: need {need} bytes ({}), limit {limit} bytes ({}){detail}",
        MemSize(need),
        MemSize(limit)
    )
}

/// Exit code 3: the device's failure, and what to try; `auto` where `--backend auto` can be given.
pub fn failure(error: &DeviceError, auto: bool) -> Failure {
    let hint = match error.kind {
        DeviceErrorKind::NoAdapter => Some("`prova info` lists the adapters"),
        DeviceErrorKind::OutOfMemory { .. } => Some("see --gpu-max-bytes"),
        DeviceErrorKind::Unsupported => Some("--gpu-adapter chooses another"),
        _ => None,
    };
    let auto = auto.then_some("--backend auto falls back to the CPU");
    let hints: Vec<&str> = hint.into_iter().chain(auto).collect();
    let reason = reason(error);
    if hints.is_empty() {
        return Failure::resource(reason);
    }
    Failure::resource(format_args!("{reason}; {}", hints.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_give_need_and_limit_where_they_are_known() {
        let out_of_memory = |need, limit, message: &str| {
            DeviceError::new(DeviceErrorKind::OutOfMemory { need, limit }, message)
        };
        assert_eq!(
            reason(&out_of_memory(2048, 1024, "a\n codeword")),
            "not enough device memory: need 2048 bytes (2.00 KiB), limit 1024 bytes (1.00 KiB): \
             a codeword"
        );
        assert_eq!(
            reason(&out_of_memory(0, 0, "")),
            "the device is out of memory"
        );
        let lost = DeviceError::new(DeviceErrorKind::Lost, "reset");
        assert_eq!(
            failure(&lost, true).message,
            "the device was lost: reset; --backend auto falls back to the CPU"
        );
        assert_eq!(failure(&lost, false).message, "the device was lost: reset");
    }
}
