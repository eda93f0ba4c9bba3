#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the code contradicts, looked at in the output of other programs.

    against-objdump.py UNSPOOL OBJDUMP READELF LIBRARY...

takes the places that `unspool unwind-check --code` reports in the .eh_frame of libraries for amd64, i386 or arm64 and
counts them by what objdump -d and readelf -wF show there:

    stack pointer   the instruction before the place moves it, and the CFA is counted from it as before
    frame pointer   the instruction before the place restores it, and the CFA is still counted from it
    register        it is not about the CFA
    other           to be read by a person: printed with the instructions
"""
import bisect
import collections
import json
import os
import re
import subprocess
import sys

MOVES = re.compile(r'(push|pop|enter|leave)|(sub|add|lea|and|mov)\b.*,%[re]sp$|(sub|add)\s+sp, sp,|.*\[sp, #-?\d+\]!|.*\[sp\], #')
RESTORES = re.compile(r'ldp\s+x29, x30, \[sp|pop\s+%[re]bp$|leave')
ENTRY = re.compile(r'[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)')
ROW = re.compile(r'([0-9a-f]{16}|[0-9a-f]{8}) (\S+)')


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors='replace').stdout


class Rows:
    """The CFA of each row of .eh_frame, as readelf has it."""

    def __init__(self, readelf, library):
        self.entries = []
        for line in output(readelf, '-wF', library).splitlines():
            entry, row = ENTRY.match(line), ROW.match(line)
            if entry:
                self.entries.append((int(entry.group(1), 16), int(entry.group(2), 16), []))
            elif row and self.entries:
                self.entries[-1][2].append((int(row.group(1), 16), row.group(2)))
        self.entries.sort(key=lambda entry: entry[0])
        self.starts = [entry[0] for entry in self.entries]

    def start(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        return self.starts[at] if at >= 0 and address < self.entries[at][1] else None

    def cfa(self, address):
        rows = self.entries[bisect.bisect_right(self.starts, address) - 1][2]
        return next((cfa for at, cfa in reversed(rows) if at <= address), None)


def instructions(objdump, library, start, address):
    """What objdump decodes from an address up to another one: (address, text)."""
    lines = output(objdump, '-d', '--no-show-raw-insn', '--start-address=%d' % start,
                   '--stop-address=%d' % (address + 16), library).splitlines()
    found = (re.match(r'\s*([0-9a-f]+):\s+(.*)', line) for line in lines)
    code = [(int(m.group(1), 16), re.split(' +(?:# |//|<)', m.group(2))[0].strip()) for m in found if m]
    return [(at, text) for at, text in code if at <= address]


def kind_of(rows, code, address, column):
    if column != 'CFA':
        return 'register'
    if len(code) < 2 or code[-1][0] != address:
        return 'other'
    at, text = code[-2]
    cfa = rows.cfa(address)
    if MOVES.match(text) and cfa == rows.cfa(at) and re.match('[re]?sp', cfa or ''):
        return 'stack pointer'
    return 'frame pointer' if RESTORES.match(text) and re.match('[re]bp|x29', cfa or '') else 'other'


def main():
    unspool, objdump, readelf = sys.argv[1:4]
    kinds = collections.Counter()
    for library in sys.argv[4:]:
        rows = None
        for module in json.loads(output(unspool, 'unwind-check', '--code', '--json', library) or '[]'):
            for finding in (f for f in module['findings'] if f['code'] == 'code-contradicts'):
                rows = rows or Rows(readelf, library)
                for place in finding['places']:
                    address = int(place['from'], 16)
                    start = rows.start(address)
                    code = [] if start is None else instructions(objdump, library, start, address)
                    kind = kind_of(rows, code, address, finding.get('column'))
                    kinds[kind] += 1
                    if kind == 'other':
                        print('%s: %#x in %s: %s' % (os.path.basename(library), address, place['function'], code[-3:]))
    for kind, count in sorted(kinds.items()):
        print('%-14s %5d' % (kind, count))


main()
