#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SFrame sections from the command line: printed, looked up, compared with STACK CFI.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
crash=$srcdir/data/crashes/sframe-amd64
vectors=$srcdir/tests/sframe
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES

# Sections that stand alone -------------------------------------------------------------------------

"$UNSPOOL" sframe --section-address 402000 "$vectors/v2-amd64-pcrel.sframe" >"$scratch/out" 2>/dev/null
is 'a raw section is read' $? 0
t 'a raw section is read at the given address' grep -q 'pc = 0x401040' "$scratch/out"
"$UNSPOOL" sframe "$vectors/bad-magic.sframe" >"$scratch/out" 2>"$scratch/err"
is 'bytes that are not a section are unreadable' $? 3
t 'the message says what was expected' grep -q 'expected the magic' "$scratch/err"
"$UNSPOOL" sframe --strict --section-address 402000 "$vectors/bad-overlapping-functions.sframe" \
	>"$scratch/out" 2>"$scratch/err"
is 'a defect is a finding with --strict' $? 1
t 'the message of the defect has the offset' grep -q '+0x30.*overlaps function 0' "$scratch/err"


# Where sections are found -----------------------------------------------------------------------

"$UNSPOOL" sframe "$crash/binaries/parcel" >"$scratch/out" 2>"$scratch/err"
is 'the section of an ELF file is found' $? 0
t 'the descriptors of the section are printed' grep -q '^    func idx \[5\]: pc = 0x124d, size = 109 bytes$' "$scratch/out"
t 'the rows of the section are printed' grep -q '^    000000000000114c  sp+320    u         f$' "$scratch/out"
t 'no message is on standard error' test ! -s "$scratch/err"

is 'a row is looked up by address' \
	"$("$UNSPOOL" sframe --at 114d "$crash/binaries/parcel")" \
	'0x114d -> fde 2 fre 1: cfa=sp+320 ra=[cfa-8] fp=same'
is 'a function is found by its name' \
	"$("$UNSPOOL" sframe --function sort_and_weigh "$crash/binaries/parcel" | grep -c 'func idx')" 1
"$UNSPOOL" sframe --function nobody "$crash/binaries/parcel" >"$scratch/out" 2>"$scratch/err"
is 'a missing function is reported' $? 1
t 'rows become rules' sh -c '"$1" sframe --rules --at 11e1 "$2" | grep -q "\$rbp: .cfa -16 + ^$"' \
	sh "$UNSPOOL" "$crash/binaries/parcel"

"$UNSPOOL" sframe "$UNSPOOL.nowhere" >/dev/null 2>&1
is 'a missing file is unreadable' $? 3
"$UNSPOOL" sframe --at zzz "$crash/binaries/parcel" >/dev/null 2>&1
is 'text that is not an address is an error' $? 2

if command -v objcopy >/dev/null 2>&1; then
	objcopy --only-keep-debug "$crash/binaries/parcel" "$scratch/parcel.debug" 2>/dev/null
	"$UNSPOOL" sframe "$scratch/parcel.debug" >/dev/null 2>"$scratch/err"
	t "a debug file without the section's bytes is reported" grep -q 'no bytes' "$scratch/err"
	objcopy --remove-section .sframe "$crash/binaries/parcel" "$scratch/none" 2>/dev/null
	"$UNSPOOL" sframe "$scratch/none" >/dev/null 2>"$scratch/err"
	t 'a file without a section is reported' grep -qE 'no section|no bytes|PT_GNU_SFRAME' "$scratch/err"
else
	skip 2 'there is no objcopy'
fi

# The assembler's own sections: unspool's rows equal readelf's. Version 2.40 leaves the fixed offsets of the
# header out and prints u for a return address at one of them.
same_as_readelf() {
	"$UNSPOOL" sframe "$1" 2>/dev/null | grep -v 'CFA fixed' | sed 's/ f$/ u/' >"$scratch/ours"
	"$2" --sframe "$1" 2>/dev/null | sed 's/ *$//' >"$scratch/theirs"
	[ -s "$scratch/theirs" ] && diff "$scratch/theirs" "$scratch/ours"
}
source=$crash/source/parcel.c
made=no
if readelf --version 2>/dev/null | head -n 1 | grep -qF ' 2.40'; then
	for flags in '-O0' '-O2 -fomit-frame-pointer' '-Os -fno-omit-frame-pointer'; do
		# shellcheck disable=SC2086
		"${CC%% *}" $flags -w -Wa,--gsframe -c "$source" -o "$scratch/a.o" 2>/dev/null || continue
		made=yes
		t "an object of $flags is printed as readelf prints it" same_as_readelf "$scratch/a.o" readelf
		"${CC%% *}" $flags -w -Wa,--gsframe "$source" -o "$scratch/a.out" 2>/dev/null &&
			t "a linked program is printed as readelf prints it" same_as_readelf "$scratch/a.out" readelf
	done
fi
[ $made = yes ] || skip 6 'no binutils 2.40 with --gsframe'
cross=aarch64-linux-gnu
if $cross-readelf --version 2>/dev/null | head -n 1 | grep -qF ' 2.40' &&
	command -v $cross-gcc >/dev/null 2>&1; then
	for flags in '-mbranch-protection=pac-ret' '-mbranch-protection=pac-ret+b-key' \
		'-mbranch-protection=none -mbig-endian'; do
		# shellcheck disable=SC2086
		if $cross-gcc -O1 -w -ffreestanding -nostdinc -Wa,--gsframe $flags -c \
			-x c - -o "$scratch/b.o" 2>/dev/null <<-\END
			int leaf(int *p);
			int once(int *p) { return leaf(p) + *p; }
			int twice(int *p) { int a[900]; a[*p] = 3; return leaf(a) + once(p); }
			END
		then
			t "AArch64, $flags: the section is printed as readelf prints it" same_as_readelf "$scratch/b.o" $cross-readelf
		else
			skip 1 "no cross compiler for $flags"
		fi
	done
else
	skip 3 'no AArch64 binutils 2.40'
fi

# The bundled crash ------------------------------------------------------------------------------

walk() { "$UNSPOOL" walk "$@" "$crash/crash.dmp" 2>/dev/null; }
registers() {
	grep -oE '(rip|rsp|rbp) = 0x[0-9a-f]+' | awk '$1 == "rip" || $1 == "rsp"'
}
walk --binaries "$crash/binaries" --methods sframe >"$scratch/by-sframe"
walk --methods stack-cfi --symbols-path "$crash/symbols" >"$scratch/by-cfi"
is 'SFrame alone walks the crash up to main and its caller' \
	"$(grep -c 'Found by: SFrame row' "$scratch/by-sframe")" 7
is 'STACK CFI alone walks the crash up to main and its caller' "$(grep -c 'Found by: call frame info' "$scratch/by-cfi")" 7
registers <"$scratch/by-sframe" >"$scratch/a"
registers <"$scratch/by-cfi" >"$scratch/b"
t 'STACK CFI gives the same program counters and stack pointers' cmp "$scratch/a" "$scratch/b"
is 'a symbol file precedes a section' \
	"$("$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" "$crash/symbols" 2>/dev/null |
		grep -c 'SFrame row')" 0
is 'the policy switches SFrame off' \
	"$(walk --binaries "$crash/binaries" --policy sframe=0 | grep -c 'SFrame row')" 0
"$UNSPOOL" explain --binaries "$crash/binaries" --frame 1 "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'a step names its descriptor' grep -q 'function descriptor 2 covers 0x555555555145 to 0x5555555551b7' "$scratch/out"
t 'a step reports its row with the place' grep -q 'row 1, from 0x55555555514c on   parcel+0x21f8$' "$scratch/out"
t 'a step reports its rules' grep -qF '$rsp 320 +' "$scratch/out"
t "the rows of the function follow it, with a mark at the one in force" \
	grep -qE '^ > 000055555555514c  sp\+320    u         f +parcel\+0x21f8$' "$scratch/out"
t 'the rows around the one in force are not marked' \
	grep -qE '^   00005555555551b7  sp\+8      u         f +parcel\+0x21fc$' "$scratch/out"
t 'bytes have their meaning and place' grep -qE '^ bytes 40 01 +CFA: sp\+320   parcel\+0x21fa$' "$scratch/out"
t 'bytes of the descriptor have their meaning and place' grep -qE '^ bytes 73 00 00 00 size: 115 bytes   parcel\+0x21b2$' "$scratch/out"

# A section with a defect: messages, and the walk continues with the sound parts.
# damaged OFFSET OCTAL: a copy of the program with one byte changed.
damaged() {
	rm -rf "$scratch/damaged"
	mkdir "$scratch/damaged"
	cp "$crash/binaries/parcel" "$scratch/damaged"
	chmod u+w "$scratch/damaged/parcel"
	printf "\\$2" | dd of="$scratch/damaged/parcel" bs=1 seek="$(($1))" conv=notrunc 2>/dev/null
}
damaged 0x2172 011
"$UNSPOOL" walk --strict --binaries "$scratch/damaged" "$crash/crash.dmp" >"$scratch/out" 2>"$scratch/err"
is 'a section of an unknown version is a finding with --strict' $? 1
t 'the message of the unknown version has the place' grep -q 'parcel+0x2172: .*unknown SFrame version 9' "$scratch/err"
damaged 0x218d 377
"$UNSPOOL" walk --strict --binaries "$scratch/damaged" --methods sframe "$crash/crash.dmp" \
	>"$scratch/out" 2>"$scratch/err"
is 'a section that is not sorted as declared is a finding' $? 1
t 'the message of the unsorted section has the place' grep -q 'parcel+0x2173: .*sorted, but they are not' "$scratch/err"
is 'the stack is walked despite the defect' "$(grep -c 'Found by: SFrame row' "$scratch/out")" 7
"$UNSPOOL" walk --methods nonsense "$crash/crash.dmp" >/dev/null 2>"$scratch/err"
is 'an unknown method is a usage error' $? 2

done_testing
