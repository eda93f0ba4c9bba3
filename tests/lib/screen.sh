# SPDX-License-Identifier: GPL-3.0-or-later
#
# Screen tests: a script is the input, cells are the output; no terminal, no clock. To be sourced. POSIX sh.
#
#	. "$srcdir/tests/lib/screen.sh"
#	screen_case 'a token is stepped' 80x24 data/crashes/two/crash.dmp data/crashes/two/symbols <<\KEYS
#	s
#	:save-screen --attributes got
#	KEYS
#	expect_region --attributes got 1,11 80x2 <<\END
#	   tok  token  stack after
#	{r:>    2  $ebp   $T0 0012fe88}
#	END
#	done_testing
#
# tests/lib/region.c describes the notation of attributes.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

region=$builddir/tests/lib/region
[ -x "$region" ] || skip_all 'tests/lib/region is not built; make check builds it'

# The limit ends a script that would run for ever.
screen_limit=
command -v timeout >/dev/null 2>&1 && screen_limit='timeout 900'

# Scripts save their screens here; it is empty when a case begins.
screen_folder=$scratch/screen

# screen_case TITLE COLUMNSxROWS ARGUMENT... <script
# Run the script without a terminal. Inputs that exist in the source folder are taken from there. The test
# passes if the program exits with 0; the screens that the script saved can then be checked.
screen_case() {
	screen_title=$1
	screen_size=$2
	shift 2
	rm -rf "$screen_folder"
	mkdir "$screen_folder" || return 1
	cat >"$scratch/script"
	screen_left=$#
	while [ "$screen_left" -gt 0 ]; do
		screen_left=$((screen_left - 1))
		case $1 in
		-* | /*) set -- "$@" "$1" ;;
		*) if [ -e "$srcdir/$1" ]; then set -- "$@" "$srcdir/$1"; else set -- "$@" "$1"; fi ;;
		esac
		shift
	done
	t "$screen_title" screen_run "$@"
}

screen_run() (
	cd "$screen_folder" || exit 99
	# shellcheck disable=SC2086
	exec $screen_limit "$UNSPOOL" --script "$scratch/script" --size "$screen_size" "$@" </dev/null
)

# screen_played TITLE COLUMNSxROWS ARGUMENT... <lines
# Each line is KEYS|REGEX: after these keys, with " ; " between them, a row of the screen matches, or none does if
# REGEX begins with !. Without keys the screen is that of the line before. Screens are saved by the number of
# their line with keys.
screen_played() {
	: >"$scratch/checks"
	$AWK -v checks="$scratch/checks" '{
		keys = $0
		sub(/\|.*/, "", keys)
		if (keys != "" || NR == 1) {
			gsub(/ ; /, "\n", keys)
			print keys "\n:save-screen " ++screen
		}
		print screen substr($0, index($0, "|")) >checks
	}' >"$scratch/keys"
	screen_case "$@" <"$scratch/keys"
	while IFS='|' read -r played_screen played_regex; do
		case $played_regex in
		'') ;;
		!*) refuse_text "$played_screen" "${played_regex#!}" ;;
		*) expect_text "$played_screen" "$played_regex" ;;
		esac
	done <"$scratch/checks"
}

# expect_region [--attributes] FILE COLUMN,ROW WIDTHxHEIGHT <rows
# A rectangle of a saved screen has these rows. Trailing blanks do not count.
expect_region() {
	region_option=
	if [ "$1" = --attributes ]; then
		region_option=--attributes
		shift
	fi
	cat >"$scratch/expected"
	if ! [ -f "$screen_folder/$1" ]; then
		cat >/dev/null
		tap_result 1 "$screen_title: $1 was saved"
		return 1
	fi
	# shellcheck disable=SC2086
	is "$screen_title: $1 at $2" "$("$region" $region_option "$2" "$3" "$screen_folder/$1")" \
		"$("$region" $region_option 1,1 "$3" - <"$scratch/expected")"
}

# expect_text FILE REGEX, refuse_text FILE REGEX: some row of a saved screen matches; no row matches.
expect_text() {
	t "$screen_title: $1 shows '$2'" grep -qE -- "$2" "$screen_folder/$1"
}
refuse_text() {
	none "$screen_title: $1 does not show '$2'" "$(grep -E -- "$2" "$screen_folder/$1" 2>&1)"
}

# show_region [--attributes] FILE COLUMN,ROW WIDTHxHEIGHT: print a rectangle for use in a new test.
show_region() {
	region_option=
	if [ "$1" = --attributes ]; then
		region_option=--attributes
		shift
	fi
	# shellcheck disable=SC2086
	"$region" $region_option "$2" "$3" "$screen_folder/$1" | sed 's/^/# /'
}
