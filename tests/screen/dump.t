#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The dump in the explorer: its directory, each stream, the summary, and where Enter leads.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'
amd64='data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols'

# The arguments of a case are several words.
# shellcheck disable=SC2086
case_of() {
	case_title=$1
	case_size=$2
	case_crash=$3
	shift 3
	screen_case "$case_title" "$case_size" --ascii "$@" $case_crash
}

case_of 'the directory opens its streams' 80x24 "$x86" <<\KEYS
:streams
:save-screen directory
:stream ThreadList
:save-screen threads
C-o
:save-screen back
:try stream nothing
:save-screen unknown
KEYS
expect_text directory '\[0 dump\]-.*-directory, [0-9]+ streams-$'
expect_text directory '^> signature +0x504d444d  MDMP'
expect_text directory ' ThreadList '
expect_text threads '\[0 dump\]-.*-ThreadList-$'
expect_text threads '^  thread\[0\]$'
expect_text back '\[0 dump\]-.*-directory, '
expect_text unknown "^the dump has no stream 'nothing'; :streams lists them"

case_of 'many records are folded, one of them is open' 80x24 "$amd64" <<\KEYS
:maps
:save-screen folded
j
Enter
:save-screen open
Space
:save-screen again
KEYS
expect_text folded '^> \+ mapping\[0\] '
expect_text open '^> - mapping\[1\] '
expect_text open '^    permissions  '
expect_text again '^> \+ mapping\[1\] '

case_of 'Enter goes from the directory to a stream and from a value to its bytes' 120x40 "$x86" <<\KEYS
:streams
z
/
type ThreadList
Enter
Enter
:save-screen stream
Enter
z
:save-screen bytes
C-o
:save-screen back
KEYS
expect_text stream 'dump\]-.*-ThreadList-$'
expect_text bytes '\[7 raw\]'
expect_text back 'ThreadList-'

# The notes NT_SIGINFO, NT_PRPSINFO and NT_AUXV have the contents of streams of minidumps.
case_of 'the notes of a core answer the same commands' 80x24 \
	"$srcdir/data/cores/list-amd64/core.gz --no-system-binaries" <<\KEYS
:exception
:save-screen exception
:maps
:save-screen maps
:memory-map
:save-screen memory-map
:cmdline
:save-screen cmdline
:misc
:save-screen misc
:auxv
:save-screen auxv
:environ
:save-screen environ
KEYS
expect_text exception 'dump\]-.*NT_SIGINFO-'
expect_text maps 'dump\]-.*NT_FILE-'
expect_text memory-map 'dump\]-.*program headers-'
expect_text cmdline 'dump\]-.*arguments-'
expect_text cmdline '^> argument.0. +"\./list"'
expect_text misc 'dump\]-.*NT_PRPSINFO-'
expect_text auxv 'dump\]-.*NT_AUXV-'
expect_text environ 'no environment was found: neither as LinuxEnviron nor, in a core, above its'

for size in 80x24 120x40; do
	case_of "each kind has its command, $size" "$size" "$amd64" <<\KEYS
:exception
:save-screen exception
:maps
:save-screen maps
:cpuinfo
:save-screen cpuinfo
:memory-map
:save-screen memory-map
:auxv
:save-screen auxv
:summary
:save-screen summary
:handles
:save-screen handles
:unloaded
:save-screen unloaded
:annotations
:save-screen annotations
KEYS
	expect_text exception 'Exception-'
	expect_text exception 'exception_code'
	expect_text maps 'LinuxMaps-'
	expect_text memory-map 'LinuxMaps-'
	expect_text cpuinfo 'LinuxCpuInfo-'
	expect_text auxv 'LinuxAuxv-'
	expect_text summary '\[! summary\]-'
	expect_text summary ' found '
	expect_text handles 'the dump has no handles'
	expect_text unloaded 'the dump has no list of unloaded modules'
	expect_text annotations 'the dump has no annotations of Crashpad'
done

case_of 'names of streams complete' 80x24 "$amd64" <<\KEYS
:
type stream LinuxM
Tab
Enter
:save-screen got
KEYS
expect_text got 'LinuxMaps-'

case_of 'help finds a field' 80x24 "$amd64" <<\KEYS
:help streams
:save-screen got
KEYS
expect_text got '\[help\]'
expect_text got "^>.*streams"

case_of ':set redact on hides private fields' 80x24 "$amd64" --redact <<\KEYS
6
:save-screen memory
:environ
:save-screen environ
KEYS
expect_text memory '\(redacted\)|redacted'
refuse_text environ 'PATH='

# A copy of the bundled core: kill sent the signal (SI_USER) while the thread was at an instruction
# that reads no memory.
if lacks capstone; then
	skip 7 'capstone was left out'
elif gzip -dc "$srcdir/data/cores/list-amd64/core.gz" >"$scratch/sent" 2>/dev/null; then
	printf '\126' | dd of="$scratch/sent" bs=1 seek=$((0x304)) conv=notrunc 2>/dev/null
	printf '\000\000\000\000\000\000\000\000\064\022\000\000' |
		dd of="$scratch/sent" bs=1 seek=$((0x41c)) conv=notrunc 2>/dev/null
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
