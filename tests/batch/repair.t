#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Defects are planted in a symbol file, repaired from the binary and applied with patch(1): then the sources
# agree, nothing is left to repair, and the stack of a crash is right again.
. "$(dirname "$0")/../lib/tap.sh"

lacks capstone && skip_all 'capstone was left out: the code cannot be asked'
command -v patch >/dev/null 2>&1 || skip_all 'there is no patch'
broken=$srcdir/data/crashes/broken-cfi-amd64
till=symbols/till/B5BD3192C5502D1E4E76175E9C24A5EA0/till.sym

# A crash whose stack has a wrong frame ---------------------------------------------------------------

mkdir -p "$scratch/store"
cp -R "$broken/symbols" "$scratch/store/"
chmod -R u+w "$scratch/store"
(cd "$scratch/store" && "$UNSPOOL" repair --binary "$broken/binaries/till" "$till" "$broken/crash.dmp" >patch 2>errors; echo $? >status)
is 'a repair exits with 1' "$(cat "$scratch/store/status")" 1
is 'each changed line is explained, and how stacks change' "$(sed '/^apply/,$d' "$scratch/store/patch")" \
'till.sym: 1 line of 1 function changed, to agree with till
line 90: STACK CFI 1208 .cfa: $rsp 96 +
    now: STACK CFI 1208 .cfa: $rsp 144 +
    why: CFA: rsp+96, .eh_frame has rsp+144 (till+0x2140; the code agrees)
crash.dmp, thread 0: 6 frames become 5, they differ from frame 2 on
      2  print_receipt + 0x4a  becomes  close_day + 0x3e
      3  close_day + 0x3e  becomes  main + 0x15
      4  main + 0x15  becomes  libc.so.6 + 0x2724a
      5  libc.so.6 + 0x2724a  becomes  no frame'
is 'the patch says how it is applied in a store' "$(sed -n 's/^apply with: //p' "$scratch/store/patch")" 'patch -d symbols/ -p1 < PATCH'
is 'the file itself is unchanged' "$(cmp "$scratch/store/$till" "$broken/$till" 2>&1)" ''
t 'patch(1) applies it in the root of the store' patch -s -d "$scratch/store/symbols" -p1 -i ../patch
is 'the walk with the patched file has the true frames' "$("$UNSPOOL" walk -b "$broken/crash.dmp" "$scratch/store/symbols" |
	sed -n 's/^ *[0-9]*  till!\([a-z_]*\) .*/\1/p' | tr '\n' ' ')" 'post settle close_day main '

# Files, identity ---------------------------------------------------------------------------------

repair() { "$UNSPOOL" repair "$@" >"$scratch/out" 2>"$scratch/errors"; echo $?; }
is 'the patch can be written to a file' "$(repair "$broken/$till" --binary "$broken/binaries/till" -o "$scratch/patch")" 1
t 'the written patch has the difference' grep -q '^+STACK CFI 1208 .cfa: $rsp 144 +' "$scratch/patch"
t '--force replaces an existing file' test "$(repair "$broken/$till" --binary "$broken/binaries/till" -o "$scratch/patch" --force)" = 1
sframe=$srcdir/data/crashes/sframe-amd64
grep -v '^STACK' "$broken/$till" >"$scratch/bare.sym"
is 'a file without records is refused' "$(repair "$scratch/bare.sym" --binary "$broken/binaries/till")" 3
t 'the refusal names the missing records' grep -q 'no STACK CFI records' "$scratch/errors"
sed 's/$/\r/' "$broken/$till" >"$scratch/crlf.sym"
(cd "$scratch" && "$UNSPOOL" repair crlf.sym --binary "$broken/binaries/till" >crlf.patch 2>/dev/null
	patch -s -p1 --binary -i crlf.patch)
is 'carriage returns are kept' "$(sed 's/$/\r/' "$broken/$till" | diff - "$scratch/crlf.sym" | grep -c "$(printf '\r')")" 2
sed '/^STACK CFI 11e4 /s/ $rbx: .*//' "$sframe"/symbols/parcel/*/parcel.sym >"$scratch/unsaved.sym"
repair "$scratch/unsaved.sym" --binary "$sframe/binaries/parcel" >/dev/null
t 'a record without the rule of a saved register has it unchanged' grep -q 'why: rbx: unchanged, .eh_frame has c-32 ' "$scratch/out"
"$UNSPOOL" walk --binaries "$sframe/binaries" "$sframe/crash.dmp" "$scratch/unsaved.sym" >"$scratch/out" 2>/dev/null
t 'a walk names the last record that could have the rule' \
	grep -q 'Contradicted: rbx: STACK CFI has no rule for it up to line 94, .eh_frame says c-32' "$scratch/out"

# Without frame tables the code alone is asked.
if objcopy -R .eh_frame -R .eh_frame_hdr "$broken/binaries/till" "$scratch/bare" 2>/dev/null; then
	is 'the code alone finds the wrong record' "$(repair "$broken/$till" --binary "$scratch/bare")" 1
	is 'the reason names the code alone' "$(sed -n 2,4p "$scratch/out")" \
'line 90: STACK CFI 1208 .cfa: $rsp 96 +
    now: STACK CFI 1208 .cfa: $rsp 144 +
    why: CFA: rsp+96, the code has rsp+144 (the code alone: no frame table has the address)'
	grep -vE '^(FUNC|FILE|[0-9a-f]+) ' "$broken/$till" >"$scratch/public.sym"
	is 'the code alone finds the wrong record if only linker symbols name functions' \
		"$(repair "$scratch/public.sym" --binary "$scratch/bare")" 1
	t 'the wrong record is repaired' grep -q '^    now: STACK CFI 1208 .cfa: $rsp 144 +' "$scratch/out"
	# The functions settle and post.
	grep -vE '^STACK CFI (INIT 11f[5e]|12[0-5][0-9a-f]) ' "$broken/$till" >"$scratch/lost.sym"
	(cd "$scratch" && "$UNSPOOL" repair lost.sym --binary bare >lost.patch 2>/dev/null
		patch -s -p1 -i lost.patch)
	is 'functions without records get records' "$(grep -c '^STACK CFI INIT 11f[5e] ' "$scratch/lost.sym")" 2
	is 'the frame tables agree with the new records' "$("$UNSPOOL" unwind-check --brief "$broken/binaries/till" \
		"$scratch/lost.sym" 2>/dev/null | grep -c ': CFA: .*rule-differs')" 0
	is 'the code has no further repair of the new records' "$(repair "$scratch/lost.sym" --binary "$scratch/bare")" 0
else
	skip 7 'there is no objcopy'
fi

# Code to which no known path leads proves nothing: a repair before it also applies there, as the record did.
cat >"$scratch/hidden.s" <<'END'
	.globl main
	.type main, @function
main:	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	xor %ebx, %ebx
	test %edi, %edi
	je 1f
	jmp *%rax
	mov $1, %ebx
	nop
1:	lea 1(%rbx), %eax
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size main, .-main
END
if [ "$(uname -m)" = x86_64 ] && cc -o "$scratch/hidden" "$scratch/hidden.s" 2>/dev/null &&
	objcopy -R .eh_frame -R .eh_frame_hdr "$scratch/hidden" "$scratch/hidden.bare" 2>/dev/null &&
	"$UNSPOOL" dump-syms "$scratch/hidden" 2>/dev/null | sed 's/rbx: .cfa -16/rbx: .cfa -24/' >"$scratch/hidden.sym" &&
	grep -q 'rbx: .cfa -24' "$scratch/hidden.sym"; then
	is 'the code repairs a wrong slot' "$(repair --force "$scratch/hidden.sym" --binary "$scratch/hidden.bare")" 1
	is 'the code repairs a wrong slot after a jump with an unknown target' \
		"$(sed -n 's/^\([-+]\)STACK CFI .*\(.rbx: .*\)/\1 \2/p' "$scratch/out")" \
'- $rbx: .cfa -24 + ^
+ $rbx: .cfa -16 + ^'
else
	skip 2 'there is no compiler for x86_64, or a tool is missing'
fi

# A function lacks its INIT record, after another one that is wrong: each gets its own rules.
sed -e '/^STACK CFI INIT 125d /d' -e '/^STACK CFI 1250 /d' "$broken/$till" >"$scratch/two.sym"
(cd "$scratch" && "$UNSPOOL" repair two.sym --binary "$broken/binaries/till" >two.patch 2>/dev/null
	patch -s -p1 -i two.patch)
is 'two functions are repaired at once' "$(sed 's/rsp 96/rsp 144/' "$broken/$till" | diff - "$scratch/two.sym")" ''

# Each class of planted defects -------------------------------------------------------------------

command -v python3 >/dev/null 2>&1 || { skip 1 'no python3'; done_testing; exit; }
module=$sframe/binaries/parcel
sym=$sframe/symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
seeds=${UNSPOOL_SEEDS:-1 2}
certain() { "$UNSPOOL" unwind-check --brief "$module" "$1" 2>/dev/null | grep -c ': warning: '; }

# The classes that the table marks as repaired; the others change no rule or are not a single defect.
named() { grep -v '^[#=]' "$srcdir/tests/defects/table" | $AWK -F '|' -v mended="$1" '$6 == mended { print $1 }'; }
classes=$(named yes)
others=$(named -)
set --
for class in $classes $others; do
	for seed in $seeds; do
		set -- "$@" "$class" "$seed"
	done
done
python3 "$srcdir/tests/defects/plant.py" "$sym" "$scratch/planted" "$@" >"$scratch/list"
for class in $classes; do
	wrong=''
	for seed in $seeds; do
		grep -q "^$class $seed " "$scratch/list" || continue
		file=$scratch/planted/$class-$seed/parcel.sym
		(
			cd "$scratch/planted/$class-$seed" || exit 1
			"$UNSPOOL" repair --force --binary "$module" parcel.sym >patch 2>/dev/null
			patch -s -p1 -i patch
		) || wrong="$wrong $seed:patch"
		# One line replaces the wrong one; the records of a function may need more lines.
		case $class in
		init-lost) most=12 ;;
		rows-*) most=4 ;;
		*) most=2 ;;
		esac
		[ "$(grep -c '^[-+]STACK' "$scratch/planted/$class-$seed/patch")" -le $most ] || wrong="$wrong $seed:lines"
		[ "$(certain "$file")" = 0 ] || wrong="$wrong $seed:differs"
		"$UNSPOOL" repair --force --binary "$module" "$file" >/dev/null 2>&1 || wrong="$wrong $seed:again"
	done
	is "$class is repaired, and other records are unchanged" "$wrong" ''
done
# By the code alone, for unusable records: repaired, or left alone if no call leads to the code.
if objcopy -R .eh_frame -R .eh_frame_hdr -R .sframe "$module" "$scratch/bare" 2>/dev/null; then
	mended=0 wrong=''
	for class in form-no-colon form-operand-lost form-operator-lost form-register-unknown form-register-bare; do
		python3 "$srcdir/tests/defects/plant.py" "$sym" "$scratch/formed" $class 1 $class 2 >/dev/null
		for file in "$scratch/formed/$class"-[12]/parcel.sym; do
			(cd "${file%/*}" && "$UNSPOOL" repair --force --binary "$scratch/bare" parcel.sym) >"$scratch/patch" 2>/dev/null
			grep -q '^+STACK' "$scratch/patch" || continue
			mended=$((mended + 1))
			(cd "${file%/*}" && patch -s -p1 -i "$scratch/patch") >/dev/null 2>&1
			"$UNSPOOL" unwind-check --brief "$module" "$file" 2>/dev/null | grep -qE 'rule-differs|unusable-record' &&
				wrong="$wrong ${file#"$scratch/formed/"}"
		done
	done
	is 'a record that cannot be used is replaced as in the table' "$wrong" ''
	t 'most records that cannot be used are repaired' test "$mended" -ge 7
else
	skip 2 'there is no objcopy'
fi
for class in $others; do
	mended=''
	for seed in $seeds; do
		file=$scratch/planted/$class-$seed/parcel.sym
		[ -e "$file" ] || continue
		before=$(certain "$file")
		"$UNSPOOL" repair --force --binary "$module" "$file" >"$scratch/patch" 2>/dev/null
		(cd "${file%/*}" && patch -s -p1 -i "$scratch/patch") >/dev/null 2>&1
		[ "$before" = 0 ] || [ "$(certain "$file")" != 0 ] || mended="$mended $seed"
	done
	none "$class is not repaired, as in the table" "$mended"
done
done_testing
