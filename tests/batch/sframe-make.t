#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# SFrame sections that are made from unwind rules: `unspool sframe --from`.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
crash=$srcdir/data/crashes/sframe-amd64
vectors=$srcdir/tests/sframe
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES

sframe() { "$UNSPOOL" sframe "$@" 2>"$scratch/err"; }

# From a symbol file -------------------------------------------------------------------------------

cat >"$scratch/rules.sym" <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 rules
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^
STACK CFI 1004 .cfa: $rbp 16 +
STACK CFI 1008 $rbx: .cfa -24 + ^
STACK CFI 101f .cfa: $rsp 8 +
STACK CFI INIT 1020 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1028 .cfa: $r10 0 +
STACK CFI 1030 .cfa: $rsp 200 + .ra: $rsp 192 + ^
STACK CFI 1040 $rbp: $rbp ^ 1 +
STACK CFI 1050 .cfa: $rsp 8 + $rbp: $rbp .ra: 0
END
sframe --from "$scratch/rules.sym" -o "$scratch/two" >"$scratch/out"
is 'a section is made of a symbol file' $? 0
is 'a row that the format cannot have is refused with its rules' \
	"$(grep refus -v "$scratch/out" | grep ^0x)" \
	'0x1028-0x102f: cfa=r10+0 ra=c-8 rbp=s: the CFA counts from another register than stack or frame pointer
0x1040-0x104f: cfa=rsp+200 ra=[rsp+192] rbp=exp: a rule is more than a register and an offset'
is 'the refused rows are counted' "$(tail -n 1 "$scratch/out")" \
	'refused: 2 of 10 rows of STACK CFI, 24 of 96 bytes of code'
sframe "$scratch/two" >"$scratch/out"
is 'the section has the other rows, and functions end where one is refused' \
	"$(grep -E '^    (func|0)' "$scratch/out" | sed 's/  */ /g')" \
	' func idx [0]: pc = 0x1000, size = 32 bytes
 0000000000001000 sp+8 u f
 0000000000001001 sp+16 c-16 f
 0000000000001004 fp+16 c-16 f
 000000000000101f sp+8 c-16 f
 func idx [1]: pc = 0x1020, size = 8 bytes
 0000000000001020 sp+8 u f
 func idx [2]: pc = 0x1030, size = 16 bytes
 0000000000001030 sp+200 u f
 func idx [3]: pc = 0x1050, size = 16 bytes
 0000000000001050 RA undefined'
t 'the section is sorted' grep -q 'SFRAME_F_FDE_SORTED' "$scratch/out"
sframe --from "$scratch/rules.sym" --format-version 3 >"$scratch/out"
t 'version 3 says more: the function is a flexible one' \
	grep -q 'pc = 0x1020, size = 32 bytes, attr = "F"' "$scratch/out"
t 'the flexible function has the register of the CFA' grep -qE '^    0+1028  r10\+0 ' "$scratch/out"
t 'version 3 refuses rows' grep -q '^refused: 1 of 10 rows' "$scratch/out"
t 'start addresses of version 3 are relative to their own fields' grep -q FUNC_START_PCREL "$scratch/out"
sframe --from "$scratch/rules.sym" --strict -o "$scratch/strict" >/dev/null
is 'a refused row is a finding with --strict' $? 1
is 'JSON has the refused rows' "$(sframe --from "$scratch/rules.sym" --json |
	grep -o '"refused":.*' | grep -o '"reason":"[^"]*"' | sort -u | wc -l | tr -d ' ')" 2

# No file is overwritten, no option misunderstood.
sframe --from "$scratch/rules.sym" -o "$scratch/two" >/dev/null
is 'an existing file is kept' $? 3
t 'the message names the option that replaces the file' grep -q 'use --force' "$scratch/err"
sframe --from "$scratch/rules.sym" -o "$scratch/two" --force >/dev/null
is 'the existing file may be replaced' $? 0
sframe >/dev/null
is 'a run without a file is refused' $? 2
sframe --from "$scratch/rules.sym" "$scratch/two" >/dev/null
is 'a run with two files is refused' $? 2
sframe -o "$scratch/none" "$scratch/two" >/dev/null
is 'a run that only reads a section refuses an output file' $? 2
sframe --from "$scratch/rules.sym" --format-version 4 >/dev/null
is 'there is no version 4' $? 3
sframe --from "$scratch/rules.sym" --format-version 1 --pcrel >/dev/null
is 'version 1 has no addresses relative to fields' $? 3
sed 's/x86_64/x86/; s/\$r/$e/g; /r10\|e10/d' "$scratch/rules.sym" >"$scratch/x86.sym"
sframe --from "$scratch/x86.sym" >/dev/null
is 'the format has no number for other processors' $? 3
t 'the processor without a number is reported' grep -q 'no number for this processor' "$scratch/err"
sframe --from "$crash/crash.dmp" >/dev/null
is 'a dump is refused' $? 3

# Rows that repeat, as in a PLT, are written once.
{
	echo 'MODULE Linux x86_64 000000000000000000000000000000000 plt'
	echo 'STACK CFI INIT 1000 40 .cfa: $rsp 16 + .ra: .cfa -8 + ^'
	echo 'STACK CFI 1006 .cfa: $rsp 24 +'
	for at in 101 102 103; do
		echo "STACK CFI ${at}0 .cfa: \$rsp 8 +"
		echo "STACK CFI ${at}b .cfa: \$rsp 16 +"
	done
} >"$scratch/plt.sym"
for version in 1 2 3; do
	is "version $version: the functions of a PLT are two, one of them with repeated rows" \
		"$(sframe --from "$scratch/plt.sym" --format-version $version |
			sed -n 's/^    \(STARTPC[^ ]*\) .*/\1/p' | tr '\n' ' ')" 'STARTPC STARTPC[m] '
done

{
	echo 'MODULE Linux x86_64 000000000000000000000000000000000 odd'
	echo 'STACK CFI INIT 1004 40 .cfa: $rsp 16 + .ra: .cfa -8 + ^'
	echo 'STACK CFI 100a .cfa: $rsp 24 +'
	for at in 101 102 103; do
		echo "STACK CFI ${at}4 .cfa: \$rsp 8 +"
		echo "STACK CFI ${at}f .cfa: \$rsp 16 +"
	done
} >"$scratch/odd.sym"
is 'no rows repeat if readers count from another address' \
	"$(sframe --from "$scratch/odd.sym" | grep -c 'STARTPC\[m\]')" 0

# A stack pointer that a function saved differs from the CFA.
cat >"$scratch/sp.sym" <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 sp
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1010 $rsp: .cfa -40 + ^
END
t 'a stack pointer that is not the CFA is refused' sh -c '"$1" sframe --from "$2" |
	grep -q "^0x1010-0x101f: .*: the caller.s stack pointer is not the CFA$"' sh "$UNSPOOL" "$scratch/sp.sym"

# Other processors and byte orders.
cat >"$scratch/arm64.sym" <<'END'
MODULE Linux arm64 000000000000000000000000000000000 arm
STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30
STACK CFI 1004 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^
STACK CFI 1010 .cfa: sp 32 + .ra: x30 x29: .cfa -32 + ^
END
sframe --from "$scratch/arm64.sym" -o "$scratch/little" >"$scratch/out"
t 'AArch64 has no row for a frame pointer saved alone' \
	grep -q '^0x1010-0x101f: .*: the frame pointer is saved and the return address is not$' "$scratch/out"
sframe --from "$scratch/arm64.sym" --big-endian -o "$scratch/big" >/dev/null
is 'a big-endian section has its own magic bytes' \
	"$(od -A n -t x1 -N 5 "$scratch/little")$(od -A n -t x1 -N 5 "$scratch/big")" \
	' e2 de 02 01 02 de e2 02 01 01'
t 'a big-endian section has the same rows' sh -c '"$1" sframe "$2" | sed 1,4d >"$2.out"; "$1" sframe "$3" | sed 1,4d >"$3.out"
	cmp "$2.out" "$3.out"' sh "$UNSPOOL" "$scratch/little" "$scratch/big"

# From a section -----------------------------------------------------------------------------------

sframe --from "$vectors/v2-amd64-pcrel.sframe" --section-address 402000 -o "$scratch/copy" >/dev/null
t 'a section is written without a change' cmp "$scratch/copy" "$vectors/v2-amd64-pcrel.sframe"
sframe --from "$vectors/v2-amd64-plt-pcmask.sframe" --section-address 402000 --format-version 3 \
	-o "$scratch/three" >/dev/null
rows() { sframe --section-address 402000 "$1" | grep -E '^    (func|STARTPC|0)'; }
rows "$scratch/three" >"$scratch/a"
rows "$vectors/v2-amd64-plt-pcmask.sframe" >"$scratch/b"
t 'a section is written as another version' cmp "$scratch/a" "$scratch/b"


# From programs ------------------------------------------------------------------------------------

if command -v objcopy >/dev/null 2>&1; then
	cp "$crash/binaries/parcel" "$scratch/parcel"
	objcopy -O binary --only-section .sframe "$scratch/parcel" "$scratch/theirs" 2>/dev/null
	sframe --from "$scratch/parcel" --source SFrame -o "$scratch/ours" >/dev/null
	is "a program's own section has the same size" "$(wc -c <"$scratch/ours")" \
		"$(wc -c <"$scratch/theirs")"
else
	skip 1 'there is no objcopy'
fi

# A program with unwind rules in SFrame only: its symbol file has them as STACK CFI.
if command -v objcopy >/dev/null 2>&1 && objcopy --remove-section .eh_frame \
	--remove-section .eh_frame_hdr "$crash/binaries/parcel" "$scratch/bare" 2>/dev/null; then
	id=$("$UNSPOOL" dump-syms --name parcel "$scratch/bare" 2>"$scratch/err" |
		tee "$scratch/bare.sym" | sed -n '1s/^MODULE Linux x86_64 \([0-9A-F]*\) .*/\1/p')
	is 'dump-syms writes a record for each function of SFrame' \
		"$(grep -c '^STACK CFI INIT' "$scratch/bare.sym")" 6
	t 'rows that change the frame pointer are deltas' \
		grep -qFx 'STACK CFI 11de .cfa: $rsp 16 + $rbp: .cfa -16 + ^' "$scratch/bare.sym"
	t 'the message reports what such rules cannot express' \
		grep -q '^unspool: the unwind rules of 417 bytes of code come from SFrame' "$scratch/err"
	"$UNSPOOL" unwind-check "$scratch/bare" "$scratch/bare.sym" >"$scratch/out" 2>/dev/null
	t 'the records have the rules of the section' \
		grep -q '0 differences and 0 notes in 0 findings; 17 rows compared' "$scratch/out"
	mkdir -p "$scratch/store/parcel/$id"
	cp "$scratch/bare.sym" "$scratch/store/parcel/$id/parcel.sym"
	counters() {
		"$UNSPOOL" walk --methods "$1" "$crash/crash.dmp" --symbols-path "$2" \
			--binaries "$crash/binaries" 2>/dev/null |
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

# The system C library's rows as SFrame agree with its .eh_frame, unless they are refused.
# agrees LIBRARY OBJCOPY VERSION
agrees() {
	rm -f "$scratch/s" "$scratch/lib"
	sframe --from "$1" --format-version "$3" --section-address 10000000 --source .eh_frame \
		-o "$scratch/s" >"$scratch/out" || return 1
	"$2" --add-section .sframe="$scratch/s" --set-section-flags .sframe=alloc,readonly,data \
		--change-section-address .sframe=0x10000000 "$1" "$scratch/lib" 2>/dev/null || return 1
	"$UNSPOOL" unwind-check "$scratch/lib" >"$scratch/check" 2>/dev/null &&
		grep -q ' 0 differences and 0 notes in 0 findings; [1-9]' "$scratch/check"
}
for library in /lib/x86_64-linux-gnu/libc.so.6 /usr/aarch64-linux-gnu/lib/libc.so.6 \
	/usr/s390x-linux-gnu/lib/libc.so.6; do
	machine=${library#/*/}
	machine=${machine%%/*}
	machine=${machine%-linux-gnu}
	[ "$machine" = "$(uname -m)" ] && objcopy=objcopy || objcopy=$machine-linux-gnu-objcopy
	for version in 1 2 3; do
		if [ $machine = s390x ] && [ $version = 1 ]; then
			continue
		elif [ -r $library ] && command -v "$objcopy" >/dev/null 2>&1; then
			t "the C library of $machine as version $version has the rules of .eh_frame" \
				agrees $library "$objcopy" $version
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
	address=$("${prefix}readelf" -SW "$scratch/$name" |
		sed -n 's/.*\.sframe  *PROGBITS  *\([0-9a-f]*\) .*/\1/p')
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
		t "AArch64, $flags: the section is the linker's" \
			same_bytes aarch64-linux-gnu- b.out -O1 $flags
	done
else
	skip 4 'no AArch64 binutils 2.40'
fi
done_testing
