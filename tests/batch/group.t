#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# unspool latest, and unspool group: dumps of files and directories, groups as text, Markdown and JSON, dumps that cannot be read.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
mkdir -p "$scratch/dumps/a/b" "$scratch/symbols"
for copy in 1 2 3; do cp "$crashes/broken-cfi-amd64/crash.dmp" "$scratch/dumps/till$copy.dmp"; done
cp "$crashes/pac-arm64/crash.dmp" "$scratch/dumps/a/b/pac.dmp"
cp -R "$crashes/broken-cfi-amd64/symbols/." "$crashes/pac-arm64/symbols/." "$scratch/symbols"
echo text >"$scratch/dumps/notes"

latest() { (cd "$1" && HOME=$2 "$UNSPOOL" latest "$scratch/symbols" >"$scratch/out" 2>"$scratch/err"); }
touch -d '2030-01-01 12:00:00' "$scratch/dumps/a/b/pac.dmp"
latest "$scratch/dumps" "$scratch"
is 'the newest dump is named with its time' "$(sed 's/ is the newest.*//; s/^unspool: //' "$scratch/err" | head -n 1)" \
	"'./a/b/pac.dmp' of 2030-01-01 12:00:00 UTC"
t 'the newest dump is walked' grep -q '^ 0  recursion' "$scratch/out"
latest "$scratch/dumps" "$scratch/dumps/a"
is 'a folder above the home directory is not searched' "$(grep -c 'not searched' "$scratch/err")" 1

# The explorer steps through the dumps of a directory, and of the command line; one that cannot be read is skipped.
explore() { input=$1; shift; printf "$input" | "$UNSPOOL" --plain --no-config --no-state "$@" >"$scratch/out" 2>"$scratch/err"; }
tar -cf "$scratch/two.tar" -C "$scratch/dumps" till1.dmp till2.dmp
explore 'dump previous\ndumps\n' "$scratch/dumps" "$scratch/symbols"
is 'the newest dump of a directory is the last of the list, and the one before it is opened' \
	"$(sed -n 's/^dump \(. of .\): .*/\1/p; s/^>\*  *\([0-9]*\) .*/\1/p' "$scratch/out" | tr '\n' ' ')" '3 of 4 3 '
explore 'set base dec\ndump next\nset base\ndump next\ndump previous\ndump 3\ndump 4\ndump 2\n' \
	"$scratch/dumps/till1.dmp" "$scratch/two.tar" "$scratch/dumps/a/b/pac.dmp" "$scratch/symbols"
is 'dumps of the command line are opened one after the other' \
	"$(grep -oE '^(dump . of .: [a-z0-9]*.dmp|the list has no such dump|no further dump|base .*)' "$scratch/out" | tr '\n' '|')" \
	'base dec|dump 3 of 3: pac.dmp|base dec|the list has no such dump|dump 1 of 3: till1.dmp|dump 3 of 3: pac.dmp|the list has no such dump|no further dump|'
t 'the message names the dump that was skipped' grep -q 'pac.dmp; skipped two.tar: ' "$scratch/out"
t 'its crash is shown' grep -q '^pac.dmp  arm64' "$scratch/out"
explore 'set-register rsp 10\ndump next\n' "$scratch/dumps/till1.dmp" "$scratch/dumps/till2.dmp"
t 'edits that would be lost are a reason to stay' grep -q '^1 edit would be lost' "$scratch/out"
printf '%s\n' :dumps k Enter ":save-screen $scratch/screen" >"$scratch/keys"
"$UNSPOOL" --script "$scratch/keys" --no-config "$scratch/dumps" "$scratch/symbols" 2>"$scratch/err"
t 'Enter on a row of the list opens that dump' grep -q '^dump 3 of 4: ' "$scratch/screen"

group() { "$UNSPOOL" group "$@" >"$scratch/out" 2>"$scratch/err"; }
group "$scratch/dumps" "$scratch/symbols"
is 'all dumps of a directory are read: exit status' $? 0
is 'the largest group is the first' "$(grep '^group' "$scratch/out" | sed 's/, .*//')" \
	"$(printf 'group       1: 3 dumps\ngroup       2: 1 dump')"
is 'the signature is that of the summary' "$(sed -n 's/^signature *//p' "$scratch/out" | head -n 1)" \
	"$("$UNSPOOL" summary "$scratch/dumps/till1.dmp" "$scratch/symbols" | sed -n 's/^signature *//p')"
none 'no progress goes to a pipe' "$(cat "$scratch/err")"
group --json "$scratch/dumps/till1.dmp" "$scratch/dumps/till2.dmp" "$scratch/symbols"
is 'dumps are named one by one' "$(grep -o '"count":2,"first":[0-9]*' "$scratch/out")" '"count":2,"first":1234567890'

printf 'no dump' >"$scratch/bad.dmp"
group "$scratch/bad.dmp" "$scratch/dumps/till1.dmp" "$scratch/symbols"
is 'a dump that cannot be read: exit status' $? 3
t 'it is named' grep -q "bad.dmp" "$scratch/err"
t 'the other dumps are in their groups' grep -q '1 dump' "$scratch/out"
# Several threads read the dumps; --redact uses one. Both have the same output, and messages are in the order of the paths.
mkdir "$scratch/many"
for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do
	cp "$scratch/dumps/till1.dmp" "$scratch/many/$i.dmp"
	cp "$scratch/dumps/a/b/pac.dmp" "$scratch/many/$i-pac.dmp"
done
cd "$scratch" || exit 99
group --all --redact many/*.dmp symbols
mv "$scratch/out" "$scratch/one"
group --all many/*.dmp symbols
t 'one and several threads have the same output' cmp "$scratch/one" "$scratch/out"
is 'the dumps of the groups are in the order of their paths' \
	"$(grep -o '[0-9][0-9]\.dmp$' "$scratch/out" | tr -d '\n')" "$(ls many | grep -v pac | tr -d '\n')"
group --dump-index 2 many/*.dmp symbols
is 'the messages are in the order of the paths' "$(sed -n 's/^unspool: \(many[^:]*\): .*/\1/p' "$scratch/err")" "$(ls many/*.dmp)"
cd "$OLDPWD" || exit 99

# Two values of one dump each are what differs; a value that all have is left out.
if command -v python3 >/dev/null; then
	python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read().replace(
		"6.1.0".encode("utf-16-le"), "6.7.0".encode("utf-16-le")))' "$scratch/dumps/till1.dmp" >"$scratch/newer.dmp"
	group "$scratch/dumps/till1.dmp" "$scratch/newer.dmp" "$scratch/symbols"
	is 'the differences inside a group are listed' "$(grep -cE '6\.1\.0.* \(1\), .*6\.7\.0.* \(1\)' "$scratch/out") $(grep -c amd64 "$scratch/out")" '1 0'
else
	skip 1 'no python3'
fi

printf 'dump next\n' >"$scratch/keys"
"$UNSPOOL" group --open 1 --plain --no-config "$scratch/dumps" "$scratch/symbols" <"$scratch/keys" >"$scratch/out"
is 'the explorer steps through the dumps of a group' "$(grep -o '^dump 2 of 3: till' "$scratch/out")" 'dump 2 of 3: till'
UNSPOOL_SYMBOLS=$scratch/symbols
export UNSPOOL_SYMBOLS
group "$scratch/dumps"
is 'the environment names symbols if no path does' "$(grep -c '^signature *post$' "$scratch/out")" 1
unset UNSPOOL_SYMBOLS

python=$(python_with_jsonschema)
if [ -n "$python" ]; then
	group --json "$scratch/dumps" "$scratch/symbols"
	none 'the document matches its schema' "$("$python" -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' \
		"$srcdir/data/unspool-group.schema.json" "$scratch/out" 2>&1 | tail -n 3)"
else
	skip 1 'there is no python3 with jsonschema'
fi
if command -v sqlite3 >/dev/null 2>&1; then
	for dump in "$scratch"/dumps/till?.dmp; do "$UNSPOOL" summary --json "$dump" "$scratch/symbols"; done >"$scratch/lines"
	is 'the example of the manual page counts signatures' "$(sqlite3 :memory: 'CREATE TABLE c(d)' '.mode tabs' \
		".import $scratch/lines c" "SELECT count(*), d->>'\$.analysis.signature' s FROM c GROUP BY s" | tr '\t' ' ')" '3 post'
else
	skip 1 'sqlite3 is not there'
fi

done_testing
