#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A PDB as a source of names, lines, inlined calls and unwind records: data/crashes/pdb-x86. The true stack follows from
# the source and from the words of the stack.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/pdb-x86
dump=$crash/crash.dmp
pdb=$crash/binaries/kiosk.pdb

frames() {
	"$UNSPOOL" walk -m "$@" 2>"$scratch/messages" | $AWK -F '|' '$1 == "0" && NF == 7 { print $4, $6 }'
}
true_stack='kiosk::roll::worth 19
kiosk::roll::total(int) const 30
kiosk::evening(class kiosk::roll const &, int, int) 41
kiosk::half_price 48
kiosk::close_day(struct kiosk::ticket const *, int) 59
start 71
 '
is 'a PDB given as symbols names and unwinds all frames' "$(frames "$dump" "$pdb" | sed 's/struct //g')" \
	"$(echo "$true_stack" | sed 's/struct //g')"
is 'a PDB given as symbols causes no message' "$(cat "$scratch/messages")" ''
is 'a directory of binaries with the PDB names and unwinds all frames' "$(frames --binaries "$crash/binaries" "$dump" | sed 's/struct //g')" \
	"$(echo "$true_stack" | sed 's/struct //g')"
gzip -c "$pdb" >"$scratch/kiosk.pdb.gz"
is 'a compressed PDB is read' "$(frames "$dump" "$scratch/kiosk.pdb.gz" | sed -n 6p)" 'start 71'
mkdir -p "$scratch/store/kiosk.pdb/5927407275412C1C4C4C44205044422E1" "$scratch/beside"
cp "$pdb" "$scratch/store/kiosk.pdb/5927407275412C1C4C4C44205044422E1/"
is 'a PDB in the layout of symbol servers is read' "$(frames --binaries "$scratch/store" "$dump" | sed -n 6p)" 'start 71'
mkdir "$scratch/capitals"
cp "$pdb" "$scratch/capitals/KIOSK.PDB"
is 'a PDB with its name in upper case is read' "$(frames --binaries "$scratch/capitals" "$dump" | sed -n 6p)" 'start 71'
cp "$pdb" "$crash/binaries/kiosk.exe" "$scratch/beside"
is 'a PDB in the directory of the given program is used' "$(frames "$dump" "$scratch/beside/kiosk.exe" | sed -n 6p)" 'start 71'

# Every register has its record and the place of the record in the PDB.
"$UNSPOOL" explain --frame 1 "$dump" "$pdb" >"$scratch/step"
t 'the step is by the record of the PDB, with its place' \
	grep -qE '^ record type 4, covers 0x1004 to 0x103e, 59 \(0x3b\) bytes   kiosk.pdb\+0x' "$scratch/step"
offset=$(sed -n 's/^ record type 4.*kiosk.pdb+0x//p' "$scratch/step")
is 'the bytes of the record are at that place' "$(od -An -tx4 -j $((0x$offset)) -N 8 "$pdb" | tr -d ' \n')" 000010040000003b
program=$(sed -n 's/^ rule program: .*kiosk.pdb+0x//p' "$scratch/step")
is 'the program is in the string table' "$(tail -c +$((0x$program + 1)) "$pdb" | head -c 13)" '$T0 .raSearch'
t 'the tokens of the program find the registers of the caller' grep -qE '^ = ebx   7ffd4000 ' "$scratch/step"

"$UNSPOOL" cfi --at kiosk.exe+1050 "$dump" "$pdb" >"$scratch/cfi" 2>&1
t 'cfi has the records as a table' grep -q FrameData "$scratch/cfi"
"$UNSPOOL" lookup "$dump" "$pdb" kiosk.exe+1070 >"$scratch/lookup" 2>&1
t 'lookup names the inlined call' grep -q 'kiosk::half_price' "$scratch/lookup"

# A stripped PDB (/PDBSTRIPPED) has modules without streams: public symbols and unwind records remain.
if command -v python3 >/dev/null; then
	python3 - "$pdb" "$scratch/stripped.pdb" "$scratch/damaged.pdb" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size, _, _, length, _, where = struct.unpack_from("<6I", data, 32)
blocks = struct.unpack_from(f"<{-(-length // size)}I", data, where * size)
directory = b"".join(data[block * size:(block + 1) * size] for block in blocks)
count = struct.unpack_from("<I", directory)[0]
sizes = [0 if n == 0xffffffff else n for n in struct.unpack_from(f"<{count}I", directory, 4)]
first = 4 + 4 * count + 4 * sum(-(-n // size) for n in sizes[:3])
dbi = struct.unpack_from("<I", directory, first)[0] * size       # the stream has one block
first = 4 + 4 * count + 4 * sum(-(-n // size) for n in sizes[:12])
module = struct.unpack_from("<I", directory, first)[0] * size    # of the object file
damaged = bytearray(data)
struct.pack_into("<H", damaged, module + 4, 0)                   # the length of its first record
open(sys.argv[3], "wb").write(damaged)
at = dbi + 64
while at < dbi + 64 + struct.unpack_from("<I", data, dbi + 24)[0]:
    struct.pack_into("<HIII", data, at + 34, 0xffff, 0, 0, 0)
    end = data.index(0, data.index(0, at + 64) + 1) + 1
    at = dbi + (end - dbi + 3 & ~3)
struct.pack_into("<H", data, dbi + 56, 2)
open(sys.argv[2], "wb").write(data)
END
	is 'a stripped PDB names functions, and unwinds' "$(frames "$dump" "$scratch/stripped.pdb" | sed 's/ *$//; s/struct //g')" \
		'kiosk::roll::total(int) const
kiosk::evening(class kiosk::roll const &, int, int)
kiosk::close_day(kiosk::ticket const *, int)
start'
	"$UNSPOOL" symbols --module kiosk.exe "$dump" "$scratch/stripped.pdb" >"$scratch/symbols" 2>&1
	t 'symbols lists the records of a PDB' grep -q '4 public symbols of a stripped PDB: names without lines' "$scratch/symbols"
	frames "$dump" "$scratch/damaged.pdb" >/dev/null
	grep -q 'damaged.pdb+0x[0-9a-f]*: .*records cannot be read from here on' "$scratch/messages"
	is 'a message with a place reports a damaged module' $? 0
else
	skip 3 'no python3'
fi

# As other walkers, which do not read PDBs.
is "a PDB is not read under the policy of Breakpad" "$(frames --compat breakpad "$dump" "$pdb" | head -1)" ' '

sed 's/\x72\x40\x27\x59\x41\x75/\x73\x40\x27\x59\x41\x75/' "$pdb" >"$scratch/kiosk.pdb"
frames "$dump" "$scratch/kiosk.pdb" | head -1 >"$scratch/other"
is 'a PDB of another build is refused' "$(cat "$scratch/other")" ' '
t 'the refusal has both identifiers' grep -q "is another build of 'kiosk.exe', expected id 5927407275412C1C4C4C44205044422E1, found 5927407375412C1C4C4C44205044422E1" "$scratch/messages"
# The age is that of the DBI stream; the info stream counts how often the file was written.
aged() { cp "$pdb" "$scratch/kiosk.pdb"; printf "$2" | dd of="$scratch/kiosk.pdb" bs=1 seek="$1" conv=notrunc 2>/dev/null; }
mkdir -p "$scratch/aged/kiosk.pdb/5927407275412C1C4C4C44205044422E1"
aged 69640 '\007'
is 'a PDB that was written again is used' "$(frames "$dump" "$scratch/kiosk.pdb" | sed -n 6p)" 'start 71'
is 'a PDB that was written again causes no message' "$(cat "$scratch/messages")" ''
for age in 0 2; do
	aged 53256 "\\00$age"
	is "a PDB of age $age is of another link" "$(frames "$dump" "$scratch/kiosk.pdb" | head -1)" ' '
	t 'the refusal has both ages' grep -q "expected id 5927407275412C1C4C4C44205044422E1, found 5927407275412C1C4C4C44205044422E$age" "$scratch/messages"
	cp "$scratch/kiosk.pdb" "$scratch/aged/kiosk.pdb/5927407275412C1C4C4C44205044422E1/"
	"$UNSPOOL" symbols --binaries "$scratch/aged" --module kiosk.exe "$dump" >"$scratch/symbols" 2>/dev/null
	t 'symbols has both ages' grep -q "the PDB has the same GUID but age $age; the image has age 1" "$scratch/symbols"
done
# Without a CodeView record the program is identified by time and size, and names its own PDB.
if command -v python3 >/dev/null; then
	python3 - "$dump" "$scratch/nocv.dmp" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
streams, directory = struct.unpack_from("<II", data, 8)
for i in range(streams):
    kind, size, at = struct.unpack_from("<III", data, directory + 12 * i)
    for module in range(struct.unpack_from("<I", data, at)[0] if kind == 4 else 0):
        struct.pack_into("<II", data, at + 4 + 108 * module + 76, 0, 0)
open(sys.argv[2], "wb").write(data)
END
	is 'a dump without CodeView records has its PDB through the program' \
		"$(frames --binaries "$crash/binaries" "$scratch/nocv.dmp" | sed -n 6p)" 'start 71'
	"$UNSPOOL" symbols --binaries "$crash/binaries" --module kiosk.exe "$scratch/nocv.dmp" >"$scratch/symbols" 2>/dev/null
	t 'symbols says that the program was found by its time stamp' grep -q 'the dump has no CodeView record: the program, found by time stamp' "$scratch/symbols"
else
	skip 2 'no python3'
fi
printf '\317\372\355\376aaaaaaaaaaaaaaaa' >"$scratch/mach"
frames "$dump" "$scratch/mach" >/dev/null
t 'a damaged Mach-O file is refused in one line' grep -q "the load commands of the Mach-O file are missing or damaged" "$scratch/messages"

# The symbol file gives the same answers at every address.
is 'the PDB and the symbol file made of it agree' "$("$UNSPOOL" unwind-check "$crash/binaries/kiosk.exe" "$crash/symbols" | head -1)" \
	'kiosk.exe: 0 differences and 0 notes in 0 findings; 14 rows compared over 234 bytes of code'
is 'the symbol file is what dump-syms makes of the PDB' \
	"$("$UNSPOOL" dump-syms "$pdb" | cmp - "$crash"/symbols/kiosk.pdb/*/kiosk.sym 2>&1)" ''
done_testing
