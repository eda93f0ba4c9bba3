#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Symbols from servers that do everything wrong: each fault is said, none spoils what is kept, none
# stops the walk.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
command -v python3 >/dev/null || skip_all 'no python3'
"$UNSPOOL" --version | grep -q 'no libcurl' && skip_all 'built without libcurl'
crash=$srcdir/data/crashes/frame-data-x86
dump=$crash/crash.dmp
id=7A1C35E09B2D4F6885C3D1E0F2A4B6C81
unset UNSPOOL_SYMBOLS UNSPOOL_SYMBOLS_URL http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY

python3 "$srcdir/tests/lib/symbol-server.py" "$crash/symbols" "$scratch/port" "$scratch/log" \
	2>"$scratch/server" &
server=$!
tap_cleanup() { kill $server; rm -rf "$scratch"; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -f "$scratch/port" ] && break
	sleep 0.2
done
[ -f "$scratch/port" ] || skip_all 'no server on loopback'
base=http://127.0.0.1:$(cat "$scratch/port")
kept=$scratch/kept
place=$kept/ledger.pdb/$id/ledger.sym
: >"$scratch/log"

# fetch COMMAND FAULT [OPTION...]
fetch() {
	command=$1 url=$2
	shift 2
	case $url in http*) ;; *) url=$base/$url ;; esac
	"$UNSPOOL" "$command" --symbols-url "$url" --symbols-cache "$kept" --symbols-timeout 1 \
		--symbols-limit 8 "$@" "$dump" 2>"$scratch/err"
}
fresh() { rm -rf "$kept"; }
files() { [ ! -d "$kept" ] || find "$kept" -type f; }

"$UNSPOOL" walk "$dump" "$crash/symbols" >"$scratch/whole" 2>/dev/null
mkdir "$scratch/nothing"
"$UNSPOOL" walk "$dump" "$scratch/nothing" >"$scratch/bare" 2>/dev/null
is 'nothing is asked for unless a URL was given' "$(cat "$scratch/log")" ''

fetch walk good >"$scratch/got"
t 'a walk with fetched symbols is that with the same on disk' cmp "$scratch/got" "$scratch/whole"
is 'what is fetched is kept in the layout of a local store' "$(files)" "$place"
t 'as it is' cmp "$place" "$crash/symbols/ledger.pdb/$id/ledger.sym"
t 'Tecken is told the code id' grep -qF \
	"GET /good/ledger.pdb/$id/ledger.sym?code_file=ledger.exe&code_id=4B2F1D008000 -" "$scratch/log"
: >"$scratch/log"
fetch walk good >/dev/null
is 'what is kept is not fetched again' "$(grep -c "ledger" "$scratch/log")" 0
"$UNSPOOL" walk "$dump" "$kept" >"$scratch/got" 2>/dev/null
t 'and is a directory of symbols for others' cmp "$scratch/got" "$scratch/whole"
fresh
UNSPOOL_SYMBOLS_URL="$base/404 $base/good" XDG_CACHE_HOME=$kept "$UNSPOOL" walk "$dump" \
	>"$scratch/got" 2>/dev/null
t 'URLs come from the environment, and several servers are asked' cmp "$scratch/got" "$scratch/whole"
is 'the cache is in its usual place' "$(files | grep -v index)" \
	"$kept/unspool/symbols/ledger.pdb/$id/ledger.sym"

# kept FAULT: the file arrives all the same.
arrives() {
	fresh
	fetch walk "$2" >"$scratch/got"
	t "$1" cmp "$scratch/got" "$scratch/whole"
	t "$1: whole" cmp "$place" "$crash/symbols/ledger.pdb/$id/ledger.sym"
}
arrives 'gzip is undone' gzip
arrives 'a redirection is followed' redirect
arrives 'what broke off goes on where it was' resumed
t 'by asking for the rest' grep -q '^GET /resumed/.* bytes=[0-9]*-$' "$scratch/log"
arrives 'a file that changed meanwhile is begun anew' changed

# fault FAULT MESSAGE: it is said, nothing is kept, the walk is what it is without symbols.
fault() {
	fresh
	fetch walk "$1" >"$scratch/got"
	t "$1: the walk goes on" cmp "$scratch/got" "$scratch/bare"
	t "$1: '$2' is said" grep -qF -e "$2" "$scratch/err"
	none "$1: nothing is kept" "$(files)"
}
fault 500 'the server answers with status 500'
fault hang 'no or too few bytes for 1 s'
fault drip 'no or too few bytes for 1 s'
fault truncated 'before its end'
fault wrong-id 'what comes is for another build, with the id 11112222333344445555666677778888A'
fault wrong-content 'what comes is no symbol file'
fault empty 'what comes is empty'
fault loop 'more than 5 redirections'
fault file 'symbols from'
fault bomb 'more than 8 MB come out of what is compressed'
fault "https://127.0.0.1:$(cat "$scratch/port.tls")" 'no symbols from https://127.0.0.1'
fault http://127.0.0.1:1 'no symbols from http://127.0.0.1:1'
fresh
fetch walk 404 >"$scratch/got"
t '404: the walk goes on' cmp "$scratch/got" "$scratch/bare"
is '404: is no warning' "$(grep -c 127.0.0.1 "$scratch/err")" 0
: >"$scratch/log"
fetch symbols 404 --module ledger.exe >"$scratch/got"
t '404: unspool symbols says so' grep -q 'not there .*the server has none (404)' "$scratch/got"
is 'no URL is asked for twice' "$(sort "$scratch/log" | uniq -d)" ''
"$UNSPOOL" walk --symbols-url ftp://x "$dump" >/dev/null 2>"$scratch/err"
is 'only http and https are taken' $? 2
t 'and that is said' grep -q "'ftp://x' is no URL of a symbol server" "$scratch/err"

# Names of a hostile dump ---------------------------------------------------------------------------

python3 - "$dump" "$scratch/hostile.dmp" <<'END'
import sys
old = b"c:\\ledger\\ledger.pdb"
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data.replace(old, b"a b\n%2e?#&\x80;.pdb".ljust(len(old), b"\0")))
END
: >"$scratch/log"
"$UNSPOOL" walk --symbols-url "$base/404" --symbols-cache "$kept" "$scratch/hostile.dmp" >/dev/null 2>&1
t 'every part of a URL is escaped' grep -qF \
	"GET /404/a%20b%0A%252e%3F%23%26%80%3B.pdb/$id/a%20b%0A%252e%3F%23%26%80%3B.sym?" "$scratch/log"
done_testing
