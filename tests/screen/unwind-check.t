#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# View 9 lists the disagreements of the sources of unwind rules for the frames of the stack.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash=data/crashes/sframe-amd64
sym=symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
mkdir -p "$scratch/${sym%/*}"
sed '/^STACK CFI 11e1 /s/ 16 / 24 /' "$srcdir/$crash/$sym" >"$scratch/$sym"

screen_case 'a wrong record is a message of the walk' 120x40 --binaries "$srcdir/$crash/binaries" \
	"$crash/crash.dmp" "$scratch/symbols" <<'END'
9
:zoom
:save-screen messages
:search rbp+24
Enter
:save-screen line
END
t 'the line of the record and the rule of each source' grep -q \
	'parcel.sym:93.*CFA: STACK CFI says rbp+24, .eh_frame says rbp+16' "$screen_folder/messages"
t 'the function and the kind of difference' grep -q 'sort_and_weigh (rule-differs' "$screen_folder/messages"
t 'Enter goes to the record' grep -q 'STACK CFI 11e1 .cfa: $rbp 24' "$screen_folder/line"

screen_case 'correct records cause no message' 120x40 --binaries "$srcdir/$crash/binaries" \
	"$crash/crash.dmp" "$crash/symbols" <<'END'
9
:zoom
:save-screen messages
END
t 'the view has no message' grep -q 'no messages: no defects were found' "$screen_folder/messages"

# Defects that lint finds only in the records of the frames.
mkdir -p "$scratch/odd/${sym%/*}"
sed -e '/^STACK CFI 11e1 /s/$/ $rbx: .cfa 16 + ^/' -e '/^STACK CFI 114c /s/ 320 +/ 320/' \
	-e '/^1129 /s/ 0$/ 7/' "$srcdir/$crash/$sym" >"$scratch/odd/$sym"
screen_case 'malformed records are messages' 120x40 --binaries "$srcdir/$crash/binaries" \
	"$crash/crash.dmp" "$scratch/odd/symbols" <<'END'
9
:zoom
:save-screen messages
:search cfi-slot-above
Enter
:save-screen line
END
t 'a rule that no compiled function has is a message' grep -q \
	'parcel.sym:93.*a register is saved at or above the CFA.*(cfi-slot-above)' "$screen_folder/messages"
t 'an expression that fails is a message' grep -q 'parcel.sym:85.*an expression does not leave exactly one value' "$screen_folder/messages"
t 'the line of a file without a name is a message' grep -q 'parcel.sym:5.*number 7.*(file-undefined)' "$screen_folder/messages"
t 'Enter goes to the record of such a message' grep -q 'STACK CFI 11e1 .*16 + ^' "$screen_folder/line"

# All addresses of the file are moved by 16 bytes.
if command -v python3 >/dev/null 2>&1; then
	mkdir -p "$scratch/moved/${sym%/*}"
	python3 - "$srcdir/$crash/$sym" >"$scratch/moved/$sym" <<'END'
import re
import sys
for line in open(sys.argv[1]):
    print(re.sub(r'^((?:FUNC |PUBLIC |STACK CFI INIT |STACK CFI )?)([0-9a-f]+)(?= )',
                 lambda m: '%s%x' % (m.group(1), int(m.group(2), 16) + 16), line.rstrip('\n')))
END
	screen_case 'the records of another build are a message' 120x40 \
		--binaries "$srcdir/$crash/binaries" "$crash/crash.dmp" "$scratch/moved/symbols" <<'END'
9
:zoom
:save-screen messages
:search not belong
Enter
:save-screen line
8
:zoom
:save-screen modules
Enter
:save-screen module
END
	is 'one message says that the file does not belong to the binary' \
		"$(grep -c 'parcel.sym:1: the symbol file does not belong to the binary: all records lie 0x10' \
			"$screen_folder/messages")" 1
	none 'the rules of such a file are not compared' "$(grep 'rule-differs' "$screen_folder/messages")"
	t 'Enter goes to the MODULE record' grep -q 'MODULE Linux x86_64' "$screen_folder/line"
	t 'the row of the module has the misfit' grep -q 'parcel  *! wrong   parcel.sym' "$screen_folder/modules"
	t 'the open row of the module has the reason' grep -q 'all records lie 0x10 bytes after their code' "$screen_folder/module"
else
	skip 5 'no python3'
fi

done_testing
