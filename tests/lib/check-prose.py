#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
#	check-prose.py DUMP BITS little|big PROSE...
#
# Check the arithmetic of `explain --prose`: both sides of each '=' have the same value, and the dump has
# each word at the address where it was read. Prints errors and unfinished sentences, then the numbers of
# sums and words that were compared.
import re, sys

dump = open(sys.argv[1], "rb").read()
bits, order = int(sys.argv[2]), sys.argv[3]
sums = words = 0


def worth(part):
    """The value of numbers in a part, as (value, whether it is a read); None: names or words are in it."""
    read = re.fullmatch(r"\[([^][]*)\]", part)
    inside = re.sub(r"(\w+) rounded down to (\w+)", r"(\1) // (\2) * (\2)", read[1] if read else part)
    if not re.fullmatch(r"(0x[0-9a-f]+|\d+|[-+*/()% ])+", inside):
        return None
    return eval(inside.replace("/", "//").replace("////", "//")) % (1 << bits), bool(read)


def compare(name, figure):
    global sums, words
    parts = figure.split(" = ")[1:]
    place = re.fullmatch(r"(\S+)   \S+\+(0x[0-9a-f]+)", parts[-1])
    for left, right in zip(parts, parts[1:]):
        a, b = worth(left), worth(right)
        if a is not None and b is not None and a[1] == b[1]:
            sums += 1
            if a != b:
                print(f"{name}: {left} is not {right}")
    if place:
        at = int(place[2], 16)
        words += 1
        if int.from_bytes(dump[at:at + bits // 8], order) != int(place[1], 0):
            print(f"{name}: the dump has another word: {figure}")


for name in sys.argv[4:]:
    figure = ""
    for line in open(name, encoding="utf-8"):
        if not line.startswith("      ") and re.search(r"[{}\x01-\x09]|\(null\)|, ,| [,;]| \.( |$)|\(\)|(a|an|at|by|gives|in|is|of|the)  ", line):
            print(f"{name}: a hole: {line}", end="")
        if re.match(r" {6}\S+ = ", line) or (figure and re.match(r" +=", line)):
            new = not re.match(r" +=", line)
            if new and figure:
                compare(name, figure)
            figure = line.strip() if new else f"{figure} {line.strip()}"
        elif figure:
            compare(name, figure)
            figure = ""
print(f"{sums} sums, {words} words")
