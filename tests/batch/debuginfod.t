#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs and debug files from good and bad debuginfod servers.
. "$(dirname "$0")/../lib/tap.sh"

unset UNSPOOL_BINARIES DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT DEBUGINFOD_RETRY_LIMIT
unset DEBUGINFOD_MAXSIZE DEBUGINFOD_MAXTIME DEBUGINFOD_HEADERS_FILE DEBUGINFOD_CACHE_PATH
crash=$srcdir/data/crashes/sframe-amd64
served=$scratch/store
. "$(dirname "$0")/../lib/symbol-server.sh"
program=$crash/binaries/parcel
id=3cb5c356c6dd1a2f1211e753916f2fbbb324dc75
served=$served/buildid/$id
mkdir -p "$served"

# ask FAULT COMMAND [ARGUMENT...]: run a command with the client's cache unchanged.
ask() {
	url=$1
	shift
	case $url in *://*) ;; *) url=$base/$url ;; esac
	DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$kept "$UNSPOOL" "$@" 2>"$scratch/err"
}
# The same with an empty cache and an empty log.
anew() {
	fresh
	: >"$scratch/log"
	ask "$@"
}
# gives TITLE WALK ask|anew FAULT: the walk is the one in the file.
gives() {
	"$3" "$4" walk "$dump" >"$scratch/got"
	t "$1" cmp "$scratch/got" "$scratch/$2"
}
requests() { sed 's,^GET /[^/]*/buildid/\([^ ]*\) .*,\1,' "$scratch/log"; }
files() { find "$kept" -type f -path "*/$id/*" -size +0c 2>/dev/null; }

"$UNSPOOL" walk --binaries "$crash/binaries" "$dump" >"$scratch/whole" 2>/dev/null
t 'the program changes the walk' sh -c '! cmp -s "$1" "$2"' - "$scratch/bare" "$scratch/whole"

# Who is asked --------------------------------------------------------------------------------------

cp "$program" "$served/executable"
DEBUGINFOD_CACHE_PATH=$kept "$UNSPOOL" walk "$dump" >/dev/null 2>&1
DEBUGINFOD_URLS='' DEBUGINFOD_CACHE_PATH=$kept "$UNSPOOL" walk "$dump" >/dev/null 2>&1
DEBUGINFOD_URLS=' ' DEBUGINFOD_CACHE_PATH=$kept "$UNSPOOL" walk "$dump" >/dev/null 2>&1
is 'no server is asked unless DEBUGINFOD_URLS names one' "$(cat "$scratch/log")" ''
anew good walk --compat breakpad "$dump" >"$scratch/got"
is 'no server is asked if the policy does not use its files' "$(cat "$scratch/log")" ''
"$UNSPOOL" walk --compat breakpad "$dump" >"$scratch/want" 2>/dev/null
t 'the walk is the same without servers' cmp "$scratch/got" "$scratch/want"
anew good walk "$dump" "$crash/symbols" >/dev/null
is 'no server is asked if a symbol file exists' "$(cat "$scratch/log")" ''
anew good walk "$srcdir/data/crashes/frame-data-x86/crash.dmp" >/dev/null
is 'no server is asked for a Windows program' "$(cat "$scratch/log")" ''

# unlike NAME OFFSET BYTES: the dump with another ID.
unlike() {
	python3 - "$dump" "$scratch/$1.dmp" "$id" "$2" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
old = bytes.fromhex(sys.argv[3])
at = data.index(b"LEpB" + old)
new = eval(sys.argv[4])
data = data[:at + 4] + new + data[at + 4 + len(new):]
open(sys.argv[2], "wb").write(data)
END
}
if unlike zero 'bytes(20)'; then
	anew good walk "$scratch/zero.dmp" >/dev/null
	is 'no server is asked for an id of zeros' "$(cat "$scratch/log")" ''
fi
if unlike odd 'b"../../../etc/passwd\n"'; then
	anew good walk "$scratch/odd.dmp" >/dev/null
	is 'an id of any bytes is asked for in hexadecimal' "$(requests | sort -u)" \
		'2e2e2f2e2e2f2e2e2f6574632f7061737377640a/debuginfo
2e2e2f2e2e2f2e2e2f6574632f7061737377640a/executable'
fi

# In the sandbox another process sends the requests; it reads no dump and cannot open this process's files.
if ! command -v strace >/dev/null || ! "$UNSPOOL" --version | grep -q 'sandbox: Landlock'; then
	skip 3 'no strace or no Landlock'
else
	rm -rf "$kept"
	mkdir "$scratch/traces"
	DEBUGINFOD_URLS=$base/good DEBUGINFOD_CACHE_PATH=$kept strace -ff -o "$scratch/traces/of" \
		-e trace=connect,openat,landlock_restrict_self "$UNSPOOL" walk "$dump" >"$scratch/got" 2>/dev/null
	grep -l 'connect(.*AF_INET' "$scratch/traces"/* >"$scratch/who"
	t 'a process connects to the server' test -s "$scratch/who"
	none 'the process that connects has opened no dump' "$(xargs grep -l 'crash.dmp' <"$scratch/who")"
	none 'the process that connects is in a sandbox of its own' "$(xargs grep -L landlock_restrict_self <"$scratch/who")"
fi

# Found files ---------------------------------------------------------------------------------------

gives 'a walk with a program from a server is that with the same on disk' whole anew good
is 'the program and its debug file are requested' "$(requests)" "$id/executable
$id/debuginfo"
is 'the cache of debuginfod has the program' "$(files)" "$kept/$id/executable"
is 'a successful run has no message' "$(cat "$scratch/err")" ''
is 'the cache has an empty file for a missing one, as its clients note it' "$(find "$kept" -type f -size 0)" "$kept/$id/debuginfo"
: >"$scratch/log"
gives 'the cache serves the next run' whole ask good
is 'a run with the cache asks no server' "$(cat "$scratch/log")" ''
gives 'a run with the cache needs no server' whole ask http://127.0.0.1:1
rm -rf "$kept"
mkdir -p "$kept/$id"
: >"$kept/$id/executable"
: >"$scratch/log"
ask good walk "$dump" >"$scratch/got"
is 'a miss that another client noted is not asked for' "$(requests)" "$id/debuginfo"
touch -d '11 minutes ago' "$kept/$id/executable"
gives 'a server is asked again after ten minutes' whole ask good
rm "$kept/$id/executable"
: >"$kept/$id/executable"
echo 0 >"$kept/cache_miss_s"
gives 'a server is asked again after the time in cache_miss_s' whole ask good
gives 'a compressed answer is used' whole anew gzip
t 'the cache has the decompressed answer' cmp "$kept/$id/executable" "$served/executable"
DEBUGINFOD_MAXSIZE=1000 anew good walk "$dump" >"$scratch/got"
t 'DEBUGINFOD_MAXSIZE: a larger file is not used' cmp "$scratch/got" "$scratch/bare"
is 'DEBUGINFOD_MAXSIZE: it is not kept' "$(files)" ''
gives 'several servers may be named' whole anew "$base/404 $base/good"
gives 'a redirection is followed' whole anew redirect
pc=$(sed -n '/^Thread 0/,/^ 1/s/.*rip = \(0x[0-9a-f]*\).*/\1/p' "$scratch/bare")
anew good identify "$dump" "$pc" >"$scratch/got"
t 'identify names the function' grep -q label_length "$scratch/got"
anew good symbols --module parcel "$dump" >"$scratch/got"
t 'symbols says where the program comes from' grep -q "fetched .*debuginfod server" "$scratch/got"
t 'symbols says what no server has' grep -q "not there .*debuginfod server" "$scratch/got"
anew good walk --binaries "$crash/binaries" "$dump" >"$scratch/got"
is 'an existing program is not requested' "$(requests)" "$id/debuginfo"
cp "$dump" "$scratch/again.dmp"
mkdir -p "$kept"
anew 404 walk "$dump" "$scratch/again.dmp" >"$scratch/got"
is 'a run requests each file once' "$(requests)" "$id/executable
$id/debuginfo"

# stripped: the program without names, and its names in a debug file.
if command -v objcopy >/dev/null && objcopy --strip-all "$program" "$scratch/stripped" 2>/dev/null &&
	objcopy --only-keep-debug "$program" "$scratch/debug" 2>/dev/null; then
	cp "$scratch/stripped" "$served/executable"
	anew good walk "$dump" >"$scratch/got"
	is 'a stripped program without its debug file has no names' "$(grep -c label_length "$scratch/got")" 0
	cp "$scratch/debug" "$served/debuginfo"
	gives 'a stripped program with its debug file has all names' whole anew good
	rm "$served/executable"
	mkdir "$scratch/parts"
	cp "$scratch/stripped" "$scratch/parts/parcel"
	anew good walk --binaries "$scratch/parts" "$dump" >"$scratch/got"
	t 'a debug file is found for a program that is here' cmp "$scratch/got" "$scratch/whole"
	anew good walk "$dump" >"$scratch/got"
	t 'a debug file alone gives names' grep -q 'parcel!label_length' "$scratch/got"
	rm "$served/debuginfo"
	cp "$scratch/debug" "$served/executable"
	anew good walk "$dump" >"$scratch/got"
	t 'a debug file in place of the program gives names' grep -q 'parcel!label_length' "$scratch/got"
else
	skip 5 'no objcopy'
fi

# Source files --------------------------------------------------------------------------------------

mkdir -p "$scratch/alone" "$served/source/home/postal/parcel"
cp "$dump" "$scratch/alone"
cp "$crash/source/parcel.c" "$served/source/home/postal/parcel"
source=$id/source/home/postal/parcel/parcel.c
anew good report "$scratch/alone/crash.dmp" "$crash/symbols" >"$scratch/got"
t 'a report has the lines of a source from a server' grep -q "=> *19 *while (\*at != " "$scratch/got"
t 'with the name in the symbols' grep -q '^## Source of frame 0: parcel.c:19$' "$scratch/got"
is 'only the source of that frame is requested' "$(requests)" "$source"
# elfutils 0.192: DJB hash of the path, and the path without separators.
t 'the cache has it under its client'"'"'s name' cmp "$crash/source/parcel.c" "$kept/$id/source-7e58d89c-#home#postal#parcel#parcel.c"
: >"$scratch/log"
ask good disassemble --binaries "$crash/binaries" "$scratch/alone/crash.dmp" "$crash/symbols" >"$scratch/got"
t 'the disassembly has its lines' grep -q 'parcel.c:19  *while (\*at != ' "$scratch/got"
is 'from the cache' "$(cat "$scratch/log")" ''
anew good report "$dump" "$crash/symbols" >"$scratch/got"
is 'a source next to the dump is not requested' "$(cat "$scratch/log")" ''
anew 404 report "$scratch/alone/crash.dmp" "$crash/symbols" >"$scratch/got"
none 'a server without it gives no source' "$(grep 'Source of frame' "$scratch/got")"

# Failures ----------------------------------------------------------------------------------------

# bad TITLE FAULT MESSAGE: the walk equals one without servers; a message gives the reason, and nothing is kept.
bad() {
	anew "$2" walk "$dump" >"$scratch/got"
	t "$1: the walk goes on" cmp "$scratch/got" "$scratch/bare"
	if [ -n "$3" ]; then
		t "$1: '$3' is reported" grep -qF -e "$3" "$scratch/err"
	else
		is "$1: no message is printed" "$(cat "$scratch/err")" ''
	fi
	is "$1: nothing is kept" "$(files)" ''
}
cp "$srcdir/data/crashes/broken-cfi-amd64/binaries/till" "$served/executable"
bad 'another build' good "is another build of 'parcel', expected id $id, found 9231bdb550c51e2d4e76175"
head -c 1000 "$program" >"$served/executable"
bad 'a file cut short' good "no code from '$kept/$id/executable': it is truncated"
head -c 14000 "$program" >"$served/executable"
bad 'a file cut short late' good "no code from '$kept/$id/executable': it is truncated"
cp "$program" "$served/executable"
bad 'a page of HTML' wrong-content "no code from '$kept/$id/executable'"
executable=buildid/$id/executable
bad 'an empty file' empty "'parcel' from $base/empty/$executable: the download is empty; not used"
bad 'a transfer that breaks off' truncated "no program of 'parcel' from $base/truncated/$executable: the transfer ended after"
bad 'no such file' 404 ''
bad 'an error of the server' 500 "from $base/500/$executable: the server answered with status 500"
: >"$scratch/log"
bad 'a server that is down' http://127.0.0.1:1 \
	"from http://127.0.0.1:1/$executable: Couldn't connect to server; the server is not asked again"
is 'a server that is down is reported once' "$(wc -l <"$scratch/err" | tr -d ' ')" 1

DEBUGINFOD_TIMEOUT=1 bad 'a server that hangs' hang \
	"from $base/hang/$executable: too few bytes arrived in 1 s; the server is not asked again"
is 'a server that is down is asked once' "$(requests)" "$id/executable"
anew hang walk --symbols-timeout 1 "$dump" >"$scratch/got"
t '--symbols-timeout: how long that takes' grep -q 'too few bytes arrived in 1 s' "$scratch/err"
: >"$scratch/log"
gives 'a server that timed out is asked in the next run' whole ask good
done_testing
