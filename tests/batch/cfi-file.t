#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Unwind tables of an ELF file alone, compared with readelf on a program that is compiled here.
. "$(dirname "$0")/../lib/tap.sh"

lacks capstone && capstone= || capstone=yes
parcel=$srcdir/data/crashes/sframe-amd64/binaries/parcel

cfi() { "$UNSPOOL" cfi "$@" 2>"$scratch/err"; }

# By hand: readelf --debug-dump=frames-interp of the file, its offsets plus the section's 0x2058.
is 'the rows of an entry, with its offset in the file' "$(cfi --function sort_and_weigh "$parcel" | sed -n '/^.eh_frame/,$p')" \
'.eh_frame   5 rows
   000011dd +0     rsp+8   c-8  .     .     .     +0x212c
   000011de +0x1  *rsp+16  c-8  .    *c-16  .     +0x212c
   000011e1 +0x4  *rbp+16  c-8  .     c-16  .     +0x212c
   000011e4 +0x7   rbp+16  c-8 *c-32  c-16 *c-24  +0x212c
   0000124c +0x6f *rsp+8   c-8  c-32  c-16  c-24  +0x212c'
is 'the first of several sources is used' "$(cfi --at 11e2 "$parcel" | grep '^[-=]>\|in use')" \
'SFrame   4 rows   in use
=> 000011e1 +0x4  *rbp+16  c-8  ?     c-16  ?     +0x2212
-> 000011e1 +0x4  *rbp+16  c-8  .     c-16  .     +0x212c'
is 'a function without a caller has the frame of its entry' \
	"$(cfi --function _start "$parcel" | sed -n '/^.eh_frame/,$s/^ *00001040 +0  //p')" \
	'rsp+8  u    +0x2070  outermost function: its return address is undefined'

# Rules that only readelf treats as longer expressions are left out, such as a word at a register.
# The program needs no libraries, so that it can be compiled for any target.
cat >"$scratch/t.c" <<'END'
extern int weigh(int, char *) __asm__("_ZN5scale5weighEiPc");
int __attribute__((noinline)) weigh(int n, char *s)
{
	volatile char room[n + 10];
	for (int i = 0; i < n; i++) room[i] = s[i];
	return room[n / 2];
}
static int __attribute__((noinline)) sum(int n, ...)
{
	__builtin_va_list list;
	int sum = 0;
	__builtin_va_start(list, n);
	while (n-- > 0) sum += weigh(__builtin_va_arg(list, int), "x");
	__builtin_va_end(list);
	return sum;
}
int __attribute__((force_align_arg_pointer)) aligned(int n)
{
	volatile long long room[4] __attribute__((aligned(64))) = { n };
	return (int)room[0] + sum(3, n, 4, 5);
}
int main(void) { return aligned(7) + weigh(3, "abc"); }
END
cat >"$scratch/readelf.awk" <<'END'
/^Contents of/ { here = index($0, " " section " ") > 0 }
/ FDE / { in_row = here; next }
/ CIE / { in_row = 0; next }
$1 == "LOC" { for (i = 2; i <= NF; i++) name[i] = $i; next }
in_row && $1 ~ /^[0-9a-f]+$/ && length($1) >= 8 && $2 != "ZERO" {
	address = $1
	sub(/^0+/, "", address)
	for (i = 2; i <= NF; i++) if ($i !~ /^(u|s|v?exp)$/) print address, name[i], $i
}
END
cat >"$scratch/ours.awk" <<'END'
$1 == "address" { for (i = 2; i < NF; i++) name[i] = $i; next }
/^[.A-Z]/ { wanted = $1 == section; next }
/^[^ ]/ { next }
wanted {
	gsub(/[*!]/, " "); sub(/  outermost function.*/, "")
	address = $1
	sub(/^0+/, "", address)
	skip = $2 ~ /^[+]/
	for (i = 2; i in name && i + skip < NF; i++) if ($(i + skip) !~ /^[.us-]$/) print address, name[i], $(i + skip)
}
END
compare() {
	readelf --debug-dump=frames-interp "$1" 2>/dev/null >"$scratch/frames"
	sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\.0*\([0-9a-f]*\)$/\1 \2/p' "$scratch/frames" | $AWK '$1 != $2 && $1 != "" { print "--at " $1 }' >"$scratch/at"
	$AWK -v section="$2" -f "$scratch/readelf.awk" "$scratch/frames" | LC_ALL=C sort -u >"$scratch/want"
	# shellcheck disable=SC2046
	cfi $(cat "$scratch/at") "$1" | sed 's/^[-=]>/  /' | $AWK -v section="$2" -f "$scratch/ours.awk" | LC_ALL=C sort -u >"$scratch/got"
	LC_ALL=C comm -13 "$scratch/got" "$scratch/want"
}
made() { gcc -g -O2 "$@" -o "$scratch/program" "$scratch/t.c" 2>/dev/null; }
for flags in '' '-m32' '-fno-omit-frame-pointer' '-no-pie -fno-asynchronous-unwind-tables'; do
	title="every cell is the one that readelf prints, with gcc -O2 $flags"
	# shellcheck disable=SC2086
	if ! command -v readelf >/dev/null 2>&1 || ! made $flags; then
		tap_result 0 "$title # SKIP there is no readelf or no compiler for it"
		continue
	fi
	table=.eh_frame
	case $flags in *-fno-async*) table=.debug_frame ;; esac
	none "$title" "$(compare "$scratch/program" $table)"
	t 'the comparison has many rows' test "$(wc -l <"$scratch/want")" -gt 20
done
if made; then
	heads() { cfi "$@" "$scratch/program" | grep '  program  ' | sed 's/   program .*//'; }
	is 'a function is named as people write it' "$(heads --function scale::weigh)" 'scale::weigh(int, char*)'
	is 'a function is named by the linkage name' "$(heads --function _ZN5scale5weighEiPc)" 'scale::weigh(int, char*)'
	is 'an option leaves names mangled' "$(heads --no-demangle --function scale::weigh)" '_ZN5scale5weighEiPc'
	is 'a function is named as MODULE!NAME' "$(heads --function program!aligned)" aligned
	gcc -c -o "$scratch/t.o" "$scratch/t.c"
	cfi --at 0 "$scratch/t.o" >/dev/null
	is 'a relocatable file is refused' "$? $(sed 's/.*\/t.o: //' "$scratch/err")" \
'3 a relocatable file: its sections have no addresses before it is linked
  link it and use the linked file'
	head -c 3000 "$scratch/program" >"$scratch/cut"
	cfi --function main "$scratch/cut" >/dev/null
	is 'a truncated file is a finding' $? 1
fi
# A register of the CFA after an expression, as in assembler code; DWARF cannot express the offset, and readelf keeps
# the last one. In the rows between, the expression applies, and it does so again. By hand.
cat >"$scratch/twist.s" <<'END'
	.globl twist
	.type twist, @function
twist:	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	nop
	.cfi_def_cfa_register %rax
	nop
	.cfi_escape 0x0f, 5, 0x77, 24, 0x06, 0x23, 8
	nop
	.cfi_def_cfa_register %rsp
	nop
	.cfi_def_cfa_offset 8
	nop
	.cfi_escape 0x0f, 5, 0x77, 32, 0x06, 0x23, 8
	nop
	.cfi_def_cfa_register %rbp
	ret
	.cfi_endproc
	.size twist, . - twist
	.section .note.GNU-stack, ""
END
for sections in .eh_frame .debug_frame; do
	{ printf '\t.text\n\t.cfi_sections %s\n' $sections; cat "$scratch/twist.s"; } >"$scratch/twisted.s"
	if [ "$(uname -m)" != x86_64 ] ||
		! gcc -shared -nostdlib -o "$scratch/twisted" "$scratch/twisted.s" 2>/dev/null; then
		skip "$sections: a register after an expression has no offset" 'there is no assembler for it'
		continue
	fi
	cfi --function twist "$scratch/twisted" >"$scratch/out"
	is "$sections: a register after an expression has the offset before the expression" \
		"$(sed -n 's/^   0[^+]*\(+[0-7x]*\) *[ *]\([^ ]*\) .*/\1 \2/p' "$scratch/out" | tr '\n' ' ')" \
		'+0 rsp+8 +0x1 rsp+16 +0x2 rax+16 +0x3 exp +0x4 rsp+16 +0x5 rsp+8 +0x6 exp +0x7 rbp+8 '
	is "$sections: a register after an expression has a note" \
		"$(grep -c 'the register of the CFA changes after an expression: the earlier offset is used' "$scratch/out")" 3
done
if made -gz -fno-asynchronous-unwind-tables; then
	"$UNSPOOL" lookup "$scratch/program" "$(nm "$scratch/program" | sed -n 's/ T main$//p')" >"$scratch/out" 2>/dev/null
	is 'a compressed file gives names and rules' \
		"$(sed -n 's/^  main .*t.c:.*   \(.debug_info\) .*/\1/p; s/^  \(.debug_frame\) .*/\1/p' "$scratch/out")" \
		"$(printf '.debug_info\n.debug_frame')"
	cfi --function main "$scratch/program" >"$scratch/out"
	t 'the rules come from .debug_frame where there is no .eh_frame' grep -q '^.debug_frame ' "$scratch/out"
fi
if made && command -v objcopy >/dev/null 2>&1; then
	cp "$scratch/program" "$scratch/whole"
	mkdir -p "$scratch/.debug"
	objcopy --strip-all -R .eh_frame -R .eh_frame_hdr "$scratch/program" "$scratch/bare"
	cfi --at "$(nm "$scratch/whole" | sed -n 's/ T main$//p')" "$scratch/bare" >/dev/null
	is 'a file without unwind data is reported' "$(sed 's/.*bare+[^:]*: //' "$scratch/err")" \
		'the file has no .eh_frame, .debug_frame, .sframe or .ARM.exidx'
	objcopy -N aligned -N main "$scratch/whole" "$scratch/program"
	is 'a function that the symbol table lacks is found in DWARF' "$(heads --function aligned)" aligned
	made -fno-asynchronous-unwind-tables
	objcopy --only-keep-debug "$scratch/program" "$scratch/.debug/program.debug"
	(cd "$scratch" && objcopy --strip-all --add-gnu-debuglink=.debug/program.debug program)
	cfi --function aligned "$scratch/program" >"$scratch/out"
	is 'names and .debug_frame come from the debug file that the program names' \
		"$(sed -n 's/   program .*//p; s/^\(.debug_frame\) .* of \(.*\/\)*/\1 /p' "$scratch/out")" \
		"$(printf 'aligned\n.debug_frame program.debug')"
	cfi --function main "$scratch/.debug/program.debug" >"$scratch/out"
	t 'a debug file alone has its own rules' grep -q '^.debug_frame ' "$scratch/out"
fi

# Packed entries and entries with codes, from the instructions themselves. One was worked out by hand: two
# subtractions, a frame record, and how much of them an epilogue has undone.
is 'a packed entry of ARM64 has a row for each instruction of prologue and epilogue' \
	"$(cfi --rules --function chained_large "$srcdir/tests/pe/arm64.dll" | tr -d '*' |
		"$AWK" '/^ *[0-9a-f]+ \+0/ { $1 = $NF = ""; gsub(/ +/, " "); print }')" \
	"$(cat <<\END
 +0 sp x30 . . . - 
 +0x4 sp 16 + x30 sp ^ sp 8 + ^ . - 
 +0x8 sp 4096 + x30 sp 4080 + ^ sp 4088 + ^ . - 
 +0xc sp 5024 + x30 sp 5008 + ^ sp 5016 + ^ . - 
 +0x10 sp 5024 + sp 8 + ^ sp 5008 + ^ sp 5016 + ^ sp ^ sp 8 + ^ 
 +0x14 x29 5024 + x29 8 + ^ x29 5008 + ^ x29 5016 + ^ x29 ^ x29 8 + ^ 
 +0x18 sp 5024 + sp 8 + ^ sp 5008 + ^ sp 5016 + ^ sp ^ sp 8 + ^ 
 +0x1c sp 5024 + x30 sp 5008 + ^ sp 5016 + ^ . - 
 +0x20 sp 4096 + x30 sp 4080 + ^ sp 4088 + ^ . - 
 +0x24 sp 16 + x30 sp ^ sp 8 + ^ . - 
 +0x28 sp x30 . . . - 
END
)"
is 'a packed entry of ARM has rows where instructions have two bytes or four' \
	"$(cfi --rules --at 15a0 "$srcdir/tests/pe/arm.dll" | tr -d '*' |
		"$AWK" '/^(=>)? *0000[0-9a-f]+ / { sub("=>", ""); NF--; $1 = $1; print }')" \
	"$(cat <<\END
00001590 sp lr . . . . . . . . -
00001594 sp 36 + sp 32 + ^ sp ^ sp 4 + ^ sp 8 + ^ sp 12 + ^ sp 16 + ^ sp 20 + ^ sp 24 + ^ sp 28 + ^ sp 32 + ^
0000159c sp 1060 + sp 1056 + ^ sp 1024 + ^ sp 1028 + ^ sp 1032 + ^ sp 1036 + ^ sp 1040 + ^ sp 1044 + ^ sp 1048 + ^ sp 1052 + ^ sp 1056 + ^
000015a4 sp 36 + sp 32 + ^ sp ^ sp 4 + ^ sp 8 + ^ sp 12 + ^ sp 16 + ^ sp 20 + ^ sp 24 + ^ sp 28 + ^ sp 32 + ^
000015a8 sp lr . . . . . . . . -
END
)"
is 'a conditional epilogue of ARM has no rows' "$(cfi --at 15f8 "$srcdir/tests/pe/arm.dll" | grep flags)" \
	"=> 000015f8  whether the epilogue here has run depends on the processor's flags"
if ! command -v python3 >/dev/null 2>&1 || ! command -v llvm-objdump >/dev/null 2>&1; then
	skip 3 'no python3 or no llvm-objdump'
else
	is 'every instruction of a DLL of ARM64 has a row with the effects of the instructions before it' \
		"$(python3 "$srcdir/tests/pe/arms.py" "$UNSPOOL" "$srcdir/tests/pe/arm64.dll" 2>&1)" 307
	is 'each instruction of ARM has a row, except those that run by the flags' \
		"$(python3 "$srcdir/tests/pe/arms.py" "$UNSPOOL" "$srcdir/tests/pe/arm.dll" 2>&1)" \
		"$(printf '15f8: no row\n15fa: no row\n15fe: no row\n521')"
	is 'the rows are those of the unwind codes that llvm-readobj prints' "$(python3 "$srcdir/tests/differential/pe-rows.py" "$UNSPOOL" \
			"$srcdir/tests/pe/arm64.dll" "$srcdir/tests/pe/functions.dll" 2>&1)" \
		'arm64.dll: 15 functions, 2 not compared, 98 states, 0 differ
functions.dll: 9 functions, 3 not compared, 29 states, 0 differ'
fi
# DWARF rules of a DLL for x86, compared with objdump --dwarf=frames-interp; realigned's CFA and ebp come from the
# bytes of tests/pe/dwarf.s.
pe=$srcdir/tests/pe
rows() {
	cfi --rules --at "$1" "$2" | tr -d '*' | "$AWK" '/^(=>)? *0000[0-9a-f]+ / { sub("=>", ""); NF--; if ($2 ~ /^[+]/) $2 = ""; $0 = $0; $1 = $1; print }'
}
is 'rows of .eh_frame of a DLL for x86' "$(rows 1000 "$pe/dwarf.dll"; rows 1010 "$pe/dwarf.dll")" "$(cat <<\END
00001000 $esp 4 + .cfa -4 + ^ . .
00001001 $esp 8 + .cfa -4 + ^ .cfa -8 + ^ .
00001003 $ebp 8 + .cfa -4 + ^ .cfa -8 + ^ .
00001004 $ebp 8 + .cfa -4 + ^ .cfa -8 + ^ .cfa -12 + ^
0000100c $ebp 8 + .cfa -4 + ^ .cfa -8 + ^ .
0000100d $esp 4 + .cfa -4 + ^ . .
00001010 $esp 4 + .cfa -4 + ^ .
00001014 $ecx .cfa -4 + ^ .
0000101d $ecx .cfa -4 + ^ $ebp ^
0000101e $ebp -4 + ^ .cfa -4 + ^ $ebp ^
00001024 $ecx .cfa -4 + ^ $ebp ^
00001025 $ecx .cfa -4 + ^ .
00001028 $esp 4 + .cfa -4 + ^ .
END
)"
# The same functions, 30 bytes on.
is 'rows of .debug_frame of a DLL for x86' "$(rows 1030 "$pe/dwarf.dll"; rows 1040 "$pe/dwarf.dll")" \
	"$( (rows 1000 "$pe/dwarf.dll"; rows 1010 "$pe/dwarf.dll") | sed 's/^0000102/0000105/; s/^0000101/0000104/; s/^0000100/0000103/')"
is 'a function of assembly has its name, and not that of a symbol of the linker script at its address' \
	"$(cfi --at 1000 "$pe/dwarf.dll" | head -n 1)" 'framed   dwarf.dll   1000-100f'
is 'a section whose name was cut to eight bytes is .eh_frame' "$(rows 1000 "$pe/short.dll")" "$(rows 1000 "$pe/dwarf.dll")"
is 'dump-syms writes the rows of both' \
	"$("$UNSPOOL" dump-syms "$pe/dwarf.dll" 2>/dev/null | sed -n 's/ \.cfa:.*//; s/^STACK CFI INIT //p')" \
	"$(printf '1000 10\n1010 19\n1030 10\n1040 19')"
if [ -z "$capstone" ]; then
	skip 7 'no capstone'
else
	"$UNSPOOL" unwind-check --all "$pe/both.dll" >"$scratch/both" 2>/dev/null
	is '.debug_frame and .pdata are not compared at bytes that never run' \
		"$(grep -oE '0x[0-9a-f]+ to 0x[0-9a-f]+, in .*' "$scratch/both")" \
		"$(printf '0x1024 to 0x1024, in late\n0x103d to 0x103d, in reached')"
	is '.debug_frame and .pdata are compared at an instruction that runs and does nothing' \
		"$(sed -n 's/.*warning: //p' "$scratch/both")" 'CFA: .debug_frame says rsp+8, .pdata says rsp+48 [rule-differs]'
	is 'dump-syms writes the row of .pdata there, which Windows uses' \
		"$("$UNSPOOL" dump-syms "$pe/both.dll" 2>/dev/null | grep '^STACK CFI 1024 ')" 'STACK CFI 1024 .cfa: $rsp 48 +'
	# Calls lead to the symbols, five bytes before the entries; after the last call comes a function.
	"$UNSPOOL" unwind-check --code --all "$pe/hook.dll" >"$scratch/hook" 2>/dev/null
	is 'an entry after a prologue for hooks that does not describe the pushes is contradicted' \
		"$(sed -n 's/.*warning: //p' "$scratch/hook")" \
		'.eh_frame: CFA: esp+4, but the code has it at esp+8 since the instruction at 0x1002 [code-contradicts]'
	is 'the contradiction is in the first row alone' "$(sed -n 's/^ *= //p' "$scratch/hook")" '0x1005 to 0x1006, in leafless'
	t 'functions right after others, with an entry or without, agree' grep -q 'agrees with 8, contradicts 1' "$scratch/hook"
	is 'unwind-check compares the rows with the code' \
		"$("$UNSPOOL" unwind-check --code "$pe/dwarf.dll" 2>/dev/null | grep -c 'agrees with 13, contradicts 0')" 2
fi

done_testing
