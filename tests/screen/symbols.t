#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Servers that are named in the explorer, for a dump without symbols. tests/scenes/symbol-paths has directories.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

bundle=data/crashes/frame-data-x86
mkdir "$scratch/empty"

pdb=kiosk.pdb/5927407275412C1C4C4C44205044422E1
exe=kiosk.exe/6736E9C65000
windows=data/crashes/pdb-x86
cp -R "$srcdir/$bundle/symbols" "$scratch/served"
mkdir -p "$scratch/served/plain/$pdb" "$scratch/served/plain/$exe"
cp "$srcdir/$windows/binaries/kiosk.pdb" "$scratch/served/plain/$pdb"
cp "$srcdir/$windows/binaries/kiosk.exe" "$scratch/served/plain/$exe"
served=$scratch/served
. "$srcdir/tests/lib/symbol-server.sh"

screen_played 'a server is added' 80x24 --ascii --symbols-cache "$scratch/kept" --symbols-timeout 1 $bundle/crash.dmp <<KEYS
:symbols ../empty|^none of 3 modules has symbols in ../empty: see the modules view$
:symbols $base/404|^none of 3 modules has symbols at http:
|/404: see the
:symbols $base/good|^1 module found symbols at $base/good; 4 frames chang
1| win  00401048 add_up 
8 ; g ; Enter ; :search fetched|^>                fetched   from a symbol server, and kept$
KEYS
t 'files of the server are kept in the cache of the command line' test -f "$scratch/kept/ledger.pdb/$id/ledger.sym"
screen_case 'a server is asked for a few of many modules' 80x24 --ascii \
	--symbols-cache "$scratch/few" data/crashes/inlines-amd64/crash.dmp <<KEYS
:symbols $base/404
KEYS
t 'a server is asked for the modules of the stacks' grep -q inline_o2_dw4 "$scratch/log"
none 'a server is not asked for other modules' "$(grep libm "$scratch/log")"

# The explorer asks the server again, in spite of its answers in this run.
screen_played 'a server is asked again' 80x24 --ascii --symbols-cache "$scratch/again" --symbols-timeout 1 $bundle/crash.dmp <<KEYS
:symbols $base/stalled|^none of 3 modules has symbols at http:
|/stalled: see
:symbols $base/stalled/|^asked again: 1 module found symbols at 
|; 4 frames
1| win  00401048 add_up 
KEYS
screen_played 'a server of the command line is asked again' 80x24 --ascii --symbols-cache "$scratch/given" \
	--symbols-timeout 1 --symbols-url "$base/resumed" --symbols-url "$base/500" $bundle/crash.dmp <<KEYS
:symbols $base/500|^already in use, searched again: 
KEYS

# A server without the files, one with them, and the second one again: for symbols or for binaries.
add_servers() {
	: >"$scratch/log"
	screen_played "a server of a dump of Windows is added by :$1" 80x24 --ascii --symbols-cache "$scratch/$1" \
		--symbols-timeout 1 $windows/crash.dmp <<KEYS
:$1 $base/404|^none of 2 modules has $2 at http:
:$1 $base/good/plain|^1 module found $2 at $base/good/plain
1| kiosk::
:$1 $base/good/plain|$3
KEYS
}

# Windows symbol servers have PDBs and programs.
add_servers symbols symbols '^asked again: 1 module found symbols at '
t 'the server sent the PDB' cmp "$scratch/symbols/$pdb/kiosk.pdb" "$srcdir/$windows/binaries/kiosk.pdb"
t 'the server sent the program' cmp "$scratch/symbols/$exe/kiosk.exe" "$srcdir/$windows/binaries/kiosk.exe"
t 'the server was asked for symbol files' grep -q 'good/plain/.*sym ' "$scratch/log"

add_servers binaries 'its file' '^already in use, searched again: none of 1 module has its file at$'
none 'a server of the symbol path is not asked for symbol files' "$(grep 'sym ' "$scratch/log")"
t 'a server of the symbol path sent the PDB' cmp "$scratch/binaries/$pdb/kiosk.pdb" "$srcdir/$windows/binaries/kiosk.pdb"
screen_played 'a symbol path is added' 80x24 --ascii --symbols-cache "$scratch/rest" --symbols-timeout 1 $windows/crash.dmp <<KEYS
:binaries srv*$base/good/plain|^1 module found its file at srv\*
1| kiosk::
KEYS
t 'its file is in the usual cache' cmp "$scratch/rest/$pdb/kiosk.pdb" "$srcdir/$windows/binaries/kiosk.pdb"
# Paths that are added later do not end the requests to servers.
screen_played 'a directory is added after a server' 80x24 --ascii --symbols-cache "$scratch/behind" \
	--symbols-timeout 1 --symbols-url "$base/good/plain" $windows/crash.dmp <<KEYS
:binaries ../empty ; 1| kiosk::
KEYS
screen_played 'a server is not asked for the programs of another system' 80x24 --ascii \
	--symbols-cache "$scratch/few" data/crashes/inlines-amd64/crash.dmp <<KEYS
:try binaries $base/good|^symbol servers have files of Windows; for this dump set DEBUGINFOD_URLS
KEYS

# A source of a server of debuginfod is fetched while the view says so.
crash=data/crashes/sframe-amd64
id=3cb5c356c6dd1a2f1211e753916f2fbbb324dc75
mkdir -p "$scratch/alone" "$scratch/served/buildid/$id/source/home/postal/parcel"
cp "$srcdir/$crash/crash.dmp" "$scratch/alone"
cp "$srcdir/$crash/source/parcel.c" "$scratch/served/buildid/$id/source/home/postal/parcel"
for fault in good 404; do
	DEBUGINFOD_URLS=$base/$fault DEBUGINFOD_CACHE_PATH=$scratch/$fault screen_case \
		"the source of a frame is asked for: $fault" 100x30 --ascii "$scratch/alone/crash.dmp" $crash/symbols <<\KEYS
2
:save-screen source
KEYS
	[ $fault = 404 ] || expect_text source '^>=> 19 .* while \(\*at != '
done
expect_text source ' debuginfod servers\): the server has none \(404\)'
done_testing
