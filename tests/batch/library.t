#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The library as it is installed: its example in C and its module for Python print the stack that the program has.
. "$(dirname "$0")/../lib/tap.sh"

[ -f "$builddir/libunspool.a" ] || skip_all 'the library is not built'
$NM "$builddir/libunspool.a" 2>/dev/null | grep -qE '__(asan|ubsan|gcov)_' && skip_all 'the library is instrumented'
crash=$srcdir/data/crashes/frame-data-x86
(unset MAKEFLAGS MAKELEVEL MFLAGS; make -C "$builddir" install-library DESTDIR="$scratch" prefix=/usr libdir=/usr/lib \
	includedir=/usr/include docdir=/usr/doc) >"$scratch/log" 2>&1
status=$?
grep -qE 'recompile with -fPI[CE]' "$scratch/log" && skip_all 'the objects are not position independent (configure without -fPIE)'
is 'the library is installed' "$status $(tail -n 2 "$scratch/log" | grep -i error)" '0 '
usr=$scratch/usr
is 'only names of unspool.h are visible' "$($NM -D --defined-only "$usr/lib/libunspool.so.1" | $AWK '{ print $3 }' | sort)" \
	"$(sed -n 's/^\(unspool_[a-z]*\)(.*/\1/p' "$usr/include/unspool.h" | sort)"
is 'the number of the library is that of the header' "$(sed -n 's/^#define UNSPOOL_API //p' "$usr/include/unspool.h")" 1
t 'pkg-config finds the library' grep -q '^Libs: .*-lunspool$' "$usr/lib/pkgconfig/unspool.pc"

$CC -Wall -Wextra -Werror -o "$scratch/stack" "$usr/doc/library/stack.c" -I "$usr/include" -L "$usr/lib" -lunspool 2>"$scratch/log"
is 'the example is compiled without warnings' "$? $(cat "$scratch/log")" '0 '
LD_LIBRARY_PATH=$usr/lib "$scratch/stack" "$crash/crash.dmp" "$crash/symbols" >"$scratch/out"
is 'the example prints the functions of walk' "$(sed -n 's/^ *\([0-9]*\)  0x[0-9a-f]*  \([a-z_]*\)  .*/\1 \2/p' "$scratch/out")" \
	"$("$UNSPOOL" walk -m -c "$crash/crash.dmp" "$crash/symbols" 2>/dev/null |
		$AWK -F'|' '$1 == "0" && $4 ~ /^[a-z_]+$/ { print $2, $4 }')"
t 'a frame has the line of its record' grep -q '^ *record .*\.sym:[0-9]*)$' "$scratch/out"
LD_LIBRARY_PATH=$usr/lib "$scratch/stack" "$0" >"$scratch/out2" 2>"$scratch/err"
is 'a file that is not a dump is refused with a reason' "$? $(cut -d: -f2 "$scratch/err" | cut -c1-8)" '1  text, n'
if command -v python3 >/dev/null; then
	UNSPOOL_LIBRARY=$usr/lib/libunspool.so.1 python3 "$usr/doc/library/unspool.py" "$crash/crash.dmp" "$crash/symbols" >"$scratch/python"
	is 'the module for Python prints the same' "$(diff "$scratch/out" "$scratch/python")" ''
	# Frame 1 is at 401048 (tests/tty/kept.t), and add_up begins at 1020 of its symbol file.
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$usr/doc/library UNSPOOL_LIBRARY=$usr/lib/libunspool.so.1 \
		python3 - "$crash/crash.dmp" "$crash/symbols" >"$scratch/python" 2>&1 <<-'END'
	import sys, unspool
	with unspool.Dump(*sys.argv[1:]) as dump:
	    rows = dump.walk()
	    top = rows[0]
	    print(dump.register(0, "eip") == top["pc"], dump.register(0, "nosuch"), dump.register(99, "eip"))
	    print(len(dump.read(top["sp"], 4)), len(dump.read(0, 4)), dump.symbol(rows[1]["pc"]))
	    print(dump.step(99), dump.walk(99), dump.walk(0)[0]["frame"], dump.step(0)[0]["kind"])
	END
	is 'registers, memory and names are read, and wrong numbers refused' "$(cat "$scratch/python")" \
		"$(printf '%s\n' 'True None None' '4 0 add_up + 0x28' '[] [] 0 step')"
else
	skip 2 'no python3'
fi
done_testing
