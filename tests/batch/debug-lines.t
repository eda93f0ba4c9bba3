#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Functions, lines and inlined calls of a program that the test compiles: every command shows the contents of its
# DWARF, as addr2line reads it.
. "$(dirname "$0")/../lib/tap.sh"
. "$srcdir/tests/lib/compiled.sh"

compiled_needs gcc addr2line

source_code() {
	cat <<\END
#include <stdio.h>
volatile int sink;
static inline __attribute__((always_inline)) int inner(int x)
{
	sink = x * 3;
	return sink + x;
}
static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x + 1) * inner(x + 2);
}
__attribute__((noinline)) int outer(int x)
{
	if (x > 100) {
		printf("large %d\n", x);
		return 0;
	}
	return middle(x) + sink;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc);
}
END
}

# Every address of a function, relative to the module and in the process.
addresses() {
	set -- $(compiled_address "$1" "$2")
	compiled_at=$((0x$1))
	compiled_end=$((0x$1 + 0x$2))
	while [ $compiled_at -lt $compiled_end ]; do
		printf '%x 0x%x\n' $compiled_at $((compiled_at + 0x$compiled_base))
		compiled_at=$((compiled_at + 1))
	done
}

# "RELATIVE FUNCTION FILE:LINE FUNCTION FILE:LINE ..." for each address, the innermost first.
by_addr2line() {
	cut -d' ' -f1 "$scratch/addresses" | addr2line -afi -e "$1" | sed 's/ (discriminator.*//' |
		$AWK '/^0x/ { if (line) print line; sub(/^0x0*/, ""); line = $0; next } { line = line " " $0 }
		END { print line }'
}

# From identify: a fact has the line, and each inlined call has the place of the next call.
by_identify() {
	"$UNSPOOL" identify --binaries "$scratch" "$@" $(cut -d' ' -f2 "$scratch/addresses") 2>/dev/null | $AWK -v base="$compiled_base" '
		/^ 0x/ { flush(); address = substr($1, 3); function_name = ""; chain = ""; count = 0 }
		$1 == "function" { function_name = $2 }
		$1 == "line" { places[0] = $2 }
		$1 == "inlined" { names[count++] = substr($2, 1, length($2) - 1); places[count] = $5 }
		function flush(    i) {
			if (address == "")
				return
			sub("^" substr(base, 1, 4) "0*", "", address)
			printf "%s", address
			names[count] = function_name
			for (i = 0; i <= count; i++)
				printf " %s %s", names[i], places[i]
			print ""
		}
		END { flush() }'
}

# addr2line prints complete paths of calls, unspool prints base names. Code from the linker is in a unit
# called <artificial>, which addr2line 2.40 takes for the file of DWARF 5's first rows.
without_folders() { sed 's, [^ ]*/, ,g; s/<artificial>/program.c/g'; }

for options in -gdwarf-5 -gdwarf-4 '-gdwarf-4 -gstrict-dwarf' '-gdwarf-3 -gstrict-dwarf' \
	'-gdwarf-5 -ffunction-sections -Wl,--gc-sections' '-gdwarf-5 -flto'; do
	# shellcheck disable=SC2086
	if ! source_code | compile program -O2 $options; then
		echo "# SKIP $options: the compiler does not support them"
		continue
	fi
	set -- $(compiled_address "$scratch/program" outer)
	compiled_crash "$scratch/program" "$1" >"$scratch/crash"
	addresses "$scratch/program" outer >"$scratch/addresses"
	addresses "$scratch/program" main >>"$scratch/addresses"
	by_addr2line "$scratch/program" | without_folders >"$scratch/want"
	by_identify "$scratch/crash" | without_folders >"$scratch/got"
	t "$options: the file has inlined calls" grep -q 'inner program.c:5 middle program.c:10 outer program.c:18' "$scratch/want"
	is "$options: identify gives the answer of addr2line for every address" "$(diff "$scratch/want" "$scratch/got")" ''
done

# DWARF 2 cannot express where a call was inlined, nor code in several parts: it has one part of the unit (main is
# elsewhere) and of a call. Nested calls are still its children.
if source_code | compile old -O2 -gdwarf-2 -gstrict-dwarf; then
	addresses "$scratch/old" outer >"$scratch/addresses"
	addresses "$scratch/old" main >>"$scratch/addresses"
	cut -d' ' -f1 "$scratch/addresses" | addr2line -fi -e "$scratch/old" | sed -n 'p;n' >"$scratch/want"
	# shellcheck disable=SC2046
	"$UNSPOOL" lookup --brief "$scratch/old" $(cut -d' ' -f1 "$scratch/addresses") 2>/dev/null | sed -n 'p;n' >"$scratch/got"
	t 'DWARF 2: the file has inlined calls' grep -q inner "$scratch/want"
	is 'DWARF 2: the calls are those of addr2line' "$(diff "$scratch/want" "$scratch/got")" ''
fi

# A function that the linker drops keeps its rows, from address 0 on and far into those of other functions.
$AWK 'BEGIN {
	print "volatile int sink;\nint dropped(int x)\n{"
	for (i = 0; i < 3000; i++)
		print "\tsink += x *", i, ";"
	print "\treturn sink;\n}\n__attribute__((noinline)) int kept(int x)\n{\n\tsink += x;"
	print "\treturn sink * 3;\n}\nint main(int argc, char **argv)\n{\n\treturn kept(argc) + (int)(long)argv;\n}"
}' >"$scratch/dropping.c"
if compile dropping -O1 -g -ffunction-sections -Wl,--gc-sections <"$scratch/dropping.c" &&
	! nm "$scratch/dropping" | grep -q dropped; then
	compiled_crash "$scratch/dropping" "$(compiled_address "$scratch/dropping" kept | cut -d' ' -f1)" >"$scratch/dropped"
	"$UNSPOOL" disassemble --binaries "$scratch" "$scratch/dropped" >"$scratch/out" 2>/dev/null
	is 'a function has its own lines if the linker dropped others' \
		"$(sed -n 's/.* dropping.c:\([0-9]*\) .*/\1/p' "$scratch/out" | LC_ALL=C sort -u | tr '\n' ' ')" '3008 3009 3010 '
	"$UNSPOOL" identify --binaries "$scratch" "$scratch/dropped" "0x$(printf %x $((0x$compiled_base + 0x1010)))" \
		>"$scratch/out" 2>/dev/null
	t 'the code before the first function is not the dropped one' sh -c '! grep -q "dropp[a-z]*(\|dropping.c" "$1"' sh "$scratch/out"
else
	echo '# SKIP the linker drops nothing'
fi

"$UNSPOOL" disassemble --binaries "$scratch" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'disassembly has the line of a statement with its text' grep -q ' program.c:5  *sink = x \* 3;' "$scratch/out"
t 'the disassembly has the inlined calls' grep -q 'inlined inner called at program.c:10$' "$scratch/out"
t 'the disassembly marks the end of an inlined call' grep -q 'the function itself$' "$scratch/out"
"$UNSPOOL" disassemble --json --pretty --binaries "$scratch" "$scratch/crash" >"$scratch/json" 2>/dev/null
t 'the JSON of the disassembly has the inlined calls' sh -c 'grep -q "\"call_line\": 10" "$1" && grep -q "src/program.c\"" "$1"' sh "$scratch/json"
mv "$scratch/src" "$scratch/moved"
"$UNSPOOL" disassemble --binaries "$scratch" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'a line is shown without its source' grep -q ' program.c:5$' "$scratch/out"
"$UNSPOOL" disassemble --binaries "$scratch" --source "$scratch/src=$scratch/moved" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'a moved source is found' grep -q ' program.c:5  *sink = x \* 3;' "$scratch/out"

# Code of an inlined call that has no line.
{
	sed -n 's/^M .* \([^ ]*\) program$/MODULE Linux x86_64 \1 program/p' "$scratch/crash"
	printf 'FILE 1 a.c\nINLINE_ORIGIN 0 inner\nFUNC %x 10 0 outer\nINLINE 0 5 1 0 %x 8\n' "0x$1" "0x$1"
} >"$scratch/program.sym"
"$UNSPOOL" identify "$scratch/crash" "$scratch/program.sym" "$(printf '0x%x' $((0x$compiled_base + 0x$1)))" >"$scratch/out" 2>/dev/null
t 'an inlined call is named where its code has no line' grep -q 'inner, called at a.c:5' "$scratch/out"

# The functions of a skeleton unit are in another file (split-dwarf.t); its lines are in the program.
if source_code | compile split -O2 -g -gsplit-dwarf; then
	rm -f "$scratch"/*.dwo "$scratch"/src/*.dwo
	split=$(compiled_address "$scratch/split" outer | cut -d" " -f1)
	compiled_crash "$scratch/split" "$split" >"$scratch/crash.split"
	"$UNSPOOL" disassemble --binaries "$scratch" "$scratch/crash.split" >"$scratch/out" 2>/dev/null
	t 'functions with split DWARF have their lines' grep -q ' split.c:5  *sink = x \* 3;' "$scratch/out"
fi

"$UNSPOOL" disassemble --policy file-names=0 --binaries "$scratch" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'the policy row switches the lines of instructions off' sh -c '! grep -q "program.c\|outer" "$1"' sh "$scratch/out"
"$UNSPOOL" identify --policy file-names=0 --binaries "$scratch" "$scratch/crash" \
	"$(printf '0x%x' $((0x$compiled_base + 0x$1)))" >"$scratch/out" 2>/dev/null
t 'the policy row switches the lines of addresses off' sh -c '! grep -q "program.c\|outer" "$1"' sh "$scratch/out"

# Parts and copies of functions: DWARF has the function's name, the symbol table the part's, as printed by nm.
clones() {
	compiled_with=g++ compile clones -O2 -g <<\END
#include <cstdio>
#include <cstdlib>
#include <string>
struct pair { int a, b, c; };
static __attribute__((noinline)) int scale(struct pair *p, int by)
{
	printf("%d\n", p->a * by);
	return p->a * by;
}
extern "C" { static __attribute__((noinline)) int sum(struct pair *p, int n)
{
	int all = 0;

	for (int i = 0; i < n; i++)
		all += p->b * i + rand();
	return all;
} }
int __attribute__((noinline)) check(int n)
{
	int all = 0;

	for (int i = 0; i < n; i++) {
		all += n * i;
		if (__builtin_expect(all > 1000, 0)) {
			std::string s = "over" + std::to_string(all);
			throw 1;
		}
	}
	return all;
}
int main(int argc, char **)
{
	struct pair p = { argc, argc * 2, 7 };

	try {
		return scale(&p, 12) + scale(&p, 12) + sum(&p, argc) + check(argc);
	} catch (int e) {
		return e;
	}
}
END
}
if command -v g++ >/dev/null 2>&1 && clones; then
	nm -S "$scratch/clones" | grep -E '\.(cold|part|isra|constprop)' | cut -d' ' -f1,2 >"$scratch/parts"
	nm -SC "$scratch/clones" | grep -E '\.(cold|part|isra|constprop)' | cut -d' ' -f4- >"$scratch/want"
	cut -d' ' -f1 "$scratch/parts" | "$UNSPOOL" lookup --brief "$scratch/clones" 2>/dev/null |
		grep -F -x -f "$scratch/want" >"$scratch/got"
	is 'code in a cold part, and in copies of a function, is marked as such' "$(cat "$scratch/got")" "$(cat "$scratch/want")"
	t 'the compiled file has several such parts' test "$(wc -l <"$scratch/want")" -ge 3
	# The cold part of check: a symbol file made from DWARF has only the function's name for it.
	part=$(nm -SC "$scratch/clones" | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) t check(int) \[clone .cold\]$/\1 \2/p')
	compiled_crash "$scratch/clones" "${part% *}" >"$scratch/crash.clones"
	{
		sed -n 's/^M .* \([^ ]*\) clones$/MODULE Linux x86_64 \1 clones/p' "$scratch/crash.clones"
		printf 'FUNC %s 0 check(int)\n' "$part"
	} >"$scratch/clones.sym"
	frame() { "$UNSPOOL" walk --backtrace "$@" "$scratch/crash.clones" "$scratch/clones.sym" 2>/dev/null | sed -n 's/^ 0  //p'; }
	is 'a symbol file names the function' "$(frame)" 'clones!check(int) + 0x0'
	is 'the file of a function has its part and line' "$(frame --binaries "$scratch" | sed 's/ : .*//')" 'clones!check(int) [clone .cold] [clones.c'
	is 'the policy decides if the part is shown' "$(frame --binaries "$scratch" --policy file-names=0)" 'clones!check(int) + 0x0'
	is 'the policy of Breakpad never shows it' "$(frame --binaries "$scratch" --compat breakpad)" "$(frame --compat breakpad)"
	is 'the signature is that of the function' "$("$UNSPOOL" summary --binaries "$scratch" "$scratch/crash.clones" \
		"$scratch/clones.sym" 2>/dev/null | sed -n 's/^signature *//p')" 'check'
fi

# A symbol file does not hide DWARF of the same build: lines, and calls inlined into functions for which the file has no INLINE record.
with_another() {
	source_code
	cat <<\END
__attribute__((noinline)) int another(int x)
{
	return middle(x * 5) - sink;
}
END
}
if with_another | sed 's/return outer(argc)/return outer(argc) + another(argc)/; s/^volatile/int another(int); &/' |
	compile both -O2 -g; then
	crash=$scratch/crash.both symbols=$scratch/both.sym
	compiled_crash "$scratch/both" "$(compiled_address "$scratch/both" another | cut -d' ' -f1)" >"$crash"
	for function in outer another main; do
		addresses "$scratch/both" $function
	done >"$scratch/addresses"
	by_addr2line "$scratch/both" | without_folders >"$scratch/want"
	record() { compiled_address "$scratch/both" $2 | sed "s/ / ${3+$3 }/; s/^/$1 /; s/\$/ 0 $2/"; }
	module() { sed -n 's/^M .* \([^ ]*\) both$/MODULE Linux x86_64 \1 both/p' "$crash"; }
	{ module && record FUNC outer && record FUNC another && record FUNC main; } >"$symbols"
	by_identify "$crash" "$symbols" | without_folders >"$scratch/got"
	t 'both functions have inlined calls' test "$(grep -c 'inner .* middle' "$scratch/want")" -gt 20
	is 'FUNC records hide neither the lines nor the inlined calls of DWARF' "$(diff "$scratch/want" "$scratch/got")" ''
	for function in outer another main; do
		compiled_address "$scratch/both" $function | sed "s/ .*/ 0 $function/; s/^/PUBLIC /"
	done | { module && cat; } >"$symbols"
	by_identify "$crash" "$symbols" | without_folders >"$scratch/got"
	is 'PUBLIC records hide neither the lines nor the inlined calls of DWARF' "$(diff "$scratch/want" "$scratch/got")" ''

	# `outer` has an INLINE record, which counts; for `another` the file has only a line.
	set -- $(compiled_address "$scratch/both" outer) $(compiled_address "$scratch/both" another)
	{
		module && echo 'FILE 1 own.c' && echo 'INLINE_ORIGIN 0 recorded' && record FUNC outer
		echo "INLINE 0 7 1 0 $1 4" && record FUNC another && echo "$3 $4 9 1"
	} >"$symbols"
	by_identify "$crash" "$symbols" | without_folders >"$scratch/got"
	is 'a function with an INLINE record has the calls of the file' "$(sed -n "s/^0*$(printf %x "0x$1") //p" "$scratch/got")" \
		"recorded $(sed -n "s/^$(printf %x "0x$1") //p" "$scratch/want" | sed 's/.* //') outer own.c:7"
	t 'a function with an INLINE record has no calls of DWARF' sh -c '! grep "outer" "$1" | grep -q "inner\|middle"' sh "$scratch/got"
	is 'a function without an INLINE record has the calls of debug information' "$(grep another "$scratch/got" | sed 's/[a-z]*\.c:[0-9]*//g')" \
		"$(grep another "$scratch/want" | sed 's/[a-z]*\.c:[0-9]*//g')"
	t 'the calls of debug information have the line of the file' sh -c '! grep another "$1" | grep -vq "^[0-9a-f]* [a-z]* own.c:9"' sh "$scratch/got"

	# The source of each call.
	at=$(sed -n 's/ inner both.c:5 middle both.c:10 another .*//p' "$scratch/want" | head -1)
	compiled_crash "$scratch/both" "$at" >"$crash"
	"$UNSPOOL" walk --binaries "$scratch" "$crash" "$symbols" >"$scratch/out" 2>/dev/null
	t 'a walk says that DWARF has the call' sh -c 'grep -A2 "both.inner " "$1" | grep -q "Found by: inlined call of debug information"' sh "$scratch/out"
	"$UNSPOOL" explain --binaries "$scratch" --frame 0 "$crash" "$symbols" >"$scratch/out" 2>/dev/null
	t 'the evidence has the call with its entry' sh -c 'grep -q "no INLINE records, so .* debug information" "$1" && grep -q " inner  *both+0x" "$1"' sh "$scratch/out"
	"$UNSPOOL" walk --json --pretty --binaries "$scratch" "$crash" "$symbols" >"$scratch/out" 2>/dev/null
	t 'the JSON has the call with its entry' sh -c 'grep -A2 "\"inlines_record\"" "$1" | grep -q "\"file\": \".*/both\""' sh "$scratch/out"
	"$UNSPOOL" disassemble --binaries "$scratch" "$crash" "$symbols" >"$scratch/out" 2>/dev/null
	t 'the disassembly has the call' grep -q 'inlined inner called at both.c:10' "$scratch/out"
	is 'the policy row leaves the calls to the symbol file' "$("$UNSPOOL" walk --backtrace --policy file-names=0 \
		--binaries "$scratch" "$crash" "$symbols" 2>/dev/null | sed -n 's/^ 0 *//p')" \
		"both!another [own.c : 9 + $(printf 0x%x $((0x$at - 0x$3)))]"
	is "the calls are those of Breakpad's column" "$("$UNSPOOL" walk --backtrace --compat breakpad --binaries "$scratch" "$crash" "$symbols" \
		2>/dev/null | sed -n 's/^ 0 *//p')" "$("$UNSPOOL" walk --backtrace --compat breakpad "$crash" "$symbols" 2>/dev/null | sed -n 's/^ 0 *//p')"
fi

# A byte of the compressed DWARF is wrong: the symbol table gives the name, and a message reports the loss.
source_code | compile damaged -O1 -g -gz=zlib
set -- $(compiled_address "$scratch/damaged" outer)
section=$(readelf -SW "$scratch/damaged" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
# The size when decompressed is the second word of the compression header (gABI).
whole=$(od -An -tu8 -j $((0x$section + 8)) -N 8 "$scratch/damaged" | tr -d ' ')
printf '\377\377\377\377' | dd of="$scratch/damaged" bs=1 seek=$((0x$section + 40)) conv=notrunc 2>/dev/null
compiled_crash "$scratch/damaged" "$1" >"$scratch/crash"
"$UNSPOOL" walk --binaries "$scratch/damaged" "$scratch/crash" >"$scratch/out" 2>"$scratch/err"
is 'a damaged section is reported once, with its size' \
	"$(grep -c "error: section .debug_info of '.*damaged' cannot be decompressed to $whole bytes; the file is read without it$" "$scratch/err")" 1
t 'the symbol table names the function' grep -q 'damaged!outer' "$scratch/out"
done_testing
