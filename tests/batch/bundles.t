#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The bundled crashes: Breakpad's recorded answers, the true stacks by hand, the recipe.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes

for crash in broken-cfi-amd64 compact-amd64 frame-data-x86 inlines-amd64 pac-arm64 pdb-x86 scan-only-amd64 sframe-amd64; do
	dump=$crashes/$crash/crash.dmp
	symbols=$crashes/$crash/symbols
	is "$crash: --compat breakpad prints the output of Breakpad" "$("$UNSPOOL" walk -m --compat breakpad "$dump" "$symbols")" \
		"$(cat "$crashes/$crash/breakpad.m.txt")"
	"$UNSPOOL" walk "$dump" "$symbols" >"$scratch/walk" 2>"$scratch/messages"
	is "$crash: the walk is done" $? 0
	is "$crash: the walk has no warning" "$(cat "$scratch/messages")" ''
	is "$crash: every stack ends with a reason" \
		"$(grep -cE '^    End of stack: [^ ]' "$scratch/walk")" "$(grep -c '^Thread' "$scratch/walk")"
	for file in "$crashes/$crash/source"/*; do
		base=$(basename "$file")
		t "$crash: frames are in $base" grep -q "\[$base : " "$scratch/walk"
		# The line of each frame exists in the source.
		none "$crash: lines of $base exist" "$(sed -n "s/.*\[$base : \([0-9]*\) .*/\1/p" "$scratch/walk" |
			$AWK -v lines="$(wc -l <"$file")" '$1 < 1 || $1 > lines')"
	done
done

# names CRASH [THREAD]: the functions of a thread in order, as `function line`.
names() {
	"$UNSPOOL" walk -m --thread "${2:-0}" "$crashes/$1/crash.dmp" "$crashes/$1/symbols" |
		$AWK -F '|' -v thread="${2:-0}" '$1 == thread && NF == 7 { print ($4 == "" ? $3 : $4) ($6 == "" ? "" : " " $6) }'
}

# Read from source/ledger.c: callers, callees and the lines of the calls.
is 'frame-data-x86: the stack is that of the source' "$(names frame-data-x86)" \
'balance_of 12
add_up 21
read_ledger 40
main 59
mainCRTStartup
kernel32.dll'
is 'frame-data-x86: the other thread waits in autosave' "$(names frame-data-x86 1)" \
'ntdll.dll
kernel32.dll
autosave 50
kernel32.dll'
# Read from source/kiosk.cpp; worth and half_price are inlined.
is 'pdb-x86: the stack is that of the source' "$(names pdb-x86)" \
'kiosk::roll::worth 19
kiosk::roll::total(int) 30
kiosk::evening(kiosk::roll const &,int,int) 41
kiosk::half_price 48
kiosk::close_day(kiosk::ticket const *,int) 59
start 71
kernel32.dll'

# after_ledger POLICY...: the caller of read_ledger in a walk like Breakpad's.
after_ledger() {
	"$UNSPOOL" walk -m --compat breakpad "$@" --thread 0 "$crashes/frame-data-x86/crash.dmp" \
		"$crashes/frame-data-x86/symbols" | sed -n 's/^0|3|ledger.exe|\([^|]*\).*/\1/p'
}
is 'frame-data-x86: Breakpad loses main' "$(after_ledger)" add_up
is 'frame-data-x86: one policy row finds main' "$(after_ledger --policy parameters-of-innermost=0)" main

# The debugger's stack: eight levels in one frame, then the sort, which was not inlined into it.
is 'inlines-amd64: the crash lies eight calls deep in one frame' \
	"$(names inlines-amd64 | sed -n 's/.* \([0-9]*\)$/\1/p' | head -n 8 | tr '\n' ' ')" '21 22 23 25 158 85 1887 1921 '
is 'inlines-amd64: these frames are one physical one' \
	"$("$UNSPOOL" walk "$crashes/inlines-amd64/crash.dmp" "$crashes/inlines-amd64/symbols" |
		sed '/Found by: given/q' | grep -c 'Found by: inline record')" 7
is 'inlines-amd64: the stack goes on to main and its end' "$(names inlines-amd64 | tail -n 5)" \
'engine::run(int) 38
main 42
__libc_start_call_main 58
__libc_start_main_impl 360
_start'

is 'scan-only-amd64: all callers are found' "$(names scan-only-amd64 | grep -v '^libc' | tr '\n' ' ')" \
	'die 6 fatal_last.cold c_ 9 b_ 10 a_ 11 entry 12 main 13 _start '
is 'scan-only-amd64: scanning alone finds all callers' \
	"$("$UNSPOOL" walk "$crashes/scan-only-amd64/crash.dmp" "$crashes/scan-only-amd64/symbols" |
		sed -n 's/^    Found by: //p' | LC_ALL=C sort -u | tr '\n' ',')" 'given as instruction pointer in context,stack scanning,'

# 121 goes down by 3 in each round of is_even, is_odd, third; the last is_even(0) crashes.
names pac-arm64 >"$scratch/pac"
is 'pac-arm64: is_even is called 42 times' "$(grep -c '^is_even 5$' "$scratch/pac")" 42
is 'pac-arm64: is_odd is called 41 times' "$(grep -c '^is_odd 6$' "$scratch/pac")" 41
is 'pac-arm64: third is called 41 times' "$(grep -c '^third 7$' "$scratch/pac")" 41
is 'pac-arm64: main is frame 124' "$(sed -n 125p "$scratch/pac")" 'main 8'
none 'pac-arm64: no pc has a pointer signature' "$("$UNSPOOL" walk "$crashes/pac-arm64/crash.dmp" "$crashes/pac-arm64/symbols" |
		grep -E ' pc = 0x0{0,5}[1-9a-f]0*55')"

# Read from source/parcel.c: weigh calls itself for each inner parcel.
is 'sframe-amd64: the stack is that of the source' "$(names sframe-amd64)" \
'label_length 19
print_label 29
weigh 42
weigh 43
weigh 43
sort_and_weigh 55
main 65
libc.so.6'
is 'sframe-amd64: SFrame alone finds the same frames' "$("$UNSPOOL" walk --methods sframe --binaries "$crashes/sframe-amd64/binaries" \
		"$crashes/sframe-amd64/crash.dmp" "$crashes/sframe-amd64/symbols" |
		sed -n 's/^ *[0-9]*  parcel!\([a-z_]*\) .*/\1/p; s/^    Found by: //p' | tr '\n' ',')" \
'label_length,given as instruction pointer in context,print_label,SFrame row,weigh,SFrame row,'\
'weigh,SFrame row,weigh,SFrame row,sort_and_weigh,SFrame row,main,SFrame row,SFrame row,'

# Read from source/ferry.c.
compact=$crashes/compact-amd64
for code in 1 0; do
	is "compact-amd64: the encodings lead to the true stack, code=$code" \
		"$("$UNSPOOL" walk -m --policy code=$code --binaries "$compact/binaries" "$compact/crash.dmp" "$compact/symbols" |
			$AWK -F '|' '$1 == 0 && NF == 7 { print $4, $6 }')" \
'weigh 12
board 22
load 34
sail 45
main 53
start '
done
is 'compact-amd64: a scan does not find main' "$(names compact-amd64 | tail -n 1)" 'sail 45'

# Read from source/till.c; the broken record invents print_receipt.
is 'broken-cfi-amd64: the broken record invents a frame' "$(names broken-cfi-amd64)" \
'post 51
settle 62
print_receipt 45
close_day 74
main 80
libc.so.6'
if lacks capstone; then
	skip 1 'capstone was left out: no calls are read'
else
	is 'broken-cfi-amd64: the calls before the return addresses contradict it' "$(for frame in 0 1 2 3; do
		"$UNSPOOL" explain --frame $frame --binaries "$crashes/broken-cfi-amd64/binaries" \
			"$crashes/broken-cfi-amd64/crash.dmp" "$crashes/broken-cfi-amd64/symbols" |
			sed -n 's/^ \([a-zA-Z]*\) *the call before.*: [0-9a-fx]* calls \([a-z_]*\).*/\1 \2/p'
	done)" \
'ok post
DOUBT print_line
DOUBT settle
ok close_day'
fi

# The descriptions of dumps still make the same bytes.
for crash in broken-cfi-amd64 compact-amd64 frame-data-x86 pdb-x86 sframe-amd64; do
	if [ -x "$builddir/tests/lib/make-crash" ]; then
		t "$crash: its recipe works" "$builddir/tests/lib/make-crash" "$crashes/$crash/crash.txt" "$scratch/crash.dmp"
		t "$crash: the recipe makes the same bytes" cmp "$scratch/crash.dmp" "$crashes/$crash/crash.dmp"
	else
		skip 2 'tests/lib/make-crash is not built'
	fi
done

# Sources --------------------------------------------------------------------------------------

# shows CRASH FOLDER TEXT: the explorer finds the source of frame 0 without an option.
shows() {
	printf ':view source\nz\n:save-screen %s\nQ\n' "$scratch/source" >"$scratch/script"
	rm -f "$scratch/source"
	"$UNSPOOL" --script "$scratch/script" --size 120x40 "$2/$1/crash.dmp" "$2/$1/symbols" >"$scratch/out" 2>&1 </dev/null
	t "$1: its source is found in $(basename "$2")" grep -qF -- "$3" "$scratch/source"
}
cp -R "$crashes" "$scratch/installed"
for folder in "$crashes" "$scratch/installed"; do
	shows frame-data-x86 "$folder" 'account->credit - account->debit'
	shows inlines-amd64 "$folder" 'static inline int level3'
	shows pac-arm64 "$folder" '__attribute__((noinline)) int is_even'
	shows scan-only-amd64 "$folder" '__attribute__((noinline, noreturn)) void die'
	shows sframe-amd64 "$folder" 'const char *at = parcel->label;'
done

is 'all bundles together are under 1.5 MB' "$(find "$crashes" -type f -exec cat {} + | wc -c | $AWK '{ print $1 < 1500000 }')" 1

done_testing
