#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Unusual surroundings: streams that are closed or full, inputs that are pipes, inputs that lose bytes while they are
# read. A failed write is reported, and nothing is written to a wrong file.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
crash="$crashes/inlines-amd64/crash.dmp $crashes/inlines-amd64/symbols"
ledger="$crashes/frame-data-x86/crash.dmp $crashes/frame-data-x86/symbols"
till=$(echo "$crashes"/broken-cfi-amd64/symbols/*/*/*.sym)
core=$srcdir/data/cores/list-amd64/core.gz
sframe=$crashes/sframe-amd64/binaries/parcel
lacks libz && core=${crash% *}
cd "$scratch" || exit 99

# Streams ------------------------------------------------------------------------------------------

commands= closed_out= full_out= closed_all= no_end=
# runs COMMAND...: a command that prints; it runs with each stream missing.
runs() {
	commands="$commands $1"
	name=$1
	for argument; do case $argument in --json | --plain) name="$name $argument" ;; esac; done
	for stream in closed full all; do
		case $stream in
		closed) timeout 900 "$UNSPOOL" "$@" >&- 2>err </dev/null ;;
		full) [ -w /dev/full ] && timeout 900 "$UNSPOOL" "$@" >/dev/full 2>err </dev/null ;;
		all) timeout 900 "$UNSPOOL" "$@" >&- 2>&- <&- ;;
		esac
		status=$?
		[ $stream != full ] || [ -w /dev/full ] || continue
		[ $status -eq 3 ] || [ $status -eq 4 ] || eval "${stream}_status=\"\$${stream}_status \$name=$status\""
		[ $stream = all ] || grep -q 'cannot write standard output' err || eval "${stream}_said=\"\$${stream}_said \$name\""
	done
	timeout 900 "$UNSPOOL" "$@" >out 2>err </dev/null
	expected=$?
	timeout 900 "$UNSPOOL" "$@" >got 2>&- <&-
	status=$?
	[ $status -eq $expected ] && cmp -s out got || other="$other $name=$status"
}
closed_status= full_status= all_status= closed_said= full_said= other=
# shellcheck disable=SC2086
{
runs walk $crash
runs walk --json $crash
runs summary $crash
runs group $crash
runs report --format html $crash
runs explain $crash
runs step --at main+0 $sframe
runs stack $crash
runs locals $core
runs register-history --register rbx $crash
runs dap $crash
runs disassemble $crash
runs find ${crash% *} 7f
runs identify ${crash% *} rip rsp
runs teb $ledger
runs cfi $crash
runs lookup $till 1000
runs symbols $crash
runs streams ${crash% *}
runs sframe $sframe
runs unwind-check $sframe $crashes/sframe-amd64/symbols
runs repair --binary $crashes/broken-cfi-amd64/binaries/till $till
runs lint $crashes/inlines-amd64/symbols
runs symdiff $till $till
runs dump-syms $sframe
runs eval rsp=16 16:7 '$rsp ^ 8 +'
runs policy
runs help cfa
runs lesson --lessons $srcdir/data/lessons --list
runs cache
runs --plain $crash
runs explore $crash
runs --help
runs --version
}
is 'without a standard output every command fails' "$closed_status" ''
is 'every command reports a missing standard output' "$closed_said" ''
is 'every command fails if the device is full' "$full_status" ''
is 'and says it' "$full_said" ''
is 'every command fails without any stream' "$all_status" ''
is 'output needs neither standard input nor standard error' "$other" ''
untried=$(commands | while read -r command; do
	# The output of these commands is about a file that they write; `latest` prints a walk.
	case " $commands latest demo-crash export-case export-core export-minidump sanitize " in
	*" $command "*) ;;
	*) echo "$command" ;;
	esac
done)
none 'every command that prints a result is tried' "$untried"

# An output file would get the number of a closed stream if nothing else had it.
"$UNSPOOL" dump-syms -o whole.sym "$sframe" 2>/dev/null
"$UNSPOOL" dump-syms -o closed.sym "$sframe" <&- >&- 2>&-
t 'no message is written into an output file' cmp whole.sym closed.sym
"$UNSPOOL" walk - <&- >out 2>err
is 'closed standard input is not a dump' "$? $(grep -c 'Bad file descriptor' err)" '3 1'

# Stacks -------------------------------------------------------------------------------------------

# Sanitized functions have larger frames.
if (ulimit -v 1000000 && "$UNSPOOL" --version >/dev/null 2>&1); then
	# shellcheck disable=SC2086
	{
	"$UNSPOOL" report $crash >direct 2>/dev/null
	(ulimit -S -s 64 && "$UNSPOOL" report $crash >out 2>err)
	is 'a stack that may grow grows' "$? $(cmp out direct && echo same)" '0 same'
	(ulimit -s 64 && "$UNSPOOL" report $crash >out 2>err)
	is 'a stack that may not grow is reported as too small' "$? $(cat out err)" \
		'4 unspool: the stack is limited to 64 KiB; at least 1024 are necessary (ulimit -s)'
	(ulimit -s 1024 && "$UNSPOOL" report $crash >out 2>err)
	is 'a stack of 1024 KiB is enough' "$? $(cmp out direct && echo same)" '0 same'
	}
else
	skip 3 'the program is sanitized'
fi

# Pipes --------------------------------------------------------------------------------------------

mkfifo pipe
# piped FILE COMMAND...: the command reads FILE through a pipe, once.
piped() {
	cat "$1" >pipe &
	writer=$!
	shift
	timeout 900 "$UNSPOOL" "$@" >out 2>err </dev/null
	status=$?
	kill $writer 2>/dev/null
	wait $writer 2>/dev/null
}
piped "${crash%% *}" walk pipe "${crash#* }"
"$UNSPOOL" walk $crash >direct 2>/dev/null
is 'a dump is read from a pipe' "$status $(cmp out direct && echo same)" '0 same'
piped "$till" lint pipe
"$UNSPOOL" lint "$till" | sed "s|^$till|pipe|" >direct
is 'a symbol file is read from a pipe' "$status $(grep -c . out)" "0 $(grep -c . direct)"
for command in 'lookup pipe 1000' 'cfi --at 1000 pipe' 'step --at 1000 pipe'; do
	# shellcheck disable=SC2086
	piped "$till" $command
	is "${command%% *} of a symbol file in a pipe is refused with a message" \
		"$status $(grep -c 'give a dump or a symbol file by its own path' err)" '3 1'
done

# The program's own files may not be pipes: opening one would wait for a writer.
cp -R "${crash#* }" indexed
find indexed -name '*.sym' | while read -r file; do
	$AWK 'BEGIN { for (i = 0; i < 150000; i++) printf "PUBLIC %x 0 padding_%d\n", 117440512 + i * 16, i }' >>"$file"
	# A new file gets no index, because it may still be written to.
	touch -t 202001010000 "$file"
done
XDG_CACHE_HOME=$scratch/cache timeout 900 "$UNSPOOL" walk "${crash%% *}" indexed >direct 2>/dev/null
indexes=$(find cache -name '*.index')
for index in $indexes; do
	for kind in pipe link device; do
		rm -f "$index"
		case $kind in
		pipe) mkfifo "$index" ;;
		link) ln -s "${index##*/}" "$index" ;;
		device) ln -s /dev/zero "$index" ;;
		esac
		XDG_CACHE_HOME=$scratch/cache timeout 900 "$UNSPOOL" walk "${crash%% *}" indexed >out 2>err
		is "an index that is a $kind changes no walk" "$? $(cmp out direct && echo same)" '0 same'
	done
	break
done
t 'an index is written' test -n "$indexes"
mkdir -p state/unspool
mkfifo state/unspool/lessons
sed -n 's/^answer [^ ]* //p' "$srcdir/data/lessons/basics-01-frame/solution" >typed
XDG_STATE_HOME=$scratch/state timeout 900 "$UNSPOOL" lesson --lessons "$srcdir/data/lessons" --text basics-01-frame <typed >out 2>err
is 'progress that cannot be kept is reported' "$? $(grep -c 'cannot write the progress' err)" '0 1'

mkdir -p config/unspool
mkfifo config/unspool/config
# shellcheck disable=SC2086
XDG_CONFIG_HOME=$scratch/config timeout 900 "$UNSPOOL" --plain $crash </dev/null >out 2>err
is 'a configuration that is a pipe is refused without waiting' "$? $(grep -c 'config: not a regular file$' err)" '3 1'

# A root directory with nothing but the program, its libraries and the crash: no /proc, no /dev ---------

# A sanitizer needs /proc.
if ! (ulimit -v 1000000 && "$UNSPOOL" --version >out 2>err); then
	skip 1 'the program is sanitized'
elif unshare -r true 2>err; then
	for file in "$UNSPOOL" $(ldd "$UNSPOOL" | grep -o '/[^ ]*'); do
		mkdir -p "root${file%/*}"
		cp -L "$file" "root$file"
	done
	cp -R "$crashes/inlines-amd64" root/crash
	# shellcheck disable=SC2086
	"$UNSPOOL" walk $crash >direct 2>err
	unshare -r chroot root "$UNSPOOL" walk /crash/crash.dmp /crash/symbols >out 2>err
	is 'a walk needs no /proc' "$? $(cat err)$(cmp out direct && echo same)" '0 same'
else
	skip 1 'no user namespace can be made here'
fi

# A clock that jumps by a year whenever it is read ---------------------------------------------------

cat >clock.c <<-'END'
	#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>

	int
	clock_gettime(clockid_t id, struct timespec *now)
	{
		static long years;
		const int result = (int)syscall(SYS_clock_gettime, id, now);

		now->tv_sec += 31536000 * years++;
		return result;
	}
END
if (ulimit -v 1000000 && "$UNSPOOL" --version) >out 2>&1 && ${CC:-cc} -fPIC -shared -o clock.so clock.c 2>err; then
	# shellcheck disable=SC2086
	"$UNSPOOL" --plain --no-state $crash </dev/null >direct 2>err
	# shellcheck disable=SC2086
	LD_PRELOAD=$PWD/clock.so timeout 900 "$UNSPOOL" --plain --no-state $crash </dev/null >out 2>err
	is 'a session goes on with a clock that jumps' "$? $(cmp out direct && echo same)" '0 same'
else
	skip 1 'clocks cannot be replaced'
fi

# Inputs that lose their bytes -----------------------------------------------------------------------

# Large enough to be mapped. The session reads them again after they are emptied.
cp -R "${crash#* }" symbols
find symbols -name '*.sym' | while read -r file; do
	$AWK 'BEGIN { for (i = 0; i < 12000; i++) printf "PUBLIC %x 0 padding_%d\n", 117440512 + i * 16, i }' >>"$file"
done
mkfifo keys
"$UNSPOOL" --plain --no-cache "${crash%% *}" symbols <keys >shown 2>err &
session=$!
exec 8>keys
tries=200
until grep -q 'given as instruction pointer' shown 2>/dev/null || [ $tries -eq 0 ]; do
	sleep 0.05
	tries=$((tries - 1))
done
find symbols -name '*.sym' | while read -r file; do : >"$file"; done
printf 'f\n:view messages\nf\nf\n:view modules\nQ\n' >&8
exec 8>&-
wait $session
is 'a session outlives symbol files that lose their bytes' $? 4
t 'the session names the changed symbol file at its end' grep -q "^unspool: the output may be incomplete: 'symbols/.*\.sym': truncated while it was read$" err
done_testing
