#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plant one defect in a Breakpad symbol file.

    plant.py IN DIRECTORY DEFECT SEED [DEFECT SEED...]

writes a copy with one defect of that class, at a place that SEED chooses, to DIRECTORY/DEFECT-SEED/NAME for
each, and prints `DEFECT SEED LINE`, the line of the copy where it is; nothing where the file has no
place for it. A function below is a class of tests/defects/table: it changes the lines and
returns the index of the defect.
"""
import os
import random
import re
import sys

WORD = 8


class File:
    def __init__(self, lines, seed):
        self.lines = lines
        self.random = random.Random(seed)
        self.inits = []  # (line, address, size, [line of delta])
        self.functions = []  # (line, address, size)
        for i, line in enumerate(lines):
            f = line.split()
            if line.startswith('STACK CFI INIT '):
                self.inits.append((i, int(f[3], 16), int(f[4], 16), []))
            elif line.startswith('STACK CFI ') and self.inits:
                self.inits[-1][3].append(i)
            elif line.startswith('FUNC '):
                at = 2 if f[1] == 'm' else 1
                self.functions.append((i, int(f[at], 16), int(f[at + 1], 16)))

    def choose(self, items):
        items = list(items)
        if not items:
            raise LookupError
        return self.random.choice(items)

    def deltas(self, fits=lambda line: True):
        """(INIT, number of the delta in it) of those whose line fits."""
        return [(init, k) for init in self.inits for k in range(len(init[3])) if fits(self.lines[init[3][k]])]

    def address(self, i):
        return int(self.lines[i].split()[2], 16)

    def move(self, i, address):
        f = self.lines[i].split(' ')
        f[2] = '%x' % address
        self.lines[i] = ' '.join(f)

    def rows(self, init):
        """Addresses at which the rows of an INIT record begin, and its end."""
        return [init[1]] + [self.address(i) for i in init[3]] + [init[1] + init[2]]


SAVE = re.compile(r'(\$r(?:bx|bp|12|13|14|15)): \.cfa (-?\d+) \+ \^')


def has_cfa(line):
    return re.search(r'\.cfa: \$\w+ \d+ \+', line) is not None


def cfa(line, change):
    return re.sub(r'(\.cfa: )(\$\w+) (\d+) \+',
                  lambda m: m.group(1) + '%s %d +' % change(m.group(2), int(m.group(3))), line, count=1)


def cfa_delta(file, change):
    init, k = file.choose(file.deltas(has_cfa))
    i = init[3][k]
    file.lines[i] = cfa(file.lines[i], change)
    return i


def cfa_more(file):
    return cfa_delta(file, lambda reg, offset: (reg, offset + WORD))


def cfa_less(file):
    return cfa_delta(file, lambda reg, offset: (reg, offset - WORD))


def cfa_off_by_one(file):
    return cfa_delta(file, lambda reg, offset: (reg, offset + 1))


def cfa_register(file):
    return cfa_delta(file, lambda reg, offset: ('$rbp' if reg == '$rsp' else '$rsp', offset))


def cfa_hexadecimal(file):
    init, k = file.choose(file.deltas(lambda l: re.search(r'\.cfa: \$\w+ \d\d+ \+', l)))
    i = init[3][k]
    file.lines[i] = cfa(file.lines[i], lambda reg, offset: (reg, int('%x' % offset) if ('%x' % offset).isdigit() else offset * 2))
    return i


def cfa_word_read(file):
    init, k = file.choose(file.deltas(has_cfa))
    i = init[3][k]
    file.lines[i] = re.sub(r'(\.cfa: \$\w+ \d+ \+)', r'\1 ^', file.lines[i], count=1)
    return i


def init_cfa(file):
    i = file.choose(init[0] for init in file.inits if has_cfa(file.lines[init[0]]))
    file.lines[i] = cfa(file.lines[i], lambda reg, offset: (reg, offset + WORD))
    return i


def moved(file, by):
    """A delta that begins `by` bytes from where it should, between its neighbours."""
    places = []
    for init, k in file.deltas(has_cfa):
        rows = file.rows(init)
        if rows[k] < rows[k + 1] + by < rows[k + 2]:
            places.append((init, k))
    init, k = file.choose(places)
    file.move(init[3][k], file.address(init[3][k]) + by)
    return init[3][k]


def row_late(file):
    return moved(file, 1)


def row_later(file):
    return moved(file, 4)


def row_early(file):
    return moved(file, -1)


def row_lost(file):
    # With a row that says what it said before nothing would change.
    init, k = file.choose((i, k) for i, k in file.deltas(has_cfa))
    at = init[3][k]
    del file.lines[at]
    return at - 1


def epilogue_lost(file):
    init = file.choose(i for i in file.inits if len(i[3]) > 1 and has_cfa(file.lines[i[3][-1]]))
    at = init[3][-1]
    del file.lines[at]
    return at - 1


def row_twice(file):
    init, k = file.choose(file.deltas(has_cfa))
    at = init[3][k]
    rows = file.rows(init)
    if rows[k + 2] - rows[k + 1] < 3:
        raise LookupError
    copy = cfa(file.lines[at], lambda reg, offset: (reg, offset + 2 * WORD)).split(' ')
    copy[2] = '%x' % (rows[k + 1] + 1)
    file.lines.insert(at + 1, ' '.join(copy))
    return at + 1


def rows_swapped(file):
    places = [(init, k) for init, k in file.deltas(has_cfa) if k + 1 < len(init[3]) and
              file.lines[init[3][k]].split(' ', 3)[3] != file.lines[init[3][k + 1]].split(' ', 3)[3]]
    init, k = file.choose(places)
    one, other = (file.lines[i].split(' ', 3) for i in (init[3][k], init[3][k + 1]))
    one[3], other[3] = other[3], one[3]
    file.lines[init[3][k]], file.lines[init[3][k + 1]] = ' '.join(one), ' '.join(other)
    return init[3][k]


def saves(file):
    return file.deltas(lambda l: SAVE.search(l))


def save_lost(file):
    init, k = file.choose(saves(file))
    i = init[3][k]
    found = list(SAVE.finditer(file.lines[i]))
    m = file.choose(found)
    line = (file.lines[i][:m.start()] + file.lines[i][m.end():]).replace('  ', ' ').rstrip()
    if len(line.split(' ')) < 4:
        del file.lines[i]
        return i - 1
    file.lines[i] = line
    return i


def save_changed(file, change):
    init, k = file.choose(saves(file))
    i = init[3][k]
    m = file.choose(list(SAVE.finditer(file.lines[i])))
    file.lines[i] = file.lines[i][:m.start()] + change(m.group(1), int(m.group(2))) + file.lines[i][m.end():]
    return i


def save_slot(file):
    return save_changed(file, lambda reg, offset: '%s: .cfa %d + ^' % (reg, offset - WORD))


def save_sign(file):
    return save_changed(file, lambda reg, offset: '%s: .cfa %d + ^' % (reg, -offset))


def save_value(file):
    return save_changed(file, lambda reg, offset: '%s: .cfa %d +' % (reg, offset))


def save_in_return(file):
    return save_changed(file, lambda reg, offset: '%s: .cfa -8 + ^' % reg)


def save_register(file):
    # Of a register that is not saved elsewhere in the function.
    places = []
    for init, k in saves(file):
        text = ' '.join(file.lines[i] for i in init[3])
        others = [r for r in ('$rbx', '$r12', '$r13', '$r14', '$r15') if r + ':' not in text]
        if others:
            places.append((init[3][k], others))
    i, others = file.choose(places)
    m = SAVE.search(file.lines[i])
    file.lines[i] = file.lines[i].replace(m.group(1) + ':', others[0] + ':', 1)
    return i


def slots_swapped(file):
    places = [init[3][k] for init, k in saves(file) if len(SAVE.findall(file.lines[init[3][k]])) > 1]
    if places:
        i = file.choose(places)
        a, b = SAVE.findall(file.lines[i])[:2]
        swap = {a[0]: b[1], b[0]: a[1]}
        file.lines[i] = SAVE.sub(lambda m: '%s: .cfa %s + ^' % (m.group(1), swap.get(m.group(1), m.group(2))), file.lines[i])
        return i
    init = file.choose(i for i in file.inits if sum(SAVE.search(file.lines[d]) is not None for d in i[3]) > 1)
    one, other = [d for d in init[3] if SAVE.search(file.lines[d])][:2]
    a, b = SAVE.search(file.lines[one]).groups(), SAVE.search(file.lines[other]).groups()
    file.lines[one] = file.lines[one].replace('.cfa %s + ^' % a[1], '.cfa %s + ^' % b[1])
    file.lines[other] = file.lines[other].replace('.cfa %s + ^' % b[1], '.cfa %s + ^' % a[1])
    return one


def save_invented(file):
    init, k = file.choose((i, k) for i, k in file.deltas(has_cfa)
                          if '$r15' not in ' '.join(file.lines[d] for d in i[3]) and k + 1 < len(i[3]))
    i = init[3][k]
    file.lines[i] += ' $r15: .cfa -16 + ^'
    return i


def return_slot(file):
    i = file.choose(init[0] for init in file.inits if '.ra: .cfa -8 + ^' in file.lines[init[0]] and init[3])
    file.lines[i] = file.lines[i].replace('.ra: .cfa -8 + ^', '.ra: .cfa -16 + ^')
    return i


def return_register(file):
    # Where the CFA never changes it would be the same word.
    i = file.choose(init[0] for init in file.inits if '.ra: .cfa -8 + ^' in file.lines[init[0]] and
                    any(has_cfa(file.lines[d]) for d in init[3]))
    file.lines[i] = file.lines[i].replace('.ra: .cfa -8 + ^', '.ra: $rsp ^')
    return i


def init_changed(file, change):
    init = file.choose(i for i in file.inits if i[2] > 8 and (not i[3] or file.address(i[3][0]) > i[1] + 2) and
                       (not i[3] or file.address(i[3][-1]) < i[1] + i[2] - 4))
    f = file.lines[init[0]].split(' ')
    address, size = change(init[1], init[2])
    f[3], f[4] = '%x' % address, '%x' % size
    file.lines[init[0]] = ' '.join(f)
    return init[0]


def init_late(file):
    return init_changed(file, lambda address, size: (address + 2, size - 2))


def init_early(file):
    return init_changed(file, lambda address, size: (address - 4, size + 4))


def init_short(file):
    return init_changed(file, lambda address, size: (address, size - 4))


def init_long(file):
    return init_changed(file, lambda address, size: (address, size + 0x20))


def init_lost(file):
    init = file.choose(file.inits)
    del file.lines[init[0]:init[0] + 1 + len(init[3])]
    return min(init[0], len(file.lines) - 1)


def shifted(file):
    """Records of another build: from one INIT record on all are some bytes off."""
    at = file.choose(range(len(file.inits) // 2)) if len(file.inits) > 1 else 0
    for init in file.inits[at:]:
        f = file.lines[init[0]].split(' ')
        f[3] = '%x' % (init[1] + 0x10)
        file.lines[init[0]] = ' '.join(f)
        for i in init[3]:
            file.move(i, file.address(i) + 0x10)
    return file.inits[at][0]


def rows_of_another(file):
    places = [i for i in file.inits if len(i[3]) > 1 and SAVE.search(file.lines[i[3][0]])]
    others = [i for i in file.inits if len(i[3]) == 2 and not SAVE.search(' '.join(file.lines[d] for d in i[3]))]
    init, other = file.choose(places), file.choose(others)
    rules = [file.lines[d].split(' ', 3)[3] for d in other[3]]
    for d, rule in zip(init[3], rules):
        file.lines[d] = ' '.join(file.lines[d].split(' ', 3)[:3] + [rule])
    return init[3][0]


# Form ---------------------------------------------------------------------------------------------


def edit_line(file, fits, change):
    i = file.choose(k for k, line in enumerate(file.lines) if fits(line))
    file.lines[i] = change(file.lines[i])
    return i


def is_delta(line):
    return re.match(r'STACK CFI [0-9a-f]+ ', line) is not None


def form_no_address(file):
    return edit_line(file, is_delta, lambda l: re.sub(r'^STACK CFI \w+', 'STACK CFI', l))


def form_bad_address(file):
    return edit_line(file, is_delta, lambda l: re.sub(r'^(STACK CFI \w*)', r'\1xyz', l))


def form_no_size(file):
    return edit_line(file, lambda l: l.startswith('STACK CFI INIT'), lambda l: re.sub(r'^(STACK CFI INIT \w+) \w+', r'\1', l))


def form_no_colon(file):
    return edit_line(file, lambda l: is_delta(l) and '.cfa:' in l, lambda l: l.replace('.cfa:', '.cfa', 1))


def form_operand_lost(file):
    return edit_line(file, lambda l: is_delta(l) and has_cfa(l), lambda l: re.sub(r'(\.cfa: \$\w+) \d+ \+', r'\1 +', l))


def form_operator_lost(file):
    return edit_line(file, lambda l: is_delta(l) and has_cfa(l), lambda l: re.sub(r'(\.cfa: \$\w+ \d+) \+', r'\1', l))


def form_register_unknown(file):
    return edit_line(file, lambda l: is_delta(l) and '.cfa: $rsp' in l, lambda l: l.replace('.cfa: $rsp', '.cfa: $esp', 1))


def form_register_bare(file):
    return edit_line(file, lambda l: is_delta(l) and '.cfa: $rsp' in l, lambda l: l.replace('.cfa: $rsp', '.cfa: rsp', 1))


def form_delta_outside(file):
    init, k = file.choose(file.deltas())
    file.move(init[3][-1], init[1] + init[2] + 0x10)
    return init[3][-1]


def form_delta_before(file):
    init, k = file.choose(file.deltas())
    file.move(init[3][0], init[1] - 1)
    return init[3][0]


def form_init_twice(file):
    init = file.choose(file.inits)
    file.lines.insert(init[0] + 1 + len(init[3]), cfa(file.lines[init[0]], lambda r, o: (r, o + WORD)))
    return init[0] + 1 + len(init[3])


def form_unknown_record(file):
    return edit_line(file, is_delta, lambda l: l.replace('STACK CFI', 'STACK CFX', 1))


def form_function_size(file):
    i = file.choose(f[0] for f in file.functions if f[2] > 0)
    f = file.lines[i].split(' ')
    f[2 if f[1] != 'm' else 3] = '0'
    file.lines[i] = ' '.join(f)
    return i


def form_function_overlap(file):
    i = file.choose(f[0] for f in file.functions[:-1])
    f = file.lines[i].split(' ')
    at = 2 if f[1] != 'm' else 3
    f[at] = '%x' % (int(f[at], 16) + 0x1000)
    file.lines[i] = ' '.join(f)
    return i


def form_line_file(file):
    return edit_line(file, lambda l: re.match(r'[0-9a-f]+ [0-9a-f]+ \d+ \d+$', l), lambda l: l.rsplit(' ', 1)[0] + ' 999999')


def form_module_lost(file):
    del file.lines[0]
    return 0


def main():
    source, target = sys.argv[1:3]
    with open(source, newline='', encoding='latin-1') as f:
        lines = f.read().split('\n')
    for name, seed in zip(sys.argv[3::2], sys.argv[4::2]):
        file = File(list(lines), '%s %s' % (name, seed))
        try:
            at = globals()[name.replace('-', '_')](file)
        except LookupError:
            continue
        folder = os.path.join(target, '%s-%s' % (name, seed))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, os.path.basename(source)), 'w', newline='', encoding='latin-1') as f:
            f.write('\n'.join(file.lines))
        print(name, seed, at + 1)


if __name__ == '__main__':
    main()
