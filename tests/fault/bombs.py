#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small inputs that are valid and expensive: what they share is read again for each of its users.

	bombs.py NAME BYTES FILE
	bombs.py NAME USERS SIZE FILE

writes an input of about BYTES bytes, or with so many users of shared data of this size: the row NAME of a
table at the end. Dumps are of amd64 Linux and have a module /usr/bin/a at 0x400000, whose symbol files the
others are. tests/fault/bombs.t and tests/batch/bombs.t say which commands are run over them. The formats:
minidumpapiset.h, DWARF 4, and the mangled names of the Itanium C++ ABI and of Rust (RFC 2603).
"""
import lzma
import random
import struct
import sys
import zlib

P = struct.pack
CODE, CODE_SIZE = 0x1000, 0x1000000
STACK = 0x7F0000000000
BUILD_ID = bytes(range(20))
DEBUG_ID = "030201000504070608090A0B0C0D0E0F0"
FRAMES_OF_16 = "STACK CFI INIT 1000 1000000 .cfa: $rsp 16 + .ra: .cfa 8 - ^"


def addresses(count):
    return b"".join(P("<Q", 0x401107 + 16 * i) for i in range(count))


RETURNS = addresses(1000)


# Minidumps ----------------------------------------------------------------------------------------

class Dump:
    """A minidump that is being put together: structures first, the directory at the end."""

    def __init__(self):
        self.out = bytearray(32)
        self.streams = []

    def put(self, data):
        self.out += bytes(-len(self.out) % 8)
        self.out += data
        return len(self.out) - len(data)

    def stream(self, kind, data):
        at = self.put(data)
        self.streams.append((kind, len(data), at))
        return at

    def string(self, text):
        data = text.encode("utf-16-le")
        return self.put(P("<I", len(data)) + data + b"\0\0")

    def bytes(self):
        at = self.put(b"".join(P("<III", *entry) for entry in self.streams))
        self.out[0:32] = P("<IIIIIIQ", 0x504D444D, 0xA793, len(self.streams), at, 0, 0, 0)
        return bytes(self.out)


def module(base, name, identity=(0, 0)):
    return (P("<QIIII", base, 0x1100000, 0, 0, name) + P("<13I", 0xFEEF04BD, *[0] * 12) +
            P("<II", *identity) + bytes(24))


def crash(threads=1, stack=RETURNS, modules=1, identified=False, name="/usr/bin/a"):
    """A dump of threads that share one stack and one context, the first of which crashed. Only the
    first module has an ID, if any."""
    dump = Dump()
    dump.stream(7, P("<HHHBBIIIIIHH24x", 9, 6, 0, 1, 1, 5, 4, 0, 0x8201, dump.string(""), 0, 0))
    name = dump.string(name)
    identity = (24, dump.put(b"LEpB" + BUILD_ID)) if identified else (0, 0)
    dump.stream(4, P("<I", modules) + module(0x400000, name, identity) + b"".join(
        module(0x400000 + 0x2000000 * i, name) for i in range(1, modules)))
    context = bytearray(1232)
    struct.pack_into("<I", context, 48, 0x10000F)
    struct.pack_into("<Q", context, 152, STACK)
    struct.pack_into("<Q", context, 248, 0x401010)
    at, where = dump.put(bytes(context)), dump.put(stack)
    dump.stream(3, P("<I", threads) + b"".join(
        P("<IIIIQQIIII", i + 1, 0, 0, 0, 0, STACK, len(stack), where, 1232, at)
        for i in range(threads)))
    dump.stream(6, P("<IIIIQQII15QII", 1, 0, 11, 0, 0, 0x401010, 0, 0, *[0] * 15, 1232, at))
    return dump


def returns(size, places):
    """Frames of 16 bytes with this number of return addresses."""
    return crash(stack=b"".join(bytes(8) + P("<Q", 0x401107 + 16 * (i % places)) for i in range(size // 16)),
                 identified=True).bytes()


def mips(size):
    """A stack full of return addresses, none of which has a frame pointer below it."""
    dump, stack = Dump(), bytes(4) + b"".join(P("<I", 0x401100 + 8 * i) for i in range(size // 4))
    dump.stream(7, P("<HHHBBIIIIIHH24x", 1, 6, 0, 1, 1, 5, 4, 0, 0x8201, dump.string(""), 0, 0))
    dump.stream(4, P("<I", 1) + module(0x400000, dump.string("/usr/bin/a")))
    context = P("<II39Q", 0x40007, 0, *[0] * 29, 0x7F000000, 0, 0x401010, *[0] * 6, 0x401010).ljust(600, b"\0")
    at, where = dump.put(context), dump.put(stack)
    dump.stream(3, P("<IIIIIQQIIII", 1, 1, 0, 0, 0, 0, 0x7F000000, len(stack), where, 600, at))
    return dump.bytes()


def threads(size):
    return crash(threads=(size - 20000) // 48).bytes()


def modules(size):
    """Many threads, each of whose walks may ask for the symbols of many modules."""
    return crash(threads=size // 100, modules=size // 210).bytes()


def shared_streams(kind, entry, head):
    """4,000 streams of one kind that all have the same bytes."""
    def make(size):
        dump = crash()
        count = (size - 70000) // len(entry)
        data = head(count) + entry * count
        at = dump.put(data)
        dump.streams += [(kind, len(data), at)] * 4000
        return dump.bytes()
    return make


def comments(kind):
    """4,000 comments (kind) that share their bytes."""
    def make(size):
        dump = crash()
        text = b"c" * (size - 60000)
        dump.streams += [(kind, len(text), dump.put(text))] * 4000
        return dump.bytes()
    return make


def links(size):
    """Handles that share one list of information, which leads back to its beginning."""
    dump = crash()
    info = dump.put(P("<III", 0, 1, 8) + bytes(8))
    struct.pack_into("<I", dump.out, info, info)
    count = (size - 20000) // 40
    dump.stream(12, P("<IIII", 16, 40, count, 0) + (P("<QIIIIIIII", 4, *[0] * 6, info, 0)) * count)
    return dump.bytes()


def annotations(size):
    """Modules that share lists of annotations, which share one text."""
    dump = crash()
    text = dump.put(P("<I", 1000) + b"v" * 1000 + b"\0")
    pairs = dump.put(P("<I", 1000) + P("<II", text, text) * 1000)
    info = dump.put(P("<IIIIIII", 1, 0, 0, 8004, pairs, 0, 0))
    count = (size - 40000) // 12
    table = dump.put(P("<I", count) + P("<III", 0, 28, info) * count)
    dump.stream(0x43500001, P("<I", 1) + bytes(32) + P("<IIII", 8004, pairs, 12 * count + 4, table))
    return dump.bytes()


def regions(size):
    """Regions of memory far from each other that share their bytes."""
    dump = crash()
    at = dump.put(bytes(65536))
    count = (size - len(dump.out)) // 16
    dump.stream(5, P("<I", count) + b"".join(
        P("<QII", 0x10000 + i * 0x20000, 65536, at) for i in range(count)))
    return dump.bytes()


def heap(_):
    """A C library whose heap ends a mapping of 128 TB, whose other bytes are not in the dump."""
    dump, arena, top = crash(name="/libc.so.6"), 0x500000, 0x7EFFFFFF0010
    bins = b"".join(P("<QQ", arena + 80 + 16 * i, arena + 80 + 16 * i) for i in range(1, 128))
    state = bytes(96) + P("<QQ", top, 0) + bins + bytes(16) + P("<Q", arena)
    dump.stream(5, P("<IQIIQII", 2, arena, len(state), dump.put(state), top - 16, 64, dump.put(bytes(64))))
    dump.stream(0x47670009, b"10000-7f0000000000 rw-p 00000000 00:00 0 [heap]\n")
    return dump.bytes()


# Symbol files -------------------------------------------------------------------------------------

def symbols(head, line):
    """A symbol file of lines that are made from their number."""
    def make(size):
        out, length, i = ["MODULE Linux x86_64 %s a" % DEBUG_ID, "FILE 1 a.c", "INLINE_ORIGIN 0 o"], 0, 0
        out += head
        while length < size:
            out.append(line(i))
            length += len(out[-1]) + 1
            i += 1
        return ("\n".join(out) + "\n").encode()
    return make


def mangled(size):
    """A function with one long name of C++."""
    parts = "".join("30" + "a" * 30 for _ in range(min(size, 60000) // 32))
    return symbols(["FUNC 1000 1000000 0 _ZN%s1fEv" % parts], lambda i: "1000 10 1 1")(0)


def base62(number):
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    text = ""
    if number > 0:
        number -= 1
        text = digits[number % 62]
        while number >= 62:
            number //= 62
            text = digits[number % 62] + text
    return text + "_"


def doubled(pairs):
    """A name of Rust with tuples of the tuple before, twice."""
    text, last = "INvC1a1fTllE", 8
    for _ in range(pairs):
        at = len(text)
        text += "TB" + base62(last) + "B" + base62(last) + "E"
        last = at
    return "_R" + text + "E"


def decorated(number):
    """A name of Microsoft's compilers: templates within each other, of parameters that repeat."""
    return "?f%d@@YAX%s@Z" % (number, "V?$P@V?$P@HH@@V1@@@V0@" * 8 + "P6A" * 30)


# ELF files with DWARF ------------------------------------------------------------------------------

def elf(sections, kind_of_code=8):
    names, body, rows = b"\0", bytearray(64 + 56), [bytes(64)]
    text, places = (".text", kind_of_code, 6, CODE, None), {}
    for name, kind, flags, address, data in [text] + sections + [(".shstrtab", 3, 0, 0, b"")]:
        at, names = len(names), names + name.encode() + b"\0"
        data = names if name == ".shstrtab" else data
        if data is not None and data not in places:
            places[data] = len(body)
            body += data
        where, size = (64, CODE_SIZE if kind == 8 else 16) if data is None else (places[data], len(data))
        rows.append(P("<IIQQQQIIQQ", at, kind, flags, address, where, size, 0, 0, 1, 0))
    at = len(body)
    body += b"".join(rows)
    body[0:64] = b"\x7fELF\2\1\1" + bytes(9) + P("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, at, 0, 64, 56, 1,
                                                64, len(rows), len(rows) - 1)
    body[64:120] = P("<IIQQQQQQ", 1, 5, 0, 0, 0, CODE + CODE_SIZE, CODE + CODE_SIZE, 4096)
    return bytes(body)


def leb(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def abbreviation(code, tag, children, *attributes):
    return leb(code) + leb(tag) + bytes([children]) + b"".join(map(leb, attributes)) + b"\0\0"


# A unit, a function with a frame base, a variable, an integer, a structure and a member.
ABBREVIATIONS = (abbreviation(1, 0x11, 1, 0x11, 1, 0x12, 6) +
                 abbreviation(2, 0x2E, 1, 3, 8, 0x11, 1, 0x12, 6, 0x40, 0x18) +
                 abbreviation(3, 0x34, 0, 3, 8, 0x49, 0x13, 2, 0x18) +
                 abbreviation(4, 0x24, 0, 3, 8, 0x0B, 0x0B, 0x3E, 0x0B) +
                 abbreviation(5, 0x13, 1, 3, 8, 0x0B, 0x0F) +
                 abbreviation(6, 0x0D, 0, 3, 8, 0x49, 0x13, 0x38, 0x0F) +
                 abbreviation(7, 0x0B, 1, 0x11, 1, 0x12, 6) + b"\0")
UNIT = b"\1" + P("<QI", CODE, CODE_SIZE)
TYPES = 11 + len(UNIT)		# where the first entry behind the unit's is
INTEGER = b"\4i\0\x08\x05"


def debug(entries):
    unit = UNIT + entries + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, ABBREVIATIONS),
                (".debug_info", 1, 0, 0, P("<IHIB", 7 + len(unit), 4, 0, 8) + unit)])


def function(entries):
    return b"\2f\0" + P("<QI", CODE, CODE_SIZE) + b"\1\x57" + entries + b"\0"


def variables(count, kind):
    return (b"\3v\0" + P("<I", kind) + b"\2\x91\0") * count


def blocks(size):
    """Blocks within each other, without attributes that say where the next one is."""
    count = size // 14
    return debug(function((b"\7" + P("<QI", CODE, 0x100000)) * count + b"\0" * count))


def many_variables(size):
    return debug(INTEGER + function(variables(size // 10, TYPES)))


def structures(size):
    """Structures with eight members of the one before."""
    out, last = INTEGER, TYPES
    for _ in range(20):
        at = TYPES + len(out)
        out += b"\5s\0\x08" + (b"\6m\0" + P("<I", last) + b"\0") * 8 + b"\0"
        last = at
    return debug(out + function(variables(max(1, size // 100000), last)))


def compound(size, kind, part):
    """Variables of a structure or array (its entry begins so) that is made of itself, so many times."""
    more = [abbreviation(8, 0x01, 1, 0x49, 0x13), abbreviation(9, 0x21, 0, 0x2F, 6),
            abbreviation(10, 0x1C, 0, 0x49, 0x13, 0x38, 0x0F)]
    types = kind + part + b"\0"
    unit = UNIT + types + function(variables(size // 20, TYPES)) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, ABBREVIATIONS[:-1] + b"".join(more) + b"\0"),
                (".debug_info", 1, 0, 0, P("<IHIB", 7 + len(unit), 4, 0, 8) + unit)])


def unit(entries, version=4, kinds=0):
    kind = b"\1\x08" + bytes(4) if version == 5 else P("<IB", kinds, 8)
    return P("<IH", 2 + len(kind) + len(entries), version) + kind + entries


def in_function(size, expression, base=b"\x57"):
    """Variables of a function with this frame base, whose locations are this expression."""
    variable = b"\3v\0" + P("<I", TYPES) + leb(len(expression)) + expression
    entries = b"\2f\0" + P("<QI", CODE, CODE_SIZE) + leb(len(base)) + base
    return elf([(".debug_abbrev", 1, 0, 0, ABBREVIATIONS), (".debug_info", 1, 0, 0, unit(
        UNIT + INTEGER + entries + variable * (size // len(variable)) + b"\0\0"))])


def skip(bytes_before):
    """DW_OP_skip to an operation before this one."""
    return b"\x2f" + P("<h", -3 - bytes_before)


def flags(attributes, entries):
    """Entries of one byte that have so many attributes without bytes (DW_AT_external, flag_present)."""
    kinds = ABBREVIATIONS[:-1] + abbreviation(8, 0x34, 0, *[0x3F, 0x19] * attributes) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_info", 1, 0, 0, unit(
        UNIT + function(b"\x08" * entries) + b"\0"))])


def units(count, size, skipped=0):
    """Units that use the last of `size` abbreviations; every second one begins after so many bytes of them."""
    kinds = b"".join(abbreviation(i, 0x11, 0) for i in range(1, size + 1)) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_info", 1, 0, 0, b"".join(
        unit(leb(size), kinds=skipped * (i % 2)) for i in range(count)))])


# From the least length of an instruction to the lengths of 12 operations.
LINE_HEAD = b"\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1"


def line_program(users, files, rows):
    """Units with one line program of DWARF 4."""
    head = LINE_HEAD + b"\0" + b"f\0\0\0\0" * files + b"\0"
    line = (P("<HI", 4, len(head)) + head + b"\0\x09\2" + P("<Q", CODE) + b"\x20" * rows + b"\0\1\1")
    return elf([(".debug_abbrev", 1, 0, 0, abbreviation(1, 0x11, 0, 0x10, 0x17) + b"\0"),
                (".debug_line", 1, 0, 0, P("<I", len(line)) + line),
                (".debug_info", 1, 0, 0, unit(b"\1" + bytes(4)) * users)])


def ranges(users, size):
    """Functions that all have the ranges of one list."""
    kinds = abbreviation(1, 0x11, 1, 0x11, 1, 0x12, 6) + abbreviation(2, 0x2E, 0, 0x55, 0x17) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_ranges", 1, 0, 0, b"".join(
        P("<QQ", 2 * i, 2 * i + 1) for i in range(size)) + bytes(16)),
                (".debug_info", 1, 0, 0, unit(UNIT + (b"\2" + bytes(4)) * users + b"\0"))])


def packed(users, size):
    """Sections that are decompressed to `size` MiB of zeros (SHF_COMPRESSED, ELFCOMPRESS_ZLIB)."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    data = (P("<IIQQ", 1, 0, size << 20, 1) + b"\x78\xda" + block * size + packer.flush() +
            P(">HH", (size << 20) % 65521, 1))
    return elf([(name, 1, 0x800, 0, data) for name in (".debug_info", ".debug_abbrev", ".debug_line")[:users]])


def paths(size):
    """A line program of DWARF 5 whose files share one long directory and one long name."""
    count = size // 10
    head = LINE_HEAD + b"\1\1\x1f\1" + bytes(4) + b"\2\1\x1f\2\x0b" + leb(count) + bytes(5) * count
    rows = b"\0\x09\2" + P("<Q", CODE) + b"".join(
        b"\4" + leb(i) + b"\x21" for i in range(count // 4)) + b"\0\1\1"
    line = P("<HBBI", 5, 8, 0, len(head)) + head + rows
    kinds = ABBREVIATIONS[:-1] + abbreviation(8, 0x11, 1, 0x11, 1, 0x12, 6, 0x10, 0x17) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_line", 1, 0, 0, P("<I", len(line)) + line),
                (".debug_line_str", 1, 0, 0, b"n" * (size // 4) + b"\0"), (".debug_info", 1, 0, 0, unit(
                    b"\x08" + P("<QII", CODE, CODE_SIZE, 0) + function(b"") + b"\0"))])


def shared_name(name):
    """Symbols that share one name."""
    def bomb(size):
        symbols = bytes(24) + b"".join(P("<IBBHQQ", 1, 0x12, 0, 1, CODE + 16 * i, 16)
                                       for i in range((size - len(name)) // 24))
        return elf([(".symtab", 2, 0, 0, symbols),
                    (".strtab", 3, 0, 0, b"\0" + name + b"\0")])
    return bomb


def shared_scope(size):
    """Functions in a namespace whose name has 60,000 bytes."""
    more = [abbreviation(8, 0x39, 1, 3, 8), abbreviation(9, 0x2E, 0, 3, 8, 0x11, 1, 0x12, 6)]
    functions = b"".join(b"\x09f%d\0" % i + P("<QI", CODE + 16 * i, 16) for i in range(size // 20))
    unit = UNIT + b"\x08" + b"s" * 60000 + b"\0" + functions + b"\0\0"
    return elf([(".debug_abbrev", 1, 0, 0, ABBREVIATIONS[:-1] + b"".join(more) + b"\0"),
                (".debug_info", 1, 0, 0, P("<IHIB", 7 + len(unit), 4, 0, 8) + unit)])


def of_types(types, last, count):
    """Variables of a type, which may be: an array (8, with its dimensions 9), a pointer (10), a function (11) with
    parameters (12)."""
    more = [abbreviation(8, 0x01, 1, 0x49, 0x13), abbreviation(9, 0x21, 0, 0x2F, 6),
            abbreviation(10, 0x0F, 0, 0x0B, 0x0B, 0x49, 0x13), abbreviation(11, 0x15, 1, 0x49, 0x13),
            abbreviation(12, 0x05, 0, 0x49, 0x13)]
    unit = UNIT + types + function(variables(count, last)) + b"\0"
    return elf([(".debug_abbrev", 1, 0, 0, ABBREVIATIONS[:-1] + b"".join(more) + b"\0"),
                (".debug_info", 1, 0, 0, P("<IHIB", 7 + len(unit), 4, 0, 8) + unit)])


def arrays_in_arrays(size):
    types, last = INTEGER, TYPES
    for _ in range(size // 12):
        at = TYPES + len(types)
        types += b"\x08" + P("<I", last) + b"\x09" + P("<I", 1) + b"\0"
        last = at
    return of_types(types, last, 1)


def functions_of_functions(size):
    """A pointer to a function that returns and takes such pointers."""
    itself = P("<I", TYPES)
    return of_types(b"\x0a\x08" + P("<I", TYPES + 6) + b"\x0b" + itself + (b"\x0c" + itself) * 1000 + b"\0", TYPES,
                    size // 10)


def split_self(size):
    """Skeletons of DWARF 5 that all name the file itself as the file with their unit (DW_AT_dwo_name, DW_UT_skeleton)."""
    kinds = abbreviation(8, 0x4A, 0, 0x76, 8, 0x11, 1, 0x12, 6) + b"\0"
    entry = lambda i: P("<HBBIQ", 5, 4, 8, 0, i % 7) + b"\x08a\0" + P("<QI", CODE + 16 * i, 16)
    units = b"".join(P("<I", len(entry(i))) + entry(i) for i in range(size // 35))
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_info", 1, 0, 0, units)])


def package(size):
    """Units that are skeletons and also in a package's index (version 2); all need the last of many abbreviations."""
    last, count = size // 12, size // 200
    kinds = b"".join(abbreviation(i, 0x11, 0) for i in range(1, last)) + abbreviation(
        last, 0x11, 0, 0x2130, 8, 0x2131, 7, 0x11, 1, 0x12, 6) + b"\0"
    units = [unit(leb(last) + b"x\0" + P("<QQI", i, CODE + 16 * i, 16)) for i in range(count)]
    slots = 1 << count.bit_length()
    index = (P("<IIII", 2, 2, count, slots) + b"".join(P("<Q", i if i < count else 0) for i in range(slots)) +
             b"".join(P("<I", i + 1 if i < count else 0) for i in range(slots)) + P("<II", 1, 3) +
             b"".join(P("<II", len(units[0]) * i, 0) for i in range(count)) +
             P("<II", len(units[0]), len(kinds)) * count)
    return elf([(".debug_abbrev", 1, 0, 0, kinds), (".debug_info", 1, 0, 0, b"".join(units)),
                (".debug_cu_index", 1, 0, 0, index)])


def compressed(size, names, more):
    """Sections that share compressed bytes, which grow 60 times, and have so many bytes `more` in their header."""
    noise = random.Random(1).randbytes(size * 3 // 4)
    data = zlib.compress(noise + bytes(noise[:4096]) * (size // 80))
    whole = len(noise) + 4096 * (size // 80) + more
    return elf([(name, 1, 0x800, 0, P("<IIQQ", 1, 0, whole, 1) + data) for name in names])


def mini(size):
    """A .gnu_debugdata of equal symbols, and padding."""
    inner = elf([(".symtab", 2, 0, 0, bytes(24) + P("<IBBHQQ", 1, 0x12, 0, 1, CODE, 16) * (size * 5 // 2)),
                 (".strtab", 3, 0, 0, b"\0f\0")])
    return elf([(".gnu_debugdata", 1, 0, 0, lzma.compress(inner, preset=0).ljust(size, b"\0"))])


# ELF files with .eh_frame ---------------------------------------------------------------------------

def frames(common, entry):
    """A CIE and an entry for all code, with so many bytes of instructions each; version 1, "zR", DW_EH_PE_pcrel |
    DW_EH_PE_sdata4, the CFA is rsp + 8, the return address is in the word below."""
    def record(data):
        data += bytes((-len(data) - 4) % 8)
        return P("<I", len(data)) + data
    head = record(P("<I", 0) + b"\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1" + common)
    at, address = len(head), CODE + CODE_SIZE
    return elf([(".eh_frame", 1, 2, address, head + record(
        P("<IiI", at + 4, CODE - (address + at + 8), CODE_SIZE) + b"\0" + entry) + bytes(4))], 1)


def sframe(functions, rows, length=16):
    """An SFrame section of version 2: functions that share their rows, each a CFA of rsp + 8."""
    table = b"".join(P("<iIIIBBH", i * length % CODE_SIZE - CODE_SIZE, length, 0, rows, 2, 0, 0)
                     for i in range(functions))
    entries = b"".join(P("<IBb", i, 3, 8) for i in range(rows))
    head = P("<HBBBbbBIIIII", 0xDEE2, 2, 1, 3, 0, -8, 0, functions, functions * rows & 0xFFFFFFFF, len(entries), 0,
             len(table))
    return head + table + entries


def shared_rows(size):
    return elf([(".sframe", 0x6FFFFFF4, 2, CODE + CODE_SIZE, sframe(size // 40, size // 12, 65536))], 1)


# ELF files with code -------------------------------------------------------------------------------

def code(text):
    """A file whose symbol `f` is a function of x86-64 with these bytes, read from where they are loaded."""
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    body = bytearray(CODE) + text
    symbols, strings = len(body), len(body) + 48
    body += bytes(24) + P("<IBBHQQ", 1, 2, 0, 1, CODE, len(text)) + b"\0f\0" + names
    head = len(body)
    body += bytes(64) + b"".join(P("<IIQQQQIIQQ", *row) for row in (
        (1, 1, 6, CODE, CODE, len(text), 0, 0, 1, 0), (7, 2, 0, 0, symbols, 48, 3, 1, 8, 24),
        (15, 3, 0, 0, strings, 3, 0, 0, 1, 0), (23, 3, 0, 0, strings + 3, len(names), 0, 0, 1, 0)))
    body[0:64] = b"\x7fELF\2\1\1" + bytes(9) + P("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, head, 0, 64, 56, 1, 64, 5, 4)
    body[64:120] = P("<IIQQQQQQ", 1, 5, 0, 0, 0, len(body), CODE + CODE_SIZE, 4096)
    return bytes(body)


def calls(size):
    """Calls of all places of one function, which are return addresses everywhere."""
    return code(b"".join(b"\xe8" + P("<i", 7919 * i % size - 5 * i) for i in range(size // 5)))


# PE files -------------------------------------------------------------------------------------------

def pe(sections, directories):
    """An image for x64; a section is a name, an address, a size in memory and its bytes."""
    optional = P("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20B, 14, 0, 0, 0, 0, 0x1000, 0x1000, 0x140000000,
                 0x1000, 512, 6, 0, 0, 0, 6, 0, 0, 0x40000000, 0x1000, 0, 3, 0, 0x100000, 0x1000,
                 0x100000, 0x1000, 0, 16)
    optional += b"".join(P("<II", *directories.get(i, (0, 0))) for i in range(16))
    out = (b"MZ" + bytes(58) + P("<I", 64) + b"PE\0\0" +
           P("<HHIIIHH", 0x8664, len(sections), 0, 0, 0, len(optional), 0x22) + optional)
    at, rows, body = 1024, b"", b""
    for name, address, size, data in sections:
        data += bytes(-len(data) % 512)
        rows += P("<8sIIIIIIHHI", name, size, address, len(data), at + len(body), 0, 0, 0, 0, 0x60000020)
        body += data
    return (out + rows).ljust(at, b"\0") + body


def exports(count, text):
    """Exports that share one name."""
    address = 0x1000
    functions = address + 40
    names = functions + 4 * count
    ordinals = names + 4 * count
    name = ordinals + 2 * count
    data = (P("<IIHHIIIIIII", 0, 0, 0, 0, name, 1, count, count, functions, names, ordinals) +
            b"".join(P("<I", 0x800000 + i) for i in range(count)) + P("<I", name) * count +
            b"".join(P("<H", i) for i in range(count)) + text + b"\0")
    return pe([(b".edata", address, len(data), data),
               (b".text", 0x800000, count, b"\xc3" * (count + -count % 512))], {0: (address, len(data))})


def chains(size):
    """Functions that share unwind information of 254 codes, which is chained to itself."""
    count, address = (size - 2000) // 12, 0x1000
    info = address + 12 * count
    unwind = P("<BBBB", 0x21, 200, 254, 0) + P("<BB", 200, 2) * 254 + P("<III", address, address + 16, info)
    data = b"".join(P("<III", 0x400000 + 16 * i, 0x400010 + 16 * i, info) for i in range(count)) + unwind
    return pe([(b".pdata", address, len(data), data), (b".text", 0x400000, 16 * count, b"\xc3" * 512)],
              {3: (address, 12 * count)})


# PDBs (microsoft-pdb; LLVM, docs/PDB) --------------------------------------------------------------

def container(streams, block=4096):
    blocks, lists = [b"", bytes(block), bytes(block)], []

    def put(data):
        first = len(blocks)
        blocks.extend(data[i:i + block].ljust(block, b"\0") for i in range(0, len(data), block))
        return range(first, len(blocks))

    lists = [put(stream) for stream in streams]
    directory = P("<I", len(streams)) + b"".join(P("<I", len(stream)) for stream in streams) + b"".join(
        P("<I", number) for numbers in lists for number in numbers)
    where = put(put_numbers(put(directory)))
    blocks[0] = (b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" +
                 P("<IIIIII", block, 1, len(blocks), len(directory), 0, where[0])).ljust(block, b"\0")
    return b"".join(blocks)


def put_numbers(numbers):
    return b"".join(P("<I", number) for number in numbers)


def record(kind, data):
    data += bytes(-len(data) % 4)
    return P("<HH", len(data) + 2, kind) + data


def records(types):
    body = b"".join(types)
    return P("<IIIIIHHII", 20040203, 56, 0x1000, 0x1000 + len(types), len(body), 0xFFFF, 0xFFFF, 4,
             0x3FFFF) + bytes(24) + body


def part(kind, data):
    return P("<II", kind, len(data)) + data + bytes(-len(data) % 4)


def lines(count):
    """Rows of lines for all code."""
    return part(0xF2, P("<IHHI", 0, 1, 0, CODE_SIZE) + P("<III", 0, count, 12 + 8 * count) +
                b"".join(P("<II", i, i + 1) for i in range(count)))


def procedures(count, kind=0):
    """Functions of 16 bytes; each record ends where the one of its end begins."""
    out = bytearray()
    for i in range(count):
        name = b"f%d\0" % i
        out += record(0x1110, P("<IIIIIIIIHB", 0, 4 + len(out) + 4 + (35 + len(name) + 3) // 4 * 4, 0, 16, 0, 16,
                                kind, 16 * i, 1, 0) + name) + record(6, b"")
    return bytes(out)


def nested(size):
    """Functions without an end, which would contain all later ones."""
    return b"".join(record(0x1110, P("<IIIIIIIIHB", 0, 0, 0, CODE_SIZE - i, 0, 16, 0, i, 1, 0) + b"f\0")
                    for i in range(size // 44))


def inlined(size):
    """A function with calls within each other."""
    calls = record(0x114D, bytes(12) + b"\x0b\1\x0c\1\1") * (size // 20)
    return record(0x1110, P("<IIIIIIIIHB", 0, 0, 0, CODE_SIZE, 0, 16, 0, 0, 1, 0) + b"f\0") + calls


def pdb(symbols, lines=b"", types=(), modules=1):
    names = P("<III", 0xEFFEEFFE, 1, 5) + b"\0a.c\0" + P("<III", 1, 1, 1)
    info = (P("<III", 20000404, 1, 1) + bytes(16) + P("<I", 7) + b"/names\0" +
            P("<IIIIIII", 1, 1, 1, 1, 0, 0, 6))
    lines = part(0xF4, P("<IBBH", 1, 0, 0, 0)) + lines
    row = (P("<IHHIIIHHII", 0, 1, 0, 0, CODE_SIZE, 0x60000020, 0, 0, 0, 0) +
           P("<HHIIIHHIII", 0, 7, 4 + len(symbols), 0, len(lines), 1, 0, 0, 0, 0) + b"m\0m\0") * modules
    debug = P("<11H", *[0xFFFF] * 5, 5, *[0xFFFF] * 5)
    head = (P("<iIIHHHHHH", -1, 19990903, 1, 0xFFFF, 0x8E00, 0xFFFF, 0, 0xFFFF, 0) +
            P("<iiiiiIiiHHI", len(row), 0, 0, 0, 0, 0, len(debug), 0, 0, 0x8664, 0))
    sections = P("<8sIIIIIIHHI", b".text", CODE_SIZE, CODE, CODE_SIZE, 1024, 0, 0, 0, 0, 0x60000020)
    return container([b"", info, records(types), head + row + debug, records([]), sections, names,
                      P("<I", 4) + symbols + lines + P("<I", 0)])


def pointers(size):
    """A pointer to a pointer to a pointer, without hints where types stand; the last one is asked for."""
    count = size // 32
    types = [record(0x1002, P("<II", 0x74 if i == 0 else 0xFFF + i, 0x1000C)) for i in range(count)]
    return pdb(procedures(size // 128, 0x1000 + count - 1), types=types)


def arguments(size):
    """Functions of one type, whose 4,000 parameters are pointers."""
    types = [record(0x1201, P("<I", 4000) + P("<I", 0x674) * 4000), record(0x1008, P("<IBBHI", 3, 0, 0, 4000, 0x1000))]
    return pdb(procedures(size // 128, 0x1001), types=types)


def names(size):
    """Functions with a parameter of one type, whose name has 8,000 bytes."""
    return pdb(procedures(size // 64, 0x1002), types=[
        record(0x1505, P("<HHIIIH", 0, 0, 0, 0, 0, 0) + b"S" * 8000 + b"\0"), record(0x1201, P("<II", 1, 0x1000)),
        record(0x1008, P("<IBBHI", 3, 0, 0, 1, 0x1001))])


TABLE = {
    "mips": mips,
    "exports": lambda size: exports(min((size - 5000) // 10, 65000), b"?" + b"a" * 4000),
    "export-name": lambda size: exports(1, b"a" * size),
    "chains": chains,
    "pdb-calls": lambda size: pdb(inlined(size // 5), lines(size // 10)),
    "pdb-nested": lambda size: pdb(nested(size)),
    "pdb-lines": lambda size: pdb(procedures(size // 128), lines(size // 16)),
    "pdb-runs": lambda size: pdb(procedures(size // 128), lines(1) * (size // 80)),
    "pdb-modules": lambda size: pdb(procedures(size // 128), modules=size // 200),
    "pdb-types": pointers,
    "pdb-arguments": arguments,
    "pdb-names": names,
    "threads": threads,
    "small-threads": lambda size: crash(threads=size // 48 - 100, stack=RETURNS[:64]).bytes(),
    "modules": modules,
    "handles": shared_streams(12, bytes(40), lambda n: P("<IIII", 16, 40, n, 0)),
    "memory-lists": shared_streams(5, P("<QII", 0x10000, 64, 32), lambda n: P("<I", n)),
    "environments": shared_streams(0x47670007, b"A=b\0", lambda n: b""),
    "unknown": shared_streams(0x10000, b"unknown ", lambda n: b""),
    "comments": comments(10),
    "wide-comments": comments(11),
    "links": links,
    "annotations": annotations,
    "regions": regions,
    "heap": heap,
    "lines": symbols(["FUNC 1000 1000000 0 f"], lambda i: "%x 1 1 1" % (CODE + i)),
    "calls": symbols(["FUNC 1000 1000000 0 f"] + ["INLINE %d 1 1 0 1000 1000000" % i for i in range(250)],
                     lambda i: "%x 4 1 1" % (CODE + 4 * i)),
    "same-calls": symbols(["FUNC 1000 1000000 0 f"], lambda i: "INLINE %d 1 1 0" % i + " 1000 1000000" * 250),
    "blank": symbols([FRAMES_OF_16], lambda i: ""),
    "mangled": mangled,
    "long-calls": symbols(["INLINE_ORIGIN 1 " + "n" * 4096, "FUNC 1000 1000000 0 f"] +
                          ["INLINE %d 1 1 1 1000 1000000" % i for i in range(250)],
                          lambda i: "%x 10 1 1" % (CODE + 16 * i)),
    "long-name": symbols([FRAMES_OF_16, "FUNC 1000 1000000 0 " + "n" * 60000],
                         lambda i: "%x 10 1 1" % (CODE + 16 * i)),
    "frames-of-1": symbols(["STACK CFI INIT 1000 1000000 .cfa: $rsp 1 + .ra: 4198663"],
                           lambda i: "PUBLIC %x 0 p" % (CODE + i)),
    "frame-lines": symbols([FRAMES_OF_16, "FUNC 1000 1000000 0 f"], lambda i: "%x 10 1 1" % (CODE + 16 * i)),
    "deltas": symbols([FRAMES_OF_16], lambda i: "STACK CFI %x .cfa: $rsp 16 +" % (CODE + 16 * i + 1)),
    "rule-rows": symbols(["FUNC 1000 1000000 0 f", FRAMES_OF_16 + "".join(" r%d: 1" % i for i in range(126))],
                         lambda i: "STACK CFI %x .cfa: $rsp %d +" % (CODE + i + 1, 8 + i % 7)),
    "long-deltas": symbols([FRAMES_OF_16], lambda i: "STACK CFI %x " % (CODE + 1 + i) + " ".join(
        "r%d: %d" % (j, i) for j in range(120))),
    "nested-calls": symbols([FRAMES_OF_16, "FUNC 1000 1000000 0 f"] +
                            ["INLINE %d 1 1 0 1000 1000000" % i for i in range(250)],
                            lambda i: "%x 10 1 1" % (CODE + 16 * i)),
    "odd-words": symbols(["STACK CFI INIT 1000 1000000 .cfa: $rsp 11 + .ra: .cfa 8 - ^"],
                         lambda i: "PUBLIC %x 0 p" % (CODE + i)),
    "enclosing": symbols(["FUNC 1000 1000000 0 f"] + ["%x 1 1 1" % (CODE + i) for i in range(10000)],
                         lambda i: "FUNC %x 4 0 g" % (CODE + 16 * i)),
    "names": symbols([], lambda i: "FUNC %x 10 0 %s" % (CODE + 16 * i, doubled(14))),
    "decorated": symbols([], lambda i: "FUNC %x 10 0 %s" % (CODE + 16 * i, decorated(i))),
    "shared-name": shared_name(b"n" * 60000),
    "shared-mangled": shared_name(b"_Z1fIJ" + b"i" * 110 + b"EEv" + b"DpPT_" * 24),
    "shared-megabytes": shared_name(b"n" * 2000000),
    "shared-scope": shared_scope,
    "blocks": blocks,
    "variables": many_variables,
    "structures": structures,
    "arrays": lambda size: compound(size, b"\x08" + P("<I", TYPES), b"\x09" + P("<I", 0xFFFFFFFE)),
    "members": lambda size: compound(size, b"\5s\0\x08", (b"\6m\0" + P("<I", TYPES) + b"\0") * (size // 16)),
    "arrays-in-arrays": arrays_in_arrays,
    "functions-of-functions": functions_of_functions,
    "bases": lambda size: compound(size, b"\5s\0\x08", (b"\x0a" + P("<I", TYPES) + b"\0") * (size // 16)),
    "frame-base": lambda size: in_function(size, b"\x91\0", b"\x91\0"),
    "frame-base-loop": lambda size: in_function(size, b"\x91\0", skip(0)),
    "loops": lambda size: in_function(size, b"\x96" + skip(1)),
    "entry-loops": lambda size: in_function(size, b"\xa3\4\x96" + skip(1) + b"\x9f"),
    "flags": lambda size: flags(size // 4, size // 2),
    "few-flags": lambda size: flags(size, 1),
    "paths": paths,
    "split-self": split_self,
    "package": package,
    "compressed": lambda size: compressed(size, [".debug_" + name for name in (
        "info abbrev str line line_str str_offsets addr ranges rnglists types loc loclists").split()], 0),
    "wrong-sizes": lambda size: compressed(size // 2, [".debug_info"] * (size // 130), 1),
    "mini": mini,
    "code-calls": calls,
    "code-pushes": lambda size: code(b"\x53" * size),
    "common": lambda size: frames(b"\x90\1" * (size // 2), b""),
    "remembered": lambda size: frames(b"", b"\x0a" * size),
    "shared-rows": shared_rows,
    "long-rows": lambda size: elf([(".sframe", 0x6FFFFFF4, 2, CODE + CODE_SIZE, sframe(1, size // 6, CODE_SIZE))], 1),
    "many": lambda size: crash(threads=size // 50, identified=True).bytes(),
    "deep": lambda size: returns(size, 1000),
    "spread": lambda size: returns(size, size),
    "identified": lambda size: crash(identified=True).bytes(),
    "crash": lambda size: crash(stack=(RETURNS * (size // 8000 + 1))[:size // 8 * 8]).bytes(),
}
SHARED = {
    "abbrevs": units,
    "tables": lambda users, size: units(users, size, len(abbreviation(1, 0x11, 0))),
    "files": lambda users, size: line_program(users, size, 1),
    "rows": lambda users, size: line_program(users, 1, size),
    "ranges": ranges,
    "packed": packed,
    "frames": lambda users, size: frames(b"", b"\x41\x0e\x10\x41\x0e\x18" * (size // 2)),
    "sframe": sframe,
    "stacks": lambda users, size: crash(users, addresses(size)).bytes(),
}


def main():
    table = SHARED if len(sys.argv) == 5 else TABLE
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in table:
        sys.exit("usage: bombs.py NAME BYTES FILE, bombs.py NAME USERS SIZE FILE; names: " +
                 " ".join([*TABLE, *SHARED]))
    with open(sys.argv[-1], "wb") as file:
        file.write(table[sys.argv[1]](*map(int, sys.argv[2:-1])))


main()
