#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# unwind-check of directories: every module with its symbol file, one summary, and the rest after SIGINT.
. "$(dirname "$0")/../lib/tap.sh"
command -v python3 >/dev/null || skip_all 'there is no python3'

crash=$srcdir/data/crashes/sframe-amd64
sym=symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
bin=$scratch/bin
store=$scratch/store/parcel/56C3B53CDDC62F1A1211E753916F2FBB0
mkdir -p "$bin/sub/deep" "$store"
cp "$crash/binaries/parcel" "$bin/sub/deep"
cp "$crash/$sym" "$store"
echo 'not a program' >"$bin/readme"
check() {
	"$UNSPOOL" unwind-check "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}

check "$crash/binaries/parcel" "$scratch/store"
cp "$scratch/out" "$scratch/one"
check "$bin" "$scratch/store"
is 'the report about a module equals the report of a run with it alone' "$(sed '$d' "$scratch/out")" "$(cat "$scratch/one")"

# The symbol file has a wrong offset.
sed '/^STACK CFI 114c /s/ 320 / 312 /' "$crash/$sym" >"$store/parcel.sym"
check "$bin" "$scratch/store"
is 'a difference ends with 1' $status 1
cp "$bin/sub/deep/parcel" "$bin/other"
strip --only-keep-debug -o "$bin/parcel.debug" "$crash/binaries/parcel" 2>/dev/null
check --json "$bin" "$scratch/store"
is 'JSON has one list with an object for each module' \
	"$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$scratch/out")" 2
check --sarif "$bin" "$scratch/store"
is 'SARIF has one run with the results of all' "$(python3 -c '
import json, sys
log = json.load(open(sys.argv[1]))
print(len(log["runs"]), sum(r["ruleId"] == "rule-differs" for r in log["runs"][0]["results"]))' "$scratch/out")" '1 1'
rm "$bin/other"

check "$scratch/store" --binaries "$bin/sub/deep"
is 'a symbol store alone is compared with the modules of --binaries' $status 1
t 'the files that were compared with --binaries are counted' grep -q '^1 file: 1 compared' "$scratch/out"

# A flat directory of modules and symbol files: each file is identified once, not once for each module.
mkdir "$scratch/flat"
python3 - "$crash/binaries/parcel" "$crash/$sym" "$scratch/flat" <<'END'
import sys
program, text, flat = open(sys.argv[1], "rb").read(), open(sys.argv[2]).read(), sys.argv[3]
old = bytes.fromhex("3cb5c356c6dd1a2f1211e753916f2fbb")
assert program.count(old) == 1
for i in range(200):
    new = old[:3] + bytes([i]) + old[4:]
    open("%s/m%d" % (flat, i), "wb").write(program.replace(old, new))
    open("%s/m%d.sym" % (flat, i), "w").write(text.replace("56C3B53C", "%02XC3B53C" % i).replace(" parcel\n", " m%d\n" % i))
END
check "$scratch/flat"
t 'symbol files next to their modules are found by their MODULE records' grep -q '^200 files: 200 compared, .* 4000 rows compared$' "$scratch/out"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=openat -o "$scratch/trace" "$UNSPOOL" unwind-check "$scratch/flat" >/dev/null 2>&1
	t 'each file of the directory is opened a few times, however many there are' test "$(grep -c '/flat/' "$scratch/trace")" -lt 4000
else
	skip 1 'no strace'
fi

# A signal, sent while so many copies are checked that they take seconds; it is sent earlier if it came too late.
stopped() {
	python3 - "$1" "$UNSPOOL" "$bin/sub/deep/parcel" "$scratch/copies" "$scratch/out" "$scratch/err" <<-'END'
		import os, signal, subprocess, sys, time
		number, program, parcel, copies, out, err = sys.argv[1:]
		os.makedirs(copies, exist_ok=True)
		for i in range(len(os.listdir(copies)), 10000):
		    os.link(parcel, '%s/%d' % (copies, i))
		for wait in 1, 0.5, 0.2, 0.1, 0.05:
		    child = subprocess.Popen([program, 'unwind-check', copies], stdout=open(out, 'w'), stderr=open(err, 'w'),
		        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
		    time.sleep(wait)
		    child.send_signal(int(number))
		    status = child.wait()
		    if status != 0:
		        break
		print(status)
	END
}
for number in 2 15; do
	is "signal $number ends with $((128 + number))" "$(stopped $number)" $((128 + number))
	t 'the number of compared files is printed' grep -qE '^unspool: stopped: [0-9]+ of 10000 files were compared$' "$scratch/err"
	t 'the count comes with a summary of the findings' grep -qE '^[0-9]+ files?: [0-9]+ compared' "$scratch/out"
done

done_testing
