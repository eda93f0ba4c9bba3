#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Split DWARF: functions and inlined calls in .dwo files and packages, found next to the program, in the given paths and
# where they were compiled, and DWARF inside PE files. Expected are the answers of addr2line for a build without it.
. "$(dirname "$0")/../lib/tap.sh"
. "$srcdir/tests/lib/compiled.sh"

compiled_needs gcc addr2line

mkdir "$scratch/src" "$scratch/bin" "$scratch/plain" "$scratch/other"
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
	return middle(x) + sink;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc);
}
END
cat >"$scratch/src/two.c" <<'END'
static inline __attribute__((always_inline)) int deepest(int x)
{
	return x * x + 3;
}
__attribute__((noinline)) int another(int x)
{
	return deepest(x) * deepest(x + 1);
}
END

# build CC DIRECTORY OPTION...: build the program, whose units are compiled in src/obj.
build() {
	built_with=$1 built_in=$2
	shift 2
	mkdir -p "$scratch/src/obj"
	(cd "$scratch/src" && for unit in one two; do
		"$built_with" -fPIE -O2 "$@" -c $unit.c -o obj/$unit.o || exit 1
	done && "$built_with" -pie -Wl,--build-id obj/one.o obj/two.o -o "$scratch/$built_in/prog") \
		2>"$scratch/compiled.err" || { diag "$(cat "$scratch/compiled.err")" && return 1; }
}

addresses() {
	for function in outer main another; do
		compiled_address "$scratch/plain/prog" $function
	done | while read -r at size; do
		seq $((0x$at)) $((0x$at + 0x$size - 1))
	done | xargs printf '0x%x\n'
}

# Functions and places, without folders; line 0 means none. addr2line 2.40 loses calls in clang's DWARF 5.
by_peer() {
	if [ "$1 $2" = 'clang 5' ]; then
		addresses | llvm-symbolizer -fi -e "$scratch/plain/prog" | sed '/^$/d; s/:[0-9]*$//; s,^/.*/,,; s/^.*:0$/??:0/'
		return
	fi
	addresses | addr2line -fi -e "$scratch/plain/prog" | sed 's/ (discriminator.*//; s,^/.*/,,; s/^.*:?$/??:0/'
}
by_lookup() {
	addresses | "$UNSPOOL" lookup --brief "$@" "$scratch/bin/prog" 2>"$scratch/err" | sed 's,^/.*/,,'
}

# Without the files only lines are available.
bare() { by_lookup "$@" | grep -c '^inner$\|^middle$\|^deepest$'; }

for with in 'gcc 4 dwp' 'gcc 5 -' 'clang 4 dwp' 'clang 4 llvm-dwp' 'clang 5 llvm-dwp'; do
	set -- $with
	rm -rf "$scratch/src/obj" "$scratch/bin" "$scratch/other" && mkdir "$scratch/bin" "$scratch/other"
	if ! command -v "$1" >/dev/null 2>&1 || { [ "$1 $2" = 'clang 5' ] && ! command -v llvm-symbolizer >/dev/null 2>&1; } ||
		! build "$1" plain "-gdwarf-$2" || ! build "$1" bin "-gdwarf-$2" -gsplit-dwarf; then
		echo "# SKIP $with"
		continue
	fi
	by_peer "$@" >"$scratch/want"
	t "$with: the program has inlined calls" grep -q '^deepest$' "$scratch/want"
	by_lookup >"$scratch/got"
	is "$with: .dwo files are found where they were compiled" "$(diff "$scratch/want" "$scratch/got")" ''
	is '.dwo files are not found with --no-comp-dir' "$(bare --no-comp-dir)" 0
	t 'a message names the missing file' grep -q "^unspool: warning: no 'obj/one.dwo' with the unit [0-9a-f]* of 'prog'" "$scratch/err"
	if command -v strace >/dev/null 2>&1; then
		addresses | strace -f -o "$scratch/trace" "$UNSPOOL" lookup --no-comp-dir "$scratch/bin/prog" >/dev/null 2>&1
		t 'the missing file is not searched' sh -c 'grep -q "bin/prog.dwp" "$1" && ! grep -q "src/obj" "$1"' sh "$scratch/trace"
	fi
	mv "$scratch"/src/obj/*.dwo "$scratch/bin"
	by_lookup --no-comp-dir >"$scratch/got"
	is '.dwo files are found in the directory of the program' "$(diff "$scratch/want" "$scratch/got")" ''
	mkdir "$scratch/bin/obj" && mv "$scratch"/bin/*.dwo "$scratch/bin/obj"
	by_lookup --no-comp-dir >"$scratch/got"
	is '.dwo files are found with their path' "$(diff "$scratch/want" "$scratch/got")" ''
	mv "$scratch/bin/obj" "$scratch/other"
	by_lookup --no-comp-dir --binaries "$scratch/other" >"$scratch/got"
	is '.dwo files are found in a given directory' "$(diff "$scratch/want" "$scratch/got")" ''
	(cd "$scratch/other/obj" && command -v "$3" && timeout 20 "$3" one.dwo two.dwo -o ../package) >/dev/null 2>&1 || continue
	mv "$scratch/other/package" "$scratch/bin/prog.dwp" && rm -r "$scratch/other/obj"
	by_lookup --no-comp-dir >"$scratch/got"
	is "$with: a package next to the program has all units" "$(diff "$scratch/want" "$scratch/got")" ''
	mv "$scratch/bin/prog.dwp" "$scratch/other"
	by_lookup --binaries "$scratch/other/prog.dwp" >"$scratch/got"
	is 'a single given package has all units' "$(diff "$scratch/want" "$scratch/got")" ''
done

# A crash of the last program: the report names each file and where it was found.
rm -rf "$scratch/src/obj" "$scratch/bin" "$scratch/other" && mkdir "$scratch/bin" "$scratch/other"
build gcc bin -g -gsplit-dwarf
set -- $(compiled_address "$scratch/bin/prog" another)
compiled_crash "$scratch/bin/prog" "$1" >"$scratch/crash"
"$UNSPOOL" symbols --binaries "$scratch/bin" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'the search lists the file where it was compiled' grep -A1 "$scratch/src/obj/two.dwo" "$scratch/out"
t 'the search lists the file as used' sh -c 'grep -A1 "$1" "$2" | grep -q "used   where it was compiled"' sh "$scratch/src/obj/two.dwo" "$scratch/out"
"$UNSPOOL" disassemble --json --pretty --binaries "$scratch/bin" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'the disassembly has the lines and the inlined calls' sh -c 'grep -q "\"function\": \"deepest\"" "$1" && grep -q "\"line\": 3" "$1"' sh "$scratch/out"
"$UNSPOOL" explain --frame 0 --binaries "$scratch/bin" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'the evidence has the entry in the file' grep -q 'chosen   .debug_info.dwo .* another   two.dwo+0x' "$scratch/out"
cp "$scratch/src/obj/one.dwo" "$scratch/bin/two.dwo"
"$UNSPOOL" symbols --no-comp-dir --binaries "$scratch/bin" "$scratch/crash" >"$scratch/out" 2>"$scratch/err"
t 'a file with other units is refused' grep -q '! refused' "$scratch/out"
t 'the refusal of other units has a message' grep -q "two.dwo' is of another build: it has no unit of DWARF with the id" "$scratch/err"
t 'the refusal has the remedy' grep -q "help .*2 of 2 units of split DWARF are missing: give the directory of the .dwo files, or 'prog.dwp'" "$scratch/out"
"$UNSPOOL" symbols --json --pretty --no-comp-dir --binaries "$scratch/bin" "$scratch/crash" >"$scratch/out" 2>/dev/null
t 'JSON has the refusal' sh -c 'grep -q "\"split_units\": 2" "$1" && grep -q "\"split_missing\": 2" "$1"' sh "$scratch/out"

# Damaged files: the program ends by itself for any contents.
damaged=0
for file in one.dwo two.dwo; do
	size=$(wc -c <"$scratch/src/obj/$file")
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cp "$scratch/src/obj/one.dwo" "$scratch/src/obj/two.dwo" "$scratch/bin"
		for byte in 1 2 3 4 5 6 7 8; do
			printf "\\$((seed % 4))$((byte % 8))7" | dd of="$scratch/bin/$file" bs=1 conv=notrunc \
				seek=$(((seed * 7919 + byte * 104729) % size)) 2>/dev/null
		done
		by_lookup --no-comp-dir >/dev/null
		status=$?
		"$UNSPOOL" disassemble --no-comp-dir --binaries "$scratch/bin" "$scratch/crash" >/dev/null 2>&1
		[ $? -lt 2 ] && [ $status -lt 2 ] || damaged=$((damaged + 1))
	done
done
is 'damaged .dwo files cause no crash' "$damaged" 0

# DWARF of a PE file.
if command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1; then
	pe=x86_64-w64-mingw32
	for options in -gdwarf-4 -gdwarf-5; do
		(cd "$scratch/src" && $pe-gcc -O2 "$options" one.c two.c -o "$scratch/prog.exe")
		for function in outer another; do
			$pe-nm "$scratch/prog.exe" | sed -n "s/^0*\\(.*\\) T $function\$/0x\\1/p"
		done >"$scratch/starts"
		while read -r at; do
			seq $((at)) $((at + 16))
		done <"$scratch/starts" | xargs printf '0x%x\n' >"$scratch/at"
		$pe-addr2line -fi -e "$scratch/prog.exe" <"$scratch/at" | sed 's/ (discriminator.*//; s,^/.*/,,' >"$scratch/want"
		"$UNSPOOL" lookup --brief "$scratch/prog.exe" <"$scratch/at" 2>/dev/null | sed 's,^/.*/,,' >"$scratch/got"
		t "$options: the PE file has inlined calls" grep -q '^deepest$' "$scratch/want"
		is "$options: lines and inlined calls are those of addr2line" "$(diff "$scratch/want" "$scratch/got")" ''
	done
else
	skip 4 'there is no compiler for PE files'
fi

# The debug map of a Mach-O program: it was linked when ferry.o was of second 1000000000.
mkdir -p "$scratch/apple"
for file in ferry ferry.o; do
	gzip -dc "$srcdir/tests/apple/$file.gz" >"$scratch/apple/$file"
done
touch -d @1000000000 "$scratch/apple/ferry.o"
lookup_ferry() {
	"$UNSPOOL" lookup --brief "$@" "$scratch/apple/ferry" 0x100000395 0x10000046b 2>"$scratch/err"
}
mapped='sail
/Users/class/ferry.c:45
weigh
/Users/class/ferry.c:12'
is 'lines of a Mach-O program are those of its object file' "$(lookup_ferry)" "$mapped"
none 'without a warning' "$(cat "$scratch/err")"
mkdir "$scratch/objects"
mv "$scratch/apple/ferry.o" "$scratch/objects"
is 'without the object file there are names' "$(lookup_ferry)" 'sail
??:0
weigh
??:0'
t 'the missing object file is named' grep -q "no object file 'ferry.o' that was not changed" "$scratch/err"
is 'its directory is given with --binaries' "$(lookup_ferry --binaries "$scratch/objects")" "$mapped"
touch -d @1000000001 "$scratch/objects/ferry.o"
is 'an object file that was changed is not used' "$(lookup_ferry --binaries "$scratch/objects" | grep -c '?')" 2
done_testing
