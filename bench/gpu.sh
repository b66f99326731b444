#!/usr/bin/env bash
# Everything that is measured on a machine with a GPU, in one go:
#   bench/gpu.sh [OUT]          results go to OUT, by default bench/results
# Environment: GPU (part of the adapter's name), THREADS (of the CPU side, default: all cores),
# MODES (default resident), RUNS (default 5), SOAK (proofs of the soak, default 200; 0 skips it),
# CELLS (default n 20, 22, 24, folds 1 to 6, rates 1 to 3).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-bench/results}
threads=${THREADS:-$(nproc)}
adapter=${GPU:+--gpu-adapter "$GPU"}
mkdir -p "$out"

cargo build --release --locked --bin prova
prova=${CARGO_TARGET_DIR:-target}/release/prova
"$prova" info

if [ -z "${CELLS:-}" ]; then
  for n in 20 22 24; do
    for fold in 1 2 3 4 5 6; do
      for rate in 1 2 3; do CELLS="${CELLS:-} $n,$fold,$rate"; done
    done
  done
fi
# A cell that does not fit is listed with the reason, not left out.
# shellcheck disable=SC2086
"$prova" bench whir --cells $CELLS --nearest --against none --threads "$threads" \
  --runs "${RUNS:-5}" --backend gpu $adapter --gpu-mode "${MODES:-resident}" --out "$out"

soak=${SOAK:-200}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for i in $(seq 1 "$soak"); do
  vars=$((12 + i % 11)); fold=$((1 + i % 4)); rate=$((1 + i % 3))
  # shellcheck disable=SC2086
  "$prova" whir prove --quiet --random "$i" --vars "$vars" --fold "$fold" --log-inv-rate "$rate" \
    --backend gpu $adapter --no-self-check --out "$dir/proof" --force >/dev/null
  "$prova" verify --quiet "$dir/proof" >/dev/null
  printf '\rsoak: %d of %d proofs made and verified' "$i" "$soak"
done
[ "$soak" = 0 ] || echo
