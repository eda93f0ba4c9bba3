#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Files from debuginfod servers arrive while the explorer runs, and the download can be stopped.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tty.sh"

unset UNSPOOL_SYMBOLS UNSPOOL_SYMBOLS_URL UNSPOOL_BINARIES http_proxy all_proxy DEBUGINFOD_TIMEOUT
unset HTTP_PROXY ALL_PROXY no_proxy

crash=$srcdir/data/crashes/sframe-amd64
id=3cb5c356c6dd1a2f1211e753916f2fbbb324dc75
mkdir -p "$scratch/store/buildid/$id"
cp "$crash/binaries/parcel" "$scratch/store/buildid/$id/executable"
served=$scratch/store
. "$srcdir/tests/lib/symbol-server.sh"
tap_cleanup() { kill $server; mux kill-server 2>/dev/null; rm -rf "$scratch"; }

tui_start 80 24 env DEBUGINFOD_URLS="http://127.0.0.1:$(cat "$scratch/port")/late" \
	DEBUGINFOD_CACHE_PATH="$scratch/kept" "$UNSPOOL" --no-state --ascii "$crash/crash.dmp"
t 'the status line has the download, its server and the key that stops it' \
	tui_wait '^fetching parcel from 127\.0\.0\.1:[0-9]*: .*Esc stops it'
t 'during the download the walk is shown without names' tui_wait ' 0 ctx .* parcel \+ 0x112c'
tui_keys Escape
t 'Esc stops the download' tui_wait '^reading of parcel cancelled; L continues'
t 'the running download ends' tui_wait ' 0 ctx .* symbols not read'
tui_keys L
t 'L continues, and names appear' tui_wait ' 0 ctx .* label_length'
t 'the rules of the program find frames' tui_wait ' 1 .* print_label'
tui_keys q
t 'q leaves' tui_ended
is 'the program exits with 0' "$(tui_status)" 0
done_testing
