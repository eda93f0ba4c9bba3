#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many defects that change a frame's CFA or a caller's register are found.

    measure.py UNSPOOL COUNT SEED BINARY...

writes a symbol file for each binary (unspool dump-syms), plants COUNT defects in all, at places that SEED chooses, each in
a function of its own, and counts those that `unspool unwind-check` finds in that function: by the binary's tables, and
by the code of a copy without them (objcopy). What was found before the defect does not count. Then `unspool repair` mends the
file by either, and of what was found those defects are counted of which nothing is found in the patched file. Any of amd64,
i386, arm64, arm.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

CFA = re.compile(r'\.cfa: (\$?\w+) (\d+) \+')
SAVE = re.compile(r'(?<![.\w$])(\$?[a-z]\w*): \.cfa (-\d+) \+ \^')
ARCHES = {  # word, stack and frame pointer, a register that is kept, bytes of an instruction
    'x86_64': (8, '$rsp', '$rbp', ['$rbx', '$r12', '$r13', '$r14', '$r15'], 1),
    'x86': (4, '$esp', '$ebp', ['$ebx', '$esi', '$edi'], 1), 'arm64': (8, 'sp', 'x29', ['x19', 'x20', 'x21', 'x22', 'x23'], 4),
    'arm': (4, 'sp', 'r7', ['r4', 'r5', 'r6', 'r8'], 2),
}


class Function:
    """The lines of an INIT record and its deltas."""

    def __init__(self, lines, first, arch, chance):
        self.first, self.chance = first, chance
        self.word, self.sp, self.fp, self.kept, self.unit = ARCHES[arch]
        self.end = first + 1
        while self.end < len(lines) and lines[self.end].startswith('STACK CFI ') and ' INIT ' not in lines[self.end]:
            self.end += 1
        self.lines = lines[first:self.end]

    def choose(self, fits):
        return self.chance.choice([i for i in range(1, len(self.lines)) if fits(i)])

    def address(self, i):
        return int(self.lines[i].split()[3 if i == 0 else 2], 16)

    def behind(self, i):
        f = self.lines[0].split()
        return self.address(i + 1) if i + 1 < len(self.lines) else int(f[3], 16) + int(f[4], 16)

    def cfa_at(self, i):
        """The CFA's rule in force before delta i."""
        return next((m.group() for m in map(CFA.search, reversed(self.lines[:i])) if m), None)

    def changes_cfa(self, i):
        m = CFA.search(self.lines[i])
        return m is not None and m.group() != self.cfa_at(i)

    def set_cfa(self, i, reg, offset):
        self.lines[i] = CFA.sub(lambda m: '.cfa: %s %d +' % (reg(m.group(1)), offset(int(m.group(2)))), self.lines[i], count=1)

    def saves(self, i):
        return [m for m in SAVE.finditer(self.lines[i]) if m.group(1) != 'x30']

    def set_save(self, i, text):
        m = self.chance.choice(self.saves(i))
        self.lines[i] = self.lines[i][:m.start()] + text(m.group(1), int(m.group(2))) + self.lines[i][m.end():]


def cfa_more(f):
    f.set_cfa(f.choose(f.changes_cfa), lambda r: r, lambda n: n + f.word)


def cfa_less(f):
    f.set_cfa(f.choose(f.changes_cfa), lambda r: r, lambda n: n - f.word)


def cfa_far(f):
    f.set_cfa(f.choose(f.changes_cfa), lambda r: r, lambda n: 2 * n + f.word)


def cfa_register(f):
    f.set_cfa(f.choose(f.changes_cfa), lambda r: f.fp if r == f.sp else f.sp, lambda n: n)


def cfa_read(f):
    i = f.choose(f.changes_cfa)
    f.lines[i] = CFA.sub(lambda m: m.group() + ' ^', f.lines[i], count=1)


def row_lost(f):
    del f.lines[f.choose(f.changes_cfa)]


def row_late(f):
    i = f.choose(lambda i: f.changes_cfa(i) and f.address(i) + f.unit < f.behind(i))
    line = f.lines[i].split(' ')
    line[2] = '%x' % (f.address(i) + f.unit)
    f.lines[i] = ' '.join(line)


def rows_swapped(f):
    i = f.choose(lambda i: i > 1 and f.changes_cfa(i) and f.changes_cfa(i - 1))
    one, other = f.lines[i - 1].split(' ', 3), f.lines[i].split(' ', 3)
    f.lines[i - 1], f.lines[i] = ' '.join(one[:3] + other[3:]), ' '.join(other[:3] + one[3:])


def save_lost(f):
    reg = f.chance.choice(f.saves(f.choose(f.saves))).group(1)
    for i in range(len(f.lines)):
        f.lines[i] = re.sub(r' ?' + re.escape(reg) + r': \.cfa -\d+ \+ \^', '', f.lines[i])
    f.lines = [line for line in f.lines if len(line.split()) > 3]


def save_low(f):
    f.set_save(f.choose(f.saves), lambda r, n: '%s: .cfa %d + ^' % (r, n - f.word))


def save_high(f):
    f.set_save(f.choose(f.saves), lambda r, n: '%s: .cfa %d + ^' % (r, n + f.word))


def save_value(f):
    f.set_save(f.choose(f.saves), lambda r, n: '%s: .cfa %d +' % (r, n))


def save_register(f):
    text = ' '.join(f.lines)
    other = f.chance.choice([r for r in f.kept if r + ':' not in text])
    f.set_save(f.choose(f.saves), lambda r, n: '%s: .cfa %d + ^' % (other, n))


def return_slot(f):
    i = f.chance.choice([i for i in range(len(f.lines)) if re.search(r'\.ra: \.cfa -\d+ \+ \^', f.lines[i])])
    f.lines[i] = re.sub(r'\.ra: \.cfa (-\d+)', lambda m: '.ra: .cfa %d' % (int(m.group(1)) - f.word), f.lines[i])


CLASSES = [cfa_more, cfa_less, cfa_far, cfa_register, cfa_read, row_lost, row_late, rows_swapped, save_lost, save_low,
           save_high, save_value, save_register, return_slot]
BARE = ['-R', '.eh_frame', '-R', '.eh_frame_hdr', '-R', '.debug_frame', '-R', '.sframe', '-R', '.ARM.exidx']


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors='replace').stdout


def findings(unspool, binary, symbols, *options):
    """The lines of certain findings in the symbol file."""
    name = re.escape(os.path.basename(symbols))
    out = run(unspool, 'unwind-check', '--brief', '--all', *options, binary, symbols)
    return [int(m.group(1)) for m in re.finditer(r'^\S*' + name + r':(\d+):\d+: warning: ', out, re.M)]


def mended(unspool, module, symbols, folder):
    """The lines of the symbol file as `unspool repair` writes them, and its path."""
    path = os.path.join(folder, 'mended.sym')
    shutil.copy(symbols, path)
    patch = subprocess.run([unspool, 'repair', '--force', '--binary', module, 'mended.sym'], cwd=folder,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    subprocess.run(['patch', '-s', '-p1'], cwd=folder, input=patch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read().splitlines(), path


def rows_of(lines, rows):
    """Where the records of the function stand now that begin as `rows` do."""
    address = ' '.join(rows[0].split()[:4])
    first = next((i for i, line in enumerate(lines) if ' '.join(line.split()[:4]) == address), len(lines))
    last = first + 1
    while last < len(lines) and lines[last].startswith('STACK CFI ') and ' INIT ' not in lines[last]:
        last += 1
    return first + 1, last


def plant(lines, arch, count, chance):
    """Lines with defects, and of each its class and its lines; None where no class fits."""
    starts = [i for i, line in enumerate(lines) if line.startswith('STACK CFI INIT ')]
    chance.shuffle(starts)
    made = {}
    for number, first in enumerate(starts):
        defect = CLASSES[len(made) % len(CLASSES)] if len(made) < count else None
        function = Function(lines, first, arch, chance)
        before = list(function.lines)
        try:
            if defect is None:
                break
            defect(function)
        except (IndexError, LookupError):
            continue
        if function.lines != before:
            made[first] = (defect.__name__, function)
    out, places, i = [], [], 0
    while i < len(lines):
        if i in made:
            name, function = made[i]
            places.append((name, len(out) + 1, len(out) + len(function.lines), function.lines))
            out += function.lines
            i = function.end
        else:
            out.append(lines[i])
            i += 1
    return out, places


def main():
    unspool, count, seed, binaries = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    chance = random.Random(seed)
    total, found, repaired = {}, {'tables': {}, 'code': {}}, {'tables': 0, 'code': 0}
    with tempfile.TemporaryDirectory() as folder:
        for at, binary in enumerate(binaries):
            text = run(unspool, 'dump-syms', binary)
            lines = text.splitlines()
            arch = lines[0].split()[2] if lines else ''
            bare = os.path.join(folder, os.path.basename(binary))
            tools = ['objcopy', 'llvm-objcopy', 'llvm-objcopy-14']
            made = arch in ARCHES and any(subprocess.run([tool, *BARE, binary, bare], stderr=subprocess.DEVNULL)
                                          .returncode == 0 for tool in tools)
            if not made:
                print('%s: left out' % binary, file=sys.stderr)
                continue
            share = count // len(binaries) + (at < count % len(binaries))
            planted, places = plant(lines, arch, share, chance)
            symbols = os.path.join(folder, 'right.sym'), os.path.join(folder, 'wrong.sym')
            for path, content in zip(symbols, (lines, planted)):
                with open(path, 'w', encoding='utf-8') as file:
                    file.write('\n'.join(content) + '\n')
            for way, module, options in (('tables', binary, []), ('code', bare, ['--code'])):
                known = {lines[n - 1] for n in findings(unspool, module, symbols[0], *options)}
                hits = [n for n in findings(unspool, module, symbols[1], *options) if planted[n - 1] not in known]
                now, path = mended(unspool, os.path.abspath(module), symbols[1], folder)
                left = [n for n in findings(unspool, module, path, *options) if now[n - 1] not in known]
                for name, first, last, rows in places:
                    hit = any(first <= n <= last for n in hits)
                    first, last = rows_of(now, rows)
                    good = hit and not any(first <= n <= last for n in left)
                    repaired[way] += good
                    if hit and not good:
                        print('not mended by %s: %s in %s, %s' % (way, name, binary, rows[0]), file=sys.stderr)
                    found[way][name] = found[way].get(name, 0) + hit
                    if not hit:
                        print('not by %s: %s in %s, %s' % (way, name, binary, rows[0]), file=sys.stderr)
            for name, *_ in places:
                total[name] = total.get(name, 0) + 1
    for name in sorted(total):
        print('%-14s %4d planted, by tables %4d, by code %4d' % (name, total[name], found['tables'][name], found['code'][name]))
    everything = sum(total.values())
    print('%-14s %4d planted, by tables %4d, by code %4d' % (
        'all', everything, sum(found['tables'].values()), sum(found['code'].values())))
    print('mended: by tables %d, by code %d' % (repaired['tables'], repaired['code']))


main()
