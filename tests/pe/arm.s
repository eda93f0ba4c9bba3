// SPDX-License-Identifier: GPL-3.0-or-later
// Prologues of ARM that clang does not write, but entries have a form for; see arm.c.
	.syntax unified
	.thumb
	.text

	.macro	function name
	.globl	\name
	.def	\name
	.scl	2
	.type	32
	.endef
	.p2align 2
	.thumb_func
\name:
	.seh_proc \name
	.endm

	// Arguments stored above what is pushed; the return loads pc over them.
	function homed
	push	{r0-r3}
	.seh_stackalloc 16
	push	{r4-r6, lr}
	.seh_save_regs {r4-r6, lr}
	sub	sp, sp, #24
	.seh_stackalloc 24
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add	sp, sp, #24
	.seh_stackalloc 24
	pop	{r4-r6}
	.seh_save_regs {r4-r6}
	ldr	pc, [sp], #20
	.seh_save_lr 20
	.seh_endepilogue
	.seh_endproc

	// Arguments, and a jump instead of the return.
	function homed_jumps
	push	{r0-r3}
	.seh_stackalloc 16
	push	{r4, lr}
	.seh_save_regs {r4, lr}
	.seh_endprologue
	bl	use
	.seh_startepilogue
	pop.w	{r4, lr}
	.seh_save_regs_w {r4, lr}
	add	sp, sp, #16
	.seh_stackalloc 16
	b.w	use
	.seh_nop_w
	.seh_endepilogue
	.seh_endproc

	// Registers are pushed that only make room.
	function folded
	push	{r2-r7, lr}
	.seh_save_regs {r2-r7, lr}
	.seh_endprologue
	bl	use
	.seh_startepilogue
	pop	{r2-r7, pc}
	.seh_save_regs {r2-r7, pc}
	.seh_endepilogue
	.seh_endproc

	// Only the prologue makes room so.
	function folded_prologue
	push	{r3-r5, lr}
	.seh_save_regs {r3-r5, lr}
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add	sp, sp, #4
	.seh_stackalloc 4
	pop	{r4-r5, pc}
	.seh_save_regs {r4-r5, pc}
	.seh_endepilogue
	.seh_endproc

	// A frame pointer, registers of floating point, locals.
	function chained_floats
	push.w	{r11, lr}
	.seh_save_regs_w {r11, lr}
	mov	r11, sp
	.seh_nop
	vpush	{d8-d10}
	.seh_save_fregs {d8-d10}
	sub	sp, sp, #40
	.seh_stackalloc 40
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add	sp, sp, #40
	.seh_stackalloc 40
	vpop	{d8-d10}
	.seh_save_fregs {d8-d10}
	pop.w	{r11, pc}
	.seh_save_regs_w {r11, pc}
	.seh_endepilogue
	.seh_endproc

	// All registers, the frame pointer among them, a long frame.
	function chained_all
	push.w	{r4-r10, r11, lr}
	.seh_save_regs_w {r4-r10, r11, lr}
	add.w	r11, sp, #28
	.seh_nop_w
	sub.w	sp, sp, #1024
	.seh_stackalloc_w 1024
	.seh_endprologue
	bl	use
	.seh_startepilogue
	add.w	sp, sp, #1024
	.seh_stackalloc_w 1024
	pop.w	{r4-r10, r11, lr}
	.seh_save_regs_w {r4-r10, r11, lr}
	bx	lr
	.seh_nop
	.seh_endepilogue
	.seh_endproc

	// The highest registers of floating point, a frame that is released from the frame pointer.
	function high_floats
	push.w	{r4, r7, lr}
	.seh_save_regs_w {r4, r7, lr}
	vpush	{d16-d18}
	.seh_save_fregs {d16-d18}
	vpush	{d9-d11}
	.seh_save_fregs {d9-d11}
	mov	r7, sp
	.seh_save_sp r7
	sub.w	sp, sp, #256
	.seh_stackalloc_w 256
	.seh_endprologue
	bl	use
	.seh_startepilogue
	mov	sp, r7
	.seh_save_sp r7
	vpop	{d9-d11}
	.seh_save_fregs {d9-d11}
	vpop	{d16-d18}
	.seh_save_fregs {d16-d18}
	pop.w	{r4, r7, pc}
	.seh_save_regs_w {r4, r7, pc}
	.seh_endepilogue
	.seh_endproc

	// More room than a short code has bits for.
	function wide
	push	{r4, lr}
	.seh_save_regs {r4, lr}
	movw	r12, #0
	.seh_nop_w
	movt	r12, #8
	.seh_nop_w
	sub.w	sp, sp, r12
	.seh_stackalloc_w 524288
	.seh_endprologue
	bl	use
	movw	r12, #0
	movt	r12, #8
	.seh_startepilogue
	add.w	sp, sp, r12
	.seh_stackalloc_w 524288
	pop	{r4, pc}
	.seh_save_regs {r4, pc}
	.seh_endepilogue
	.seh_endproc

	// An epilogue that runs only by the flags, in the middle.
	function conditional
	push	{r4, lr}
	.seh_save_regs {r4, lr}
	.seh_endprologue
	cmp	r0, #0
	itt	eq
	.seh_startepilogue_cond eq
	nopeq
	.seh_nop
	popeq	{r4, pc}
	.seh_save_regs {r4, pc}
	.seh_endepilogue
	bl	use
	.seh_startepilogue
	pop	{r4, pc}
	.seh_save_regs {r4, pc}
	.seh_endepilogue
	.seh_endproc

	// What the system calls with a context on the stack.
	function dispatcher
	.seh_custom 0xee, 0x02
	.seh_endprologue
	bl	use
	bl	use
	.seh_endproc

	function interrupted
	.seh_custom 0xee, 0x01
	.seh_endprologue
	bl	use
	bl	use
	.seh_endproc
