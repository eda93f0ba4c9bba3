# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by gdb: evaluate expressions over the variables of a core's frames, and write them as JSON.

Usage: gdb -batch -nx -x expressions-gdb.py, with OUTPUT in the environment.
"""
import json
import os

import gdb

MOST = 60	# expressions of one variable


def spread(name, kind, depth, found):
    """Expressions that a value of a type makes sense in."""
    if len(found) >= MOST:
        return
    kind = kind.strip_typedefs()
    found.append(name)
    code = kind.code
    if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target().strip_typedefs()
        code = kind.code
    if code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        found.append("sizeof(%s)" % name)
        found.append("&%s" % name)
        for field in kind.fields():
            if depth > 0 and field.name and not field.is_base_class and not field.artificial \
                    and not name.startswith("&"):
                spread("%s.%s" % (name, field.name), field.type, depth - 1, found)
    elif code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs()
        found.append("%s != 0" % name)
        found.append("!%s" % name)
        found.append("(long) %s & 0xfff" % name)
        found.append("(char *) %s + 3 - (char *) %s" % (name, name))
        if target.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            found.append("*%s" % name)
            found.append("sizeof *%s" % name)
            for field in target.fields():
                if depth > 0 and field.name and not field.is_base_class and not field.artificial:
                    spread("%s->%s" % (name, field.name), field.type, depth - 1, found)
        elif target.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC):
            found.append("*%s" % name)
            found.append("%s[1]" % name)
            found.append("&%s[2]" % name)
    elif code == gdb.TYPE_CODE_ARRAY:
        found.append("*%s" % name)
        found.append("&%s[1]" % name)
        found.append("sizeof %s" % name)
        if depth > 0:
            spread("%s[1]" % name, kind.target(), depth - 1, found)
            spread("%s[0]" % name, kind.target(), depth - 1, found)
    elif code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM):
        found += [text % {"v": name} for text in (
            "%(v)s + 1", "%(v)s * 3 - 2", "-%(v)s", "~%(v)s", "!%(v)s", "%(v)s / 7", "%(v)s %% 5",
            "%(v)s << 2 | 1", "%(v)s >> 1 ^ 3", "(%(v)s > 10) == 1 || %(v)s == 7",
            "(char) %(v)s", "(unsigned short) %(v)s", "(double) %(v)s / 4", "sizeof %(v)s",
            "%(v)s == %(v)s && %(v)s != 0x10u", "%(v)s - 5u", "%(v)s + 1L", "%(v)s * 2.5")]
    elif code == gdb.TYPE_CODE_FLT:
        found += [text % {"v": name} for text in (
            "%(v)s * 2", "(int) %(v)s", "%(v)s > 1.5", "-%(v)s", "%(v)s + %(v)s", "%(v)s / 3")]


def answer(text):
    try:
        value = gdb.parse_and_eval(text)
        made = {"expression": text, "type": str(value.type)}
        if value.is_optimized_out:
            made["value"] = "<optimized out>"
        else:
            made["value"] = value.format_string(raw=True, symbols=True)
        code = value.type.strip_typedefs().code
        if code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_ENUM,
                    gdb.TYPE_CODE_PTR) and not value.is_optimized_out:
            made["number"] = str(int(value))
        return made
    except (gdb.error, gdb.MemoryError, ValueError, OverflowError) as error:
        return {"expression": text, "error": str(error)}


def frames():
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = frame.older()


answers = []
physical = call = -1
gdb.execute("set print elements 200")
for frame in frames():
    inner = frame.newer()
    if inner is not None and inner.type() == gdb.INLINE_FRAME:
        call += 1
    else:
        physical += 1
        call = 0
    frame.select()
    try:
        block = frame.block()
    except RuntimeError:
        continue
    names = {}
    while block is not None:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in names:
                names[symbol.name] = symbol
        if block.function is not None:
            break
        block = block.superblock
    for name, symbol in names.items():
        found = []
        spread(name, symbol.type, 2, found)
        for text in found:
            answers.append(dict(answer(text), frame=physical, call=call))
with open(os.environ["OUTPUT"], "w") as output:
    json.dump(answers, output)
