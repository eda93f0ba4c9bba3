#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Symbols from servers with every fault: each fault is reported, none damages the cache, none stops the walk.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/symbol-server.sh"

is 'no request is made without a URL' "$(cat "$scratch/log")" ''
if command -v ldd >/dev/null; then
	is 'no library of servers is loaded without a URL' "$(ldd "$UNSPOOL" | grep -c 'libcurl\|libdebuginfod\|libssl\|libgnutls')" 0
else
	skip 1 'no ldd'
fi

fetch walk good >"$scratch/got"
t 'a walk with fetched symbols equals one with the same files on disk' cmp "$scratch/got" "$scratch/whole"
is 'a fetched file is kept in the layout of a local store' "$(files)" "$place"
t 'the kept file is the served one' cmp "$place" "$crash/symbols/ledger.pdb/$id/ledger.sym"
t 'the code id is sent to Tecken' grep -qF "GET /good/ledger.pdb/$id/ledger.sym?code_file=ledger.exe&code_id=4B2F1D008000 -" "$scratch/log"
: >"$scratch/log"
fetch walk good >/dev/null
is 'a kept file is not fetched again' "$(grep -c "ledger" "$scratch/log")" 0
"$UNSPOOL" walk "$dump" "$kept" >"$scratch/got" 2>/dev/null
t 'the cache is a directory of symbols for others' cmp "$scratch/got" "$scratch/whole"
fresh
UNSPOOL_SYMBOLS_URL="$base/404 $base/good" XDG_CACHE_HOME=$kept "$UNSPOOL" walk "$dump" >"$scratch/got" 2>/dev/null
t 'URLs come from the environment, and several servers are asked' cmp "$scratch/got" "$scratch/whole"
is 'the cache is in its usual place' "$(files | grep -v index)" "$kept/unspool/symbols/ledger.pdb/$id/ledger.sym"

arrives 'gzip of the transfer is decompressed' gzip
arrives 'a redirection is followed' redirect
arrives 'an interrupted download continues where it stopped' resumed
t 'the client requests the rest of an interrupted download' grep -q '^GET /resumed/.* bytes=[0-9]*-$' "$scratch/log"
arrives 'an interrupted download after a redirection continues' moved

fresh
fetch walk 404 >"$scratch/got"
t '404: the walk goes on' cmp "$scratch/got" "$scratch/bare"
is '404: there is no warning' "$(grep -c 127.0.0.1 "$scratch/err")" 0
: >"$scratch/log"
fetch symbols 404 --module ledger.exe >"$scratch/got"
t '404: unspool symbols reports it' grep -q 'not there .*the server has none (404)' "$scratch/got"
is 'no URL is asked for twice' "$(sort "$scratch/log" | uniq -d)" ''
"$UNSPOOL" walk --symbols-url ftp://x "$dump" >/dev/null 2>"$scratch/err"
is 'only URLs of http and https are used' $? 2
t 'another URL is reported' grep -q "'ftp://x' is not the URL of a symbol server" "$scratch/err"

cp "$dump" "$scratch/again.dmp"
: >"$scratch/log"
"$UNSPOOL" walk --symbols-url "$base/404" --symbols-cache "$kept" "$dump" "$scratch/again.dmp" >/dev/null 2>&1
t 'several dumps: the server is asked' grep -q ledger "$scratch/log"
is 'several dumps: no URL is asked for twice in a run' "$(sort "$scratch/log" | uniq -d)" ''

# By the code id ------------------------------------------------------------------------------------

fresh
: >"$scratch/log"
fetch walk code >"$scratch/got"
t 'a file is found by the code id alone' cmp "$scratch/got" "$scratch/whole"
is 'the file needs three requests' "$(grep ledger "$scratch/log")" \
	"GET /code/ledger.pdb/$id/ledger.sym?code_file=ledger.exe&code_id=4B2F1D008000 -
GET /code/ledger.exe/4B2F1D008000/ledger.exe.sym -
GET /good/ledger.pdb/$id/ledger.sym -"
is 'the file is kept under the debug id' "$(files)" "$place"
t '--compat breakpad finds the file by the code id' sh -c 'rm -rf "$3" && "$1" walk --compat breakpad \
	--symbols-url "$2" --symbols-cache "$3" "$4" | grep -q "ledger.exe!"' - "$UNSPOOL" "$base/code" "$kept" "$dump"
python3 - "$dump" "$scratch/no-id.dmp" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[0x9c4 + 76:0x9c4 + 84] = bytes(8)		# no CodeView record
open(sys.argv[2], "wb").write(data)
END
fresh
: >"$scratch/log"
"$UNSPOOL" walk --symbols-url "$base/code" --symbols-cache "$kept" "$scratch/no-id.dmp" 2>/dev/null | grep 'ledger.exe!' >"$scratch/got"
t 'a module without a debug id has its symbols by the code id' [ -s "$scratch/got" ]
is 'the code id alone is requested' "$(grep ledger "$scratch/log" | head -1)" 'GET /code/ledger.exe/4B2F1D008000/ledger.exe.sym -'
is 'the symbols are kept under the code id' "$(files)" "$kept/ledger.exe/4B2F1D008000/ledger.sym"

# Interrupted ---------------------------------------------------------------------------------------

# interrupt FAULT: press Ctrl-C on a terminal after some bytes have come. Prints how the command ended, and whether in time.
interrupt() {
	fresh
	: >"$scratch/log"
	python3 - "$scratch/terminal" "$kept" "$UNSPOOL" walk --symbols-url "$base/$1" \
		--symbols-cache "$kept" --symbols-timeout 20 "$dump" <<'END'
import glob, os, pty, signal, subprocess, sys, time
shown, kept, command = sys.argv[1], sys.argv[2], sys.argv[3:]
master, slave = pty.openpty()
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
for _ in range(100):
    if any(os.path.getsize(part) for part in glob.glob(kept + "/*/*/.*.part")):
        break
    time.sleep(0.1)
time.sleep(1.5)
begun = time.time()
process.send_signal(signal.SIGINT)
status = process.wait()
print(status, "at once" if time.time() - begun < 10 else "late")
os.close(slave)
text = b""
try:
    while piece := os.read(master, 4096):
        text += piece
except OSError:
    pass
open(shown, "wb").write(text)
END
}
# goes_on TITLE FAULT RANGE: the next run has the complete file, after a last request for RANGE.
goes_on() {
	is "$1: SIGINT ends it at once with the status of the signal" "$(interrupt "$2")" '-2 at once'
	t "$1: no file is at its place" [ ! -e "$place" ]
	fetch walk "$2" >"$scratch/got"
	t "$1: the next run has the file" cmp "$scratch/got" "$scratch/whole"
	t "$1: whole" cmp "$place" "$crash/symbols/ledger.pdb/$id/ledger.sym"
	is "$1: no other file is left" "$(files)" "$place"
	is "$1: the requested ranges" "$(sed -n 's/.*ledger.pdb.* //p' "$scratch/log" | tr '\n' ' ')" "$3"
}
half=$(($(wc -c <"$crash/symbols/ledger.pdb/$id/ledger.sym") / 2))
goes_on 'an interrupted download is continued' stalled "- bytes=$half- "
t 'the progress names the file and the server' grep -qF "fetching ledger.pdb from ${base#http://}" "$scratch/terminal"

fresh
fetch walk slow --symbols-timeout 9 >"$scratch/one" &
one=$!
"$UNSPOOL" walk --symbols-url "$base/slow" --symbols-cache "$kept" "$dump" >"$scratch/two" 2>/dev/null
wait $one
t 'two processes at once: the first has the file' cmp "$scratch/one" "$scratch/whole"
t 'two processes at once: the second has the file' cmp "$scratch/two" "$scratch/whole"
is 'two processes at once: no other file is left' "$(files)" "$place"

# Names of a hostile dump ---------------------------------------------------------------------------

# hostile DEBUG-FILE CODE-FILE: texts in Python's notation.
hostile() {
	rm -rf "$scratch/a"
	mkdir -p "$scratch/a/b/c"
	: >"$scratch/log"
	python3 - "$dump" "$scratch/hostile.dmp" "$1" "$2" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
debug, code = eval("b" + sys.argv[3]), eval(sys.argv[4]).encode("utf-16-le")
record, module = data[0x8bc:0x8bc + 24] + debug + b"\0", 0x9c4
struct.pack_into("<II", data, module + 76, len(record), len(data))
data += record + bytes(-len(record) % 4)
struct.pack_into("<I", data, module + 20, len(data))
data += struct.pack("<I", len(code)) + code + b"\0\0"
open(sys.argv[2], "wb").write(data)
END
	(cd "$scratch/a/b/c" && "$UNSPOOL" walk --symbols-url "$base/404" --symbols-cache kept \
		--no-cache "$scratch/hostile.dmp" >/dev/null 2>&1)
	grep -v 'kernel32\|ntdll' "$scratch/log" | grep '\.sym' >"$scratch/asked"
	grep -v 'kernel32\|ntdll\|\.sym' "$scratch/log" >"$scratch/asked.own"
}
# asks TITLE DEBUG-FILE CODE-FILE [REQUEST...]: exactly these requests are sent, and nothing is written outside the cache.
asks() {
	hostile "$2" "$3"
	title=$1
	shift 3
	is "$title: the requests" "$(cat "$scratch/asked")" "$(for request; do printf 'GET /404/%s -\n' "$request"; done)"
	none "$title: nothing is written outside of the cache" \
		"$(find "$scratch/a" ! -type d; find "$scratch/a" -type d | grep -v "^$scratch/a\(/b\(/c\(/kept.*\)\{0,1\}\)\{0,1\}\)\{0,1\}$")"
}
code='code_file=ledger.exe&code_id=4B2F1D008000' by_code=ledger.exe/4B2F1D008000/ledger.exe.sym
odd=a%20b%252e%3F%23%26%C3%A9%3B
asks 'every part of a URL is escaped' '"a b%2e?#&\xc3\xa9;.pdb"' '"ledger.exe"' "$odd.pdb/$id/$odd.sym?$code" "$by_code"
is 'the names of programs and PDBs are escaped' "$(grep -o '[^/]*\.pd[b_] -' "$scratch/asked.own")" "$odd.pdb -
$odd.pd_ -"
asks 'a way up' '"../../etc/passwd"' '"ledger.exe"' "passwd/$id/passwd.sym?$code" "$by_code"
asks 'an absolute path is refused' '"/etc/passwd"' '"ledger.exe"' "passwd/$id/passwd.sym?$code" "$by_code"
asks 'a NUL' '"ledger.pdb\0/../x"' '"ledger.exe"' "ledger.pdb/$id/ledger.sym?$code" "$by_code"
asks 'the name '..' is refused' '".."' '"ledger.exe"' "$by_code"
asks 'a path that ends with '..' is refused' '"c:\\\\x\\\\.."' '"ledger.exe"' "$by_code"
asks 'an escaped '..' is refused' '"%2e%2e"' '"ledger.exe"' "%252e%252e/$id/%252e%252e.sym?$code" "$by_code"
asks '64 KiB' '"A" * 65536' '"ledger.exe"' "$by_code"
asks 'an invalid name of a directory is refused' '"A" * 300' '"ledger.exe"' "$by_code"
asks 'a line feed' '"a\nb.pdb"' '"ledger.exe"' "$by_code"
asks 'bytes that are not UTF-8 are refused' '"a\x80.pdb"' '"ledger.exe"' "$by_code"
asks 'bytes of the code file that are not UTF-8 are refused' '"ledger.pdb"' '"c:\\..\\x y%?#&=.dll"' \
	"ledger.pdb/$id/ledger.sym?code_file=x%20y%25%3F%23%26%3D.dll&code_id=4B2F1D008000" \
	'x%20y%25%3F%23%26%3D.dll/4B2F1D008000/x%20y%25%3F%23%26%3D.sym'
asks 'a line feed in the code file is refused' '"ledger.pdb"' '"c:\\x\ny.dll"' "ledger.pdb/$id/ledger.sym"
asks 'a code file '..' is refused' '"ledger.pdb"' '"c:\\.."' "ledger.pdb/$id/ledger.sym"
none ''..' is not the name of a program' "$(grep 4B2F1D008000 "$scratch/asked.own")"

# IDs of a microdump are text, too: invalid ones are not requested.
cat >"$scratch/hostile.dmp" <<'END'
-----BEGIN BREAKPAD MICRODUMP-----
V test
O L x86 01 i686 Linux
S 0 BF000000 00000010 BF000000
C 00000000000000000000000000000000
M 08048000 00000000 00001000 ../../../up one
M 08050000 00000000 00001000 %2e%2e?%00 two
M 08060000 00000000 00001000 0A1B ../../three
-----END BREAKPAD MICRODUMP-----
END
rm -rf "$scratch/a"
mkdir -p "$scratch/a/b/c"
: >"$scratch/log"
(cd "$scratch/a/b/c" && "$UNSPOOL" symbols --symbols-url "$base/404" --symbols-cache kept "$scratch/hostile.dmp" >"$scratch/got" 2>&1)
is 'a microdump: the requests' "$(cat "$scratch/log")" 'GET /404/two/%252e%252e%3F%2500/two.sym -
GET /404/three/0A1B/three.sym -'
none 'a microdump: nothing is written outside of the cache' "$(find "$scratch/a" ! -type d; find "$scratch" -name up)"
done_testing
