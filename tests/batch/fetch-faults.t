#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Symbol servers with one fault or one rare feature: valid files arrive; for others the reason is reported, nothing is
# kept, and the walk is complete and ends as usual.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/symbol-server.sh"

# A walk of a minute, which runs during the other tests.
"$UNSPOOL" walk --no-cache --symbols-cache "$scratch/trickled" --symbols-timeout 1 --symbols-url "$base/trickle" "$dump" \
	>"$scratch/trickle-out" 2>"$scratch/trickle-err" &
trickle=$!

# Files that arrive ---------------------------------------------------------------------------------

arrives 'an answer of HTTP/1.0 ends with the connection' http10
arrives 'chunks are put together' chunked
arrives 'the length of a chunked answer is ignored' chunked-lie
arrives 'a download that is interrupted twice continues' chunked-resumed
is 'an interrupted download continues where it was each time' "$(grep -c 'chunked-resumed.* bytes=' "$scratch/log")" 2
arrives 'a file that a server keeps with gzip is decompressed' gzip-file
arrives 'a file with gzip is decompressed after the gzip of the transfer' gzip-twice
arrives 'a file kept with gzip of several members is decompressed' gzip-members
arrives 'a file kept with xz is decompressed' xz-file
arrives 'a file kept with zstd is decompressed' zstd-file
arrives 'a retry waits for the time that the server asks for' wait-a-little
fresh
fetch walk lower >"$scratch/got"
t 'an id in lower case is the same id' cmp "$scratch/got" "$scratch/whole"
is 'the file is kept under the id of the dump' "$(files)" "$place"

# Files that do not arrive --------------------------------------------------------------------------

fault hang 'too few bytes arrived in 1 s'
fault drip 'too few bytes arrived in 1 s'
fault http10-cut 'the download ends inside a line'
fault short-length 'the download ends inside a line'
fault huge-length 'no symbols from'
fault no-length 'no symbols from'
fault chunked-cut 'no symbols from'
fault gzip-cut 'the compressed download is damaged'
fault wrong-content 'the download is not a symbol file'
fault page 'the download is not a symbol file, but a web page'
fault typed 'the download is not a symbol file, but JSON'
fault encoded 'the download is not a symbol file: it is encoded as br'
fault utf16 'the download is not a symbol file: it is UTF-16 text'
fault garbage 'the download is not text after its MODULE record'
fault empty 'the download is empty'
fault loop 'more than 5 redirections'
fault file 'it redirects to a URL that is not http or https'
fault ftp 'it redirects to a URL that is not http or https'
none 'ftp: the text of the other address is not shown' "$(grep hidden "$scratch/err")"
fault bomb 'the decompressed file exceeds 8 MB'
fresh
fetch walk large-bomb --symbols-limit 1000 >"$scratch/got"
t 'large-bomb: a download becomes at most 64 times as large, and 64 MB' grep -q 'the decompressed file exceeds 1[34][0-9] MB' "$scratch/err"
t 'large-bomb: the walk goes on' cmp "$scratch/got" "$scratch/bare"
none 'large-bomb: nothing is kept' "$(files)"
fault no-http 'the answer is not HTTP'
fault long-header 'a line of the header is too long'
fresh
(ulimit -t 120; fetch walk crumbs >"$scratch/got")
is 'crumbs: millions of chunks of one byte are read' $? 0
t 'crumbs: the walk goes on' cmp "$scratch/got" "$scratch/bare"
t 'crumbs: a message says that the file is too large' grep -qF 'the file exceeds 8 MB' "$scratch/err"
fault "https://127.0.0.1:$(cat "$scratch/port.tls")" 'no symbols from https://127.0.0.1'
fault http://127.0.0.1:1 'no symbols from http://127.0.0.1:1'

# URLs ----------------------------------------------------------------------------------------------

arrives 'slashes at the end of a URL are ignored' good///
: >"$scratch/log"
arrives 'a query is part of the URL of every file' 'good/?key=secret&v=1#top'
is 'the query follows the header with the code id' "$(grep ledger "$scratch/log" | head -1)" \
	"GET /good/ledger.pdb/$id/ledger.sym?code_file=ledger.exe&code_id=4B2F1D008000&key=secret&v=1 -"
if [ -f "$scratch/port.v6" ]; then
	arrives 'an address of IPv6 is asked' "http://[::1]:$(cat "$scratch/port.v6")/good"
else
	skip 2 'no IPv6 on loopback'
fi
# refused URL TEXT: a usage error, before any request and before the dump is read.
refused() {
	: >"$scratch/log"
	"$UNSPOOL" walk --symbols-url "$1" --symbols-cache "$kept" "$dump" >"$scratch/got" 2>"$scratch/err"
	is "'$1' is a usage error" $? 2
	t "'$1': the message has the reason" grep -qF -e "$2" "$scratch/err"
	is "'$1': no server is asked" "$(cat "$scratch/log")" ''
}
refused ftp://x "'ftp://x' is not the URL of a symbol server: http:// or https:// is missing"
refused symbols.example.org "'symbols.example.org' is not the URL of a symbol server"
refused http:// "'http://' is not the URL of a symbol server"
refused http://x:99999/ "'http://x:99999/' is not the URL of a symbol server"
refused ftp://me:secret@x "'ftp://x' is not the URL"

# Secrets -------------------------------------------------------------------------------------------

port=${base##*:}
secret="http://me:secret@127.0.0.1:$port"
"$builddir/tests/lib/make-hostile" "$scratch/hostile.dmp"
fresh
whole=$dump dump=$scratch/hostile.dmp
fetch symbols good >"$scratch/got"
dump=$whole
none 'no directory of the cache has control characters of a name' "$(find "$kept" | LC_ALL=C tr -d '\n -~')"
t 'a name with control characters is reported' grep -qF "debug file 'other\x1b[31m\x0d\u009b2J\u202e.pdb' has unprintable characters in its name" "$scratch/err"
t 'a server is asked for the other files' grep -q '^GET /good/evil.pdb/' "$scratch/log"

arrives 'a name and a password are sent' "$secret/good"
is 'the password is sent to its own server' "$(sort -u "$scratch/log.who" | grep -v nobody)" "127.0.0.1 Basic $(printf me:secret | base64)"
rm "$scratch/log.who"
arrives 'a redirection to another host is followed' "$secret/away"
# The walk of a minute asks 127.0.0.1 without a password.
is 'the other host does not get the password' "$(sort -u "$scratch/log.who" | cut -c1-15 | grep -v '^127.0.0.1 nobod')" '127.0.0.1 Basic
localhost nobod'
fresh
fetch walk "$secret/truncated?key=secret" --json >"$scratch/got"
fetch symbols "$secret/truncated?key=secret" >>"$scratch/got"
cat "$scratch/err" >>"$scratch/got"
t 'a server is shown' grep -q "http://127.0.0.1:$port/truncated/ledger.pdb" "$scratch/got"
none "the secret part of a server's URL is not shown" "$(grep secret "$scratch/got")"
fresh
fetch walk "$secret/stalled?key=secret" >/dev/null
is 'a part of the file is kept' "$(files | wc -l)" 2
none 'the cache does not have the secret' "$(grep -r secret "$kept")"

fresh
http_proxy=$base fetch walk "http://symbols.invalid/good" >"$scratch/got"
t 'a proxy of the environment is asked' cmp "$scratch/got" "$scratch/whole"
fresh
http_proxy=http://127.0.0.1:1 no_proxy=127.0.0.1 fetch walk good >"$scratch/got"
t 'a host in no_proxy is asked without the proxy' cmp "$scratch/got" "$scratch/whole"

# Servers that fail altogether ----------------------------------------------------------------------

# many COUNT: a dump with this number of different modules.
many() {
	python3 - "$dump" "$scratch/many.dmp" "$1" <<'END'
import struct, sys
data, count = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[3])
old = data[0x9c4:0x9c4 + 108]
entries = []
for i in range(count):
    entry = bytearray(old)
    name = ("c:\\m%d.dll" % i).encode("utf-16-le")
    struct.pack_into("<QI", entry, 0, 0x10000000 + i * 0x10000, 0x1000)
    struct.pack_into("<I", entry, 20, len(data))
    data += struct.pack("<I", len(name)) + name + b"\0\0"
    data += bytes(-len(data) % 4)
    record = b"RSDS" + struct.pack("<IHH", i, 1, 2) + bytes(8) + struct.pack("<I", 1) + b"m%d.pdb\0" % i
    struct.pack_into("<II", entry, 76, len(record), len(data))
    data += record + bytes(-len(record) % 4)
    entries.append(bytes(entry))
streams, directory = struct.unpack_from("<II", data, 8)
for i in range(streams):
    if struct.unpack_from("<I", data, directory + 12 * i)[0] == 4:
        struct.pack_into("<II", data, directory + 12 * i + 4, 4 + 108 * count, len(data))
data += struct.pack("<I", count) + b"".join(entries)
open(sys.argv[2], "wb").write(data)
END
}
# all FAULT: symbols for each of the modules.
all() {
	"$UNSPOOL" symbols --brief --symbols-url "$base/$1" --symbols-cache "$kept" --symbols-timeout 5 "$scratch/many.dmp" 2>"$scratch/err"
}
many 100
for fault in 500 hang; do
	fresh
	: >"$scratch/log"
	"$UNSPOOL" symbols --brief --symbols-url "$base/$fault" --symbols-cache "$kept" \
		--symbols-timeout 1 "$scratch/many.dmp" >"$scratch/got" 2>"$scratch/err"
	is "$fault: every module has a message" "$(grep -c 'no symbols' "$scratch/got")" 100
	is "$fault: the server is asked for three of them" "$(sed 's/?.*//' "$scratch/log" | sort -u | wc -l)" 3
	t "$fault: after three failures it is not asked again, with a message" grep -qF 'the server is not asked again' "$scratch/err"
done
fresh
: >"$scratch/log"
all 404 >"$scratch/got"
is 'a server without the files is asked for all' "$(grep -c 'm[0-9]*.pdb/.*sym' "$scratch/log")" 100

# Many at once --------------------------------------------------------------------------------------

# each: all hundred files exist and are right.
each() {
	for i in 0 1 42 99; do
		head -1 "$kept/m$i.pdb/"*/"m$i.sym"
	done
	find "$kept" -type f | wc -l
	find "$kept" -type f -size -17016c
}
fresh
: >"$scratch/log"
all any >"$scratch/got"
is 'a hundred modules have their symbols' "$(grep -c 'm[0-9]*.sym$' "$scratch/got")" 100
each >"$scratch/each"
is 'each of the hundred modules needs one request' "$(wc -l <"$scratch/log")" 100
fresh
jobs=
for i in 1 2 3 4; do
	all any >"$scratch/got.$i" &
	jobs="$jobs $!"
done
for job in $jobs; do
	wait "$job"
done
is 'four processes fill a cache at once' "$(cat "$scratch"/got.[1234] | grep -c 'm[0-9]*.sym$')" 400
is 'the filled cache has the files of one process' "$(each)" "$(cat "$scratch/each")"
python3 - "$dump" "$scratch/twice.dmp" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
first, second = data[0x9c4:0x9c4 + 108], 0x9c4 + 108
moved = bytearray(first)
struct.pack_into("<Q", moved, 0, 0x30000000)
data[second:second + 108] = moved
open(sys.argv[2], "wb").write(data)
END
fresh
: >"$scratch/log"
"$UNSPOOL" symbols --brief --symbols-url "$base/good" --symbols-cache "$kept" "$scratch/twice.dmp" >"$scratch/got" 2>/dev/null
is 'two modules with one file both have it' "$(grep -c 'ledger.sym$' "$scratch/got")" 2
is 'the file of two modules is requested once' "$(grep -c ledger.pdb "$scratch/log")" 1

# The cache -----------------------------------------------------------------------------------------

# unwritable TITLE REASON DIRECTORY [LIMIT]: the reason is reported, and the walk continues.
unwritable() {
	(
		eval "${4:-:}"
		"$UNSPOOL" walk --symbols-url "$base/good" --symbols-cache "$3" "$dump" 2>"$scratch/err"
	) | cat >"$scratch/got"
	t "$1: the walk goes on" cmp "$scratch/got" "$scratch/bare"
	t "$1: the message has the reason" grep -qF "cannot write to the cache: $2" "$scratch/err"
}
: >"$scratch/plain"
unwritable 'a cache that is a file is reported' 'Not a directory' "$scratch/plain"
fresh
ln -s "$scratch/gone/further" "$scratch/dangling"
unwritable 'a cache that is a dangling link is reported' 'No such file or directory' "$scratch/dangling"
mkdir "$scratch/real"
ln -s "$scratch/real" "$kept"
fetch walk good >"$scratch/got"
t 'a cache that is a link is followed' cmp "$scratch/got" "$scratch/whole"
t 'the linked cache is filled in its place' [ -f "$scratch/real/ledger.pdb/$id/ledger.sym" ]
rm "$kept"
unwritable 'a full file system is reported' 'File too large' "$scratch/full" "trap '' XFSZ; ulimit -f 1"
none 'a cache without room: nothing is left there' "$(find "$scratch/full" -type f)"
if [ "$(id -u)" != 0 ]; then
	mkdir "$scratch/locked" && chmod 555 "$scratch/locked"
	unwritable 'a read-only cache is reported' 'Permission denied' "$scratch/locked"
elif unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mkdir "$1/tiny" && mount -t tmpfs -o size=4k,nr_inodes=3 none "$1/tiny" &&
		"$2" walk --symbols-url "$3/any" --symbols-cache "$1/tiny" "$4" 2>"$1/err" >"$1/got"' - \
		"$scratch" "$UNSPOOL" "$base" "$dump"
	t 'a full file system: the walk goes on' cmp "$scratch/got" "$scratch/bare"
	t 'a full file system: the message has the reason' grep -qF "cannot write to the cache: No space left on device" "$scratch/err"
else
	skip 2 'root can write everywhere, and there is no file system to fill'
fi

wait $trickle
is 'a server that sends few bytes for ever does not stop the walk' "$?" 0
if grep -q 'too few bytes arrived in 1 s' "$scratch/trickle-err"; then
	skip 1 'this machine stopped the server for a second'
else
	t 'the time limit of one request ends it' grep -q 'incomplete after 60 times the 1 s of --symbols-timeout' "$scratch/trickle-err"
fi
done_testing
