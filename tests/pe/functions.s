# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of x64 with every code that UNWIND_INFO has. Never run: `record` asks
# RtlVirtualUnwind about each of their instructions.
	.intel_syntax noprefix
	.text

# PUSH_NONVOL, ALLOC_SMALL
	.seh_proc small
small:
	push	rbx
	.seh_pushreg rbx
	push	r12
	.seh_pushreg r12
	push	rdi
	.seh_pushreg rdi
	sub	rsp, 0x40
	.seh_stackalloc 0x40
	.seh_endprologue
	nop
	call	small
	nop
	add	rsp, 0x40
	pop	rdi
	pop	r12
	pop	rbx
	ret
	.seh_endproc

# ALLOC_LARGE with 16 bits, SAVE_NONVOL, SAVE_XMM128; two epilogues
	.seh_proc large
large:
	push	rbp
	.seh_pushreg rbp
	sub	rsp, 0x1000
	.seh_stackalloc 0x1000
	mov	[rsp + 0x1010], rsi
	.seh_savereg rsi, 0x1010
	movaps	[rsp + 0x40], xmm6
	.seh_savexmm xmm6, 0x40
	mov	[rsp + 0x38], r15
	.seh_savereg r15, 0x38
	.seh_endprologue
	test	ecx, ecx
	je	1f
	mov	r15, [rsp + 0x38]
	movaps	xmm6, [rsp + 0x40]
	mov	rsi, [rsp + 0x1010]
	add	rsp, 0x1000
	pop	rbp
	ret
1:
	call	small
	mov	r15, [rsp + 0x38]
	movaps	xmm6, [rsp + 0x40]
	mov	rsi, [rsp + 0x1010]
	add	rsp, 0x1000
	pop	rbp
	ret	0
	.seh_endproc

# ALLOC_LARGE with 32 bits, SAVE_NONVOL_FAR, SAVE_XMM128_FAR
	.seh_proc far
far:
	push	r14
	.seh_pushreg r14
	sub	rsp, 0x200000
	.seh_stackalloc 0x200000
	mov	[rsp + 0x1ffff8], rbx
	.seh_savereg rbx, 0x1ffff8
	movaps	[rsp + 0x1fff00], xmm7
	.seh_savexmm xmm7, 0x1fff00
	.seh_endprologue
	nop
	movaps	xmm7, [rsp + 0x1fff00]
	mov	rbx, [rsp + 0x1ffff8]
	add	rsp, 0x200000
	pop	r14
	ret
	.seh_endproc

# SET_FPREG with an offset; saves that are counted from the frame register
	.seh_proc framed
framed:
	push	rbp
	.seh_pushreg rbp
	push	rsi
	.seh_pushreg rsi
	sub	rsp, 0x98
	.seh_stackalloc 0x98
	lea	rbp, [rsp + 0x80]
	.seh_setframe rbp, 0x80
	mov	[rbp + 8], rdi
	.seh_savereg rdi, 0x88
	.seh_endprologue
	mov	eax, 0x1000
	sub	rsp, rax
	mov	rdi, [rbp + 8]
	lea	rsp, [rbp + 0x18]
	pop	rsi
	pop	rbp
	ret
	.seh_endproc

# SET_FPREG of r13, far from the stack pointer: lea with 32 bits
	.seh_proc framed_high
framed_high:
	push	r13
	.seh_pushreg r13
	sub	rsp, 0x200
	.seh_stackalloc 0x200
	lea	r13, [rsp + 0xf0]
	.seh_setframe r13, 0xf0
	.seh_endprologue
	nop
	lea	rsp, [r13 + 0x110]
	pop	r13
	ret
	.seh_endproc

# PUSH_MACHFRAME without an error code
	.seh_proc interrupted
interrupted:
	.seh_pushframe
	push	rax
	.seh_pushreg rax
	sub	rsp, 0x20
	.seh_stackalloc 0x20
	.seh_endprologue
	nop
	.seh_endproc

# No entry: a leaf
leaf:
	mov	eax, ecx
	ret

# PUSH_MACHFRAME with an error code, behind it a register
failed:
	push	rbp
1:	sub	rsp, 0x28
2:	nop
3:
	.section .xdata
failed_info:
	.byte	1, 2b - failed, 3, 0
	.byte	2b - failed, 0x42, 1b - failed, 0x50, 0, 0x1a, 0, 0
	.section .pdata
	.rva	failed, 3b, failed_info
	.text

# A function in three parts: both others are chained to the first
whole:
	push	rbx
1:	sub	rsp, 0x50
2:	nop
3:
part:
	mov	[rsp + 0x60], rsi
4:	nop
	mov	rsi, [rsp + 0x60]
5:
rest:
	nop
	add	rsp, 0x50
	pop	rbx
	ret
6:
	.section .xdata
	.balign	4
whole_info:
	.byte	1, 2b - whole, 2, 0, 2b - whole, 0x92, 1b - whole, 0x30
part_info:
	.byte	0x21, 4b - part, 2, 0, 4b - part, 0x64, 12, 0
	.rva	whole, 3b, whole_info
rest_info:
	.byte	0x21, 0, 0, 0
	.rva	whole, 3b, whole_info
	.section .pdata
	.rva	whole, 3b, whole_info
	.rva	part, 5b, part_info
	.rva	rest, 6b, rest_info
	.text

# Version 2: epilogues of 6 bytes at 2 and at 4, the latter at the end
second:
	push	rdi
1:	sub	rsp, 0x30
	test	ecx, ecx
	je	3f
2:	add	rsp, 0x30
	pop	rdi
	ret
3:	call	small
4:	add	rsp, 0x30
	pop	rdi
	ret
5:
	.section .xdata
	.balign	4
second_info:
	.byte	2, 5, 4, 0, 5b - 4b, 0x16, 5b - 2b, 0x06, 5, 0x52, 1b - second, 0x70
	.section .pdata
	.rva	second, 5b, second_info
