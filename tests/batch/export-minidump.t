#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# export-minidump: a minidump that walks as its core does, in unspool and in Breakpad, and from which the core can be made again.
. "$(dirname "$0")/../lib/tap.sh"

corpus=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/cores
stackwalk=${UNSPOOL_STACKWALK:-$(command -v minidump_stackwalk)}

# found DUMP ARGUMENT...: the crash, its modules by address and build ID, and all frames.
found() {
	"$UNSPOOL" walk -m --no-system-binaries "$@" 2>/dev/null | grep -E '^([0-9]+\||Crash|Module)' |
		$AWK -F'|' -v OFS='|' '$1 == "Module" && $5 == "" { $4 = "" } { print }'
}

# converted TITLE CORE ARGUMENT...: the minidump of a core gives the same answers as the core.
converted() {
	title=$1
	core=$2
	shift 2
	rm -f "$scratch/crash.dmp"
	t "$title: a minidump is written" "$UNSPOOL" export-minidump -o "$scratch/crash.dmp" "$core"
	is "$title: it walks as the core does" "$(found "$scratch/crash.dmp" "$@")" "$(found "$core" "$@")"
}

own=$srcdir/data/cores/list-amd64
converted 'the bundled core becomes a minidump' "$own/core.gz" --binaries "$own/binaries"
t 'the minidump has the memory map' grep -q '^  00400000-00401000 r-xp 00000000 00:00 0 /srv/example/list$' <<END
$("$UNSPOOL" streams "$scratch/crash.dmp")
END
# winnt.h: control, integer, segments and floating point; the core's note has the area that FXSAVE stores.
is 'the minidump has the floating point registers, as the context declares' "$("$UNSPOOL" streams "$scratch/crash.dmp" |
		sed -nE 's/^ *(context_flags|fxsave.mxcsr) +(= 0x[0-9a-f]+).*/\1 \2/p' | sort -u)" \
	'context_flags = 0x10000f
fxsave.mxcsr = 0x1f80'
if [ -n "$stackwalk" ]; then
	is 'Breakpad has the same modules and the same crash' \
		"$("$stackwalk" -m "$scratch/crash.dmp" 2>/dev/null | grep -E '^(Crash|Module)')" \
		"$("$UNSPOOL" walk -m "$scratch/crash.dmp" 2>/dev/null | grep -E '^(Crash|Module)')"
else
	skip 1 'minidump_stackwalk is not there; UNSPOOL_STACKWALK may name it'
fi
t 'a core is made of the minidump' "$UNSPOOL" export-core -o "$scratch/again" "$scratch/crash.dmp"
is 'the core of the minidump is walked as the first one' "$(found "$scratch/again" --binaries "$own/binaries")" \
	"$(found "$own/core.gz" --binaries "$own/binaries")"

for name in x86_64.threads.O2 i386.threads.O2 arm64.plugin.O2 arm.threads.O2 x86_64.inline.O2+cut; do
	if [ -f "$corpus/core/$name.core.zst" ] && ! lacks zstd; then
		converted "$name" "$corpus/core/$name.core.zst"
	else
		skip 2 'the corpus or zstd is not there'
	fi
done

done_testing
