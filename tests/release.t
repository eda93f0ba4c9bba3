#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The version comes from the archive, the tag or NEWS; configure has it. Forms and rules for contributors are valid.
. "$(dirname "$0")/lib/tap.sh"

tree=$scratch/tree
mkdir -p "$tree/data/packaging"
cp "$srcdir/data/packaging/version" "$tree/data/packaging/"
printf 'NEWS\n\n* 7.1.2\n\ntext\n\n* 7.1.1\n' >"$tree/NEWS"
version() { "$tree/data/packaging/version"; }

is 'without tags the version is that of the newest entry of NEWS' "$(version)" 7.1.2
if command -v git >/dev/null 2>&1; then
	run() { git -C "$tree" -c user.name=a -c user.email=a@b.invalid -c commit.gpgsign=false "$@" >/dev/null 2>&1; }
	run init && run add . && run commit -m one
	is 'so it is in a clone without tags' "$(version)" 7.1.2
	run tag v8.0.0
	is 'the tag vX.Y.Z is version X.Y.Z' "$(version)" 8.0.0
	run commit --allow-empty -m two
	is 'a later commit has the number of commits and its name' "$(version)" "8.0.0+1.g$(git -C "$tree" rev-parse --short HEAD)"
	run tag other-1
	is 'other tags are no versions' "$(version | cut -d + -f 1)" 8.0.0
	git clone -q --depth 1 "file://$tree" "$scratch/shallow" 2>/dev/null
	is 'a shallow clone without the tag has that of NEWS' "$("$scratch/shallow/data/packaging/version")" 7.1.2
else
	skip 5 'there is no git'
fi
echo 9.0.0 >"$tree/.version"
is 'an archive has its version in a file' "$(version)" 9.0.0
t 'the program has a version of this form' sh -c '"$1" --version | grep -qE "^unspool [0-9]+[.][0-9]+[.][0-9]+([+][0-9]+[.]g[0-9a-f]+)?$"' sh "$UNSPOOL"

# Forms of issues: each label belongs to a field with an id, and defects of security are sent elsewhere.
forms=$srcdir/.github/ISSUE_TEMPLATE
if [ -d "$forms" ] && command -v python3 >/dev/null 2>&1 && python3 -c 'import yaml' 2>/dev/null; then
	is 'the forms of issues have a name, a description and fields with ids' "$(python3 -c '
import sys, yaml
for path in sys.argv[1:]:
    form = yaml.safe_load(open(path))
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    good = form["name"] and form["description"] and all(f["id"] and f["attributes"]["label"] for f in fields)
    print("good" if good and fields else path)' "$forms"/defect.yml "$forms"/idea.yml | sort -u)" good
else
	skip 1 'the archive has no forms, or there is no python3 with yaml'
fi
t 'SECURITY.md says how to report' grep -q 'Report a vulnerability' "$srcdir/SECURITY.md"
done_testing
