#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lessons on a real terminal follow each other, each with its own crash.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tty.sh"

XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
UNSPOOL_DATA=$srcdir/data
export XDG_STATE_HOME XDG_CONFIG_HOME UNSPOOL_DATA
tui_start 80 24 "$UNSPOOL" lesson 1
t 'the first lesson opens' tui_wait 'next  1/8'
for card in 2 3 4 5 6 7 8 9; do
	tui_keys : 'lesson skip' Enter
done
t 'a lesson ends' tui_wait 'The lesson is over: 0 of 3 tasks passed'
tui_keys ,
t 'the next lesson follows with its crash' tui_wait 'Where does a frame end'
tui_keys : 'lesson cfi-02' Enter
t 'a named lesson opens' tui_wait 'So the symbol file has one STACK CFI INIT record'
tui_keys : 'lesson list' Enter
t 'the list is shown' tui_wait 'Rules of compilers|A frame, its end'
tui_keys j Enter
t 'Enter on a row of the list opens its lesson' tui_wait 'kettle.c|address of code'
tui_keys Q
t 'the program leaves a lesson' tui_ended

done_testing
