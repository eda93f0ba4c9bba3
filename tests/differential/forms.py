#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one walk is in its forms: JSON, machine-readable fields, rows without a screen, and the screen.

    forms.py UNSPOOL SCRATCH DUMP [SYMBOLS...]

Prints a line for each difference: that a call, its module or its line is another one in another form.
"""
import json
import os
import re
import subprocess
import sys

COLUMNS, ROWS = 400, 100


def run(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=60)
    return done.returncode, done.stdout.decode('utf-8', 'replace')


def calls_of_json(document):
    """Rows (thread, row, module, function, line) of the walked threads."""
    rows = []
    for index, thread in enumerate(document.get('threads') or []):
        number = 0
        for frame in thread.get('frames') or []:
            calls = list(frame.get('inlines') or []) + [frame]
            for call in calls:
                rows.append((index, number, frame.get('module') or '', call.get('function') or '', str(call.get('line') or '')))
                number += 1
    return rows


def calls_of_fields(text):
    rows = []
    for line in text.split('\n\n', 1)[-1].splitlines():
        fields = line.split('|')
        if len(fields) == 7 and fields[0].isdigit():
            rows.append((int(fields[0]), int(fields[1]), fields[2], fields[3], fields[5]))
    return rows


def squeezed(text):
    """A row without its columns; a closed thread has its system's number without a screen only."""
    return re.sub(r'^(\+ thread \d+) 0x[0-9a-f]+', r'\1', re.sub(r'\s+', ' ', text).strip())


def printable(rows):
    """Names with bars or bytes that are shown in other ways cannot be compared."""
    return {row[:2]: row for row in rows if all('|' not in part and part.isascii() and '\\' not in part for part in row[2:])}


def compare_calls(left, right):
    one, other = printable(left), printable(right)
    # Breakpad's fields name at most 2^20 rows; threads that are not walked have none.
    if len(left) != len(right):
        yield f'{len(left)} calls in JSON, {len(right)} in fields'
    for key in sorted(set(one) & set(other)):
        if one[key] != other[key]:
            yield f'JSON has {one[key]}, fields have {other[key]}'


def screens(unspool, scratch, inputs):
    script, screen = f'{scratch}/script', f'{scratch}/screen'
    if os.path.exists(screen):
        os.remove(screen)
    flags = ('--no-config', '--no-state', '--no-cache', '--no-system-binaries', '--ascii')
    with open(script, 'w', encoding='ascii') as file:
        file.write(':set layout single\n:view stack\n:save-screen ' + screen + '\n')
    run(unspool, 'explore', '--script', script, '--size', f'{COLUMNS}x{ROWS}', *flags, *inputs)
    with open(script, 'w', encoding='ascii') as file:
        file.write(':view stack\n')
    _, plain = run(unspool, 'explore', '--plain', '--script', script, *flags, *inputs)
    with open(screen, encoding='utf-8', errors='replace') as file:
        painted = file.read().splitlines()[2:ROWS - 2]
    rows = plain.splitlines()
    at = next((i for i, row in enumerate(rows) if row.startswith('[stack]')), len(rows))
    return painted, rows[at + 1:]


def compare_screens(painted, rows):
    for number, (cell, row) in enumerate(zip(painted, rows)):
        # Long names are cut for their column. After the last row comes the explanation of the selected one.
        left, right = squeezed(cell), squeezed(row)
        if left == '' or row.startswith('frame '):
            return
        # A character that the terminal's locale lacks is "?" there, and an escape without a screen.
        if len(row) < COLUMNS // 3 and '...' not in left and (left + right).isascii() and left != right:
            yield f'row {number}: the screen has {left!r}, without a screen it is {right!r}'
            return


def main():
    unspool, scratch, inputs = sys.argv[1], sys.argv[2], sys.argv[3:]
    flags = ('--no-cache', '--no-system-binaries')
    status, text = run(unspool, 'walk', '--json', *flags, *inputs)
    if status not in (0, 1):
        if run(unspool, 'walk', '--machine', *flags, *inputs)[0] != status:
            print('JSON is refused, fields are not')
        return
    document = json.loads(text)
    if json.loads(run(unspool, 'walk', '--json', '--pretty', *flags, *inputs)[1]) != document:
        print('--pretty says something else')
    fields = calls_of_fields(run(unspool, 'walk', '--machine', *flags, *inputs)[1])
    for difference in compare_calls(calls_of_json(document), fields):
        print(difference)
    for difference in compare_screens(*screens(unspool, scratch, inputs)):
        print(difference)


main()
