//! Symbols and debug information of a program.

use std::collections::BTreeMap;
use std::rc::Rc;

use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind, elf};

/// Largest distance between the first and the last executable byte.
const MAX_TEXT: u64 = 64 << 20;

/// Why a file gives no names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// Not an ELF file, or a damaged one.
    #[error("cannot read the program's symbols: {0}")]
    Elf(#[from] object::Error),
    /// The debug information is damaged.
    #[error("cannot read the program's debug information: {0}")]
    Debug(#[from] gimli::Error),
    /// The executable segments lie too far apart for one table.
    #[error("the executable segments span {got} bytes, at most {MAX_TEXT} expected")]
    TooLarge {
        /// Bytes from the first to the last executable byte.
        got: u64,
    },
}

/// Sections may be compressed in the file.
type Reader = EndianRcSlice<LittleEndian>;

/// A function: a symbol and the addresses it covers.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    pub start: u32,
}

/// The executable part of a program, with names.
pub struct Image {
    /// First executable address.
    base: u32,
    /// Index of the function of each word from `base` on; 0 is none.
    function_of: Vec<u32>,
    /// Function 0 stands for code without a symbol.
    functions: Vec<Function>,
    lines: Option<addr2line::Context<Reader>>,
}

impl Image {
    /// Reads symbols and, where there is any, debug information.
    ///
    /// # Errors
    /// See [`ImageError`]. A program without symbols is no error.
    pub fn new(elf: &[u8]) -> Result<Self, ImageError> {
        let file = object::File::parse(elf)?;
        let (base, end) = text_span(&file)?;
        let words = usize::try_from((end - base) / 4).unwrap_or(0);
        let base = u32::try_from(base).unwrap_or(0);
        let mut image = Self {
            base,
            function_of: vec![0; words],
            functions: vec![Function {
                name: "(no symbol)".into(),
                start: base,
            }],
            lines: None,
        };
        image.name_words(symbols(&file, u64::from(base), end));
        image.lines = debug_info(&file)?;
        Ok(image)
    }

    /// Marks the words of each symbol; one without a size reaches to the next.
    fn name_words(&mut self, symbols: BTreeMap<u32, (u32, String)>) {
        let starts: Vec<u32> = symbols.keys().copied().collect();
        for (i, (start, (size, name))) in symbols.into_iter().enumerate() {
            let index = u32::try_from(self.functions.len()).unwrap_or(0);
            let next = starts.get(i + 1).copied();
            let from = self.word(start).unwrap_or(0);
            let to = match (size, next) {
                (0, Some(next)) => self.word(next).unwrap_or(self.function_of.len()),
                (0, None) => self.function_of.len(),
                (size, _) => from + (size as usize).div_ceil(4),
            };
            let to = to.min(self.function_of.len());
            if let Some(words) = self.function_of.get_mut(from..to) {
                words.fill(index);
            }
            self.functions.push(Function { name, start });
        }
    }

    /// Whether source lines can be told.
    #[must_use]
    pub fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// Number of words from the first executable one to the last.
    pub(crate) fn words(&self) -> usize {
        self.function_of.len()
    }

    /// Index of the word at an address; `None` outside the executable part.
    pub(crate) fn word(&self, pc: u32) -> Option<usize> {
        let word = (pc.checked_sub(self.base)? / 4) as usize;
        (word < self.function_of.len()).then_some(word)
    }

    /// Address of a word.
    pub(crate) fn address(&self, word: usize) -> u32 {
        self.base
            .wrapping_add(u32::try_from(word).unwrap_or(0).wrapping_mul(4))
    }

    /// Index of the function at an address, 0 for none.
    pub(crate) fn function_at(&self, pc: u32) -> u32 {
        self.word(pc)
            .and_then(|word| self.function_of.get(word).copied())
            .unwrap_or(0)
    }

    pub(crate) fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Name of the symbol that covers an address.
    #[must_use]
    pub fn symbol(&self, pc: u32) -> Option<&str> {
        match self.function_at(pc) {
            0 => None,
            index => Some(&self.functions.get(index as usize)?.name),
        }
    }

    /// Start and name of every symbol, by address.
    pub fn symbols(&self) -> impl Iterator<Item = (u32, &str)> {
        self.functions
            .iter()
            .skip(1)
            .map(|function| (function.start, function.name.as_str()))
    }

    /// Source file and line of an instruction, the innermost of inlined ones.
    #[must_use]
    pub fn line(&self, pc: u32) -> Option<(String, u32)> {
        let location = self.lines.as_ref()?.find_location(u64::from(pc)).ok()??;
        Some((location.file?.to_owned(), location.line.unwrap_or(0)))
    }

    /// Name of the innermost function of an instruction, inlined ones included.
    #[must_use]
    pub fn innermost(&self, pc: u32) -> Option<String> {
        let lines = self.lines.as_ref()?;
        let mut frames = lines.find_frames(u64::from(pc)).skip_all_loads().ok()?;
        let function = frames.next().ok()??.function?;
        Some(shorten(&function.demangle().ok()?))
    }
}

/// First executable address and the one behind the last.
fn text_span(file: &object::File<'_>) -> Result<(u64, u64), ImageError> {
    let executable = |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags & elf::PF_X == elf::PF_X);
    let mut span: Option<(u64, u64)> = None;
    for segment in file.segments().filter(|s| executable(s.flags())) {
        let (from, to) = (
            segment.address(),
            segment.address().saturating_add(segment.size()),
        );
        span = Some(span.map_or((from, to), |(a, b)| (a.min(from), b.max(to))));
    }
    let (base, end) = span.unwrap_or((0, 0));
    match end - base {
        got if got > MAX_TEXT => Err(ImageError::TooLarge { got }),
        _ => Ok((base & !3, end)),
    }
}

/// Size and name of the symbol at each address; of several, a sized one.
fn symbols(file: &object::File<'_>, base: u64, end: u64) -> BTreeMap<u32, (u32, String)> {
    let mut found: BTreeMap<u32, (u32, String)> = BTreeMap::new();
    for symbol in file.symbols() {
        let inside = (base..end).contains(&symbol.address());
        let sized = symbol.kind() == SymbolKind::Text;
        let label = symbol.kind() == SymbolKind::Unknown && symbol.is_global();
        let Ok(name) = symbol.name() else { continue };
        // Mapping symbols (`$x`, `$d`) and local labels name no function.
        if !inside || !(sized || label) || name.is_empty() || name.starts_with(['$', '.']) {
            continue;
        }
        let (Ok(start), Ok(size)) = (
            u32::try_from(symbol.address()),
            u32::try_from(symbol.size()),
        ) else {
            continue;
        };
        let entry = found.entry(start).or_default();
        if entry.1.is_empty() || size > entry.0 {
            *entry = (
                size,
                shorten(&format!("{:#}", rustc_demangle::demangle(name))),
            );
        }
    }
    found
}

/// Debug information, unless there is none.
fn debug_info(file: &object::File<'_>) -> Result<Option<addr2line::Context<Reader>>, ImageError> {
    if file.section_by_name(".debug_info").is_none() {
        return Ok(None);
    }
    let dwarf = Dwarf::load(|id: SectionId| -> Result<Reader, object::Error> {
        let data: Rc<[u8]> = match file.section_by_name(id.name()) {
            Some(section) => section.uncompressed_data()?.into(),
            None => Rc::default(),
        };
        Ok(Reader::new(data, LittleEndian))
    })?;
    Ok(Some(addr2line::Context::from_dwarf(dwarf)?))
}

/// The hash that old mangling puts behind a name says nothing to a reader.
fn shorten(name: &str) -> String {
    match name.rsplit_once("::h") {
        Some((head, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            head.to_owned()
        }
        _ => name.to_owned(),
    }
}
