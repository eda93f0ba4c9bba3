#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Symbol stores of Windows, as directories and on servers with every fault: PDBs by GUID and age, programs by
# time stamp and size, cabinets, file.ptr and two tiers, given by options or by _NT_SYMBOL_PATH.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/pdb-x86
served=$scratch/served
pdb=kiosk.pdb/5927407275412C1C4C4C44205044422E1
exe=kiosk.exe/6736E9C65000
mkdir -p "$served/plain/$pdb" "$served/plain/$exe"
cp "$crash/binaries/kiosk.pdb" "$served/plain/$pdb"
cp "$crash/binaries/kiosk.exe" "$served/plain/$exe"
. "$(dirname "$0")/../lib/symbol-server.sh"
cabinet=$builddir/tests/lib/make-cabinet
no_cabinets=
{ [ ! -x "$cabinet" ] || lacks libmspack; } && no_cabinets=yes

# store NAME: a store that is a copy of the plain one.
store() { cp -r "$served/plain" "$served/$1"; }
# walk [OPTION...]
walk() { "$UNSPOOL" walk -m --symbols-cache "$kept" --symbols-timeout 1 --symbols-limit 1 "$@" "$dump" 2>"$scratch/err"; }
walk --binaries "$crash/binaries" >"$scratch/whole"
walk >"$scratch/bare"
is 'a walk without its files has no names' "$(grep -c kiosk:: "$scratch/bare")" 0
names=$(grep -c kiosk:: "$scratch/whole")
same() { walk "$@" | cmp -s - "$scratch/whole"; }

# Directories --------------------------------------------------------------------------------------

t 'a store is a directory of binaries' same --binaries "$served/plain"
"$UNSPOOL" walk -m "$dump" "$served/plain" >"$scratch/got" 2>/dev/null
t 'a store is a directory of symbols' cmp "$scratch/got" "$scratch/whole"
_NT_SYMBOL_PATH=$served/plain walk >"$scratch/got"
t 'a store is in the symbol path of Windows' cmp "$scratch/got" "$scratch/whole"
_NT_SYMBOL_PATH="srv*C:\\symbols*$served/plain" walk >"$scratch/got"
t 'a store in the symbol path is read as a store' cmp "$scratch/got" "$scratch/whole"
is 'a path of Windows is reported once' "$(grep -cF "no code from 'C:\\symbols': a Windows path: it does not exist on this system" "$scratch/err")" 1
t 'an option reads a path of Windows' same --binaries "srv*$served/plain"
_NT_SYMBOL_PATH=$served/plain walk --compat breakpad >"$scratch/got"
is 'Breakpad does not read the symbol path of Windows' "$(grep -c kiosk:: "$scratch/got")" 0

mkdir -p "$served/case/KIOSK.PDB" "$served/case/Kiosk.exe"
cp -r "$served/plain/$pdb" "$served/case/KIOSK.PDB/$(basename "$pdb" | tr A-F a-f)"
cp -r "$served/plain/$exe" "$served/case/Kiosk.exe/$(basename "$exe" | tr A-F a-f)"
t 'names and ids are found in any case' same --binaries "$served/case"
mkdir -p "$served/tiers/ki"
: >"$served/tiers/index2.txt"
cp -r "$served/plain/"* "$served/tiers/ki"
t 'a store of two tiers is read' same --binaries "$served/tiers"
store gzip
gzip "$served/gzip/$pdb/kiosk.pdb" "$served/gzip/$exe/kiosk.exe"
t 'files may be compressed' same --binaries "$served/gzip"
if [ -n "$no_cabinets" ]; then
	skip 2 'libmspack was left out'
else
	mkdir -p "$served/packed/$pdb" "$served/packed/$exe"
	"$cabinet" mszip "$served/packed/$pdb/kiosk.pd_" KIOSK.PDB "$crash/binaries/kiosk.pdb"
	"$cabinet" lzx "$served/packed/$exe/kiosk.ex_" ../../kiosk.exe "$crash/binaries/kiosk.exe"
	t 'cabinets are decompressed' same --binaries "$served/packed"
	is 'no file is written to the store' "$(find "$served" -newer "$served/packed/$exe/kiosk.ex_" -type f)" ''
fi

mkdir -p "$served/pointer/$pdb" "$served/pointer/$exe"
printf 'PATH:%s\n' "$crash/binaries/kiosk.exe" >"$served/pointer/$exe/file.ptr"
printf 'PATH: %s\r\n' "$crash/binaries/kiosk.pdb" >"$served/pointer/$pdb/file.ptr"
same --binaries "$served/pointer"
is 'a file.ptr is not followed' $? 1
"$UNSPOOL" symbols --binaries "$served/pointer" --module kiosk.exe "$dump" >"$scratch/got" 2>&1
t 'symbols names the target of the pointer and the option to follow it' \
	grep -q "its file.ptr leads to '.*kiosk.pdb'; --follow-pointers would follow it" "$scratch/got"
t 'the pointer to a file is followed with the option' same --follow-pointers --binaries "$served/pointer"
printf 'PATH:\\\\server\\share\\kiosk.pdb' >"$served/pointer/$pdb/file.ptr"
printf 'MSG: Deleted \033[2J' >"$served/pointer/$exe/file.ptr"
"$UNSPOOL" symbols --follow-pointers --binaries "$served/pointer" --module kiosk.exe "$dump" >"$scratch/got" 2>&1
t 'a pointer with a path of Windows leads nowhere' grep -qF "leads to '\\\\server\\share\\kiosk.pdb', a path of Windows" "$scratch/got"
t 'the message of a pointer is shown without control characters' grep -qF 'its file.ptr says: Deleted \x1b[2J' "$scratch/got"

# Servers ------------------------------------------------------------------------------------------

is 'no server is asked' "$(cat "$scratch/log")" ''
# arrives TITLE PLACE: both files arrive, and are where other tools expect them.
arrives() {
	rm -rf "$kept"
	t "$1" same --symbols-url "$base/$2"
	t "$1: the PDB is kept unchanged" cmp "$kept/$pdb/kiosk.pdb" "$crash/binaries/kiosk.pdb"
	t "$1: the program is kept unchanged" cmp "$kept/$exe/kiosk.exe" "$crash/binaries/kiosk.exe"
}
arrives 'a symbol server sends the program and the PDB' good/plain
is 'the server gets the expected requests' "$(sed '/sym/d; /kernel32/d; s,^GET /good/plain/,,' "$scratch/log")" "index2.txt -
$exe/kiosk.exe -
$pdb/kiosk.pdb -"
: >"$scratch/log"
t 'a kept file is not fetched again' same --symbols-url "$base/good/plain"
is 'no request is made for a kept file' "$(grep -c 'kiosk.[pe][dx][be] ' "$scratch/log")" 0
t 'a kept file is used without the server' same --offline --symbols-url "$base/good/plain"
t 'a kept file is used from a store' same --binaries "srv*$kept"
arrives 'a server of Windows ignores the case' caseless/case
arrives 'a server with a store of two tiers is recognised' good/tiers
arrives 'a body compressed with gzip is decompressed' gzip/plain
arrives 'a redirection is followed' redirect/plain
arrives 'a redirection to another host is followed' away/plain
arrives 'a body without a length is fetched' http10/plain
arrives 'an interrupted download is continued' resumed/plain
arrives 'a server may answer 403 for a missing file' soft_403/plain
if [ -n "$no_cabinets" ]; then
	skip 9 'libmspack was left out'
else
	arrives 'a cabinet is decompressed' good/packed
	arrives 'a cabinet is found on a server that answers 403 for missing files' soft_403/packed
	arrives 'a store that answers missing files with pages is recognised' good/packed
fi

rm -rf "$kept"
: >"$scratch/log"
_NT_SYMBOL_PATH="cache*;srv*$kept*$base/404/x*$base/good/plain;srv*D:\\other" walk >"$scratch/got"
t 'the symbol path of the environment names servers' cmp "$scratch/got" "$scratch/whole"
t 'the stores of the symbol path keep downloads' cmp "$kept/$pdb/kiosk.pdb" "$crash/binaries/kiosk.pdb"
(XDG_CACHE_HOME=$scratch/home _NT_SYMBOL_PATH="srv*$base/good/plain" "$UNSPOOL" walk --no-cache "$dump" >/dev/null 2>&1)
t 'downloads are in the usual cache if the path has no store' cmp "$scratch/home/unspool/symbols/$pdb/kiosk.pdb" "$crash/binaries/kiosk.pdb"
none 'servers of the symbol path are not asked for symbol files' "$(grep '\.sym' "$scratch/log")"
rm -rf "$kept"
: >"$scratch/log"
_NT_SYMBOL_PATH="srv*$kept*$base/good/plain" walk --binaries "srv*$scratch/own*$base/404/plain" >"$scratch/got"
none 'an option replaces the symbol path of the environment' "$(grep good "$scratch/log")"
_NT_SYMBOL_PATH="srv*$kept*$base/good/plain" walk --offline >/dev/null
none 'with --offline no server is asked' "$(grep good "$scratch/log")"
none 'with --offline no directory is made' "$(files)"
: >"$scratch/log"
_NT_SYMBOL_PATH="srv*$kept*$base/good/plain" "$UNSPOOL" walk "$srcdir/data/crashes/frame-data-x86/crash.dmp" \
	"$srcdir/data/crashes/frame-data-x86/symbols" >/dev/null 2>&1
none 'no server is asked for a module with symbols' "$(grep ledger "$scratch/log")"

# A fault is reported for both files, nothing is kept, and the walk equals the one without them.
fault() {
	rm -rf "$kept"
	: >"$scratch/log"
	walk --symbols-url "$base/$1" >"$scratch/got"
	t "$1: the walk goes on" cmp "$scratch/got" "$scratch/bare"
	t "$1: '$2' is reported" grep -qF -e "$2" "$scratch/err"
	none "$1: nothing is kept" "$(files)"
}
fault 500/plain 'the server answered with status 500'
fault truncated/plain 'before the end of the file'
fault http10_cut/plain 'the download is'
fault chunked_cut/plain 'no PDB of'
fault endless/plain 'the file exceeds 1 MB'
fault drip/plain 'too few bytes arrived in 1 s'
fault page/plain 'the download is not a PDB, but a web page'
fault typed/plain 'the download is not a PE file, but JSON'
fault soft_404/nowhere 'the download is not a PE file, but a web page'
fault empty/plain 'the download is empty'
fault utf16_page/plain 'no PDB of'
fault loop/plain 'more than 5 redirections'
fault file/plain 'it redirects to a URL that is not http or https'
fault ftp/plain 'it redirects to a URL that is not http or https'
fault wrong_content/plain 'but a web page'
store other
sed 's/\x72\x40\x27\x59\x41\x75/\x73\x40\x27\x59\x41\x75/' "$crash/binaries/kiosk.pdb" >"$served/other/$pdb/kiosk.pdb"
cp "$crash/binaries/kiosk.pdb" "$served/other/$exe/kiosk.exe"
fault good/other 'the download is for another build, with the ID 5927407375412C1C4C4C44205044422E1'
t 'a PDB in place of a program is refused' grep -qF 'the download is not a PE file' "$scratch/err"
cp "$crash/binaries/kiosk.exe" "$served/other/$exe/kiosk.exe"
printf '\001' | dd of="$served/other/$exe/kiosk.exe" bs=1 seek=$((0x80)) conv=notrunc 2>/dev/null
fault good/other "the download is for another build, with the ID "
t 'a program of another time is refused' grep -q "no program of 'kiosk.exe' from .* is for another build" "$scratch/err"
store cut
head -c 40000 "$crash/binaries/kiosk.pdb" >"$served/cut/$pdb/kiosk.pdb"
head -c 2000 "$crash/binaries/kiosk.exe" >"$served/cut/$exe/kiosk.exe"
fault good/cut 'the download is'
t 'a truncated program is refused' grep -q "no program of 'kiosk.exe' .*: the download is truncated" "$scratch/err"
t 'a truncated PDB is refused' grep -q "no PDB of 'kiosk.exe' .*: the download is" "$scratch/err"
fault good/pointer "its file.ptr leads to '\\\\server\\share\\kiosk.pdb'"
printf 'PATH:%s\n' "$crash/binaries/kiosk.exe" >"$served/pointer/$exe/file.ptr"
printf 'PATH:%s\n' "$crash/binaries/kiosk.pdb" >"$served/pointer/$pdb/file.ptr"
fault good/pointer '--follow-pointers would follow it'
rm -rf "$kept"
t 'the pointer is followed with the option' same --follow-pointers --symbols-url "$base/good/pointer"
printf 'PATH:/etc/passwd\n' >"$served/pointer/$pdb/file.ptr"
rm -rf "$kept"
walk --follow-pointers --symbols-url "$base/good/pointer" >/dev/null
t 'the pointer leads to no other file' grep -q 'the download is not a PDB' "$scratch/err"
none 'the file of the pointer is not kept' "$(find "$kept" -name '*.pdb' -type f)"
if [ -n "$no_cabinets" ]; then
	skip 9 'libmspack was left out'
else
	cp -r "$served/packed" "$served/bad"
	head -c 20000 /dev/zero >"$scratch/zeros"
	"$cabinet" mszip "$served/bad/$exe/kiosk.ex_" kiosk.exe "$scratch/zeros"
	head -c 3000 "$served/packed/$pdb/kiosk.pd_" >"$served/bad/$pdb/kiosk.pd_"
	fault good/bad 'the compressed download is damaged: the cabinet is truncated'
	t 'a cabinet of zeros in place of a program is refused' grep -q 'the download is not a PE file' "$scratch/err"
	dd if=/dev/zero bs=1048576 count=8 2>/dev/null >"$scratch/zeros"
	cat "$crash/binaries/kiosk.pdb" "$scratch/zeros" >"$scratch/bomb"
	"$cabinet" mszip "$served/bad/$pdb/kiosk.pd_" kiosk.pdb "$scratch/bomb"
	fault good/bad 'the decompressed file exceeds 1 MB'
	"$cabinet" stored "$served/bad/$pdb/kiosk.pd_" kiosk.pdb "$crash/binaries/kiosk.pdb" b "$0"
	fault good/bad 'the cabinet has 2 files'
fi

# Parts of a URL that may be secret are neither shown nor kept.
rm -rf "$kept"
url=$(echo "$base/good/other?key=hidden" | sed 's,//,//user:hidden@,')
walk --symbols-url "$url" >/dev/null
"$UNSPOOL" symbols --symbols-cache "$kept" --symbols-url "$url" --module kiosk.exe "$dump" >"$scratch/got" 2>&1
none 'the output has neither a password nor a key' "$(cat "$scratch/err" "$scratch/got" | grep hidden)"
rm -rf "$kept"
"$UNSPOOL" symbols --symbols-cache "$kept" --symbols-url "$base/good/plain" --module kiosk.exe "$dump" >"$scratch/got" 2>&1
t 'symbols says which server sent the PDB' grep -qF "$base/good/plain/$pdb/kiosk.pdb" "$scratch/got"
t 'symbols says that the PDB is used' grep -q "used   $pdb/kiosk.pdb" "$scratch/got"
is 'symbols lists the records of the PDB' "$names" 5
done_testing
