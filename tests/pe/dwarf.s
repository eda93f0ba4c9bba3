# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of 32-bit Windows with the unwind rules of MinGW, for tests/pe/record-dwarf: assembled
# once with rules in .eh_frame, once ("debug") in .debug_frame.
	.intel_syntax noprefix
	.ifdef debug
	.cfi_sections .debug_frame
	.endif
	.text
	.balign 16

# A frame pointer and a saved register.
	.macro framed name
	.globl _\name
_\name:	.cfi_startproc
	push ebp
	.cfi_def_cfa_offset 8
	.cfi_offset ebp, -8
	mov ebp, esp
	.cfi_def_cfa_register ebp
	push esi
	.cfi_offset esi, -12
	sub esp, 20
	nop
	add esp, 20
	pop esi
	.cfi_restore esi
	pop ebp
	.cfi_restore ebp
	.cfi_def_cfa esp, 4
	ret 8
	.cfi_endproc
	.endm

# A stack aligned by and: the CFA is in memory (gcc -mstackrealign).
	.macro realigned name
	.globl _\name
_\name:	.cfi_startproc
	lea ecx, [esp + 4]
	.cfi_def_cfa ecx, 0
	and esp, -16
	push dword ptr [ecx - 4]
	push ebp
	mov ebp, esp
	.cfi_escape 0x10, 5, 2, 0x75, 0			# ebp: DW_OP_breg5 0
	push ecx
	.cfi_escape 0x0f, 3, 0x75, 0x7c, 6		# CFA: DW_OP_breg5 -4, deref
	sub esp, 20
	mov ecx, [ebp - 4]
	.cfi_def_cfa ecx, 0
	leave
	.cfi_restore ebp
	lea esp, [ecx - 4]
	.cfi_def_cfa esp, 4
	ret
	.cfi_endproc
	.endm

	.ifdef debug
	framed debug_framed
	realigned debug_realigned
	.else
	framed framed
	realigned realigned
	.endif
