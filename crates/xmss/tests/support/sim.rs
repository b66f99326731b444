//! A file system that fails on demand and forgets what was not synced.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use prova_xmss::state::{Storage, StoredFile};

/// How much of the step that fails is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Nothing,
    Half,
    All,
}

/// What fails at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process ends there.
    Crash(Extent),
    /// The step reports an error, and life goes on. A sync that fails forgets what it should have
    /// written, as some systems do.
    Error(Extent),
}

/// What of the changes not synced outlives the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survives {
    /// All: only the process ended.
    All,
    /// Nothing.
    Nothing,
    /// Lengths, with zeros for data.
    Lengths,
    /// Lengths, with half of the data.
    Half,
}

#[derive(Clone, Default)]
struct Inode {
    cached: Vec<u8>,
    durable: Vec<u8>,
    dirty: BTreeSet<usize>,
    locked: bool,
}

#[derive(Default)]
struct World {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    step: usize,
    fault: Option<(usize, Fault)>,
    dead: bool,
    capacity: Option<usize>,
}

fn broken() -> io::Error {
    io::Error::other("injected")
}

impl World {
    /// How much of this step to do, and whether to report an error after it.
    fn step(&mut self) -> io::Result<(Extent, bool)> {
        if self.dead {
            return Err(broken());
        }
        let step = self.step;
        self.step += 1;
        match self.fault {
            Some((at, Fault::Crash(extent))) if at == step => {
                self.dead = true;
                Ok((extent, true))
            }
            Some((at, Fault::Error(extent))) if at == step => Ok((extent, true)),
            _ => Ok((Extent::All, false)),
        }
    }

    fn act(&mut self, act: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let (extent, fails) = self.step()?;
        if extent == Extent::All {
            act(self)?;
        }
        if fails { Err(broken()) } else { Ok(()) }
    }
}

/// The file system.
#[derive(Clone, Default)]
pub struct Sim(Rc<RefCell<World>>);

impl Sim {
    /// Lets step number `at` from now on fail.
    pub fn fail(&self, at: usize, fault: Fault) {
        let world = &mut *self.0.borrow_mut();
        world.fault = Some((world.step + at, fault));
    }

    /// Steps so far.
    pub fn steps(&self) -> usize {
        self.0.borrow().step
    }

    /// The most bytes a file can have.
    pub fn set_capacity(&self, capacity: Option<usize>) {
        self.0.borrow_mut().capacity = capacity;
    }

    /// Starts anew after a crash.
    pub fn reboot(&self, survives: Survives) {
        let world = &mut *self.0.borrow_mut();
        for inode in &mut world.inodes {
            inode.locked = false;
            match survives {
                Survives::All => continue,
                Survives::Nothing => {}
                Survives::Lengths => inode.durable.resize(inode.cached.len(), 0),
                Survives::Half => {
                    inode.durable.resize(inode.cached.len(), 0);
                    for &at in inode.dirty.iter().take(inode.dirty.len() / 2) {
                        inode.durable[at] = inode.cached[at];
                    }
                }
            }
            inode.cached = inode.durable.clone();
            inode.dirty.clear();
        }
        if survives == Survives::Nothing {
            world.names = world.durable_names.clone();
        }
        world.fault = None;
        world.dead = false;
    }

    pub fn exists(&self, path: &Path) -> bool {
        self.0.borrow().names.contains_key(path)
    }
}

/// An open file.
#[derive(Debug)]
pub struct SimFile {
    world: Rc<RefCell<World>>,
    inode: usize,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "World({} steps)", self.step)
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        self.world.borrow_mut().inodes[self.inode].locked = false;
    }
}

impl Storage for Sim {
    type File = SimFile;

    fn create(&self, path: &Path) -> io::Result<SimFile> {
        let mut inode = 0;
        self.0.borrow_mut().act(|world| {
            if world.names.contains_key(path) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            inode = world.inodes.len();
            world.inodes.push(Inode {
                locked: true,
                ..Inode::default()
            });
            world.names.insert(path.to_owned(), inode);
            Ok(())
        })?;
        Ok(SimFile {
            world: self.0.clone(),
            inode,
        })
    }

    fn open(&self, path: &Path) -> io::Result<SimFile> {
        let mut inode = 0;
        self.0.borrow_mut().act(|world| {
            inode = *world.names.get(path).ok_or(io::ErrorKind::NotFound)?;
            if world.inodes[inode].locked {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            world.inodes[inode].locked = true;
            Ok(())
        })?;
        Ok(SimFile {
            world: self.0.clone(),
            inode,
        })
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.borrow_mut().act(|world| {
            if world.names.contains_key(to) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            let inode = *world.names.get(from).ok_or(io::ErrorKind::NotFound)?;
            world.names.insert(to.to_owned(), inode);
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.borrow_mut().act(|world| {
            world.names.remove(path).ok_or(io::ErrorKind::NotFound)?;
            Ok(())
        })
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.0.borrow_mut().act(|world| {
            world.durable_names = world.names.clone();
            Ok(())
        })
    }
}

impl StoredFile for SimFile {
    fn size(&mut self) -> io::Result<u64> {
        let world = &mut *self.world.borrow_mut();
        world.act(|_| Ok(()))?;
        Ok(world.inodes[self.inode].cached.len() as u64)
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let world = &mut *self.world.borrow_mut();
        world.act(|_| Ok(()))?;
        let from = world.inodes[self.inode].cached.get(offset as usize..);
        let from = from.and_then(|bytes| bytes.get(..buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let world = &mut *self.world.borrow_mut();
        let (extent, fails) = world.step()?;
        let offset = offset as usize;
        let room = world
            .capacity
            .map_or(usize::MAX, |capacity| capacity.saturating_sub(offset));
        let wanted = match extent {
            Extent::Nothing => 0,
            Extent::Half => bytes.len() / 2,
            Extent::All => bytes.len(),
        };
        let count = wanted.min(room);
        let inode = &mut world.inodes[self.inode];
        let end = inode.cached.len().max(offset + count);
        inode.cached.resize(end, 0);
        inode.cached[offset..offset + count].copy_from_slice(&bytes[..count]);
        inode.dirty.extend(offset..offset + count);
        match (fails, count < wanted) {
            (true, _) => Err(broken()),
            (false, true) => Err(io::ErrorKind::StorageFull.into()),
            (false, false) => Ok(()),
        }
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        let inode = self.inode;
        self.world.borrow_mut().act(|world| {
            let inode = &mut world.inodes[inode];
            inode.cached.truncate(len as usize);
            inode.dirty.retain(|&at| (at as u64) < len);
            Ok(())
        })
    }

    fn sync(&mut self) -> io::Result<()> {
        let world = &mut *self.world.borrow_mut();
        let (extent, fails) = world.step()?;
        let inode = &mut world.inodes[self.inode];
        if extent != Extent::Nothing {
            let count = if extent == Extent::Half {
                inode.dirty.len() / 2
            } else {
                usize::MAX
            };
            inode.durable.resize(inode.cached.len(), 0);
            for &at in inode.dirty.iter().take(count) {
                inode.durable[at] = inode.cached[at];
            }
        }
        if !(fails && world.dead) {
            inode.dirty.clear();
        }
        if fails { Err(broken()) } else { Ok(()) }
    }
}
