#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Addresses with functions, lines, inlined calls and rules; compared with addr2line if it is installed.
. "$(dirname "$0")/../lib/tap.sh"

data=$srcdir/data/crashes

cat >"$scratch/x.sym" <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 x
FILE 1 a.c
FILE 2 b.c
INLINE_ORIGIN 7 middle
INLINE_ORIGIN 8 inner
FUNC 1000 40 0 outer(int)
INLINE 0 10 1 7 1010 10
INLINE 1 20 2 8 1014 4
1000 14 5 1
1014 4 30 2
1018 28 12 1
FUNC 1020 8 0 shadow
PUBLIC 1030 0 beaten
PUBLIC 2000 0 exported
STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^
END
lookup() { "$UNSPOOL" lookup "$@" 2>"$scratch/err"; }
is 'calls come innermost first, each with the line where the next one is called' "$(lookup "$scratch/x.sym" 1014)" \
'0x00001014   x.sym+0x1014
  inner   b.c:30   inlined   x.sym:8
  middle   b.c:20   inlined   x.sym:7
  outer(int) + 0x14   a.c:10   x.sym:6
  STACK CFI   x.sym:16
    CFA   rsp+16    $rsp 16 +   x.sym:16:22
    ra    c-8       .cfa -8 + ^   x.sym:15:44
    rbx   c-16      .cfa -16 + ^   x.sym:16:38'
is 'calls are printed as by addr2line -fi with --brief' "$(lookup --brief "$scratch/x.sym" 0x1014)" \
'inner
b.c:30
middle
b.c:20
outer(int)
a.c:10'
t 'JSON has the inlined calls with their records' sh -c '"$1" lookup --json "$2" 1014 |
	grep -qF "{\"function\":\"middle\",\"inlined\":true,\"file\":\"b.c\",\"line\":20,\"record\":{\"text\":\"x.sym:7:1\","' \
	sh "$UNSPOOL" "$scratch/x.sym"

# Lines of a sample of addresses, compared with addr2line, whose name for the innermost call is that of the symbol table.
made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
if command -v addr2line >/dev/null 2>&1 && [ -d "$made/bin/x86_64" ]; then
	for program in inline_o2_dw4 inline_O0 recursion; do
		symbols=$(echo "$made/symbols/x86_64/$program"/*/*.sym)
		$AWK '/^[0-9a-f]+ [0-9a-f]+ [0-9]+ [0-9]+$/ && ++count % 5 == 0 { print $1 }' "$symbols" >"$scratch/addresses"
		addr2line -afi -C -e "$made/bin/x86_64/$program" <"$scratch/addresses" |
			sed -n 's/ (discriminator.*//; /^0x\|:[0-9?]*$/p' | sed 's/^0x0*/0x/; /^0x/!s/.*\///' >"$scratch/want"
		while read -r address; do
			echo "0x$address"
			lookup --brief "$symbols" "$address" | sed -n 'n; s/.*\///; p'
		done <"$scratch/addresses" >"$scratch/got"
		t "lines of $program are those of addr2line" cmp "$scratch/want" "$scratch/got"
		t 'the comparison has some lines' test -s "$scratch/want"
	done
fi

# A C++ name of 5,000 characters, longer than any line buffer: it is complete, and so is the text after it.
name=$($AWK 'BEGIN { for (i = 0; i < 600; i++) printf "list<"; printf "int"; for (i = 0; i < 600; i++) printf ">"
	for (i = 0; i < 280; i++) printf "::next" }')
printf 'MODULE Linux x86_64 0 x\nFILE 1 a.c\nINLINE_ORIGIN 0 in_%s\nFUNC 1000 10 0 %s\nINLINE 0 7 1 0 1000 8\n1000 10 3 1\n' \
	"$name" "$name" >"$scratch/long.sym"
is 'a long name is printed completely, with its place and a line for each call' \
	"${#name} $("$UNSPOOL" lookup "$scratch/long.sym" 1004 2>/dev/null)" "5283 0x00001004   long.sym+0x1004
  in_$name   a.c:3   inlined   long.sym:5
  $name + 0x4   a.c:7   long.sym:4
  no unwind rules"
is '--brief prints a long name completely' "$("$UNSPOOL" lookup --brief "$scratch/long.sym" 1004 2>/dev/null)" "in_$name
a.c:3
$name
a.c:7"
# 400 arguments of a template: c++filt's form has 2,010 characters.
mangled=$($AWK 'BEGIN { printf "_Z1fN1n4listI"; for (i = 0; i < 400; i++) printf "i"; printf "EE" }')
whole=$($AWK 'BEGIN { printf "f(n::list<int"; for (i = 1; i < 400; i++) printf ", int"; printf ">)" }')
printf 'MODULE Linux x86_64 0 x\nFUNC 1000 10 0 %s\n' "$mangled" >"$scratch/mangled.sym"
is 'the source form of a mangled name is printed completely' "$("$UNSPOOL" lookup "$scratch/mangled.sym" 1000 2>/dev/null)" \
	"0x00001000   mangled.sym+0x1000
  $whole   mangled.sym:2
  no unwind rules"
done_testing
