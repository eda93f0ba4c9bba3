# SPDX-License-Identifier: GPL-3.0-or-later
#
# A symbol server on loopback for shell tests; to be sourced after tap.sh. Skips the test if that cannot run.
#
#	fetch walk FAULT [OPTION...]	a command with the bundled crash and this server
#	$kept, $place			downloads, and the path of the requested file among them
#	$base, $scratch/log		the server's URL and the requests that it got
#
# Set before use: crash, served	another crash and another directory

command -v python3 >/dev/null || skip_all 'no python3'
lacks libcurl && skip_all 'libcurl was left out'
crash=${crash:-$srcdir/data/crashes/frame-data-x86}
dump=$crash/crash.dmp
id=7A1C35E09B2D4F6885C3D1E0F2A4B6C81
unset UNSPOOL_SYMBOLS UNSPOOL_SYMBOLS_URL _NT_SYMBOL_PATH _NT_ALT_SYMBOL_PATH http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY

python3 "$srcdir/tests/lib/symbol-server.py" "${served:-$crash/symbols}" "$scratch/port" "$scratch/log" 2>"$scratch/server" &
server=$!
tap_cleanup() {
	kill $server
	chmod -R u+rwx "$scratch" 2>/dev/null
	rm -rf "$scratch"
}
tries=150
until [ -f "$scratch/port" ] || [ $tries = 0 ]; do
	sleep 0.2
	tries=$((tries - 1))
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
	case $url in http*://*) ;; *) url=$base/$url ;; esac
	"$UNSPOOL" "$command" --symbols-url "$url" --symbols-cache "$kept" --symbols-timeout 1 \
		--symbols-limit 8 "$@" "$dump" 2>"$scratch/err"
}
fresh() { rm -rf "$kept"; }
files() { [ ! -d "$kept" ] || find "$kept" -type f; }

"$UNSPOOL" walk "$dump" "$crash/symbols" >"$scratch/whole" 2>/dev/null
mkdir "$scratch/nothing"
"$UNSPOOL" walk "$dump" "$scratch/nothing" >"$scratch/bare" 2>/dev/null

# arrives TITLE FAULT: the file arrives in spite of the fault.
arrives() {
	fresh
	fetch walk "$2" >"$scratch/got"
	t "$1" cmp "$scratch/got" "$scratch/whole"
	t "$1: whole" cmp "$place" "$crash/symbols/ledger.pdb/$id/ledger.sym"
}

# fault FAULT MESSAGE: the message appears, nothing is kept, the walk is that without symbols.
fault() {
	fresh
	fetch walk "$1" >"$scratch/got"
	is "$1: the status is that of a walk" $? 0
	t "$1: the walk goes on" cmp "$scratch/got" "$scratch/bare"
	t "$1: '$2' is said" grep -qF -e "$2" "$scratch/err"
	none "$1: nothing is kept" "$(files)"
}
