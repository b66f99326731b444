#!/usr/bin/env bash
# Builds the guests named in guests/elfs.txt into guests/elf/NAME.elf and writes
# guests/elf/SHA256SUMS. The bytes depend on the sources alone, not on where anything lies.
#
#   scripts/build-guests.sh [--check] [--toolchain DIR] [--target-dir DIR] [NAME...]
#
#   NAME...           only these ELFs
#   --check           copies the tree elsewhere, builds there and compares with guests/elf
#   --toolchain DIR   see scripts/guest-toolchain.sh
#   --target-dir DIR  cargo's folder, default target/guests
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
toolchain=${PROVA_GUEST_TOOLCHAIN:-$repo/target/guest-toolchain}
target_dir=$repo/target/guests
check=
names=()

say() { echo "build-guests: $*" >&2; }
fail() { say "$*"; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --check) check=1 ;;
    --toolchain) toolchain=${2:?--toolchain needs a folder}; shift ;;
    --target-dir) target_dir=${2:?--target-dir needs a folder}; shift ;;
    -*) sed -n '2,/^set/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done

toolchain=$("$repo/scripts/guest-toolchain.sh" "$toolchain")
toolchain=$(cd "$toolchain" && pwd)

if [ -n "$check" ]; then
  # Another folder of another depth, so that a path that leaks changes bytes.
  copy=$(mktemp -d)/another/checkout
  trap 'rm -rf "${copy%/another/checkout}"' EXIT
  mkdir -p "$copy"
  (cd "$repo" && tar -c --exclude=./target --exclude=./.git --exclude=./guests/elf .) | tar -x -C "$copy"
  mkdir -p "$copy/guests/elf"
  "$copy/scripts/build-guests.sh" --toolchain "$toolchain" "${names[@]}"
  status=0
  for elf in "$copy"/guests/elf/*.elf; do
    name=${elf##*/}
    if cmp -s "$elf" "$repo/guests/elf/$name"; then
      say "$name: same bytes"
    else
      say "$name: DIFFERS from guests/elf/$name"
      status=1
    fi
  done
  exit $status
fi

target=riscv32im-risc0-zkvm-elf
cargo_home=${CARGO_HOME:-$HOME/.cargo}
# Before the folders of the crates' sources are listed, they must be there.
(cd "$repo/guests" && cargo fetch --locked --quiet >&2) || fail "cannot fetch the guests' dependencies"
registries=("$cargo_home"/registry/src/*)
flags=(
  # The machine runs one thread: atomics become plain loads and stores.
  -Cpasses=lower-atomic
  "-Clink-arg=-T$repo/guests/rt/guest.ld"
  -Clink-arg=--discard-locals
  -Clink-arg=--gc-sections
  # Line tables are most of a guest.
  -Clink-arg=--compress-debug-sections=zlib
  # Later prefixes win over earlier ones.
  "--remap-path-prefix=$repo=/prova"
  "--remap-path-prefix=$cargo_home=/cargo"
)
for folder in "${registries[@]}"; do flags+=("--remap-path-prefix=$folder=/registry"); done
for folder in lib/rustlib/src/rust src/rustc-1.96.0; do
  flags+=("--remap-path-prefix=$toolchain/root/usr/$folder=/rust")
done

unset RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTFLAGS
export RUSTC=$toolchain/bin/rustc RUSTC_BOOTSTRAP=1
export CARGO_TARGET_RISCV32IM_RISC0_ZKVM_ELF_LINKER=$toolchain/bin/rust-lld
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS

cd "$repo/guests"
mkdir -p elf
wanted() {
  [ ${#names[@]} -eq 0 ] && return 0
  local name
  for name in "${names[@]}"; do [ "$name" = "$1" ] && return 0; done
  return 1
}
built=0
while read -r name package binary features; do
  case $name in '' | '#'*) continue ;; esac
  wanted "$name" || continue
  say "$name"
  cargo build --release --locked --target "$target" --target-dir "$target_dir" \
    -Zbuild-std=core,alloc -p "$package" --bin "$binary" --features "${features:-}" >&2
  cp "$target_dir/$target/release/$binary" "elf/$name.elf"
  chmod 644 "elf/$name.elf"
  built=$((built + 1))
done <elfs.txt
[ "$built" -gt 0 ] || fail "guests/elfs.txt names none of: ${names[*]:-}"
(cd elf && LC_ALL=C sha256sum -- *.elf >SHA256SUMS)
say "$built built"
