#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Walks of programs of 32-bit Windows with their PDBs, whose functions logged the addresses of their return addresses
# (tests/windows): each is a frame. The system's libraries are not available.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

if lacks capstone; then
	skip_all 'capstone was left out'
fi
programs=$srcdir/tests/windows
for name in apc calls classes window; do
	cp "$programs/$name.exe" "$scratch"
	gzip -dc "$programs/$name.pdb.gz" >"$scratch/$name.pdb"
done

walk() {
	"$UNSPOOL" walk --binaries "$scratch" "$programs/$1.dmp" 2>/dev/null
}

# Lines of the log without a frame: the return address, and the stack pointer directly above it.
missing() {
	walk "$1" | "$AWK" '/eip = 0x/ { sub(/.*eip = 0x/, ""); eip = $1; sub(/.*esp = 0x/, ""); print $1, eip }' >"$scratch/frames"
	while read -r slot back; do
		grep -q "^$(printf '%08x' $((0x$slot + 4))) $back$" "$scratch/frames" || echo "$slot $back"
	done <"$programs/$1.log"
}

is 'every logged call is a frame: an APC, and a thread that waits with stdcall arguments on its stack' "$(missing apc)" ''
is 'the caller of an APC is the function that it interrupted, which waits' \
	"$(walk apc | "$AWK" '/saved context/ { found = NR } / apc.exe!sleeps / { print (found > 0) }')" 1
is 'every logged call is a frame: after a call through a null pointer, whose argument is on the stack' "$(missing classes)" ''
is 'every logged call is a frame: arguments among the locals, a wait in an import, a call into data of the program' "$(missing calls)" ''
is 'a call into data is left by the return address that it stored' \
	"$(walk calls | "$AWK" '/^Thread [1-9]/ { exit } /!poke/ { found = 1 } found && /Found by/ { print; exit }')" \
	'    Found by: return address of a call through a bad pointer'
is 'a system call is left by its return instruction' \
	"$(walk apc | sed -n '/^Thread 0/,$p' | grep -c "Found by: running the function's code")" 1
is 'every logged call is a frame: window procedures that the kernel called, one while another ran' "$(missing window)" ''
# USER32.dll+0x5e747, in WIN_CreateWindowEx, is on the stack directly after the arguments of each callback.
is 'the caller of a callback of Wine is the function of user32.dll that called the system' \
	"$(walk window | "$AWK" '/ 0xdeadbabe/ { found = 1 } found && / USER32/ { print $2, $3, $4; found = 0 }')" \
	"$(printf '%s\n' 'USER32.dll + 0x5e747' 'USER32.dll + 0x5e747')"
is 'without the code a record takes an older return address in a saved register for that of the frame' \
	"$("$UNSPOOL" walk --policy code=0 --binaries "$scratch" "$programs/classes.dmp" 2>/dev/null | grep -c 'shape::grow')" 0

done_testing
