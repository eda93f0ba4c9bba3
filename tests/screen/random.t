#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Random keys, commands, clicks and sizes of the screen: the explorer survives them all.
#
#	UNSPOOL_KEYS	how many keys, shared by the bundled crashes (200000)
#	UNSPOOL_SEED	of the random numbers (20261121)
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

make_keys=$builddir/tests/screen/make-keys
[ -x "$make_keys" ] || skip_all 'tests/screen/make-keys is not built; make check builds it'

: "${UNSPOOL_KEYS:=200000}" "${UNSPOOL_SEED:=20261121}"
crashes=0
for folder in "$srcdir"/data/crashes/*/; do crashes=$((crashes + 1)); done
keys=$((UNSPOOL_KEYS / crashes))
# A sanitized program on a busy machine is slow.
command -v timeout >/dev/null 2>&1 && screen_limit='timeout 900'
# Commands for the keys that edit and copy.
VISUAL=true
EDITOR=true
LSAN_OPTIONS=suppressions=$srcdir/tests/lib/leaks:print_suppressions=0
# The sanitizer reads that file when the program ends, inside the sandbox.
UNSPOOL_SANDBOX=off
export VISUAL EDITOR LSAN_OPTIONS UNSPOOL_SANDBOX

# untidy FILE: print what a screen of 80x24 must not have.
untidy() {
	LC_ALL=C $AWK '
		length > 80 { print FNR ": " length " columns: " $0 }
		/[^ -~]/ { print FNR ": no ASCII: " $0 }
		END { if (NR != 24) print NR " rows" }' "$1" 2>&1
}

# A command that fails makes the status 1 and is reported with its line; the report of a sanitizer begins with other words.
stands() (
	mkdir "$screen_folder" && cd "$screen_folder" || exit 99
	$screen_limit "$UNSPOOL" --script "$scratch/keys" --size 80x24 --ascii --no-cache "$@" </dev/null 2>"$scratch/said"
	[ $? -le 1 ]
)

seed=$UNSPOOL_SEED
for folder in "$srcdir"/data/crashes/*/; do
	crash=$(basename "$folder")
	{
		"$make_keys" "$seed" "$keys"
		# Leave all open prompts and views, then check that the program answers.
		printf 'resize 80x24\nEsc\nEsc\nEsc\nEsc\n1\n:set layout auto\n:frame 0\n'
		printf ':save-screen end\n'
	} >"$scratch/keys"
	rm -rf "$screen_folder"
	screen_title=$crash
	t "$crash survives $keys keys of seed $seed" stands "${folder}crash.dmp" "${folder}symbols"
	none "$crash: messages are only about refused commands" "$(grep -v '^unspool: .*keys:[0-9]*: ' "$scratch/said" | head -n 20)"
	none "$crash: the screen is tidy" "$(untidy "$screen_folder/end")"
	expect_text end 'frame 0( -> |$)'
	seed=$((seed + 1))
done
printf '# %s keys from seed %s on\n' "$((keys * crashes))" "$UNSPOOL_SEED"

done_testing
