#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The shape of the house: who may include whom, what a file must say, what the library exports.
. "$(dirname "$0")/lib/tap.sh"

cd "$srcdir" || exit 99

# Lines ------------------------------------------------------------------------------------------

none 'no line of the sources has more than 100 columns' "$(find src ui -name '*.[ch]' | xargs $AWK '
	{
		columns = 0
		count = split($0, part, "\t")
		for (i = 1; i <= count; i++)
			columns += length(part[i]) + (i < count ? 8 - (columns + length(part[i])) % 8 : 0)
		if (columns > 100)
			print FILENAME ":" FNR
	}')"

# Files ------------------------------------------------------------------------------------------

if [ -e .git ] && command -v git >/dev/null; then
	none 'git has no file of more than 1 MB' "$(git ls-tree -r -l HEAD | $AWK '$4 > 1000000 { print $5 }')"
else
	skip 1 'these are not the sources of git'
fi

# Rooms ------------------------------------------------------------------------------------------

# Makefile.am includes the lists of the rooms from the top of the house to its bottom.
rooms=$(sed -n 's,^include $(srcdir)/src/\([a-z_]*\)/room\.am$,\1,p' Makefile.am)

# Includes of a room that is not above the file's own, as FILE:LINE: "INCLUDE".
downward_includes() {
	find src -name '*.[ch]' -exec grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' {} + | $AWK -v rooms="$rooms" '
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

# One header is a template: describe_facts.h.
none 'a file includes a header once, and none inside an initializer or a function' "$(find src ui -name '*.[ch]' | LC_ALL=C sort | xargs $AWK '
	FNR == 1 { split("", seen); inside = 0 }
	/^#include .*\.h[">]/ {
		if (seen[$2]++ && $2 !~ /describe_facts/)
			print FILENAME ":" FNR ": " $2 " again"
		if (inside)
			print FILENAME ":" FNR ": " $2 " inside braces"
	}
	/^{$|^[a-z].*{$/ { inside = 1 }
	/^}/ { inside = 0 }')"

none "a room's internal header is included in that room only" \
	"$(find src ui -name '*.[ch]' -exec grep -nE '^#include "[a-z_/]*_internal\.h"' {} + | $AWK -F '[:"]' '
		{ split($1, from, "/"); split($4, to, "/"); split($1, folder, "/") }
		from[1] == "ui" ? to[2] != from[2] : to[1] != from[2]')"

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

none 'only src/locate/fetch_http.c includes curl' "$(grep -rnE '#[[:space:]]*include[[:space:]]*[<"]curl/' src ui tests --include='*.[ch]' |
		grep -v '^src/locate/fetch_http\.c:')"

# An architecture is a row of crash/arch.def; the rest of the program asks that row for a property. Only
# tables with a row for each architecture name one, and Windows on Windows.
architectures=$($AWK -F '[()]' '/^ARCH\(/ && $2 != "UNKNOWN" { printf "%s%s", sep, $2; sep = "|" }' src/crash/arch_id.def)
none 'no file but those of its own names an architecture' \
	"$(grep -rnE "\\bARCH_($architectures)\\b" src ui --include='*.[ch]' --include='*.def' |
		grep -vE '^src/(dump/context/[a-z0-9_]*\.[cdef]*|dump/wow64\.c|sframe/sframe\.c):')"

none 'nothing in src/ exits, aborts or prints, but cmd' "$(find src -name '*.c' ! -path 'src/cmd/*' -exec grep -nE \
		'(^|[^_[:alnum:]])(_?exit|abort|printf|puts|putchar|perror|err|errx|warn|warnx) ?\(' {} + |
		grep -vE ':[[:space:]]*(\*|/\*)')"

# Text that is not the program's own is escaped by cmd_say, cmd_print and output_text.
none 'commands print through print.c, except tables of constants, progress and the stream to a pager' \
	"$(grep -nE '(^|[^_[:alnum:]])(f?printf|f?puts|putchar|fwrite|perror) ?\(' src/cmd/*.c src/cmd/symbol_files/*.c |
		grep -vE '^src/cmd/(print|program|policy|input|help|symbol_files/(lint|dump_syms|repair))\.c:')"

# Files ------------------------------------------------------------------------------------------

sources() { find src ui tests -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort; }

unlicensed=$({ sources; find m4 tests -name '*.m4' -o -name '*.sh' -o -name '*.t'; } | xargs $AWK '
		FNR == 1 && NR > 1 && !found { print last }
		FNR == 1 { found = 0; last = FILENAME }
		FNR <= 3 && /SPDX-License-Identifier: GPL-3.0-or-later/ { found = 1 }
		END { if (!found) print last }')
none 'every source begins with the licence line' "$unlicensed"

none 'every header explains itself in a doc comment' "$(find src ui -name '*.h' -exec grep -L '^/\*\*' {} +)"

# Rows of a table are no code: however many there are, each is read alone.
none 'no source has more than 900 lines' "$(sources | grep -E '^(src|ui)/.*\.[ch]$' | xargs wc -l | $AWK '$2 != "total" && $1 > 900')"

marks='TO''DO|FIX''ME|XX''X|HA''CK'
none 'nothing is marked as left for later' "$(grep -rnwE "($marks)" src ui tests m4 configure.ac Makefile.am bootstrap .ci/run)"

none 'no code is switched off' "$(grep -rnE '#[[:space:]]*if[[:space:]]+0\b' src ui tests --include='*.[ch]')"

# A list and the folder that it lists. $1: the list, $2: the files.
list_and_folder() {
	sed -nE 's,^\t((src|ui|tests)/[^ ]*)( \\)?$,\1,p' "$1" | LC_ALL=C sort >"$scratch/listed"
	echo "$2" | LC_ALL=C sort | diff "$scratch/listed" - | sed -n "s,^< \(.*\),\1 of $1 does not exist,p; s,^> \(.*\),\1 is missing in $1,p"
}
none "the list of a room has the files of its folder, and no others" "$(for room in $rooms; do
	list_and_folder src/$room/room.am "$(find src/$room -name '*.[ch]' -o -name '*.def' | grep -v '^src/cmd/main\.c$')"
done
list_and_folder ui/room.am "$(find ui -name '*.[ch]' -o -name '*.def')")"

# Forgetting a line would leave a test out of the check.
unlisted=$({ find tests -name '*.[ch]'; find tests -name '*.t'; } | grep -v '^tests/\(fuzz\|bench\)/' |
	while read -r file; do
		case $file in
		tests/unit/*.c | tests/fault/t-*.c | tests/lib/make-*.c | tests/screen/make-*.c | tests/lib/[ru]*.c)
			file=${file%.c} ;;
		esac
		echo "$file"
	done | LC_ALL=C sort >"$scratch/needed"
	sed -nE 's,^.*[[:space:]](tests/[^[:space:]]*)( \\)?$,\1,p' tests/tests.am Makefile.am | LC_ALL=C sort -u |
		LC_ALL=C comm -23 "$scratch/needed" -)
none 'every test is in a list of tests/tests.am or Makefile.am' "$unlisted"
none 'every test of a list exists' "$(sed -nE 's,^\t(tests/[^ ]*\.(c|h|def|t))( \\)?$,\1,p' tests/tests.am Makefile.am |
		while read -r file; do [ -e "$file" ] || echo "$file"; done)"

# A description of facts makes both a table for the schema and a writer; one may do without the other.
# The functions of the library are for other programs.
alone_left='.*_(members|facts)|__wrap_.*|unspool_.*'

# ctags, a debugger and pretty printers lead to one place.
none 'a struct tag is defined once' "$(find src ui -name '*.[ch]' -exec \
	sed -n 's/^struct \([a-z0-9_]*\) {.*/\1/p' {} + | LC_ALL=C sort | uniq -d)"

none 'no folder of src/ or ui/ has more than 40 files' "$(find src ui -type f -name '*.[chd]*' | sed 's,/[^/]*$,,' | sort | uniq -c |
		$AWK '$1 > 40')"

none 'every shell test can be executed' "$(find tests -name '*.t' ! -perm -u+x)"

# The library ------------------------------------------------------------------------------------

library=$builddir/libunspool.a
if ! [ -f "$library" ]; then
	skip 7 'the library is not built'
	done_testing
fi
if $NM "$library" 2>/dev/null | grep -qE '__(asan|ubsan|gcov)_'; then
	skip 7 'the library is instrumented, its symbols are not ours alone'
	done_testing
fi

$NM -u "$library" >"$scratch/undefined" 2>/dev/null
none 'the library needs neither curses nor readline' \
	"$(grep -E ' _?(rl_|add_history|newterm|initscr|endwin|stdscr|w?addn?wstr|mvw|wgetch|tget|tput)' "$scratch/undefined")"
none 'the library neither exits nor writes to standard output' \
	"$(grep -E ' (_?exit|_Exit|abort|printf|puts|putchar|stdout|stderr|__printf_chk)(@|$)' "$scratch/undefined")"

none 'the program links no library that it loads on first use' "$($OBJDUMP -p "$builddir/unspool" 2>/dev/null |
	grep -E 'NEEDED +lib(capstone|curl|lz4|lzma|mspack|ncurses|readline|tinfo|zstd|z\.)')"

# A name begins with its file, table or room or with the struct that it works on: arena_alloc,
# symbols_load, registers_set; a table may be that word alone. Singular and plural
# are one word. unwind_step is named after the whole walk/ room's purpose, trust_table after its enum.
families='unwind trust'
structs=$(find src -name '*.h' -exec sed -n 's/^struct \([a-z0-9]*\).*{$/\1/p' {} + | tr '\n' ' ')
words=$(find src \( -name '*.[ch]' -o -name '*.def' \) ! -path 'src/cmd/*' | sed 's,^src/,,; s,\.[a-z]*$,,' | tr '/_\n' '   ')
foreign=$($NM -g "$library" 2>/dev/null | $AWK -v words="$words $structs $families" '
	function singular(name) { sub(/s$/, "", name); return name }
	BEGIN { for (n = split(words, word, " "); n > 0; n--) known[singular(word[n])] = 1 }
	NF == 3 && $2 ~ /^[A-TV-Z]$/ {
		split($3, part, "_")
		if (!(singular(part[1]) in known) && $3 !~ /^__(wrap|real)_/)
			print $3
	}')
none 'every exported name begins with the name of its file, room or struct' "$foreign"

# Constant tables that hold pointers live in .data.rel.ro and are not written to after the start.
# Files that may have data which is written to, each with its reason:
mutable_files='
door		a process has one sandbox, which it enters once
capstone_library	a library that is loaded once, and the reserve for its one allocator
file		the signal handler for a file that shrinks while it is mapped must find the mappings
shortage	what the system lacks is a state of the process
symfile		no two symbol files that a process opens have one number
signals		what a signal handler reads and restores
term		curses has one terminal
prompt		readline has one line and calls functions without a context
clip		what the terminal copies is kept until it is pasted
keymap		the table of all keys is made once
sandbox		a process enters its sandbox once
binding		the keys of the configuration file change the table of all keys
lesson_parse	nftw(3) calls functions without a context
explorer	the one explorer of the program, and what its signal handler sets'
mutable_data() {
	$OBJDUMP -t "$@" 2>/dev/null | $AWK -v listed="$mutable_files" '
		BEGIN {
			for (n = split(listed, row, "\n"); n > 0; n--) {
				split(row[n], word, "\t")
				may[word[1]] = 1
			}
		}
		/file format/ {
			object = $1
			sub(/\.o:$/, "", object)
			sub(/^.*[-\/]/, "", object)
			next
		}
		split($0, half, "\t") == 2 {
			n = split(half[1], left, " "); split(half[2], right, " ")
			section = left[n]; name = right[2]
			if (section ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ &&
					name !~ /^\./ && !(object in may))
				print object ": " name " in " section
		}'
}
none 'data that is written to is in the files that are listed with a reason' "$(mutable_data "$library" "$builddir"/libunspoolui.a)"

# Every object with its room and the names that it defines (T, D, ...) or needs (U).
# A product of an earlier build may have no source any more.
find "$builddir/src" "$builddir/ui" -name '*.o' | LC_ALL=C sort |
	sed 's|^\(.*/\)\([a-z]*_a-\)\{0,1\}\([a-z0-9_]*\)\.o$|& \1\3.c|' | while read -r object source; do
		[ -f "${source#"$builddir"/}" ] && echo "$object"
	done | xargs $NM -A -g 2>/dev/null | sed "s,^$builddir/,,; s,^src/,," | $AWK '
		NF > 1 { room = $1; sub(/\/.*/, "", room); sub(/:.*/, "", $1); print room, $1, $(NF - 1), $NF }' >"$scratch/names"

# The same as the test of includes, but of what the linker binds: a declaration by hand finds no way.
none 'what an object needs is defined in its room or in one above it' "$($AWK -v rooms="$rooms ui" '
	BEGIN {
		for (n = split(rooms, name, " "); n > 0; n--)
			rank[name[n]] = n
		rank["cmd"] = rank["ui"] + 1
	}
	$3 != "U" { defined[$4] = $1; next }
	{ needs[++count] = $0 }
	END {
		for (i = 1; i <= count; i++) {
			split(needs[i], need, " ")
			if ((need[4] in defined) && rank[defined[need[4]]] > rank[need[1]])
				print need[2] " needs " need[4] " of " defined[need[4]]
		}
	}' "$scratch/names")"

# A test may be the other file: it asks for what the file does inside.
$AWK '$3 ~ /^[A-TV-Z]$/ && $4 != "main" { print $4 }' "$scratch/names" | LC_ALL=C sort -u >"$scratch/exported"
find src ui tests -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | xargs $AWK '
	NR == FNR { exported[$1] = 1; next }
	FILENAME ~ /\.h$/ && /^[a-z_]+\(/ { next }
	{
		line = $0
		while (match(line, /[a-z0-9_]+_##/)) {
			before[substr(line, RSTART, RLENGTH - 2)] = 1
			line = substr(line, RSTART + RLENGTH)
		}
		line = $0
		while (match(line, /##_[a-z_]+/)) {
			behind[substr(line, RSTART + 2, RLENGTH - 2)] = 1
			line = substr(line, RSTART + RLENGTH)
		}
		line = $0
		while (match(line, /[A-Za-z_][A-Za-z0-9_]*/)) {
			word = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (FILENAME ~ /\.def$/)
				row[word] = 1
			if ((word in exported) && !((word, FILENAME) in seen)) {
				seen[word, FILENAME] = 1
				files[word]++
			}
		}
	}
	END {
		before[""] = behind[""] = 1
		for (prefix in before)
			for (suffix in behind)
				for (word in row)
					if ((prefix word suffix) in exported && prefix suffix != "")
						files[prefix word suffix]++
		for (word in exported)
			if (files[word] < 2)
				print word
	}' "$scratch/exported" | LC_ALL=C sort >"$scratch/alone"
none 'what a file exports is used in another one' "$(grep -vxE "$alone_left" "$scratch/alone")"

# A library that is not used any more would hide what depends on it.
none 'configure defines each HAVE_ macro that sources and tests ask for' "$(
	cd "$srcdir" && grep -rhoE '\bHAVE_[A-Z0-9_]+' src ui tests --include='*.[ch]' | LC_ALL=C sort -u |
		while read -r macro; do grep -qw "$macro" config.h.in || echo "$macro"; done)"

done_testing
