#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Debug Adapter Protocol: damaged input and the parts of variables. tests/scenes/dap has a session of an editor.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
number=0
# ask COMMAND [ARGUMENTS]: append a request to the session.
ask() {
	number=$((number + 1))
	set -- "{\"seq\":$number,\"type\":\"request\",\"command\":\"$1\",\"arguments\":${2:-{\}}}"
	printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1" >>"$scratch/session"
}
# serve [OPTION...]: run the session; each message is then a line of `out`.
serve() {
	"$UNSPOOL" dap "$@" ${core:-"$crash/crash.dmp" "$crash/symbols"} <"$scratch/session" 2>"$scratch/err" | tr -d '\r' >"$scratch/raw"
	grep '^{' "$scratch/raw" >"$scratch/out"
}
# answers TITLE REQUEST PATTERN: the answer to a request by its number.
answers() { t "$1" grep -q "\"request_seq\":$2,.*$3" "$scratch/out"; }

# Damaged input ends the session or is answered.
for bad in 'Content-Length: 99999999999\r\n\r\n{}' 'Content-Length: 5\r\n\r\n{' 'nonsense' 'Content-Length: 9\r\n\r\n{"seq":1}' \
		'Content-Length: 2\r\n\r\n[]' 'Content-Length: -1\r\n\r\n{}'; do
	# shellcheck disable=SC2059
	printf "$bad" >"$scratch/session"
	serve
	is "ends: $bad" "$(tail -n 1 "$scratch/out" | sed 's/"seq":[0-9]*/N/')" '{N,"type":"event","event":"terminated"}'
done
# Parts of variables: main has arguments, a map of flights and a group_fare {<fare> = {vptr, cents = 9900}, discount = 15}
# (source/flights.cc), whose references follow each other from 2^30 on.
core=$srcdir/data/cores/flights-amd64/core.gz
: >"$scratch/session"
number=0
ask stackTrace '{"threadId":1}'
for reference in 22 1073741826 1073741825 1073741824; do ask variables "{\"variablesReference\":$reference}"; done
ask evaluate '{"expression":"seats","frameId":10,"context":"hover"}'
ask evaluate '{"expression":"arguments[2] + 1","frameId":11}'
ask variables '{"variablesReference":1073741827}'
ask variables '{"variablesReference":1073741832}'
ask evaluate '{"expression":"arguments[0][0]@70","frameId":11}'
ask variables '{"variablesReference":1073741832}'
ask variables '{"variablesReference":1073741829}'
serve --binaries "$srcdir/data/cores/flights-amd64/binaries" --no-system-binaries
answers 'a reference to a map has its elements, too' 12 '"name":"\[\\"OS 87\\"\]","value":"4"'
is 'of an array the first 64 elements are sent, and the number of the others' "$(grep '"request_seq":11,' "$scratch/out" |
	grep -o '"name":"[^"]*","value":"[^"]*"' | sed -n '1p; 64,$p' | tr '\n' ' ')" \
	'"name":"[0]","value":"46 '"'.'"'" "name":"[63]","value":"115 '"'s'"'" "name":"...","value":"6 more elements" '

# evaluateName: an editor adds such a name to its watched expressions.
string='"([^"\\]|\\.)*"'
grep -oE "\"value\":$string,\"type\":$string,[^{}]*\"evaluateName\":$string" "$scratch/out" | grep -vF "(seats)" >"$scratch/named"
: >"$scratch/session"
number=0
ask stackTrace '{"threadId":1}'
while read -r named; do
	ask evaluate "{\"frameId\":11,\"expression\":$(printf '%s' "$named" | sed 's/.*"evaluateName"://')}"
done <"$scratch/named"
serve --binaries "$srcdir/data/cores/flights-amd64/binaries" --no-system-binaries
is 'a variable and its parts are found again by their evaluateName' \
	"$(grep -oE "\"result\":$string" "$scratch/out" | cut -d : -f 2-)" "$(grep -oE "^\"value\":$string" "$scratch/named" | cut -d : -f 2-)"
t 'an element of what a pointer leads to has such a name' grep -qF '[\"OS 87\"]"' "$scratch/named"

# look() has cells(-1:1, 2), whose first column has the values of its numbers (array.f90.source).
core=$srcdir/tests/batch/locals/x86_64.arrays.O0.core.gz
: >"$scratch/session"
number=0
ask stackTrace '{"threadId":1}'
for reference in 4 1073741824 1073741825; do ask variables "{\"variablesReference\":$reference}"; done
serve --binaries "$srcdir/tests/batch/locals/x86_64" --no-system-binaries
is 'elements have numbers from the lower bound of their array' \
	"$(grep '"request_seq":[34],' "$scratch/out" | grep -oE '"name":"[^"]*"' | tr '\n' ' ')" \
	'"name":"[1]" "name":"[2]" "name":"[-1]" "name":"[0]" "name":"[1]" '

done_testing
