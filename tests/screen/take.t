#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Files that exist are not overwritten. tests/scenes/take has the copies.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

folder=$srcdir/data/crashes/frame-data-x86
x86="$folder/crash.dmp $folder/symbols"

# Existing files stay unchanged, unless a command with '!' overwrites them; links are never followed
cp -R "$folder" "$scratch/mine"
chmod u+w "$scratch/mine" "$scratch/mine/crash.dmp"
printf 'precious\n' >"$scratch/kept"
cp "$scratch/kept" "$scratch/target"
cp "$scratch/kept" "$scratch/edits"
chmod 640 "$scratch/kept"
ln -s target "$scratch/link"
ln -s made "$scratch/dangling"
screen_case 'an existing file is not overwritten' 80x24 "$scratch/mine/crash.dmp" "$folder/symbols" <<KEYS
:try save-screen $scratch/mine/crash.dmp
:save-screen dump
:try save-screen $scratch/link
:try save-screen! $scratch/link
:save-screen link
:try save-screen $scratch/dangling
:try save-screen! $scratch/dangling
:try write $scratch/dangling
:try write! /dev/null
:save-screen device
:try save! $scratch/kept
:try write $scratch/kept
:save-screen kept
KEYS
expect_text dump "exists; ':save-screen!' overwrites it"
expect_text link "cannot write '.*': it is not a regular file"
expect_text device "rows written to '/dev/null'"
expect_text kept "exists; ':write!' overwrites it"
t 'the open dump is unchanged' cmp -s "$scratch/mine/crash.dmp" "$folder/crash.dmp"
is 'no link was followed' "$(cat "$scratch/target"; ls "$scratch/made" 2>&1 | grep -c made)" 'precious
1'
t 'a device stays a device' test -c /dev/null
screen_case "a command with '!' overwrites" 80x24 "$scratch/mine/crash.dmp" "$folder/symbols" <<KEYS
:save-screen! $scratch/kept
:write! $scratch/target
:save-screen! $scratch/mine/crash.dmp
:goto frame 1
:save-screen! new
:export walk again.txt
:export! walk again.txt
:export! step $scratch/target.txt
KEYS
t 'a file becomes the screen' grep -q 'ledger' "$scratch/kept"
is 'the file keeps its rights' "$(ls -l "$scratch/kept" | cut -c1-10)" '-rw-r-----'
t 'a missing file is made' grep -q 'add_up' "$screen_folder/new"
# shellcheck disable=SC2086
is 'a step is written' "$(cat "$scratch/target.txt")" "$("$UNSPOOL" explain --frame 1 $x86)"
is 'no draft is left next to the files' "$(find "$scratch" -name '*.??????' | grep -cE '(kept|target|crash.dmp|new|again.txt)\.[^.]{6}$')" 0

done_testing
