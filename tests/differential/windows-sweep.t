#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names, lines and inlined calls of every byte of programs with PDBs, compared with llvm-symbolizer and llvm-pdbutil,
# and the records of dump-syms. The programs are those of the tests, of the corpus if UNSPOOL_CORPUS names it, and those
# that clang makes from one source for four processors, with two compilers' names and several kinds of links.
# UNSPOOL_SYMBOLIZER names another llvm-symbolizer, because its later versions know more.

. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'

unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES DEBUGINFOD_URLS
symbolizer=${UNSPOOL_SYMBOLIZER:-llvm-symbolizer}
for tool in python3 "$symbolizer" llvm-pdbutil llvm-readobj xz gzip; do
	command -v "$tool" >/dev/null 2>&1 || skip_all "no $tool"
done

# Answers that none of the known reasons explains; doc/walkers-compared.md has the reasons.
unexplained() {
	python3 "$srcdir/tests/differential/windows-sweep.py" "$UNSPOOL" "$symbolizer" llvm-pdbutil "$@" >"$scratch/sweep" 2>&1
	grep -q '^[0-9]* same$' "$scratch/sweep" || cat "$scratch/sweep"
	sed -n 's/^first //p' "$scratch/sweep"
}

mkdir "$scratch/tests"
for name in apc classes; do
	gzip -dc "$srcdir/tests/windows/$name.pdb.gz" >"$scratch/tests/$name.pdb"
	cp "$srcdir/tests/windows/$name.exe" "$scratch/tests"
done
for name in thrown-x86 thrown-amd64 folded-msvc folded-mingw; do
	xz -dc "$srcdir/tests/pe/$name.pdb.xz" >"$scratch/tests/$name.pdb"
	cp "$srcdir/tests/pe/$name.dll" "$scratch/tests"
done
is 'programs of the tests' "$(unexplained "$scratch"/tests/*.exe "$scratch"/tests/*.dll)" ''

if [ -d "${UNSPOOL_CORPUS:-}/windows/made/bin" ]; then
	is 'programs of the corpus' "$(unexplained "$UNSPOOL_CORPUS"/windows/made/bin/*/*.exe)" ''
else
	skip 1 'UNSPOOL_CORPUS names no corpus with crashes of Windows'
fi

# make NAME TARGET MACHINE COMPILER-OPTIONS LINKER-OPTIONS
make_program() {
	(cd "$scratch/made" && clang++ --target="$2" -gcodeview -ffreestanding -fno-builtin -fno-rtti -fno-exceptions \
		-fno-threadsafe-statics $4 -c "$srcdir/tests/pe/folded.cpp" -o folded.obj &&
		lld-link /nologo /debug /dll /nodefaultlib /entry:entry "/machine:$3" /safeseh:no $5 "/out:$1.dll" \
			"/pdb:$1.pdb" "/pdbaltpath:$1.pdb" folded.obj) >"$scratch/made/$1.log" 2>&1 || cat "$scratch/made/$1.log"
	rm -f "$scratch/made/folded.obj"
}

if command -v clang++ >/dev/null 2>&1 && command -v lld-link >/dev/null 2>&1; then
	mkdir "$scratch/made"
	case $srcdir in /*) ;; *) srcdir=$PWD/$srcdir ;; esac
	for level in 0 1 2; do
		make_program "x64-$level" x86_64-pc-windows-msvc x64 "-O$level" ''
		make_program "x86-$level" i686-pc-windows-msvc x86 "-O$level" ''
		make_program "arm64-$level" aarch64-pc-windows-msvc arm64 "-O$level" ''
		make_program "arm-$level" thumbv7-pc-windows-msvc arm "-O$level" ''
	done
	make_program x64-folded x86_64-pc-windows-msvc x64 '-O2 -ffunction-sections' '/opt:ref,icf'
	make_program x86-folded i686-pc-windows-msvc x86 '-O1 -ffunction-sections -fomit-frame-pointer' '/opt:ref,icf'
	make_program x64-all x86_64-pc-windows-msvc x64 -O2 '/opt:noref,noicf'
	make_program x64-hashes x86_64-pc-windows-msvc x64 '-O2 -gcodeview-ghash' '/debug:ghash'
	make_program x64-columns x86_64-pc-windows-msvc x64 '-O2 -gcolumn-info' ''
	make_program x64-lines x86_64-pc-windows-msvc x64 '-O2 -gline-tables-only' ''
	make_program x64-thin x86_64-pc-windows-msvc x64 '-O2 -flto=thin' ''
	make_program x86-whole i686-pc-windows-msvc x86 '-O2 -flto' ''
	is 'what clang makes for four processors, with link-time optimization, folded functions, columns' \
		"$(unexplained "$scratch"/made/*.dll)" ''
else
	skip 1 'no clang++ or lld-link'
fi
done_testing
