#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SFrame sections compared with readelf and with STACK CFI. tests/scenes/sframe has what is printed, and defects.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64

if command -v objcopy >/dev/null 2>&1; then
	objcopy --only-keep-debug "$crash/binaries/parcel" "$scratch/parcel.debug" 2>/dev/null
	"$UNSPOOL" sframe "$scratch/parcel.debug" >/dev/null 2>"$scratch/err"
	t "a debug file without the section's bytes is reported" grep -q 'no bytes' "$scratch/err"
else
	skip 1 'there is no objcopy'
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
	for flags in '-mbranch-protection=pac-ret' '-mbranch-protection=pac-ret+b-key' '-mbranch-protection=none -mbig-endian'; do
		# shellcheck disable=SC2086
		if $cross-gcc -O1 -w -ffreestanding -nostdinc -Wa,--gsframe $flags -c -x c - -o "$scratch/b.o" 2>/dev/null <<-\END
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
is 'SFrame alone walks the crash up to main and its caller' "$(grep -c 'Found by: SFrame row' "$scratch/by-sframe")" 7
is 'STACK CFI alone walks the crash up to main and its caller' "$(grep -c 'Found by: call frame info' "$scratch/by-cfi")" 7
registers <"$scratch/by-sframe" >"$scratch/a"
registers <"$scratch/by-cfi" >"$scratch/b"
t 'STACK CFI gives the same program counters and stack pointers' cmp "$scratch/a" "$scratch/b"
is 'a symbol file precedes a section' "$("$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" "$crash/symbols" 2>/dev/null |
		grep -c 'SFrame row')" 0
is 'the policy switches SFrame off' "$(walk --binaries "$crash/binaries" --policy sframe=0 | grep -c 'SFrame row')" 0
done_testing
