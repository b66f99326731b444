//! `include/prova_verkle.h` is what this crate declares. After a change:
//! `cargo test -p prova-verkle-ffi --test header -- --ignored`.

use std::path::Path;

use cbindgen::{Builder, Config, Language, RenameRule, Style};

const HEADER: &str = "include/prova_verkle.h";

const PREAMBLE: &str = "\
/* Prova's Verkle multiproofs: the C interface. Licensed under MIT or Apache-2.0.
 *
 * Generated from the crate prova-verkle-ffi; do not edit.
 *
 * Every function that can fail answers a prova_verkle_status, of which only zero is success, and
 * fills the prova_verkle_error it is given. On failure nothing is written to `out` or `proof`.
 * No panic leaves the library, but running out of memory ends the process.
 *
 * Of every pointer that is not null: a context is one that prova_verkle_context_new made and that
 * is not freed yet; as many bytes as the length says can be read or written. Nothing but a context
 * needs alignment, and inputs and outputs may overlap. An input may be null if its length is zero.
 *
 * Lengths count bytes and must be exact: those of outputs too.
 *
 * All that is committed, opened and proved is taken to be public: nothing runs in constant time.
 */";

/// Two constants that the generator has no words for.
const CONSTANTS: &str = "
/**
 * The value of an index that does not apply: no number of items reaches it.
 */
#define PROVA_VERKLE_NO_INDEX SIZE_MAX

/**
 * The transcript label of rust-verkle's bindings: 6 bytes, without the terminating zero. Trees of
 * the clients use \"vt\".
 */
#define PROVA_VERKLE_LABEL \"verkle\"";

/// Module by module, in the order of reading.
const SOURCES: [&str; 7] = [
    "layout", "status", "context", "points", "proofs", "batch", "witness",
];

/// Types, and their names in C after the prefix.
const TYPES: [(&str, &str); 6] = [
    ("Context", "context"),
    ("Error", "error"),
    ("Format", "format"),
    ("Status", "status"),
    ("BatchItem", "batch_item"),
    ("WitnessSummary", "witness_summary"),
];

fn generate() -> String {
    let mut config = Config {
        language: Language::C,
        style: Style::Both,
        cpp_compat: true,
        usize_is_size_t: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        header: Some(PREAMBLE.to_owned()),
        after_includes: Some(CONSTANTS.to_owned()),
        include_guard: Some("PROVA_VERKLE_H".to_owned()),
        line_length: 100,
        ..Config::default()
    };
    config.enumeration.rename_variants = RenameRule::QualifiedScreamingSnakeCase;
    for (name, renamed) in TYPES {
        let renamed = format!("prova_verkle_{renamed}");
        config.export.rename.insert(name.to_owned(), renamed);
    }
    // Functions take any number for a format, so that no number is undefined behaviour.
    config.export.include.push("Format".to_owned());
    let mut builder = Builder::new().with_config(config);
    for name in SOURCES {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{name}.rs"));
        builder = builder.with_src(source);
    }
    let mut header = Vec::new();
    builder.generate().expect("generated").write(&mut header);
    String::from_utf8(header).expect("text")
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(HEADER)
}

#[test]
fn header_is_current() {
    let committed = std::fs::read_to_string(path()).expect("a header");
    assert!(
        committed == generate(),
        "{HEADER} is not what the crate declares; write it anew with \
         `cargo test -p prova-verkle-ffi --test header -- --ignored`"
    );
}

#[test]
#[ignore = "writes the header"]
fn write_header() {
    std::fs::write(path(), generate()).expect("written");
}
