//! The global allocator: takes memory in order, from the end of the program to the end of RAM.
//!
//! Only the last block can be given back or grown in place, which is what a `Vec` that is filled
//! or a buffer that lives for one call needs. A run ends before the rest would matter.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr;

use crate::panic::Text;
use crate::sys;

unsafe extern "C" {
    static __heap_start: u8;
    static __ram_end: u8;
}

struct Heap {
    /// First free address; 0 before the first use.
    next: Cell<usize>,
    /// Nothing at or above this address, and above `next`, was ever handed out: it is still zero.
    dirty: Cell<usize>,
}

// SAFETY: the machine runs one thread.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap {
    next: Cell::new(0),
    dirty: Cell::new(0),
};

impl Heap {
    #[inline(always)]
    fn next(&self) -> usize {
        match self.next.get() {
            0 => (&raw const __heap_start).expose_provenance(),
            next => next,
        }
    }

    /// Gives everything from `start`, inside or at the end of the last block, back.
    #[inline(always)]
    fn retreat(&self, start: usize) {
        let next = self.next.get();
        if next > self.dirty.get() {
            self.dirty.set(next);
        }
        self.next.set(start);
    }
}

#[inline(always)]
fn ram_end() -> usize {
    (&raw const __ram_end).addr()
}

// SAFETY: blocks are disjoint, inside free RAM and aligned; see each method.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Bytes lie on words too, where they are copied and compared by words.
        let align = layout.align().max(align_of::<u32>());
        let start = (self.next() + align - 1) & align.wrapping_neg();
        // `start` stays far below 2^31 and a size below 2^31, so that the sum does not wrap.
        let end = start + layout.size();
        if end > ram_end() {
            exhausted(layout.size(), ram_end().saturating_sub(start));
        }
        self.next.set(end);
        ptr::with_exposed_provenance_mut(start)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is that of `alloc`.
        let block = unsafe { self.alloc(layout) };
        let used = self
            .dirty
            .get()
            .saturating_sub(block.addr())
            .min(layout.size());
        if used > 0 {
            // SAFETY: `used` bytes at most as long as the block.
            unsafe { block.write_bytes(0, used) };
        }
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if block.addr() + layout.size() == self.next.get() {
            self.retreat(block.addr());
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if block.addr() + layout.size() == self.next.get() {
            let end = block.addr() + new_size;
            if end > ram_end() {
                exhausted(new_size, ram_end() - block.addr());
            }
            self.retreat(end);
            return block;
        }
        if new_size <= layout.size() {
            return block;
        }
        // SAFETY: the caller promises that the rounded size fits, and gives a block of the old
        // size; the new block is longer and does not overlap it.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            ptr::copy_nonoverlapping(block, new, layout.size());
            new
        }
    }
}

#[cold]
#[inline(never)]
fn exhausted(wanted: usize, left: usize) -> ! {
    let mut text = Text::new();
    text.push("the guest's heap is exhausted: ");
    text.push_number(wanted as u32);
    text.push(" bytes wanted, ");
    text.push_number(left as u32);
    text.push(" left");
    sys::panic(text.as_bytes())
}
