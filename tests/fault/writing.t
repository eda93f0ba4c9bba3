#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A written file is complete or missing: with a full disk, a program that is killed at any moment, a home directory
# that cannot be used, a cache full of garbage, and several programs that write it at once.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/inlines-amd64
cd "$scratch" || exit 99

# Large enough that the cache keeps an index, and that writing takes some time.
cp -R "$crash/symbols" symbols
find symbols -name 'inlines*.sym' -o -name 'in*.sym' | head -n 1 | while read -r file; do
	$AWK 'BEGIN { for (i = 0; i < 150000; i++) printf "PUBLIC %x 0 padding_%d\n", 117440512 + i * 16, i }' >>"$file"
done
walk() { "$UNSPOOL" walk "$crash/crash.dmp" symbols; }
walk >whole 2>whole.err
"$UNSPOOL" walk --no-cache "$crash/crash.dmp" symbols >plain 2>/dev/null
t 'a walk with a cache equals one without' cmp whole plain

# The shell's limit for file sizes acts as a full disk.
program=$("$UNSPOOL" --version >/dev/null && echo "$UNSPOOL")
"$UNSPOOL" dump-syms -o made.sym "$program" 2>err
[ -s made.sym ] || skip_all 'the program cannot be read'
(ulimit -f 8 && "$UNSPOOL" dump-syms -o full.sym "$program" 2>full.err)
is 'a file for which there is no room is an error' $? 3
t 'the full disk is reported' grep -q "cannot write '.*full.sym': write failed (disk full?)" full.err
t 'no part of the file is left' test -z "$(ls full.sym* 2>/dev/null | grep -v err)"
printf 'f\n:note %0600d\n:note %0600d\nQ\n' 1 2 >keys
for way in --plain '--script keys'; do
	rm -f session
	# shellcheck disable=SC2086
	(ulimit -f 1; "$UNSPOOL" $way --record session "$crash/crash.dmp" <keys 2>record.err; echo $? >status) | cat >out
	is "a record for which there is no room is an error with $way" "$(cat status) $(sed -n '$s/.*: cannot/cannot/p' record.err)" \
		"3 cannot write 'session': write failed (disk full?)"
done
# If a command makes several files and one fails, the others are removed, so that the command can be repeated. Older files stay.
mkdir there
cp "$crash/crash.dmp" .
echo mine >there/README.md
for blocks in 0 1 2 3 4 6 8; do
	for way in 'export-case -o' 'lesson --from crash.dmp --new'; do
		for directory in partial there; do
			rm -rf partial
			# shellcheck disable=SC2086
			case $way in
			lesson*) set -- $way $directory ;;
			*) set -- $way $directory crash.dmp ;;
			esac
			(ulimit -f $blocks; "$UNSPOOL" "$@" "$crash/symbols" >out 2>err)
			status=$?
			[ -e partial ] || echo gone >>"full-${way%% *}"
			[ -e partial ] && [ $status -ne 0 ] && echo "$blocks $way $directory"
		done
	done
done >left
is 'a full disk leaves no part of a case or a lesson' "$(cat left)" ''
t 'the disk was full for both' test -s full-export-case -a -s full-lesson
mkdir course && cp -r "$srcdir/tests/lesson/by-size" course && printf 'track t T\nlesson by-size\n' >course/course
for blocks in 1 8 16; do
	(ulimit -f $blocks; "$UNSPOOL" lesson --lessons course --html partial >out 2>err)
	echo "$? $(ls -d partial 2>/dev/null)$(grep -c "^unspool: cannot write 'partial/.*disk full" err)"
done >left
is 'a full disk leaves no pages of a course' "$(sort -u left)" '3 1'
printf ':export-case partial\nQ\n' >keys
(ulimit -f 1; "$UNSPOOL" --plain --no-state crash.dmp "$crash/symbols" <keys) 2>&1 | cat >out
is 'a full disk leaves no part of a case in a session' "$(grep -c "cannot write 'partial/.*disk full" out) $(ls -d partial* 2>&1 | grep -c '^partial')" '1 0'
is 'an existing directory is unchanged' "$(ls -A there) $(cat there/README.md)" 'README.md mine'

rm -f session
printf 'f\n:note %0600d\n:note %0600d\nQ\n' 1 2 >keys
(ulimit -f 1; "$UNSPOOL" --plain --record session crash.dmp <keys 2>record.err) | cat >out
is 'a session names the file that could not be written' "$(tail -n 1 record.err)" \
	"unspool: cannot write 'session': write failed (disk full?)"
got=$(ulimit -f 8 && XDG_CACHE_HOME=$scratch/small walk 2>/dev/null)
printf '%s\n' "$got" >got
t 'a cache for which there is no room changes no walk' cmp got whole

# Killed at any moment: the new file is complete or missing; an old file stays unchanged until it is replaced.
torn=
echo before >kept.sym
i=0
while [ $i -lt 16 ]; do
	rm -f killed.sym
	"$UNSPOOL" dump-syms -o killed.sym "$program" 2>/dev/null &
	one=$!
	"$UNSPOOL" dump-syms --force -o kept.sym "$program" 2>/dev/null &
	two=$!
	XDG_CACHE_HOME=$scratch/killed walk >/dev/null 2>&1 &
	three=$!
	sleep "0.0$((i * 6 % 10))$i"
	kill -KILL $one $two $three
	wait $one $two $three 2>/dev/null
	[ ! -e killed.sym ] || cmp -s killed.sym made.sym || torn="$torn $i"
	[ "$(cat kept.sym)" = before ] || cmp -s kept.sym made.sym || torn="$torn kept-$i"
	XDG_CACHE_HOME=$scratch/killed walk >got 2>/dev/null
	cmp -s got whole || torn="$torn cache-$i"
	i=$((i + 1))
done 2>/dev/null
is 'a killed program leaves no part of a file' "$torn" ''
tries=40
while ls killed.sym.* kept.sym.* >/dev/null 2>&1 && [ $tries -gt 0 ]; do
	sleep 0.1
	tries=$((tries - 1))
done
if "$UNSPOOL" --version | grep -q '^sandbox: Landlock'; then
	none 'in the sandbox its broker removes its unfinished file' "$(ls killed.sym.* kept.sym.* 2>/dev/null)"
fi

# Unusable home directories.
for home in "$scratch/none" /dev/null ''; do
	HOME=$home XDG_CACHE_HOME= walk >got 2>/dev/null
	is "a walk in the home '$(basename "$home")'" "$? $(cmp got whole && echo same)" '0 same'
done
mkdir sealed
chmod 500 sealed
HOME=$scratch/sealed walk >got 2>/dev/null
is 'a walk in a read-only home' "$? $(cmp got whole && echo same)" '0 same'
chmod 700 sealed
mkdir -p garbage/unspool
for file in "$HOME"/.cache/unspool/*; do
	[ -f "$file" ] || continue
	head -c 5000 /dev/urandom >"garbage/unspool/$(basename "$file")"
done
XDG_CACHE_HOME=$scratch/garbage walk >got 2>/dev/null
is 'a cache of garbage changes nothing' "$? $(cmp got whole && echo same)" '0 same'
: >file
XDG_CACHE_HOME=$scratch/file walk >got 2>/dev/null
is 'a cache that is a file changes nothing' "$? $(cmp got whole && echo same)" '0 same'

# Several writers at once.
i=0
while [ $i -lt 6 ]; do
	XDG_CACHE_HOME=$scratch/shared walk >"got-$i" 2>/dev/null &
	i=$((i + 1))
done
wait
different=$(for file in got-?; do cmp -s "$file" whole || echo "$file"; done)
none 'six programs with one new cache have the same output' "$different"
none 'the cache has only indexes' "$(ls shared/unspool | grep -v '^[0-9a-f]\{16\}\.')"

# Lessons that are passed at the same time share one file of progress.
export UNSPOOL_DATA="$srcdir/data"
learn() {
	sed -n 's/^answer [^ ]* //p' "$srcdir/data/lessons/$1/solution" >"typed-$1-$2"
	XDG_STATE_HOME=$scratch/$2 "$UNSPOOL" lesson --text "$1" <"typed-$1-$2" >/dev/null 2>&1
}
for lesson in basics-01-frame basics-02-frame-pointers basics-03-cfa cfi-01-postfix cfi-02-deltas; do
	learn "$lesson" alone
	learn "$lesson" together &
done
wait
t 'lessons are passed' test "$(wc -l <alone/unspool/lessons)" -gt 10
is 'lessons that are passed at the same time are all kept' \
	"$(LC_ALL=C sort together/unspool/lessons)" "$(LC_ALL=C sort alone/unspool/lessons)"
done_testing
