#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# ELF cores as dumps: the bundled one compared with the output of gdb 13.1 (its README), those of the
# corpus compared with the debugger's true stacks.
. "$(dirname "$0")/../lib/tap.sh"

folder=$srcdir/data/cores/list-amd64

is 'a system without a version has no blank after its name' \
	"$("$UNSPOOL" report "$folder/core.gz" 2>/dev/null | grep '^| system')" '| system | Linux |'

# frames FILE...: pc and name of each frame of the first thread.
frames() {
	"$UNSPOOL" walk -m --no-system-binaries "$@" --binaries "$folder/binaries" 2>"$scratch/messages" |
		$AWK -F '|' '$1 == 0 && NF == 7 { print $4, $6 }'
}
true_frames='total 29
report 36
run 51
_start 57'

is 'the frames are those of gdb' "$(frames "$folder/core.gz")" "$true_frames"
is 'the core has no message' "$(cat "$scratch/messages")" ''
if gzip -dc "$folder/core.gz" >"$scratch/core" 2>/dev/null; then
	is 'a plain core has the same frames' "$(frames "$scratch/core")" "$true_frames"
	is 'a core from a pipe has the same frames' "$(gzip -dc "$folder/core.gz" | frames -)" "$true_frames"
	head -c 100000 "$scratch/core" >"$scratch/cut"
	is 'a truncated core opens with its data' "$(frames "$scratch/cut")" 'total 29'
	t 'the missing part of a truncated core is reported' grep -q 'the segments reach to 0x2e000, the file has 0x186a0 bytes' "$scratch/messages"
	"$UNSPOOL" walk --strict "$scratch/cut" --no-system-binaries >"$scratch/out" 2>&1
	is 'a truncated core is a failure with --strict' $? 1
else
	skip 5 'there is no gzip'
fi

"$UNSPOOL" summary "$folder/core.gz" --binaries "$folder/binaries" >"$scratch/summary"
t 'the summary names the text that is no pointer' grep -q '^ *rdi is text: "d-more-n"; something wrote a string over a pointer$' "$scratch/summary"
t 'the summary has the line' grep -q '^where  *total + 0xa \[list.c : 29\]$' "$scratch/summary"

"$UNSPOOL" streams "$folder/core.gz" >"$scratch/streams"
for line in 'e_machine     = 62  (EM_X86_64)' 'si_code  = 128' 'pr_fname  *= "list"' 'rdi  *= 0x6e2d65726f6d2d64' \
	'path  *= "/srv/example/list"' 'AT_ENTRY  *= 0x400237' 'p_flags  = 0x5  (execute, read)' 'fxsave.mxcsr  *= 0x1f80'; do
	t "the notes of the core are printed field by field: ${line%% *}" grep -q "$line" "$scratch/streams"
done
# sigaction(2): a code above 0 has an address, one of 0 and below a sender.
fields() { "$UNSPOOL" streams "$1" 2>/dev/null | sed -n '/^NT_SIGINFO/,/^$/s/^  \(si_[a-z]*\) *=.*/\1/p' | tr '\n' ' '; }
is 'a fault has an address' "$(fields "$folder/core.gz")" 'si_signo si_errno si_code si_addr '
gzip -dc "$folder/core.gz" >"$scratch/sent"
printf '\000\000\000\000' | dd of="$scratch/sent" bs=1 conv=notrunc 2>/dev/null seek=$(($(
	sed -n 's/^NT_SIGINFO .* at \(0x[0-9a-f]*\)$/\1/p' "$scratch/streams") + 8))
is 'a signal that was sent has a sender' "$(fields "$scratch/sent")" 'si_signo si_errno si_code si_pid si_uid '
none 'the command line of a redacted core is not printed' "$("$UNSPOOL" streams --redact "$folder/core.gz" | grep -n '"[.]/list"')"

is 'JSON has the kind of the input' "$("$UNSPOOL" walk --json "$folder/core.gz" | grep -o '"format":"[^"]*"')" '"format":"core"'
is 'the modules are the program and the vDSO' \
	"$("$UNSPOOL" walk -m --no-system-binaries "$folder/core.gz" 2>/dev/null | $AWK -F '|' '$1 == "Module" { print $2 }')" \
'list
linux-gate.so'
t 'a core that was cut inside its header is reported' \
	sh -c "gzip -dc '$folder/core.gz' | head -c 40 | '$UNSPOOL' walk - 2>&1 | grep -q 'the header has 64 bytes, the file 40'"

# Without its notes, the first segment, a core has no thread, and does not say that the process was running.
gzip -dc "$folder/core.gz" >"$scratch/notes"
printf '\000' | dd of="$scratch/notes" bs=1 seek=64 conv=notrunc 2>/dev/null
is 'a core without notes is not called a snapshot of a running process' \
	"$("$UNSPOOL" summary "$scratch/notes" 2>/dev/null | sed -n 's/^crash  *//p')" 'unknown: the core has no thread that can be shown'

# Without NT_SIGINFO a core has no address: that of the instruction is shown, or none, but not 0.
gzip -dc "$folder/core.gz" >"$scratch/unsigned"
"$UNSPOOL" streams "$folder/core.gz" >"$scratch/streams"
printf '\001' | dd of="$scratch/unsigned" bs=1 conv=notrunc 2>/dev/null seek=$(($(
	sed -n 's/^NT_SIGINFO .* at \(0x[0-9a-f]*\)$/\1/p' "$scratch/streams") - 12))
address() { "$UNSPOOL" summary --no-system-binaries "$1" 2>/dev/null | sed -n '/^address/s/  */ /p; /^note/s/  */ /p'; }
if lacks capstone; then
	skip 1 'capstone was left out: no instruction is read'
else
	is 'a core without NT_SIGINFO has the address of the instruction' "$(address "$scratch/unsigned")" \
		'address 0x6e2d65726f6d2d74, not canonical (none was reported)
note the dump has no si_code'
fi
# The emulator writes no NT_SIGINFO, and none of the code.
is 'a core without NT_SIGINFO and without the instruction has no address' "$(address "$srcdir/tests/batch/locals/arm64.resumed.O2.core.gz")" \
	'address the dump has none
note the dump has no si_code'
t 'nor has its walk' sh -c '! "$UNSPOOL" walk --brief "$1" 2>/dev/null | grep "^Crash address"' - \
	"$srcdir/tests/batch/locals/arm64.resumed.O2.core.gz"

# The writer left the program's pages out: the core does not prove that they were not mapped.
locals=$srcdir/tests/batch/locals
"$UNSPOOL" summary "$locals/x86_64.own.O2.core.gz" --no-system-binaries --binaries "$locals/x86_64" >"$scratch/summary"
lacks capstone || t 'the cause is the null pointer of the instruction' grep -q '^found  *null pointer ' "$scratch/summary"
none 'code that is missing in the core is not called unmapped' "$(grep -E 'executes|non-code' "$scratch/summary")"

# patch OFFSET BYTES: change a copy of the core.
patch() {
	printf "$2" | dd of="$scratch/patched" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
if gzip -dc "$folder/core.gz" >"$scratch/patched" 2>/dev/null; then
	# rsp, 256 bytes below the stack's mapping at 0x7ffef23d1000
	patch $((0x31c)) '\000\017\075\362\376\177\000\000'
	frames "$scratch/patched" >/dev/null
	is 'a stack that overflowed is the memory above the stack pointer' "$(grep 'no stack memory' "$scratch/messages")" ''
else
	skip 1 'there is no gzip'
fi

# Without the Thumb bit of a pc.
even() {
	sed 's/1$/0/; s/3$/2/; s/5$/4/; s/7$/6/; s/9$/8/; s/b$/a/; s/d$/c/; s/f$/e/'
}

# The true stack of each crashed thread, except those that the corpus calls weak. The truth for
# x86_64.basic.O2split is from another run than its core.
corpus=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/cores
true_pcs() {
	$AWK -F '|' '$1 == "FR" && thread == "" { thread = $2 }
		$1 == "FR" && $2 == thread && $4 ~ /[NS]/ { sub(/^0x0*/, "", $5); print $5 }' "$1"
}
walked_pcs() {
	"$UNSPOOL" walk --crashed --no-system-binaries "$@" 2>/dev/null | $AWK '
		/^Loaded modules/ { exit }
		match($0, / (rip|eip|pc) = 0x[0-9a-f]+/) {
			pc = substr($0, RSTART + 1, RLENGTH - 1)
			sub(/^[a-z]+ = 0x0*/, "", pc)
		}
		/^ *Found by: / && !/inline/ { print pc }'
}
if [ -d "$corpus" ] && command -v zstd >/dev/null; then
	mkdir "$scratch/files"
	for file in "$corpus"/bin/*/*.zst "$corpus"/lib/*/*.zst "$corpus"/debug/.build-id/*/*.zst; do
		below=${file#"$corpus/"}
		mkdir -p "$scratch/files/${below%/*}"
		zstd -dqo "$scratch/files/${below%.zst}" "$file"
	done
	for truth in "$corpus"/truth/*.txt; do
		name=$(basename "$truth" .txt) arch=$(basename "$truth" | sed 's/\..*//')
		[ -f "$corpus/core/$name.core.zst" ] || continue
		grep -q "^$name	stack" "$corpus/truth/weak.txt" && continue
		[ "$name" = x86_64.basic.O2split ] && continue
		is "$name: the stack is the debugger's" "$(walked_pcs "$corpus/core/$name.core.zst" --binaries "$scratch/files/bin/$arch" \
				--binaries "$scratch/files/lib/$arch" --binaries "$scratch/files/debug" |
				case $arch in arm) even ;; *) cat ;; esac)" \
			"$(true_pcs "$truth" | case $arch in arm) even ;; *) cat ;; esac)"
	done
else
	skip 1 'there is no corpus, or no zstd'
fi

done_testing
