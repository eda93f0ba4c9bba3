# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of 64-bit Windows with rules in .pdata and in .debug_frame, assembled by record-hook.
	.intel_syntax noprefix
	.cfi_sections .debug_frame
	.text
	.balign 16

	.macro function name
	.globl \name
	.def \name; .scl 2; .type 32; .endef
	.seh_proc \name
\name:	.cfi_startproc
	.endm

# Padding behind two returns: .debug_frame still has the row of the returns there, as gcc writes it.
	function padded
	sub rsp, 40
	.seh_stackalloc 40
	.cfi_def_cfa_offset 48
	.seh_endprologue
	test ecx, ecx
	je 1f
	.cfi_remember_state
	add rsp, 40
	.cfi_def_cfa_offset 8
	ret
	.balign 16
	.cfi_restore_state
1:	mov [rsp + 32], edx
	add rsp, 40
	.cfi_def_cfa_offset 8
	ret
	.balign 16
	.cfi_endproc
	.seh_endproc

# A row that comes an instruction late; that one does nothing, but it runs.
	function late
	sub rsp, 40
	.seh_stackalloc 40
	.seh_endprologue
	nop
	.cfi_def_cfa_offset 48
	mov [rsp + 32], edx
	add rsp, 40
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.seh_endproc

# The same behind a return, where the branch leads.
	.balign 16
	function reached
	sub rsp, 40
	.seh_stackalloc 40
	.cfi_def_cfa_offset 48
	.seh_endprologue
	test ecx, ecx
	je 1f
	add rsp, 40
	.cfi_def_cfa_offset 8
	ret
1:	nop
	.cfi_def_cfa_offset 48
	add rsp, 40
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.seh_endproc
