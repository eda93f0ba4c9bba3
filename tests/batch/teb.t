#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The thread data of Windows: a dump that is written here, with a TEB, a PEB and parameters, and a chain of
# three handlers.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
command -v python3 >/dev/null 2>&1 || skip_all 'there is no python3'

# dump FILE [without-teb]: the offsets are those of the structures' documentation.
dump() {
	python3 - "$@" <<'END'
import struct
import sys

TEB, PEB, PARAMETERS, STRINGS, STACK, IMAGE = 0x7ffde000, 0x7ffd3000, 0x20000, 0x21000, 0x12f000, 0x400000


def at(size, **words):
    block = bytearray(size)
    for place, value in words.items():
        struct.pack_into("<I", block, int(place[1:], 16), value)
    return block


def string(block, place, offset, text):
    data = text.encode("utf-16le")
    struct.pack_into("<HHI", block, place, len(data), len(data), STRINGS + offset)
    strings[offset:offset + len(data)] = data


strings = bytearray(0x200)
parameters = at(0x100)
string(parameters, 0x38, 0, "C:\\Users\\zoraya\\app.exe")
string(parameters, 0x40, 0x80, "app --token=hunter2")
string(parameters, 0x24, 0x100, "C:\\home\\")
stack = at(0x1000, _110=STACK + 0x180, _114=IMAGE + 0x1100, _118=IMAGE + 0x2000, _11c=1,
           _180=STACK + 0x200, _184=0x41414141, _200=0xffffffff, _204=IMAGE + 0x1400)
image = at(0x4000, _2000=0xffffffff, _2004=IMAGE + 0x1200, _2008=IMAGE + 0x1210,
           _200c=0, _2010=0, _2014=IMAGE + 0x1300)
memory = [(STACK, stack), (IMAGE, image), (PEB, at(0x400, _0=0x10000, _8=IMAGE, _10=PARAMETERS)),
          (PARAMETERS, parameters), (STRINGS, strings)]
if len(sys.argv) == 2:
    memory.append((TEB, at(0x1000, _0=STACK + 0x110, _4=STACK + 0x1000, _8=STACK, _18=TEB, _30=PEB,
                           _34=5, _bf4=0xc0000005, _e1c=0x77)))

# header, directory, then all streams in order
context = bytearray(716)
struct.pack_into("<I", context, 0, 0x1001f)
struct.pack_into("<II", context, 184, IMAGE + 0x1000, 0)
struct.pack_into("<I", context, 196, STACK + 0x100)
body, streams = bytearray(32 + 12 * 4), []


def add(data):
    body.extend(data)
    return len(body) - len(data)


places = {base: add(data) for base, data in memory}
context_at = add(context)
name_at = add(struct.pack("<I", 20) + "C:\\app.exe".encode("utf-16le") + b"\0\0")
system = struct.pack("<HHHBBIIIIIHH24x", 0, 6, 0, 1, 1, 6, 1, 7601, 2, 0, 0, 0)
thread = struct.pack("<IIIIIQQIIII", 1, 7, 0, 0, 0, TEB, STACK, len(stack), places[STACK],
                     len(context), context_at)
module = struct.pack("<IQIIII", 1, IMAGE, 0x4000, 0, 0, name_at) + bytes(108 - 24)
regions = struct.pack("<I", len(memory)) + b"".join(
    struct.pack("<QII", base, len(data), places[base]) for base, data in memory)
for kind, data in (7, system), (3, thread), (4, module), (5, regions):
    streams.append(struct.pack("<III", kind, len(data), add(data)))
struct.pack_into("<IIII", body, 0, 0x504d444d, 0xa793, 4, 32)
body[32:32 + 48] = b"".join(streams)
open(sys.argv[1], "wb").write(body)
END
}

dump "$scratch/crash.dmp"
is 'the view has blocks, fields with their places, and handlers with their scopes' \
	"$("$UNSPOOL" teb "$scratch/crash.dmp" 2>&1 | sed 's/  *crash.dmp+0x[0-9a-f]*$//')" "$(cat <<\END
 thread         TEB at 7ffde000
 stack base     00130000
 stack limit    0012f000
 reserved from  00000000
 process ID     0
 thread ID      0
 last error     0x5 ERROR_ACCESS_DENIED
 last status    0xc0000005 STATUS_ACCESS_VIOLATION
 locks          0
 TLS            00000000
 TLS slot       3: 00000077
 handlers       0012f110, frame 0 or above: app.exe + 0x1100 = 00401100
                  __finally app.exe + 0x1300
                  __except app.exe + 0x1210, filter app.exe + 0x1200
                0012f180, frame 0 or above: 41414141 ! the handler is in no module
                0012f200, frame 0 or above: app.exe + 0x1400 = 00401400
                the chain is complete: the last registration points to no other
 process        PEB at 7ffd3000
 debugged       yes
 image base     00400000
 loader data    00000000
 heap           00000000
 global flags   0
 processors     0
 session        0
 started        parameters at 00020000
 program        C:\Users\zoraya\app.exe
 command line   app --token=hunter2
 directory      C:\home\
END
)"
# A text that takes several rows, indented from the second row on, with its place after the last row.
printf ':view teb\nz\n:save-screen! %s/rows\n' "$scratch" >"$scratch/script"
"$UNSPOOL" --script "$scratch/script" --size 44x24 --ascii --no-state "$scratch/crash.dmp" >/dev/null 2>&1
is 'a long line of a narrow view is wrapped' \
	"$(sed -n '/0012f110/,/__finally/p' "$scratch/rows" | sed 's/ *$//')" "$(cat <<\END
  handlers       0012f110, frame 0 or above:
                   app.exe + 0x1100 =
                   00401100
                   __finally app.exe +
END
)"
"$UNSPOOL" teb --redact "$scratch/crash.dmp" >"$scratch/redacted" 2>&1
none 'a shared dump has neither the command line nor the name of a user' "$(grep -e hunter2 -e 'TLS slot' -e zoraya "$scratch/redacted")"
t 'a shared dump says that it has a command line' grep -q 'command line *(redacted)' "$scratch/redacted"
is 'JSON has the chain of handlers' "$("$UNSPOOL" teb --json "$scratch/crash.dmp" 2>/dev/null | python3 -c '
import json, sys
document = json.load(sys.stdin)
print(document["chain"], document["chain_searched"],
      [(each["address"], each["frame"], each["kind"], each["doubt"], len(each["scopes"]))
       for each in document["handlers"]])')" \
	"whole False [('0x0012f110', None, 'scopes', None, 2), ('0x0012f180', None, 'handler', 'the handler is in no module', 0), ('0x0012f200', None, 'handler', None, 0)]"
dump "$scratch/short.dmp" without-teb
"$UNSPOOL" teb "$scratch/short.dmp" >"$scratch/short" 2>&1
t 'a block that is not in the dump is named' \
	grep -q 'TEB at 7ffde000: the dump does not have its memory' "$scratch/short"
t 'a chain found by a search is called a guess' grep -q 'a guess' "$scratch/short"
is "the chain has the handlers of a module's code" "$(grep -c '004011\|004014' "$scratch/short")" 1
"$UNSPOOL" teb "$srcdir/data/crashes/inlines-amd64/crash.dmp" >"$scratch/out" 2>&1
is 'a crash of another system has no blocks of threads' "$? $(cat "$scratch/out")" \
	'3 unspool: only threads of Windows have such a block (TEB)'

# The SEH chain that Windows XP left; no list of the dump has it.
xp=${UNSPOOL_CORPUS:-/nonexistent}/breakpad
if [ -f "$xp/minidump2.dmp" ]; then
	is 'the blocks of the program that wrote the dump follow the frames' \
		"$("$UNSPOOL" teb "$xp/minidump2.dmp" "$xp/symbols" 2>/dev/null |
			grep -c 'below the frames')" 4
	is 'handlers of a real crash have their symbols' \
		"$("$UNSPOOL" teb "$xp/minidump2.dmp" "$xp/symbols" 2>/dev/null |
			grep -o "frame [0-9]*\( or above\)*: [^ ]*\|the chain is complete")" "$(cat <<\END
frame 2: test_app.exe!_except_handler4
frame 3 or above: kernel32.dll!_except_handler3
the chain is complete
END
)"
else
	skip 2 'UNSPOOL_CORPUS names no corpus'
fi
done_testing
