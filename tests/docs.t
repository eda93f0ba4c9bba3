#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Documents say what the program does: examples print what they show, tables are those of the program, links lead somewhere.
. "$(dirname "$0")/lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'

# Tables -----------------------------------------------------------------------------------------

# without PATTERN FILE LIBRARY: a file shows what the program can't do, because it has no such library.
without() { lacks "$3" && grep -q "$1" "$2"; }
for file in $(cd "$srcdir" && ls doc/*.1 data/completion/* data/*.json && grep -l 'begin: ' README.md doc/*.[57] doc/*.md); do
	if without 'begin: md_screen' "$srcdir/$file" capstone; then
		skip 1 "the screens of $file show what capstone is for"
	else
		is "the tables and screens of $file are those of the program (doc/generate makes them)" \
			"$("$srcdir/doc/generate" "$UNSPOOL" "$srcdir/$file")" "$(cat "$srcdir/$file")"
	fi
	case $file in
	data/*.json) continue ;;
	esac
	t "$file has tables" grep -q 'begin: ' "$srcdir/$file"
done
commands=$(commands | grep -vx explore)
t 'the help lists commands' test -n "$commands"
for command in $commands; do
	t "$command has a manual page" test -f "$srcdir/doc/unspool-$command.1"
	page=$(echo "$command" | sed 's/-/\\-/g')
	t "unspool(1) names the page of $command" grep -qF "\\fBunspool\\-$page\\fR(1)" "$srcdir/doc/unspool.1"
done
is 'every key and every word of another debugger is in unspool-keys(7)' \
	"$(grep -c '^\(\\fB.*, \)\{0,1\}:' "$srcdir/doc/unspool-keys.7")" "$(cat "$srcdir/ui/request/request.def" "$srcdir/ui/request/alias.def" \
		"$srcdir/ui/view/view.def" "$srcdir/ui/view/details.def" | grep -c '^[RCEAWVD]F\{0,1\}(')"
none 'each manual page has an example' "$(grep -LE '^\.SH EXAMPLE|^\.EX|^\.nf' "$srcdir"/doc/*.[157])"
none 'no text of a table is cut' "$(grep -n '[^#] $' "$srcdir"/doc/*.[157] "$srcdir/data/config.example")"
if command -v man >/dev/null 2>&1; then
	for page in "$srcdir"/doc/*.[157]; do
		none "$(basename "$page") is well-formed" "$(man --warnings -l "$page" 2>&1 >/dev/null |
			grep -v 'not compatible\|unrecognized option')"
	done
fi
lint_pages() { for page in "$srcdir"/doc/*.[157]; do "$@" "$page" 2>&1; done; }
if command -v groff >/dev/null 2>&1; then
	none 'groff has no warnings for the manual pages' "$(lint_pages groff -ww -man -Tutf8 -z)"
else
	skip 1 'groff is not there'
fi
if command -v mandoc >/dev/null 2>&1; then
	none 'mandoc has no warnings for the manual pages' "$(lint_pages mandoc -Tlint -Wwarning)"
else
	skip 1 'mandoc is not there'
fi
# completed WORD...: what bash offers for the last word.
completed() {
	(cd "$srcdir/data/crashes" && bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _unspool && printf "%s " "${COMPREPLY[@]}"' \
		"$srcdir/data/completion/unspool.bash" unspool "$@")
}
if command -v bash >/dev/null 2>&1; then
	is 'bash completes a command' "$(completed summ)" 'summary '
	is 'bash completes an option of the command' "$(completed lint --base)" '--baseline '
	is 'bash completes the file of an option' "$(completed walk --symbols-path inl)" 'inlines-amd64 '
	is 'bash completes a value that the help lists' "$(completed walk --compat r) $(completed report --format h)" 'rust-minidump  human html '
	is 'bash completes a policy, a code, a method, a lesson and a term' "$(completed walk --policy public-re; completed lint --explain cfi-div
		completed walk --methods stack-w; completed lesson cfi-01; completed help CF)" \
		'public-reach= cfi-division stack-win cfi-01-postfix CFA '
	is 'bash completes nothing for a number' "$(completed walk --thread inl)" ' '
else
	skip 6 'bash is not there'
fi
if command -v zsh >/dev/null 2>&1; then
	none 'the completion of zsh is a script' "$(zsh -n "$srcdir/data/completion/_unspool" 2>&1)"
	is 'the completion of zsh describes each command' "$(zsh -fc '
		_describe() { print -rl -- "${(@P)2}" }
		_arguments() { }
		words=(unspool "") CURRENT=2
		. "$1"' zsh "$srcdir/data/completion/_unspool" | sed 's/:.*//')" "$commands"
else
	skip 2 'zsh is not there'
fi
if command -v fish >/dev/null 2>&1; then
	none 'the completion of fish is a script' "$(fish --no-execute "$srcdir/data/completion/unspool.fish" 2>&1)"
	is 'fish completes an option' "$(fish -c "source '$srcdir/data/completion/unspool.fish'
		complete --do-complete 'unspool lint --base'" | cut -f 1)" '--baseline'
	is 'fish completes a policy and a lesson' "$(fish -c "source '$srcdir/data/completion/unspool.fish'
		complete --do-complete 'unspool walk --policy public-re'; complete --do-complete 'unspool lesson cfi-01'" | cut -f 1 | tr '\n' ' ')" \
		'public-reach= cfi-01-postfix '
else
	skip 3 'fish is not there'
fi

# Examples ---------------------------------------------------------------------------------------

# In a ```console block the lines with `$ ` are commands, the others what they print.
mkdir "$scratch/bin" "$scratch/play"
ln -s "$UNSPOOL" "$scratch/bin/unspool"
ln -s "$srcdir/data" "$srcdir/tests" "$scratch/play"
PATH=$scratch/bin:$PATH
for document in $(cd "$srcdir" && grep -l '^```console$' README.md doc/*.md); do
	rm -f "$scratch"/example.*
	$AWK -v prefix="$scratch/example" '
		/^```console$/ { file = sprintf("%s.%02d", prefix, ++count); next }
		/^```$/ { file = "" }
		file != "" { print > file }' "$srcdir/$document"
	for example in "$scratch"/example.*; do
		if without 'unspool summary' "$example" capstone; then
			skip 1 "$document: an example of what capstone is for"
			continue
		fi
		sed -n 's/^\$ //p' "$example" | while IFS= read -r command; do
			printf '$ %s\n' "$command"
			(cd "$scratch/play" && sh -c "$command" 2>&1)
		done >"$scratch/printed"
		is "$document: the example prints the shown output: $(sed -n '1s/^\$ //p' "$example" | cut -c1-60)" \
			"$(cat "$scratch/printed")" "$(cat "$example")"
	done
done

# Every finding of lint is in the section of its record, and no other code is.
is 'the page of the symbol file format names each code of lint once' \
	"$($AWK -v RS= '/^Findings/' "$srcdir/doc/symbol-file-format.md" | grep -oE '`[a-z0-9-]+`' | tr -d '`' | LC_ALL=C sort)" \
	"$("$UNSPOOL" lint --explain all | grep -v 'of unwind-check' | sed -n 's/^\([a-z][a-z0-9-]*\) (.*/\1/p' | LC_ALL=C sort)"

# Words and codes that name a page and a section of it (src/report/reference.def).
sed -n 's/^R([A-Z]*, "[^"]*", "\([^"]*\)", "\([^"]*\)")$/\1 \2/p' "$srcdir/src/report/reference.def" | LC_ALL=C sort -u >"$scratch/references"
t 'words and codes refer to pages' test -s "$scratch/references"
while read -r page section; do
	grep -qxF "## $section" "$srcdir/doc/$page.md" || echo "$page: $section"
done <"$scratch/references" >"$scratch/missing"
none 'the documents that the glossary names have the sections that it names' "$(cat "$scratch/missing")"
sed -n 's/^R(WORD, "\([^"]*\)".*/\1/p' "$srcdir/src/report/reference.def" | tr '|' '\n' | while IFS= read -r word; do
	"$UNSPOOL" help "$word" 2>&1 | grep -q '^    In full: ' || echo "$word"
done >"$scratch/missing"
none 'each word of the references is a word of the glossary' "$(cat "$scratch/missing")"
"$UNSPOOL" lint --explain all | grep -v 'of unwind-check' | sed -n 's/^\([a-z][a-z0-9-]*\) (.*/\1/p' | while read -r code; do
	section=$("$UNSPOOL" lint --explain "$code" | sed -n "s/.*= in full: '\(.*\)' in 'unspool help symbol-file-format'$/\1/p")
	$AWK -v code="\`$code\`" -v section="## $section" '
		/^## / { inside = $0 == section } inside && index($0, code) { found = 1 }
		END { exit !found }' "$srcdir/doc/symbol-file-format.md" || echo "$code: $section"
done >"$scratch/missing"
none 'each code of lint leads to the section that names it' "$(cat "$scratch/missing")"

# A row of the table for users of other debuggers: a word of gdb, lldb or WinDbg and the command that it stands for.
sed -n '/begin: man_aliases/,/end$/p' "$srcdir/doc/unspool-keys.7" | sed 's/\\f[BR]//g; s/\\-/-/g; s/\\&//g' |
	$AWK '/^:/ && /\)$/ { word = $0; next } /^:/ && word != "" { print word "\t" $0; word = "" }' >"$scratch/aliases"
t 'unspool-keys(7) has words of other debuggers' test -s "$scratch/aliases"
$AWK -F '|' -v aliases="$scratch/aliases" '
	BEGIN { split("gdb lldb WinDbg", whose, " ")
		while ((getline line < aliases) > 0) { split(line, part, "\t"); command[part[1]] = part[2] " " } }
	/^## / { exit }
	!/^\|/ || !match($6, /`:[^`]*`/) { next }
	{ own = substr($6, RSTART + 1, RLENGTH - 2)
		for (column = 3; column <= 5; column++) { count = split($column, word, "`")
			for (i = 2; i <= count; i += 2)
				if (index(command[":" word[i] " (" whose[column - 2] ")"], own " ") != 1)
					print word[i] " is not " own } }' "$srcdir/doc/gdb-users.md" >"$scratch/wrong"
none 'each word of doc/gdb-users.md runs the command of its row' "$(cat "$scratch/wrong")"

# Links ------------------------------------------------------------------------------------------

# The page for new readers names functions as `name` and files as src/... or ui/....
one=$srcdir/doc/internals/one-frame.md
grep -oE '\b(src|ui)(/[a-z0-9_]+)+(\.[a-z]+)?' "$one" | LC_ALL=C sort -u | while read -r path; do
	[ -e "$srcdir/$path" ] || echo "$path"
done >"$scratch/missing"
grep -oE '`[a-z]+_[a-z_]+`' "$one" | tr -d '`' | LC_ALL=C sort -u | while read -r name; do
	grep -rqE "^$name\(" "$srcdir/src" "$srcdir/ui" "$srcdir/data/crashes" || echo "$name"
done >>"$scratch/missing"
tr '\n' ' ' <"$one" | grep -oE '`[a-z_]+` \([a-z_/]+\.c\)' | tr -d '`()' | while read -r name file; do
	grep -qE "^$name\(" "$srcdir/$file" || echo "$name in $file"
done >>"$scratch/missing"
none 'files and functions that doc/internals/one-frame.md names exist' "$(cat "$scratch/missing")"

# Newcomers find folders by ARCHITECTURE.md, users documents by the manual pages.
(cd "$srcdir" && ls -d src/*/ tests/*/ data doc ui) | sed 's|/$||' | while read -r folder; do
	grep -qF "\`$folder\`" "$srcdir/ARCHITECTURE.md" || echo "$folder"
done >"$scratch/missing"
none 'each folder of sources and tests is named in ARCHITECTURE.md' "$(cat "$scratch/missing")"
sed 's/\\-/-/g' "$srcdir"/doc/*.[157] | grep -oE '\b[a-z][a-z-]*\.md' | LC_ALL=C sort -u | while read -r document; do
	[ ! -f "$srcdir/doc/$document" ] ||
		sed -n '/^dist_doc_DATA/,/[^\\]$/p' "$srcdir/Makefile.am" | grep -q "doc/$document" || echo "$document"
done >"$scratch/missing"
none 'documents that manual pages name are installed' "$(cat "$scratch/missing")"

(cd "$srcdir" && find . -name '*.md' ! -path './build*' ! -path './.git/*') | while read -r document; do
	grep -oE '\]\([^)#:]+\)' "$srcdir/$document" | sed 's/^](//; s/)$//' | while read -r link; do
		[ -e "$srcdir/$(dirname "$document")/$link" ] || echo "$document: $link"
	done
done >"$scratch/broken"
none 'links between documents lead somewhere' "$(cat "$scratch/broken")"
installed=$(sed -n '/^dist_doc_DATA/,/[^\\]$/p' "$srcdir/Makefile.am" | grep -o 'doc/[a-z-]*\.md')
for document in $installed; do
	grep -oE '\]\([^)#:]+\)' "$srcdir/$document" | sed 's/^](//; s/)$//' | while read -r link; do
		case " $(echo "$installed" | tr '\n' ' ')" in
		*" doc/$link "*) ;;
		*) echo "$document: $link" ;;
		esac
	done
done >"$scratch/broken"
none 'links of installed documents lead to installed documents' "$(cat "$scratch/broken")"
MAKEFLAGS='' make -s -C "$builddir" install-dist_docDATA install-data-local docdir=/doc datadir=/data DESTDIR="$scratch/installed"
(cd "$scratch/installed" && find . -name '*.md') | while read -r document; do
	grep -oE '\]\([^)#:]+\)' "$scratch/installed/$document" | sed 's/^](//; s/)$//' | while read -r link; do
		case $link in
		/*) [ -e "$scratch/installed$link" ] ;;
		*) [ -e "$scratch/installed/$(dirname "$document")/$link" ] ;;
		esac || echo "$document: $link"
	done
done >"$scratch/broken"
none 'links of installed lessons and crashes lead to installed files and documents' "$(cat "$scratch/broken")"

done_testing
