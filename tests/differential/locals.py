# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the variables that unspool prints with those that a debugger read from the same cores.

Usage: locals.py UNSPOOL CORPUS [DIFFERENCES]

CORPUS has core/, bin/, lib/, debug/ and truth/ (NAME.json), unpacked. Prints a line for each
architecture, a line for each wrong value, and the counts; DIFFERENCES gets a line for each variable
that is not the same.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys


def frames_of(document):
    """Frames with what tells them apart: the thread, the address, and which call there it is."""
    for thread in document["threads"]:
        seen = collections.Counter()
        for frame in thread["frames"]:
            pc = int(frame["pc"], 16)
            yield (thread["thread"], pc, seen[pc]), frame
            seen[pc] += 1


def plain(text):
    """The text of a value without what only one of the two says."""
    text = re.sub(r"<(?:memory at|error|Cannot)[^>]*>", "<unreadable>", text)
    return re.sub(r"<optimi[sz]ed out[^>]*>", "<optimized out>", text)


def gone(text):
    return "<optimized out>" in text and not re.search(r"= (?!<optimized out>|\{)", text)


def compare(truth, ours):
    """same, absent (we have none), extra (the debugger has none), failed (it failed), wrong, or stale:
    the debugger prints what a younger frame has in a register that calls need not keep."""
    if truth["location"] == "error":
        return "failed"
    theirs, own = plain(truth["value"]), plain(ours["value"])
    if theirs == own:
        return "same"
    for member in ("number", "bytes"):
        if truth.get(member) is not None and ours.get(member) is not None:
            if truth[member] == ours[member] and (member == "number" or truth.get("address") == ours.get("address")):
                return "same"
    if gone(theirs) and gone(own):
        return "same"
    if gone(own) or ours["absent"]:
        return "stale" if "was not saved across the call" in (ours["absent"] or "") else "absent"
    if gone(theirs) or "<not saved>" in theirs:
        return "extra"
    return "wrong"


def of_this_run(truth, ours):
    """The truth as of the run that the core is of, where the debugger read another one's core."""
    theirs, own = truth["threads"][0], (ours["threads"] or [{"frames": []}])[0]
    frames = [pair for pair in zip((f for f in theirs["frames"] if "variables" in f), own["frames"])]
    if not frames or any(one["pc"] == other["pc"] for one, other in frames):
        return truth
    moves = [(int(frames[0][0]["pc"], 16), int(frames[0][1]["pc"], 16))]
    for one, other in frames:
        places = {v["name"]: v["address"] for v in other["variables"] if v.get("address")}
        moves += [(int(v["address"], 16), int(places[v["name"]], 16))
                  for v in one["variables"] if v.get("address") and v["name"] in places]

    def move(found):
        number = int(found[0], 16)
        return next((hex(number - there + here) for there, here in moves if abs(number - there) < 1 << 32), found[0])

    moved = json.loads(re.sub("0x[0-9a-f]{9,}", move, json.dumps(truth)))
    moved["threads"][0]["thread"] = own["thread"]
    for frame in moved["threads"][0]["frames"]:
        for variable in frame.get("variables", []):
            if "0x" in (variable.get("value") or ""):
                variable.pop("number", None)
                variable.pop("bytes", None)
    return moved


def main():
    program, corpus = sys.argv[1:3]
    counts = collections.Counter()
    groups = collections.defaultdict(collections.Counter)
    differences = []
    for name in sorted(glob.glob(os.path.join(corpus, "truth", "*.json"))):
        base = os.path.basename(name)[:-5]
        arch = base.split(".")[0]
        command = [program, "locals", "--json", "--no-system-binaries", os.path.join(corpus, "core", base + ".core.zst")]
        for folder in ("bin/" + arch, "lib/" + arch, "debug"):
            command += ["--binaries", os.path.join(corpus, folder)]
        output = subprocess.run(command, capture_output=True)
        try:
            document = json.loads(output.stdout)
        except ValueError:
            document = {"threads": []}
            differences.append(f"{base}: no document: {output.stderr.decode()[-200:]}")
        found = collections.defaultdict(list)
        for place, frame in frames_of(document):
            for variable in frame["variables"]:
                found[(*place, variable["name"])].append(variable)
        for place, frame in frames_of(of_this_run(json.load(open(name)), document)):
            for variable in frame.get("variables", []):
                if variable.get("duplicate"):
                    continue
                queue = found.get((*place, variable["name"]), [])
                # Several variables of a function may have one name: both programs list them in the same order.
                # gdb lists some twice, the second time as optimized out.
                one = queue[0] if len(queue) > 0 else None
                if len(queue) > 1:
                    queue.pop(0)
                result = "missing" if one is None else compare(variable, one)
                if result == "same" and variable.get("pretty"):
                    pretty = one["pretty"] or one["value"]
                    if plain(pretty) != plain(variable["pretty"]) and pretty != "":
                        differences.append(f"{base} frame {frame['index']} {variable['name']}: "
                                           f"pretty: {variable['pretty']} | {pretty}")
                        counts["not as pretty"] += 1
                counts[result] += 1
                groups[arch][result] += 1
                if result != "same":
                    differences.append(f"{base} frame {frame['index']} {frame['function']} {variable['type']} "
                        f"{variable['name']}: {result}: {variable['location']} " f"{variable.get('value')} | "
                        + (f"{one['location']} {one['value']} ({one['absent']})" if one else ""))
    for arch in sorted(groups):
        print(arch, dict(groups[arch]))
    print("all", dict(counts))
    for line in differences:
        if ": wrong:" in line:
            print(line)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as output:
            output.write("\n".join(differences) + "\n")


main()
