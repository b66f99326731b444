#!/usr/bin/env bash
# Key generation for windows of 2^10 to 2^18 epochs: time as `prova xmss keygen` reports it, and the
# peak resident size where GNU time is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
prova=${PROVA:-target/release/prova}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "| epochs | threads | ms | peak resident KiB |"
echo "|--:|--:|--:|--:|"
for log in 10 11 12 13 14 15 16 17 18; do
  for threads in 1 2; do
    key=$folder/$log-$threads
    run=("$prova" xmss keygen --out "$key" --epochs $((1 << log)) --threads "$threads" --json)
    if [ -x /usr/bin/time ]; then
      out=$(/usr/bin/time -o "$folder/rss" -f %M "${run[@]}")
      rss=$(cat "$folder/rss")
    else
      out=$("${run[@]}")
      rss=–
    fi
    ms=$(sed -n 's/.*"time_ms": *\([0-9.]*\).*/\1/p' <<<"$out")
    echo "| 2^$log | $threads | $ms | $rss |"
  done
done
