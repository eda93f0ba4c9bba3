#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `unspool stack` and `unspool register-history`: the words of a stack and the history of a register, as the explorer shows them.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
scan=$srcdir/data/crashes/scan-only-amd64

# word OFFSET: four bytes of the dump as a little-endian number.
word() {
	od -An -tu1 -j "$(($1))" -N 4 "$crash/crash.dmp" | $AWK '{ printf "%02x%02x%02x%02x", $4, $3, $2, $1 }'
}

# The thread's stack descriptor: 12fe8c, the lowest word, is at offset 10c of the dump.
"$UNSPOOL" stack "$crash/crash.dmp" "$crash/symbols" >"$scratch/stack"
is 'stack exits with 0' $? 0
$AWK '$1 ~ /^0012f/ { sub(/^[*+?!]/, "", $2); print $1, $2 }' "$scratch/stack" >"$scratch/words"
t 'the stack has words' test "$(wc -l <"$scratch/words")" -gt 30
while read -r address value; do
	[ "$(word $((0x10c + 0x$address - 0x12fe8c)))" = "$value" ] || echo "$address $value"
done <"$scratch/words" >"$scratch/wrong"
none 'each word has the value in the dump' "$(cat "$scratch/wrong")"

# Frames that a record finds have the registers that walk prints: the return address is the caller's pc.
"$UNSPOOL" walk --backtrace "$crash/crash.dmp" "$crash/symbols" | $AWK '$1 ~ /^[0-9]+$/ { print $1 }' >"$scratch/frames"
is 'every frame of the walk has a beginning' "$($AWK '$2 == "frame" { print $3 }' "$scratch/stack")" "$(cat "$scratch/frames")"
is 'every caller has a return address' "$(grep -c 'return to' "$scratch/stack")" "$(($(wc -l <"$scratch/frames") - 1))"
is 'a frame ends at the stack pointer of its caller, by its record or by the frame pointer' \
	"$($AWK '/^ ==/ { print $5, $10, substr($0, index($0, "(")) }' "$scratch/stack" | tr '\n' ' ')" \
	'0: 1 (STACK WIN) == 1: 2 (STACK WIN) == 2: 3 (STACK WIN) == 3: 4 (STACK WIN) == 4: 5 (assumed: frame pointer) == '
none 'no return address is a guess' "$(grep 'return to .*[^(]?' "$scratch/stack")"

# The stack of this thread ends at the highest address.
last=$srcdir/tests/differential/recorded/small-thread-names
t 'a stack that ends with the last address is listed to its end' timeout 900 "$UNSPOOL" stack "$last/crash.dmp" "$last/symbols"

# The contents of a frame: the registers that walk prints for it, and its own words.
"$UNSPOOL" stack --registers -f 1 "$crash/crash.dmp" "$crash/symbols" >"$scratch/frame"
is 'the registers of a frame are those of the walk' "$($AWK '$1 ~ /^e[a-z]+$/ { print $1, "=", "0x" $2 }' "$scratch/frame")" \
	"$("$UNSPOOL" walk -c "$crash/crash.dmp" "$crash/symbols" | sed -n '/^ 1 /,/Found/p' | grep -o 'e[a-z][a-z] = 0x[0-9a-f]*')"
is 'the words are those of the frame' "$(sed '1,/^ address/d' "$scratch/frame")" \
	"$("$UNSPOOL" stack -f 1 "$crash/crash.dmp" "$crash/symbols" | sed 1d)"

# The words are the same, folded or not.
"$UNSPOOL" stack --all "$crash/crash.dmp" "$crash/symbols" >"$scratch/all"
folded=$($AWK '$2 == "..." { for (i = 3; i < NF; i++) if ($(i + 1) ~ /^words/) n += $i } END { print n }' "$scratch/stack")
plain=$(wc -l <"$scratch/words")
is 'a fold says how many words it has' "$((plain + folded))" "$(grep -c '^ 0012f' "$scratch/all")"
is 'one frame is printed alone' "$("$UNSPOOL" stack --frame 1 "$crash/crash.dmp" "$crash/symbols" | $AWK '$2 == "frame" { print $3 }')" 1

# Only a scan finds callers here; each refused word has a reason.
"$UNSPOOL" stack "$scan/crash.dmp" "$scan/symbols" >"$scratch/scan"
t 'a word that the scan refused has the reason' grep -q ' ?00007f1000393150 .*refused: in no module$' "$scratch/scan"
t 'the word that the scan accepted is marked' grep -q ' \*000056429577009a .*; taken by the scan$' "$scratch/scan"
is 'the end of every frame that a scan found is marked as a guess' "$(grep -c '^ == end of .*(guessed: stack scan) ==$' "$scratch/scan")" \
	"$(grep -c '^ -- frame [0-9]*  scan ' "$scratch/scan")"
is 'the words that the scans took as return addresses are guesses' "$(grep -c ' return to ' "$scratch/scan")" \
	"$(grep -c ' guess: return to ' "$scratch/scan")"
t 'strings are followed through two pointers' grep -q ' -> -> "PATH=/usr/bin:/bin"$' "$scratch/scan"

"$UNSPOOL" stack --redact "$scan/crash.dmp" "$scan/symbols" >"$scratch/redacted"
none 'redacted memory is not printed' "$(grep -E 'PATH|00007f1000393150|00005642957701db' "$scratch/redacted")"
"$UNSPOOL" stack --redact "$srcdir/data/crashes/frame-data-x86/crash.dmp" >"$scratch/redacted" 2>/dev/null
none 'the meaning of a small number is not printed' "$(grep -E ' (104|175)$' "$scratch/redacted")"
t 'the word in its place is complete' grep -q '^ 0012fe94  redacted  ' "$scratch/redacted"

# The history of a register ------------------------------------------------------------------------

# add_up saves ebx at 12fea0 (by its record); main's record has no rule for ebx.
history() { "$UNSPOOL" register-history "$@" "$crash/crash.dmp" "$crash/symbols"; }
history --register ebx | $AWK 'NR > 1 { print $1, $2, $3, $4 }' >"$scratch/history"
is 'the history of a register has a row for each frame' "$(cut -d' ' -f1 "$scratch/history" | tr '\n' ' ')" '0 1 2 3 4 5 '
is 'kept, changed, lost and unknown values have signs' "$(sed -n '2,$p' "$scratch/history" | cut -d' ' -f3 | tr '\n' ' ')" '= * ? . . '
t 'a saved value has its place' sh -c 'grep -q "saved by frame 1 at \[0012fea0\]   ledger.sym:44"' <<END
$(history --register ebx)
END
done_testing
