#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Where symbols are searched: every layout, every near miss, nothing outside of a store.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
dump=$crash/crash.dmp
id=7A1C35E09B2D4F6885C3D1E0F2A4B6C81
whole=$crash/symbols/ledger.pdb/$id/ledger.sym

# fresh: make an empty directory; store_at PATH [FILE]: put the symbols (or FILE) there.
store=$scratch/store
fresh() { rm -rf "$store" && mkdir "$store"; }
store_at() { mkdir -p "$store/$(dirname "$1")" && cp "${2:-$whole}" "$store/$1"; }
symbols() { "$UNSPOOL" symbols --module ledger.exe "$dump" "$@" 2>"$scratch/err"; }
used() { symbols --brief "${1:-$store}" | sed "s|.*   $store||"; }

# found TITLE PATH: the file at PATH is used if it is the only one.
found() {
	fresh
	store_at "$2" "${3:-$whole}"
	is "$1" "$(used)" "/$2"
}
found 'a file is found at NAME/ID/NAME.sym' ledger.pdb/$id/ledger.sym
found 'a file is found at NAME/ID/NAME.sym in another case' Ledger.PDB/"$(echo $id | tr A-F a-f)"/LEDGER.sym
found 'a file is found by the code id of the module' ledger.exe/4B2F1D008000/ledger.sym
found 'a file is found by the code id in another case' LEDGER.exe/4b2f1d008000/ledger.exe.sym
found "a file is found in Symbolicator's unified layout by code id" 4b/2f1d008000/breakpad
found "a file is found in Symbolicator's unified layout by debug id" 7a/1c35e09b2d4f6885c3d1e0f2a4b6c81/breakpad
found 'a flat file is found by its MODULE record' anything.txt
gzip -c "$whole" >"$scratch/gz"
found 'a compressed file next to its place is found' ledger.pdb/$id/ledger.sym.gz "$scratch/gz"
found 'a compressed file in its place is found' ledger.pdb/$id/ledger.sym "$scratch/gz"
found 'a compressed flat file is found' x.gz "$scratch/gz"
"$UNSPOOL" walk "$dump" "$crash/symbols" >"$scratch/want" 2>/dev/null
"$UNSPOOL" walk "$dump" "$store" >"$scratch/got" 2>/dev/null
t 'a walk with a compressed file equals one with the plain file' cmp "$scratch/got" "$scratch/want"
{ head -c 100 "$whole" | gzip -c; tail -c +101 "$whole" | gzip -c; } >"$scratch/members"
found 'a compressed file of several members is found' ledger.pdb/$id/ledger.sym.gz "$scratch/members"
for tool in xz zstd lz4; do
	if command -v $tool >/dev/null && ! lacks lib$tool; then
		$tool -qc "$whole" >"$scratch/packed"
		found "a file compressed with $tool is found" ledger.pdb/$id/ledger.sym."$(echo $tool | sed s/std/st/)" "$scratch/packed"
		found "a flat file compressed with $tool is found" any "$scratch/packed"
	else
		skip 2 "no $tool"
	fi
done
sed "1s/$id/$(echo $id | tr A-F a-f)/" "$whole" >"$scratch/small"
found 'a flat file is found by a MODULE record in lower case' flat.sym "$scratch/small"
is 'a directory given twice is searched once' "$(symbols --brief "$store" "$store" | sed 's|.*/||')" flat.sym
fresh
store_at first/ledger.pdb/$id/ledger.sym
store_at second/flat.sym
is 'directories are tried in the order in which they are given' "$(symbols --brief "$store/second" "$store/first" | sed 's/.*   //')" \
	"$store/second/flat.sym"
is 'minidump_stackwalk finds a file only in its own layout' \
	"$(symbols --brief --compat breakpad "$store/second")" 'ledger.exe   no symbols, but a similar file'
is 'places are listed in order, with the files found there' \
	"$(symbols "$store/first" | sed -n 's/^  looked at //p; s/^            //p' | tail -n +1 | head -2)" \
	"$store/first/ledger.pdb/$id/ledger.sym
  used   NAME/ID/NAME.sym"
is 'the records of the file are counted' \
	"$(symbols "$store/first" | sed -n '/^  has/,$p' | sed '/^  binary/,$d' | sed 's/^  has *//; s/^ *//')" \
	"$(printf '6 FUNC\n1 PUBLIC\n1 FILE (lines)\n5 STACK WIN')"

# Near misses ---------------------------------------------------------------------------------------

# near TITLE TEXT [SYMBOLS]: no symbols are found, and the report contains TEXT.
near() {
	symbols "${3:-$store}" >"$scratch/out"
	is "$1: is a finding" $? 1
	t "$1: is told" grep -qF -e "$2" "$scratch/out" || sed 's/^/# /' "$scratch/out"
}
# near_at TITLE TEXT PATH [FILE]: only this file is there.
near_at() {
	fresh
	store_at "$3" "${4:-$whole}"
	near "$1" "$2"
}
fresh
store_at ledger.pdb/$id/ledger.sym
is 'a file two levels too deep is used by its MODULE record' "$(used "$store/ledger.pdb/$id")" "/ledger.pdb/$id/ledger.sym"
fresh
{ printf '\377\376'; sed 's/$/\r/' "$whole" | sed 's/./&\x00/g'; } >"$scratch/utf16"
store_at ledger.sym "$scratch/utf16"
near 'a file in UTF-16 is reported' 'the file is UTF-16'
t 'the message about UTF-16 says how to convert the file' grep -q 'iconv -f UTF-16 -t UTF-8' "$scratch/out"
fresh
near "a directory without a file has a hint" "run 'unspool dump-syms' on the ledger.pdb that has this id"
is 'a run without any path has a message' "$(symbols | sed -n 's/^  looked at //p')" 'no symbol file: no symbol path was given'

# Its libc.so.6 has a name.
"$UNSPOOL" symbols "$srcdir/data/crashes/sframe-amd64/crash.dmp" "$store" >"$scratch/out"
t 'a module with a name and without an id has the reason why no file was searched' \
	grep -q '^  looked at no symbol file: the module has no debug id$' "$scratch/out"

# A file with a MODULE record alone has no PUBLIC either.
fresh
sed -n 1p "$whole" >"$scratch/alone"
store_at ledger.pdb/$id/ledger.sym "$scratch/alone"
symbols "$store" >"$scratch/out"
t 'a file without names is not called a file with PUBLIC records' \
	grep -q 'no FUNC records: names are those of PUBLIC records, if any, and there are no lines' "$scratch/out"

# A PDB alone has all records that dump_syms would write.
mkdir "$scratch/pdb" && cp "$srcdir/data/crashes/pdb-x86/binaries/kiosk.pdb" "$scratch/pdb"
"$UNSPOOL" symbols "$srcdir/data/crashes/pdb-x86/crash.dmp" --binaries "$scratch/pdb" >"$scratch/out"
t 'a PDB without its program is used' grep -q '^kiosk.exe.*kiosk.pdb: names, lines, unwind rules' "$scratch/out"
is 'a symbol file of the PDB is not suggested' "$(grep -c 'dump_syms on the kiosk.pdb' "$scratch/out")" 0

# Files with one defect, or files of another kind.
# foreign TITLE BYTES PATH TEXT HELP
foreign() {
	fresh
	# shellcheck disable=SC2059
	printf "$2" >"$scratch/foreign"
	store_at "$3" "$scratch/foreign"
	near "$1" "$4"
	t "$1: what would help" grep -q "$5" "$scratch/out"
}
msf='Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0'
foreign 'a PDB in the layout of a symbol server is reported' "$msf" ledger.pdb/$id/ledger.pdb \
	'the file is not a symbol file, but a PDB' "with '--binaries'"
foreign 'a PDB is found by an id in lower case' "$msf" ledger.pdb/"$(echo $id | tr A-F a-f)"/ledger.pdb \
	'the file is not a symbol file, but a PDB' "with '--binaries'"
foreign 'a cabinet' 'MSCF\0\0\0\0' ledger.pdb/$id/ledger.pd_ 'but a cabinet' 'unpack it'
foreign 'a PE file in the layout of a symbol server is reported' 'MZ\220\0' ledger.exe/4B2F1D008000/ledger.exe 'but a PE file' \
	"with '--binaries'"
foreign 'a file of an unsupported compressor is reported' 'BZh91AY&SY' ledger.pdb/$id/ledger.sym.bz2 'but compressed with bzip2' 'bunzip2'
foreign 'a pointer of Git LFS is reported' 'version https://git-lfs.github.com/spec/v1\n' ledger.sym 'Git LFS' 'git lfs pull'
foreign 'a web page in place of symbols is reported' '<!DOCTYPE html>\n' ledger.pdb/$id/ledger.txt 'but a web page' 'download it again'
foreign 'a PDB in place of symbols is reported' "$msf" ledger.pdb/$id/ledger.sym 'is not a symbol file, but a PDB' "with '--binaries'"
"$UNSPOOL" walk "$dump" "$store" >/dev/null 2>"$scratch/err"
is 'a PDB in place of symbols: a walk reports it once' "$(grep -c ledger.sym "$scratch/err")" 1
is 'a PDB in place of symbols: another directory may have the file' \
	"$(symbols --brief "$store" "$crash/symbols" | sed 's|.*   ||')" "$whole"
near_at 'UTF-16 in place of symbols is reported' 'iconv -f UTF-16 -t UTF-8' ledger.pdb/$id/ledger.sym "$scratch/utf16"
t 'UTF-16 in place of symbols: the file is refused' grep -q 'refused .*UTF-16 text' "$scratch/out"
# Places that minidump_stackwalk does not search.
fresh
store_at ledger.pdb/$id/ledger.sym.gz "$scratch/gz"
symbols --compat breakpad "$store" >"$scratch/out"
t 'minidump_stackwalk has a compressed file as a near miss' grep -qF 'the right file, but compressed with gzip' "$scratch/out"

# Files that cannot be read, or that would block the reader.
# passes TITLE PATH: the file at PATH is skipped, and the search ends.
passes() {
	timeout 900 "$UNSPOOL" symbols --module ledger.exe "$dump" "$store" >"$scratch/out" 2>&1
	is "$1: the search ends" $? 1
	timeout 900 "$UNSPOOL" walk "$dump" "$store" >"$scratch/got" 2>/dev/null
	is "$1: a walk ends" $? 0
}
for place in flat.sym ledger.pdb/$id/ledger.sym ledger.pdb/$id/ledger.sym.gz 7a/1c35e09b2d4f6885c3d1e0f2a4b6c81/breakpad; do
	fresh
	mkdir -p "$store/$(dirname $place)"
	mkfifo "$store/$place"
	passes "a pipe at $place is reported"
	rm "$store/$place"
	ln -s /dev/zero "$store/$place"
	passes "a device at $place is reported"
	rm "$store/$place"
	ln -s "$(basename $place)" "$store/$place"
	passes "a link to itself at $place is reported"
done
if [ "$(id -u)" != 0 ]; then
	fresh
	store_at ledger.pdb/$id/ledger.sym
	chmod 0 "$store/ledger.pdb/$id/ledger.sym"
	passes 'an unreadable file is reported'
	t 'an unreadable file: the message has the reason' grep -q 'Permission denied' "$scratch/out"
else
	skip 3 'root reads everything'
fi
fresh
i=0
while [ $i -lt 2000 ]; do
	printf 'MODULE windows x86 %033d m%d.pdb\nFUNC 1000 10 0 f\n' $i $i >"$store/$i.sym"
	i=$((i + 1))
done
store_at last.sym
is 'a file among two thousand is found' "$(used)" /last.sym
rm "$store/last.sym"
t 'a message names a missing file among two thousand' sh -c '"$1" symbols "$2" "$3" |
	grep -q "2000 files there with a MODULE record, none with the id"' - "$UNSPOOL" "$dump" "$store"

command -v python3 >/dev/null || { skip 5 'no python3'; done_testing; }

# Names and ids of a hostile dump ---------------------------------------------------------------------

# The name in the CodeView record and the name of the file are overwritten in place.
for name in '../../../x.pdb' '/etc/passwd' '..\..\..\..\.pdb' 'a\n/../../../x' '..'; do
	fresh
	python3 - "$dump" "$scratch/hostile.dmp" "$name" <<'END'
import sys
name = sys.argv[3].replace("\\n", "\n").encode()
old = b"c:\\ledger\\ledger.pdb"
data = open(sys.argv[1], "rb").read()
assert old in data
wide, other = "c:\\ledger\\ledger.exe".encode("utf-16-le"), name.decode().ljust(20, "x")
data = data.replace(old, name.ljust(len(old), b"\0")).replace(wide, other.encode("utf-16-le"))
open(sys.argv[2], "wb").write(data)
END
	"$UNSPOOL" symbols --json "$scratch/hostile.dmp" "$store" >"$scratch/json" 2>"$scratch/err"
	t "no file outside of a store is examined for a module named like '$name'" python3 -c '
import json, os, sys
modules = json.load(open(sys.argv[1]))["modules"]
assert modules
for place in [p for m in modules for p in m["places"] + m["near"]]:
    path = place["path"]
    assert os.path.normpath(path) == path and (path + "/").startswith(sys.argv[2] + "/"), path
' "$scratch/json" "$store"
done
printf 'MDMP' >"$scratch/bare.dmp"
"$UNSPOOL" symbols "$scratch/bare.dmp" >"$scratch/out" 2>"$scratch/err"
t 'a dump without modules is reported' grep -q 'the dump lists no modules' "$scratch/err"

done_testing
