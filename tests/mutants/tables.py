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


def read_equivalent(path):
    """Blocks of a path, if it is another one, a '- line before', '+ lines after' and a reason."""
    found = set()
    source = None
    for block in open(path).read().split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        if lines:
            source = lines.pop(0) if lines[0][:2] not in ("- ", "+ ") else source
            before = [line[2:] for line in lines if line.startswith("- ")]
            after = [line[2:] for line in lines if line.startswith("+ ")]
            if len(before) != 1 or not after or len(before) + len(after) == len(lines):
                sys.exit("mutants: %s: no block of path, before, after and reason: %s" % (path, block))
            found.update((source, before[0], change) for change in after)
    return found
