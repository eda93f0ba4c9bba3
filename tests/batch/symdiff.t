#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two symbol files of one module: their differences, by address. By hand.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

cat >"$scratch/first.sym" <<\END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program
FILE 0 a.c
INLINE_ORIGIN 0 inner
FUNC 1000 20 0 main
INLINE 0 7 0 0 1008 4
1000 10 1 0
1010 10 2 0
FUNC 1020 10 0 helper
1020 10 9 0
PUBLIC 1040 0 tail
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^
STACK CFI INIT 1020 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^
END
run() { "$UNSPOOL" symdiff "$@" >"$scratch/out" 2>"$scratch/err"; }

sed -e 's/^FUNC 1020 10 0 helper/FUNC 1020 10 0 helped/' -e 's/^STACK CFI 1004.*/STACK CFI 1004 .cfa: $rsp 24 +/' \
	-e 's/^1010 10 2 0/1010 10 3 0/' -e 's/^INLINE 0 7 0 0 1008 4/INLINE 0 8 0 0 1008 4/' \
	-e '/^STACK CFI INIT 1020/d' "$scratch/first.sym" >"$scratch/second.sym"
run "$scratch/first.sym" "$scratch/second.sym"
is 'differences exit with 1' $? 1
is 'names and rules are listed by address, with their lines' "$(cat "$scratch/out")" "1004-101f  \$rbx  in main
  - .cfa -16 + ^   first.sym:12:1
  + nothing
1004-101f  .cfa  in main
  - \$rsp 16 +   first.sym:12:1
  + \$rsp 24 +   second.sym:12:1
1020-102f  name
  - helper   first.sym:8:1
  + helped   second.sym:8:1
1020-102f  STACK CFI  in helper
  - a STACK CFI record   first.sym:13:1
  + nothing
4 differences, name: 1, rule: 3"
run --lines "$scratch/first.sym" "$scratch/second.sym"
t 'lines are listed if requested' grep -Fq '  - a.c:2   first.sym:7:1' "$scratch/out"
t 'inlined calls are listed if requested' grep -Fq '  + inner at a.c:8   second.sym:5:1' "$scratch/out"
is 'the counts include lines and inlined calls' "$(tail -n 1 "$scratch/out")" '6 differences, name: 1, line: 1, inlined calls: 1, rule: 3'

sed '/^STACK CFI INIT 1020/d' "$scratch/first.sym" >"$scratch/second.sym"
run --json "$scratch/first.sym" "$scratch/second.sym"
t 'a record has no name that a linker symbol has' grep -q '"says":"a STACK CFI record","line":13}' "$scratch/out"

sed -e 's/0E0F0/0E0F1/' "$scratch/first.sym" >"$scratch/second.sym"
run "$scratch/first.sym" "$scratch/second.sym"
t 'files of different builds are distinguished' grep -q 'different builds' "$scratch/err"
run --json "$scratch/first.sym" "$scratch/second.sym"
t 'JSON says that builds are compared by name' grep -q '"by_name":true' "$scratch/out"
run --by-address --json "$scratch/first.sym" "$scratch/second.sym"
t 'JSON says that builds are compared by address if an option asks for it' grep -q '"by_name":false' "$scratch/out"
cat >"$scratch/long.sym" <<\END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program
FUNC 1000 20 0 _ZN6engine3runEi
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^
STACK CFI 1010 .cfa: $rsp 24 +
STACK CFI 1018 $rbx: $rbx
END
sed -e 's/$rbx: .cfa -16 + ^/$rbx: .cfa -24 + ^/' -e '/^STACK CFI 1018/d' \
	-e 's/^STACK CFI 1010.*/&\nSTACK CFI 1018 $rbx: $rbx $r12: $r12/' "$scratch/long.sym" >"$scratch/longer.sym"
sed 's/_ZN6engine3runEi/engine::run(int)/' "$scratch/long.sym" >"$scratch/shown.sym"
if ! "$UNSPOOL" --version | grep -q 'no libiberty'; then
	run "$scratch/long.sym" "$scratch/shown.sym"
	is 'names with the same shown form do not differ' "$(cat "$scratch/out")" '0 differences'
	run --json "$scratch/long.sym" "$scratch/longer.sym"
	t 'JSON has the name in the file' grep -q '"function":"engine::run(int)","mangled":"_ZN6engine3runEi"' "$scratch/out"
else
	skip 2 'built without libiberty'
fi
run --no-demangle "$scratch/long.sym" "$scratch/shown.sym"
is 'the JSON has names as in the file if requested' "$(head -n 1 "$scratch/out")" '1000-101f  name'

# The parts of a PDB that its symbol file has lost.
pdb=$srcdir/data/crashes/pdb-x86/binaries/kiosk.pdb
"$UNSPOOL" dump-syms "$pdb" >"$scratch/kiosk.sym"
run --lines "$scratch/kiosk.sym" "$pdb"
is 'a symbol file has all records of its PDB' "$(cat "$scratch/out" "$scratch/err")" '0 differences'
sed '/^STACK WIN 4 1044/d; /^FUNC 10a0/d; s/^1040 c 53/1040 c 54/' "$scratch/kiosk.sym" >"$scratch/lost.sym"
run --lines "$scratch/lost.sym" "$pdb"
is 'a lost function, a lost record and a wrong line are reported' "$(grep -v '^  ' "$scratch/out")" \
	'1040-104b  line  in kiosk::close_day(kiosk::ticket const *,int)
1044-1094  STACK WIN  in kiosk::close_day(kiosk::ticket const *,int)
10a0-10b2  name
10a0-10b2  line  in start
10a0-10b2  parameters  in start
5 differences, name: 1, line: 2, STACK WIN: 1, parameters: 1'
head -c 5000 "$pdb" >"$scratch/cut.pdb"
run "$scratch/lost.sym" "$scratch/cut.pdb"
is 'a truncated PDB cannot be compared' $? 3

# Many deltas of one record: each is read once.
{
	sed -n 1p "$scratch/first.sym"
	echo 'STACK CFI INIT 1000 40000 .cfa: $rsp 8 + .ra: .cfa -8 + ^'
	$AWK 'BEGIN { for (i = 1; i <= 16000; i++) printf "STACK CFI %x .cfa: $rsp %d +\n", 4096 + 4 * i, 8 * (i % 9) }'
} >"$scratch/deltas.sym"
sed 's/rsp 16 +/rsp 800 +/' "$scratch/deltas.sym" >"$scratch/more.sym"
is 'the different ones of 16,000 deltas are listed within seconds' \
	"$(timeout 900 "$UNSPOOL" symdiff "$scratch/deltas.sym" "$scratch/more.sym" | tail -n 1)" \
	'1778 differences, rule: 1778 (more than are shown)'
done_testing
