// SPDX-License-Identifier: GPL-3.0-or-later
// Prologues that clang does not write, but entries have a form for; see arm64.c.
	.text

	.macro	function name
	.globl	\name
	.p2align 2
	.seh_proc \name
\name:
	.endm

	// A frame record at the bottom.
	function chained
	stp	x29, x30, [sp, #-48]!
	.seh_save_fplr_x 48
	mov	x29, sp
	.seh_set_fp
	.seh_endprologue
	bl	use
	.seh_startepilogue
	ldp	x29, x30, [sp], #48
	.seh_save_fplr_x 48
	.seh_endepilogue
	ret
	.seh_endproc

	// Saved registers, floating-point ones, then the frame record below them.
	function chained_saves
	stp	x19, x20, [sp, #-80]!
	.seh_save_regp_x x19, 80
	stp	x21, x22, [sp, #16]
	.seh_save_regp x21, 16
	str	x23, [sp, #32]
	.seh_save_reg x23, 32
	stp	d8, d9, [sp, #40]
	.seh_save_fregp d8, 40
	str	d10, [sp, #56]
	.seh_save_freg d10, 56
	stp	x29, x30, [sp, #-16]!
	.seh_save_fplr_x 16
	mov	x29, sp
	.seh_set_fp
	.seh_endprologue
	bl	use
	.seh_startepilogue
	ldp	x29, x30, [sp], #16
	.seh_save_fplr_x 16
	ldr	d10, [sp, #56]
	.seh_save_freg d10, 56
	ldp	d8, d9, [sp, #40]
	.seh_save_fregp d8, 40
	ldr	x23, [sp, #32]
	.seh_save_reg x23, 32
	ldp	x21, x22, [sp, #16]
	.seh_save_regp x21, 16
	ldp	x19, x20, [sp], #80
	.seh_save_regp_x x19, 80
	.seh_endepilogue
	ret
	.seh_endproc

	// A large frame below the saved registers: the stack pointer moves twice.
	function chained_large
	stp	x19, x20, [sp, #-16]!
	.seh_save_regp_x x19, 16
	sub	sp, sp, #4080
	.seh_stackalloc 4080
	sub	sp, sp, #928
	.seh_stackalloc 928
	stp	x29, x30, [sp]
	.seh_save_fplr 0
	mov	x29, sp
	.seh_set_fp
	.seh_endprologue
	bl	use
	.seh_startepilogue
	ldp	x29, x30, [sp]
	.seh_save_fplr 0
	add	sp, sp, #928
	.seh_stackalloc 928
	add	sp, sp, #4080
	.seh_stackalloc 4080
	ldp	x19, x20, [sp], #16
	.seh_save_regp_x x19, 16
	.seh_endepilogue
	ret
	.seh_endproc

	// An odd register beside the link register.
	function beside_link_register
	stp	x19, x20, [sp, #-48]!
	.seh_save_regp_x x19, 48
	stp	x21, x30, [sp, #16]
	.seh_save_lrpair x21, 16
	sub	sp, sp, #64
	.seh_stackalloc 64
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add	sp, sp, #64
	.seh_stackalloc 64
	ldp	x21, x30, [sp, #16]
	.seh_save_lrpair x21, 16
	ldp	x19, x20, [sp], #48
	.seh_save_regp_x x19, 48
	.seh_endepilogue
	ret
	.seh_endproc

	// A frame pointer above the bottom, and registers saved by codes that repeat.
	function frame_above
	sub	sp, sp, #112
	.seh_stackalloc 112
	stp	x19, x20, [sp, #48]
	.seh_save_regp x19, 48
	stp	x21, x22, [sp, #64]
	.seh_save_next
	stp	x29, x30, [sp, #80]
	.seh_save_fplr 80
	add	x29, sp, #80
	.seh_add_fp 80
	.seh_endprologue
	bl	use
	.seh_startepilogue
	ldp	x29, x30, [sp, #80]
	.seh_save_fplr 80
	ldp	x21, x22, [sp, #64]
	.seh_save_next
	ldp	x19, x20, [sp, #48]
	.seh_save_regp x19, 48
	add	sp, sp, #112
	.seh_stackalloc 112
	.seh_endepilogue
	ret
	.seh_endproc

	.p2align 2
use:
	ret
