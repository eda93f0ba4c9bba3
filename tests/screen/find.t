#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Searches in views and in the help, regular expressions, filters, and the user's own keys.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86=data/crashes/frame-data-x86

# Every word in capitals has a completion.
for word in $(sed -n 's/^[RCE]F\{0,1\}([A-Z_0-9]*, "\([^"]*\)".*/\1/p' "$srcdir/ui/request/request.def" |
	grep -oE '[A-Z]{2,}' | sort -u); do
	t "completion has the argument $word" grep -q "^A($word," "$srcdir/ui/request/argument.def"
done

# Typed lines, and the same lines after Tab.
cat >"$scratch/typed" <<\END
goto read_l|goto read_ledger
goto sy|goto sym:
goto $ec|goto $ecx
set ba|set base
set base de|set base dec
register-history ec|register-history ecx
view evi|view evidence
layout sin|layout single
walk fra|walk frame-
methods stack-w|methods stack-win
methods scan,fra|methods scan,frame-
policy leaf|policy leaf-return
got kern|got kernel32.dll
print 1+$ec|print 1+$ecx
stream Misc|stream MiscInfo
bind F5 zoo|bind F5 zoom
help tramp|help trampoline
at frame=1,vi|at frame=1,view=
at frame=1,view=evi|at frame=1,view=evidence
set-register ec|set-register ecx
module led|module ledger.exe
unwind-rules add_|unwind-rules add_up
nothing|nothing
END
$AWK -F'|' 'BEGIN { print ":" } { print "C-u\ntype " $1 "\nTab\n:save-screen " NR }' "$scratch/typed" >"$scratch/tabs"
screen_case 'Tab completes arguments' 80x24 --ascii data/crashes/frame-data-x86/crash.dmp \
	data/crashes/frame-data-x86/symbols <"$scratch/tabs"
is 'Tab completes a line by the kind of its argument' \
	"$(for screen in $($AWK '{ print NR }' "$scratch/typed"); do tail -n 1 "$screen_folder/$screen"; done)" \
	"$(sed 's/.*|/:/' "$scratch/typed")"

screen_case 'a search takes a regular expression' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
8
:set regex on
:search ^ . 7c9.*nt
:save-screen found
:filter 7c[89]0+-
:save-screen filtered
:unfilter
:search (
:save-screen broken
:search (a)\1
:save-screen hard
:set regex off
:try search ^7c9
:save-screen plain
KEYS
expect_text found '^> \+ 7c900000-7c9affff  ntdll'
expect_text found ' 1 of 1$'
expect_text filtered 'filter: 7c\[89\]0\+-'
refuse_text filtered 'ledger\.exe'
expect_text broken "^'\(' is used as plain text: "
expect_text hard 'is used as plain text: a reference back'
expect_text plain "^'\^7c9' not found in this view"

# Two commands search views and memory; a search without a hit names the other command.
screen_case 'a search without a hit names the other search' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
:try search nowhere
:save-screen view
:try find nowhere
:save-screen memory
:try find 0x12345678
:save-screen word
:find 00401048
:save-screen found
KEYS
expect_text view "^'nowhere' not found in this view; :find searches the dump.s memory$"
expect_text memory "^nowhere not found as text in the dump's memory; / searches a view *"
expect_text word "^0x12345678 not found in the dump's memory; / searches a view$"
expect_text found '1 found'

screen_case 'hits of a search are marked' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
:find 2
Down
Down
Down
h
:save-screen last
h
:save-screen first
H
:save-screen back
KEYS
# The word 00000002 is at 12fea8 and 12fef4.
expect_text last '^2 of 2 *$'
expect_text first '^1 of 2 *$'
expect_text back '^2 of 2 *$'

screen_case 'the help is searched and filtered' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
?
:filter caller
:save-screen filtered
:search frame
:save-screen found
q
:save-screen all
q
:help return address
:save-screen term
:help words
:search trampoline
Enter
:save-screen entered
q
:save-screen closed
KEYS
expect_text filtered ':step frame COUNT'
refuse_text filtered ':step token'
expect_text found '^>.*frame'
expect_text all ':step token'
expect_text term '^> return address'
expect_text term 'continues when the function that it'
expect_text entered '^> trampoline, '
refuse_text closed '\[help\]'

printf 'bind F5 step frame\nunbind f\nbind gt view eval\nunbind ?\nset base dec\n' >"$scratch/config"
screen_case 'help has the keys of the configuration' 80x24 --ascii --config "$scratch/config" \
	"$x86/crash.dmp" "$x86/symbols" <<\KEYS
:save-screen footer
g
:save-screen pair
t
:save-screen evaluation
F5
:save-screen stepped
F1
:search :step frame
:save-screen help
q
f
:save-screen nothing
KEYS
expect_text footer '^ F5 frame '
expect_text footer 'F1 help$'
expect_text pair '^g then  t view eval'
expect_text evaluation '\[4 eval\]'
expect_text stepped 'frame 1 -> 2$'
expect_text help '^> +F5 +:step frame COUNT'
expect_text nothing "^'f' has no meaning here"

printf 'bind q\nset nothing 1\n' >"$scratch/config"
screen_case 'an error in the configuration is reported' 80x24 --ascii --config "$scratch/config" \
	"$x86/crash.dmp" "$x86/symbols" <<\KEYS
:save-screen first
9
/
type config
Enter
:save-screen messages
KEYS
expect_text first "^2 invalid lines in '.*/config'"
expect_text messages 'config:1'
expect_text messages '^> ?(warning|error).*config:[12]'

# Names and displayed expressions, in a core with its program: the addresses are those of readelf.
screen_case 'find takes names of the program and an expression for each frame' 110x40 --ascii --no-system-binaries \
	--binaries tests/batch/locals/x86_64 tests/batch/locals/x86_64.basic.O2dw4.core.gz <<\KEYS
:info variables sin
:save-screen variables
:got basic.O2dw4
:save-screen slots
:info functions deep
:save-screen functions
:frame 0
:display $rsp
:display nowhere
:frame 1
:save-screen shown
:undisplay 1
:save-screen left
KEYS
expect_text variables '^> 000000000040401c +sink$'
expect_text slots '^. 0000000000404000 +snprintf@got  -> [0-9a-f]{16}'
expect_text functions '^> [0-9a-f]{16} +deepest$'
expect_text shown '^. +1: +void . [$]rsp = 0x'
expect_text shown '^. +2: nowhere +no variable'
expect_text left '^. +1: nowhere +no variable'

done_testing
