//! Device memory: buffers that go back to a pool when they are dropped.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use crate::device::{Gpu, Real, lock};
use crate::error::GpuError;
use crate::trace::{Range, Step};

/// Granularity of small buffers, bytes.
const GRAIN: u64 = 256;

/// Free buffers by size, and the bytes that exist.
pub(crate) struct Pool {
    state: Mutex<State>,
}

struct State {
    free: BTreeMap<u64, Vec<wgpu::Buffer>>,
    used: u64,
    idle: u64,
    peak: u64,
    limit: u64,
    /// Buffers handed out so far.
    count: u64,
}

impl State {
    /// Takes idle buffers out, the largest first, until at most `keep` bytes idle.
    fn trim(&mut self, keep: u64) -> Vec<wgpu::Buffer> {
        let mut freed = Vec::new();
        while self.idle > keep {
            let Some(mut entry) = self.free.last_entry() else {
                break;
            };
            self.idle -= *entry.key();
            freed.extend(entry.get_mut().pop());
            if entry.get().is_empty() {
                entry.remove();
            }
        }
        freed
    }
}

impl Pool {
    pub(crate) fn new(limit: u64) -> Self {
        let state = State {
            free: BTreeMap::new(),
            used: 0,
            idle: 0,
            peak: 0,
            limit,
            count: 0,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    pub(crate) fn held(&self) -> u64 {
        let state = lock(&self.state);
        state.used + state.idle
    }

    /// Bytes of buffers in use.
    fn used(&self) -> u64 {
        lock(&self.state).used
    }

    pub(crate) fn peak(&self) -> u64 {
        lock(&self.state).peak
    }

    pub(crate) fn reset_peak(&self) {
        let mut state = lock(&self.state);
        state.peak = state.used;
    }

    pub(crate) fn set_limit(&self, limit: u64) {
        lock(&self.state).limit = limit;
    }

    /// Gives idle buffers back to the driver, the largest first, until at most `keep` bytes idle.
    pub(crate) fn trim(&self, keep: u64) {
        let freed = lock(&self.state).trim(keep);
        // Outside the lock: freeing is the driver's business.
        drop(freed);
    }

    /// An idle buffer of this very size.
    fn reuse(&self, size: u64) -> Option<wgpu::Buffer> {
        let mut state = lock(&self.state);
        let list = state.free.get_mut(&size)?;
        let found = list.pop()?;
        if list.is_empty() {
            state.free.remove(&size);
        }
        state.idle -= size;
        state.used += size;
        state.peak = state.peak.max(state.used);
        Some(found)
    }

    /// Counts a new buffer in, or says how much would be needed.
    fn admit(&self, size: u64) -> Result<(), GpuError> {
        let mut state = lock(&self.state);
        let need = state.used.saturating_add(size);
        if need > state.limit {
            return Err(GpuError::OutOfMemory {
                need,
                limit: state.limit,
            });
        }
        let keep = state.limit - need;
        let freed = state.trim(keep);
        state.used = need;
        state.peak = state.peak.max(need);
        drop(state);
        drop(freed);
        Ok(())
    }

    /// A new buffer's number.
    fn next(&self) -> u64 {
        let mut state = lock(&self.state);
        state.count += 1;
        state.count
    }

    fn give_back(&self, size: u64, buffer: Option<wgpu::Buffer>) {
        let mut state = lock(&self.state);
        state.used -= size;
        if let Some(buffer) = buffer {
            state.idle += size;
            state.free.entry(size).or_default().push(buffer);
        }
    }
}

/// A buffer of `u32` words on the device. Clones share it.
#[derive(Clone, Debug)]
pub struct Buffer {
    owned: Arc<Owned>,
}

struct Owned {
    /// Number among all buffers of the pool.
    id: u64,
    buffer: Option<wgpu::Buffer>,
    size: u64,
    pool: Arc<Pool>,
}

impl core::fmt::Debug for Owned {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Buffer")
            .field("bytes", &self.size)
            .finish_non_exhaustive()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.pool.give_back(self.size, self.buffer.take());
    }
}

impl Buffer {
    pub(crate) fn raw(&self) -> &wgpu::Buffer {
        self.owned
            .buffer
            .as_ref()
            .expect("only a dry device has none, and it binds nothing")
    }

    /// Whether both are handles to one buffer.
    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.owned, &other.owned)
    }

    pub(crate) fn id(&self) -> u64 {
        self.owned.id
    }

    /// Capacity in words; at least what was asked for.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.owned.size / 4
    }

    /// The whole buffer.
    #[must_use]
    pub fn all(&self) -> Slice {
        self.slice(0, self.words())
    }

    /// `words` words from `first` on.
    ///
    /// # Panics
    /// If the range is not inside the buffer.
    #[must_use]
    pub fn slice(&self, first: u64, words: u64) -> Slice {
        assert!(
            first + words <= self.words(),
            "a slice lies inside its buffer"
        );
        Slice {
            buffer: self.clone(),
            first,
            words,
        }
    }
}

/// A range of words of a buffer.
#[derive(Clone, Debug)]
pub struct Slice {
    pub(crate) buffer: Buffer,
    pub(crate) first: u64,
    pub(crate) words: u64,
}

impl Slice {
    /// Length in words.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words
    }

    /// `words` words from `first` on, counted from this slice's start.
    ///
    /// # Panics
    /// If the range is not inside the slice.
    #[must_use]
    pub fn slice(&self, first: u64, words: u64) -> Self {
        assert!(first + words <= self.words, "a slice lies inside its slice");
        Self {
            buffer: self.buffer.clone(),
            first: self.first + first,
            words,
        }
    }
}

/// Sizes are rounded to a few steps an octave, so that freed buffers fit again.
fn round(bytes: u64) -> u64 {
    let octave = bytes.checked_next_power_of_two().unwrap_or(1 << 63);
    let step = (octave / 16).max(GRAIN);
    bytes.max(1).div_ceil(step).saturating_mul(step)
}

impl Gpu {
    /// A buffer of at least `words` words with undefined contents.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] over the limit of the device options or of one buffer, or when
    /// the driver has no more.
    pub fn buffer(&self, words: u64) -> Result<Buffer, GpuError> {
        let bytes = words.saturating_mul(4);
        let size = match round(bytes) {
            // Rounding up is no reason to refuse.
            size if size > self.inner.limits.buffer => bytes,
            size => size,
        };
        if size > self.inner.limits.buffer {
            return Err(GpuError::OutOfMemory {
                need: size,
                limit: self.inner.limits.buffer,
            });
        }
        let pool = &self.inner.pool;
        let buffer = match pool.reuse(size) {
            Some(buffer) => Some(buffer),
            None => {
                pool.admit(size)?;
                match &self.inner.real {
                    Some(real) => Some(self.allocate(real, size)?),
                    None => None,
                }
            }
        };
        let owned = Owned {
            id: pool.next(),
            buffer,
            size,
            pool: Arc::clone(pool),
        };
        Ok(Buffer {
            owned: Arc::new(owned),
        })
    }

    /// A buffer of the driver's, already counted in.
    fn allocate(&self, real: &Real, size: u64) -> Result<wgpu::Buffer, GpuError> {
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        self.create(real, size, usage)
            .inspect_err(|_| self.inner.pool.give_back(size, None))
    }

    /// A buffer of the driver's. Where the driver has no memory left, idle buffers of the pool are
    /// given back to it first.
    pub(crate) fn create(
        &self,
        real: &Real,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, GpuError> {
        let create = || {
            // A scope belongs to this thread: another's failure is not taken for this one's.
            let scope = real.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let buffer = real.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            });
            pollster::block_on(scope.pop()).is_none().then_some(buffer)
        };
        let mut created = create();
        if created.is_none() {
            self.inner.pool.trim(0);
            // The driver has the memory back when what used it has run.
            self.wait(real, None)?;
            created = create();
        }
        self.check()?;
        created.ok_or_else(|| {
            let held = self.inner.pool.used();
            GpuError::OutOfMemory {
                need: held.saturating_add(size),
                limit: held,
            }
        })
    }

    /// A new buffer with these words.
    ///
    /// # Errors
    /// As [`Self::buffer`].
    pub fn upload(&self, words: &[u32]) -> Result<Buffer, GpuError> {
        let buffer = self.buffer(words.len() as u64)?;
        self.write(&buffer.all(), words)?;
        Ok(buffer)
    }

    /// Overwrites the start of a slice, before any command submitted later.
    ///
    /// # Errors
    /// A lost device, or an upload the driver refuses.
    ///
    /// # Panics
    /// If the slice is shorter than `words`.
    pub fn write(&self, slice: &Slice, words: &[u32]) -> Result<(), GpuError> {
        assert!(
            words.len() as u64 <= slice.words,
            "an upload fits its slice"
        );
        lock(&self.inner.ledger).uploaded += 4 * words.len() as u64;
        if let Some(trace) = &self.inner.trace {
            let to = Range::of(&slice.slice(0, words.len() as u64));
            lock(trace).steps.push(Step::Write {
                to,
                words: words.to_vec(),
            });
        }
        let Some(real) = &self.inner.real else {
            return Ok(());
        };
        // Bounded pieces, few of them under way: the driver stages each in host memory of its own.
        const PIECE: usize = 4 << 20;
        const UNDER_WAY: usize = 4;
        let mut under_way = VecDeque::new();
        for (index, piece) in words.chunks(PIECE).enumerate() {
            let offset = 4 * (slice.first + (index * PIECE) as u64);
            real.queue
                .write_buffer(slice.buffer.raw(), offset, bytemuck::cast_slice(piece));
            if words.len() > PIECE {
                under_way.push_back(real.queue.submit([]));
                if under_way.len() > UNDER_WAY {
                    self.wait(real, under_way.pop_front())?;
                }
            }
        }
        self.check()
    }
}
