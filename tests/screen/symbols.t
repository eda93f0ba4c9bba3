#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Places of symbols that are named while one looks at a dump that has none.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

bundle=data/crashes/frame-data-x86
id=7A1C35E09B2D4F6885C3D1E0F2A4B6C81
symbols=$srcdir/$bundle/symbols
unset UNSPOOL_SYMBOLS UNSPOOL_SYMBOLS_URL http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY

# Scripts run in a folder beside these, so that what is said of them stands in one row.
mkdir "$scratch/far" "$scratch/empty"
cp -R "$symbols/." "$scratch/far"
head -1 "$symbols/ledger.pdb/$id/ledger.sym" >"$scratch/a.sym"
sed 's/[0-9A-F]\{33\}/00000000000000000000000000000000A/' "$scratch/a.sym" >"$scratch/b.sym"
echo 'no symbols' >"$scratch/c.sym"

screen_case 'a directory is added' 80x24 --ascii $bundle/crash.dmp <<\KEYS
8
Enter
:save-screen before
:symbols ../empty
:save-screen empty
:symbols ../far
:save-screen found
:view stack
:save-screen stack
8
:find used
:save-screen used
:symbols ../empty
:save-screen again
1
:save-screen same
KEYS
expect_text before '^     looked at nothing: no directory or file of symbols was given$'
expect_text before '^> - 00400000-00407fff  ledger.exe     none given$'
expect_text empty '^none of 3 modules has symbols in ../empty: see the modules view$'
expect_text empty "^     looked at ../empty/ledger.pdb/$id/ledger.sym$"
expect_text found '^1 module found symbols in ../far; 4 frames changed, 1 new$'
expect_text found '^> - 00400000-00407fff  ledger.exe     symbols   ledger.sym$'
expect_text stack '^>\*    0 ctx  00401005 balance_of '
expect_text stack '^ n    1 win  00401048 add_up '
expect_text used '^>                used   NAME/ID/NAME.sym$'
expect_text again '^none of 2 modules has symbols in ../empty: see the modules view  *1 of 1$'
expect_text same ' win  00401048 add_up '

screen_case 'a file is added, or it is said why not' 80x24 --ascii $bundle/crash.dmp <<\KEYS
:try symbols ../missing
:save-screen missing
:try symbols ../c.sym
:save-screen none
:try symbols
:save-screen what
:symbols ../b.sym
:save-screen other
:symbols ../a.sym
:save-screen right
KEYS
expect_text missing "^no symbols from '../missing': No such file or directory$"
expect_text none "^no symbols from '../c.sym': it does not begin with a MODULE record$"
expect_text what '^name a directory, a file or a URL with symbols$'
expect_text other '^none of 3 modules has symbols in ../b.sym: see the modules view$'
expect_text right '^1 module found symbols in ../a.sym'

# What is recorded does it again.
screen_case 'it is recorded' 80x24 --ascii --record "$scratch/record" $bundle/crash.dmp <<\KEYS
:symbols ../far
KEYS
expect_record() { grep -qx 'symbols ../far\|:symbols ../far' "$scratch/record"; }
t 'as the command that it was' expect_record

# A server ------------------------------------------------------------------------------------------

command -v python3 >/dev/null || { skip 1 'no python3'; done_testing; exit; }
"$UNSPOOL" --version | grep -q 'no libcurl' && { skip 1 'built without libcurl'; done_testing; exit; }
python3 "$srcdir/tests/lib/symbol-server.py" "$symbols" "$scratch/port" "$scratch/log" \
	2>"$scratch/server" &
server=$!
tap_cleanup() { kill $server; rm -rf "$scratch"; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -f "$scratch/port" ] && break
	sleep 0.2
done
[ -f "$scratch/port" ] || { skip 1 'no server on loopback'; done_testing; exit; }
base=http://127.0.0.1:$(cat "$scratch/port")
: >"$scratch/log"

screen_case 'a server is added' 80x24 --ascii --symbols-cache "$scratch/kept" \
	--symbols-timeout 1 $bundle/crash.dmp <<KEYS
:symbols ../empty
:save-screen nothing
:symbols $base/404
:save-screen 404
:symbols $base/good
:save-screen good
1
:save-screen stack
8
g
Enter
:find fetched
:save-screen fetched
KEYS
expect_text nothing '^none of 3 modules has symbols in ../empty: see the modules view$'
expect_text 404 "^none of 2 modules has symbols at $base/404: see the modules"
expect_text good "^1 module found symbols at $base/good; 4 frames chang"
expect_text stack ' win  00401048 add_up '
expect_text fetched '^>                fetched   from a symbol server, and kept$'
t 'what it gave is kept where the command line says' test -f "$scratch/kept/ledger.pdb/$id/ledger.sym"
none 'nothing is asked for that no walk needs' "$(grep ntdll "$scratch/log")"
screen_case 'a server that is none' 80x24 --ascii $bundle/crash.dmp <<\KEYS
:try symbols http//x
:save-screen wrong
KEYS
expect_text wrong "^no symbols from 'http//x': No such file or directory$"
done_testing
