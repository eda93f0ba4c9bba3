#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An installation in a folder of its own: it works from there, has the files that packages need, and goes away.
. "$(dirname "$0")/lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
root=$scratch/root
MAKEFLAGS='' make -s -C "$builddir" install prefix=/usr DESTDIR="$root" >"$scratch/log" 2>&1
is 'make install succeeds' $? 0
unset UNSPOOL_DATA
installed=$root/usr/bin/unspool
data=$root/usr/share/unspool
documents=$root/usr/share/doc/unspool

for file in README.md NEWS COPYING SECURITY.md quick-start.md; do
	t "$file is installed" test -s "$documents/$file"
done
find "$data" -type f -perm -100 >"$scratch/programs"
none 'no file of the data is executable' "$(cat "$scratch/programs")"
# ELF files and PE files begin with these bytes.
find "$data" -type f -exec sh -c 'for file; do
	case $(head -c 4 "$file" | tr -d "\000") in ?ELF | MZ*) echo "$file" ;; esac
done' sh {} + >"$scratch/programs"
none 'no program is outside a compressed file' "$(cat "$scratch/programs")"
none 'scripts that make samples and packages are not installed' \
	"$(cd "$data" && find . -name 'record*' -o -name cut-symbols -o -name packaging)"

for file in "$data"/*; do
	cat "$srcdir"/data/packaging/debian/*.install | while read -r pattern; do
		# shellcheck disable=SC2254
		case ${file#"$root"/} in $pattern) echo "$pattern" ;; esac
	done | grep -q . || echo "$file"
done >"$scratch/left"
none 'each file and folder of the data is in a list of the Debian packages' "$(cat "$scratch/left")"

crash=$data/crashes/broken-cfi-amd64
if "$UNSPOOL" --version | grep -q 'zlib'; then
	"$installed" walk -m --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/walk" 2>&1
	t 'a compressed program that is found by its name gives names of functions' grep -q '^0|0|till|post|' "$scratch/walk"
else
	skip 1 'built without zlib'
fi
"$installed" lesson --text basics-01-frame </dev/null >"$scratch/lesson" 2>&1
t 'a lesson is found next to the program' grep -q 'A frame is words' "$scratch/lesson"
"$installed" help quick-start >"$scratch/help" 2>&1
t 'a document is found next to the program' grep -q 'unspool' "$scratch/help"

MAKEFLAGS='' make -s -C "$builddir" uninstall prefix=/usr DESTDIR="$root" >"$scratch/log" 2>&1
none 'make uninstall leaves no file' "$(find "$root" -type f)"

done_testing
