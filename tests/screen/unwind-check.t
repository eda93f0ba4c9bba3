#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# View 9 lists what the sources of unwind rules disagree about for the frames of the stack.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

lacks libelf && skip_all 'libelf was left out: no section of a program is read'
crash=data/crashes/sframe-amd64
sym=symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
mkdir -p "$scratch/${sym%/*}"
sed '/^STACK CFI 11e1 /s/ 16 / 24 /' "$srcdir/$crash/$sym" >"$scratch/$sym"

screen_case 'the messages of a walk with a wrong record' 120x40 --binaries "$srcdir/$crash/binaries" \
	"$crash/crash.dmp" "$scratch/symbols" <<'END'
9
:zoom
:save-screen messages
:search rbp+24
Enter
:save-screen line
END
t 'the line of the record and what each source says' grep -q \
	'parcel.sym:93.*CFA: STACK CFI says rbp+24, .eh_frame says rbp+16' "$screen_folder/messages"
t 'the function and the kind of difference' grep -q 'sort_and_weigh (rule-differs' "$screen_folder/messages"
t 'Enter goes to the record' grep -q 'STACK CFI 11e1 .cfa: $rbp 24' "$screen_folder/line"

screen_case 'the messages of a walk with right records' 120x40 --binaries "$srcdir/$crash/binaries" \
	"$crash/crash.dmp" "$crash/symbols" <<'END'
9
:zoom
:save-screen messages
END
t 'there are none' grep -q 'no messages: no defects were found' "$screen_folder/messages"

done_testing
