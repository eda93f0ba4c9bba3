#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# unspool summary on real crashes: the expected conclusions were worked out by hand from the registers, the
# memory map and the bytes at the program counter.
. "$(dirname "$0")/../lib/tap.sh"

# summary ARGUMENT...: run it; says TITLE REGEX...: its output has a line for each.
summary() {
	"$UNSPOOL" summary "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	summary_status=$?
}
says() {
	title=$1
	shift
	for regex in "$@"; do
		t "$title: $regex" grep -qE -- "$regex" "$scratch/out" || sed 's/^/# /' "$scratch/out"
	done
}
# finds TITLE NAMES: the headings of the findings, in order, separated by commas.
finds() {
	is "$1: the findings" "$(sed -nE 's/^(found        |             ) ([a-z].*) \((certain|very likely|likely|possible|weak)\)$/\2/p' \
		"$scratch/out" | paste -sd, -)" "$2"
}

# Bundled crashes -----------------------------------------------------------------------------------

crashes=$srcdir/data/crashes
if [ -f "$crashes/frame-data-x86/crash.dmp" ]; then
	summary "$crashes/frame-data-x86/crash.dmp" "$crashes/frame-data-x86/symbols"
	is 'a bundled crash: the exit status' $summary_status 0
	says 'a bundled crash: the text' '^crash  ' '^where  ' '^signature  ' '^thread +0 \(id 0x5d4\)$'
	# sort_and_weigh keeps its CFA 16 bytes above rbp; 8 more would take a saved rbp as return address.
	cp -R "$crashes/sframe-amd64/symbols/." "$scratch/astray"
	file=$(find "$scratch/astray" -name parcel.sym)
	sed 's/^\(STACK CFI 11e1 .cfa: $rbp\) 16/\1 24/' "$file" >"$scratch/24.sym"
	cat "$scratch/24.sym" >"$file"
	summary "$crashes/sframe-amd64/crash.dmp" "$scratch/astray"
	finds 'a record with a wrong offset' 'null pointer,the walk left the code'
	says 'a record with a wrong offset is contradicted' "^ +frame 6 is not a call: 0x7fffffffefb4 cannot be code$" \
		"^ +- it lies in the thread's stack$" '^ +- STACK CFI says that frame 5 returns there'
	summary "$crashes/sframe-amd64/crash.dmp" "$crashes/sframe-amd64/symbols"
	finds 'the correct record is not contradicted' 'null pointer'
	# rbx holds no address there: the record fails, and the program's own tables have the caller.
	sed 's/^\(STACK CFI 11e1 .cfa: \)$rbp 24/\1$rbx 16/' "$scratch/24.sym" >"$file"
	summary "$crashes/sframe-amd64/crash.dmp" "$scratch/astray" --binaries "$crashes/sframe-amd64/binaries"
	says 'a record that fails is named although the stack is right' \
		'^ +a record of frame 5 is wrong; frame 6 was found by SFrame instead$' \
		'^ +- CFA: SFrame says rbp\+16, STACK CFI \(line 93\) says rbx\+16$'
	summary "$crashes/sframe-amd64/crash.dmp" "$crashes/sframe-amd64/symbols" --binaries "$crashes/sframe-amd64/binaries"
	finds 'records that agree are not reported' 'null pointer'
	# The rip of the exception's context is set to 0: neither an instruction nor a module is there.
	cp "$crashes/inlines-amd64/crash.dmp" "$scratch/zero.dmp"
	chmod u+w "$scratch/zero.dmp"
	head -c 8 /dev/zero | dd of="$scratch/zero.dmp" bs=1 seek=$((0x22f0)) conv=notrunc 2>/dev/null
	summary "$scratch/zero.dmp" "$crashes/inlines-amd64/symbols"
	says 'a jump to 0' '^instruction   executes 0x0, where nothing is mapped: this failed$'
	is 'a jump to 0 shows no instructions of a module' "$("$UNSPOOL" disassemble "$scratch/zero.dmp" 2>/dev/null)" \
		'the address lies in no module, and the dump has no memory there'
fi

# Real ones -----------------------------------------------------------------------------------------

corpus=${UNSPOOL_CORPUS:-}
if ! [ -d "$corpus/breakpad" ]; then
	skip 1 'there are no real crashes here'
	done_testing
fi
lacks capstone && { skip 1 'capstone was left out'; done_testing; }

# google/breakpad, src/processor/testdata: NAME|the headings of the findings|a line of the summary. The register has
# "AAAA" in dumps with 'ascii' in their names; 0x4e3c9 is no null pointer, text or pattern, so nothing is claimed about it.
while IFS='|' read -r name findings line; do
	summary "$corpus/breakpad/$name.dmp"
	says "$name" "$line"
	finds "$name" "$findings"
done <<\END
ascii_read_av|text in a pointer|^address +0x41414141$
ascii_read_av_block_write|text in a pointer|reads 4 bytes at 0x41414141 \(e(ax|di)\): this failed$
ascii_read_av_clobber_write|text in a pointer|is text: "AAAA"
ascii_read_av_conditional|text in a pointer|^crash +EXCEPTION_ACCESS_VIOLATION_READ$
ascii_read_av_then_jmp|text in a pointer|reads 4 bytes at 0x41414141 \(e(ax|di)\): this failed$
ascii_read_av_xchg_write|text in a pointer|- e(ax|di) holds it
ascii_write_av|text in a pointer|writes 4 bytes at 0x41414141 \(eax\): this failed$
ascii_write_av_arg_to_call|text in a pointer|writes 4 bytes at 0x41414141 \(eax\): this failed$
read_av_non_null||^address +0x4e3c9$
read_av_conditional||e?[a-d]x.*: this failed$
write_av_non_null||^address +0x4e3c9$
null_read_av|null pointer|^address +0x0, a null pointer$
null_write_av|null pointer|- the base register eax is 0$
linux_divide_by_zero|failed division|- the divisor in memory at rbp - 0x4 is 0$
linux_null_dereference|null pointer|writes 4 bytes at 0x0 \(rax\), where nothing is mapped: this failed$
linux_null_read_av|null pointer|reads 4 bytes at 0x0, where nothing is mapped: this failed$
linux_executable_stack|null pointer,executable stack|- the memory map says rwxp$
linux_jmp_to_0|call through a null pointer|- the program counter is 0x0$
linux_jmp_to_module_not_exe_region|execution of data|executes 0x616500, which is not allowed: this failed$
linux_write_to_nonwritable_module|write to read-only memory|- the memory map says r-xp for .*/driver2$
linux_write_to_outside_module||at 0x390000 \(rax\), where nothing is mapped: this failed$
linux_write_to_outside_module_via_math||at 0x732b80 \(rax\), where nothing is mapped: this
linux_stack_pointer_in_module|stack pointer outside the stack,null pointer|- \[not stack\] is mapped there \(rw-p\)$
linux_stack_pointer_in_stack|null pointer|^address +0x0, a null pointer$
linux_stack_pointer_in_stack_alt_name|null pointer|^address +0x0, a null pointer$
linux_overflow|the process ended itself|^sent by +process [0-9]+, this process itself, user id
linux_raise_sigabrt|the process ended itself|^crash +SIGABRT / SI_USER$
END
summary "$corpus/breakpad/microdump-x86.dmp"
says 'a microdump without a reason' '^crash +unknown$' '^address +the dump has none$' '^thread +0$'

# Crashes with known sources, made for the project.
made=$corpus/made
if [ -d "$made" ]; then
	for name in stack_overflow stack_overflow_cut32k; do
		summary "$made/x86_64/$name.dmp" "$made/symbols/x86_64"
		says "$name" '- the access hit the gap below the stack, which begins at 0x7ff'
		finds "$name" 'stack overflow'
	done
	summary "$made/x86_64/sig_div.dmp" "$made/symbols/x86_64"
	says 'sig_div' '^crash +SIGFPE / FPE_INTDIV$' '^signature +divi$' '- the divisor rcx is 0$'
	summary "$made/x86_64/call_null.dmp" "$made/symbols/x86_64"
	finds 'call_null' 'call through a null pointer'
	summary "$made/x86_64/abort_assert.dmp" "$made/symbols/x86_64"
	says 'abort_assert' '^signature +do_assert$' '^crash +SIGABRT / SI_TKILL$'
	summary "$made/arm64/nofp.dmp" "$made/symbols/arm64" --binaries "$made/bin/arm64"
	says 'a program of arm64 without frame pointers' '^address +0x80540281f3c0, by the instruction: the dump has none$' \
		'^instruction +strb w2, \[x0, x1\] .*, from .*/nofp'
fi
# A dump that lost its end may lack the exception record.
head -c 1000 "$crashes/frame-data-x86/crash.dmp" >"$scratch/cut.dmp"
"$UNSPOOL" summary "$scratch/cut.dmp" >"$scratch/out" 2>/dev/null
t 'a dump without its end is not called a dump without a crash' grep -q '^crash  *unknown: the dump is damaged' "$scratch/out"
t 'the problems of a truncated dump have a remedy' grep -q '^input  *[0-9]* problems in the dump; it is damaged: ' "$scratch/out"
"$UNSPOOL" walk "$scratch/cut.dmp" >"$scratch/out" 2>/dev/null
t 'a truncated dump is not reported as walked' grep -q '^Crash reason:  unknown: the dump is damaged' "$scratch/out"

head -c $(($(wc -c <"$crashes/frame-data-x86/crash.dmp") - 1)) "$crashes/frame-data-x86/crash.dmp" >"$scratch/cut.dmp"
"$UNSPOOL" summary "$scratch/cut.dmp" >"$scratch/out" 2>/dev/null
t 'a single missing byte is a problem' grep -q '^input  *1 problem in the dump; it is damaged: ' "$scratch/out"

# How far the stack can be trusted: each crash's README lists its methods.
summary "$crashes/frame-data-x86/crash.dmp" "$crashes/frame-data-x86/symbols"
says 'records and a frame pointer: the counts' '^stack +6 frames: 5 exact, 1 by frame pointer; trust frames 0 to 5$'
summary "$crashes/scan-only-amd64/crash.dmp" "$crashes/scan-only-amd64/symbols"
says 'guesses' '^stack +10 frames: 1 exact, 9 guessed; trust frame 0$' \
	'^ +unwind rules would help for tailcall \(7 guesses\), libc.so.6 \(2\): STACK records in symbol files or --binaries DIR$'

# Unused symbols and the remedy: a level too high, a level too low, another build.
mkdir "$scratch/above"
cp -R "$crashes/frame-data-x86/symbols" "$scratch/above/symbols"
chmod -R u+w "$scratch/above"
summary "$crashes/frame-data-x86/crash.dmp" "$scratch/above"
says 'symbols one level deeper are a near miss' "^input +no symbols for ledger.exe: .*; use '.*/above/symbols'$"
for symbols in "$scratch"/above/symbols/ledger.pdb/*/ledger.sym; do
	sed '1s/7A1C35E09B2D4F6885C3D1E0F2A4B6C81/1234567890ABCDEF1234567890ABCDEF1/' "$symbols" >"$scratch/other.sym"
done
summary "$crashes/frame-data-x86/crash.dmp" "$scratch/other.sym"
says 'symbols of another build are a near miss' \
	"^input +'.*other.sym' is for another build of 'ledger.pdb', .*; give the symbol file of the build that crashed$"

# A project's own rules of signatures.
printf '[skip]\nengine::level3$\n[+prefix]\nengine::level2\n(open\n' >"$scratch/my.rules"
summary "$crashes/inlines-amd64/crash.dmp" "$crashes/inlines-amd64/symbols" --signature-rules "$scratch/my.rules"
says 'rules of a file change the signature' '^signature +engine::level2 [|] engine::level1$' '^ +by the rules of .*/my.rules$'
t 'a bad line is a warning' grep -q '^unspool: my.rules:5: warning: .(open.: expected a regular expression: ' "$scratch/err"
t 'JSON has the file of the rules' sh -c '"$1" walk --json "$2" --signature-rules "$3" 2>&1 | grep -q "\"signature_rules\":\"[^\"]*my.rules\""' \
	sh "$UNSPOOL" "$crashes/inlines-amd64/crash.dmp" "$scratch/my.rules"
"$UNSPOOL" policy --print-rules >"$scratch/all.rules"
summary "$crashes/inlines-amd64/crash.dmp" "$crashes/inlines-amd64/symbols"
grep '^signature' "$scratch/out" >"$scratch/built-in"
summary "$crashes/inlines-amd64/crash.dmp" "$crashes/inlines-amd64/symbols" --signature-rules "$scratch/all.rules"
t 'the printed rules make the same signature' sh -c 'grep "^signature" "$1" | cmp - "$2"' sh "$scratch/out" "$scratch/built-in"
printf 'signature-rules "%s"\n' "$scratch/my.rules" >"$scratch/config"
printf ':view summary\n:view messages\n' | "$UNSPOOL" --plain --no-state --config "$scratch/config" "$crashes/inlines-amd64/crash.dmp" \
	"$crashes/inlines-amd64/symbols" >"$scratch/out" 2>/dev/null
says "the explorer's configuration has the rules" '^ *signature +engine::level2 [|] engine::level1$' \
	"warning  my.rules:5: '[(]open': expected a regular expression"
summary "$crashes/inlines-amd64/crash.dmp" --signature-rules "$scratch/none.rules"
is 'a missing file of rules ends the command' "$summary_status" 3

# Crashes of made programs: the sources show which function overwrites its return address, calls a null pointer or sends the signal.
made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
if [ -d "$made/x86_64" ]; then
	for arch in x86_64:vuln:0x4141414141414141 i386:vuln:0x41414141; do
		read=${arch##*:} arch=${arch%:*}
		summary "$made/${arch%:*}/stacksmash_canary.dmp" "$made/symbols/${arch%:*}"
		says "a return address made of text is a finding ($arch)" \
			"^ +the return address of frame [0-9]+, ${arch#*:}, is $read, which cannot be code: it was overwritten$" \
			'^ +- it is text: "A+"$' '^ +- STACK CFI reads it at 0x[0-9a-f]+$'
	done
	for call in "x86_64:'call rax'" "i386:'call edx'" "arm64:'blr x2'" "arm:'blx r3'"; do
		summary "$made/${call%%:*}/call_null.dmp" --binaries "$made/bin/${call%%:*}"
		says "a call through a null pointer is a finding (${call%%:*})" "^ +- ${call#*:} at 0x[0-9a-f]+ in dispatch \+ 0x[0-9a-f]+ likely led there$"
	done
	summary "$made/x86_64/abort_assert.dmp"
	says 'a signal of the thread itself is recognised' '^sent by +process 13413, this process itself, user id 0$'
	for arch in x86_64 i386 arm64; do
		summary "$made/$arch/abort_assert.dmp" "$made/symbols/$arch"
		says "a failed assertion is recognised ($arch)" \
			'^ +an assertion failed: frame [56], do_assert[(]int[)], called __assert_fail$'
		summary "$made/$arch/abort_terminate.dmp" "$made/symbols/$arch"
		says "an exception in a noexcept function is recognised ($arch)" \
			'^ +an exception reached a function that must not throw: frame [0-9]+, middle[(]int[)].*, called _Unwind_Resume$'
	done
else
	skip 19 'there is no corpus'
fi

done_testing
