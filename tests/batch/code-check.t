#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows compared with the code: code of linkers and C++ compilers is reached and agrees, and wrong rows are reported.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

if lacks capstone; then
	skip_all 'capstone was left out'
fi
if ! command -v as >/dev/null || ! command -v ld >/dev/null || [ "$(uname -m)" != x86_64 ]; then
	skip_all 'no assembler for x86-64'
fi

# make NAME: make a library of the assembly on standard input.
make_library() {
	as --64 -o "$scratch/$1.o" - && ld -shared -z lazy -o "$scratch/$1" "$scratch/$1.o"
}
# The verdict of the code about the library's .eh_frame.
judge() {
	"$UNSPOOL" unwind-check --code --brief --all "$scratch/$1" 2>/dev/null >"$scratch/out"
	sed -n '/^  .eh_frame /,$s/^ *the code //p' "$scratch/out"
}
# The CFA that each contradicted row has, in order.
contradicted() { sed -n 's/.*warning: .eh_frame: \(.*\) .code-contradicts.*/\1/p' "$scratch/out"; }

make_library pads <<'END'
	.text
	.globl caught
	.type caught, @function
caught:
	.cfi_startproc
	.cfi_lsda 0x1b, handlers
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
begin:	call throws@plt
end:	pop %rbx
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.cfi_restore_state
pad:	mov %rax, %rdi
	call done@plt
	ud2
	.cfi_endproc
	.size caught, . - caught
	.type split, @function
split:
	.cfi_startproc
	.cfi_lsda 0x1b, cold_handlers
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
one:	call throws@plt
two:	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size split, . - split
	.type split.cold, @function
split.cold:
	.cfi_startproc
	nop
cold:
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call done@plt
	ud2
	.cfi_endproc
	.size split.cold, . - split.cold
	.section .gcc_except_table, "a"
handlers:
	.byte 0xff, 0xff, 1, 4
	.uleb128 begin - caught
	.uleb128 end - begin
	.uleb128 pad - caught
	.byte 0
cold_handlers:
	.byte 0x1b
	.long split.cold - .
	.byte 0xff, 1, 4
	.uleb128 one - split
	.uleb128 two - one
	.uleb128 cold - split.cold
	.byte 0
END
# Rows: 2 of PLT0, 2 for each of 2 stubs, 3 and the one at the pad, 3, and one of 2 that is not padding.
is 'landing pads, cold parts that begin with padding and stubs are reached' "$(judge pads)" 'agrees with 14, contradicts 0, cannot decide 0'

make_library wrong <<'END'
	.text
	.globl late
	.type late, @function
late:
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push %rbx
	.cfi_def_cfa_offset 24
	.cfi_offset %rbx, -24
	add $8, %rsp
	test %edi, %edi
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size late, . - late
	.type unsaved, @function
unsaved:
	.cfi_startproc
	xor %ebx, %ebx
	nop
	ret
	.cfi_endproc
	.size unsaved, . - unsaved
END
judge wrong >/dev/null
is 'a row that ignores the instruction before it and a saved register without a rule are reported' "$(contradicted)" \
	"CFA: rsp+24, but the code has it at rsp+16 since the instruction at 0x$(
		objdump -d "$scratch/wrong" | sed -n 's/^ *\([0-9a-f]*\):.*add .*/\1/p')
rbx: unchanged, but the instruction at 0x$(
		objdump -d "$scratch/wrong" | sed -n 's/^ *\([0-9a-f]*\):.*xor .*/\1/p') has changed it"

make_library ends <<'END'
	.text
	.type fails, @function
fails:
	.cfi_startproc
	hlt
	.cfi_endproc
	.size fails, . - fails
	.globl jumps
	.type jumps, @function
jumps:
	.cfi_startproc
	sub $24, %rsp
	.cfi_def_cfa_offset 32
	test %edi, %edi
	je 1f
	jmp *%rsi
1:	push %rax
	.cfi_def_cfa_offset 40
	call fails
	nop
	.cfi_def_cfa_offset 32
	add $24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size jumps, . - jumps
END
judge ends >"$scratch/counts"
is 'a call does not return if the row after it is for another frame size' "$(contradicted)" ''
is 'code that only jumps reach has the state of the jumps' "$(cat "$scratch/counts")" 'agrees with 6, contradicts 0, cannot decide 0'

# The callee has no symbol; the name before it has no size, and is not the callee's.
make_library named <<'END'
	.text
	.type abort, @function
abort:	ud2
	.p2align 4
.Lcallee:
	ret
	.globl calls
	.type calls, @function
calls:	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call .Lcallee
	push %rcx
	.cfi_def_cfa_offset 32
	nop
	pop %rcx
	.cfi_def_cfa_offset 16
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size calls, . - calls
END
judge named >/dev/null
is 'a callee after a function that never returns may return' "$(contradicted)" \
	'CFA: rsp+32, but the code has it at rsp+24 since the instruction at 0x1017'

# A static program has no index of .eh_frame, and without a section table only its form shows where it is.
for function in a b c d e; do
	printf '\t.globl %s\n\t.type %s, @function\n%s:\n\t.cfi_startproc\n\tpush %%rbx\n\t.cfi_def_cfa_offset 16\n' $function $function $function
	printf '\tpop %%rbx\n\t.cfi_def_cfa_offset 8\n\tret\n\t.cfi_endproc\n'
done | as --64 -o "$scratch/static.o" - && printf '\t.section .eh_frame, "a"\n\t.long 0\n' | as --64 -o "$scratch/end.o" - &&
	ld -static -e a -o "$scratch/static" "$scratch/static.o" "$scratch/end.o"
"$UNSPOOL" dump-syms "$scratch/static" 2>/dev/null | grep '^STACK' >"$scratch/expected"
for place in 40 60 62; do
	printf '\0\0' | dd of="$scratch/static" bs=1 seek=$place conv=notrunc 2>/dev/null
done
"$UNSPOOL" dump-syms "$scratch/static" 2>/dev/null | grep '^STACK' >"$scratch/out"
is 'rows without a section table and an index' "$(cat "$scratch/out")" "$(cat "$scratch/expected")"
is 'rows of all functions' "$(grep -c INIT "$scratch/out")" 5
done_testing
