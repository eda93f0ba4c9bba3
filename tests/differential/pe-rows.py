# SPDX-License-Identifier: GPL-3.0-or-later
"""pe-rows.py UNSPOOL FILE...: whether rows of .pdata are what llvm-readobj's unwind codes say.

llvm-readobj prints the codes of each function. Here they are undone, by what Microsoft says of them, for
the state behind each instruction of the prologue, in the body and in the epilogues that are listed
(those of x64 are not); dump-syms writes unspool's rows. Prints for each file the states compared and
those that differ; parts of functions and frames that the system made are not compared. Files of ARM
need LLVM 15: what older ones print of them is wrong.
"""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def registers(words):
    """"r4-r7, lr" as a list; numbers first, as they are stored."""
    found = []
    for word in re.split(r",\s*", words.strip()):
        run = re.match(r"([rd])(\d+)-[rd](\d+)$", word)
        found += [f"{run[1]}{i}" for i in range(int(run[2]), int(run[3]) + 1)] if run else [word]
    return [{"fp": "x29", "r13": "sp"}.get(name, name) for name in found]


class Code:
    """What undoing does: loads at distances from the stack pointer, then the stack pointer's move."""

    def __init__(self, size, loads=(), move=0, base=None, distance=0, known=True):
        self.size, self.loads, self.move = size, list(loads), move
        self.base, self.distance, self.known = base, distance, known


def number(text):
    product = re.match(r"\((\d+) \* (\d+)\)$", text)
    return int(product[1]) * int(product[2]) if product else int(text)


def arm_code(text, packed, word, more):
    """A code of ARM (words of 4 bytes) or ARM64 by its text."""
    size = 4
    if word == 4:
        high = re.search(r"r(8|9|10|11|12)\b", text) and re.match("(push|pop)", text)
        size = 4 if ".w" in text or text[0] == "v" or high or text.startswith("ldr") else 2
    move = re.match(r"(?:sub|add)(\.w)? sp, (?:sp, )?#(.*)$", text)
    if move:
        amount = number(move[2])
        if word == 4 and not move[1]:
            size = 4 if packed and amount > 508 else 2
        return Code(size, move=amount)
    if re.match(r"(vpush|vpop)", text):
        return Code(4, move=8 * len(registers(re.search("{(.*)}", text)[1])))
    if re.match(r"(push|pop)", text):
        names = [{"pc": "lr"}.get(name, name) for name in registers(re.search("{(.*)}", text)[1])]
        return Code(size, [(name, word * i) for i, name in enumerate(names)], word * len(names))
    store = re.match(r"(stp|ldp|str|ldr)(?:\.w)? ([^\[]*), \[sp(?:, #(-?\w+))?\](!)?(?:, #(-?\w+))?$", text)
    if store:
        names = registers(store[2])
        if more:
            first = int(re.sub(r"\D", "", names[0]))
            names = [f"{names[0][0]}{first + i}" for i in range(len(names) + 2 * more)]
        names = [{"lr": "x30", "pc": "x30"}.get(name, name) if word == 8 else {"pc": "lr"}.get(name, name) for name in names]
        lowers = store[4] or store[5]
        at = 0 if lowers else int(store[3] or "0", 0)
        return Code(size, [(name, at + 8 * i) for i, name in enumerate(names)],
                    abs(int(store[5] or store[3] or "0", 0)) if lowers else 0)
    frame = re.match(r"(?:mov (\w+), sp|mov sp, (\w+)|add fp, sp, #(\d+))$", text)
    if frame and not packed or re.match(r"mov x29, sp|mov fp, sp", text):
        name = frame[1] or frame[2] or "x29"
        return Code(size, base={"fp": "x29"}.get(name, name), distance=-int(frame[3] or "0"))
    if re.match(r"(nop|mov r11|add(\.w)? r11|pacibsp|autibsp|stp x[0246], )", text):
        return Code(size)
    if re.match("save next", text):
        return Code(size)
    return Code(0, known=False)


ENDS = ("end", "bx", "b.w", "b ", "ret")


def arm_codes(lines, word):
    """Codes up to the end of their part, and the bytes of the instruction that returns."""
    codes, more, last = [], 0, 4 if word == 8 else 0
    for line in lines:
        found = re.match(r"((?:0x\w+ )*0x\w+)\s+; (.*)$", line)
        text = found[2] if found else line
        if text.startswith(ENDS):
            if word == 4:
                last = 2 if text.startswith("bx") else 4 if text.startswith("b") else 0
            break
        codes.append(arm_code(text, found is None, word, more))
        more = more + 1 if text == "save next" else 0
    return codes, last


def undone(codes, word):
    """The state that codes leave: the CFA, and where registers were saved."""
    base, distance, saved = "sp", 0, {}
    for code in codes:
        for name, at in code.loads:
            saved[name] = (base, distance + at)
        if code.base:
            base, distance = code.base, code.distance
        distance += code.move
    return (base, distance), saved


def arm_states(block, begin, word):
    """Address: the state there, of one function."""
    length = int(re.search(r"FunctionLength: (\d+)", block)[1])
    part = re.search(r"Prologue \[\n(.*?)\n\s*\]", block, re.S)
    lines = [line.strip() for line in part[1].splitlines()] if part else []
    prologue, last = arm_codes(lines, word)
    fragment = re.search("Fragment: Yes", block) is not None
    states, at = {}, begin
    if not fragment:
        for done in range(len(prologue) + 1):
            states[at] = prologue[len(prologue) - done:]
            at += prologue[-1 - done].size if done < len(prologue) else 0
    else:
        states[at] = prologue

    epilogues = []
    end = re.search(r"\n\s*Epilogue \[\n(.*?)\n\s*\]", block, re.S)
    if end:
        epilogues.append((None, arm_codes([x.strip() for x in end[1].splitlines()], word)))
    elif "EpiloguePacked: Yes" in block:
        epilogues.append((None, (prologue, last)))
    for scope in re.finditer(r"EpilogueScope \{\s*StartOffset: (\d+)(.*?)Opcodes \[\n(.*?)\n\s*\]", block, re.S):
        condition = re.search(r"Condition: (\d+)", scope[2])
        if condition is None or condition[1] == "14":
            unit = 4 if word == 8 else 2
            epilogues.append((int(scope[1]) * unit, arm_codes([x.strip() for x in scope[3].splitlines()], word)))
    if "Prologue" in block and "FrameSize" in block and not end and not fragment:
        return None if word == 4 else packed_epilogue(states, block, begin, length, prologue)
    for start, (codes, last) in epilogues:
        size = sum(code.size for code in codes) + last
        at = begin + (length - size if start is None else start)
        for done in range(len(codes) + (1 if last else 0)):
            states[at] = codes[done:]
            at += codes[done].size if done < len(codes) else 0
    return states


def packed_epilogue(states, block, begin, length, prologue):
    """ARM64: the reverse of the prologue, without what sets the frame pointer and stores arguments."""
    codes = [code for code in prologue if code.loads or code.move or not code.known]
    if "CR: 2" in block:
        codes.append(Code(4))
    at = begin + length - 4 * (len(codes) + 1)
    for done in range(len(codes) + 1):
        states[at] = codes[done:]
        at += 4
    return states


def x64_states(block, begin):
    """As arm_states; saves count from the frame's base, and the caller's address is on the stack."""
    frame = re.search(r"FrameRegister: R?(\w+)", block)
    offset = re.search(r"FrameOffset: (?:0x)?(\w+)", block)
    codes = re.findall(r"0x(\w\w): (\w+)(.*)$", block, re.M)
    if "Version: 1" not in block or "ChainInfo" in block or "MACH" in block:
        return None

    def state(place):
        live = [code for code in codes if int(code[0], 16) <= place]
        at = ["rsp", 0]
        set_up = any(code[1] == "SET_FPREG" for code in live)
        start = frame and set_up and [("r" + frame[1].lower()), -16 * int(offset[1], 16)] or ["rsp", 0]
        saved = {}
        for _, name, rest in live:
            values = dict(re.findall(r"(\w+)=(\w+)", rest))
            register = values.get("reg", "").lower()
            if name == "PUSH_NONVOL":
                saved[register] = tuple(at)
                at[1] += 8
            elif name.startswith("ALLOC"):
                at[1] += int(values["size"])
            elif name == "SET_FPREG":
                at = list(start)
            elif name.startswith("SAVE_NONVOL"):
                saved[register] = (start[0], start[1] + int(values["offset"], 0))
        return (at[0], at[1] + 8), saved
    places = sorted({0} | {int(code[0], 16) for code in codes})
    return {begin + place: state(place) for place in places}


def told(path):
    """Address: state, as llvm-readobj's codes say."""
    text = output("llvm-readobj", "--unwind", path)
    header = output("llvm-readobj", "--file-headers", path)
    image = int(re.search(r"ImageBase: (\w+)", header)[1], 0)
    machine = re.search(r"Machine: IMAGE_FILE_MACHINE_(\w+)", header)[1]
    states, functions, left = {}, 0, 0
    for block in text.split("RuntimeFunction {")[1:]:
        at = re.search(r"(?:StartAddress|Function):.*?\(?(0x[0-9A-Fa-f]+)\)?\s*$", block, re.M)
        if at is None:
            continue
        begin = int(at[1], 16) - image
        if machine == "AMD64":
            found = x64_states(block, begin)
        else:
            word = 8 if machine == "ARM64" else 4
            found = arm_states(block, begin & ~1, word)
            if found is not None and all(code.known for codes in found.values() for code in codes):
                found = {at: undone(codes, word) for at, codes in found.items()}
            else:
                found = None
        functions += 1
        left += found is None
        states.update(found or {})
    return machine == "AMD64", states, functions, left


def rows(unspool, path):
    """Ranges with their states, as dump-syms writes them."""
    found, rules = [], {}
    for line in output(unspool, "dump-syms", path).splitlines():
        match = re.match(r"STACK CFI (INIT )?(\w+) (?:(\w+) )?(\.cfa: .*|\S+: .*)$", line)
        if not match:
            continue
        if match[1]:
            rules, end = {}, int(match[2], 16) + int(match[3], 16)
        rules = dict(rules, **{name.lstrip("$"): rule.strip() for name, rule in re.findall(r"(\S+): (.*?)(?= \S+:|$)", match[4])})
        found.append((int(match[2], 16), end, rules))
    return found


def state_of(rules):
    words = rules[".cfa"].replace("$", "").split()
    cfa = (words[0], int(words[1]) if len(words) == 3 else 0)
    saved = {}
    for name, rule in rules.items():
        words = rule.replace("$", "").split()
        if name[0] == "." or words[-1] != "^":
            continue
        base, distance = (words[0], int(words[1])) if len(words) > 2 else (words[0], 0)
        saved[name] = (cfa[0], cfa[1] + distance) if base == ".cfa" else (base, distance)
    return cfa, saved


KEPT = {True: re.compile("(rbx|rbp|rsi|rdi|r1[2-5])$"), False: re.compile(r"(r[4-9]|r10|r11|lr|x(19|2\d|30))$")}


def kept(saved, is_x64):
    return {name: place for name, place in saved.items() if KEPT[is_x64].match(name)}


def main(unspool, *paths):
    bad = 0
    for path in paths:
        is_x64, states, functions, left = told(path)
        ours, at, differ = rows(unspool, path), 0, 0
        for place in sorted(states):
            while at + 1 < len(ours) and ours[at + 1][0] <= place:
                at += 1
            cfa, saved = states[place]
            said = state_of(ours[at][2]) if ours and ours[at][0] <= place < ours[at][1] else None
            if said is None or said[0] != cfa or kept(said[1], is_x64) != kept(saved, is_x64):
                differ += 1
                if differ <= 5:
                    print(f"{path}: {place:x}: {said}, not {(cfa, saved)}")
        bad += differ
        print(f"{path.split('/')[-1]}: {functions} functions, {left} not compared, " f"{len(states)} states, {differ} differ")
    return 1 if bad else 0


sys.exit(main(*sys.argv[1:]))
