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
    """Blocks after a path: a '- line before', '+ lines after' and a reason."""
    found = set()
    source, blocks = None, []
    for line in open(path).read().split("\n"):
        if line.startswith(("src/", "ui/")):
            source = line
        elif line.startswith("- "):
            blocks.append((source, line[2:], [], []))
        elif line and not line.startswith("#"):
            blocks[-1][2 if line.startswith("+ ") else 3].append(line)
    for source, before, after, reason in blocks:
        if not (source and after and reason):
            sys.exit("mutants: %s: no path, lines after or reason: %s" % (path, before))
        found.update((source, before, line[2:]) for line in after)
    return found
