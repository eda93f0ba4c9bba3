#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# explain --all-methods: the caller of one frame by every method.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes

# signs CRASH FRAME [OPTION...]: sign, method and verdict of each method that applies.
signs() {
	crash=$1
	frame=$2
	shift 2
	"$UNSPOOL" explain --all-methods --frame "$frame" "$@" "$crashes/$crash/crash.dmp" \
		"$crashes/$crash/symbols" | sed -n '3,$p' | cut -c 1-27 | sed '/ none *$/d; s/ *$//'
}

# The frame record and its words are where the record says, and the scan finds the same words.
is 'all methods agree about an x86 frame with a record and a frame pointer' "$(signs frame-data-x86 1)" \
'* STACK WIN        taken
  STACK CFI        refused
  realigned frame  refused
= frame pointer    possible
~ stack scan       possible
  the walk takes STACK WIN'
is 'the frame record of arm64 gives the same pc, but another stack pointer' "$(signs pac-arm64 1)" \
'* STACK CFI        taken
! frame pointer    possible
! stack scan       possible
  the walk takes STACK CFI'
unread=
if lacks capstone; then unread=yes; fi
[ -z "$unread" ] || skip 1 'capstone was left out: no section or code of a program is read'
[ -n "$unread" ] || is 'with SFrame alone the walk takes that, and STACK CFI agrees' \
	"$(signs sframe-amd64 1 --methods sframe --binaries "$crashes/sframe-amd64/binaries" |
		grep -E '^[*=]|walk')" \
'= STACK CFI        possible
* SFrame           taken
= frame table      possible
= code             possible
= stack scan       possible
  the walk takes SFrame'
"$UNSPOOL" explain --all-methods --frame 7 "$crashes/inlines-amd64/crash.dmp" \
	"$crashes/inlines-amd64/symbols" >"$scratch/end"
t 'the methods are tried at the end of a stack' grep -q \
	'^  STACK CFI        end      return address 0x[0-9a-f]* is in the stack' "$scratch/end"
t 'the last row has the reason of the end' grep -q "the walk ends here: .*at the entry point of the process" "$scratch/end"

"$UNSPOOL" explain --json --all-methods --frame 1 "$crashes/pac-arm64/crash.dmp" \
	"$crashes/pac-arm64/symbols" >"$scratch/json"
t 'JSON has the same results' grep -q '"taken":"STACK CFI".*"method":"frame pointer".*"agreement":"other"' \
	"$scratch/json"
done_testing
