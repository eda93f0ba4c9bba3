#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# export-core: an ELF core that walks as its minidump does, and that gdb opens. gdb must print the contents of the dump:
# registers and words as unspool prints them, names from the program's own file.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
corpus=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}

# frames DUMP SYMBOLS: the frames in Breakpad's columns.
frames() {
	"$UNSPOOL" walk -m --no-system-binaries "$@" 2>/dev/null | grep -E '^([0-9]+\||Crash)'
}

# modules DUMP: the address and ID of each module with an ID.
modules() {
	"$UNSPOOL" walk -m "$@" 2>/dev/null | $AWK -F'|' '$1 == "Module" && $5 != "" { print $6, $5 }' | sort
}

for crash in inlines-amd64 sframe-amd64 broken-cfi-amd64 scan-only-amd64 pac-arm64; do
	dump=$crashes/$crash/crash.dmp
	core=$scratch/$crash.core
	t "$crash: a core is written" "$UNSPOOL" export-core -o "$core" "$dump"
	is "$crash: the core walks as the dump does" "$(frames "$core" "$crashes/$crash/symbols")" \
		"$(frames "$dump" "$crashes/$crash/symbols")"
	is "$crash: the core has the same modules at the same addresses" "$(modules --no-system-binaries "$core")" "$(modules "$dump")"
done

dump=$crashes/inlines-amd64/crash.dmp
t 'the core has the command line' grep -q 'pr_psargs.*inline_o2_dw4' <<END
$("$UNSPOOL" streams "$scratch/inlines-amd64.core")
END

if ! command -v gdb >/dev/null 2>&1; then
	skip 5 'gdb is not there'
	done_testing
	exit
fi

# asked CORE [PROGRAM] COMMAND...: the output of gdb, without its messages while it loads.
asked() {
	core=$1
	program=$2
	shift 2
	for command; do
		set -- "$@" -ex "$command"
		shift
	done
	gdb -nx -q -batch -ex 'set debuginfod enabled off' "$@" -c "$core" ${program:+"$program"} 2>/dev/null
}
is 'gdb has the registers of the dump' "$(asked "$scratch/inlines-amd64.core" '' 'printf "%lx %lx %lx\n", $rip, $rsp, $rbx' | tail -1)" \
	"$("$UNSPOOL" walk "$dump" 2>/dev/null | $AWK '/^ 0 / { n = 1 } n { for (i = 1; i < NF; i++)
		if ($i ~ /^(rip|rsp|rbx)$/ && !($i in v)) { sub(/^0x0*/, "", $(i + 2)); v[$i] = $(i + 2) } }
		END { print v["rip"], v["rsp"], v["rbx"] }')"
# By the first row of unspool stack: 00007ffde1b672c8 has 968 hexadecimal.
is 'gdb has the word after the stack pointer of the dump' \
	"$(asked "$scratch/inlines-amd64.core" '' 'printf "%lx\n", *((unsigned long *)$rsp + 1)' | tail -1)" 968

program=$corpus/made/bin/x86_64/threads64
if [ -f "$program" ] && [ -f "$corpus/made/x86_64/threads64.dmp" ]; then
	core=$scratch/threads64.core
	"$UNSPOOL" export-core -o "$core" "$corpus/made/x86_64/threads64.dmp" >/dev/null
	is 'gdb finds all threads' "$(asked "$core" "$program" 'info threads' | grep -cE '^[* ] +[0-9]+ ')" 65
	t 'gdb finds the libraries by the link map' grep -q 'libstdc++\.so\.6' <<END
$(asked "$core" "$program" 'info sharedlibrary')
END
	is 'gdb walks the program with its own rules' \
		"$(asked "$core" "$program" 'bt 3' | $AWK '/^#/ { print $1 }' | tail -3 | tr '\n' ' ')" '#0 #1 #2 '
	t "gdb has the names of the libraries' functions" grep -q '^#0 .*Crasher::recurse_crash' <<END
$(asked "$core" "$program" 'bt 1')
END
else
	skip 4 'the corpus is not there'
fi

done_testing
