# memcpy, memmove, memset, memcmp, bcmp for RV32IM; see mem.rs. C calling convention: arguments in
# a0..a2, result in a0; only a and t registers are used. t0 is left alone in jumps, since the
# profiler takes it for a link register.

.section .text.memcpy,"ax",@progbits
.globl memcpy
.type memcpy, @function
# Copies forward, so that memmove can use it when the destination lies before the source.
memcpy:
    or a3, a0, a1
    andi a3, a3, 3
    mv a4, a0
    bnez a3, .Lcopy_unaligned
.Lcopy_words:
    addi a2, a2, -32
    bltz a2, .Lcopy_tail
.Lcopy_block:
    lw a3, 0(a1)
    lw a5, 4(a1)
    lw a6, 8(a1)
    lw a7, 12(a1)
    lw t1, 16(a1)
    lw t2, 20(a1)
    lw t3, 24(a1)
    lw t4, 28(a1)
    sw a3, 0(a4)
    sw a5, 4(a4)
    sw a6, 8(a4)
    sw a7, 12(a4)
    sw t1, 16(a4)
    sw t2, 20(a4)
    sw t3, 24(a4)
    sw t4, 28(a4)
    addi a1, a1, 32
    addi a4, a4, 32
    addi a2, a2, -32
    bgez a2, .Lcopy_block
.Lcopy_tail:
    andi a2, a2, 31
    beqz a2, .Lcopy_done
    andi a3, a2, 16
    beqz a3, .Lcopy_8
    lw a3, 0(a1)
    lw a5, 4(a1)
    lw a6, 8(a1)
    lw a7, 12(a1)
    sw a3, 0(a4)
    sw a5, 4(a4)
    sw a6, 8(a4)
    sw a7, 12(a4)
    addi a1, a1, 16
    addi a4, a4, 16
    andi a2, a2, 15
    beqz a2, .Lcopy_done
.Lcopy_8:
    andi a3, a2, 8
    beqz a3, .Lcopy_4
    lw a3, 0(a1)
    lw a5, 4(a1)
    sw a3, 0(a4)
    sw a5, 4(a4)
    addi a1, a1, 8
    addi a4, a4, 8
.Lcopy_4:
    andi a3, a2, 4
    beqz a3, .Lcopy_3
    lw a3, 0(a1)
    sw a3, 0(a4)
    addi a1, a1, 4
    addi a4, a4, 4
.Lcopy_3:
    andi a2, a2, 3
    beqz a2, .Lcopy_done
.Lcopy_byte:
    lbu a3, 0(a1)
    addi a1, a1, 1
    sb a3, 0(a4)
    addi a4, a4, 1
    addi a2, a2, -1
    bnez a2, .Lcopy_byte
.Lcopy_done:
    ret
.Lcopy_unaligned:
    li a3, 12
    bltu a2, a3, .Lcopy_bytes
    andi a3, a4, 3
    beqz a3, .Lcopy_shifted
    # Bytes until the destination is aligned.
    li a5, 4
    sub a3, a5, a3
    sub a2, a2, a3
.Lcopy_head:
    lbu a5, 0(a1)
    addi a1, a1, 1
    sb a5, 0(a4)
    addi a4, a4, 1
    addi a3, a3, -1
    bnez a3, .Lcopy_head
    andi a3, a1, 3
    beqz a3, .Lcopy_words
.Lcopy_shifted:
    # The destination is aligned, the source is not: t1 holds the aligned word under the source.
    # Shifts take the low five bits of their amount, so that t4 = -t3 shifts by 32 - t3.
    andi a3, a1, 3
    slli t3, a3, 3
    neg t4, t3
    sub a1, a1, a3
    lw t1, 0(a1)
    addi a2, a2, -16
    bltz a2, .Lshifted_tail
.Lshifted_block:
    lw a5, 4(a1)
    lw a6, 8(a1)
    lw a7, 12(a1)
    lw t2, 16(a1)
    srl t1, t1, t3
    sll t5, a5, t4
    or t1, t1, t5
    sw t1, 0(a4)
    srl a5, a5, t3
    sll t5, a6, t4
    or a5, a5, t5
    sw a5, 4(a4)
    srl a6, a6, t3
    sll t5, a7, t4
    or a6, a6, t5
    sw a6, 8(a4)
    srl a7, a7, t3
    sll t5, t2, t4
    or a7, a7, t5
    sw a7, 12(a4)
    mv t1, t2
    addi a1, a1, 16
    addi a4, a4, 16
    addi a2, a2, -16
    bgez a2, .Lshifted_block
.Lshifted_tail:
    andi a2, a2, 15
    sltiu a5, a2, 4
    bnez a5, .Lshifted_end
.Lshifted_word:
    lw a5, 4(a1)
    srl t1, t1, t3
    sll t5, a5, t4
    or t1, t1, t5
    sw t1, 0(a4)
    mv t1, a5
    addi a1, a1, 4
    addi a4, a4, 4
    addi a2, a2, -4
    sltiu a5, a2, 4
    beqz a5, .Lshifted_word
.Lshifted_end:
    add a1, a1, a3
.Lcopy_bytes:
    bnez a2, .Lcopy_byte
    ret
.size memcpy, . - memcpy

.section .text.memmove,"ax",@progbits
.globl memmove
.type memmove, @function
memmove:
    sub a3, a0, a1
    bltu a3, a2, .Lmove_back
    tail memcpy
.Lmove_back:
    # The destination's start lies inside the source: from the end.
    add a1, a1, a2
    add a4, a0, a2
    or a3, a1, a4
    andi a3, a3, 3
    bnez a3, .Lmove_byte
    addi a2, a2, -16
    bltz a2, .Lmove_tail
.Lmove_block:
    lw a3, -4(a1)
    lw a5, -8(a1)
    lw a6, -12(a1)
    lw a7, -16(a1)
    sw a3, -4(a4)
    sw a5, -8(a4)
    sw a6, -12(a4)
    sw a7, -16(a4)
    addi a1, a1, -16
    addi a4, a4, -16
    addi a2, a2, -16
    bgez a2, .Lmove_block
.Lmove_tail:
    andi a2, a2, 15
    sltiu a3, a2, 4
    bnez a3, .Lmove_rest
.Lmove_word:
    lw a3, -4(a1)
    addi a1, a1, -4
    addi a4, a4, -4
    sw a3, 0(a4)
    addi a2, a2, -4
    sltiu a3, a2, 4
    beqz a3, .Lmove_word
.Lmove_rest:
    beqz a2, .Lmove_done
.Lmove_byte:
    lbu a3, -1(a1)
    addi a1, a1, -1
    addi a4, a4, -1
    sb a3, 0(a4)
    addi a2, a2, -1
    bnez a2, .Lmove_byte
.Lmove_done:
    ret
.size memmove, . - memmove

.section .text.memset,"ax",@progbits
.globl memset
.type memset, @function
memset:
    mv a4, a0
    sltiu a3, a2, 8
    bnez a3, .Lset_rest
    andi a1, a1, 255
    beqz a1, .Lset_align
    slli a3, a1, 8
    or a1, a1, a3
    slli a3, a1, 16
    or a1, a1, a3
.Lset_align:
    andi a3, a4, 3
    beqz a3, .Lset_words
    sb a1, 0(a4)
    addi a4, a4, 1
    addi a2, a2, -1
    j .Lset_align
.Lset_words:
    addi a2, a2, -32
    bltz a2, .Lset_tail
.Lset_block:
    sw a1, 0(a4)
    sw a1, 4(a4)
    sw a1, 8(a4)
    sw a1, 12(a4)
    sw a1, 16(a4)
    sw a1, 20(a4)
    sw a1, 24(a4)
    sw a1, 28(a4)
    addi a4, a4, 32
    addi a2, a2, -32
    bgez a2, .Lset_block
.Lset_tail:
    andi a3, a2, 16
    beqz a3, .Lset_8
    sw a1, 0(a4)
    sw a1, 4(a4)
    sw a1, 8(a4)
    sw a1, 12(a4)
    addi a4, a4, 16
.Lset_8:
    andi a3, a2, 8
    beqz a3, .Lset_4
    sw a1, 0(a4)
    sw a1, 4(a4)
    addi a4, a4, 8
.Lset_4:
    andi a3, a2, 4
    beqz a3, .Lset_3
    sw a1, 0(a4)
    addi a4, a4, 4
.Lset_3:
    andi a2, a2, 3
.Lset_rest:
    beqz a2, .Lset_done
.Lset_byte:
    sb a1, 0(a4)
    addi a4, a4, 1
    addi a2, a2, -1
    bnez a2, .Lset_byte
.Lset_done:
    ret
.size memset, . - memset

.section .text.memcmp,"ax",@progbits
.globl memcmp
.type memcmp, @function
.globl bcmp
.type bcmp, @function
memcmp:
bcmp:
    or a3, a0, a1
    andi a3, a3, 3
    bnez a3, .Lcmp_rest
    addi a2, a2, -8
    bltz a2, .Lcmp_tail
.Lcmp_block:
    lw a3, 0(a0)
    lw a4, 0(a1)
    lw a5, 4(a0)
    lw a6, 4(a1)
    bne a3, a4, .Lcmp_first
    bne a5, a6, .Lcmp_second
    addi a0, a0, 8
    addi a1, a1, 8
    addi a2, a2, -8
    bgez a2, .Lcmp_block
.Lcmp_tail:
    addi a2, a2, 8
    beqz a2, .Lcmp_equal
.Lcmp_rest:
    addi a2, a2, -4
    bltz a2, .Lcmp_end
.Lcmp_bytes_4:
    lbu a3, 0(a0)
    lbu a4, 0(a1)
    bne a3, a4, .Lcmp_order
    lbu a3, 1(a0)
    lbu a4, 1(a1)
    bne a3, a4, .Lcmp_order
    lbu a3, 2(a0)
    lbu a4, 2(a1)
    bne a3, a4, .Lcmp_order
    lbu a3, 3(a0)
    lbu a4, 3(a1)
    bne a3, a4, .Lcmp_order
    addi a0, a0, 4
    addi a1, a1, 4
    addi a2, a2, -4
    bgez a2, .Lcmp_bytes_4
.Lcmp_end:
    addi a2, a2, 4
    beqz a2, .Lcmp_equal
.Lcmp_byte:
    lbu a3, 0(a0)
    lbu a4, 0(a1)
    bne a3, a4, .Lcmp_order
    addi a0, a0, 1
    addi a1, a1, 1
    addi a2, a2, -1
    bnez a2, .Lcmp_byte
.Lcmp_equal:
    li a0, 0
    ret
.Lcmp_order:
    sub a0, a3, a4
    ret
.Lcmp_second:
    mv a3, a5
    mv a4, a6
.Lcmp_first:
    # The lowest byte that differs decides, since memory order puts the low byte first.
    xor a5, a3, a4
    andi a6, a5, 255
    bnez a6, .Lcmp_bytes
    srli a3, a3, 8
    srli a4, a4, 8
    j .Lcmp_first
.Lcmp_bytes:
    andi a3, a3, 255
    andi a4, a4, 255
    sub a0, a3, a4
    ret
.size memcmp, . - memcmp
.size bcmp, . - bcmp
