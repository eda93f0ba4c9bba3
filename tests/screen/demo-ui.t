#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# How the parts of ui/ paint, without a terminal: hostile names, colours, glyphs, the prompt.
: "${srcdir:=$(dirname "$0")/../..}" "${builddir:=$srcdir/build}"
UNSPOOL=$builddir/tests/screen/demo-ui
. "$srcdir/tests/lib/screen.sh"

LC_ALL=C screen_case 'names of strangers stay in their rows' 80x24 <<\KEYS
:save-screen got
KEYS
expect_region got 1,3 40x8 <<\END
>main
 std::vector<int>::push_back(int const&)
 ESC\x1b[31mred\x07
 CR\x0dLF\x0aTAB\x09BS\x08
 override \u202ecc.exe
 zero\u200bwidth
 wide ???? end
 mark e end
END
expect_region got 1,2 80x1 <<\END
-[1 stack]--------------------------------------------------------------1 of 25-
END

case ${LC_ALL:-} in
*[Uu][Tt][Ff]*)
	screen_case 'a locale of UTF-8 has line graphics' 80x24 <<\KEYS
:save-screen got
KEYS
	expect_region got 1,9 40x2 <<\END
 wide 漢字 end
 mark é end
END
	expect_text got '▸main'
	screen_case 'an option draws ASCII there' 80x24 --ascii <<\KEYS
:save-screen got
KEYS
	expect_region got 1,2 12x2 <<\END
-[1 stack]--
>main
END
	;;
*) skip 5 'no UTF-8 locale' ;;
esac

colours=$scratch/colours
cat >"$colours" <<\KEYS
:goto 13
:goto 12
:save-screen --attributes got
KEYS
screen_case 'each role has its colour' 80x24 --ascii <"$colours"
expect_text got '^ \{b3:role changed\}$'
expect_text got '^>\{r:role selected'
NO_COLOR=1 screen_case 'NO_COLOR leaves attributes' 80x24 --ascii <"$colours"
expect_text got '^ \{b:role title\}$'
refuse_text got '\{b?[0-9]'
NO_COLOR=1 screen_case 'colours can be demanded' 80x24 --ascii --color=always <"$colours"
expect_text got '\{6:'
TERM=vt100 screen_case 'a terminal without colours is no worse' 80x24 --ascii <"$colours"
expect_text got 'role title'
refuse_text got '\{b?[0-9]'
TERM=xterm-256color screen_case '256 colours are a choice' 80x24 --ascii --256 <"$colours"
expect_text got '\{255/237:role selected'
# ncurses itself leaks memory if terminfo lacks the terminal.
for terminal in linux screen dumb no-such-terminal; do
	TERM=$terminal ASAN_OPTIONS=detect_leaks=0 \
		screen_case "the program paints on $terminal" 80x24 --ascii <<\KEYS
:save-screen got
KEYS
	expect_text got '^>main'
done

screen_case 'a search follows its typing' 80x24 --ascii <<\KEYS
/
type role b
:save-screen --attributes typed
Esc
:save-screen left
/
type ROLE
:save-screen capitals
Backspace
Backspace
Backspace
Backspace
type zero
Enter
n
:save-screen kept
KEYS
expect_text typed '^>\{r:role b\}\{r1:ad\}'
expect_text typed '^\{b:/\}role b'
expect_text left '^cancelled'
expect_text capitals '^not found'
expect_text kept '^>zero'

screen_case 'the prompt edits and completes' 80x24 --ascii <<\KEYS
2
:
type got 123
Home
Right
Right
Right
type o
End
:save-screen line
Enter
:save-screen went
:
type ste
Tab
Tab
:save-screen matches
Esc
:
Up
:save-screen history
C-u
type zz such thing
Enter
:save-screen unknown
KEYS
expect_text line '^:goto 123'
expect_text went '^>row 123 of source'
expect_text matches '^:step$'
expect_text matches 'attempt +frame +register +token'
expect_text history '^:goto 123'
expect_text unknown "^unknown command 'zz such thing'"

screen_case 'a narrow screen scrolls its prompt' 40x8 --ascii <<\KEYS
:
type 0123456789012345678901234567890123456789END
:save-screen end
Home
:save-screen home
KEYS
expect_region end 1,8 40x1 <<\END
456789012345678901234567890123456789END
END
expect_text home '^:0123'

for size in 1x1 39x6 40x5 300x100; do
	screen_case "the program paints at $size" "$size" --ascii <<\KEYS
j
G
z
/
:save-screen got
KEYS
done
screen_case 'a small screen shows the size that it needs' 39x24 <<\KEYS
:save-screen got
KEYS
expect_region got 1,1 39x1 <<\END
40x6 needed
END

screen_case 'background work runs before the next key' 80x24 --ascii <<\KEYS
:goto work
:save-screen got
KEYS
refuse_text got working

screen_case 'scrolling right and back leaves the screen the same' 80x24 --ascii <<\KEYS
2
:save-screen before
Right
:save-screen right
Left
:save-screen after
KEYS
expect_text right '^> source, whose'
is 'paging sideways and back leaves the screen the same' "$(cat "$screen_folder/after")" \
	"$(cat "$screen_folder/before")"

done_testing
