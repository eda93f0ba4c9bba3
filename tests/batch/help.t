#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The documents of the program: their list, where they are found, and the pager that shows them.
. "$(dirname "$0")/../lib/tap.sh"

documents=$("$UNSPOOL" help | sed -n '/^Documents /,$s/^  \([a-z-]*\)  .*/\1/p' | LC_ALL=C sort)

is 'the list of help has every installed document' "$documents" \
	"$(sed -n '/^dist_doc_DATA/,/[^\\]$/s|.*doc/\([a-z-]*\)\.md.*|\1|p' "$srcdir/Makefile.am" | LC_ALL=C sort)"
for document in $documents; do
	is "help $document prints its text without comments" "$("$UNSPOOL" help "$document")" \
		"$(grep -v '^<!--' "$srcdir/doc/$document.md")"
done
is 'a command has its usage only' "$("$UNSPOOL" help find | head -n 1 | cut -c 1-19)" 'Usage: unspool find'
t 'the key card fits on a page of 66 lines' test "$("$UNSPOOL" help keys | wc -l)" -le 66
t 'no line of the key card has more than 82 columns' test "$("$UNSPOOL" help keys | wc -L)" -le 82

# Where documents are found ------------------------------------------------------------------------

mkdir -p "$scratch/share/unspool/crashes" "$scratch/share/doc/unspool"
printf '# Installed\n' >"$scratch/share/doc/unspool/tour.md"
is 'installed documents are next to the data' "$(UNSPOOL_DATA=$scratch/share/unspool "$UNSPOOL" help tour)" '# Installed'
if command -v gzip >/dev/null 2>&1 && ! lacks zlib; then
	gzip "$scratch/share/doc/unspool/tour.md"
	is 'a distribution may compress them' "$(UNSPOOL_DATA=$scratch/share/unspool "$UNSPOOL" help tour)" '# Installed'
fi
missing=$(UNSPOOL_DATA=$scratch/share/unspool "$UNSPOOL" help json 2>&1)
is 'the status of a document that is not installed is 3' "$?" 3
t 'the message of a missing document names the directory to set' sh -c 'case $1 in *"not installed"*UNSPOOL_DATA*) ;; *) exit 1 ;; esac' sh "$missing"

# The pager ----------------------------------------------------------------------------------------

if command -v script >/dev/null 2>&1 && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	is 'a pager that ends early is not an error' "$(PAGER='head -n 1' script -qec "'$UNSPOOL' help tour; echo \$?" \
		/dev/null </dev/null | tr -d '\r' | tail -n 1)" 0
	crash=$srcdir/data/crashes/frame-data-x86
	walk="'$UNSPOOL' walk '$crash/crash.dmp' '$crash/symbols'"
	lines=$("$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" 2>/dev/null | wc -l)
	shown() {
		UNSPOOL_PAGER="sed s/^/paged:/" PAGER=false script -qec "stty rows 24 cols 200; $*" /dev/null </dev/null |
			tr -d '\r' | grep -c '^paged:'
	}
	is 'messages are in the pager, too, in their order' "$(shown "$walk /nonexistent")" $((lines + 1))
	is 'the status is that of the command' "$(UNSPOOL_PAGER='cat >/dev/null' script -qec \
		"$walk --policy /nonexistent; echo \$?; $walk /nonexistent; echo \$?" /dev/null </dev/null |
		tr -d '\r' | grep -x '[0-9]' | tr '\n' ' ')" '2 3 '
else
	skip 3 'there is no script(1) to make a terminal'
fi

done_testing
