# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of 32-bit Windows with a prologue for hooks, as gcc writes them for ms_hook_prologue: calls lead to
# the symbol, five bytes before the entry of .eh_frame. Assembled by record-hook.
	.intel_syntax noprefix
	.text
	.balign 16

	.macro function name
	.globl _\name
	.def _\name; .scl 2; .type 32; .endef
_\name:
	.endm

	.macro hook name
	function \name
	.byte 0x8b, 0xff, 0x55, 0x8b, 0xec	# mov edi, edi; push ebp; mov ebp, esp
	.cfi_startproc
	.endm

# gcc's own, without a frame pointer: its entry does not say that ebp is pushed yet.
	hook leafless
	pop ebp
	push ebx
	.cfi_def_cfa_offset 8
	.cfi_offset ebx, -8
	xor ebx, ebx
	pop ebx
	.cfi_restore ebx
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc

# One whose entry says so.
	.balign 16
	hook right
	.cfi_def_cfa_offset 8
	.cfi_offset ebp, -8
	pop ebp
	.cfi_restore ebp
	.cfi_def_cfa_offset 4
	nop
	ret
	.cfi_endproc

# A short function without an entry, and what begins right behind it.
	.balign 16
	function short
	push eax
	pop eax
	ret
	function behind
	.cfi_startproc
	push ebx
	.cfi_def_cfa_offset 8
	.cfi_offset ebx, -8
	xor ebx, ebx
	pop ebx
	.cfi_restore ebx
	.cfi_def_cfa_offset 4
	ret
	.cfi_endproc

# One that falls into the next, each with an entry.
	.balign 16
	function falls
	.cfi_startproc
	push ebx
	.cfi_def_cfa_offset 8
	nop
	.cfi_endproc
	function into
	.cfi_startproc
	xor eax, eax
	ret
	.cfi_endproc
