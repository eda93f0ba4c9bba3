#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The shape of the house: who may include whom, what a file must say, what the library exports.
. "$(dirname "$0")/lib/tap.sh"

cd "$srcdir" || exit 99

# Rooms ------------------------------------------------------------------------------------------

rooms='base system crash dump binary code sframe frame_table debug_info symbols locate rules walk document analysis lint
	report cmd'

# Includes of a room that is not above the file's own, as FILE:LINE: "INCLUDE".
downward_includes() {
	find src -name '*.[ch]' -exec grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' {} + |
	$AWK -v rooms="$rooms" '
		BEGIN { for (n = split(rooms, name, " "); n > 0; n--) rank[name[n]] = n }
		{
			split($0, quoted, "\""); split(quoted[2], to, "/"); split($0, from, "/")
			if (quoted[2] == "ui/explorer.h" && from[2] == "cmd")
				next
			if (quoted[2] == "config.h" && from[2] == "cmd")
				next
			if (!(to[1] in rank) || rank[to[1]] > rank[from[2]])
				print
		}'
}
none 'an include in src/ points up the rooms, and names its room' "$(downward_includes)"

folders=$(find src -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,')
strays=
for folder in $folders; do
	case " $(echo $rooms) " in *" $folder "*) ;; *) strays="$strays $folder" ;; esac
done
is 'every folder of src/ is a room' "$strays" ''

terminal='#[[:space:]]*include[[:space:]]*[<"](n?curses|ncursesw?/|term\.h|termcap|readline/|edit)'
none 'only ui/terminal/term.c includes curses' \
	"$(grep -rnE "$terminal" src ui tests --include='*.[ch]' | grep -v readline/ | grep -v '^ui/terminal/term\.c:')"
none 'only ui/terminal/prompt.c includes readline' \
	"$(grep -rnE "$terminal" src ui tests --include='*.[ch]' | grep readline/ | grep -v '^ui/terminal/prompt\.c:')"

none 'only src/locate/fetch_http.c includes curl' \
	"$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"]curl/' src ui tests --include='*.[ch]' |
		grep -v '^src/locate/fetch_http\.c:')"

# An architecture is a row of crash/arch.def; the rest of the program asks that row for a property. Only
# tables with a row for each architecture name one, and Windows on Windows.
architectures=$($AWK -F '[(,]' '/^ARCH\(/ && $2 != "UNKNOWN" { printf "%s%s", sep, $2; sep = "|" }' src/crash/arch.def)
none 'no file but those of its own names an architecture' \
	"$(grep -rnE "\\bARCH_($architectures)\\b" src ui --include='*.[ch]' --include='*.def' |
		grep -vE '^src/(dump/context/[a-z0-9_]*\.[cdef]*|dump/wow64\.c|code/[a-z]*\.c|sframe/sframe\.c):')"

none 'nothing in src/ exits, aborts or prints, but cmd' \
	"$(find src -name '*.c' ! -path 'src/cmd/*' -exec grep -nE \
		'(^|[^_[:alnum:]])(_?exit|abort|printf|puts|putchar|perror|err|errx|warn|warnx) ?\(' {} + |
		grep -vE ':[[:space:]]*(\*|/\*)')"

# Files ------------------------------------------------------------------------------------------

sources() { find src ui tests -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort; }

unlicensed=$({ sources; find m4 tests -name '*.m4' -o -name '*.sh' -o -name '*.t'; } |
	while read -r file; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' || echo "$file"
	done)
none 'every source begins with the licence line' "$unlicensed"

none 'every header explains itself in a doc comment' \
	"$(find src ui -name '*.h' -exec grep -L '^/\*\*' {} +)"

# Rows of a table are no code: however many there are, each is read alone.
none 'no source has more than 900 lines' \
	"$(sources | grep -E '^(src|ui)/.*\.[ch]$' | xargs wc -l | $AWK '$2 != "total" && $1 > 900')"

marks='TO''DO|FIX''ME|XX''X|HA''CK'
none 'nothing is marked as left for later' \
	"$(grep -rnwE "($marks)" src ui tests m4 configure.ac Makefile.am bootstrap .ci/run)"

none 'no code is switched off' "$(grep -rnE '#[[:space:]]*if[[:space:]]+0\b' src ui tests --include='*.[ch]')"

# Forgetting a line in Makefile.am would leave a file out of the build or a test out of the check.
unlisted=$({ sources; find tests -name '*.t'; } | grep -v '^tests/\(fuzz\|bench\)/' |
	while read -r file; do
		case $file in
		tests/unit/*.c | tests/fault/t-*.c | tests/lib/make-*.c | tests/screen/make-*.c | tests/lib/region.c)
			file=${file%.c} ;;
		esac
		grep -qE "[[:space:]]$file( \\\\)?$" Makefile.am || echo "$file"
	done)
none 'every source and test is in a list of Makefile.am' "$unlisted"

none 'every shell test can be executed' "$(find tests -name '*.t' ! -perm -u+x)"

# The library ------------------------------------------------------------------------------------

library=$builddir/libunspool.a
if ! [ -f "$library" ]; then
	skip 4 'the library is not built'
	done_testing
fi
if $NM "$library" 2>/dev/null | grep -qE '__(asan|ubsan|gcov)_'; then
	skip 4 'the library is instrumented, its symbols are not ours alone'
	done_testing
fi

$NM -u "$library" >"$scratch/undefined" 2>/dev/null
none 'the library needs neither curses nor readline' \
	"$(grep -E ' _?(rl_|add_history|newterm|initscr|endwin|stdscr|w?addn?wstr|mvw|wgetch|tget|tput)' \
		"$scratch/undefined")"
none 'the library neither exits nor writes to standard output' \
	"$(grep -E ' (_?exit|_Exit|abort|printf|puts|putchar|stdout|stderr|__printf_chk)(@|$)' \
		"$scratch/undefined")"

# A name begins with its file, table or room or with the struct that it works on: arena_alloc,
# check_sentence, symbols_load, registers_set; a table may be that word alone. Singular and plural
# are one word. unwind_step is named after the whole walk/ room's purpose, trust_tag after its enum.
families='unwind trust'
structs=$(find src -name '*.h' -exec sed -n 's/^struct \([a-z0-9]*\).*{$/\1/p' {} + | tr '\n' ' ')
words=$(find src \( -name '*.[ch]' -o -name '*.def' \) ! -path 'src/cmd/*' |
	sed 's,^src/,,; s,\.[a-z]*$,,' | tr '/_\n' '   ')
foreign=$($NM -g "$library" 2>/dev/null | $AWK -v words="$words $structs $families" '
	function singular(name) { sub(/s$/, "", name); return name }
	BEGIN { for (n = split(words, word, " "); n > 0; n--) known[singular(word[n])] = 1 }
	NF == 3 && $2 ~ /^[A-TV-Z]$/ {
		split($3, part, "_")
		if (!(singular(part[1]) in known))
			print $3
	}')
none 'every exported name begins with the name of its file, room or struct' "$foreign"

# Constant tables that hold pointers live in .data.rel.ro and are not written to after the start.
# base/file.o keeps the list of mapped files that its signal handler must know.
mutable=$($OBJDUMP -t "$library" 2>/dev/null | $AWK '
	/file format/ { object = $1; sub(/:$/, "", object); next }
	split($0, half, "\t") == 2 {
		n = split(half[1], left, " "); split(half[2], right, " ")
		section = left[n]; name = right[2]
		if (section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ &&
				name !~ /^\./ && object !~ /(^|-)file\.o$/)
			print object ": " name " in " section
	}')
none 'the library has no mutable global data' "$mutable"

done_testing
