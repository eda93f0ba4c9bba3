#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# dump-syms: symbol files of programs. For each address they have the answers of addr2line for the program. For C++,
# where addr2line's names differ, they are compared with `lookup`, which reads DWARF by other code.
. "$(dirname "$0")/../lib/tap.sh"
. "$srcdir/tests/lib/compiled.sh"

compiled_needs gcc g++ addr2line objcopy

mkdir "$scratch/src" "$scratch/other"
cat >"$scratch/src/one.c" <<'END'
volatile int sink;
int another(int x);
static inline __attribute__((always_inline)) int inner(int x)
{
	if (x > 100)
		sink += another(x) * 5;
	return sink + x;
}
static inline __attribute__((always_inline)) int middle(int x)
{
	return inner(x + 1) * inner(x + 2);
}
__attribute__((noinline)) int outer(int x)
{
	if (__builtin_expect(x == 7, 0))
		__builtin_trap();
	return middle(x) + sink;
}
static inline int deepest(int x)
{
	return x * x + 3;
}
__attribute__((noinline)) int another(int x)
{
	return deepest(x) * deepest(x + 1);
}
__attribute__((section(".dropped"), used)) static int dropped(int x) { return x; }
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc);
}
END
cp "$scratch/src/one.c" "$scratch/src/two.c"
cat >"$scratch/src/two.cc" <<'END'
#include <stdexcept>
#include <string>
volatile int sink;
namespace shop {
namespace {
inline __attribute__((always_inline)) int inner(int x)
{
	if (x > 100)
		throw std::runtime_error(std::string(x, 'x'));
	return sink + x;
}
}
struct till {
	int total;
	__attribute__((noinline)) int add(int x) { return total += inner(x + 1) * inner(x + 2); }
	template <class T> __attribute__((noinline)) T count(T x) { return x + total; }
};
extern "C" __attribute__((noinline)) int plain(int x)
{
	struct local {
		static __attribute__((noinline)) int twice(int x) { return x * sink; }
	};
	return local::twice(x) + inner(x);
}
}
int main(int argc, char **argv)
{
	shop::till till = { argc };
	(void)argv;
	return till.add(argc) + till.count(argc) + shop::plain(argc);
}
END

# build COMPILER SOURCE NAME OPTION...
build() {
	built_with=$1 built_from=$2 built_as=$3
	shift 3
	(cd "$scratch/src" && "$built_with" -fPIE -pie -O2 -Wl,--build-id "$@" "$built_from" -o "../$built_as") \
		2>"$scratch/compiled.err" || { diag "$(cat "$scratch/compiled.err")" && return 1; }
}
dump() { "$UNSPOOL" dump-syms "$@" 2>"$scratch/err"; }

# Each address of the program's functions.
addresses() {
	nm -S "$scratch/$1" | sed -n 's/^\([0-9a-f]*\) \([0-9a-f]*\) [tTwW] .*/\1 \2/p' | sort -u |
		grep -v " 0*$" | while read -r at size; do
			seq $((0x$at)) $((0x$at + 0x$size - 1))
		done | xargs printf '0x%x\n'
}
by_lookup() {
	addresses "$1" | "$UNSPOOL" lookup --brief "$2" 2>/dev/null | sed 's/^.*:[?0]$/??:0/'
}
by_peer() {
	addresses "$1" | addr2line -fi -e "$scratch/$1" | sed 's/ (discriminator.*//; s/^.*:[?0]$/??:0/'
}

for with in 'gcc 2' 'gcc 3' 'gcc 4' 'gcc 5' 'clang 4'; do
	set -- $with
	if ! command -v "$1" >/dev/null 2>&1 || ! build "$1" one.c prog -g "-gdwarf-$2"; then
		skip 4 "$with cannot compile"
		continue
	fi
	t "$with: a symbol file is written" dump "$scratch/prog" -o "$scratch/prog.sym$1$2"
	by_peer prog >"$scratch/want"
	by_lookup prog "$scratch/prog.sym$1$2" >"$scratch/got"
	# Code without a line in DWARF, such as _start, has its linker symbol in both.
	t "$with: the file has inlined calls" grep -q '^inner$' "$scratch/got"
	is "$with: names, lines and inlined calls are those of addr2line" \
		"$(grep -v '^_\|_\|^??' "$scratch/want" >"$scratch/w"; grep -v '^_\|_\|^??' "$scratch/got" | diff "$scratch/w" -)" ''
	none "$with: lint finds nothing wrong" "$("$UNSPOOL" lint "$scratch/prog.sym$1$2" | grep -E 'error:|warning:')"
done

build gcc one.c prog -g || build gcc one.c prog -g -gdwarf-4
"$UNSPOOL" dump-syms "$scratch/prog" >"$scratch/want.sym" 2>"$scratch/err"
none 'a complete program causes no message' "$(cat "$scratch/err")"
id=$(readelf -n "$scratch/prog" | sed -n 's/.*Build ID: //p' | tr a-f A-F)
is 'MODULE and INFO have the build ID, as a GUID and complete' "$(sed -n 1,2p "$scratch/want.sym")" \
	"MODULE Linux x86_64 $(echo "$id" | sed 's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\9/')0 prog
INFO CODE_ID $id"
is 'functions begin and end where nm says' \
	"$(sed -n 's/^FUNC \([0-9a-f]*\) \([0-9a-f]*\) 0 \(outer\|another\|main\|dropped\)$/\1 \2 \3/p' "$scratch/want.sym" | sort)" \
	"$(nm -S "$scratch/prog" | sed -n 's/^0*\([0-9a-f]*\) 0*\([0-9a-f]*\) [tT] \(outer\|another\|main\|dropped\|.*\.cold\)$/\1 \2 \3/p' |
		sed 's/\.cold$//' | sort)"

# The file is the same for any form of the debug information.
same() {
	title=$1
	shift
	dump "$@" >"$scratch/got.sym"
	is "$title" "$(diff "$scratch/want.sym" "$scratch/got.sym" | head -5)" ''
}
same 'one thread writes the same file' --threads 1 "$scratch/prog"
same 'seven threads write the same file' --threads 7 "$scratch/prog"
cp "$scratch/prog" "$scratch/whole"
objcopy --compress-debug-sections "$scratch/whole" "$scratch/prog"
same 'a program with compressed sections has the same records' "$scratch/prog"
objcopy --only-keep-debug "$scratch/whole" "$scratch/other/prog.debug"
(cd "$scratch/other" && objcopy --strip-debug --add-gnu-debuglink=prog.debug ../whole ../prog)
same 'a debug file in a directory is read' "$scratch/prog" "$scratch/other"
same 'a debug file that is named is read' "$scratch/prog" "$scratch/other/prog.debug"
dump "$scratch/prog" >/dev/null
t 'a message reports the missing debug file' grep -q 'no debug information' "$scratch/err"
cp "$scratch/whole" "$scratch/prog"
if command -v dwz >/dev/null 2>&1; then
	cp "$scratch/whole" "$scratch/copy"
	(cd "$scratch" && dwz -m "$scratch/common" prog copy) 2>"$scratch/compiled.err"
	same 'entries that dwz moved are read' "$scratch/prog" "$scratch/common"
	cp "$scratch/whole" "$scratch/prog"
else
	skip 1 'there is no dwz'
fi

dump "$scratch/other/prog.debug" >"$scratch/got.sym"
is 'a debug file alone gives all records but unwind rules' \
	"$(grep -v '^STACK\|^MODULE' "$scratch/want.sym" | diff - "$scratch/got.sym" | grep -v ' MODULE Linux\|^[0-9]')" ''

# Split DWARF: the records equal those of the program without it, also of many inlined calls in several ranges, whose lists
# are in the .dwo file alone in DWARF 5.
{
	cat "$scratch/src/two.c"
	echo 'static inline __attribute__((always_inline)) int mix(int a, int b) { int s = sink + a; if (b > s) s += sink * 3; else s -= a * 5; return s ^ b; }'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		echo "int f$i(int a, int b) { int x = mix(a, b + $i), y = mix(b, x), z = mix(x ^ a, y); return mix(x, y) * mix(y, z) + z; }"
	done
} >"$scratch/src/many.c"
for with in 'gcc 4 dwp' 'gcc 5 -' 'clang 4 llvm-dwp' 'clang 5 llvm-dwp'; do
	set -- $with
	rm -f "$scratch"/src/*.dwo "$scratch"/prog.dwp
	if ! command -v "$1" >/dev/null 2>&1 || ! build "$1" many.c prog -g "-gdwarf-$2" || ! dump "$scratch/prog" >"$scratch/plain.sym" ||
		! build "$1" many.c prog -g "-gdwarf-$2" -gsplit-dwarf; then
		skip 2 "$with cannot compile"
		continue
	fi
	dump "$scratch/prog" >"$scratch/got.sym"
	is "split DWARF of $with: the same records" \
		"$(sed 1,2d "$scratch/plain.sym" >"$scratch/w"; sed 1,2d "$scratch/got.sym" | diff "$scratch/w" - | head -5)" ''
	if (cd "$scratch" && command -v "$3" && "$3" src/*.dwo -o prog.dwp && rm src/*.dwo) >/dev/null 2>&1; then
		dump --no-comp-dir "$scratch/prog" >"$scratch/got.sym"
		is 'the records of a package are the same' "$(sed 1,2d "$scratch/got.sym" | diff "$scratch/w" - | head -5)" ''
	else
		skip 1 'no package can be made'
	fi
done
rm -f "$scratch"/src/*.dwo "$scratch"/prog.dwp
dump "$scratch/prog" >/dev/null
t 'a missing .dwo file is reported' grep -q "\.dwo' with the unit" "$scratch/err"

cp "$scratch/whole" "$scratch/prog"

# Link-time optimisation puts names into other units than the code.
cat >"$scratch/src/three.c" <<'END'
extern volatile int sink;
struct unused { int x; };
static __attribute__((noinline)) int hidden(int x) { return x + sink; }
int another(int x) { return hidden(x) * hidden(x + 1); }
END
if (cd "$scratch/src" && sed '/^static inline int deepest/,/^}/d; /int another(int x)$/,/^}/d' one.c >four.c &&
	gcc -O2 -g -flto -fPIE -pie four.c three.c -o ../lto) 2>"$scratch/compiled.err"; then
	dump "$scratch/lto" >"$scratch/lto.sym"
	# addr2line 2.40 gives the unit's own name for some files.
	by_peer lto | grep -v '_\|^??' | sed 's/^.*:/:/' >"$scratch/want"
	by_lookup lto "$scratch/lto.sym" | grep -v '_\|^??' | sed 's/^.*:/:/' >"$scratch/got"
	t 'LTO: a static function has a record' grep -q '^hidden$' "$scratch/got"
	is 'LTO: names and lines are those of addr2line' "$(diff "$scratch/want" "$scratch/got" | head -5)" ''
else
	skip 2 'gcc cannot optimize at link time'
fi

# C++: linkage names, and functions without one.
for version in 4 5; do
	build g++ two.cc shop -g "-gdwarf-$version"
	dump "$scratch/shop" -o "$scratch/shop.sym$version"
	# A look-up has parts of functions from the symbol table.
	by_lookup shop "$scratch/shop" | sed 's/ \[clone .*//' >"$scratch/want"
	by_lookup shop "$scratch/shop.sym$version" >"$scratch/got"
	is "C++, DWARF $version: every address has the answers of a look-up in the program" "$(diff "$scratch/want" "$scratch/got" | head -5)" ''
	none 'lint finds no defect' "$("$UNSPOOL" lint "$scratch/shop.sym$version" | grep -E 'error:|warning:')"
	sed 's/count<int>(int)$/count<signed int>/; s/twice(int)$/twice/' "$scratch/shop.sym$version" >"$scratch/spelled.sym"
	none "names as in the source are those of the program's linker symbols" \
		"$("$UNSPOOL" lint --binary "$scratch/shop" "$scratch/spelled.sym" | grep 'binary-name')"
done
t 'names are demangled' grep -q '^FUNC .* int shop::till::count<int>(int)$' "$scratch/shop.sym5"
dump --mangled "$scratch/shop" >"$scratch/mangled.sym"
t 'an option leaves names mangled' grep -q '^FUNC .* _ZN4shop4till5countIiEET_S2_$' "$scratch/mangled.sym"
is 'records can be left out' "$(dump --no-inlines --no-cfi --no-publics "$scratch/shop" | grep -c '^INLINE\|^STACK\|^PUBLIC')" 0
is 'MODULE may be given' "$(dump --name n --id 1230 --os o "$scratch/shop" | sed -n 1p)" 'MODULE o x86_64 1230 n'

# Unwind rules: a walk with them equals a walk with the table from which they were made.
is 'each function of the frame table has rules' \
	"$(readelf -wf "$scratch/whole" 2>/dev/null | sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\..*/\1/p' | sort -u)" \
	"$(sed -n 's/^STACK CFI INIT \([0-9a-f]*\) .*/\1/p' "$scratch/want.sym" | sort -u)"
is 'a register that keeps its value has no rule in a record' "$(grep -c '^STACK CFI.* \(\$[a-z0-9]*\): \1\( \|$\)' "$scratch/want.sym")" 0
t 'the first function has no caller' sh -c 'grep -A 1 "^STACK CFI INIT $2 " "$1" | grep -q "\.ra: 0"' sh "$scratch/want.sym" \
	"$(nm "$scratch/whole" | sed -n 's/^0*\([0-9a-f]*\) T _start$/\1/p')"

# glibc's rawmemchr for AArch64 keeps its return address in x15; only the column of its CIE says so.
cat >"$scratch/column.s" <<'END'
	.text
	.globl column
	.type column, %function
column:
	.cfi_startproc
	.cfi_return_column x15
	mov x15, x30
	bl other
	ret x15
	.cfi_endproc
	.globl other
	.type other, %function
other:
	.cfi_startproc
	ret
	.cfi_endproc
END
if aarch64-linux-gnu-gcc -shared -nostdlib "$scratch/column.s" -o "$scratch/column" 2>/dev/null; then
	dump "$scratch/column" >"$scratch/column.sym"
	is 'the return address is in the register that the CIE names' \
		"$(sed -n 's/^STACK CFI INIT [0-9a-f]* \([0-9a-f]*\) /\1: /p' "$scratch/column.sym" | sort)" \
		'4: .cfa: sp .ra: x30
c: .cfa: sp .ra: x15'
	is 'a look-up has the return address in that register' "$("$UNSPOOL" cfi --function column "$scratch/column" | grep -c ' x15 ')" 1
else
	skip 2 'no compiler for arm64'
fi

dump --store "$scratch/store" "$scratch/prog" >"$scratch/out"
path=$scratch/store/prog/$(sed -n '1s/^MODULE Linux x86_64 \([^ ]*\).*/\1/p' "$scratch/want.sym")/prog.sym
is 'a store has it under name and identifier' "$(cat "$scratch/out")" "$path"
is 'whole' "$(diff "$scratch/want.sym" "$path")" ''
(cd "$scratch/store" && dump --store ../new/store "$scratch/prog" >"$scratch/out")
t 'a new store may be next to this directory' test -s "$scratch/new/store/${path#"$scratch/store/"}"
echo 'int f(int x) { return x + 1; }' >"$scratch/src/lib.c"
gcc -O1 -shared -fPIC -Wl,--build-id -Wl,-soname,libone.so.1 -o "$scratch/libone.so.1.2" "$scratch/src/lib.c"
ln -s libone.so.1.2 "$scratch/libone.so"
gcc -O1 -shared -fPIC -Wl,--build-id -g -o "$scratch/other.debug" "$scratch/src/lib.c"
dump "$scratch/libone.so" "$scratch/other.debug" >/dev/null 2>"$scratch/err"
is 'a debug file of another build is an error' "$?" 3
t 'a message names it with both IDs' grep -qE \
	"other.debug' is another build than 'libone.so': its id is [0-9a-f]{40}, expected [0-9a-f]{40}; not used" "$scratch/err"

# PE: DWARF, and unwind rules of .pdata, counted from the CFA.
if (cd "$scratch/src" && x86_64-w64-mingw32-gcc -O2 -g one.c -o ../prog.exe) 2>/dev/null; then
	dump "$scratch/prog.exe" >"$scratch/exe.sym"
	t 'a PE file has functions and inlined calls' grep -A 1 '^FUNC .* outer$' "$scratch/exe.sym"
	is 'calls in each function push the return address' \
		"$(grep '^STACK CFI INIT' "$scratch/exe.sym" | grep -vc ' \.ra: \.cfa -8 + ^')" 0
	t 'the module is a module of Windows' grep -q '^MODULE windows x86_64 [0-9A-F]* prog.exe$' "$scratch/exe.sym"
	dump "$scratch/prog.exe" >/dev/null 2>"$scratch/err"
	t 'a missing build identifier has a warning' grep -q 'no build identifier' "$scratch/err"
else
	skip 4 'there is no compiler for PE files'
fi

# Devices and pipes are no files to keep.
dump "$srcdir/tests/pe/functions.dll" >"$scratch/want.sym"
t 'the file can be written to a device' dump -o /dev/null "$srcdir/tests/pe/functions.dll"
mkfifo "$scratch/pipe"
cat "$scratch/pipe" >"$scratch/got.sym" &
dump -o "$scratch/pipe" "$srcdir/tests/pe/functions.dll"
wait
is 'the file can be written to a pipe' "$(diff "$scratch/want.sym" "$scratch/got.sym")" ''
if chown 1 "$scratch/pipe" 2>/dev/null; then
	ln -s /dev/null "$scratch/link" && chown -h 1 "$scratch/link"
	for name in pipe link; do
		timeout 10 "$UNSPOOL" dump-syms -o "$scratch/$name" "$srcdir/tests/pe/functions.dll" >"$scratch/out" 2>&1
		is "nothing is written to another user's $name" "$? $(grep -c "$name': File exists" "$scratch/out")" '3 1'
	done
else
	skip 2 'only root can give files away'
fi
done_testing
