#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lint as people, scripts and continuous integration use it. tests/unit/lint has its findings.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

run() { "$UNSPOOL" lint "$@" >"$scratch/out" 2>"$scratch/err"; }
has() { t "$1" grep -Fq -- "$2" "$scratch/out"; }

cat >"$scratch/good.sym" <<\END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program
FILE 0 a.c
FUNC 1000 20 0 main
1000 20 1 0
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
END
cat "$scratch/good.sym" - >"$scratch/bad.sym" <<\END
STACK CFI 1004 .cfa: $rsp 0 /
FUNC 2000 10 0 bare_one
FUNC 3000 10 0 bare_two
END

run "$scratch/good.sym"
is 'a good file exits with 0' $? 0
has 'a good file has a line of counts' \
	'good.sym: 0 errors, 0 warnings, 0 notes; 5 lines; unwind records for 100.0% of the code'

run "$scratch/bad.sym"
is 'a file with warnings exits with 1' $? 1
has 'a finding begins as those of compilers do' \
	"$scratch/bad.sym:6:29: warning: an expression divides by a constant zero: the divisor is 0 [cfi-division]"
is 'the meaning of a code is explained once' \
	"$(grep -c 'frames there are unwound by frame pointer or found by scanning' "$scratch/out")" 1
has 'the bytes that unwind records cover are counted' 'unwind records for 50.0% of the code'

run --brief "$scratch/bad.sym"
is 'brief findings are a line each' "$(wc -l <"$scratch/out")" 4
run --accept cfi-division --accept 'code-without-unwind=bare_*' "$scratch/bad.sym"
is 'an accepted defect is not a finding' $? 0
has 'an accepted defect is counted' '0 notes, 3 accepted;'
printf '# known\ncfi-division\ncode-without-unwind@2000\n' >"$scratch/known"
run --strict --accept-file "$scratch/known" "$scratch/bad.sym"
is 'notes count with --strict' $? 1
has 'the other function is still reported' 'from 0x3000 on [code-without-unwind]'
echo 'no-such-code' >"$scratch/known"
run --accept-file "$scratch/known" "$scratch/bad.sym"
is 'an unknown code in a file is an error' $? 2
t 'the error has the line of the unknown code' grep -q "line 1 of $scratch/known" "$scratch/err"

# A blank line before a record of another kind is harmless, one within a function is not.
{ cat "$scratch/good.sym"; printf '\nPUBLIC 1020 0 p\n'; } >"$scratch/blank.sym"
run "$scratch/blank.sym"
has 'the verdict of rust-minidump depends on the place of a defect' '        = rust-minidump: accepts the file'
is 'a file that rust-minidump accepts has no verdict' "$(grep -c 'refuses' "$scratch/out")" 0
printf 'FUNC 2000 10 0 f\n2000 8 1 0\n\n2008 8 1 0\n' >>"$scratch/blank.sym"
run "$scratch/blank.sym"
has 'a file that rust-minidump refuses is reported' '        = rust-minidump: refuses the whole file'
has 'the report says where and why the file is refused' 'blank.sym:11: rust-minidump refuses the whole file: not a valid record at this place'
for options in '' '--compat breakpad' '--compat rust-minidump'; do
	"$UNSPOOL" lookup --brief $options "$scratch/blank.sym" 1000 2>"$scratch/err"
done >"$scratch/out"
is 'an edited file has no name in the column of rust-minidump' "$(grep -c main "$scratch/out")" 2
t 'the column has the refusal' grep -q 'blank.sym:11:1: warning: rust-minidump refuses the file' "$scratch/err"

run --explain cfi-delta-apart
has 'a code is explained' 'cfi-delta-apart (warning): a STACK CFI record does not follow its INIT record'
has 'the explanation of a code has the behaviour of other programs' '        = Breakpad: applies it'
run --explain rule-late
has 'a code of unwind-check is explained' 'rule-late (warning of unwind-check): a rule begins too late'

run --explain all
has 'the list of codes has those of unwind-check' 'rule-late (warning of unwind-check): a rule begins too late'
run --explain nothing
is 'an unknown code is not explained' $? 2
run "$scratch/absent.sym"
is 'a missing file exits with 3' $? 3
run
is 'a call without a file exits with 2' $? 2

run "$UNSPOOL"
is 'a file of another kind exits with 3' $? 3
has 'a file of another kind is one finding' 'it is an ELF file [other-file]'
: >"$scratch/empty.sym"
run --brief "$scratch/empty.sym"
has 'a finding about an empty file has a place' 'empty.sym:1:1: error: the file has no records'

# Names are shown demangled; lines and columns are those of the file.
cat >"$scratch/names.sym" <<\END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program
FUNC 1000 20 0 _ZN6engine3runEi
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 0 /
END
if ! "$UNSPOOL" --version | grep -q 'no libiberty'; then
	run "$scratch/names.sym"
	has 'a finding names its function in source form' '        = in engine::run(int)'
	run --accept 'cfi-division=engine::run*' "$scratch/names.sym"
	is 'the finding is accepted by the demangled name' $? 0
	run --json "$scratch/names.sym"
	has 'JSON has the name of the file next to it' '"function":"engine::run(int)","mangled":"_ZN6engine3runEi"'
	run --sarif "$scratch/names.sym"
	has 'SARIF has the name of the file next to it' \
		'"logicalLocations":[{"fullyQualifiedName":"engine::run(int)","decoratedName":"_ZN6engine3runEi"'
else
	skip 4 'built without libiberty'
fi
run --no-demangle "$scratch/names.sym"
has '--no-demangle shows the name of the file' '        = in _ZN6engine3runEi'
run --accept 'cfi-division=_ZN6engine3*' "$scratch/names.sym"
is 'the finding is accepted by the mangled name' $? 0

gzip -c "$scratch/bad.sym" >"$scratch/bad.sym.gz"
run --brief "$scratch/bad.sym.gz"
has 'a compressed file is read' '[cfi-division]'
head -c 40 "$scratch/bad.sym.gz" >"$scratch/cut.gz"
run --brief "$scratch/cut.gz"
is 'input that cannot be decompressed exits with 3 or is reported as truncated' \
	"$(grep -Ec 'other-file|compressed-cut' "$scratch/out")" 1
run --brief - <"$scratch/bad.sym"
has 'standard input is decompressed' '-:6:29: warning:'

printf 'MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 p\nFUNC 1000 10 0 \033[31mred\n' >"$scratch/red.sym"
run "$scratch/red.sym"
t 'control characters of a file do not reach the terminal' \
	sh -c '! grep -q "$(printf "\033")" "$1"' sh "$scratch/out"

if command -v python3 >/dev/null 2>&1; then
	run --json "$scratch/bad.sym"
	is 'JSON has the findings with their places' "$(python3 -c '
import json, sys
file = json.load(sys.stdin)[0]
print(file["counts"], [(f["code"], f["line"], f["column"], f.get("address")) for f in file["findings"]])
' <"$scratch/out")" "{'cfi-division': 1, 'code-without-unwind': 2} [('cfi-division', 6, 29, '0x1004'), ('code-without-unwind', 7, 1, '0x2000'), ('code-without-unwind', 8, 1, '0x3000')]"
	run --sarif "$scratch/bad.sym" "$scratch/good.sym"
	is 'SARIF has a rule for each code and a result for each finding' "$(python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][0]
rules = run["tool"]["driver"]["rules"]
results = run["results"]
print(len(results), all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in results),
      results[0]["locations"][0]["physicalLocation"]["region"])
' <"$scratch/out")" "3 True {'startLine': 6, 'startColumn': 29, 'endColumn': 30}"
	cp "$scratch/bad.sym" "$scratch/a&b.sym"
	run --junit "$scratch/a&b.sym" "$scratch/good.sym"
	is "JUnit's XML has a case for each finding, a note passes, and so does a file without findings" "$(python3 -c '
import sys
import xml.etree.ElementTree as tree
for suite in tree.parse(sys.stdin).getroot():
    cases = suite.findall("testcase")
    print(suite.get("name")[-7:], suite.get("tests"), suite.get("failures"), len(suite.findall("*/failure")),
          suite.findtext("*/system-out", "")[:9], cases[0].get("name"), end="; ")
' <"$scratch/out")" \
		'a&b.sym 3 1 1 a functio cfi-division, line 6; ood.sym 1 0 0  no findings; '
	run --junit --strict "$scratch/bad.sym"
	is 'notes are failures with --strict' "$(grep -c '<failure' "$scratch/out")" 3
else
	skip 4 'there is no python3'
fi

# Directories, and the findings of an earlier run.
mkdir -p "$scratch/store/a/b" "$scratch/store/c"
cp "$scratch/good.sym" "$scratch/store/a/b/good.sym"
cp "$scratch/bad.sym" "$scratch/store/c/bad.sym"
gzip -c "$scratch/bad.sym" >"$scratch/store/c/worse.sym.gz"
echo text >"$scratch/store/c/notes.txt"
ln -s ../.. "$scratch/store/c/loop"
run --brief "$scratch/store"
is 'the files of a directory exit with the status of their findings' $? 1
is 'the files of a directory are in the order of names' "$(sed -n 's/.*store.*\/\([^:]*\):.*\[.*/\1/p' "$scratch/out" | uniq | tr '\n' ' ')" \
	'bad.sym worse.sym.gz '
has 'one line counts the files of a directory' '3 files, 1 without findings, 0 unreadable; 0 errors, 2 warnings, 4 notes; 21 lines'
has 'a table has findings and files by code' '         4        2  note      code-without-unwind'
run --all --json "$scratch/store" && :
cp "$scratch/out" "$scratch/known.json"
run --all --sarif --pretty "$scratch/store" && :
cp "$scratch/out" "$scratch/known.sarif"
echo 'FUNC 5000 10 0 bare_three' >>"$scratch/store/c/bad.sym"
for known in json sarif; do
	run --strict --brief --baseline "$scratch/known.$known" "$scratch/store"
	is "a baseline in $known leaves only new findings" "$(grep -c '\[' "$scratch/out")" 1
	has 'the new finding is counted' '0 errors, 0 warnings, 1 notes, 6 left out'
done
"$UNSPOOL" lint --baseline "$scratch/good.sym" "$scratch/store" >"$scratch/out" 2>"$scratch/err"
t 'a baseline without findings is reported' grep -q 'has no findings of lint, so none is left out' "$scratch/err"
mkdir "$scratch/nothing"
run "$scratch/nothing"
is 'a directory without symbol files exits with 3' $? 3
if command -v python3 >/dev/null 2>&1; then
	(cd "$scratch" && "$UNSPOOL" lint --sarif store/c/bad.sym "$scratch/absent.sym") >"$scratch/out" 2>"$scratch/err"
	is 'SARIF has ends, fingerprints, URIs and the result of the run' "$(python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][0]
first, last = run["results"][0], run["results"][-1]
place = first["locations"][0]["physicalLocation"]
print(place["region"], place["artifactLocation"]["uri"], place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"],
      len(first["partialFingerprints"]["unspool/v1"]), last["ruleId"], last["kind"],
      last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"][:8],
      run["invocations"][0]["executionSuccessful"], run["invocations"][0]["exitCode"])
' <"$scratch/out")" "{'startLine': 6, 'startColumn': 29, 'endColumn': 30} store/c/bad.sym True 16 unreadable fail file:/// False 3"
else
	skip 1 'there is no python3'
fi

(cd "$scratch/nothing" && "$UNSPOOL" lint --sarif ../bad.sym) >"$scratch/out" 2>/dev/null
t 'SARIF has the absolute path of a file above the directory' grep -qF "\"uri\":\"file://$(cd "$scratch" && pwd -P)/bad.sym\"}" "$scratch/out"
(cd "$scratch" && "$UNSPOOL" lint --sarif nothing/../bad.sym) >"$scratch/out" 2>/dev/null
t 'SARIF has a path without .. of a file below the directory' grep -q '"uri":"bad.sym","uriBaseId"' "$scratch/out"

# A binary that should be that of the file.
parcel=$srcdir/data/crashes/sframe-amd64
parcel_sym=$(find "$parcel/symbols" -name parcel.sym)
run --brief --binary "$parcel/binaries/parcel" "$parcel_sym"
is 'a symbol file fits its binary' "$(grep -cE 'binary\]|binary-id\]|code-id\]' "$scratch/out")" 0
line=$(grep -n '^PUBLIC' "$parcel_sym" | sed -n '2s/:.*//p')
sed "${line}s/ [^ ]*\$/ moved/" "$parcel_sym" >"$scratch/name.sym"
run --brief --binary "$parcel/binaries/parcel" "$scratch/name.sym"
has 'a name that the binary does not have at its address is found' "name.sym:$line:1: warning: the binary has another name at this address: 'moved'"
kiosk=$srcdir/data/crashes/pdb-x86
sed 's#^FILE 0 .*#FILE 0 /other/wrong.cpp#' "$(find "$kiosk/symbols" -name kiosk.sym)" >"$scratch/kiosk.sym"
run --brief --binary "$kiosk/binaries/kiosk.pdb" "$scratch/kiosk.sym"
is 'a wrong path in a program of one file is found' "$(grep -c "wrong.cpp:.*\[binary-line\]" "$scratch/out")" 1
sed 's#^FILE 0 .*#FILE 0 D:\\moved\\kiosk.cpp#' "$(find "$kiosk/symbols" -name kiosk.sym)" >"$scratch/kiosk.sym"
run --brief --binary "$kiosk/binaries/kiosk.pdb" "$scratch/kiosk.sym"
is 'another directory of its file is no wrong path' "$(grep -c 'binary-line' "$scratch/out")" 0
sed 's/^MODULE Linux x86_64 ./MODULE Linux x86_64 0/' "$parcel_sym" >"$scratch/id.sym"
run --brief --binary "$parcel/binaries/parcel" "$scratch/id.sym"
has 'a file with only another identifier is recognised' '[binary-id]'
run --brief --binary "$UNSPOOL" "$parcel_sym"
is 'a file of another program does not fit' $? 1
has 'a file of another program is one error' ':1:1: error: the symbol file does not belong to the binary: '
sed 's/^MODULE Linux x86_64/MODULE Linux arm64/' "$parcel_sym" >"$scratch/arm.sym"
run --brief --binary "$parcel/binaries/parcel" "$scratch/arm.sym"
has 'a file of another architecture does not fit' 'the binary is for amd64, the records are for arm64 [wrong-binary]'
has 'the rules of another architecture are one finding' ' of amd64 [module-other-architecture]'
is 'the rules of another architecture cause no further finding' "$(grep -c 'cfi-unknown' "$scratch/out")" 0
run --brief --binary "$srcdir/data/crashes/broken-cfi-amd64/binaries/till" "$srcdir/data/crashes/broken-cfi-amd64/symbols" "$parcel/symbols"
t 'in a store only the files of the module are compared with the binary' \
	grep -q "1 of 2 files are of other modules and were not compared with '.*/till'" "$scratch/err"
run --binary "$scratch/good.sym" "$parcel_sym"
is 'a file that is not a binary exits with 3' $? 3

# A record after a 0 and a carriage return begins within its line; columns count from the start of the line.
printf 'MODULE Linux x86_64 000000000000000000000000000000001 a\nPUBLIC 20 0 bcdefghijklmnopqrstu\0\0\rzzzz' >"$scratch/within.sym"
run "$scratch/within.sym"
is 'the mark of a record within a line is below the shown text' \
	"$(grep -A1 '| zzzz$' "$scratch/out" | grep -v zzzz | sort -u)" "$(printf '%s\n' '        |     ^' --)"

# Real files: only findings that were checked by hand, and no lost record.
corpus=${UNSPOOL_CORPUS:-}
if [ -d "$corpus/breakpad/symbols" ]; then
	find "$corpus/breakpad/symbols" "$corpus/made/symbols" -name '*.sym' ! -name '*.broken.sym' \
		-exec "$UNSPOOL" lint --brief {} + >"$scratch/out" 2>"$scratch/err"
	is 'files that tools have written have no lost records' \
		"$(grep -c ': error: ' "$scratch/out")" 0
	is 'no message is on standard error' "$(cat "$scratch/err")" ''
else
	skip 2 'the corpus is not there'
fi
done_testing
