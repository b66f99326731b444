#!/usr/bin/env bash
# Fetches what cargo needs to build guests: a Rust compiler that comes with the source of `core` and
# `alloc`, out of Debian's packages. Nothing is installed; the packages are unpacked into a folder.
#
#   scripts/guest-toolchain.sh [DIR]      default: $PROVA_GUEST_TOOLCHAIN, else target/guest-toolchain
#
# Prints the folder on stdout. Running it again with everything in place does nothing. Needs an
# x86-64 Debian 12 (or a relative that has its packages), `apt-get`, `dpkg`, and the
# rustup toolchain named in rust-toolchain.toml, whose `cargo` and `rust-lld` are used.
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=${1:-${PROVA_GUEST_TOOLCHAIN:-$repo/target/guest-toolchain}}

say() { echo "guest-toolchain: $*" >&2; }
fail() { say "$*"; exit 1; }

# Name, version, SHA-256. The compiler, the standard library of this machine (for build scripts and
# procedural macros), the library source, LLVM.
packages="
rustc-web 1.96.0+dfsg1-1~deb12u2 8fefe1d6377fe4082f5a9d2a47e095e2d20319eaab9754bd2f0275155c9adf90
libstd-rust-web-1.96 1.96.0+dfsg1-1~deb12u2 3755f30434ae29574c91b0beb86632bee401607b0ac35c3e52810f9a53fae0d1
libstd-rust-web-dev 1.96.0+dfsg1-1~deb12u2 e38dbeaaad673fc63fb47c5140cf34da271ac71c3ecafc828b762c2fb01fe77a
rust-web-src 1.96.0+dfsg1-1~deb12u2 9de8597c464d0a9283672973ed7e50092b49a92b95861429043fe8b57468a208
libllvm22 1:22.1.8-1~deb12u1 729ec3e943d320515c2bbdc96acfffd7ce34861e62bd5c42726bf586d644dfe2
"
# Shared libraries the compiler may miss on a bare system, and the packages that hold them.
libraries="
libz3.so.4 libz3-4
libffi.so.8 libffi8
libedit.so.2 libedit2
libxml2.so.2 libxml2
libicuuc.so.72 libicu72
libicudata.so.72 libicu72
libbsd.so.0 libbsd0
libmd.so.0 libmd0
libzstd.so.1 libzstd1
libtinfo.so.6 libtinfo6
"

[ "$(uname -sm)" = "Linux x86_64" ] || fail "needs Linux on x86-64, this is $(uname -sm)"
for tool in rustc cargo sha256sum flock; do
  command -v "$tool" >/dev/null || fail "needs '$tool' on the PATH (rustc and cargo by rustup)"
done
lld=$(cd "$repo" && rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld
[ -x "$lld" ] || fail "no rust-lld at $lld: needs the rustup toolchain of rust-toolchain.toml"

# Raise `layout` when what is made of the packages changes.
layout=1
stamp=$(echo "$layout $packages" | sha256sum | cut -d' ' -f1)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# One at a time: another build may be unpacking.
exec 9>"$dir/lock"
flock 9
if [ -f "$dir/stamp" ] && [ "$(cat "$dir/stamp")" = "$stamp" ]; then
  echo "$dir"
  exit 0
fi
for tool in apt-get dpkg; do
  command -v "$tool" >/dev/null || fail "needs '$tool' (Debian) to fetch the compiler"
done
mkdir -p "$dir/debs"

# The archive's file name escapes the colon of an epoch.
deb_of() { find "$dir/debs" -name "$1_*.deb" -print -quit; }

updated=
fetch() { # PACKAGE[=VERSION]
  (cd "$dir/debs" && apt-get -q download "$1" >&2) && return
  if [ -z "$updated" ]; then
    say "refreshing the package index"
    apt-get -q update >&2 || fail "apt-get update failed"
    updated=1
  fi
  (cd "$dir/debs" && apt-get -q download "$1" >&2) \
    || fail "the package index has no $1: see 'apt-cache policy ${1%%=*}'"
}

while read -r name version digest; do
  [ -n "$name" ] || continue
  deb=$(deb_of "$name")
  if [ -z "$deb" ]; then
    say "fetching $name $version"
    fetch "$name=$version"
    deb=$(deb_of "$name")
  fi
  echo "$digest  $deb" | sha256sum --quiet -c - >&2 \
    || fail "$deb is not the expected file; delete it and run this again"
done <<<"$packages"

say "unpacking"
rm -rf "$dir/root"
for deb in "$dir"/debs/*.deb; do dpkg -x "$deb" "$dir/root"; done

libs=$dir/root/usr/lib/x86_64-linux-gnu
compiler=$dir/root/usr/bin/rustc
for _ in 1 2 3; do
  missing=$(LD_LIBRARY_PATH=$libs ldd "$compiler" | awk '/not found/ { print $1 }' | sort -u)
  [ -n "$missing" ] || break
  for library in $missing; do
    package=$(awk -v l="$library" '$1 == l { print $2 }' <<<"$libraries")
    [ -n "$package" ] || fail "the compiler needs $library, which this system lacks"
    [ -n "$(deb_of "$package")" ] || { say "fetching $package for $library"; fetch "$package"; }
    dpkg -x "$(deb_of "$package")" "$dir/root"
  done
done

# The compiler as cargo calls it. Cargo derives `-C metadata` from absolute paths for packages
# outside its workspace, the standard library among them; names and versions take its place, so that
# symbols do not depend on where things lie.
mkdir -p "$dir/bin"
cat >"$dir/bin/rustc" <<'WRAPPER'
#!/usr/bin/env bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LD_LIBRARY_PATH=$here/root/usr/lib/x86_64-linux-gnu RUSTC_BOOTSTRAP=1
args=()
for arg in "$@"; do
  case $arg in
    metadata=*) arg="metadata=${CARGO_PKG_NAME:-}-${CARGO_PKG_VERSION:-}" ;;
  esac
  args+=("$arg")
done
exec "$here/root/usr/bin/rustc" "${args[@]}"
WRAPPER
chmod +x "$dir/bin/rustc"
ln -sfn "$lld" "$dir/bin/rust-lld"

"$dir/bin/rustc" --version >&2 || fail "the unpacked compiler does not run"
[ -f "$dir/root/usr/src/rustc-1.96.0/library/core/src/lib.rs" ] || fail "no library source in rust-web-src"
echo "$stamp" >"$dir/stamp"
echo "$dir"
