#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The modules' own files: --binaries and UNSPOOL_BINARIES, which file is used, and the messages.
. "$(dirname "$0")/../lib/tap.sh"

made=${UNSPOOL_CORPUS:-}/made
[ -d "$made/bin/x86_64" ] || skip_all 'UNSPOOL_CORPUS has no programs'
dump=$made/x86_64/coldpart.dmp
bin=$made/bin/x86_64

# walk DUMP OPTION...: messages go to err, the stacks to out.
walk() { "$UNSPOOL" walk "$@" >"$scratch/out" 2>"$scratch/err"; }

t 'programs with the IDs of the dump are used' walk --binaries "$bin" --strict "$dump"
is 'there is no message about them' "$(cat "$scratch/err")" ''
t 'the option may be given several times' walk --binaries "$scratch" --binaries "$bin" --strict "$dump"
t 'the option may name one program' walk --binaries "$bin/coldpart" --strict "$dump"

mkdir "$scratch/wrong"
cp "$bin/deep" "$scratch/wrong/coldpart"
walk --binaries "$scratch/wrong" "$dump"
t 'another build of the program is refused, with both ids' grep -qE \
	"warning: '.*/wrong/coldpart' is another build of 'coldpart', expected id [0-9a-f]{40}, found [0-9a-f]{40}; not used" "$scratch/err"
UNSPOOL_BINARIES=$scratch:$scratch/wrong walk "$dump"
t 'UNSPOOL_BINARIES is a list with colons' grep -q 'another build' "$scratch/err"
UNSPOOL_BINARIES=$scratch/wrong walk --binaries "$bin" --strict "$dump"
is 'the option replaces it' $? 0

walk --binaries "$scratch/none" "$dump"
status=$?
t 'a missing directory is named' grep -q "no code from '.*/none'" "$scratch/err"
is 'a missing directory sets the exit status' "$status" 3
walk --binaries "$scratch/none" --strict "$dump"
is 'a missing directory sets the exit status with --strict' $? 3

walk --compat breakpad -m "$dump" && mv "$scratch/out" "$scratch/without"
walk --compat breakpad -m --binaries "$bin" "$dump"
t "the files change no walk of the policy of Breakpad" cmp "$scratch/out" "$scratch/without"

t 'files of this system are used if they have the ID of the dump' walk --system-binaries --strict --binaries "$bin" "$dump"
is 'there is no message about other builds' "$(cat "$scratch/err")" ''

# Separate debug files.
functions() { grep -oE 'coldpart!(report|process|driver)' "$scratch/out" | sort -u | wc -l | tr -d ' '; }
if command -v objcopy >"$scratch/which" && command -v xz >"$scratch/which"; then
	mkdir "$scratch/linked" "$scratch/mini" "$scratch/alt"
	objcopy --only-keep-debug "$bin/coldpart" "$scratch/linked/moved.dbg"
	(cd "$scratch/linked" && objcopy -S --add-gnu-debuglink=moved.dbg "$bin/coldpart" coldpart)
	walk -b --binaries "$scratch/linked" "$dump"
	is 'functions come from the file that .gnu_debuglink names' "$(functions)" 3
	t 'lines, too' grep -q 'coldpart.cc : 7' "$scratch/out"

	objcopy --only-keep-debug --strip-debug "$bin/coldpart" "$scratch/symbols"
	xz "$scratch/symbols"
	objcopy -S --add-section .gnu_debugdata="$scratch/symbols.xz" "$bin/coldpart" "$scratch/mini/coldpart"
	walk -b --binaries "$scratch/mini" "$dump"
	is 'functions come from .gnu_debugdata' "$(functions)" 3

	printf '%s\0\001\002\003\004' "$scratch/none" >"$scratch/link"
	objcopy --add-section .gnu_debugaltlink="$scratch/link" "$bin/coldpart" "$scratch/alt/coldpart"
	walk -b --binaries "$scratch/alt" --strict "$dump"
	is 'a file without its supplement gives the other functions' "$(functions)" 3
else
	skip 4 'objcopy and xz are not there'
fi

# Contradictions of another source are shown at once: the .eh_frame of the program is right (its CFA is 96
# + 48 bytes above the stack pointer), and close_day calls settle, which does not jump to another function.
# The numbers are those of the crash's README and of readelf -wF.
broken=$srcdir/data/crashes/broken-cfi-amd64
wrong='CFA: STACK CFI (line 90) says rsp+96, .eh_frame says rsp+144'
"$UNSPOOL" summary "$broken/crash.dmp" "$broken/symbols" --binaries "$broken/binaries" >"$scratch/out" 2>/dev/null
t 'a contradicted frame is not trusted' grep -qx 'stack         6 frames: 4 exact, 2 contradicted; trust frames 0 to 1' "$scratch/out"
t 'the summary has a finding' grep -qx ' *sources contradict each other about a frame (very likely)' "$scratch/out"
t 'the finding has the rules of the sources' grep -qxF "                  - $wrong" "$scratch/out"
# The instruction at 0x1204 is `sub rsp, 0x60`, after pushes of 48 bytes with the return address.
by_code='CFA: STACK CFI (line 90) says rsp+96, but the code has it at rsp+144 since the instruction at 0x555555555204'
t 'the finding says which source the code confirms' grep -qxF "                  - $by_code" "$scratch/out"
"$UNSPOOL" walk "$broken/crash.dmp" "$broken/symbols" --binaries "$broken/binaries" >"$scratch/out" 2>/dev/null
t 'the walk shows the contradiction after its frame' grep -qxF "    Contradicted: $wrong" "$scratch/out"
t 'a call contradicts a frame, too' grep -qx \
	'    Contradicted: the call at 0x555555555296, before its return address, calls settle, not print_receipt' "$scratch/out"
"$UNSPOOL" walk --json "$broken/crash.dmp" "$broken/symbols" --binaries "$broken/binaries" >"$scratch/out" 2>/dev/null
t 'JSON counts contradicted frames separately' grep -qF \
	'"stack_trust":{"exact":4,"by_frame_pointer":0,"by_convention":0,"guessed":0,"contradicted":2,"compared":6,"trusted":2,' \
	"$scratch/out"
t 'JSON has the contradiction as a member' grep -qF "\"contradicted\":\"$wrong\"" "$scratch/out"
t 'the JSON has the contradiction as a message' grep -qF "\"kind\":\"contradicted\",\"text\":\"frame 2 is contradicted: $wrong\"" "$scratch/out"
is 'the layouts of other walkers have no contradiction' "$("$UNSPOOL" walk --compat breakpad "$broken/crash.dmp" \
	"$broken/symbols" --binaries "$broken/binaries" 2>/dev/null | grep -c Contradicted)" 0
# edited EDIT...: the crash's symbols in the folder "repaired", changed by sed.
edited() {
	rm -rf "$scratch/repaired"
	cp -R "$broken/symbols" "$scratch/repaired"
	chmod -R u+w "$scratch/repaired"
	sed -i "$@" "$scratch"/repaired/till/*/till.sym
}
# repaired RULE: the contradictions with the right CFA and with RULE in line 89.
repaired() {
	edited -e '90s/96/144/' -e "89s/.*/STACK CFI 1204 $1.cfa: \$rsp 40 +/"
	"$UNSPOOL" walk --json "$broken/crash.dmp" "$scratch/repaired" --binaries "$broken/binaries" 2>/dev/null |
		grep -o '"contradicted":"[^"]*"'
}
is 'sources that agree contradict nothing' "$(repaired '$rbx: .cfa -40 + ^ ')" ''
is 'a register that is missing in one table is a contradiction' "$(repaired '' | grep -c 'rbx: STACK CFI')" 1
"$UNSPOOL" explain --frame 1 --all-methods "$broken/crash.dmp" "$scratch/repaired" --binaries "$broken/binaries" >"$scratch/out" 2>/dev/null
t 'the methods differ in the register' grep -q '^~ .*frame table' "$scratch/out"

# The code alone contradicts the record: the executed instructions decide between two words.
if command -v objcopy >/dev/null && ! lacks capstone; then
	mkdir "$scratch/bare"
	objcopy -R .eh_frame -R .eh_frame_hdr "$broken/binaries/till" "$scratch/bare/till"
	# with LINE-90 COMMAND...: run a command on the crash with another line 90 in its symbol file.
	with() {
		edited "90s/.*/$1/"
		shift
		"$UNSPOOL" "$@" "$broken/crash.dmp" "$scratch/repaired" --binaries "$scratch/bare" 2>/dev/null
	}
	wrong='STACK CFI 1208 .cfa: $rsp 96 +'
	with "$wrong" walk >"$scratch/out"
	t 'a record that the code contradicts is named, without another table' grep -qxF "    Contradicted: $by_code" "$scratch/out"
	t 'a record that the code contradicts still unwinds' grep -q '^ 2  till!print_receipt ' "$scratch/out"
	is 'a right record is not contradicted' "$(with 'STACK CFI 1208 .cfa: $rsp 144 +' walk | grep -c Contradicted)" 0
	is 'a wrong record is not contradicted if the policy does not run code' "$(with "$wrong" walk --policy code=0 | grep -c 'but the code')" 0
	is 'a row of the policy prefers the code' \
		"$(with "$wrong" walk --policy code-wins=1 | sed -n 's/^ [0-9]  till!\([a-z_]*\) .*/\1/p' | tr '\n' ' ')" \
		'post settle close_day main '
	# A save at another place in the record, one that it lacks, and one that the code does not make.
	is 'a register in the slot of another one is reported' "$(with 'STACK CFI 1208 .cfa: $rsp 144 + $r12: .cfa -40 + ^' walk |
			sed -n 's/^    Contradicted: //p' | head -n 1)" \
		'r12: STACK CFI (line 90) says c-40, but the code has something else there'
	is 'a saved register without a rule in the record is reported' "$(with 'STACK CFI 1208 .cfa: $rsp 144 + $r13: $r13' walk |
			sed -n 's/^    Contradicted: //p' | head -n 1 | sed 's/at 0x.*/at/')" \
		'r13: STACK CFI (line 90) says unchanged, but the instruction at'
	# The word at rsp + 40 is 0: a record that takes it as the return address ends the stack.
	ends='STACK CFI 1208 .cfa: $rsp 48 +'
	end='CFA: STACK CFI (line 90) says rsp+48, but the code has it at rsp+144 since the instruction at 0x555555555204'
	with "$ends" walk >"$scratch/out"
	t 'the end of a stack names the wrong record that causes it' grep -qxF "    End contradicted: $end" "$scratch/out"
	t 'the reason of the end precedes the contradiction' \
		grep -qx '    End of stack: return address 0: bottom of the stack' "$scratch/out"
	with "$ends" walk --json >"$scratch/out"
	t 'JSON has the contradiction of the end' grep -qF "\"contradicted\":\"$end\"" "$scratch/out"
	with "$ends" summary >"$scratch/out"
	t 'the summary has the contradicted end as a finding' grep -q \
		'the stack may go on after frame 1: its record, which finds no caller, is contradicted' "$scratch/out"
	with "$ends" explain --prose --frame 1 | tr '\n' ' ' >"$scratch/out"
	t 'the prose says that the stack may go on' grep -q 'The stack may go on\.' "$scratch/out"
	is 'a correct end is not contradicted' "$(with 'STACK CFI 1208 .cfa: $rsp 144 +' walk | grep -c 'End contradicted')" 0
else
	skip 13 'no objcopy, or capstone was left out'
fi

# With 72 in place of 80 bytes the return address is an address of the stack; with 64 in place of 48 it is 0.
cp -R "$made/symbols/arm64" "$scratch/ends" && chmod -R u+w "$scratch/ends"
sed -i '/^STACK CFI 1a84 /s/sp 80 +/sp 72 +/' "$scratch"/ends/threads64/*/threads64.sym
sed -i '/^STACK CFI 7e4 /s/sp 48 +/sp 64 +/' "$scratch"/ends/deep/*/deep.sym
walked() { "$UNSPOOL" walk --binaries "$made/bin/arm64" "$made/arm64/$1.dmp" "$2/$3" 2>/dev/null; }
is 'a wrong record is replaced by the row of the module, if that leads to the bottom' \
	"$(walked threads64 "$scratch" ends | grep -o ' pc = .*')" "$(walked threads64 "$made" symbols/arm64 | grep -o ' pc = .*')"
walked deep300 "$scratch" ends >"$scratch/out"
t 'a wrong record that ends the stack is replaced, too' grep -q '^200  deep!down ' "$scratch/out"
t 'the row of the frame says so' grep -q "row of the module's frame table; the record of frame 0 leads" "$scratch/out"

done_testing
