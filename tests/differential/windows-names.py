# SPDX-License-Identifier: GPL-3.0-or-later
"""windows-names.py UNSPOOL CORPUS: every frame of a walk that the truth has too and that is in the program's own code, by
its functions, lines and inlined calls, against what llvm-symbolizer 14 says of its address (oracle/*.lookup.txt)."""
import glob, json, os, subprocess, sys
unspool, corpus = sys.argv[1:3]
made = corpus + "/made"
total = different = 0
tables = {}
def table(arch, module):
    key = f"{made}/oracle/{arch}.{module}.lookup.txt"
    if key not in tables:
        rows = []
        for line in open(key):
            if line[0] != "#":
                first, end, rest = line.rstrip("\n").split("|", 2)
                rows.append((int(first, 16), int(end, 16), rest))
        tables[key] = rows
    return tables[key]
for truth in sorted(glob.glob(made + "/truth/*.txt")):
    arch, dump = os.path.basename(truth)[:-4].split(".", 1)
    walk = json.loads(subprocess.run([unspool, "walk", "--json", "--binaries", f"{made}/bin/{arch}",
                                      f"{made}/{arch}/{dump}.dmp"], capture_output=True, text=True).stdout)
    true = {int(line.split("|")[4], 16) for line in open(truth) if line.startswith("FR")}
    for thread in walk["threads"]:
        for frame in thread["frames"]:
            if int(frame["address"], 16) not in true or not (frame["module"] or "").endswith(".exe"):
                continue
            at = int(frame["module_offset"], 16)
            want = next(rest for first, end, rest in table(arch, frame["module"]) if first <= at < end)
            calls = (frame["inlines"] or []) + [frame]
            said = " < ".join(f"{c['function'] or '??'}|{c['file'] or '??'}:{c['line'] or 0}" for c in calls)
            total += 1
            if said != want:
                different += 1
                print(f"{arch} {frame['module']}+{at:#x}")
print(total, "frames,", different, "differ")
