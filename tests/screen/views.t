#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The promises of each view of the explorer, moving from row to row and place to place, and the views
# without colours and with ASCII alone. Regions only; whole screens are in layout.t.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'
amd64='data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols'
scan='data/crashes/scan-only-amd64/crash.dmp data/crashes/scan-only-amd64/symbols'
arm64='data/crashes/pac-arm64/crash.dmp data/crashes/pac-arm64/symbols'

same() { t "$1" cmp "$screen_folder/$2" "$screen_folder/$3"; }

# The arguments of a case are several words.
# shellcheck disable=SC2086
case_of() {
	case_title=$1
	case_size=$2
	case_crash=$3
	shift 3
	screen_case "$case_title" "$case_size" --ascii "$@" $case_crash
}

# Stack -------------------------------------------------------------------------------------------

case_of 'inlined calls fold' 80x24 "$amd64" <<\KEYS
:save-screen open
Space
:save-screen folded
Space
:save-screen again
j
:save-screen second
Space
:save-screen from-within
i
:save-screen all-folded
i
:save-screen all-open
KEYS
expect_region open 1,2 80x5 <<\END
-[1 stack]------------------------------------15 rows below--1 thread  1 walked-
  - thread 0   0x3aa8   crashed
> -   0 ctx  55f654b5e7f0 engine::level3    inlined              inline_o2.cc:21
     .b                   engine::level2    inlined              inline_o2.cc:22
     .c                   engine::level1    inlined              inline_o2.cc:23
END
expect_text folded '^> \+   0 ctx  55f654b5e7f0 .*engine::level3 inline_o2\.cc:21$'
expect_text folded '^  -   1 cfi  55f654b5ded2 '
same 'Space opens a closed fold' again open
expect_text second '^>    \.b +engine::level2 +inlined'
expect_text second '^>=> 22 '
expect_text from-within '^> \+   0 ctx '
expect_region all-folded 1,3 26x6 <<\END
  - thread 0   0x3aa8   crashed
> +   0 ctx  55f654b5e7f0
  +   1 cfi  55f654b5ded2
  +   2 cfi  55f654b5df97
      3 cfi  55f654b5da27
      4 cfi  55f654b5d21c
END
expect_text all-open '^> -   0 ctx .*inlined'

case_of 'the stack has all threads' 120x40 "$x86" <<\KEYS
G
:save-screen last
Space
:save-screen walked
1
g
Space
:save-screen closed
KEYS
expect_text last '^> \+ thread 1   unknown             autosave '
expect_text walked '2 threads  2 walked'
case_of 'keys select threads' 80x24 "$x86" <<\KEYS
t
:save-screen next
t
:save-screen around
T
:save-screen back
KEYS
expect_text next '^> .* 0 ctx  7c90eb94 ntdll\.dll \+ 0xeb94'
expect_text next '2 threads  2 walked'
expect_text around '^> .* 0 ctx  00401005 balance_of'
expect_text back '^> .* 0 ctx  7c90eb94 '

# Source ------------------------------------------------------------------------------------------

case_of 'the source is found without an option' 80x24 "$x86" <<\KEYS
2
:save-screen first
f
:save-screen second
f
f
f
:save-screen none
KEYS
expect_text first '^>=> 12          return account->credit - account->debit;   rva 1005-1015, at \+ 0$'
expect_text second '^>=> 21  .*sum \+= balance_of\(list\[i\]\);'
expect_text second '^ledger\.c:21   rva 103e-104f, at \+ 0x9   ledger\.sym:12$'
expect_text none 'the symbols have no source line for this address'
for crash in "$amd64:inline_o2.cc:21" "$scan:tailcall.c:6" "$arm64:recursion.c:5"; do
	line=${crash##*:}
	file=${crash%:*}
	case_of "the source of ${file##*:} is found" 80x24 "${file%:*}" <<\KEYS
2
:save-screen first
KEYS
	expect_text first "^>=> *$line  "
	expect_text first "^ .*read from .*${file##*:}\$"
done

# Evidence ----------------------------------------------------------------------------------------

case_of 'the evidence is shown' 80x24 "$x86" <<\KEYS
f
3
:save-screen program
:goto frame 5
3
g
:save-screen cfi
Enter
:save-screen cfi-opened
3
G
:save-screen end
KEYS
expect_region program 1,12 80x5 <<\END
  # method          evidence                 caller of frame 1
> 1 STACK WIN       ledger.sym:44            taken: eip 004010b6 esp 0012feb4
  record type 4, covers 0x1020 to 0x105f, 64 (0x40) bytes   ledger.sym:44
  record prologue 9  epilogue 13 (0xd)  params 8  saved 12 (0xc)  locals 8
          ledger.sym:44
  rule program: $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + = $L $T0 ~
END
expect_text program '^  ok    the stack pointer goes up: 0x12fe94 to 0x12feb4'
expect_text cfi '^> 1 STACK CFI .*refused: there are no symbols fo'
expect_text cfi '^STACK CFI: refused: there are no symbols for '
expect_text end 'frame pointer|input|result'
case_of 'words that a scan searched are shown' 80x24 "$scan" <<\KEYS
3
:search word
:save-screen words
:filter word
:save-screen filtered
KEYS
expect_text words '^> word  \[00007ffddf65f830\] = 00007f1000393150  in no module'
expect_text filtered '^> word .*00007f1000393150  in no module'
expect_text filtered '^  word  \[00007ffddf65f838\] = 00007f104c04aa48  below a return'
expect_text filtered '^-.*filter: word-$'

case_of 'a requested view replaces the notes' 80x24 "$x86" <<\KEYS
:note the crash
:notes
:save-screen notes
:view registers
:save-screen view
:notes
:set base dec
:save-screen set
KEYS
expect_text notes '^-\[help\]'
expect_text view '\[5 registers\]'
expect_text set '^-\[help\]'

# Registers ---------------------------------------------------------------------------------------

case_of 'registers are marked' 80x24 "$x86" <<\KEYS
5
:save-screen --attributes first
KEYS
expect_region --attributes first 1,12 60x11 <<\END
 {d: reg   frame 0     frame 1   token  from}
{r:> eip   00401005}{rb3:  * 00401048}{r:      4  [12fe90], crash.dmp+0x110}
  esp   0012fe8c{b3:  * 0012fe94}      9  12fe90 + 4
  ebp   0012feac  = 0012feac         ebp of frame 0, crash.dm
  ebx   000000af  = 000000af     12  ebx of frame 0, crash.dm
  esi   00000000{6:  ? unknown }         {d:the program string does not set it}
  edi   00403000{6:  ? unknown }         {d:the program string does not set it}
  eax   000000af{6:  - unknown }         {d:not kept across calls}
  ecx   00000002{6:  - unknown }         {d:not kept across calls}
  edx   00000003{6:  - unknown }         {d:not kept across calls}
v efl   00010202{6:  - unknown }         {d:not kept across calls}
END

# tests/lib/make-frame-data.c: eflags 00010202 is IF, RF and the bit that is always 1; ebp is the word at
# 12feac, followed by 00320a10 and the return address.
case_of 'registers can be opened' 80x99 "$x86" <<\KEYS
5
z
Space
:save-screen eip
Space
j
j
Space
:save-screen ebp
j
Enter
:save-screen there
C-o
Space
:save-screen folded
G
k
k
k
k
k
k
Space
:save-screen flags
+
:save-screen all
-
:save-screen none
KEYS
expect_text eip '^> eip   00401005  \* 00401048 '
expect_text eip '^        frame 0  00401005  balance_of \+ 0x5\?$'
expect_text eip '^        frame 1  00401048  add_up \+ 0x28\?$'
expect_text ebp '^        frame 0  0012feac  into the stack -> '
expect_text ebp '^        there   00320a10 004010b6 00403000 00000003$'
expect_text there '\[6 memory\]'
expect_text there '^> 0012feac  00320a10 '
expect_text folded '^> ebp .*= 0012feac '
expect_text flags '^> - flags  eflags 00010202  IF, RF, bit 1$'
expect_text flags '^    eflags      00010202  IF, RF, bit 1$'
expect_text all '^  - segments '
expect_text all '^        bits    IF, RF, bit 1$'
expect_text none '^  \+ flags '

case_of 'a scan marks registers as unknown' 80x24 "$scan" <<\KEYS
5
:save-screen first
KEYS
expect_text first '^  rbp .*\? unknown +a scan cannot tell$'
expect_text first '^  rbx .*\? unknown +this method does not recov'
expect_text first '^  rax .*- unknown +not kept across calls$'

# ebx is saved by add_up at 12fea0; main's record does not say where.
case_of "the history of a register is shown by frame" 80x24 "$x86" <<\KEYS
5
j
j
j
b
:save-screen history
j
j
:save-screen second
Enter
:save-screen word
C-o
j
Enter
:save-screen lost
:register-history esp
:save-screen esp
:try register-history nonsense
:save-screen nonsense
KEYS
expect_text history '\[b history\].*-ebx  \* changed  = kept  \? lost  \. never known-$'
expect_region history 1,12 74x7 <<\END
  fr        ebx       from
>  0  ctx    000000af  as the dump has it   crash.dmp+0xbac
   1  win  = 000000af  ebx of frame 0, crash.dmp+0xbac   ledger.sym:43
   2  win  * 00000003  saved by frame 1 at [0012fea0]   ledger.sym:44:156
   3  win  ? unknown   the program string does not set it
   4  win  . unknown   the program string does not set it
   5  fp   . unknown   this method does not recover it
END
expect_text second '^>     2 win  004010b6 read_ledger '
expect_text word '^> 0012fea0 .00000003   1 .* saved ebx of frame 2$'
expect_text lost '\[5 registers\]'
expect_text lost '^> ebx   00000003 >\? unknown '
expect_text esp '^. +1  win  \* 0012fe94 '
expect_text nonsense "^x86 has no register 'nonsense'"

# Variables ---------------------------------------------------------------------------------------

core="$srcdir/tests/batch/locals/i386.basic.O2.core.gz --no-system-binaries
	--binaries $srcdir/tests/batch/locals/i386"
# The values are those that gdb prints (tests/batch/locals/README.md).
case_of 'variables of a frame are opened level by level' 100x30 "$core" <<\KEYS
:frame 2
:info locals
j
j
j
:save-screen closed
j
Space
j
j
j
j
j
Space
z
:save-screen open
j
j
Enter
:save-screen element
KEYS
expect_region closed 1,14 44x8 <<\END
  frame 2  tab  run  basic.c:76
  + int argc = 1  [argument, memory at .cfa]
  + char ** argv = 0xff963804  [argument, me
> + struct node second = {next = 0x0, name =
  + struct node first = {next = 0xff9636a8,
    uint64_t big = 18364758544493064720  [co
    double ratio = 2.5  [constant]
    int result = <optimised out here: it has
END
expect_region open 1,7 60x9 <<\END
  - struct node first = {next = 0xff9636a8, name = 0x5659501
      fbreg -68                  = ff9636dc
    + struct node * next = 0xff9636a8
    + const char * name = 0x56595015 "first"
      enum colour colour = GREEN
>   - struct point [2] at = {{x = 1, y = -2}, {x = 3, y = 40
      + struct point [0] = {x = 1, y = -2}
      + struct point [1] = {x = 3, y = 40}
    + struct flags flags = {ready = 1, level = -7, mode = 10
END
expect_text element '\[6 memory\]'
core="$srcdir/tests/batch/locals/x86_64.inline.O2dbg.core.gz --no-system-binaries
	--binaries $srcdir/tests/batch/locals/x86_64"
case_of 'a container of the library is opened' 80x24 "$core" <<\KEYS
:frame 3
I
z
j
j
j
Space
j
j
j
Space
:save-screen open
KEYS
expect_region open 1,3 66x8 <<\END
  frame 3  tab  checkout(~)  inline.cc:71
  + int a = 2  [argument, register rbp]
  + const std::string & who = @0x7fff6cf52590: "customer"  [argume
  - shop::Cart cart = {limit_ = 100, items_ = std::vector of lengt
      fbreg -192                 = 7fff6cf524c0
      int limit_ = 100
>   - std::vector<~> items_ = std::vector of length 2, capacity 2
      + shop::Item [0] = {name = "apple", price = 12, count = 3, r
END

# Memory ------------------------------------------------------------------------------------------

# The words of the stack of frames 0 and 1, and their meanings by tests/lib/make-frame-data.c.
case_of 'the memory has the meaning of words' 80x24 "$x86" <<\KEYS
6
:save-screen first
x
:save-screen decimal
x
:save-screen text
x
:save-screen again
f
6
:save-screen second
KEYS
expect_text first '\[6 memory\]-.*-\* read  \+ taken  \? refused  ! crash-$'
expect_region first 1,12 80x10 <<\END
  address   value     fr  marks               reading          ^ the stack grows
  -- frame 0  ctx  balance_of  8 bytes --
> 0012fe8c  00403008   0  esp of 0            ledger.exe + 0x3008?
  0012fe90 *00401048   0  token 3             return to add_up + 0x28
  == end of frame 0: the esp of frame 1 (STACK WIN) ==
  -- frame 1  win  add_up  32 (0x20) bytes --
  0012fe94  00000000   1  esp of 1            0
  0012fe98  00320d58   1
  0012fe9c  00320a10   1
  0012fea0  00000003   1                      saved ebx of frame 2
END
expect_text decimal '^> 0012fe8c     4206600   0  esp of 0 '
expect_text decimal '^-.*! crash  decimal-$'
expect_text text '^-.*! crash  text-$'
expect_text text '^  0012fe90 .*H\.@\.'
expect_text again '^-.*! crash-$'

expect_text second '^> 0012fe94 .* 1  esp of 1'
expect_text second '^  0012fea0 \*00000003   1  token 35            saved ebx of frame 2$'

# x also changes the base of registers, and in a view without a base it says so.
case_of 'registers set the base of the memory' 80x24 "$x86" <<\KEYS
5
x
:save-screen decimal
j
x
:save-screen text
x
:save-screen again
1
:try set base toggle
:save-screen stack
KEYS
expect_text decimal '^-.*-decimal  \* changed'
expect_text decimal '^> eip      4198405  \*    4198472 '
expect_text text '^> esp    \.\.\.\.   \*  \.\.\.\.  '
expect_text again '^  eip   00401005  \* 00401048 '
expect_text stack '^this view has one form: other bases are for memory, registers and the rule table'

# The frame of mainCRTStartup has 64 bytes: 14 words without a meaning, ebp and the return address.
case_of 'words without a meaning are folded' 80x24 "$x86" <<\KEYS
:goto frame 4
6
:save-screen folded
Space
:save-screen open
j
j
Space
:save-screen folded-again
+
:save-screen all
-
:save-screen none
G
k
Space
:save-screen nothing
KEYS
expect_text folded '^>   \+       ...        4  14 words$'
expect_text open '^>   -       ...        4  14 words$'
expect_text open '^  0012fef4  [0-9a-f]{8}   4  esp of 4 '
expect_text folded-again '^>   \+       ...        4  14 words$'
expect_text all '^>   -       ...        4  14 words$|^> 0012fef4 '
expect_text none '^>   \+       ...        4  14 words$'
expect_text nothing 'nothing folds here: this word is not part of a run$'

# Only a scan finds a caller here: it refuses the word at rsp, because no module has the address.
case_of 'words of a scan have their verdicts' 120x40 "$scan --policy scan-context=1" <<\KEYS
6
z
:save-screen considered
KEYS
expect_text considered '^> 00007ffddf65f830 \?00007f1000393150   0  rsp of 0            refused: in no module$'
expect_text considered '^  00007ffddf65f838 \*00007f104c04aa48 .*return to libc.so.6 \+ 0x77a48; taken by the scan$'
expect_text considered ' 8  (into the stack|rsp).* -> -> "PATH=/usr/bin:/bin"$|into the stack -> -> "PATH=/usr/bin:/bin"$'

case_of 'a signed return address is named' 80x24 "$arm64" <<\KEYS
6
:save-screen first
KEYS
expect_text first '^  000000550281f038 \*003a005500000868    0  token 7   return to third \+ 0x48$'

# Raw ---------------------------------------------------------------------------------------------

case_of 'the record has a caret, the bytes have carets' 80x24 "$amd64" <<\KEYS
4
s
s
s
7
:save-screen record
4
s
s
s
s
Enter
:save-screen bytes
KEYS
expect_region record 1,17 60x3 <<\END
  2401 STACK CFI 278f $rbx: .cfa -40 + ^ .cfa: $rsp 40 +
>>2402 STACK CFI 2793 .cfa: $rsp 48 +
                                    ^
END
expect_text bytes '^>>0003e0  d2 de b5 54 f6 55 00 00 '
expect_text bytes '^          \^\^ \^\^ \^\^ \^\^ \^\^ \^\^ \^\^ \^\^$'

# Modules, messages -------------------------------------------------------------------------------

case_of 'modules and messages are shown' 80x24 "$x86" <<\KEYS
8
:save-screen modules
j
:save-screen kernel32
9
:save-screen messages
KEYS
expect_region modules 1,12 60x3 <<\END
> + 00400000-00407fff  ledger.exe     symbols   ledger.sym
  + 7c800000-7c8f3fff  kernel32.dll   none found
  + 7c900000-7c9affff  ntdll.dll      none found
END
expect_text kernel32 '^c:.windows.system32.kernel32\.dll   kernel32\.pdb BCE8785C57B44245A669896B6A19.* K$'
expect_text messages '^>no messages: no defects were found$'

case_of 'why a module has its symbols is below it' 80x40 "$x86" <<\KEYS
8
z
Enter
:save-screen open
:search used
Enter
:save-screen used
Backspace
g
Enter
j
Space
:save-screen none
j
j
Enter
:save-screen record
8
+
-
:save-screen folded
KEYS
expect_region open 1,3 76x2 <<\END
> - 00400000-00407fff  ledger.exe     symbols   ledger.sym
     debug id  7A1C35E09B2D4F6885C3D1E0F2A4B6C81 of ledger.pdb
END
expect_text open '^                 used   NAME/ID/NAME.sym$'
expect_text open '^     has       6 FUNC$'
expect_text open '^               5 STACK WIN$'
expect_text used '^>> 1 MODULE windows x86 7A1C35E09B2D4F6885C3D1E0F2A4B6C81 ledger.pdb'
expect_region none 1,3 60x2 <<\END
  + 00400000-00407fff  ledger.exe     symbols   ledger.sym
> - 7c800000-7c8f3fff  kernel32.dll   none found
END
expect_text none '^                 not there   NAME/ID/NAME.sym$'
expect_text none '^     help      make a symbol file: run dump_syms on the kernel32.pdb that has$'
expect_text none '^               this id, and give the result as SYMBOLS$'
expect_text record 'ModuleList, module 1, '
expect_text folded '^> \+ 7c800000-7c8f3fff  kernel32.dll   none found$'
expect_text folded '^  \+ 7c900000-7c9affff  ntdll.dll      none found$'
screen_case 'opening a module searches its symbols' 80x24 --ascii \
	data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols <<\KEYS
8
+
:save-screen all
-
G
Enter
:save-screen asked
KEYS
expect_text all '^6 modules stay folded: not examined yet'
expect_text asked '^> - .*  ld-linux-x86-64.so.2   none found$'

mkdir "$scratch/broken" "$scratch/broken/ledger.pdb"
cp -R "$srcdir/data/crashes/frame-data-x86/symbols/ledger.pdb/." "$scratch/broken/ledger.pdb"
chmod -R u+w "$scratch/broken"
echo 'STACK WIN 4 nonsense' >>"$(echo "$scratch"/broken/ledger.pdb/*/ledger.sym)"
screen_case 'a wrong record is a message' 80x24 --ascii \
	data/crashes/frame-data-x86/crash.dmp "$scratch/broken" <<\KEYS
9
:save-screen messages
}
Enter
:save-screen place
KEYS
expect_text messages '^> ?(warning|error|note).*ledger\.sym:48'
expect_text messages '9 messages.*-1 message-'
expect_text place '^>>48!STACK WIN 4 nonsense$'

case_of 'an empty view has its complete reason' 60x20 "$x86" <<\KEYS
d
:save-screen reason
KEYS
expect_region reason 1,3 59x2 <<\END
>neither the dump nor a module's file has the code at this
 address; --binaries sets directories with such files
END

# The rip of the exception's context is set to 0, as after a call through a null pointer.
cp "$srcdir/data/crashes/inlines-amd64/crash.dmp" "$scratch/zero.dmp"
chmod u+w "$scratch/zero.dmp"
head -c 8 /dev/zero | dd of="$scratch/zero.dmp" bs=1 seek=$((0x22f0)) conv=notrunc 2>/dev/null
case_of 'a frame without code leads to its caller' 80x24 \
	"$scratch/zero.dmp data/crashes/inlines-amd64/symbols" <<\KEYS
2
:save-screen source
d
:save-screen code
KEYS
expect_text source '^>the address lies in no module; frame 1, void std::__sort<~>\(~\), is the next$'
expect_text source '^ with a source line$'
expect_text code '^>the address lies in no module, and the dump has no memory there; its caller is$'
expect_text code '^ frame 1$'

# The source of frame 0 has another name in the symbols, and does not exist.
mkdir -p "$scratch/other/source"
cp "$srcdir/data/crashes/frame-data-x86/source/ledger.c" "$scratch/other/source/"
cp -R "$srcdir/data/crashes/frame-data-x86/crash.dmp" "$srcdir/data/crashes/frame-data-x86/symbols" \
	"$scratch/other/"
chmod -R u+w "$scratch/other"
$AWK '/^FILE 1 / { print "FILE 99 c:\\gone\\away.c" } /^1005 11 12 1/ { $4 = 99 } { print }' \
	"$srcdir"/data/crashes/frame-data-x86/symbols/ledger.pdb/*/ledger.sym >"$scratch/away.sym"
for sym in "$scratch"/other/symbols/ledger.pdb/*/ledger.sym; do cp "$scratch/away.sym" "$sym"; done
case_of 'a frame without a source leads to one that has it' 80x24 \
	"$scratch/other/crash.dmp $scratch/other/symbols" <<\KEYS
2
:save-screen source
f
:save-screen caller
KEYS
expect_text source "^> 'c:.gone.away\.c' not found; tried$"
expect_text source '^  frame 1, add_up, is the next whose source is found$'
expect_text caller '^>=> 21 '

broken='data/crashes/broken-cfi-amd64/crash.dmp data/crashes/broken-cfi-amd64/symbols'
case_of 'K shows a cut sentence completely' 80x24 "$broken" <<\KEYS
G
:save-screen cut
K
:save-screen whole
q
:frame 5
f
:save-screen notice
KEYS
expect_text cut '^> !   end  216 bytes of the stack are in the dump, up to 0x7fffffffe600; the ~$'
expect_text cut '^216 bytes .*~ +K$'
expect_text whole '^ +caller.s frame is at 0x7fffffffe600$'
expect_region notice 1,22 80x2 <<\END
the end of the stack: 216 bytes of the stack are in the dump, up to
0x7fffffffe600; the caller's frame is at 0x7fffffffe600; 3 shows what was tried
END

case_of 'the help wraps long rows' 80x25 "$x86" <<\KEYS
?
:save-screen help
:filter value
:save-screen filtered
KEYS
expect_text help '^    r              :step register COUNT  to where the next register gets its$'
expect_text help '^v                                        value$'
expect_text filtered '^ +r +:step register COUNT  value$'

# Enter leads somewhere from every kind of row ----------------------------------------------------

# steps VIEW ROW: keys for the ROWth row of a view: save its screen, press Enter, save, and go back.
steps() {
	printf '%s\n' "$1" g
	step=1
	while [ $step -lt "$2" ]; do
		echo j
		step=$((step + 1))
	done
	printf '%s\n' ":save-screen $1.$2" Enter ":save-screen $1.$2.there" C-o ":save-screen $1.$2.back"
}
{
	echo f
	for row in 1 2 3 8; do steps 1 $row; done
	printf '%s\n' ':goto frame 1'
	for row in 1 2 3 4 5 6 7 11 12 13 14 15 21; do steps 3 $row; done
	for row in 1 2 3 4 5 6 7 8 9 10; do steps 4 $row; done
	for row in 1 2 3 4; do steps 5 $row; done
	for row in 1 2 3 4 9; do steps 6 $row; done
	printf '%s\n' 8 g Enter
	for row in 2 3 4; do steps 8 $row; done
} >"$scratch/keys"
case_of 'rows lead to places' 80x24 "$x86" <"$scratch/keys"
none 'every row has a target' "$(cd "$screen_folder" && grep -l 'nothing more is known' ./*.there)"
none 'C-o comes back to the row' "$(cd "$screen_folder" && for there in *.there; do
	row=${there%.there}
	# A thread leads to itself, and so does the row that opens it.
	case $row in 1.*) continue ;; esac
	grep '^>' "$row" >row.before
	grep '^>' "$row.back" >row.after
	cmp -s row.before row.after || { echo "$row"; diff row.before row.after; }
done)"
expect_text 1.2.there '\[3 evidence\]'
expect_text 1.8.there '\[3 evidence\]'
expect_text 3.2.there '^>>44 STACK WIN 4 1020 40 '
expect_text 4.3.there '^> ebp .*0012feac .*ebp of frame 0'
expect_text 5.1.there '\[4 eval\]'
expect_text 6.1.there '\[3 evidence\]'
expect_text 6.2.there '^offset 0x10c   ThreadList, thread 0x5d4, stack \+0x0, 4 bytes'
expect_text 8.4.there '^>> 1 MODULE windows x86 7A1C35E09B2D4F6885C3D1E0F2A4B6C81 ledger\.pdb$'

# The callee still has a value that the caller loses, and the value has bytes.
case_of 'lost registers lead to the context' 80x24 "$x86" <<\KEYS
5
:search edi
Enter
:save-screen there
KEYS
expect_text there '^-.*Exception, context, edi-$'
is 'the dump has edi at its offset' "$(od -A n -t x4 -j "$(sed -n \
	's/^offset \(0x[0-9a-f]*\) .*/\1/p' "$screen_folder/there")" -N 4 \
	"$srcdir/data/crashes/frame-data-x86/crash.dmp" | tr -d ' ')" 00403000

# Going -------------------------------------------------------------------------------------------

case_of 'goto' 80x24 "$amd64" <<\KEYS
:goto 0x7ffde1b672e8
:save-screen address
:goto main
:save-screen function
:goto frame 2
:save-screen frame
:goto sym:2402
:save-screen line
:goto dump:0x3e0
:save-screen offset
C-o
:save-screen back
o
:save-screen forward
:try goto nowhere
:save-screen nowhere
:try goto frame 99
:save-screen no-frame
:try goto sym:99999
:save-screen no-line
:try goto dump:0xffffffffffffffff
:save-screen no-offset
:goto 0x10
:save-screen no-memory
KEYS
expect_text address '^> 00007ffde1b672e8 \*000055f654b5ded2   0 '
expect_text function '^> .* 4 cfi  55f654b5d21c main '
expect_text frame 'frame 2 -> 3$'
expect_text line '^>>2402 STACK CFI 2793 \.cfa: \$rsp 48 \+$'
expect_text offset '^offset 0x3e0   ThreadList, thread 0x3aa8, stack '
expect_text back '^>>2402 STACK CFI 2793 '
same 'o goes forward from a place' forward offset
expect_text nowhere "^'nowhere' not found"
expect_text no-frame "^'frame 99' not found"
expect_text no-line "^'sym:99999' not found"
expect_text no-offset "^'dump:0xffffffffffffffff' not found"
expect_text no-memory 'the dump has no memory at 0000000000000010'

case_of 'marks' 80x24 "$x86" <<\KEYS
f
5
j
:save-screen --attributes here
m
:save-screen asks
a
:save-screen marked
1
f
f
2
'
a
Left
:save-screen --attributes there
'
b
:save-screen none
KEYS
expect_text asks '^mark: a to z names this place'
expect_text marked '^mark a set'
expect_text none '^no mark b'
# The next key removes the notice.
is 'a mark leads to the same place' "$(sed 23d "$screen_folder/there")" \
	"$(sed 23d "$screen_folder/here")"

# Finding -----------------------------------------------------------------------------------------

case_of 'a search' 80x24 "$x86" <<\KEYS
2
/
type acc
:save-screen typing
type ounts
:save-screen more
Enter
:save-screen --attributes kept
n
:save-screen next
N
:save-screen back
/
type xyzzy
:save-screen not-found
Enter
:save-screen nowhere-typed
1
:save-screen elsewhere
2
:try search xyzzy
:save-screen nowhere
Esc
G
/
type account
Esc
:save-screen left
KEYS
expect_text typing '^/acc$'
expect_text typing '^> +1[26]|^>=> 12'
expect_text more '^/accounts$'
expect_text kept '^\{r:> .*= add_up\(\}\{b:accounts\}\{r:, count\)'
expect_text kept '[{]d:3 of 4[}]$'
expect_text next '^>   42 .*visit\(accounts\[i\]\);'
expect_text back '^>   40 .*add_up\(accounts, count\);'
expect_text not-found ' not found$'
expect_text nowhere-typed "^'xyzzy' not found in this view"
refuse_text elsewhere 'not found'
expect_text nowhere "^'xyzzy' not found in this view"
expect_text left '^>   6[01] '

case_of 'a filter' 80x24 "$x86" <<\KEYS
8
&
type nt
:save-screen typing
Enter
:save-screen kept
q
:save-screen off
&
type no such module
Enter
:save-screen empty
KEYS
expect_region kept 1,12 40x3 <<\END
> + 7c900000-7c9affff  ntdll.dll      no
END
expect_text kept '^-.*filter: nt-$'
expect_text typing '^&nt$'
expect_text off '^. \+ 00400000-00407fff  ledger\.exe'
refuse_text off 'filter:'
expect_text empty '^ no row matches the filter'

# Help, unknown keys, commands --------------------------------------------------------------------

case_of 'help' 80x24 "$x86" <<\KEYS
?
:save-screen first
j
j
j
Enter
:save-screen answered
?
/
type mark
Enter
:save-screen found
q
:save-screen closed
%
:save-screen unknown
:try frobnicate
:save-screen command
:try st
:save-screen ambiguous
C-c
:save-screen cancel
KEYS
expect_text first '^-\[help\]-'
expect_text first '^> why did it crash\?    ! summary     d code        2 source$'
expect_text first '^  how to leave\? +Esc '
expect_text first '^  Enter goes to the first answer'
expect_text answered '\[3 evidence\]'
expect_text found '^>.*:mark LETTER'
refuse_text closed '\[help\]'
expect_text unknown "^'%' has no meaning here, \? for help"
expect_text command "^unknown command 'frobnicate'"
expect_text ambiguous "^ambiguous command 'st'; Tab lists them"
expect_text cancel '^nothing to cancel; q quits'

case_of 'the words of a row are explained' 80x24 "$amd64" <<\KEYS
f
5
K
:save-screen registers
:search from, above
:save-screen head
q
:help copy
:save-screen command
q
:info registers rbx
K
:save-screen kept
q
:save-screen closed
3
K
:save-screen evidence
q
c
K
:save-screen table
q
:identify trust
:save-screen term
q
:try identify trsut
:save-screen none
KEYS
expect_region registers 1,2 80x10 <<\END
-[help]-------------------------------------------------------------------------
  rip   000055f654b5ded2  * 000055f654b5df97   7  [7ffde1b67308],
  crash.dmp+0x400

  rip 000055f654b5df97 = [7ffde1b67308], crash.dmp+0x400   from
  inline_o2_dw4.sym:2408:54

> rip, program counter
    The register with the address of the next instruction. In the innermost
    frame it is the address where the thread stopped, in all others a return
END
expect_text head '^> from, above the rows$'
expect_text kept '^> rbx, callee-saved$'
expect_text command '^>   y +:copy +copy the value of the row$'
expect_text closed '\[5 registers\]'
expect_text evidence '^> STACK CFI$'
expect_text evidence '^  taken, verdict$'
expect_text table '^    this row is in force: it holds at the frame.s address, and the walk used it$'
expect_text table '^  c-8$'
expect_text term '^> trust$'
expect_text none "^'trsut' is not a number, a register or a known function"

# Every key and command of the table is in the help.
{
	echo '?'
	echo ':write help.txt'
} >"$scratch/keys"
case_of 'help is written' 80x24 "$x86" <"$scratch/keys"
none 'the help has every command' "$(sed -n -e 's/^[RCED]([A-Z_0-9]*, "\([^"]*\)".*/\1/p' \
	-e 's/^V([A-Z_0-9]*, "[^"]*", "\([^"]*\)".*/\1/p' "$srcdir/ui/request/request.def" \
	"$srcdir/ui/view/view.def" "$srcdir/ui/view/details.def" | while read -r command; do
	grep -qF -- ":$command" "$screen_folder/help.txt" || echo "$command"
done)"

# Taking away -------------------------------------------------------------------------------------

case_of 'a view is written' 80x24 "$x86" <<\KEYS
5
:write registers.txt
:save-screen written
:try write registers.txt
:save-screen again
y
:save-screen copied
Y
KEYS
is 'all registers are shown' "$($AWK '{ print $1, $2 }' "$screen_folder/registers.txt" |
	head -n 3)" 'eip 00401005
esp 0012fe8c
ebp 0012feac'
expect_text written "^17 rows written to 'registers\.txt'"
expect_text again "^'registers\.txt' exists; ':write!' overwrites it"
expect_text copied 'copied to the terminal|copied inside the program'

# Without colours, without letters ----------------------------------------------------------------

cat >"$scratch/keys" <<\KEYS
:save-screen --attributes stack
5
:save-screen --attributes registers
:goto frame 5
3
:save-screen --attributes evidence
?
:save-screen --attributes help
KEYS
# shellcheck disable=SC2086
NO_COLOR=1 screen_case 'NO_COLOR' 80x24 --ascii $x86 <"$scratch/keys"
no_colours() {
	none "$screen_title: no colours" "$(grep -E '\{[rbud]*[1-7]+:' "$screen_folder"/*)"
}
no_colours
expect_text registers '^\{r:> eip .*\{rb:  \* 00401048\}'
# shellcheck disable=SC2086
screen_case '--color never' 80x24 --ascii --color never $x86 <"$scratch/keys"
no_colours
# shellcheck disable=SC2086
TERM=vt100 screen_case 'a terminal of 1978' 80x24 $x86 <"$scratch/keys"
no_colours
expect_text registers '\* 00401048'
expect_text evidence '(FAIL|refused).*the return address|return address 0'
# shellcheck disable=SC2086
LC_ALL=C screen_case 'the C locale' 80x24 $x86 <"$scratch/keys"
ascii_alone() {
	none "$screen_title: only ASCII" "$(LC_ALL=C grep -n '[^ -~]' "$screen_folder"/*)"
}
ascii_alone
expect_text stack '^\{r:> +0 ctx.*00401005.*balance_of'
# shellcheck disable=SC2086
screen_case '--ascii uses only ASCII in any locale' 80x24 --ascii $x86 <"$scratch/keys"
ascii_alone
expect_text registers '\{6:  \? unknown \}'
expect_text registers '\{6:  - unknown \}'
expect_text stack '^v\{1: !\}   end '
expect_text evidence '(end|refused): '

done_testing
