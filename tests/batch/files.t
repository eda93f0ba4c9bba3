#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every kind of file that opens: microdumps in logs, compressed dumps, several dumps in one run.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
amd64=$crashes/inlines-amd64
arm64=$crashes/pac-arm64

# walk OUTPUT ARGS...: print into a file; $status gets the exit status.
walk() {
	out=$1
	shift
	"$UNSPOOL" walk "$@" >"$out" 2>"$out.err" </dev/null
	status=$?
}

walk "$scratch/plain" -m "$amd64/crash.dmp" "$amd64/symbols"
walk "$scratch/other" -m "$arm64/crash.dmp" "$arm64/symbols"

# Compressed -------------------------------------------------------------------------------------

for tool in gzip zstd xz lz4; do
	if ! command -v "$tool" >/dev/null || lacks "lib$tool"; then
		skip 5 "there is no $tool"
		continue
	fi
	"$tool" -c "$amd64/crash.dmp" >"$scratch/packed.$tool"
	walk "$scratch/out" -m "$scratch/packed.$tool" "$amd64/symbols"
	is "$tool: exit status" $status 0
	t "$tool: the file walks as the plain dump does" cmp "$scratch/plain" "$scratch/out"
	"$UNSPOOL" walk -m - "$amd64/symbols" <"$scratch/packed.$tool" >"$scratch/out" 2>/dev/null
	t "$tool: the file is read from standard input" cmp "$scratch/plain" "$scratch/out"
	half=$(($(wc -c <"$scratch/packed.$tool") * 3 / 4))
	head -c "$half" "$scratch/packed.$tool" >"$scratch/half.$tool"
	walk "$scratch/out" "$scratch/half.$tool" "$amd64/symbols"
	t "$tool: three quarters of the file are reported as truncated, or refused with a reason" grep -q 'decompress' "$scratch/out.err"
	printf 'MDMP' | "$tool" -c | "$tool" -c >"$scratch/twice"
	walk "$scratch/out" "$scratch/twice"
	t "$tool: a file compressed twice is refused" grep -q "$tool once more" "$scratch/out.err"
done

# Several dumps ----------------------------------------------------------------------------------

gzip -c "$arm64/crash.dmp" >"$scratch/b.dmp.gz"
walk "$scratch/both" -m "$amd64/crash.dmp" "$amd64/symbols" "$scratch/b.dmp.gz" "$arm64/symbols"
is 'two dumps: exit status' $status 0
{
	echo "Dump|$amd64/crash.dmp"
	cat "$scratch/plain"
	echo "Dump|$scratch/b.dmp.gz"
	cat "$scratch/other"
} >"$scratch/want"
t 'two dumps: each prints its own text after a line with its name' cmp "$scratch/want" "$scratch/both"

printf 'MDMP' >"$scratch/broken.dmp"
walk "$scratch/both" -m "$amd64/crash.dmp" "$scratch/missing.dmp" "$scratch/b.dmp.gz" \
	"$scratch/broken.dmp" "$amd64/symbols" "$arm64/symbols"
t 'a broken one does not stop the others' grep -q '^OS|.*' "$scratch/both"
is 'all three files with the magic of dumps are tried' "$(grep -c '^Dump|' "$scratch/both")" 3
walk "$scratch/both" -m "$scratch/missing.dmp" "$amd64/crash.dmp" "$amd64/symbols"
is 'the exit status is the worst of them' $status 3
{ echo "Dump|$amd64/crash.dmp"; cat "$scratch/plain"; } >"$scratch/want"
t 'the files that can be opened are printed' cmp "$scratch/want" "$scratch/both"

# Both dumps use one symbol file: it is read once, apart from its beginning, which identifies it.
whole=$(find "$amd64/symbols" -name inline_o2_dw4.sym -size +5k -exec cat {} + | wc -c)
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	cp "$amd64/crash.dmp" "$scratch/again.dmp"
	strace -f -y -e trace=read -o "$scratch/trace" "$UNSPOOL" walk -m "$amd64/crash.dmp" "$scratch/again.dmp" "$amd64/symbols" \
		>/dev/null 2>&1
	is 'a symbol file is read once for all dumps' "$(grep -c "inline_o2_dw4.sym>.* = $whole\$" "$scratch/trace")" 1
else
	skip 1 'there is no strace'
fi

# Microdumps -------------------------------------------------------------------------------------

corpus=$UNSPOOL_CORPUS/breakpad
if ! [ -d "$corpus/oracle" ]; then
	skip 22 'there is no corpus'
	done_testing
fi
for name in microdump-arm microdump-mips32 microdump-multiple microdump-x86; do
	walk "$scratch/out" --compat breakpad "$corpus/$name.dmp" "$corpus/symbols/microdump"
	is "$name: exit status" $status 0
	t "$name: the text is that of microdump_stackwalk" cmp "$corpus/oracle/$name.microdump.txt" "$scratch/out"
	# As from adb: other lines between, and carriage returns.
	awk '{ printf "%s\r\n01-01 00:00:00.000 D/other( 7): S %d : M C\r\n", $0, NR }' "$corpus/$name.dmp" >"$scratch/log.txt"
	walk "$scratch/out" --compat breakpad "$scratch/log.txt" "$corpus/symbols/microdump"
	t "$name: the same text comes from a longer log" cmp "$corpus/oracle/$name.microdump.txt" "$scratch/out"
	walk "$scratch/out" -m "$corpus/$name.dmp" "$corpus/symbols/microdump"
	is "$name: the machine form has its first frame" "$(grep -c '^0|0|' "$scratch/out")" 1
done
multiple=$corpus/microdump-multiple.dmp
walk "$scratch/out" "$multiple"
t 'the other microdumps are reported' grep -q 'has 2 microdumps' "$scratch/out.err"
walk "$scratch/first" --dump-index 1 "$multiple"
t 'the first complete microdump opens' cmp "$scratch/out" "$scratch/first"
walk "$scratch/out" --dump-index 2 "$multiple"
t '--dump-index opens the second microdump' grep -q 'no registers for this thread' "$scratch/out"
walk "$scratch/out" --dump-index 3 "$multiple"
is 'a third microdump is an error' "$status $(grep -c 'the last one is 2' "$scratch/out.err")" '3 1'
listed=$("$UNSPOOL" streams "$multiple" 2>/dev/null | grep -c '^  module = "M ')
is 'the lines of a microdump are listed' "$listed" "$(sed -n '/BEGIN/,/END/p' "$multiple" | grep -c ': M ')"
walk "$scratch/out" --dump-index 0 "$multiple"
is 'the lines of a microdump count from one' $status 2

done_testing
