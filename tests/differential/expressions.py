# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare expressions over variables with what gdb's print makes of them.

Usage: expressions.py UNSPOOL CORPUS [DIFFERENCES [PATTERN]]

CORPUS has core/, bin/, lib/ and debug/, unpacked. gdb reads the cores of x86.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def plain(text):
    """The text of a value without what only one of the two writes."""
    text = re.sub(r"static \w+ = [^,{}]*, ", "", text)
    text = re.sub(r"<(?:memory at|error|Cannot)[^>]*>", "<unreadable>", text)
    text = re.sub(r"^\([^()]*(?:\([^()]*\)[^()]*)*\) (?=@?0x|\{)", "", text)
    return re.sub(r"<optimi[sz]ed out[^>]*>", "<optimized out>", text)


def compare(theirs, ours):
    value = ours.get("evaluated")
    if "error" in theirs:
        if value is None or value["absent"]:
            return "both failed"
        if "<" in value["value"]:
            return "both failed"
        return "extra"
    if value is None:
        return "wrong" if ours.get("wrong") else "missing"
    if plain(theirs["value"]) == plain(value["value"]):
        return "same"
    if theirs.get("number") is not None and theirs["number"] == value["number"]:
        return "same"
    if value["absent"]:
        return "absent"
    if "<optimized out>" in theirs["value"]:
        return "extra"
    # C converts a narrow bit field to int (C11, 6.3.1.1); gdb does not.
    if theirs.get("number") is not None and "type" in theirs and theirs["type"] == "unsigned int" \
            and value["type"] == "int" and int(value["number"]) % 2**32 == int(theirs["number"]):
        return "bit field"
    return "wrong"


def ask_gdb(corpus, base, arch, program, scratch):
    core = os.path.join(scratch, "core")
    with open(core, "wb") as output:
        subprocess.run(["zstd", "-dcq", os.path.join(corpus, "core", base + ".core.zst")], stdout=output, check=True)
    answers = os.path.join(scratch, "answers")
    subprocess.run(["gdb", "-batch", "-nx", "-iex", "set debug-file-directory " + os.path.join(corpus, "debug"),
         "-iex", "set auto-load no", "-iex", "set debuginfod enabled off",
         "-iex", "set sysroot /nonexistent", "-ex", "file " + program, "-ex", "core " + core,
         "-x", os.path.join(os.path.dirname(__file__), "expressions-gdb.py")],
        env=dict(os.environ, OUTPUT=answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return json.load(open(answers))
    except OSError:
        return []
    finally:
        if os.path.exists(answers):
            os.remove(answers)


def ask_unspool(program, corpus, base, arch, frame, call, texts):
    command = [program, "identify", "--json", "--no-system-binaries",
               os.path.join(corpus, "core", base + ".core.zst"), "--frame", str(frame), "--call", str(call)]
    for folder in ("bin/" + arch, "lib/" + arch, "debug"):
        command += ["--binaries", os.path.join(corpus, folder)]
    output = subprocess.run(command + ["-"], input="\n".join(texts) + "\n", capture_output=True, text=True)
    return json.loads(output.stdout)["answers"]


def main():
    program, corpus = sys.argv[1:3]
    pattern = sys.argv[4] if len(sys.argv) > 4 else ""
    counts = collections.Counter()
    differences = []
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(glob.glob(os.path.join(corpus, "truth", "*.json"))):
            base = os.path.basename(path)[:-5]
            arch = base.split(".")[0]
            if arch not in ("x86_64", "i386") or pattern not in base:
                continue
            name = base[len(arch) + 1:].split("+")[0]
            groups = collections.defaultdict(list)
            for one in ask_gdb(corpus, base, arch, os.path.join(corpus, "bin", arch, name), scratch):
                groups[(one["frame"], one["call"])].append(one)
            for (frame, call), theirs in groups.items():
                ours = ask_unspool(program, corpus, base, arch, frame, call, [one["expression"] for one in theirs])
                for one, own in zip(theirs, ours):
                    result = compare(one, own)
                    counts[result] += 1
                    if result not in ("same", "both failed"):
                        value = own.get("evaluated") or {}
                        differences.append(f"{base} frame {frame}.{call} {one['expression']}: {result}: "
                            f"{one.get('value', one.get('error'))} | {value.get('value')} "
                            f"{value.get('absent') or ''} {own.get('wrong') or ''}")
    print("all", dict(counts))
    for line in differences:
        if ": wrong:" in line:
            print(line)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as output:
            output.write("\n".join(differences) + "\n")


main()
