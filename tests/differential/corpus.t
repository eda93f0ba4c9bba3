#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every minidump of the corpus is walked as Breakpad walked it: the machine layout of all, and the human
# layout of those with a stored answer, byte for byte.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

corpus=${UNSPOOL_CORPUS:-}
[ -d "$corpus/breakpad/oracle" ] && [ -d "$corpus/made/breakpad" ] || skip_all 'UNSPOOL_CORPUS names no corpus'
dumps=0
threads=0
frames=0

# same ANSWER OPTION DUMP [SYMBOLS]: print the answer's name if unspool's output differs.
same() {
	same_answer=$1
	shift
	timeout 900 "$UNSPOOL" walk --compat breakpad "$@" >"$scratch/ours" 2>/dev/null
	cmp -s "$scratch/ours" "$same_answer" && return
	echo "${same_answer#"$corpus"/}"
	diff "$same_answer" "$scratch/ours" | head -n 4
}

# In a machine answer each line after the empty one begins with a thread and a frame.
count() {
	count_line=$(awk -F '|' 'behind { threads[$1]; frames++ } /^$/ { behind = 1 }
		END { for (i in threads) n++; print n + 0, frames + 0 }' "$1")
	dumps=$((dumps + 1))
	threads=$((threads + ${count_line% *}))
	frames=$((frames + ${count_line#* }))
}

# public SET [SYMBOLS]: Breakpad's own crashes with a set of symbol files.
public() {
	for answer in "$corpus"/breakpad/oracle/*."$1".m.txt; do
		name=${answer##*/}
		same "$answer" -m "$corpus/breakpad/${name%".$1.m.txt"}.dmp" ${2:+"$corpus/breakpad/$2"} >>"$scratch/machine"
		count "$answer"
		same "${answer%.m.txt}.txt" "$corpus/breakpad/${name%".$1.m.txt"}.dmp" ${2:+"$corpus/breakpad/$2"} >>"$scratch/human"
	done
	none "public crashes with the symbol files '$1' print Breakpad's machine layout" "$(cat "$scratch/machine")"
	none "public crashes with the symbol files '$1' print Breakpad's human layout" "$(cat "$scratch/human")"
	rm "$scratch/machine" "$scratch/human"
}

# made ARCH SET [SUFFIX]: the crashes that were made for this project.
made() {
	folder=$corpus/made/symbols/$1${3:-}
	[ "$2" = none ] && folder=
	for answer in "$corpus/made/breakpad/$1".*."$2".m.txt; do
		name=${answer##*/"$1".}
		same "$answer" -m "$corpus/made/$1/${name%".$2.m.txt"}.dmp" ${folder:+"$folder"} >>"$scratch/machine"
		count "$answer"
	done
	none "crashes made on $1 with the symbol files '$2' print Breakpad's machine layout" "$(cat "$scratch/machine")"
	rm "$scratch/machine"
}

public sym symbols
public none
public inline symbols-inline
for arch in x86_64 i386 arm64 arm; do
	made $arch symbols
	made $arch nocfi -nocfi
	made $arch none
done
diag "$dumps walks, $threads threads, $frames frames compared"
t 'every stored answer was compared' test "$dumps" -eq "$(ls "$corpus"/breakpad/oracle/*.m.txt "$corpus"/made/breakpad/*.m.txt | wc -l)"
done_testing
