#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Blind mode: no view, export or copy contains the value that is to be predicted next.
. "$(dirname "$0")/../lib/tap.sh"

# Views of words and bytes show every word of the dump, which is input: their rows are searched without
# the address and word at their beginning, rows of bytes not at all.
views='summary stack source evidence eval registers memory frame drawing modules messages
	disassembly history methods walks edits table found versus'

# look N: print every view, and copy and export everything into files whose names begin with N.
look() {
	for view in $views; do
		echo "view $view"
	done
	echo "set copy-command cat >>$1.copies"
	for what in value row line frame walk step report; do
		echo "try copy $what"
	done
	for file in txt json svg html md; do
		echo "try export step $1.step.$file"
		echo "try export walk $1.walk.$file"
		echo "try export prose $1.prose.$file"
	done
	echo "try export report $1.report.html"
	echo "try export-case $1.case"
	echo 'try step frame'
	echo 'try predict 1'
}

# Words at their addresses are input, and input is not hidden; HTML tags are not parts of numbers.
cat >"$scratch/words.sed" <<'END'
s/<text class="\(word\|address\)"[^>]*>[0-9a-f]*</ word </g
s/<[^>]*>/ /g
s/"address": "0x[0-9a-f]*"/ word /
s/-> [0-9a-f]\{8,16\}/ word /g
s/[0-9a-f]\{8,16\} *[|]* *[0-9a-f]\{8,16\}/ word /g
s/\[[0-9a-f]\{8,16\}\] = [0-9a-f]\{8,16\}/ word /g
END
# Rows that contain the value in hexadecimal or decimal, with or without leading zeros.
cat >"$scratch/leaks.awk" <<'END'
BEGIN {
	for (i = 1; i <= length(hex); i++)
		decimal = decimal * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	decimal = sprintf("%.0f", decimal)
}
match(" " $0 " ", "[^0-9a-f]0*" hex "[^0-9a-f]") || match(" " $0 " ", "[^0-9]" decimal "[^0-9]") {
	print number ": " $0
}
END

# hides CRASH MODE FRAME LOOKS LEAST: at least LEAST of the values are large enough for a search.
hides() {
	folder=$scratch/$1-$2-$3
	mkdir "$folder"
	{
		echo 'set rows 200'
		echo "goto frame $3"
		echo "set blind $2"
		number=0
		while [ $number -lt "$4" ]; do
			look $number
			echo 'set blind'
			echo 'try reveal'
			number=$((number + 1))
		done
	} >"$folder/script"
	(cd "$folder" && "$UNSPOOL" --no-sandbox --plain --script script "$srcdir/data/crashes/$1/crash.dmp" \
		"$srcdir/data/crashes/$1/symbols" >out 2>err)
	is "$1, frame $3, blind $2: the script runs" $? 0
	# The rows up to each answer of "set blind" were visible before the value was shown.
	awk -v folder="$folder" '
		/predicted: P$/ { blind = 1; next }
		/^blind / { blind = 0; next }
		/^shown: / {
			blind = 1
			hex = $2; sub(/^0x/, "", hex); sub(/[^0-9a-f].*/, "", hex)
			print number + 0, hex >(folder "/values"); number++; next
		}
		blind { print >(folder "/" number + 0 ".views") }' "$folder/out"
	: >"$folder/leaks"
	looked=0
	seen=' '
	while read -r number hex; do
		# Registers of earlier frames may be visible; small numbers occur everywhere.
		for register in $(sed -n 's/^[> ] [a-z][a-z0-9]\{1,4\} *\([0-9a-f]\{8,16\}\)  .*/\1/p' \
			"$folder/$number.views" | sed 's/^0*//'); do
			seen="$seen$register "
		done
		case $seen in
		*" $hex "*) continue ;;
		esac
		seen="$seen$hex "
		[ ${#hex} -lt 5 ] && continue
		looked=$((looked + 1))
		sed -f "$scratch/words.sed" "$folder/$number".* 2>/dev/null |
			awk -v hex="$hex" -v number="$1 $2 $number" -f "$scratch/leaks.awk" >>"$folder/leaks"
	done <"$folder/values"
	none "$1, frame $3, blind $2: no output has a value before it is shown" "$(head -5 "$folder/leaks")"
	t "no output has one of the hidden values: $5 and more ($looked)" test "$looked" -ge "$5"
}

hides inlines-amd64 token 0 9 3
hides inlines-amd64 step 0 9 4
hides inlines-amd64 walk 0 6 6
hides frame-data-x86 token 0 8 2
hides frame-data-x86 token 1 12 3
hides frame-data-x86 token 2 12 3
hides frame-data-x86 walk 0 3 3
hides broken-cfi-amd64 step 0 5 2
hides broken-cfi-amd64 walk 0 3 3
hides scan-only-amd64 token 1 3 2
hides scan-only-amd64 walk 0 3 3
hides pac-arm64 token 0 9 2
hides pac-arm64 step 1 5 2
hides sframe-amd64 token 1 8 2
hides sframe-amd64 walk 0 4 3

# The offset of a word in the dump gives its address, and so the CFA: a hidden read has no offset.
dump=$srcdir/data/crashes/inlines-amd64/crash.dmp
symbols=$srcdir/data/crashes/inlines-amd64/symbols
printf 'set blind token\nexport step %s\n' "$scratch/step.json" >"$scratch/script"
t 'a step is exported while its values are hidden' "$UNSPOOL" --plain --script "$scratch/script" "$dump" "$symbols"
"$UNSPOOL" explain "$dump" "$symbols" | sed -n 's/^ *read \[.* \(crash\.dmp+0x[0-9a-f]*\)$/\1/p' >"$scratch/places"
t 'the step reads words' test -s "$scratch/places"
none 'no place of the words is printed' "$(grep -Fw -f "$scratch/places" "$scratch/step.json")"
done_testing
