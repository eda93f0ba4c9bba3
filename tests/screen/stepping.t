#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Stepping the unwinder, forwards and back. The expected evaluation was worked out by hand from the
# record's program, the context and the words of the stack (tests/lib/make-frame-data.c explains them);
# offsets and columns are taken from the files, not from the program.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'
x86_dump=$srcdir/data/crashes/frame-data-x86/crash.dmp
x86_symbols=$(echo "$srcdir"/data/crashes/frame-data-x86/symbols/ledger.pdb/*/ledger.sym)
amd64='data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols'
amd64_dump=$srcdir/data/crashes/inlines-amd64/crash.dmp
amd64_symbols=$(echo "$srcdir"/data/crashes/inlines-amd64/symbols/inline_o2_dw4/*/*.sym)

# keys COUNT KEY: a key, COUNT times, as lines of a script.
keys() {
	key_left=$1
	while [ "$key_left" -gt 0 ]; do
		echo "$2"
		key_left=$((key_left - 1))
	done
}

# word_at DUMP OFFSET WIDTH: a word of the dump in its machine's byte order, in hexadecimal.
word_at() {
	od -A n -v -t x1 -j "$(($2))" -N "$3" "$1" |
		$AWK '{ for (i = NF; i > 0; i--) printf "%s", $i; print "" }'
}

# column_of FILE LINE TEXT [NUMBER]: the column at which a text begins for the NUMBERth (first) time.
column_of() {
	$AWK -v line="$2" -v text="$3" -v number="${4:-1}" 'NR == line {
		column = 0
		rest = $0
		while (number-- > 0) {
			at = index(rest, text)
			column += at
			rest = substr(rest, at + 1)
		}
		print column
	}' "$1"
}

# same TITLE FILE FILE: two screens have the same cells.
same() { t "$1" cmp "$screen_folder/$2" "$screen_folder/$3"; }

# A program of STACK WIN --------------------------------------------------------------------------
#
# Frame 1 is add_up: eip 00401048, esp 0012fe94, ebp 0012feac; its record is line 44,
#
#	$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = $L $T0 .cbSavedRegs - =
#	$P $T0 8 + .cbParams + = $ebx $T0 12 - ^ =
#
# with params 8 and saved registers c. The dump has the stack's word of 0012fe8c at 0x10c.
stack=0x10c
at() { printf '0x%x' $((stack + $1 - 0x12fe8c)); }
is 'the dump has the return address at its address' "$(word_at "$x86_dump" "$(at 0x12feb0)" 4)" 004010b6
is 'the dump has the saved ebp at its address' "$(word_at "$x86_dump" "$(at 0x12feac)" 4)" 00320a10
is 'the dump has the saved ebx at its address' "$(word_at "$x86_dump" "$(at 0x12fea0)" 4)" 00000003
is 'line 44 of the symbol file is the record' "$($AWK 'NR == 44 { print $1, $2, $3, $4 }' "$x86_symbols")" \
	'STACK WIN 4 1020'

{
	printf '%s\n' f 4 ':save-screen --attributes first'
	keys 8 s
	echo ':save-screen eight'
	keys 9 s
	echo ':save-screen seventeen'
	keys 5 s
	echo ':save-screen twenty-two'
	keys 14 s
	echo ':save-screen last'
	echo s
	echo ':save-screen behind'
	keys 36 S
	echo ':save-screen one'
	echo S
	echo ':save-screen zero'
	echo S
	echo ':save-screen --attributes back'
	echo S
	echo ':save-screen before'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'a program is stepped' 80x24 --ascii $x86 <"$scratch/keys"

expect_text first '^-.*-\{b:\[4 eval\]\}-.* 36 tokens-$'
expect_text eight '^-.*-\[4 eval\]-.* token 8 of 36-$'
expect_region eight 1,12 80x11 <<END
   tok  token        stack after            why
^    3  =                                   \$T0 := 12feac
     4  \$eip         \$eip
     5  \$T0          \$eip \$T0 (12feac)      set by token 3
     6  4            \$eip \$T0 (12feac) 4
     7  +            \$eip {12feb0}          12feac + 4 = 12feb0
>    8  ^            \$eip >4010b6           [12feb0] = 4010b6, crash.dmp+$(at 0x12feb0)
     9  =            .
    10  \$ebp         .
v   11  \$T0          .
  frame 2 so far  nothing yet
END
column=$(column_of "$x86_symbols" 44 ^)
expect_region eight 1,23 80x1 <<END
[12feb0] = 4010b6   crash.dmp+$(at 0x12feb0)   from ledger.sym:44:$column
END
expect_text seventeen "^\^   12  \^  *\\\$ebp 320a10  *\[12feac\] = 320a10, crash.dmp\+$(at 0x12feac)\$"
expect_text seventeen '^    13  =  *\$ebp := 320a10$'
expect_text seventeen '^>   17  \+  *\$esp >12feb4  *12feac \+ 8 = 12feb4$'
expect_text seventeen '^    16  8  *\$esp \{\$T0 \(12feac\) 8\}$'
expect_text seventeen '^  frame 2 so far  eip 4010b6  ebp 320a10$'
expect_text twenty-two '^\^   18  =  *\$esp := 12feb4$'
expect_text twenty-two '^    21  \.cbSavedRegs \$L \{12feac 0xc\} +saved registers of the record'
expect_text twenty-two '^>   22  -  *\$L >12fea0  *12feac - 0xc = 12fea0$'
expect_text last '^    30  =  *\$P := 12febc$'
expect_text last '^    34  -  *\$ebx 12fea0  *12feac - 0xc = 12fea0$'
expect_text last "^    35  \^  *\{\\\$ebx 3\}  *\[12fea0\] = 3, crash.dmp\+$(at 0x12fea0)\$"
expect_text last '^>   36  =  *\$ebx := 3$'
expect_text last '^- .*token 36 of 36-$'
expect_text behind '^step complete: frame 2 is found; f goes to it, and s then looks for frame 3'
expect_text one '^>    1  \$T0'
expect_text zero '^-.* token 0 of 36-$'
same 's to the end and S to the start are the same screen' back first
expect_text before '^beginning of the step from frame 1'

# Where values come from --------------------------------------------------------------------------

# $T0 is ebp, which frame 0 passed on from the context: Enter leads all the way to its bytes.
# $eip and $ebp are words of the stack, $esp is a sum.
x86_ebp=0xbbc
is 'the context has ebp at its offset' "$(word_at "$x86_dump" $x86_ebp 4)" 0012feac
{
	printf '%s\n' f 4
	keys 3 s
	echo ':save-screen --attributes T0'
	keys 3 Enter
	echo ':save-screen T0-register'
	echo Enter
	echo ':save-screen T0-bytes'
	keys 4 C-o
	echo ':save-screen --attributes T0-back'
	keys 4 o
	echo ':save-screen T0-again'
	keys 4 C-o
	keys 6 s
	echo ':save-screen --attributes eip'
	keys 2 Enter
	echo ':save-screen eip-bytes'
	keys 2 C-o
	echo ':save-screen --attributes eip-back'
	keys 4 s
	keys 2 Enter
	echo ':save-screen ebp-bytes'
	keys 2 C-o
	keys 5 s
	echo ':save-screen --attributes esp'
	echo Enter
	echo ':save-screen esp-sum'
	echo Enter
	echo ':save-screen esp-record'
	keys 2 C-o
	echo ':save-screen --attributes esp-back'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'Enter leads to the origin of a value' 80x24 --ascii $x86 <"$scratch/keys"
expect_region T0-register 1,12 80x1 <<\END
  # method          evidence                 caller of frame 0
END
expect_text T0-bytes "^-.*Exception, context, ebp-\$"
expect_text T0-bytes '^>>000bb0  .* ac fe 12 00  '
expect_text T0-bytes "^offset $x86_ebp   Exception, context, ebp, 4 bytes"
same 'C-o leads back place by place' T0-back T0
same 'o leads forward' T0-again T0-bytes
expect_text eip-bytes '^>>000130  b6 10 40 00 '
expect_text eip-bytes "^offset $(at 0x12feb0)   ThreadList, thread 0x5d4, stack"
same 'C-o leads back from the stack' eip-back eip
expect_text ebp-bytes "^offset $(at 0x12feac)   ThreadList, thread 0x5d4, stack"
expect_text esp '^\{r:>   18  = .*\{rb3:\$esp := 12feb4\}'
expect_text esp-sum '^>   17  \+  *\$esp >12feb4  *12feac \+ 8 = 12feb4$'
expect_text esp-record '^>>44 STACK WIN 4 1020'
expect_text esp-record "^-.*ledger.sym:44:$(column_of "$x86_symbols" 44 + 2)-\$"
same 'C-o leads back from the record' esp-back esp

# FPO ---------------------------------------------------------------------------------------------
#
# Frame 0 is balance_of: esp 0012fe8c; saved registers 4, no locals, so the return address is at
# 0012fe90 and the caller's esp is after it. The record is line 43.
{
	printf '%s\n' 4 ':save-screen --attributes first'
	keys 9 s
	echo ':save-screen nine'
	keys 3 s
	echo ':save-screen last'
	keys 13 S
	echo ':save-screen --attributes back'
	keys 4 s
	keys 2 Enter
	echo ':save-screen bytes'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'sizes of a record are stepped as a program' 80x24 --ascii $x86 <"$scratch/keys"
expect_text nine '^-.*-\[4 eval\]-.* token 9 of 12-$'
expect_region nine 1,12 80x11 <<END
   tok  token          stack after           why
^    3  ^              \$eip 401048           [12fe90] = 401048, crash.dmp+$(at 0x12fe90)
     4  =                                    \$eip := 401048
     5  \$esp           \$esp                  esp of frame 0, crash.dmp+0xbcc
     6  .raSearchStart \$esp 12fe90           esp 0x12fe8c + locals 0 + saved 0x4
     7  4              \$esp 12fe90 4
     8  +              {\$esp 12fe94}         12fe90 + 4 = 12fe94
>    9  =                                    \$esp := 12fe94
    10  \$ebx           .
v   11  \$ebx           .
  frame 1 so far  >esp 12fe94  eip 401048
END
expect_region nine 1,23 80x1 <<\END
$esp := 12fe94   from 12fe90 + 4   from ledger.sym:43
END
expect_text last '^>   12  =  *\$ebx := 0xaf$'
same 'S goes back through the sizes' back first
expect_text bytes "^offset $(at 0x12fe90)   ThreadList, thread 0x5d4, stack"

# STACK CFI ---------------------------------------------------------------------------------------
#
# Frame 0: rsp 00007ffde1b672c0, line 2397 is the INIT record of 2780, 2398 to 2402 are its deltas; the
# last one gives the CFA as $rsp 48 +.
cfa=0x7ffde1b672f0
cfi_at() { printf '0x%x' $((cfi_stack + $1 - 0x7ffde1b672c0)); }
cfi_stack=0x3b8
is 'the dump has the return address below the CFA' \
	"$(word_at "$amd64_dump" "$(cfi_at $((cfa - 8)))" 8)" 000055f654b5ded2
is 'line 2402 of the symbol file is the last delta' "$($AWK 'NR == 2402' "$amd64_symbols")" \
	'STACK CFI 2793 .cfa: $rsp 48 +'
{
	printf '%s\n' 4 ':save-screen --attributes first'
	keys 3 s
	echo ':save-screen three'
	echo Enter
	echo ':save-screen delta'
	echo C-o
	keys 4 s
	echo ':save-screen seven'
	echo Enter
	echo ':save-screen word'
	echo C-o
	keys 16 s
	echo ':save-screen last'
	keys 24 S
	echo ':save-screen --attributes back'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'a delta record is stepped' 80x24 --ascii $amd64 <"$scratch/keys"
expect_region three 1,12 80x6 <<\END
   tok  token    stack after              why
  rule .cfa: $rsp 48 +   = 7ffde1b672f0   inline_o2_dw4.sym:2402:22 (delta)
     1  $rsp     $rsp (7ffde1b672c0)      rsp of frame 0, crash.dmp+0x2290
     2  48       {$rsp (7ffde1b672c0) 48} = 0x30
>    3  +        >7ffde1b672f0            7ffde1b672c0 + 0x30 = 7ffde1b672f0
  rule .ra: .cfa -8 + ^   inline_o2_dw4.sym:2397:45
END
is 'the context has rsp at its offset' "$(word_at "$amd64_dump" 0x2290 8)" 00007ffde1b672c0
expect_text delta '^>>2402 STACK CFI 2793 \.cfa: \$rsp 48 \+$'
expect_text delta "^-.*inline_o2_dw4.sym:2402:$(column_of "$amd64_symbols" 2402 +)-\$"
expect_text seven '^     4  \.cfa     \.cfa \(7ffde1b672f0\)      set by token 3$'
expect_text seven '^     6  \+        \{7ffde1b672e8\}           7ffde1b672f0 - 8 = 7ffde1b672e8$'
expect_text seven '^>    7  \^        >55f654b5ded2            \[7ffde1b672e8\] = 55f654b5ded2'
expect_text seven '^  frame 1 so far  >rip 55f654b5ded2  rsp 7ffde1b672f0$'
expect_region seven 1,23 80x1 <<END
[7ffde1b672e8] = 55f654b5ded2   crash.dmp+$(cfi_at $((cfa - 8)))   from inline_o2_dw4.sym:2397:55
END
expect_text word "^offset $(cfi_at $((cfa - 8)))   ThreadList, thread 0x3aa8, stack"
expect_text last '^-.*token 23 of 23-$'
expect_text last '^>   23  \^        >0x968 '
same 'the rules are stepped back' back first

# r stops at the last tokens of .cfa and .ra, 3 and 7, and at no register that is not preserved.
{
	printf '%s\n' 5 r ':save-screen first' r ':save-screen second'
	echo r
	echo ':save-screen third'
	echo R
	echo ':save-screen back'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'registers of STACK CFI are stepped' 80x24 --ascii $amd64 <"$scratch/keys"
expect_text first '^> rsp   00007ffde1b672c0 >\* 00007ffde1b672f0      3  7ffde1b672c0 \+ 0x30$'
expect_text second '^> rip   [0-9a-f]{16} >\* 000055f654b5ded2      7  \[7ffde1b672e8\], crash'
expect_text third '^> r13   [0-9a-f]{16} >\* 00007ffde1b673c0     11  \[7ffde1b672e0\], crash'
same 'R goes back by rules' back second

# Registers, attempts, frames ---------------------------------------------------------------------
#
# Frame 5 has no symbols: STACK CFI and the realigned frame are refused before the frame pointer.
{
	printf '%s\n' f 5 ':save-screen --attributes first'
	keys 3 r
	echo ':save-screen three'
	keys 3 R
	echo ':save-screen --attributes back'
	printf '%s\n' ':goto frame 5' 3 ':save-screen --attributes attempts'
	keys 3 a
	echo ':save-screen third'
	echo A
	echo ':save-screen second'
	keys 2 A
	echo ':save-screen --attributes attempts-back'
	printf '%s\n' ':goto frame 0' 4 s s s ':save-screen --attributes frames'
	keys 5 f
	echo ':save-screen fifth'
	echo f
	printf '%s\n' ':save-screen end' 5 ':save-screen end-registers' 4
	keys 5 F
	keys 3 s
	echo ':save-screen --attributes frames-back'
	keys 2 F
	echo ':save-screen innermost'
} >"$scratch/keys"
# shellcheck disable=SC2086
screen_case 'registers, attempts and frames are stepped' 80x24 --ascii $x86 <"$scratch/keys"
expect_text first '^\{r:> eip'
# The program of frame 1 computes eip, ebp and then esp.
expect_text three '^> esp  '
expect_text end-registers '^  reg +frame 5 +no caller +token  from$'
same 'R undoes r' back first
expect_text third '^> 3 frame pointer .*(end|refused): return address 0'
expect_text third '^-.*attempt 3 of [0-9]-$'
expect_text second '^> 2 realigned frame'
same 'A undoes a' attempts-back attempts
expect_text fifth 'frame 5 -> the end$'
expect_text end '^the end of the stack: .*; 3 shows what was$'
same 'F undoes f' frames-back frames
expect_text innermost '^this is the innermost frame'

# Counts, and the last step again
# shellcheck disable=SC2086
screen_case 's takes a count' 80x24 --ascii $x86 <<\KEYS
f
4
:step token 8
:save-screen eight
.
:save-screen nine
:back token 3
:save-screen six
:step frame 2
:save-screen third
:step token 1000000
:save-screen end
KEYS
expect_text eight '^>    8  \^'
expect_text nine '^>    9  ='
expect_text six '^>    6  4'
expect_text third 'frame 3 -> 4$'
expect_text end '^step complete'

# The panes follow the cursor -----------------------------------------------------------------------
#
# Frame 0 of the second crash: tokens 1 to 3 give the CFA, token 7 reads the return address.
# shellcheck disable=SC2086
screen_case 'all panes follow the cursor' 120x40 --ascii $amd64 <<\KEYS
:layout unwind
f
F
:save-screen before
:step token 6
:save-screen six
s
:save-screen seven
S
:save-screen back
:step token 100
:save-screen end
f
F
:save-screen complete
3
s
s
s
:save-screen evidence
KEYS
expect_text before '^> rip 55f654b5e7f0  \* 55f654b5ded2  '
expect_text six '^. rip 55f654b5e7f0    not yet '
expect_text six '^. rsp 7ffde1b672c0  \* 7ffde1b672f0  '
expect_text six '^. 7ffde1b672e8  000055f654b5ded2 '
expect_text six 'rule .ra: .cfa -8 \+ \^   inline'
expect_text seven 'rip 55f654b5e7f0 >\* 55f654b5ded2'
expect_text seven '7ffde1b672e8 >000055f654b5ded2   0  return to '
expect_text seven 'rule \.ra.*: \.cfa -8 \+ \^   = 55f654b5ded2'
expect_text seven '^\[7ffde1b672e8\] = 55f654b5ded2   crash.dmp'
same 'going back hides the computed values' back six
expect_text end '^. rip 55f654b5e7f0  \* 55f654b5ded2  '
same 'f and F show the complete caller' complete before
expect_text evidence 'rule \.cfa: \$rsp 48 \+   = 7ffde1b672f0'
expect_text evidence '\| *\.     to check: the stack pointer goes up'
expect_text evidence '1 STACK CFI  .* under way'

# Row 5 of the evaluation is the rule of the return address: only the CFA is known there.
# shellcheck disable=SC2086
screen_case 'the row of a rule shows its tokens as not yet run' 80x24 --ascii $amd64 <<\KEYS
4
:row 5
:save-screen rule
7
:save-screen raw
KEYS
expect_text rule '^>  *rule .ra: .cfa -8 \+ \^   inline'
expect_text rule '^  frame 1 so far  >rsp 7ffde1b672f0$'
expect_text rule '^     4  .cfa     \.$'
expect_text raw '^>>2397 STACK CFI INIT'

# shellcheck disable=SC2086
screen_case 's shows the evaluation at every size' 80x24 --ascii $amd64 <<\KEYS
s
:save-screen eval
5
s
:save-screen again
KEYS
expect_text eval '\[4 eval\].* token 1 of 23-$'
expect_text again '\[4 eval\].* token 2 of 23-$'

# Breakpad's own sample ---------------------------------------------------------------------------
#
# Frame 0 and the record of line 20339, by hand: ebp 0012fe88, [0012fe8c] = 00404200,
# [0012fe88] = 0012ff70, the caller's esp 0012fe90.
sample=${UNSPOOL_CORPUS:-/nonexistent}/breakpad
if ! [ -f "$sample/minidump2.dmp" ]; then
	skip 14 'no minidump2.dmp of Breakpad: UNSPOOL_CORPUS does not name it'
else
	{
		printf '%s\n' 4 ':save-screen --attributes first'
		keys 5 s
		echo ':save-screen five'
		keys 3 s
		echo ':save-screen eight'
		keys 9 s
		echo ':save-screen seventeen'
		keys 13 s
		echo ':save-screen last'
		keys 31 S
		echo ':save-screen --attributes back'
		printf '%s\n' ':step token 3' Enter Enter ':save-screen T0'
		printf '%s\n' C-o C-o ':step token 6' Enter Enter ':save-screen eip'
		printf '%s\n' C-o C-o ':step token 4' Enter Enter ':save-screen ebp'
		printf '%s\n' C-o C-o ':step token 5' Enter ':save-screen esp'
	} >"$scratch/keys"
	screen_case "the crash of Breakpad can be stepped" 80x24 --ascii "$sample/minidump2.dmp" \
		"$sample/symbols" <"$scratch/keys"
	expect_text five '^     2  \$ebp +\$T0 \$ebp \(12fe88\) +ebp of frame 0, minidump2\.dm'
	expect_text eight '^\^    3  = +\$T0 := 12fe88$'
	expect_text eight '^>    8  \^ +\$eip >404200 '
	expect_text eight '^\[12fe8c\] = 404200   minidump2.dmp\+0x21a9   from test_app.sym:20339:59'
	expect_text seventeen '^\^   12  \^ +\$ebp 12ff70 '
	expect_text seventeen '^>   17  \+ +\$esp >12fe90 +12fe88 \+ 8 = 12fe90'
	same 'stepping to the end and back shows the same screen' back first
	expect_text T0 '^offset 0xb7c   .*context, ebp, 4 bytes'
	expect_text eip '^offset 0x21a9   .*stack'
	expect_text ebp '^offset 0x21a5   .*stack'
	expect_text esp '^>   17  \+'
fi

# A rule that reads outside of the memory fails at its last token, not a step later.
cp -r "$srcdir/data/crashes/inlines-amd64/symbols" "$scratch/failing"
chmod -R u+w "$scratch/failing"
for file in "$scratch"/failing/inline_o2_dw4/*/*.sym; do
	sed '2398s/\$r13: .cfa -16 + ^/$r13: $rax ^/' "$file" >"$scratch/sym" && cp "$scratch/sym" "$file"
done
{
	keys 8 s
	echo ':save-screen before'
	echo s
	echo ':save-screen failed'
} >"$scratch/steps"
screen_case 'a failed rule is shown' 200x50 --ascii "$amd64_dump" "$scratch/failing" <"$scratch/steps"
expect_text before 'rule \$r13: \$rax \^ +inline_o2_dw4.sym:2398:22'
expect_text failed 'rule \$r13: \$rax \^   ! fails   inline_o2_dw4.sym:2398:22'

# Frames 2 and 3 of this crash are contradicted, frame 1 is not (unspool walk --binaries marks them).
contradicted="--ascii data/crashes/broken-cfi-amd64/crash.dmp data/crashes/broken-cfi-amd64/symbols --binaries
	$srcdir/data/crashes/broken-cfi-amd64/binaries"
# shellcheck disable=SC2086
screen_case 'Enter on a contradicted frame leads to the step that found it' 80x24 $contradicted <<\KEYS
1
:frame 2
:save-screen stack
3
:save-screen key
1
:frame 2
Enter
:save-screen enter
1
:frame 2
:view evidence
:save-screen command
1
:frame 1
3
:save-screen certain
:frame 5
:view evidence
:save-screen end
KEYS
expect_text stack '2 cfi! '
for screen in key enter; do
	expect_text $screen '^> +1 cfi +.* settle '
	expect_text $screen '-frame 2 found from 1-$'
	expect_text $screen '^frame 2 is in doubt: this step, from frame 1, found it'
done
expect_text command '-frame 3 found from 2'
expect_text certain '-frame 2 found from 1'
refuse_text certain 'in doubt'
expect_text end '-no caller of frame 5  attempt'

screen_case 't selects the next thread' 60x10 --ascii data/crashes/frame-data-x86/crash.dmp \
	data/crashes/frame-data-x86/symbols <<\KEYS
:view stack
t
:save-screen got
KEYS
is 'the row of the thread is the first one on the screen' \
	"$(sed -n 3p "$screen_folder/got" | grep -o 'thread 1')" 'thread 1'

done_testing
