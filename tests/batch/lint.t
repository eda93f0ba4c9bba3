#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lint reads compressed files, and real ones. tests/scenes/lint has the reports.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

run() { "$UNSPOOL" lint "$@" >"$scratch/out" 2>"$scratch/err"; }
has() { t "$1" grep -Fq -- "$2" "$scratch/out"; }

mkdir -p "$scratch/store/c" "$scratch/nothing"
cat >"$scratch/bad.sym" <<\END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program
FUNC 1000 20 0 main
STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1004 .cfa: $rsp 0 /
END
gzip -c "$scratch/bad.sym" >"$scratch/store/c/bad.sym.gz"
ln -s ../.. "$scratch/store/c/loop"
run --brief "$scratch/store/c/bad.sym.gz"
has 'a compressed file is read' '[cfi-division]'
run --brief "$scratch/store"
is 'a link upwards is not followed' "$(grep -c 'cfi-division\]' "$scratch/out")" 1
head -c 40 "$scratch/store/c/bad.sym.gz" >"$scratch/cut.gz"
run --brief "$scratch/cut.gz"
is 'input that cannot be decompressed exits with 3 or is reported as truncated' "$(grep -Ec 'other-file|compressed-cut' "$scratch/out")" 1
run --brief - <"$scratch/store/c/bad.sym.gz"
has 'standard input is decompressed' '-:4:29: warning:'
(cd "$scratch/nothing" && "$UNSPOOL" lint --sarif ../bad.sym) >"$scratch/out" 2>/dev/null
t 'SARIF has the absolute path of a file above the directory' grep -qF "\"uri\":\"file://$(cd "$scratch" && pwd -P)/bad.sym\"}" "$scratch/out"

# Only findings that were checked by hand, and no lost record.
corpus=${UNSPOOL_CORPUS:-}
if [ -d "$corpus/breakpad/symbols" ]; then
	find "$corpus/breakpad/symbols" "$corpus/made/symbols" -name '*.sym' ! -name '*.broken.sym' \
		-exec "$UNSPOOL" lint --brief {} + >"$scratch/out" 2>"$scratch/err"
	is 'files that tools have written have no lost records' "$(grep -c ': error: ' "$scratch/out")" 0
	is 'no message is on standard error' "$(cat "$scratch/err")" ''
else
	skip 2 'the corpus is not there'
fi
done_testing
