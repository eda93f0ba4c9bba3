#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A signal that a process sent. tests/scenes/dump has the other scenes of the view.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# A copy of the bundled core: kill sent the signal (SI_USER) while the thread was at an instruction that reads no memory.
if lacks capstone; then
	skip 7 'capstone was left out'
elif gzip -dc "$srcdir/data/cores/list-amd64/core.gz" >"$scratch/sent" 2>/dev/null; then
	printf '\126' | dd of="$scratch/sent" bs=1 seek=$((0x304)) conv=notrunc 2>/dev/null
	printf '\000\000\000\000\000\000\000\000\064\022\000\000' | dd of="$scratch/sent" bs=1 seek=$((0x41c)) conv=notrunc 2>/dev/null
	screen_case "a sender's process id is not shown as an address" 80x24 --ascii --binaries \
		"$srcdir/data/cores/list-amd64/binaries" "$scratch/sent" <<\KEYS
:save-screen title
:try x/8gx 0
:save-screen none
:x/2gx $rsp
:save-screen some
KEYS
	expect_text title '^.found +signal sent by a process'
	expect_text title '^sent .* SIGSEGV  '
	refuse_text title 'SIGSEGV at'
	expect_text none "^the dump has no memory at 0x0; ':memory-map'"
	refuse_text none '\[6 memory\]'
	expect_text some '\[6 memory\].*8 bytes a value'
else
	skip 7 'there is no gzip'
fi
done_testing
