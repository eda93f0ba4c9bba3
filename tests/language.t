#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The language of comments, messages, titles and documents: one word for each thing (doc/terms), comments that
# begin with their subject, documents without dates and with short lines.
. "$(dirname "$0")/lib/tap.sh"

terms=$srcdir/doc/terms
allowed=$srcdir/tests/language.allow
cd "$srcdir" || exit 99

# Terms ------------------------------------------------------------------------------------------

# The names of the glossary, one a line.
$AWK -F '"' '/^T\(/ { print $2; count = split($4, name, "|"); for (i = 1; i <= count; i++) print name[i] }' \
	src/report/glossary.def >"$scratch/glossary"
sed -n 's/^\([a-z][a-z ]*\): .*/\1/p' "$terms" >"$scratch/terms"
t 'there is a table of terms' test -s "$scratch/terms"
none 'no term has two rows' "$(LC_ALL=C sort "$scratch/terms" | uniq -d)"
none 'the terms are in alphabetical order' "$(LC_ALL=C sort -c "$scratch/terms" 2>&1)"
none 'the glossary explains each term' "$(while read -r term; do
	grep -qixF -e "$term" "$scratch/glossary" || echo "$term"
done <"$scratch/terms")"

# Texts ------------------------------------------------------------------------------------------

# As FILE:LINE:TEXT: comments and strings of sources, comments and titles of scripts, documents without their examples.
find src ui tests -name '*.[ch]' -o -name '*.def' -o -name '*.t' -o -name '*.sh' -o -name '*.py' | LC_ALL=C sort >"$scratch/files"
find doc data -name '*.md' -o -name '*.[157]' -o -name lesson | LC_ALL=C sort >>"$scratch/files"
printf '%s\n' README.md CONTRIBUTING.md ARCHITECTURE.md SECURITY.md NEWS configure.ac Makefile.am >>"$scratch/files"
# shellcheck disable=SC2046
$AWK '
	function text(line) { gsub(/`[^`]*`/, "``", line); print FILENAME ":" FNR ":" line }
	FNR == 1 { source = FILENAME ~ /\.[ch]$/; script = FILENAME ~ /\.(t|sh|py|ac|am)$/; inside = fence = 0 }
	script {
		if ($0 ~ /^[ \t]*#/)
			text($0)
		else if (match($0, /^[ \t]*(t|is|none|has|lacks|skip [0-9]+) '\''[^'\'']+/))
			text(substr($0, RSTART, RLENGTH))
		next
	}
	!source {
		if ($0 ~ /^```/ || $0 ~ /^\.(EX|EE|nf|fi)$/)
			fence = !fence
		else if (!fence)
			text($0)
		next
	}
	inside { text($0); inside = index($0, "*/") == 0; next }
	{
		rest = $0
		while (match(rest, /"([^"\\]|\\.)*"/)) {
			if (RLENGTH > 12)
				text(substr(rest, RSTART, RLENGTH))
			rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
		}
		if ((at = index(rest, "/*")) > 0) {
			text(substr(rest, at))
			inside = index(substr(rest, at), "*/") == 0
		}
	}' $(cat "$scratch/files") >"$scratch/texts"
t 'the check has texts' test "$(wc -l <"$scratch/texts")" -gt 10000

# not_allowed: the lines of standard input without those of the allow list.
sed '/^#/d; /^$/d' "$allowed" >"$scratch/allowed"
not_allowed() {
	$AWK -F '\t' -v list="$scratch/allowed" '
		BEGIN { while ((getline line < list) > 0) { split(line, part, "\t"); file[++count] = part[1]; words[count] = part[2] } }
		{ for (i = 1; i <= count; i++) if (index($0, file[i]) == 1 && index($0, words[i])) next; print }'
}

none 'each entry of the allow list has a file, a text and a reason' "$($AWK -F '\t' 'NF != 3 || $3 == ""' "$scratch/allowed")"
none 'each entry of the allow list is used' "$(while IFS='	' read -r file words reason; do
	grep -F -e "$words" "$scratch/texts" | $AWK -v file="$file" 'index($0, file) == 1 { found = 1 } END { exit !found }' ||
		echo "$file: $words: $reason"
done <"$scratch/allowed")"

# As WORD<tab>REPLACEMENT: the words of a row that begins with "!", and those after "not" in the row of a term.
{ sed -n 's/^! \([^:]*\): */\1	/p' "$terms"; sed -n 's/^\([a-z][a-z ]*\):.*: not \(.*\)/\2	\1/p' "$terms"; } |
	$AWK -F '\t' '{ count = split($1, word, / *, */); for (i = 1; i <= count; i++) print word[i] "\t" $2 }' >"$scratch/words"
none 'no text has a word that doc/terms replaces' "$(grep -iE "(^|[^a-z_])($(cut -f 1 "$scratch/words" | paste -s -d '|'))($|[^a-z_])" \
	"$scratch/texts" | not_allowed | $AWK -F '\t' -v list="$scratch/words" '
		BEGIN { while ((getline line < list) > 0) { split(line, part, "\t"); word[++count] = part[1]; better[count] = part[2] } }
		{ print; for (i = 1; i <= count; i++) if (tolower($0) ~ "(^|[^a-z_])" tolower(word[i]) "($|[^a-z_])")
			print "  " word[i] ": write " better[i] }')"
none 'a comment begins with its subject, not with a clause' "$(grep -E '^(src|ui|tests)/[^:]*:[0-9]+:(/\*\*?|#) (What|That (is|are|was|which|it)|Those (that|of|which)|Which|Of|Whether or not|Nor) [^?]*$' \
	"$scratch/texts" | not_allowed)"

# Documents --------------------------------------------------------------------------------------

grep -E '^([A-Z]+(\.md)?|doc/[^:]*\.md|data/[^:]*\.md):' "$scratch/texts" >"$scratch/documents"
none 'lines of documents, except tables, have at most 140 columns' "$($AWK '
	{ line = $0; sub(/^[^:]*:[0-9]*:/, "", line) } line !~ /^\|/ && length(line) > 140 { print substr($0, 1, 100) }' \
	"$scratch/documents" | not_allowed)"
none 'documents have no dates' "$(grep -E '(19|20)[0-9][0-9]-[01][0-9]-[0-3][0-9]|[0-3]?[0-9]\.? (January|February|March|April|May|June|July|August|September|October|November|December)|(January|February|March|April|June|July|August|September|October|November|December) (20)?[0-9][0-9]' \
	"$scratch/documents" | not_allowed)"

done_testing
