#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names of PLT entries and import thunks, compared with objdump's labels (binutils 2.40) and import tables.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
windows=${made%made}windows/made

# "ADDRESS NAME" of every address.
names() {
	file=$1
	shift
	"$UNSPOOL" lookup --no-demangle --brief "$file" "$@" 2>"$scratch/err" | sed -n 'p;n' |
		while read -r name; do echo "$1 $name"; shift; done
}

parcel=$srcdir/data/crashes/sframe-amd64/binaries/parcel
is 'an entry of .plt.got in a program without lazy binding' "$(names "$parcel" 1030 1035 1020)" \
	'1030 __cxa_finalize@plt
1035 __cxa_finalize@plt
1020 ??'
is 'the record of the entry is the relocation of the slot' "$("$UNSPOOL" lookup "$parcel" 1030 | sed -n 2p)" \
	"  __cxa_finalize@plt   .plt.got   parcel+0x$(readelf -rW "$parcel" | $AWK '
		/^Relocation section/ { start = $6; count = -2 }
		{ count++ }
		/__cxa_finalize/ { printf "%s", start; print "+" count - 1 }' |
		{ IFS=+ read -r start count; printf '%x' $((start + 24 * count)); })"

# The labels that objdump -d gives the first bytes of the entries.
objdump_says() {
	if ! [ -f "$made/bin/$1/$2" ]; then
		skip 1 "$1: the corpus has no programs"
		return
	fi
	is "$1: entries have the names that objdump gives them" "$(names "$made/bin/$1/$2" $(echo "$3" | sed 's/ .*//'))" "$3"
}
objdump_says x86_64 fptrap '1030 raise@plt
1040 fileno@plt
1050 tmpfile@plt
1060 strcmp@plt
1070 mmap@plt
1080 __cxa_finalize@plt'
objdump_says i386 fptrap '1030 fileno@plt
1040 tmpfile@plt
1050 raise@plt
1060 strcmp@plt
1070 __libc_start_main@plt
1080 mmap@plt
1090 __cxa_finalize@plt'
objdump_says arm64 fptrap '6f0 raise@plt
700 __libc_start_main@plt
710 tmpfile@plt
720 __cxa_finalize@plt
730 fileno@plt
740 __gmon_start__@plt
750 abort@plt
760 strcmp@plt
770 mmap@plt'
objdump_says arm fptrap '4c4 raise@plt
4d4 __libc_start_main@plt
4e0 strcmp@plt
4ec __cxa_finalize@plt
4f8 tmpfile@plt
504 __gmon_start__@plt
510 mmap@plt
51c fileno@plt
528 abort@plt'
if [ -d "$windows" ]; then
	is 'thunks of x86 and x64 have the names of the import tables' "$(names "$windows/bin/i386-windows/fpo.exe" 4019c0 4019c8
			names "$windows/bin/x86_64-windows/fpo.exe" 140001ca8 140001cb0)" \
		'4019c0 KERNEL32.dll!WriteFile (import thunk)
4019c8 KERNEL32.dll!TerminateProcess (import thunk)
140001ca8 KERNEL32.dll!WriteFile (import thunk)
140001cb0 KERNEL32.dll!TerminateProcess (import thunk)'
else
	skip 1 'the corpus has no crashes of Windows'
fi

# A crash with its program counter in the entry at 1060 of a program that is at 5592d5e81000.
if [ -f "$made/x86_64/abort_assert.dmp" ]; then
	cp "$made/x86_64/abort_assert.dmp" "$scratch/t.dmp"
	chmod u+w "$scratch/t.dmp"
	printf '\140\040\350\325\222\125\0\0' | dd of="$scratch/t.dmp" bs=1 seek=$((0x22f0)) conv=notrunc 2>/dev/null
	set -- --binaries "$made/bin/x86_64" "$scratch/t.dmp" "$made/symbols/x86_64"
	t 'the frame has the name' sh -c 'grep -qx " 0  aborts!__assert_fail@plt + 0x0"' <<-END
	$("$UNSPOOL" walk -c "$@" 2>/dev/null)
	END
	t 'JSON says that it is a stub' sh -c 'tr -d "\n" | grep -q "__assert_fail@plt\".*\"stub\": *true"' <<-END
	$("$UNSPOOL" walk -c --json "$@" 2>/dev/null)
	END
	t 'the evidence says that it is a stub' sh -c "grep -q '^ stub .*only jumps'" <<-END
	$("$UNSPOOL" explain --frame 0 "$@" 2>/dev/null)
	END
	t 'the policy of Breakpad has the exported name before the stub' sh -c 'grep -qx " 0  aborts!_init + 0x60"' <<-END
	$("$UNSPOOL" walk -c --compat breakpad "$@" 2>/dev/null)
	END
	t 'an address in a stub is identified as a stub' sh -c 'grep -q "__assert_fail@plt + 0x6 .*a stub"' <<-END
	$("$UNSPOOL" identify "$@" 0x5592d5e82066 2>/dev/null)
	END
	t 'calls of the stub have its name' sh -c 'grep -q "call .*<__assert_fail@plt>"' <<-END
	$("$UNSPOOL" disassemble --function "do_assert" "$@" 2>/dev/null)
	END
else
	skip 6 'the corpus has no such crash'
fi

# Every variant that this machine's compiler makes, compared with its objdump.
cat >"$scratch/t.c" <<'END'
#include <stdlib.h>
#include <string.h>
void *volatile address;
static int one(int a) { return a + 1; }
static int two(int a) { return a + 2; }
static void *choose_pick(void) { return getenv("PICK") ? (void *)one : (void *)two; }
int pick(int) __attribute__((ifunc("choose_pick")));
int
main(int count, char **arguments)
{
	address = (void *)&strlen;
	if (count > 9)
		abort();
	return pick(count) + (int)strlen(arguments[0]);
}
END
for flags in '-fcf-protection=full -Wl,-z,lazy' '-fcf-protection=full -Wl,-z,now' \
	'-fcf-protection=none -Wl,-z,lazy' '-fcf-protection=none -Wl,-z,now -no-pie'; do
	if ! command -v objdump >/dev/null 2>&1 ||
		! $CC -O1 -fno-builtin $flags -o "$scratch/t" "$scratch/t.c" 2>/dev/null; then
		skip 1 "$flags: cannot be made or disassembled here"
		continue
	fi
	objdump -d "$scratch/t" | sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' >"$scratch/want"
	names "$scratch/t" $(sed 's/ .*//' "$scratch/want") >"$scratch/got"
	# If a function chooses the target, objdump prints *ABS*+0xADDRESS@plt; unspool has the callers' name.
	t "$flags: all names are those of objdump, or of the chosen functions" $AWK '
		NR == FNR { want[$1] = $2; next }
		want[$1] ~ /ABS/ ? $2 !~ /^[a-z_0-9]+@plt$/ : $2 != want[$1] { wrong++; print }
		{ count++ }
		END { exit wrong > 0 || count < 3 }' "$scratch/want" "$scratch/got"
done

# A static program has no symbols for its relocations: the entries of .plt lead to symbols that nm marks "i".
if command -v nm >/dev/null 2>&1 && $CC -fno-builtin -static -o "$scratch/t" "$scratch/t.c" 2>/dev/null &&
	nm "$scratch/t" | grep -q ' i pick$'; then
	readelf -SW "$scratch/t" | sed -n 's/.* \.plt  *PROGBITS  *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p' |
		{ read -r start size; i=0; while [ $i -lt $((0x$size)) ]; do
			printf '%x\n' $((0x$start + i)); i=$((i + 8)); done; } >"$scratch/at"
	names "$scratch/t" $(cat "$scratch/at") | sed 's/.* //; s/@plt$//; /?/d' | sort -u >"$scratch/got"
	nm "$scratch/t" | sed -n 's/.* i //p' | sort -u >"$scratch/want"
	t 'a static program: entries have the names of the functions that the resolver chose' \
		sh -c 'grep -qx pick "$1" && [ -z "$(comm -23 "$1" "$2")" ]' sh "$scratch/got" "$scratch/want"
	strip "$scratch/t"
	t 'the functions have the address of the resolver without symbols' sh -c 'grep -Eq "^\*ABS\*\+0x[0-9a-f]+@plt$"' <<-END
	$(names "$scratch/t" $(cat "$scratch/at") | sed 's/.* //')
	END
else
	skip 2 'no static program can be made here'
fi
done_testing
