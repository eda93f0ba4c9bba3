#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Addresses of an ELF file alone, with functions, lines, inlined calls and rules; compared with addr2line on a
# program that is compiled here.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64
parcel=$crash/binaries/parcel

lookup() { "$UNSPOOL" lookup "$@" 2>"$scratch/err"; }

# By hand: readelf -sW, --sframe and --debug-dump=frames-interp of the file, plus the starts of their sections.
rules='  sort_and_weigh + 0x5   .symtab   parcel+0x3170
  SFrame   parcel+0x2212
    CFA   rbp+16    $rbp 16 +   parcel+0x2214
    ra    c-8       .cfa -8 + ^   parcel+0x2176
    rbp   c-16      .cfa -16 + ^   parcel+0x2215
  .eh_frame   parcel+0x212c
    CFA   rbp+16    $rbp 16 +   parcel+0x212c
    ra    c-8       .cfa -8 + ^   parcel+0x212c
    rbp   c-16      .cfa -16 + ^   parcel+0x212c'
is 'a file gives the name and the rules, each with its offset' "$(lookup "$parcel" 11e2)" "0x000011e2   parcel+0x11e2
$rules"
is 'the file of a module of a dump has the same answer' \
	"$(lookup --binaries "$crash/binaries" "$crash/crash.dmp" parcel+11e2 | sed 1d)" "$rules"
is 'the answer of a symbol file comes first' "$(lookup --brief "$parcel" "$crash/symbols" 11e2 | sed 's/[^:]*\///')" \
	"$(lookup --brief "$(echo "$crash"/symbols/parcel/*/parcel.sym)" 11e2 | sed 's/[^:]*\///')"
lookup "$parcel" 5 >"$scratch/out"
is 'an address without a name is a finding' "$? $(sed 1d "$scratch/out")" '1   no function, no name below it
  no unwind rules'

cat >"$scratch/t.c" <<'END'
extern int weigh(int, int *) __asm__("_ZN5scale5weighEiPi");
static inline __attribute__((always_inline)) int
inner(int n)
{
	return n % 7 ? n * 3 : n;
}
static inline __attribute__((always_inline)) int
middle(int n, int *p)
{
	p[1] = inner(n);
	return p[n & 1] + inner(p[2]);
}
int __attribute__((noinline))
weigh(int n, int *p)
{
	for (int i = 0; i < n; i++)
		p[i & 3] += middle(i, p);
	return middle(n, p);
}
int main(int argc, char **argv)
{
	int p[4] = { argc, 2, 3, argv != 0 };
	return weigh(argc, p) + middle(argc, p);
}
END
# Every byte of the functions of the file.
ask() {
	nm -S "$1" | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) T \(main\|_Z.*\)$/\1 \2/p' |
		while read -r at size; do
			for i in $(seq 0 "$((0x$size - 1))"); do printf '0x%x\n' "$((0x$at + i))"; done
		done
}
command -v addr2line >/dev/null 2>&1 && command -v gcc >/dev/null 2>&1 && command -v nm >/dev/null 2>&1 && peer=yes || peer=
for flags in -O2 '-O2 -gdwarf-4 -no-pie' -O0; do
	title="functions, lines and inlined calls are those of addr2line, with gcc $flags"
	# shellcheck disable=SC2086
	if [ -z "$peer" ] || ! gcc -g $flags -o "$scratch/program" "$scratch/t.c" 2>/dev/null; then
		tap_result 0 "$title # SKIP there is no addr2line or no compiler"
		continue
	fi
	ask "$scratch/program" >"$scratch/addresses"
	addr2line -fi -C -e "$scratch/program" <"$scratch/addresses" | sed 's/ (discriminator.*//' >"$scratch/want"
	lookup --brief "$scratch/program" <"$scratch/addresses" >"$scratch/got"
	is "$title" "$(diff "$scratch/want" "$scratch/got" | head -n 8)" ''
	t 'the comparison has many names' test "$(wc -l <"$scratch/want")" -gt 200
done
if [ -n "$peer" ] && command -v objcopy >/dev/null 2>&1; then
	ask "$scratch/program" >"$scratch/addresses"
	lookup --brief "$scratch/program" <"$scratch/addresses" >"$scratch/want"
	objcopy --only-keep-debug "$scratch/program" "$scratch/program.debug"
	(cd "$scratch" && objcopy --strip-all --add-gnu-debuglink=program.debug program)
	lookup --brief "$scratch/program" <"$scratch/addresses" >"$scratch/got"
	t 'the debug file that a program names has the same answers' cmp "$scratch/want" "$scratch/got"
	mkdir "$scratch/elsewhere"
	mv "$scratch/program.debug" "$scratch/elsewhere"
	lookup --brief --binaries "$scratch/elsewhere" "$scratch/program" <"$scratch/addresses" >"$scratch/got"
	t 'a debug file in a directory of --binaries has the same answers' cmp "$scratch/want" "$scratch/got"
	is 'a stripped file without its debug file has no names' "$(sed 1q "$scratch/addresses" | lookup --brief "$scratch/program")" "$(printf '??\n??:0')"
fi

mingw=x86_64-w64-mingw32
if ! command -v $mingw-gcc >/dev/null 2>&1 || ! $mingw-gcc -O2 -o "$scratch/program.exe" "$scratch/t.c" 2>/dev/null; then
	tap_result 0 'functions of a program of MinGW are named by its symbol table # SKIP there is no MinGW'
else
	# nm also lists names of crt files, and several names of one address.
	$mingw-nm "$scratch/program.exe" | $AWK '$2 == "T" { at[$1]++; name[$1] = $3 } END { for (a in at) if (at[a] == 1) print a, name[a] }' |
		grep ' \(main\|_ZN5.*\|mainCRTStartup\)$' | LC_ALL=C sort >"$scratch/want"
	while read -r address _; do
		echo "$address $(lookup --brief --no-demangle "$scratch/program.exe" "$address" | sed 1q)"
	done <"$scratch/want" >"$scratch/got"
	is 'functions of a program of MinGW are named by its symbol table' "$(diff "$scratch/want" "$scratch/got")" ''
	is 'three functions of MinGW are named' "$(wc -l <"$scratch/want" | tr -d ' ')" 3
	rva=$(printf '%x' "$((0x$(sed -n 's/ main$//p' "$scratch/want") - 0x140000000))")
	t 'addresses may count from the base of the image' sh -c '"$1" lookup "$2" "$3" | grep -q "^  main   symbol table   "' \
		sh "$UNSPOOL" "$scratch/program.exe" "$rva"
fi

sym=$(echo "$srcdir"/data/crashes/broken-cfi-amd64/symbols/*/*/*.sym)
lookup "$sym" 1000 >"$scratch/alone"
is 'the status of a symbol file alone is 0' $? 0
for more in "$scratch" "--symbols-path $scratch" "--binaries $scratch"; do
	for command in lookup cfi; do
		at=1000
		[ $command = lookup ] || at='--at 1000'
		# shellcheck disable=SC2086
		"$UNSPOOL" $command "$sym" $more $at >"$scratch/got" 2>"$scratch/err"
		is "$command of a symbol file: what '${more%%[ /]*}' adds is not used, with a message" \
			"$? $(grep -c "'$scratch' is not used: with the symbol file '.*till.sym', no" "$scratch/err")" '3 1'
	done
done
lookup "$sym" "$scratch" 1000 >"$scratch/got"
t 'the answer is that of the symbol file' cmp "$scratch/alone" "$scratch/got"
done_testing
