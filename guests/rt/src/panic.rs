//! Panics: `panicked at FILE:LINE:COLUMN: MESSAGE`, handed to the machine.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use crate::sys;

/// Text in a fixed array, cut off where it is full.
pub(crate) struct Text {
    bytes: [u8; 512],
    len: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; 512],
            len: 0,
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        for (slot, byte) in self.bytes.iter_mut().skip(self.len).zip(text.bytes()) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// Decimal digits, without the formatting machinery.
    pub(crate) fn push_number(&mut self, mut number: u32) {
        let mut digits = [0; 10];
        let mut first = digits.len();
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
            first -= 1;
            if number == 0 {
                break;
            }
        }
        self.push(
            digits
                .get(first..)
                .and_then(|d| str::from_utf8(d).ok())
                .unwrap_or_default(),
        );
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    let mut text = Text::new();
    text.push("panicked");
    if let Some(location) = info.location() {
        text.push(" at ");
        text.push(location.file());
        text.push(":");
        text.push_number(location.line());
        text.push(":");
        text.push_number(location.column());
    }
    text.push(": ");
    let message = info.message();
    match message.as_str() {
        Some(fixed) => text.push(fixed),
        // Text never refuses, so an error is a `Display` that gave up; what it wrote stays.
        None => _ = write!(text, "{message}"),
    }
    sys::panic(text.as_bytes())
}
