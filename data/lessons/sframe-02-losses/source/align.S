/* with_aligned(function, argument): calls the function on a stack that is aligned to 64 bytes. */
	.text
	.globl with_aligned
	.type with_aligned, @function
with_aligned:
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	mov %rdi, %rax
	mov %rsi, %rdi
	and $-64, %rsp
	call *%rax
	mov %rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size with_aligned, . - with_aligned
	.section .note.GNU-stack, "", @progbits
