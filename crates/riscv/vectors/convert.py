#!/usr/bin/env python3
"""Turns the test images of the VexRiscv repository into guests of this machine.

usage: convert.py IMAGES BINARIES OUT

IMAGES is `src/test/resources` of VexRiscv, with `hex/` (Intel hex, linked at 0x80000000) and
`ref/` (reference signatures of the architecture tests). BINARIES is `tests/upstream/binaries` of
Sentinel (flat images, linked at 0), of which only `ma_data` is used: VexRiscv has none. OUT
receives `riscv-tests/*.elf` and `arch-test/{*.elf,*.signature}`.

What belongs to the harness and not to the test is replaced:
 * riscv-tests: the images are position-independent (every address comes from auipc) and are moved
   to 0x400000, where guests lie; the machine-mode prologue is skipped (the entry is the
   instruction behind its `mret`), and the `pass` and `fail` ends become `halt(0)` and
   `halt(2 * number + 1)`.
 * architecture tests stay where they are, since a signature holds addresses; the loop that writes
   the signature to a port becomes one commit of the signature region, followed by `halt(0)`.
"""

import pathlib
import struct
import sys

LINKED = 0x8000_0000
GUEST = 0x0040_0000

FENCE = 0x0FF0_000F
ECALL = 0x0000_0073
MRET = 0x3020_0073
GP, S0, A0, A1, A7, T3 = 3, 8, 10, 11, 17, 28

# Tests that need CSRs, trap handlers or misaligned accesses, which this machine does not have.
PRIVILEGED = {
    "I-CSRRC-01", "I-CSRRCI-01", "I-CSRRS-01", "I-CSRRSI-01", "I-CSRRW-01", "I-CSRRWI-01",
    "I-EBREAK-01", "I-ECALL-01", "I-MISALIGN_JMP-01", "I-MISALIGN_LDST-01",
}


def addi(rd, rs1, immediate):
    return (immediate & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def li(rd, value):
    return addi(rd, 0, value)


def ori(rd, rs1, immediate):
    return addi(rd, rs1, immediate) | 6 << 12


def slli(rd, rs1, shift):
    return shift << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x13


def sub(rd, rs1, rs2):
    return 0x20 << 25 | rs2 << 20 | rs1 << 15 | rd << 7 | 0x33


def read_hex(path):
    """Intel hex as a map from address to byte, addresses relative to LINKED."""
    memory, upper = {}, 0
    for line in path.read_text().split():
        record = bytes.fromhex(line[1:])
        assert sum(record) & 0xFF == 0, path
        count, offset, kind = record[0], int.from_bytes(record[1:3], "big"), record[3]
        data = record[4:4 + count]
        if kind == 0:
            for i, byte in enumerate(data):
                memory[upper + offset + i - LINKED] = byte
        elif kind == 2:
            upper = int.from_bytes(data, "big") << 4
        elif kind == 4:
            upper = int.from_bytes(data, "big") << 16
        else:
            assert kind in (1, 3, 5), (path, kind)
    return memory


def word(memory, at):
    return sum(memory.get(at + i, 0) << 8 * i for i in range(4))


def patch(memory, at, words):
    for i, byte in enumerate(struct.pack(f"<{len(words)}I", *words)):
        memory[at + i] = byte


def find(memory, sequence):
    """Offsets at which the words of `sequence` stand; None matches every word."""
    return [
        at for at in sorted(memory) if at % 4 == 0
        and all(w is None or word(memory, at + 4 * i) == w for i, w in enumerate(sequence))
    ]


def segments(memory):
    """Contiguous runs of bytes, gaps of less than 64 bytes filled with zeros."""
    runs = []
    for at in sorted(memory):
        if runs and at - (runs[-1][0] + len(runs[-1][1])) < 64:
            runs[-1][1].extend(bytes(at - runs[-1][0] - len(runs[-1][1])))
        else:
            runs.append((at & ~3, bytearray(at & 3)))
        runs[-1][1].append(memory[at])
    # Trailing zeros carry nothing: RAM is zero to begin with.
    return [(at, bytes(data).rstrip(b"\0")) for at, data in runs if any(data)]


def write_elf(path, memory, base, entry):
    """ELF32, little-endian, RISC-V, one loadable segment a run of bytes, from `base` on."""
    runs = segments(memory)
    assert runs[0][0] <= entry < runs[0][0] + len(runs[0][1])
    at = 52 + 32 * len(runs)
    headers, body = b"", b""
    for offset, data in runs:
        data += bytes(-len(data) % 4)
        address = base + offset
        # The first run is the code. Nothing else is executed and nothing in it is written.
        flags = 5 if offset == runs[0][0] else 6
        headers += struct.pack(
            "<8I", 1, at + len(body), address, address, len(data), len(data), flags, 4)
        body += data
    header = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 0xF3, 1, base + entry, 52, 0, 0, 52, 32, len(runs), 40, 0, 0)
    path.write_bytes(header + headers + body)


def unit_test(source, target):
    memory = read_hex(source)
    [mret] = find(memory, [MRET])
    body = mret + 4
    memory = {at: byte for at, byte in memory.items() if at >= body}
    # `simple` cannot fail, every other test has one place where it does.
    for fail in find(memory, [FENCE, None, slli(T3, T3, 1), ori(T3, T3, 1), ECALL]):
        patch(memory, fail, [FENCE, slli(A0, T3, 1), ori(A0, A0, 1), li(A7, 0), ECALL])
    [done] = find(memory, [FENCE, li(T3, 1), ECALL])
    patch(memory, done, [li(A0, 0), li(A7, 0), ECALL])
    assert len(find(memory, [ECALL])) == (1 if "simple" in source.stem else 2), source
    write_elf(target, memory, GUEST, body)


def misaligned_data(source, target):
    """`ma_data` addresses its data absolutely, through s0, which is loaded behind the `mret`."""
    memory = dict(enumerate(source.read_bytes()))
    [mret] = find(memory, [MRET])
    data = word(memory, mret + 4) >> 20
    assert word(memory, mret + 4) == li(S0, data)
    patch(memory, mret, [GUEST | S0 << 7 | 0x37, addi(S0, S0, data)])
    [fail] = find(memory, [FENCE, None, slli(GP, GP, 1), ori(GP, GP, 1), li(A7, 93)])
    [_, done] = find(memory, [FENCE, li(GP, 1), li(A7, 93), li(A0, 0), ECALL])
    for at in (fail + 16, done + 8):
        patch(memory, at, [li(A7, 0)])
    code = {at: byte for at, byte in memory.items() if mret <= at < done + 20}
    code.update((at, byte) for at, byte in memory.items() if at >= data)
    write_elf(target, code, GUEST, mret)


def architecture_test(source, reference, target):
    memory = read_hex(source)
    # a0 and a1 hold the ends of the signature by then.
    [port] = find(memory, [0xF010_0637, 0xF2C6_0613])
    patch(memory, port, [sub(A1, A1, A0), li(A7, 1), ECALL, li(A0, 0), li(A7, 0), ECALL])
    write_elf(target, memory, LINKED, 0)
    # Lines of four words, the last word first; here one word a line, in memory order.
    words = [line[i:i + 8] for line in reference.read_text().split() for i in (24, 16, 8, 0)]
    target.with_suffix(".signature").write_text("\n".join(words) + "\n")


def main():
    images, binaries, out = map(pathlib.Path, sys.argv[1:])
    for folder in ("riscv-tests", "arch-test"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for source in sorted(images.glob("hex/rv32u[im]-p-*.hex")):
        if "." in source.stem:
            continue  # one file is there twice
        unit_test(source, out / "riscv-tests" / (source.stem.replace("-p-", "-") + ".elf"))
    misaligned_data(binaries / "ma_data", out / "riscv-tests" / "rv32ui-ma_data.elf")
    for reference in sorted(images.glob("ref/*.reference_output")):
        name = reference.stem
        if name not in PRIVILEGED and not name.startswith("C."):
            source = images / "hex" / (name + ".elf.hex")
            architecture_test(source, reference, out / "arch-test" / (name + ".elf"))


main()
