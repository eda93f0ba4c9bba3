#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The default walk, compared with a debugger's stacks of the same crashes: the share of the true frames that it finds (recall), and the
# share of its frames that are false. Both are means over dumps, so that a stack of 100,000 frames counts as much as one of ten.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

made=${UNSPOOL_CORPUS:-}/made
[ -d "$made/truth" ] || skip_all 'UNSPOOL_CORPUS names no corpus'
scorer=$srcdir/tests/differential/truth.awk

# score ARCH [ARGUMENT...]: a line for each dump with its true, found, shown and false frames. Dumps with an
# incomplete debugger stack are left out.
score() {
	arch=$1
	shift
	for truth in "$made/truth/$arch".*.txt; do
		name=${truth##*/}
		name=${name%.txt}
		grep -qs "^${name}[[:space:]]" "$made/truth/weak.txt" && continue
		timeout 900 "$UNSPOOL" walk "$made/$arch/${name#"$arch".}.dmp" "$@" 2>/dev/null >"$scratch/walk"
		"$AWK" -v thumb="$([ "$arch" = arm ] && echo 1)" -f "$scorer" "$truth" "$scratch/walk"
	done
}

# mean FOUND OF FILE: a percentage of two columns, the mean over lines.
mean() {
	"$AWK" -v part="$1" -v whole="$2" '{ sum += $part / ($whole > 0 ? $whole : 1) }
		END { printf("%.2f\n", (NR > 0) ? 100 * sum / NR : 0) }' "$3"
}

holds() { "$AWK" "BEGIN { exit !($1) }"; }

# The results of minidump_stackwalk 0.26.0 with the same symbol files, and the limits for unspool.
while read -r arch set their_recall their_false least most; do
	case $set in
	none) score "$arch" >"$scratch/scores" ;;
	nocfi) score "$arch" "$made/symbols/$arch-nocfi" >"$scratch/scores" ;;
	*) score "$arch" "$made/symbols/$arch" >"$scratch/scores" ;;
	esac
	recall=$(mean 2 1 "$scratch/scores")
	false=$(mean 4 3 "$scratch/scores")
	diag "$arch, $set: $(wc -l <"$scratch/scores") dumps," "recall $recall % (Breakpad $their_recall %)," \
		"false $false % (Breakpad $their_false %)"
	t "on $arch with $set no fewer true frames are found than Breakpad finds" holds "$recall >= $their_recall"
	t "on $arch with $set fewer of the frames shown are false than Breakpad's" holds "$false < $their_false"
	t "on $arch with $set at least $least % of the true frames are found" holds "$recall >= $least"
	t "on $arch with $set at most $most % of the frames shown are false" holds "$false <= $most"
done <<EOF
x86_64 symbols 100.00 19.45 99 1
arm64 symbols 93.33 3.33 99 1
i386 symbols 90.45 29.92 99 1
arm symbols 78.98 25.10 99 1
x86_64 nocfi 86.54 28.09 99 6
arm64 nocfi 74.43 6.65 93 5
i386 nocfi 51.86 55.28 99 13
arm nocfi 71.84 42.90 97 8
x86_64 none 87.82 35.07 99 6
arm64 none 74.43 6.65 93 5
i386 none 51.85 61.21 98 13
arm none 94.76 53.29 99 15
EOF

# Crashes of Windows with the programs' own files, but without the system's libraries.
windows=$UNSPOOL_CORPUS/windows/made
if [ -d "$windows/truth" ]; then
	made=$windows
	score x86_64-windows --binaries "$windows/bin/x86_64-windows" >"$scratch/scores"
	made=$UNSPOOL_CORPUS/made
	recall=$(mean 2 1 "$scratch/scores")
	false=$(mean 4 3 "$scratch/scores")
	diag "Windows on x86_64: recall $recall %, false $false %"
	t 'on Windows at least 90 % of the true frames are found' holds "$recall >= 90"
	t 'on Windows at most 1 % of the frames shown are false' holds "$false <= 1"
	"$UNSPOOL" walk --binaries "$windows/bin/x86_64-windows" "$windows/x86_64-windows/nested.dmp" >"$scratch/walk" 2>/dev/null
	is 'the caller of an exception handler is the function that had the exception' "$("$AWK" '/nested.exe!divide/ { here = 1 }
			here && sub(/^ *Found by: /, "") { print; exit }' "$scratch/walk")" 'registers saved in the signal frame'
	# On 32 bits the recorded stacks end one frame early: the return address into the thread's first function,
	# ntdll's call_thread_func, is at the end of its FDE, and the recorder found no FDE there. So each thread
	# may have one more frame, whose own return address is 0.
	for truth in "$windows/truth/i386-windows".*.txt; do
		name=${truth##*/i386-windows.}
		"$UNSPOOL" walk --binaries "$windows/bin/i386-windows" "$windows/i386-windows/${name%.txt}.dmp" 2>/dev/null >"$scratch/walk"
		printf '%s %s\n' "$("$AWK" -f "$scorer" "$truth" "$scratch/walk")" \
			"$(grep -c 'return address 0: bottom of the stack' "$scratch/walk")"
	done >"$scratch/scores"
	recall=$(mean 2 1 "$scratch/scores")
	diag "Windows on x86: recall $recall %, false frames $("$AWK" '{ sum += $4 - $5 }
		END { print sum }' "$scratch/scores") but the first function of each thread"
	t 'on x86 at least 98 % of the true frames are found' holds "$recall >= 98"
	none 'on x86 the first function of a thread is the only frame that is not recorded' "$("$AWK" '$4 != $5' "$scratch/scores")"
else
	skip 5 'the corpus has no crashes of Windows'
fi

# These dumps have 0 in cpsr; llvm-objdump decodes the instructions as Thumb.
while read -r name instruction; do
	"$UNSPOOL" summary --binaries "$made/bin/arm" "$made/arm/$name.dmp" >"$scratch/summary" 2>/dev/null
	t "$name crashed in Thumb code" grep -qF "$instruction   (at" "$scratch/summary"
done <<EOF
sig_ill udf #0xff
deep300 str r2, [r3, #0x10]
EOF

# Threads of Windows whose frame pointers lead to the first function; with its record scans found a handler
# and the program's entry point.
for name in minidump2 read_av_conditional read_av_non_null write_av_non_null; do
	"$UNSPOOL" walk "$UNSPOOL_CORPUS/breakpad/$name.dmp" >"$scratch/walk" 2>/dev/null
	t "$name ends at the first function of its thread" grep -q 'End of stack: return address 0: bottom of the stack' "$scratch/walk"
	is "$name has no scanned frame" "$(grep -c 'Found by: stack scanning' "$scratch/walk")" 0
done
done_testing
