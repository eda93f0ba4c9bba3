# SPDX-License-Identifier: GPL-3.0-or-later
"""Pretty printers for gdb: text, places, registers, rules and rule sets of unspool.

    (gdb) source data/unspool-gdb.py
    (gdb) print *rules
    $1 = 2 rules of crash.sym:45:1 = {.cfa: $rsp 8 +, .ra: .cfa -8 + ^}
"""
import gdb
import gdb.printing

TEXT_MAX = 4096  # a damaged length must not read all of memory


def text_of(value):
    length = int(value["length"])
    if length == 0 or int(value["start"]) == 0:
        return ""
    read = gdb.selected_inferior().read_memory(int(value["start"]), min(length, TEXT_MAX))
    words = read.tobytes().decode("utf-8", "backslashreplace")
    return words if length <= TEXT_MAX else "%s... (%d bytes)" % (words, length)


def place_of(value):
    if int(value["input"]) == 0:
        return "no place"
    name = value["input"]["name"].string(errors="backslashreplace")
    name = name.replace("\\", "/").rpartition("/")[2]
    line, column = int(value["line"]), int(value["column"])
    if line == 0:
        return "%s+%#x" % (name, int(value["offset"]))
    return "%s:%d" % (name, line) + (":%d" % column if column else "")


def architecture():
    """The `struct arch` that the selected frame has in a variable, or None."""
    try:
        block = gdb.selected_frame().block()
    except (gdb.error, RuntimeError):
        return None
    while block is not None and block.function is None:
        block = block.superblock
    for symbol in block or ():
        kind = symbol.type.strip_typedefs()
        if kind.code == gdb.TYPE_CODE_PTR and kind.target().unqualified().tag == "arch":
            try:
                value = symbol.value(gdb.selected_frame()).dereference()
                value.fetch_lazy()
                return value
            except gdb.error:
                return None
    return None


class TextPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return '"%s"' % text_of(self.value)


class PlacePrinter(TextPrinter):
    def to_string(self):
        return place_of(self.value)


class RegistersPrinter(TextPrinter):
    """Known registers; those with `?` hold a stale value."""

    def to_string(self):
        arch = architecture()
        known, stale = int(self.value["known"]), int(self.value["stale"])
        values = []
        first, last = self.value["value"].type.range()
        for number in range(first, last + 1):
            if not (known | stale) >> number & 1:
                continue
            name = "r%d" % number
            if arch is not None and number < int(arch["register_count"]):
                name = arch["registers"][number]["label"].string()
            mark = "" if known >> number & 1 else "?"
            values.append("%s%s=%#x" % (name, mark, int(self.value["value"][number])))
        return "{%s}" % ", ".join(values)


def rule_of(value):
    program = value["program"]
    words = text_of(program["text"]) if int(program) else "no program"
    return "%s: %s" % (text_of(value["name"]), words)


class RulePrinter(TextPrinter):
    def to_string(self):
        return "%s (%s)" % (rule_of(self.value), place_of(self.value["record"]))


class RuleSetPrinter(TextPrinter):
    def to_string(self):
        if int(self.value["problem"]):
            return "unusable: %s" % self.value["problem"].string()
        count = int(self.value["count"])
        rules = [rule_of(self.value["rules"][i]) for i in range(count)]
        return "%d rules of %s = {%s}" % (count, place_of(self.value["record"]), ", ".join(rules))


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("unspool")
    for name, printer in (
        ("text", TextPrinter),
        ("place", PlacePrinter),
        ("registers", RegistersPrinter),
        ("rule", RulePrinter),
        ("rule_set", RuleSetPrinter),
    ):
        collection.add_printer(name, "^%s$" % name, printer)
    return collection


gdb.printing.register_pretty_printer(None, printers(), replace=True)
