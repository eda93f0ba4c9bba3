#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The output of commands for the recorded and the bundled crashes equals the accepted output, so that
# changes are noticed. `tests/batch/golden.t accept` writes the files anew: look at the difference (git
# diff tests/batch/golden) before you commit it. srcdir and UNSPOOL as in the tests.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

golden=$srcdir/tests/batch/golden

# commands KIND: the commands for a crash, run in its folder; '-' stands for its symbols.
commands() {
	echo 'walk crash.dmp -
summary crash.dmp -
stack crash.dmp -
explain crash.dmp -
cfi -f 0 crash.dmp -
cfi --rules -f 1 crash.dmp -'
	case $1 in
	small-ppc64) echo 'lint --json --pretty -' ;;
	esac
	case $1 in
	small-amd64 | small-exceptions | small-mozilla | small-ppc64 | small-thread-names | inlines-amd64)
		echo 'lint -'
		;;
	small-x86)
		one=symbols/small.pdb/5A9832E5287241C1838ED98914E9B7FF0/small.sym
		echo "symdiff --lines $one ../small-wide-memory/$one"
		echo "symdiff --by-name ../small-wide-memory/$one $one"
		;;
	esac
	case $1 in
	small-amd64 | small-big-mips | small-crashpad-mips64 | small-exceptions | small-mozilla* | \
		small-sparc64 | small-thread-names | small-wide-memory | frame-data-x86)
		echo 'streams crash.dmp'
		;;
	inlines-amd64)
		echo 'walk --fold --json --pretty crash.dmp -
walk -s -f markdown crash.dmp -
walk --backtrace crash.dmp -
walk --compat rust-minidump crash.dmp -
walk --against crash.dmp crash.dmp -
register-history -r rbp crash.dmp -'
		;;
	small-x86)
		echo 'walk --fold crash.dmp -
walk -s -f markdown crash.dmp -
walk --backtrace crash.dmp -
walk --compat rust-minidump crash.dmp -
walk --against crash.dmp crash.dmp -'
		;;
	esac
}

# printed FOLDER KIND: the output of all commands.
printed() {
	symbols=
	[ -d "$1/symbols" ] && symbols=symbols
	commands "$2" | while read -r command; do
		case $command in *-) command=${command%-}$symbols ;; esac
		echo "\$ unspool $command"
		# shellcheck disable=SC2086
		(cd "$1" && "$UNSPOOL" $command 2>"$scratch/errors"
			echo "exit status $?"
			cat "$scratch/errors")
	done
}

lacks capstone && skip_all 'capstone was left out: explanations show instructions'
for folder in "$srcdir"/tests/differential/recorded/*/ "$srcdir"/data/crashes/*/; do
	folder=${folder%/}
	kind=${folder##*/}
	printed "$folder" "$kind" >"$scratch/$kind"
	if [ "${1:-}" = accept ]; then
		cmp -s "$scratch/$kind" "$golden/$kind" || cp "$scratch/$kind" "$golden/$kind"
		continue
	fi
	t "what is printed of $kind is as it was accepted (tests/batch/golden.t accept)" \
		diff -u "$golden/$kind" "$scratch/$kind"
done
[ "${1:-}" = accept ] || done_testing
