# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of `make mutants`: rooms and what no test can notice."""

import sys


class Room:
    def __init__(self, name):
        self.name, self.sources, self.tests = name, [], []


def read_rooms(path):
    rooms = {}
    for line in open(path):
        words = line.split("#")[0].split()
        if words[:1] == ["room"]:
            room = rooms[words[1]] = Room(words[1])
        elif words:
            for word in words:
                (room.sources if word.startswith(("src/", "ui/")) else room.tests).append(word)
    return rooms


def changes_of(line):
    """The line before, and each line after, of a line with changes in backquotes: `BEFORE | AFTER | AFTER`."""
    parts = line.split("`")
    marks = [part.split(" | ") if at % 2 else [part] for at, part in enumerate(parts)]
    first = [mark[0] for mark in marks]
    return "".join(first), ["".join(first[:at] + [after] + first[at + 1:]) for at, mark in enumerate(marks) for after in mark[1:]]


def read_equivalent(path):
    """Blocks after a path: lines with changes, or a '- line before' and '+ lines after', and a reason."""
    found = set()
    source, open_lines = None, []
    for line in open(path).read().split("\n"):
        if line.startswith(("src/", "ui/")):
            source = line
        elif line.startswith("- "):
            open_lines.append(changes_of(line[2:]))
        elif line.startswith("+ "):
            open_lines[-1][1].append(line[2:])
        elif line and not line.startswith("#"):
            if not (source and open_lines and all(after for _, after in open_lines)):
                sys.exit("mutants: %s: no path, line or change before: %s" % (path, line))
            found.update((source, before, one) for before, after in open_lines for one in after)
            open_lines = []
    if open_lines:
        sys.exit("mutants: %s: no reason: %s" % (path, open_lines[-1][0]))
    return found
