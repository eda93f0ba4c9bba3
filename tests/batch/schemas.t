#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The JSON of the smaller commands matches their schemas in data, and the schemas accept nothing else.
. "$(dirname "$0")/../lib/tap.sh"

python=$(python_with_jsonschema)
[ -n "$python" ] || skip_all "there is no python3 with jsonschema"

# For each line of a list, COMMAND TITLE FILE: write the faults of the document FILE to FILE.faults, among them the
# members without which it is still valid.
cat >"$scratch/check.py" <<'END'
import copy
import json
import sys
import jsonschema

validators = {}

def validator_of(command):
    if command not in validators:
        schema = json.load(open(f"{sys.argv[1]}/unspool-{command}.schema.json"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[command] = jsonschema.Draft202012Validator(schema)
    return validators[command]

def faults(validator, document):
    for error in validator.iter_errors(document):
        yield f"{list(error.absolute_path)} {error.message[:200]}"
    # A document is an object, or a list of them.
    objects = document if isinstance(document, list) else [document]
    wrapped = (lambda value: [value]) if isinstance(document, list) else (lambda value: value)
    if not objects or not any(objects[0].values()):
        yield "the document is empty"
    # With --brief there are no streams.
    for member in objects[0].keys() - {"streams", "invented"}:
        broken = copy.deepcopy(objects[0])
        del broken[member]
        if validator.is_valid(wrapped(broken)):
            yield f"the schema does not require {member}"
    if validator.is_valid(wrapped(dict(objects[0], surprise=1))):
        yield "the schema accepts an unknown member"

for line in open(sys.argv[2]):
    command, title, name = line.rstrip("\n").split("\t")
    with open(name + ".faults", "w") as out:
        try:
            for fault in faults(validator_of(command), json.load(open(name))):
                print(fault, file=out)
        except Exception as error:
            print(error, file=out)
END

# says COMMAND TITLE ARGUMENT...: the output of a command matches its schema (judged at the end).
count=0
says() {
	command=$1 title=$2
	shift 2
	count=$((count + 1))
	"$UNSPOOL" "$command" --json "$@" >"$scratch/out" 2>"$scratch/err"
	cp "$scratch/out" "$scratch/document.$count"
	printf '%s\t%s\t%s\n' "$command" "$title" "$scratch/document.$count" >>"$scratch/documents"
}

cat >"$scratch/x.sym" <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 x
FILE 1 a.c
INLINE_ORIGIN 7 _ZN3foo5innerEv
FUNC 1000 40 0 _ZN3foo3barEi
INLINE 0 10 1 7 1010 10
1000 40 5 1
FUNC 1020 8 0 shadow
PUBLIC 2000 0 exported
STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^
STACK CFI INIT 1080 40 .cfa: broken
END
sed -e 's/10 1 7/11 1 7/' -e 's/1000 40 5/1000 40 6/' -e 's/shadow/other/' -e 's/rsp 16/rsp 24/' "$scratch/x.sym" >"$scratch/y.sym"
parcel=$srcdir/data/crashes/sframe-amd64/binaries/parcel
says lookup 'a file by itself' "$parcel" 11e2 5
says sframe 'the section of a file' "$parcel"
says unwind-check 'a file and its symbols' "$parcel" "$srcdir/data/crashes/sframe-amd64/symbols"
says repair 'what is mended' "$srcdir"/data/crashes/broken-cfi-amd64/symbols/*/*/till.sym \
	"$srcdir/data/crashes/broken-cfi-amd64/crash.dmp" --binary "$srcdir/data/crashes/broken-cfi-amd64/binaries/till"
says cfi 'a function of a file by itself' --at 11e2 --function _start "$parcel"
says step 'a function without a crash' "$scratch/x.sym" --at 1004
says lookup 'lines, inlined calls, what lost, rules, and nothing' "$scratch/x.sym" 1014 1022 2000 1081 10
says cfi 'a function by name' "$scratch/x.sym" --function foo::bar
says cfi 'a function by address, and rules that are none' "$scratch/x.sym" --at 1004 --at 1081
says symdiff 'names, lines, rules' --lines "$scratch/x.sym" "$scratch/y.sym"
windows=${UNSPOOL_CORPUS:-/nonexistent}/breakpad
if [ -f "$windows/minidump2.dmp" ]; then
	says teb 'handlers that were searched' "$windows/minidump2.dmp" "$windows/symbols"
	says teb 'fields of blocks' "$windows/tiny-exe-with-cet-xsave.dmp"
else
	skip 2 'UNSPOOL_CORPUS names no corpus'
fi
says lesson 'progress' --progress
printf 'lesson basics-01-frame\nanswer return-address 1\n' >"$scratch/x.answers"
says lesson 'marks' --grade "$scratch/x.answers"
says lint 'files with findings' --all "$scratch/x.sym" "$scratch/y.sym"
says sframe 'a section with rules' --rules "$srcdir/tests/sframe/v3-amd64-default.sframe"
says eval 'rules with memory' 'rsp=0x1000' '0x1008:0x5' '.cfa: $rsp 8 + .ra: .cfa ^'
says eval 'a program that fails' --win 'esp=0x1000' '$T0 $esp = $eip $T0 ^ = $ebp +'
for name in inlines-amd64 frame-data-x86 pac-arm64 broken-cfi-amd64 sframe-amd64; do
	crash=$srcdir/data/crashes/$name
	says cfi "frame 0 of $name" "$crash/crash.dmp" "$crash/symbols" --frame 0
	says stack "of $name" "$crash/crash.dmp" "$crash/symbols"
	says stack "what a frame of $name holds" --registers -f 1 "$crash/crash.dmp" "$crash/symbols"
	says stack "every word of a frame of $name" --all -f 1 "$crash/crash.dmp" "$crash/symbols"
	case $name in
	*-amd64) registers='rip rsp rbp' ;;
	*-x86) registers='eip esp ebp' ;;
	*) registers='pc sp fp' ;;
	esac
	for register in $registers; do
		says register-history "$register in $name" -r $register "$crash/crash.dmp" "$crash/symbols"
	done
	says find "zeros in $name" "$crash/crash.dmp" "$crash/symbols" 0
	says identify "places of $name" "$crash/crash.dmp" "$crash/symbols" 'sp + 8' pc 0 'no ^'
	says disassemble "frame 0 of $name" "$crash/crash.dmp" "$crash/symbols"
	says disassemble "a caller in $name" "$crash/crash.dmp" -f 1 --binaries "$crash/binaries"
	says symbols "of $name" "$crash/crash.dmp" "$crash/symbols"
	says symbols "of $name without any" "$crash/crash.dmp"
	says symbols "of $name with its own files" "$crash/crash.dmp" --binaries "$crash/binaries" \
		--binaries "$scratch/x.sym" --binaries "$scratch/none" --system-binaries
	says summary "of $name" "$crash/crash.dmp" "$crash/symbols"
	says report "of $name" "$crash/crash.dmp" "$crash/symbols"
	says streams "of $name" "$crash/crash.dmp"
	rm -f "$scratch/copy.dmp"
	says sanitize "a copy of $name" -o "$scratch/copy.dmp" "$crash/crash.dmp" "$crash/symbols"
	says explain "the step from frame 0 of $name" "$crash/crash.dmp" "$crash/symbols"
	says explain "every method of $name" --all-methods "$crash/crash.dmp" "$crash/symbols"
	says explain "the step of $name in sentences" --prose "$crash/crash.dmp" "$crash/symbols"
	says walk "$name and another dump" --against "$srcdir/data/crashes/scan-only-amd64/crash.dmp" "$crash/crash.dmp" "$crash/symbols"
	says lookup "an address of $name and one of nobody" "$crash/crash.dmp" "$crash/symbols" \
		"$("$UNSPOOL" walk --json "$crash/crash.dmp" "$crash/symbols" 2>/dev/null |
			sed -n 's/.*"address":"\(0x[0-9a-f]*\)","found_by.*/\1/p' | head -n 1)" 1
done
says report 'of a core' --no-system-binaries "$srcdir/data/cores/list-amd64/core.gz" --binaries "$srcdir/data/cores/list-amd64/binaries"
t 'a report has its title, the instruction of frame 0 and the variables of the frames' "$python" -c '
import json, sys
d = json.load(open(sys.argv[1]))
row, = [row for row in d["code"]["rows"] if row.get("marked")]
frames = d["variables"]["threads"][0]["frames"]
names = {v["name"] for f in frames for v in f["variables"]}
sys.exit(not (d["analysis"]["signature"] in d["title"] and names and
    int(row["address"], 16) == int(d["threads"][0]["frames"][0]["address"], 16)))' "$scratch/out"
says locals 'of a core' --no-system-binaries "$srcdir/data/cores/list-amd64/core.gz" --binaries "$srcdir/data/cores/list-amd64/binaries"
"$python" "$scratch/check.py" "$srcdir/data" "$scratch/documents" >"$scratch/err" 2>&1
is 'all documents are judged' "$(cat "$scratch/err")" ''
while IFS='	' read -r command title document; do
	none "$command: $title" "$(tail -n 5 "$document.faults" 2>&1)"
done <"$scratch/documents"

# Messages as lines of JSON: the command line, a file, a defect of an input, a warning of a command.
printf 'MODULE Linux x86_64 0 x\nFUNC zz\n' >"$scratch/broken.sym"
printf 'v\001\002' >"$scratch/other"
crash=$srcdir/data/crashes/frame-data-x86/crash.dmp
{
	"$UNSPOOL" wlak --json-errors
	"$UNSPOOL" walk --jsno "$crash" --json-errors
	"$UNSPOOL" summary --json-errors "$scratch/other"
	"$UNSPOOL" lookup --json-errors "$scratch/broken.sym" 1000
	"$UNSPOOL" walk --json-errors --symbols-cache "$scratch" "$crash" /nonexistent
} 2>"$scratch/lines" >/dev/null </dev/null
is 'every message matches the schema of --json-errors, with its severity, kind, file and line' "$("$python" -c '
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
for text in open(sys.argv[2]):
    line = json.loads(text)
    jsonschema.validate(line, schema)
    print(line["severity"], line["kind"], bool(line["file"]), (line["place"] or {}).get("line"), end="; ")
' "$srcdir/data/unspool-errors.schema.json" "$scratch/lines" 2>&1)" \
	'None None False None; None None False None; note None False None; error None True None; warning symbol-line True 2; error symbol-unreadable False None; warning None False None; '
done_testing
