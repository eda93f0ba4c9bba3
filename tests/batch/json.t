#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The JSON of a walk matches data/unspool-walk.schema.json for every available crash, and the schema accepts
# nothing else. The facts that rust-minidump publishes about a public crash are in it.
. "$(dirname "$0")/../lib/tap.sh"

python=$(python_with_jsonschema)
[ -n "$python" ] || skip_all "there is no python3 with jsonschema"
schema=$srcdir/data/unspool-walk.schema.json
crashes=$srcdir/data/crashes
corpus=${UNSPOOL_CORPUS:-}

# valid FILE...: print the names of invalid documents, with the first reasons.
cat >"$scratch/valid.py" <<'END'
import json
import sys
import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    try:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
    except ValueError as error:
        print(name, error)
        continue
    for error in validator.iter_errors(document):
        print(name, list(error.absolute_path), error.message[:200])
        break
END
valid() { "$python" "$scratch/valid.py" "$schema" "$@"; }

# json NAME ARGUMENT...: write the document of a walk to a file.
json() {
	json_name=$scratch/json/$1
	shift
	timeout 900 "$UNSPOOL" walk --json "$@" >"$json_name" 2>/dev/null
}

# Bundled crashes ---------------------------------------------------------------------------------

mkdir "$scratch/json"
for folder in "$crashes"/*/; do
	name=$(basename "$folder")
	json "$name" "$folder/crash.dmp" "$folder/symbols"
	json "$name.pretty" --pretty "$folder/crash.dmp" "$folder/symbols"
	json "$name.none" "$folder/crash.dmp"
	for column in breakpad rust-minidump; do
		json "$name.$column" --compat $column "$folder/crash.dmp" "$folder/symbols"
	done
	json "$name.small" --fold --redact --crashed "$folder/crash.dmp" "$folder/symbols"
	is "$name: --pretty has the same values" \
		"$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1])) == json.load(open(sys.argv[2])))' \
			"$scratch/json/$name" "$scratch/json/$name.pretty")" True
done
none 'the bundled crashes validate in every form' "$(valid "$scratch"/json/*)"
is 'JSON without --pretty is one line' "$(wc -l <"$scratch/json/frame-data-x86")" 1

# Contents ----------------------------------------------------------------------------------------

# ask FILE EXPRESSION: the value of a Python expression over the document `d`.
ask() { "$python" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }

frames=$scratch/json/frame-data-x86
is 'a frame has its registers' "$(ask "$frames" 'd["threads"][0]["frames"][1]["registers"]["eip"]')" 0x00401048
is 'the frame names its record by line and column' "$(ask "$frames" 'd["threads"][0]["frames"][1]["record"]["text"]')" \
	"ledger.sym:$(grep -n '^STACK WIN' "$crashes"/frame-data-x86/symbols/ledger.pdb/*/ledger.sym |
		grep ':STACK WIN [04] 1000 ' | cut -d: -f1):1"
is 'the offset of a caller is one less than that of its return address' \
	"$(ask "$frames" '[int(f["address"], 16) - int(f["offset"], 16) for f in d["threads"][0]["frames"]]')" '[0, 1, 1, 1, 1, 1]'
is 'flags have the names of rust-minidump' "$(ask "$frames" '"eflags" in d["crashing_thread"]["frames"][0]["registers"]')" True
is 'frames but the first of the crashing thread have no registers' \
	"$(ask "$frames" 'any("registers" in f for f in d["crashing_thread"]["frames"][1:])')" False
is 'the end of a stack has its reason' "$(ask "$frames" 'd["threads"][0]["end"]["reason"]')" \
	"$("$UNSPOOL" walk --crashed "$crashes/frame-data-x86/crash.dmp" "$crashes/frame-data-x86/symbols" |
		sed -n 's/^ *End of stack: //p')"
is 'inlined calls are inside of their frame, innermost first' \
	"$(ask "$scratch/json/inlines-amd64" '[i["function"] for f in d["crashing_thread"]["frames"] for i in f["inlines"] or []]')" \
	"$("$UNSPOOL" walk --crashed "$crashes/inlines-amd64/crash.dmp" "$crashes/inlines-amd64/symbols" |
		$AWK '/^ *[0-9]+  / { call = $0 } /Found by: inline record/ {
			sub(/^[^!]*!/, "", call); sub(/ \[[^]]*\]$/, "", call); list = list sprintf("%s\047%s\047", list ? ", " : "", call)
		} END { print "[" list "]" }')"
is 'scans list every word that they searched' \
	"$(ask "$scratch/json/scan-only-amd64" 'all(f["candidates"][-1]["taken"] and not any(c["taken"] for c in f["candidates"][:-1]) for t in d["threads"] for f in t["frames"] if f["trust"] == "scan")')" True
is 'a redacted document has no word of the stack' \
	"$(ask "$scratch/json/scan-only-amd64.small" 'any(c["value"] for t in d["threads"] for f in t["frames"] for c in f.get("candidates", []))')" False

# Planted errors ----------------------------------------------------------------------------------

cat >"$scratch/plant.py" <<'END'
import copy
import json
import sys
import jsonschema

validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
document = json.load(open(sys.argv[2]))
plants = {
    "an unknown member": lambda d: d.update(surprise=1),
    "one in a frame": lambda d: d["threads"][0]["frames"][1].update(surprise=1),
    "one in a rule": lambda d: d["threads"][0]["frames"][1]["rules"][0].update(surprise=1),
    "one in a place": lambda d: d["threads"][0]["frames"][1]["record"].update(surprise=1),
    "one in crash_info": lambda d: d["crash_info"].update(surprise=1),
    "one in a module": lambda d: d["modules"][0].update(surprise=1),
    "a missing status": lambda d: d.pop("status"),
    "a missing trust": lambda d: d["threads"][0]["frames"][0].pop("trust"),
    "a missing end": lambda d: d["threads"][0].pop("end"),
    "an address as a number": lambda d: d["threads"][0]["frames"][0].update(offset=4),
    "an address without digits": lambda d: d["modules"][0].update(base_addr="0x"),
    "a trust that does not exist": lambda d: d["threads"][0]["frames"][0].update(trust="magic"),
    "a method that does not exist": lambda d: d["threads"][0]["frames"][1].update(method="magic"),
    "a policy that does not exist": lambda d: d["policy"]["values"].update(moods=1),
    "a code id in upper case": lambda d: d["modules"][0].update(code_id="AB"),
    "a line 0 in a place": lambda d: d["threads"][0]["frames"][1]["record"].update(line=0),
    "a confidence above 1": lambda d: d["analysis"]["findings"].append(
        dict(name="a", title="a", text="a", evidence=[], confidence=75)),
}
for title, plant in plants.items():
    broken = copy.deepcopy(document)
    plant(broken)
    if validator.is_valid(broken):
        print(title)
END
none 'the schema refuses planted errors' "$("$python" "$scratch/plant.py" "$schema" "$frames" 2>&1)"
is 'the names in the schema are those of the sources (doc/generate puts them there)' \
	"$("$srcdir/doc/generate" "$UNSPOOL" "$schema")" "$(cat "$schema")"

# Invented crashes --------------------------------------------------------------------------------

rm "$scratch"/json/*
generate=$builddir/tests/differential/generate
if [ -x "$generate" ]; then
	"$generate" >"$scratch/kinds"
	while read -r kind folder; do
		if [ "$folder" = - ]; then
			mkdir -p "$scratch/symbols.$kind"
			folder=$scratch/symbols.$kind
		else
			folder=${corpus:-/nonexistent}/$folder
		fi
		[ -d "$folder" ] || continue
		"$generate" "$kind" 7 0 12 "$scratch/dump" "$folder"
		json "$kind" "$scratch/dump" "$folder"
	done <"$scratch/kinds"
	none 'generated crashes validate' "$(valid "$scratch"/json/*)"
	rm "$scratch"/json/*
else
	skip 1 'tests/differential/generate is not built'
fi

# Errors of the dump's writer, in its own JSON: the last stream gets the type of such a stream.
soft() {
	"$python" - "$1" "$crashes/inlines-amd64/crash.dmp" "$scratch/soft.dmp" <<'END'
import struct, sys
text, data = sys.argv[1].encode(), bytearray(open(sys.argv[2], "rb").read())
count, directory = struct.unpack_from("<II", data, 8)
struct.pack_into("<III", data, directory + 12 * (count - 1), 0x4d7a0004, len(text), len(data))
open(sys.argv[3], "wb").write(data + text)
END
	json soft "$scratch/soft.dmp"
	ask "$scratch/json/soft" 'd["soft_errors"], d["soft_errors_text"]'
}
is 'soft errors are the JSON that the writer wrote' "$(soft '[{"InitErrors": [ 1, null]}]')" \
	"([{'InitErrors': [1, None]}], '[{\"InitErrors\": [ 1, null]}]')"
is 'soft errors are null if the writer wrote none' "$(soft '[{"InitErrors": ]')" "(None, '[{\"InitErrors\": ]')"
none 'the schema allows both' "$(valid "$scratch/json/soft")"
is 'the version of Linux is that of its kernel' "$(ask "$scratch/json/soft" 'd["system_info"]["os_ver"].split()[0]')" \
	"$("$UNSPOOL" walk "$scratch/soft.dmp" 2>/dev/null | sed -n 's/^ *0\.0\.0 Linux \([^ ]*\).*/\1/p')"

# Real crashes ------------------------------------------------------------------------------------

if [ ! -d "$corpus/breakpad" ] || [ ! -d "$corpus/made" ]; then
	skip 4 'UNSPOOL_CORPUS names no corpus'
	done_testing
fi
for dump in "$corpus"/breakpad/*.dmp; do
	json "$(basename "$dump")" --fold "$dump" "$corpus/breakpad/symbols"
	json "$(basename "$dump").none" --fold "$dump"
done
for arch in x86_64 i386 arm64 arm; do
	for dump in "$corpus/made/$arch"/*.dmp; do
		json "$arch.$(basename "$dump")" --fold "$dump" "$corpus/made/symbols/$arch"
		json "$arch.$(basename "$dump").none" --fold "$dump"
	done
done
none 'every crash of the corpus validates, with symbols and without' "$(valid "$scratch"/json/*)"

# rust-minidump's snapshots of its test.dmp, which is this dump, with only the symbols of test_app.
mkdir "$scratch/test_app"
cp -r "$corpus/breakpad/symbols/test_app.pdb" "$scratch/test_app"
json snapshot --compat rust-minidump "$corpus/breakpad/minidump2.dmp" "$scratch/test_app"
is 'rust-minidump walks its sample with symbols to the same frames' \
	"$(ask "$scratch/json/snapshot" '" ".join("%s:%s:%s:%s" % (f["trust"], f["offset"], f["function_offset"], f["line"]) for f in d["crashing_thread"]["frames"])')" \
	'context:0x0040429e:0x0000000e:58 cfi:0x004041ff:0x0000004f:65 cfi:0x004053eb:0x0000015e:327 cfi:0x7c816fd6:None:None'
json snapshot --compat rust-minidump "$corpus/breakpad/minidump2.dmp"
is 'rust-minidump walks its sample without symbols to the same frames' \
	"$(ask "$scratch/json/snapshot" '" ".join("%s:%s:%s" % (f["trust"], f["module"], f["module_offset"]) for f in d["crashing_thread"]["frames"])')" \
	'context:test_app.exe:0x0000429e frame_pointer:test_app.exe:0x000041ff frame_pointer:test_app.exe:0x000053eb frame_pointer:kernel32.dll:0x00016fd6'
"$UNSPOOL" walk --compat rust-minidump "$corpus/breakpad/minidump2.dmp" "$scratch/test_app" >"$scratch/text" 2>/dev/null
is 'the text of --compat has offsets of calls and registers that STACK WIN does not set' \
	"$(sed -n 's/.*\( + 0x4\]\|esi = 0x00000002    edi = 0x00000a28$\)/\1/p' "$scratch/text" | sort | uniq -c | sed 's/^ *//')" \
	'1  + 0x4]
3 esi = 0x00000002    edi = 0x00000a28'
done_testing
