#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Themes: by name, by the terminal, by the environment; mono shows the same distinctions.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'

# case_of TITLE THEME [OPTION...]: the registers of a step that changes one of them.
case_of() {
	title=$1
	theme=$2
	shift 2
	printf '%s\n' ":set theme $theme" f 5 ':save-screen --attributes got' ':save-screen plain' \
		>"$scratch/keys"
	# shellcheck disable=SC2086
	screen_case "$title" 80x24 --ascii "$@" $x86 <"$scratch/keys"
}

TERM=xterm-256color
export TERM
unset NO_COLOR COLORFGBG
case_of 'the default has the first eight colours' auto
expect_text got '\{r?b3:  \* 004010b6\}'
cp "$screen_folder/plain" "$scratch/plain"
case_of 'a dark theme of sixteen is brighter' dark-16
expect_text got '\{r?b11:  \* 004010b6\}'
t 'a dark theme of sixteen colours has the same text' cmp "$scratch/plain" "$screen_folder/plain"
case_of 'one of 256 has a background for the selection' dark-256
expect_text got '^\{b?[0-9]*/237:> '
t 'a dark theme of 256 colours has the same text' cmp "$scratch/plain" "$screen_folder/plain"
case_of 'a light theme has no yellow' light
expect_text got '\{r?b5:  \* 004010b6\}'
case_of 'a light theme of 256 has a light selection' light-256
expect_text got '^\{b?[0-9]*/252:> '
COLORFGBG='0;15' case_of 'a light background is believed' auto
expect_text got '\{r?b5:  \* 004010b6\}'
case_of 'mono has only attributes' mono
refuse_text got '\{[rbud]*[0-9]'
expect_text got '\{r?b:  \* 004010b6\}'
t 'mono has the same text' cmp "$scratch/plain" "$screen_folder/plain"
NO_COLOR=1 case_of 'NO_COLOR is obeyed' auto
refuse_text got '\{[rbud]*[0-9]'
NO_COLOR=1 case_of 'unless a theme is asked for' dark
expect_text got '\{r?b3:  \* 004010b6\}'
case_of '--color=never precedes the theme' dark-256 --color never
refuse_text got '\{[rbud]*[0-9]'
TERM=xterm case_of 'a terminal gets as many colours as it has' dark-256
expect_text got '\{r?b3:  \* 004010b6\}'
TERM=vt100 case_of 'a terminal without colours has attributes' dark-256
refuse_text got '\{[rbud]*[0-9]'
t '--color=never has the same text' cmp "$scratch/plain" "$screen_folder/plain"
# shellcheck disable=SC2086
screen_case 'an unknown theme is refused' 80x24 --ascii $x86 <<\KEYS
:try set theme neon
:save-screen got
KEYS
expect_text got "^'theme' cannot be 'neon'"

done_testing
