#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# JSON of the newest tag stays valid: no member of a schema was renamed, removed or got another type, unless the
# version in the schema's $id rose.
. "$(dirname "$0")/lib/tap.sh"

command -v python3 >/dev/null || skip_all 'there is no python3'

# The members that the second schema lacks or types otherwise, by their paths below $defs.
cat >"$scratch/compare.py" <<'END'
import json
import sys

def members(schema):
    found = {}
    for name, part in [("", schema), *schema.get("$defs", {}).items()]:
        for key, value in part.get("properties", {}).items():
            shape = {word: value[word] for word in ("type", "$ref") if word in value}
            if "anyOf" in value:
                shape["anyOf"] = [{w: v[w] for w in ("type", "$ref") if w in v} for v in value["anyOf"]]
            found[name + "." + key] = shape
    return found

old, new = (json.load(open(path)) for path in sys.argv[1:3])
if old.get("$id") == new.get("$id") or "$id" not in old:
    now = members(new)
    for key, shape in members(old).items():
        if key not in now:
            print(key, "is gone")
        elif now[key] != shape:
            print(key, "was", json.dumps(shape), "and is", json.dumps(now[key]))
END
compare() { python3 "$scratch/compare.py" "$@" 2>&1; }

walk=$srcdir/data/unspool-walk.schema.json
sed 's/"thread_name"/"name_of_thread"/' "$walk" >"$scratch/renamed.json"
is 'a renamed member is noticed' "$(compare "$walk" "$scratch/renamed.json" | sort -u | grep -c 'thread_name is gone')" \
	"$(compare "$scratch/renamed.json" "$walk" | sort -u | grep -c 'name_of_thread is gone')"
t 'the message has its name' sh -c "$(printf 'python3 "%s" "%s" "%s" | grep -q "thread_name is gone"' \
	"$scratch/compare.py" "$walk" "$scratch/renamed.json")"
sed 's/urn:unspool:walk:1/urn:unspool:walk:2/' "$scratch/renamed.json" >"$scratch/raised.json"
none 'a higher version allows the change' "$(compare "$walk" "$scratch/raised.json")"

tag=$(git -C "$srcdir" describe --tags --abbrev=0 2>/dev/null)
if [ -z "$tag" ]; then
	skip 1 'the sources have no tag'
else
	for schema in "$srcdir"/data/*.schema.json; do
		name=${schema##*/}
		git -C "$srcdir" show "$tag:data/$name" >"$scratch/old.json" 2>/dev/null || continue
		compare "$scratch/old.json" "$schema" | sed "s/^/$name: /"
	done >"$scratch/changes"
	none "all members of the schemas of $tag are there, with their types" "$(cat "$scratch/changes")"
fi

done_testing
