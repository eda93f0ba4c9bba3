#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SFrame sections that are made from sections and programs. tests/scenes/sframe-make has those of symbol files.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64
vectors=$srcdir/tests/sframe

sframe() { "$UNSPOOL" sframe "$@" 2>"$scratch/err"; }

cat >"$scratch/arm64.sym" <<'END'
MODULE Linux arm64 000000000000000000000000000000000 arm
STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30
STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
END
sframe --from "$scratch/arm64.sym" -o "$scratch/little" >/dev/null
sframe --from "$scratch/arm64.sym" --big-endian -o "$scratch/big" >/dev/null
is 'a big-endian section has its own magic bytes' "$(od -A n -t x1 -N 5 "$scratch/little")$(od -A n -t x1 -N 5 "$scratch/big")" \
	' e2 de 02 01 02 de e2 02 01 01'
t 'a big-endian section has the same rows' sh -c '"$1" sframe "$2" | sed 1,4d >"$2.out"; "$1" sframe "$3" | sed 1,4d >"$3.out"
	cmp "$2.out" "$3.out"' sh "$UNSPOOL" "$scratch/little" "$scratch/big"

# From a section -----------------------------------------------------------------------------------

sframe --from "$vectors/v2-amd64-pcrel.sframe" --section-address 402000 -o "$scratch/copy" >/dev/null
t 'a section is written without a change' cmp "$scratch/copy" "$vectors/v2-amd64-pcrel.sframe"
sframe --from "$vectors/v2-amd64-plt-pcmask.sframe" --section-address 402000 --format-version 3 -o "$scratch/three" >/dev/null
rows() { sframe --section-address 402000 "$1" | grep -E '^    (func|STARTPC|0)'; }
rows "$scratch/three" >"$scratch/a"
rows "$vectors/v2-amd64-plt-pcmask.sframe" >"$scratch/b"
t 'a section is written as another version' cmp "$scratch/a" "$scratch/b"

# From programs ------------------------------------------------------------------------------------

if command -v objcopy >/dev/null 2>&1; then
	cp "$crash/binaries/parcel" "$scratch/parcel"
	objcopy -O binary --only-section .sframe "$scratch/parcel" "$scratch/theirs" 2>/dev/null
	sframe --from "$scratch/parcel" --source SFrame -o "$scratch/ours" >/dev/null
	is "a program's own section has the same size" "$(wc -c <"$scratch/ours")" "$(wc -c <"$scratch/theirs")"
else
	skip 1 'there is no objcopy'
fi

# A program with unwind rules in SFrame only: its symbol file has them as STACK CFI.
if command -v objcopy >/dev/null 2>&1 && objcopy --remove-section .eh_frame \
	--remove-section .eh_frame_hdr "$crash/binaries/parcel" "$scratch/bare" 2>/dev/null; then
	id=$("$UNSPOOL" dump-syms --name parcel "$scratch/bare" 2>"$scratch/err" |
		tee "$scratch/bare.sym" | sed -n '1s/^MODULE Linux x86_64 \([0-9A-F]*\) .*/\1/p')
	is 'dump-syms writes a record for each function of SFrame' "$(grep -c '^STACK CFI INIT' "$scratch/bare.sym")" 6
	t 'rows that change the frame pointer are deltas' grep -qFx 'STACK CFI 11de .cfa: $rsp 16 + $rbp: .cfa -16 + ^' "$scratch/bare.sym"
	t 'the message reports what such rules cannot express' \
		grep -q '^unspool: the unwind rules of 417 bytes of code come from SFrame' "$scratch/err"
	"$UNSPOOL" unwind-check "$scratch/bare" "$scratch/bare.sym" >"$scratch/out" 2>/dev/null
	t 'the records have the rules of the section' grep -q '0 differences and 0 notes in 0 findings; 17 rows compared' "$scratch/out"
	mkdir -p "$scratch/store/parcel/$id"
	cp "$scratch/bare.sym" "$scratch/store/parcel/$id/parcel.sym"
	counters() {
		"$UNSPOOL" walk --methods "$1" "$crash/crash.dmp" --symbols-path "$2" --binaries "$crash/binaries" 2>/dev/null |
			grep -oE '(rip|rsp|rbp) = 0x[0-9a-f]+'
	}
	counters stack-cfi "$scratch/store" >"$scratch/a"
	counters sframe "$scratch/none" >"$scratch/b"
	is 'the section walks the stack' "$(grep -c rip "$scratch/a")" 8
	t 'the records and the section give the same walk' cmp "$scratch/a" "$scratch/b"
	"$UNSPOOL" dump-syms "$crash/binaries/parcel" 2>&1 >/dev/null | grep SFrame >"$scratch/err"
	none 'no frame is found by SFrame if .eh_frame exists' "$(cat "$scratch/err")"
else
	skip 7 'there is no objcopy'
fi

# The system C library's rows as SFrame agree with its .eh_frame, unless they are refused. agrees LIBRARY OBJCOPY VERSION
agrees() {
	rm -f "$scratch/s" "$scratch/lib"
	sframe --from "$1" --format-version "$3" --section-address 10000000 --source .eh_frame -o "$scratch/s" >"$scratch/out" || return 1
	"$2" --add-section .sframe="$scratch/s" --set-section-flags .sframe=alloc,readonly,data \
		--change-section-address .sframe=0x10000000 "$1" "$scratch/lib" 2>/dev/null || return 1
	"$UNSPOOL" unwind-check "$scratch/lib" >"$scratch/check" 2>/dev/null &&
		grep -q ' 0 differences and 0 notes in 0 findings; [1-9]' "$scratch/check"
}
for library in /lib/x86_64-linux-gnu/libc.so.6 /usr/aarch64-linux-gnu/lib/libc.so.6 /usr/s390x-linux-gnu/lib/libc.so.6; do
	machine=${library#/*/}
	machine=${machine%%/*}
	machine=${machine%-linux-gnu}
	[ "$machine" = "$(uname -m)" ] && objcopy=objcopy || objcopy=$machine-linux-gnu-objcopy
	for version in 1 2 3; do
		if [ $machine = s390x ] && [ $version = 1 ]; then
			continue
		elif [ -r $library ] && command -v "$objcopy" >/dev/null 2>&1; then
			t "the C library of $machine as version $version has the rules of .eh_frame" agrees $library "$objcopy" $version
		else
			skip 1 "no C library of $machine, or no $objcopy"
		fi
	done
done

# Version 1 as the assembler and linker of binutils 2.40 write it, byte for byte.
# same_bytes PREFIX NAME FLAG...: a program from the C source on standard input.
same_bytes() {
	prefix=$1
	name=$2
	shift 2
	"${prefix}gcc" "$@" -w -ffreestanding -fno-pie -nostdlib -static -Wa,--gsframe -x c - \
		-o "$scratch/$name" 2>"$scratch/err" <"$scratch/calls.c" || return 1
	"${prefix}objcopy" -O binary --only-section .sframe "$scratch/$name" "$scratch/$name.theirs"
	address=$("${prefix}readelf" -SW "$scratch/$name" | sed -n 's/.*\.sframe  *PROGBITS  *\([0-9a-f]*\) .*/\1/p')
	sframe --from "$scratch/$name" --source .eh_frame --format-version 1 \
		--section-address "$address" --force -o "$scratch/$name.ours" >/dev/null &&
		cmp "$scratch/$name.theirs" "$scratch/$name.ours"
}
cat >"$scratch/calls.c" <<'END'
int leaf(int *p);
int once(int *p) { return leaf(p) + *p; }
int twice(int *p) { int a[900]; a[*p] = 3; return leaf(a) + once(p); }
int large(int *p) { int a[9000]; for (int i = 0; i < 9; i++) a[*p + i] = leaf(p); return leaf(a); }
int leaf(int *p) { return *p; }
int _start(void) { int x = 3; return once(&x) + twice(&x) + large(&x); }
END
binutils_240() { "$1readelf" --version 2>/dev/null | head -n 1 | grep -qF ' 2.40'; }
if [ "$(uname -m)" = x86_64 ] && binutils_240 '' && command -v gcc >/dev/null 2>&1; then
	for flags in -O0 -O1 '-O2 -fno-omit-frame-pointer' -Os; do
		# shellcheck disable=SC2086
		t "amd64, $flags: the section is the linker's" same_bytes '' "a${flags%% *}" $flags
	done
else
	skip 4 'no binutils 2.40 with --gsframe'
fi
if binutils_240 aarch64-linux-gnu- && command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
	for flags in -mbranch-protection=none -mbranch-protection=pac-ret \
		-mbranch-protection=pac-ret+b-key '-mbranch-protection=pac-ret+leaf -mbig-endian'; do
		# shellcheck disable=SC2086
		t "AArch64, $flags: the section is the linker's" same_bytes aarch64-linux-gnu- b.out -O1 $flags
	done
else
	skip 4 'no AArch64 binutils 2.40'
fi
done_testing
