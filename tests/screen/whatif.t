#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Edits: every kind, the edited walk next to the original, and the way back. The stack of the
# crash is in tests/lib/make-broken-cfi.c; the effects of edits were read from there.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash='data/crashes/broken-cfi-amd64/crash.dmp data/crashes/broken-cfi-amd64/symbols'

# A script reports which of its commands failed, each with its line.
cat >"$scratch/script" <<\KEYS
f
:set-rule .cfa $rsp
:set-rule nothing: 1
:set-register rsp many
:set-register rip ?
:candidate 7fffffffe531
:policy nothing 1
:force nothing
u
:write-patch nothing.patch
:drop-rule rax
Q
KEYS
# shellcheck disable=SC2086
(cd "$srcdir" && "$UNSPOOL" --script "$scratch/script" $crash) >"$scratch/out" 2>"$scratch/err"
is 'invalid edits are refused with a reason' \
	"$(sed 's/^unspool: .*script:\([0-9]*\): \([^;]*\).*/\1 \2/' "$scratch/err")" \
"2 a rule is written NAME: EXPRESSION
3 'nothing' is not a register of amd64
4 'many' is not a hexadecimal number
5 a frame must have its rip
6 a scan from frame 1 reads words from 00007fffffffe530 on
7 unknown policy in 'nothing 1'
8 unknown method 'nothing'
10 no edits to write
11 no record in force has a rule for \$rax"

done_testing
