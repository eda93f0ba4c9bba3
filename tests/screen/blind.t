#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Blind mode on the screen: questions are marked, predictions are typed and judged, no answer is visible.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash="--ascii data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols"

# shellcheck disable=SC2086
screen_case 'tokens are predicted one by one' 80x24 $crash <<\KEYS
:set blind token
4
:save-screen before
:try step token
:save-screen refused
P
type 7ffde1b672c0
:save-screen typing
Enter
:predict 48
:try predict $rsp + 48
:save-screen wrong
:predict $rsp 48 +
:save-screen right
:reveal
:save-screen shown
S
S
S
:save-screen back
s
s
:save-screen forward
:try frame 1
:save-screen frame
:set blind off
s
:save-screen off
KEYS
expect_region before 1,13 60x4 <<\END
> rule .cfa: $rsp 48 +   inline_o2_dw4.sym:2402:22 (delta)
     1  $rsp     ?                        P predicts it
     2  48       .
     3  +        .
END
refuse_text before '7ffde1b672f0|7ffde1b672e8|\(7ffde1b672c0'
expect_text refused "^hidden: what token 1, '.rsp', leaves; P predicts it, :reveal shows it"
refuse_text refused '7ffde1b672f0|7ffde1b672e8|\(7ffde1b672c0'
expect_text typing "what token 1, '.rsp', leaves"
expect_text wrong "^wrong \(1\): .rsp . 48 is not what token 3, '.', leaves; :reveal shows it"
refuse_text wrong '7ffde1b672f0'
expect_text wrong '>    2  48       .rsp \(7ffde1b672c0\) >48  = 0x30; predicted'
expect_text wrong '     3  [+]        [?]                        P predicts it'
expect_text right '^right: 7ffde1b672f0   \(3 predicted, 0 shown\)'
expect_text right '^>    3  [+]        >7ffde1b672f0            7ffde1b672c0 [+] 0x30 = 7ffde1b672f0'
expect_text right '     4  .cfa     [?]                        P predicts it'
expect_text shown '^shown: 7ffde1b672f0   \(3 predicted, 1 shown\)'
expect_text back '^>    1  .rsp     >'
expect_text back '     3  [+]        [.]'
expect_text forward '^>    3  [+]        >7ffde1b672f0'
expect_text frame '^frame 1 is hidden until it is predicted'
expect_text off '>    4  .cfa     >.cfa \(7ffde1b672f0\)'

# shellcheck disable=SC2086
screen_case 'the registers of the caller are predicted' 120x40 $crash <<\KEYS
:set blind step
5
:save-screen before
:predict $rsp 48 +
:predict 0x55f654b5ded2
:save-screen two
KEYS
expect_text before '  rsp   00007ffde1b672c0    [?]                        P predicts it'
expect_text before ' rip   000055f654b5e7f0  *not yet'
expect_text two ' rip   000055f654b5e7f0 >[*] 000055f654b5ded2'
expect_text two '  r13   000000000000000f    [?]                        P predicts it'

# shellcheck disable=SC2086
screen_case 'frames are predicted' 120x40 $crash <<\KEYS
f
f
:set blind walk
1
z
:save-screen before
:try step frame
:save-screen refused
:predict engine::run(int)
:save-screen right
w
:save-screen methods
KEYS
expect_text before '  [?]     3  *hidden until it is predicted'
refuse_text before 'cfi.*engine::run'
expect_text refused '^hidden: frame 3, its rip or its function; P predicts it'
expect_text right '^right: 55f654b5da27, engine::run\(int\)   \(1 predicted, 0 shown\)'
expect_text right '^>     3 cfi  000055f654b5da27 engine::run\(int\)'
expect_text methods '^> *hidden until it is predicted'

# Every layout hides the CFA and the return address, except the words of the stack.
{
	echo ':set blind step'
	for layout in three-columns two-columns one-column code unwind stacked single; do
		printf ':layout %s\n:save-screen %s\n' $layout $layout
	done
} >"$scratch/layouts"
# shellcheck disable=SC2086
screen_case 'hidden values are hidden in every layout' 260x60 $crash <"$scratch/layouts"
for layout in three-columns two-columns one-column code unwind stacked single; do
	t "the screen shows $layout" test -s "$screen_folder/$layout"
	none "$layout does not show the hidden value" "$(sed 's/00007ffde1b672f0  000055f66e2c1060//
		s/00007ffde1b672e8  000055f654b5ded2//' "$screen_folder/$layout" |
		grep -E '7ffde1b672f0|55f654b5ded2')"
done
# The walk takes the only attempt, as the stack shows once nothing is hidden.
screen_case 'the verdict of an attempt is hidden' 80x24 --ascii data/crashes/frame-data-x86/crash.dmp \
	data/crashes/frame-data-x86/symbols <<\KEYS
:set blind step
3
:save-screen hidden
:set blind off
:save-screen shown
KEYS
expect_text hidden '^STACK WIN: not yet'
refuse_text hidden 'refused|taken'
expect_text shown 'STACK WIN .* taken: eip 00401048'

# The rule of the CFA in frame 1 of the crash is $rsp 320 +, by the record of print_label and by its SFrame row.
{
	echo ':frame 1'
	echo ':set blind rule'
	for view in evidence eval table raw messages summary disassembly registers drawing; do
		printf ':view %s\n:save-screen %s\n' $view $view
	done
	printf '%s\n' ':predict $rsp 320 + -8 + ^' ':reveal' ':set blind off' ':view evidence' ':save-screen shown'
} >"$scratch/views"
screen_case 'rules are hidden with the values' 120x40 --ascii data/crashes/sframe-amd64/crash.dmp \
	data/crashes/sframe-amd64/symbols --binaries data/crashes/sframe-amd64/binaries --methods sframe \
	<"$scratch/views"
for view in evidence eval table raw messages summary disassembly registers drawing; do
	refuse_text $view '[$]rsp 320|sp[+]320|40 01'
done
expect_text evidence 'rule .cfa: [?]'
expect_text table '^> *hidden until it is predicted'
expect_text shown 'rule .cfa: [$]rsp 320'
expect_text shown 'sp[+]320'

# The word above the frame of pour leads to brew; a walk without a next frame does not name it.
screen_case 'words of memory have no names while frames are predicted' 80x24 --ascii \
	data/lessons/basics-01-frame/crash.dmp data/lessons/basics-01-frame/symbols <<\KEYS
:set blind walk
6
:save-screen hidden
:set blind off
:save-screen shown
KEYS
expect_text hidden '0000555555554273 +an address of code'
refuse_text hidden 'brew'
expect_text shown '0000555555554273 .* brew'

done_testing
