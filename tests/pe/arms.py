# SPDX-License-Identifier: GPL-3.0-or-later
"""arms.py UNSPOOL FILE.dll: whether rows of .pdata say what the instructions do, on ARM64 or ARM.

Each function is followed from its first instruction on: how far the stack pointer is below where it
was, and which registers are saved. Behind a return stands what the body left. llvm-objdump decodes.
Prints the instructions compared, and those that differ.
"""
import json
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


def instructions(path):
    base = int(re.search(r"ImageBase\s+(\w+)", output("llvm-objdump", "-p", path)).group(1), 16)
    found = re.findall(r"^\s*([0-9a-f]+):\s+(\S+)[ \t]*(.*)$",
                       output("llvm-objdump", "-d", "--mattr=+neon", "--no-show-raw-insn", path), re.M)
    return {int(at, 16) - base: (name, re.split(r"\s*(?://|<)", rest)[0].strip()) for at, name, rest in found}


def registers(words):
    """The registers of a list in braces."""
    found = []
    for word in re.search("{(.*)}", words).group(1).split(", "):
        first, _, last = word.partition("-")
        numbers = range(int(first[1:]), int(last[1:]) + 1) if last else ()
        found += [f"{first[0]}{i}" for i in numbers] if last else [word]
    return found


class State:
    def __init__(self):
        self.depth, self.saved, self.frame, self.x15 = 0, {}, None, 0

    def copy(self):
        other = State()
        other.__dict__.update(self.__dict__)
        other.saved = dict(self.saved)
        return other

    def move(self, name, words):
        """Saves and restores, with what they add to the stack pointer."""
        match = re.match(r"(\w+)(?:, (\w+))?, \[sp(?:, #(-?\w+))?\](!)?(?:, #(-?\w+))?$", words)
        if not match:
            return
        first, second, offset, before, behind = match.groups()
        offset = int(offset or "0", 0)
        if before:
            self.depth, offset = self.depth - offset, 0
        for place, register in enumerate((first, second)):
            number = int(register[1:]) if register and register[1:].isdigit() else 0
            if number < 19 or register[0] != "x":
                continue
            if name.startswith("st"):
                self.saved.setdefault(number, offset + 8 * place - self.depth)
            else:
                self.saved.pop(number, None)
        self.depth -= int(behind or "0", 0)

    def run_thumb(self, name, words):
        """An instruction of ARM, by its name without the width."""
        constant = re.match(r"sp, (?:(sp|r\d+), )?#(\w+)$", words)
        if name in ("push", "vpush"):
            self.depth += (4 if name == "push" else 8) * len(registers(words))
            for place, register in enumerate(registers(words)):
                number = 14 if register == "lr" else int(register[1:])
                if name == "push" and (4 <= number <= 11 or number == 14):
                    self.saved[number] = 4 * place - self.depth
        elif name in ("pop", "vpop"):
            self.depth -= (4 if name == "pop" else 8) * len(registers(words))
            for register in registers(words) if name == "pop" else ():
                self.saved.pop(14 if register in ("pc", "lr") else int(register[1:]), None)
        elif name in ("add", "sub") and constant:
            below = self.frame if constant.group(1) not in (None, "sp") else self.depth
            self.depth = below + int(constant.group(2), 0) * (1 if name == "sub" else -1)
        elif re.match(r"(r7|r11), sp$", words):
            self.frame = self.depth
        elif re.match(r"(r7|r11), sp, #\w+$", words):
            self.frame = self.depth - int(words.split("#")[1], 0)
        elif re.match(r"sp, (r7|r11)$", words):
            self.depth = self.frame
        elif name in ("mov", "movw", "movt") and re.match(r"(r4|r12), #", words):
            low = int(words.split("#")[1], 0)
            self.x15 = low if name != "movt" else self.x15 + (low << 16)
        elif words in ("sp, sp, r4", "sp, sp, r12"):
            size = self.x15 * (4 if words.endswith("r4") else 1)  # __chkstk counts words
            self.depth += size if name == "sub" else -size

    def run(self, name, words):
        constant = re.match(r"sp, (sp|x29), #(\w+)(?:, lsl #(\d+))?$", words)
        if name in ("add", "sub") and constant:
            size = int(constant.group(2), 0) << int(constant.group(3) or "0")
            below = self.depth if constant.group(1) == "sp" else self.frame
            self.depth = below + (size if name == "sub" else -size)
        elif name == "sub" and words.startswith("sp, sp, x15"):
            self.depth += self.x15 * 16
        elif name in ("mov", "movz") and re.match("[xw]15, #", words):
            self.x15 = int(words.split("#")[1], 0)
        elif words == "x29, sp":
            self.frame = self.depth
        elif words == "sp, x29":
            self.depth = self.frame
        elif re.match(r"x29, sp, #\w+$", words):
            self.frame = self.depth - int(words.split("#")[1], 0)
        elif re.match("(stp|str|ldp|ldr)$", name):
            self.move(name, words)


RETURNS = re.compile(r"(ret|br|bx|pop.*pc|ldr pc)")


def followed(code, begin, end, thumb):
    """The state before each instruction."""
    state, body, states = State(), State(), {}
    for at in sorted(address for address in code if begin <= address <= end):
        name, words = code[at]
        states[at] = state.copy()
        if thumb:
            state.run_thumb(name.split(".")[0], words)
        else:
            state.run(name, words)
        target = re.search(r"#?0x([0-9a-f]+)", words) if name in ("b", "b.w") else None
        if RETURNS.match(name + " " + words) or (target and not begin <= int(target.group(1), 16) & 0xffffff <= end):
            state = body.copy()
        if (len(state.saved), state.depth) > (len(body.saved), body.depth):
            body = state.copy()
    return states


def said(row, state, thumb):
    """What a row says, in the same terms."""
    def distance(expression):
        words = expression.split()
        below = state.depth if words[0] == "sp" else state.frame
        return below is not None and (int(words[1]) if len(words) > 2 else 0) - below
    names = {"fp": "r11", "lr": "r14"} if thumb else {"fp": "x29", "lr": "x30"}
    cells = {names.get(cell["register"], cell["register"]): cell.get("expression") or "" for cell in row["cells"]}
    return distance(cells["CFA"]), {int(name[1:]): distance(rule) for name, rule in cells.items()
                                    if name[1:].isdigit() and "^" in rule}


def main(unspool, path):
    code, known, compared = instructions(path), set(), 0
    for at in sorted(code):
        if at in known:
            continue
        answer = output(unspool, "cfi", "--json", "--at", hex(at), path)
        for function in json.loads(answer)["functions"] if answer else []:
            begin, end = int(function["from"], 16), int(function["to"], 16)
            rows = [row for source in function["sources"] for row in source["rows"]]
            if "^" in rows[0]["cells"][0]["expression"]:  # a frame that the system made
                known.update(range(begin, end))
                continue
            thumb = function["architecture"] == "arm"
            states = followed(code, begin, end, thumb)
            known.update(states)
            for place, state in states.items():
                row = next((row for row in rows if int(row["from"], 16) <= place <= int(row["to"], 16)), None)
                compared += 1
                if row is None or row["kind"] != "rules":
                    print(f"{place:x}: no row")
                elif said(row, state, thumb) != (0, state.saved):
                    print(f"{place:x} {code[place]}: {said(row, state, thumb)}, not {state.saved}")
    print(compared)


main(*sys.argv[1:])
