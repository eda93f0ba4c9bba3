# SPDX-License-Identifier: GPL-3.0-or-later
"""windows-sweep.py UNSPOOL SYMBOLIZER PDBUTIL PROGRAM...: every byte of the code of programs with a PDB beside them.

Names, lines and inlined calls against llvm-symbolizer, lines of functions against the rows that llvm-pdbutil prints
(the last one at or below an address, of all blocks of the function together), records of dump-syms against its
procedures, publics and frame data. Prints how many answers there are of each class; those that nothing explains
are in capitals, with the first address."""
import bisect, collections, json, re, subprocess, sys
unspool, symbolizer, pdbutil = sys.argv[1:4]
counts, shown = collections.Counter(), {}

def run(command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True).stdout

def dump(pdb, option):
    return run([pdbutil, "dump", option, pdb])

def sections_of(pdb):
    """(address, size, whether it is code) of each section"""
    return [(int(address, 16), int(size, 16), "EXECUTE" in flags) for size, address, flags in re.findall(
        r" ([0-9A-F]+) virtual size\n +([0-9A-F]+) virtual address(.*?)(?=SECTION HEADER|\Z)",
        dump(pdb, "-section-headers"), re.S)]

def rows_of(pdb, sections):
    """(address, end, rows) of each function that a module has lines of; a row is address, line and file"""
    runs, file, module, run_now = collections.defaultdict(list), "", 0, None
    for line in dump(pdb, "-l").splitlines():
        if line.startswith("Mod "):
            module += 1
        elif found := re.match(r"(\S.*) \((MD5|SHA|no checksum)", line):
            file = found[1]
        elif found := re.match(r"  (\d{4}):([0-9A-F]{8})-([0-9A-F]{8}), line", line):
            base = sections[int(found[1]) - 1][0] if 0 < int(found[1]) <= len(sections) else 0
            run_now = (module, base, int(found[2], 16), int(found[3], 16))
        elif run_now and re.match(r"\s+\d+(-\d+)? [0-9A-F]{8} ", line):
            for number, offset in re.findall(r"(\d+)(?:-\d+)? ([0-9A-F]{8}) ", line):
                runs[run_now].append((int(offset, 16) + run_now[1], int(number), file))
    return [(base + first, base + end, sorted(rows, key=lambda row: row[0])) for (_, base, first, end), rows in runs.items()]

def inlined_of(symbols, inlinees, sections):
    """address to the lines that annotations of inlined calls have there"""
    lines = {int(i, 16): int(line) for i, line in re.findall(r"^ +(0x[0-9A-F]+) \| +(\d+) \|", inlinees, re.M)}
    found, base, end, first, line, row = collections.defaultdict(set), 0, 0, 0, 0, None

    def close(offset):
        for at in range(base + row[0], min(base + offset, end)) if row else ():
            found[at].add(row[1])
    for text in symbols.splitlines():
        if match := re.search(r"addr = (\d+):(\d+), code size = (\d+)", text):
            close(1 << 32)
            base = sections[int(match[1]) - 1][0] + int(match[2])
            end, row = base + int(match[3]), None
        elif match := re.search(r"inlinee = (0x[0-9A-F]+) ", text):
            close(1 << 32)
            first = line = lines.get(int(match[1], 16), 0)
            row = None
        elif match := re.match(r" +(?:[0-9A-F]{2}){2,} +(.*)", text):
            step = {word: int(number, 0) for word, number in re.findall(r"(line|code end|code) (-?\w+) \(", match[1])}
            if "code" in step or "code end" in step:
                close(step.get("code", step.get("code end")))
                row = None
            line = first + step["line"] if "line" in step else line
            if "code" in step:
                row = (step["code"], line)
                if "code end" in step:
                    close(step["code end"])
                    row = None
    close(1 << 32)
    return found

def answers_of(program, addresses):
    """what both say: lists of (name, file, line), innermost call first"""
    theirs, ours = {}, {}
    for line in run([symbolizer, "--no-demangle", "--obj=" + program, "--relative-address", "--output-style=JSON"],
                    "\n".join(map(hex, addresses))).splitlines():
        answer = json.loads(line)
        theirs[int(answer["Address"], 16)] = [(call["FunctionName"], call["FileName"], call["Line"])
                                              for call in answer.get("Symbol", [])]
    base = int(re.search(r"ImageBase: (\w+)", run(["llvm-readobj", "--file-headers", program]))[1], 16)
    for i in range(0, len(addresses), 2000):
        text = run([unspool, "lookup", "--json", "--no-demangle", program] + [hex(base + at) for at in addresses[i:i + 2000]])
        for answer in json.loads(text)["addresses"]:
            ours[int(answer["address"], 16) - base] = [(call["function"] or "", call["file"] or "", call["line"] or 0)
                                                       for call in answer["calls"]] or [("", "", 0)]
    return ours, theirs

def plain(name):
    """C names of x86 without what the linker adds"""
    name = re.sub(r"@\d+$", "", name) if name[:1] in "_@" else name
    return name[1:] if name[:1] in "_@" else name

def judge(own, their, known):
    """the class of an answer; `known` has what llvm-pdbutil prints for the address: `rows`, the lines there by all
    functions; `later`, all lines of a function whose first row is behind it; `folded`, names of functions that share
    their code; `nearest`, those of the public symbol or thunk at or below; `inlined`, lines of inlined calls"""
    if own == their:
        return "same"
    if own == [("", "", 0)] and their[-1][1:] in (("", 0), ("??", 0)):
        return "between functions: no name"
    if len(own) != len(their):
        return "OTHER CALLS"
    if own[:-1] != their[:-1]:
        calls = [[call[:2] for call in answer[:-1]] for answer in (own, their)]
        return "the line of annotations" if calls[0] == calls[1] and own[0][2] in known["inlined"] else "OTHER CALLS"
    if own[-1][1:] == their[-1][1:]:
        if own[-1][0] == plain(their[-1][0]):
            return "a C name of x86 without what linkers add"
        if own[-1][0] in known["nearest"] and own[-1][2] == 0:
            return "outside of procedures: the thunk or public symbol below"
        if own[-1][0].endswith(" (import thunk)"):
            return "an import thunk, with its library"
        return "a folded function's own name" if own[-1][0] in known["folded"] else "OTHER NAME"
    if own[-1][2] == 0:
        return "NO LINE" if known["rows"] else "no line before the call: none"
    if own[-1][1:] in known["rows"]:
        return "the function's row" if len(known["rows"]) == 1 else "a folded function's own row"
    return "a row in a later part of the call" if own[-1][1:] in known["later"] else "OTHER LINE"

def tell(kind, program, at):
    counts[kind] += 1
    if kind.isupper():
        shown.setdefault(kind, f"{program.split('/')[-1]}+{at:#x}")

def look_up(program, pdb, sections, runs):
    procedures, rows = collections.defaultdict(set), collections.defaultdict(set)
    symbols = dump(pdb, "-symbols")
    inlined = inlined_of(symbols, dump(pdb, "-il"), sections)
    for name, section, offset, size in re.findall(
            r"S_[GL]PROC32(?:_ID)? \[size = \d+\] `(.*)`\n.*addr = (\d+):(\d+), code size = (\d+)", symbols):
        procedures[sections[int(section) - 1][0] + int(offset)].add((name, int(size)))
    publics, thunks = collections.defaultdict(set), collections.defaultdict(set)
    for name, section, offset in re.findall(r"S_PUB32 .*`(.*)`\n.*addr = (\d+):(\d+)", dump(pdb, "-publics")):
        if 0 < int(section) <= len(sections):
            publics[sections[int(section) - 1][0] + int(offset)].add(name)
    for name, section, offset in re.findall(r"S_THUNK32 .*`(.*)`\n.*\n.*addr = (\d+):(\d+)", symbols):
        thunks[sections[int(section) - 1][0] + int(offset)].add(name)
    names = {}
    for start, those in procedures.items():
        for name, size in those:
            for at in range(start, start + size):
                if len(those) > 1 or len(publics[start]) > 1:
                    names.setdefault(at, set()).update({name} | publics[start])
    later = collections.defaultdict(set)
    for first, end, lines in runs:
        starts = [row[0] for row in lines]
        for at in range(first, end):
            i = bisect.bisect_right(starts, at)
            # Rows of folded functions of one module cannot be distinguished.
            if i == 0:
                later[at].update((file, line) for start, line, file in lines)
            else:
                rows[at].update((file, line) for start, line, file in lines
                                if start == lines[i - 1][0] or (at in names and start <= at))
    for at in publics:
        thunks[at] |= publics[at]
    ordered = sorted(thunks)
    addresses = [at for start, size, code in sections if code for at in range(start, start + size)]
    ours, theirs = answers_of(program, addresses)
    for at in addresses:
        below = bisect.bisect_right(ordered, at)
        tell(judge(ours[at], theirs.get(at, []),
                   {"rows": rows[at], "later": later[at], "folded": names.get(at, ()), "inlined": inlined[at],
                    "nearest": thunks[ordered[below - 1]] if below else ()}), program, at)
    return procedures, publics

def write_out(program, pdb, sections, procedures, publics):
    """the records of dump-syms"""
    functions, others, frames = {}, set(), []
    for line in run([unspool, "dump-syms", "--no-inlines", pdb]).splitlines():
        fields = line.replace(" m ", " ", 1).split(" ")
        if fields[0] == "FUNC":
            functions[int(fields[1], 16)] = int(fields[2], 16)
        elif fields[0] == "PUBLIC":
            others.add(int(fields[1], 16))
        elif line.startswith("STACK WIN 4"):
            frames.append(line)
    for at, those in procedures.items():
        sizes = {size for _, size in those}
        tell("function of dump-syms" if functions.get(at) in sizes else "LOST FUNC", program, at)
    for at in functions.keys() - procedures.keys():
        tell("INVENTED FUNC", program, at)
    code = {at for at in publics for start, size, executable in sections if executable and start <= at < start + size}
    for at in code - procedures.keys():
        tell("public symbol of dump-syms" if at in others else "LOST PUBLIC", program, at)
    for at in others - (code - procedures.keys()):
        tell("INVENTED PUBLIC", program, at)
    data = {"STACK WIN 4 %x %x %x 0 %x %x %x %x 1 %s" % (int(f[0], 16), int(f[1]), int(f[5]), int(f[3]), int(f[6]),
                                                          int(f[2]), int(f[4]), f[7])
            for f in re.findall(r"^([0-9A-F]{8}) \| +(\d+) \| +(\d+) \| +(\d+) \| +(\d+) \| +(\d+) \| +(\d+) \|"
                                r" .*?\| .*?\| .*?\| (.*)$", dump(pdb, "-fpo"), re.M)}
    for record in data | set(frames):
        tell("unwind record of dump-syms" if record in data and record in frames else "OTHER STACK WIN", program, 0)

for program in sys.argv[4:]:
    pdb = re.sub(r"\.(exe|dll)$", ".pdb", program)
    sections = sections_of(pdb)
    write_out(program, pdb, sections, *look_up(program, pdb, sections, rows_of(pdb, sections)))
for kind, number in sorted(counts.items()):
    print(number, kind)
for kind, where in sorted(shown.items()):
    print("first", kind, where)
