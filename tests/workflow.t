#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The workflow of the public host (.github/workflows/ci.yml) has every job that .ci/run has, and each job names a system and a command.
. "$(dirname "$0")/lib/tap.sh"

workflow=$srcdir/.github/workflows/ci.yml
[ -f "$workflow" ] || skip_all 'the archive has no workflow: it is for the repository'

# jobs: a line "IMAGE COMMAND" for each job of the workflow.
jobs=$(awk '$1 == "image:" { image = $2 }
	$1 == "command:" { sub(/^ *command: /, ""); print image, $0 }' "$workflow")
has() { printf '%s\n' "$jobs" | grep -qxF "$1"; }

# The systems on which .ci/run runs the commands of the README.
suites=$(sed -n "s/^fresh \([a-z0-9]*\) .*/\1/p" "$srcdir/.ci/run")
t '.ci/run has fresh systems' test -n "$suites"
for suite in $suites; do
	t "the workflow checks on debian:$suite, as .ci/run does" has "debian:$suite ./bootstrap check"
done

# The variables with which .ci/run checks once more.
again=$(sed -n 's/^[[:space:]]*BUILD=$sanitized \(CONFIGURE_FLAGS=.*\) \.\/bootstrap.*/\1/p' "$srcdir/.ci/run")
t '.ci/run checks with the sanitizers' test -n "$again"
t 'the workflow checks with the sanitizers' has "debian:bookworm BUILD=build-sanitize $again ./bootstrap check"
is 'each job has a name, a system and a command' "$(grep -c '^ *- name: [^$]' "$workflow") $(grep -c '^ *image: ' "$workflow")" \
	"$(printf '%s\n' "$jobs" | wc -l | tr -d ' ') $(printf '%s\n' "$jobs" | wc -l | tr -d ' ')"
done_testing
