#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Walks by the code itself: the frames and registers that records give, without reading a record.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64

if lacks capstone; then
	skip_all 'capstone was left out'
fi

# Frames of the crashed thread with the registers that calls preserve, without names and methods.
frames() {
	sed -n '/^Thread 0/,/^$/p' "$1" | $AWK '
		/^ *[0-9]+  / { frame = $1 }
		/ = 0x/ { for (i = 1; i + 2 <= NF; i += 3) print frame, $i, $(i + 2) }' | LC_ALL=C sort
}

"$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" >"$scratch/symbols" 2>/dev/null
"$UNSPOOL" walk --methods code --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/code" 2>/dev/null
frames "$scratch/symbols" >"$scratch/want"
frames "$scratch/code" >"$scratch/got"
t 'the comparison has registers' test "$(wc -l <"$scratch/want")" -gt 50
is 'every frame has the registers that STACK CFI finds' "$(diff "$scratch/want" "$scratch/got")" ''
t 'the walk reports how the frames were found' grep -q "Found by: running the function's code" "$scratch/code"

"$UNSPOOL" explain --methods code --binaries "$crash/binaries" --frame 1 "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'a step names the instructions that were run' \
	grep -Eq '^ record the instructions from 0x[0-9a-f]+ up to 0x[0-9a-f]+ were run$' "$scratch/out"
t 'the step says which instruction made a rule, with its bytes in the file' \
	grep -Eq "^ record CFA by 'sub rsp, 0x138' at 0x[0-9a-f]+   parcel\\+0x[0-9a-f]+$" "$scratch/out"
t 'the rules of the code are postfix' grep -Eq '^ rule \.ra: \.cfa -8 \+ \^ ' "$scratch/out"

found_by() { "$UNSPOOL" walk "$@" --binaries "$crash/binaries" "$crash/crash.dmp" 2>/dev/null | grep -c "running the function's code"; }
is 'the code is not run if there are records' "$(found_by)" 0
t 'the code is run without records' test "$(found_by --policy sframe=0 --policy frame-tables=0)" -gt 0
is 'a policy row switches the method off' "$(found_by --policy sframe=0 --policy frame-tables=0 --policy code=0)" 0
t 'another row of the policy prefers the code to records' test "$(found_by --policy code-wins=1)" -gt 0
is 'other walkers have no such method' "$(found_by --compat rust-minidump --policy frame-tables=0)" 0

# Rows compared with the code.
binary=$crash/binaries/parcel
records=$(find "$crash/symbols" -type f | head -n 1)
check_code() { "$UNSPOOL" unwind-check --code "$@" 2>"$scratch/errors" >"$scratch/out"; echo $?; }
is 'the code does not contradict correct rows' "$(check_code "$binary" "$records")" 0
t 'most rows are judged' grep -q 'the code agrees with 17, contradicts 0, ' "$scratch/out"
# Only the symbol file is wrong: the binary has no table that could be compared with it.
sed 's/^STACK CFI 114c .cfa: $rsp 320/STACK CFI 114c .cfa: $rsp 312/' "$records" >"$scratch/wrong.sym"
command -v objcopy >/dev/null && objcopy -R .eh_frame -R .eh_frame_hdr -R .sframe "$binary" "$scratch/parcel" 2>/dev/null
if [ -f "$scratch/parcel" ]; then
	# A Go function preserves no registers, and its tables name none. Here a C program is marked as Go.
	sed 's/ \$rbx: \.cfa -[0-9]* + ^//' "$records" >"$scratch/bare.sym"
	mkdir "$scratch/go"
	changed() {
		printf '\377 Go %s:\010\002' "$1" >"$scratch/go/mark"
		objcopy --add-section .go.buildinfo="$scratch/go/mark" "$scratch/parcel" "$scratch/go/parcel"
		"$UNSPOOL" walk --binaries "$scratch/go" "$crash/crash.dmp" "$scratch/bare.sym" >"$scratch/out" 2>/dev/null
		grep -c 'Contradicted: rbx: .* unchanged, but the instruction' "$scratch/out"
	}
	t 'a register that the code changes and the record does not restore is contradicted' test "$(changed buildinfx)" -gt 0
	is 'the register has the changed value in the caller' "$("$AWK" '/^ 1 / { on = 1 } /^ 2 / { exit } on' "$scratch/out" | grep -c 'rbx = ')" 1
	is 'a register of a Go program is not contradicted' "$(changed buildinf)" 0
	none 'the callers in a Go program have no such value' "$("$AWK" '/^ 1 / { on = 1 } /^ 2 / { exit } on && /rbx = /' "$scratch/out")"
	is 'the records of a Go program do not contradict the code' "$(check_code "$scratch/go/parcel" "$scratch/bare.sym")" 0
	t 'the records of a C program contradict the code' test "$(check_code "$scratch/parcel" "$scratch/bare.sym")" -gt 0
	# A compiler that leaves out epilogues writes rows that hold only at calls.
	sed '/^STACK CFI [0-9a-f]* .cfa: $rsp 8 +$/d' "$records" >"$scratch/calls.sym"
	is 'rows without an epilogue in all functions are for calls only' "$(check_code "$scratch/parcel" "$scratch/calls.sym")" 0
	t 'the summary reports such rows' grep -q 'compared only at calls' "$scratch/out"
	sed 's/^STACK CFI 114c .cfa: $rsp 320/STACK CFI 114c .cfa: $rsp 312/' "$scratch/calls.sym" >"$scratch/late.sym"
	is 'such rows are wrong at a call' "$(check_code "$scratch/parcel" "$scratch/late.sym")" 1
	sed '/^STACK CFI 12b9 /d' "$records" >"$scratch/one.sym"
	is 'such rows of one function among others are wrong' "$(check_code "$scratch/parcel" "$scratch/one.sym")" 1
	is 'a CFA that is wrong by a word is a difference' "$(check_code "$scratch/parcel" "$scratch/wrong.sym")" 1
	t 'the difference has its line and the instruction that contradicts it' grep -q \
		'wrong.sym:85:.*CFA: rsp+312, but the code has it at rsp+320 since the instruction at 0x1145 .code-contradicts.' \
		"$scratch/out"
else
	skip 6 'no objcopy'
fi

# patched FILE FROM TO: the file with other bytes of code; no output unless FROM occurs exactly once.
patched() {
	offset=$(LC_ALL=C grep -obUaP "$2" "$1" | LC_ALL=C sed -n "1s/:.*//p")
	cp "$1" "$scratch/patched" && chmod u+w "$scratch/patched" &&
		printf "$3" | dd of="$scratch/patched" bs=1 seek="$offset" conv=notrunc 2>/dev/null && printf '%s' "$scratch/patched"
}
# SFrame has CFA, return address and frame pointer; the rows of the other sources are wrong as well.
if printf a | LC_ALL=C grep -obUaP a >/dev/null 2>&1; then
	check_code "$binary" >/dev/null
	t 'the rows of SFrame are compared with the code, too' grep -q 'the code agrees with 15, contradicts 0, ' "$scratch/out"
	check_code "$(patched "$binary" '\x48\x81\xec\x38\x01\x00\x00' '\110\201\354\060')" >/dev/null
	t 'records are contradicted if the changed byte has an effect' grep -q \
		'warning: SFrame: CFA: rsp+320, but the code has it at rsp+312 since the instruction at 0x1145' "$scratch/out"
else
	skip 2 'no grep -P'
fi

# Addresses without the Thumb bit.
even() {
	while read -r address; do
		printf '%x\n' $((0x$address / 2 * 2))
	done | LC_ALL=C sort -u
}

# Compared with a debugger's stacks, without any table of records.
# The code of a frame's function, compared with the frame's row: the row says that only an indirect jump leads to the
# code after a call that never returns. A register that changes there without a rule is not a certain contradiction.
mkdir "$scratch/gone"
cat >"$scratch/gone/gone.c" <<'END'
/* build x86_64: -O1 hidden.S */
void hidden(void);
int main(void) { hidden(); return 1; }
END
cat >"$scratch/gone/hidden.S" <<'END'
	.text
	.globl hidden
	.type hidden, @function
hidden:	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	mov place(%rip), %rcx
	test %rcx, %rcx
	jne 2f
	sub $16, %rsp
	.cfi_def_cfa_offset 32
	call *%rcx
	.cfi_def_cfa_offset 16
1:	mov %r12, %r13
	mov $5, %r12d
	call fails
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_def_cfa_offset 16
2:	jmp *%rcx
	.cfi_endproc
	.size hidden, .-hidden
	.type fails, @function
fails:	.cfi_startproc
	movl $0, 0
	ret
	.cfi_endproc
	.size fails, .-fails
	.data
place:	.quad 1b
	.section .note.GNU-stack, "", @progbits
END
if (cd "$scratch/gone" && "$UNSPOOL" demo-crash --output out gone.c >/dev/null 2>&1) && [ "$(uname -m)" = x86_64 ]; then
	"$UNSPOOL" walk --binaries "$scratch/gone/out" "$scratch/gone/out/crash.dmp" 2>/dev/null >"$scratch/out"
	is 'the frame in such code is found' \
		"$(sed -n 's/^ [0-2]  gone!\([a-z]*\) .*/\1/p' "$scratch/out" | head -n 3 | tr '\n' ' ')" 'fails hidden main '
	none 'the code does not contradict the frame' "$(grep 'ontradicted: ' "$scratch/out")"
else
	skip 2 'no program for x86_64 can be compiled, or its crash be dumped'
fi

if [ -n "$UNSPOOL_CORPUS" ] && [ -d "$UNSPOOL_CORPUS/made/truth" ]; then
	corpus=$UNSPOOL_CORPUS/made
	wrong=
	for name in nofp coldpart recursion tailcall threads64 inline_O0; do
		for arch in x86_64 i386 arm64 arm; do
			# In some threads of arm.threads64 the debugger stops early.
			[ -f "$corpus/$arch/$name.dmp" ] && [ $arch.$name != arm.threads64 ] || continue
			"$UNSPOOL" walk --methods signal-frame,code --binaries "$corpus/bin/$arch" \
				"$corpus/$arch/$name.dmp" 2>/dev/null >"$scratch/walk"
			sed -n 's/.* \([er]ip\|pc\) = 0x0*\([0-9a-f]*\).*/\2/p' "$scratch/walk" | even >"$scratch/got"
			$AWK -F '|' '/^FR/ { sub(/^0x0*/, "", $5); print $5 }' "$corpus/truth/$arch.$name.txt" | even >"$scratch/want"
			wrong="$wrong$(LC_ALL=C comm -23 "$scratch/got" "$scratch/want")"
			[ -s "$scratch/got" ] || wrong="$wrong no frames"
		done
	done
	is 'the debugger has every frame that code alone finds' "$wrong" ''

	# Symbols give the instruction set of arm; its index of functions holds only at calls.
	arm=$corpus/bin/arm/threads64
	is 'the code does not contradict the rows of arm' "$(check_code "$arm")" 0
	t 'the code does not contradict any row of .debug_frame' grep -q 'the code agrees with 63, contradicts 0, cannot decide 0' "$scratch/out"
	t 'the records of .ARM.exidx are right at calls' grep -q 'the code agrees with 11, contradicts 0, ' "$scratch/out"
	"$UNSPOOL" dump-syms "$arm" 2>/dev/null | $AWK '
		!done && /^STACK CFI [0-9a-f]* .cfa: sp [0-9]* [+]/ { $6 += 4; done = 1 }
		{ print }' >"$scratch/arm.sym"
	check_code "$arm" "$scratch/arm.sym" >/dev/null
	t 'a CFA of arm that is wrong by a word is found' grep -q 'STACK CFI: CFA: .*code-contradicts' "$scratch/out"

	# fatal_last() and its callers never return, and preserve no register of their callers.
	against() {
		"$UNSPOOL" walk --no-system-binaries --binaries "$corpus/bin/$1" "$corpus/$1/$2.dmp" 2>/dev/null >"$scratch/out"
		echo "$(grep -c 'Found by: row of' "$scratch/out") $(grep -c 'ontradicted: ' "$scratch/out")"
	}
	is 'a register that no rule can restore does not contradict a frame' "$(against arm tailcall)" '7 0'
	against x86_64 abort_terminate >/dev/null
	is 'a part of a function whose entry begins with padding is not run as a function' "$(grep -c 'ontradicted: ' "$scratch/out")" 0

	# In programs of Windows calls preserve rsi and rdi.
	program=$UNSPOOL_CORPUS/windows/made/bin/x86_64-windows/threads.exe
	is 'the code does not contradict rows of .pdata' "$(check_code "$program")" 0
	t 'nearly all rows of .pdata are judged' grep -q 'the code agrees with 145, contradicts 0, cannot decide 0' "$scratch/out"
	check_code "$(patched "$program" '\x48\x81\xec\x88\x00\x00\x00' '\110\201\354\200')" >/dev/null
	t 'the code contradicts a wrong record' grep -q \
		'warning: .pdata: CFA: rsp+208, but the code has it at rsp+200 since the instruction at 0x12ac' "$scratch/out"
else
	skip 10 'UNSPOOL_CORPUS names no folder with true stacks'
fi
done_testing
