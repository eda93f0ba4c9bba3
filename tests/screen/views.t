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

# The arguments of a case are several words.
# shellcheck disable=SC2086
case_of() {
	case_title=$1
	case_size=$2
	case_crash=$3
	shift 3
	screen_case "$case_title" "$case_size" --ascii "$@" $case_crash
}

# Source ------------------------------------------------------------------------------------------

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

# Only a scan finds a caller here: it refuses the word at rsp, because no module has the address.
case_of 'words of a scan have their verdicts' 120x40 "$scan --policy scan-context=1" <<\KEYS
6
z
:save-screen considered
KEYS
expect_text considered '^> 00007ffddf65f830 \?00007f1000393150   0  rsp of 0            refused: in no module$'
expect_text considered '^  00007ffddf65f838 \*00007f104c04aa48 .*return to libc.so.6 \+ 0x77a48; taken by the scan$'
expect_text considered ' 8  (into the stack|rsp).* -> -> "PATH=/usr/bin:/bin"$|into the stack -> -> "PATH=/usr/bin:/bin"$'

# Modules, messages -------------------------------------------------------------------------------

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

# Every word in capitals has a completion.
for word in $(sed -n 's/^[RCE]F\{0,1\}([A-Z_0-9]*, "\([^"]*\)".*/\1/p' "$srcdir/ui/request/request.def" |
	grep -oE '[A-Z]{2,}' | sort -u); do
	t "completion has the argument $word" grep -q "^A($word," "$srcdir/ui/request/argument.def"
done

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
