# SPDX-License-Identifier: GPL-3.0-or-later
"""Small wrong changes of C source: where one can be made, and what each looks like.

Only tokens are read, no syntax tree: a change that does not compile is not counted by run.py, so a
site too many costs a moment. What no test can notice is left out here: assertions, sizes of local
arrays and of allocated memory (too little is for the runs with sanitizers, as is a loop that goes on to
the element after a table), the first value of an error (a call that fails sets it), calls that release
memory (those are for the runs with leak checks), a comparison's 2 for 1, whose sign counts, and the
constants of hashes, which cost time only.
"""

import bisect
import hashlib
import re

TOKEN = re.compile(r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<directive>(?m:^)[ \t]*\#(?:[^\n\\]|\\.)*)
    |(?P<text>L?"(?:[^"\\]|\\.)*")
    |(?P<char>L?'(?:[^'\\]|\\.)*')
    |(?P<number>\.?\d(?:[\w.]|(?<=[eEpP])[+-])*)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""", re.S | re.X)
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")

TYPES = set("""struct union enum const static volatile unsigned signed char short int long float double
    bool void size_t ssize_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t""".split())
ALLOCATES = re.compile(r"^(malloc|calloc|realloc|arena_alloc|arena_array|arena_grow)$")
COMPARES = re.compile(r"\(const void \*\w+, const void \*\w+\)")
HASHES = re.compile(r"(^|_)(hash|mix)(_|$)")
KEYWORDS = set("if else for while do switch case default return goto break continue sizeof".split())
ASSIGNMENTS = set("= += -= *= /= %= &= |= ^= <<= >>=".split())
RELEASES = re.compile(r"(^|_)(free|regfree|globfree|destroy|release|close|fini|clear|reset|unmap|unlock|assert)(_|$)|^_Static_assert$")
SWAPS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",), "<<": (">>",), ">>": ("<<",), "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",),
}
BINARY = {"+": "-", "-": "+", "&": "|", "|": "&"}


class Token:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)


class Mutant:
    """One change: source[start:end] becomes `new`, in code or in a table. `before` and `after` are its lines,
    blanks folded."""

    def __init__(self, source, start, end, new):
        self.path, self.start, self.end, self.new = source.path, start, end, new
        # Lines keep their numbers.
        self.new += "\n" * (source.text.count("\n", start, end) - new.count("\n"))
        self.code = True
        self.line = bisect.bisect_right(source.lines, start)
        first, last = source.lines[self.line - 1], source.text.find("\n", end)
        self.before = " ".join(source.text[first:last].split())
        self.after = " ".join((source.text[first:start] + new + source.text[end:last]).split())

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]

    def name(self, nth):
        """A name that stays as long as the lines do, wherever they move in their file."""
        said = "\n".join((self.path, self.before, self.after, str(nth)))
        return hashlib.sha1(said.encode()).hexdigest()[:10]


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.tokens = [Token(match.lastgroup, match.group(), match.start()) for match in TOKEN.finditer(text)
                       if match.lastgroup not in ("space", "directive")]
        self.pair = self.pairs()

    def pairs(self):
        pair, open_ones = {}, []
        for at, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in "([{":
                open_ones.append(at)
            elif token.text in ")]}" and open_ones:
                pair[at] = open_ones.pop()
                pair[pair[at]] = at
        return pair

    def text_at(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def bodies(self):
        """Ranges of tokens in braces at file scope: (first, last, whether it is a function)."""
        at = 0
        while at < len(self.tokens):
            if self.tokens[at].text == "{" and at in self.pair:
                before = self.text_at(at - 1)
                if before in (")", "="):
                    yield at + 1, self.pair[at], before == ")"
                at = self.pair[at]
            at += 1

    def mutants(self):
        """All changes of the file as (name, Mutant), in its order."""
        found, seen = [], {}
        for first, last, function in self.bodies():
            quiet, head = self.quiet(first, last), self.head(first)
            if HASHES.search(head.split("(")[0].strip()):
                quiet.update(at for at in range(first, last) if self.tokens[at].kind == "number")
            for at in range(first, last):
                if at not in quiet:
                    for mutant in self.constants(at):
                        mutant.code = function
                        if not (COMPARES.search(head) and (self.text_at(at), mutant.new) == ("1", "2")):
                            found.append(mutant)
                    found += self.operators(at) if function else []
            found += self.statements(first, last) if function else []
        for mutant in found:
            if mutant.before == mutant.after:
                continue
            key = (mutant.before, mutant.after)
            seen[key] = seen.get(key, 0) + 1
            yield mutant.name(seen[key]), mutant

    def head(self, first):
        """What stands before the body that begins here: "compare(const void *a, const void *b)"."""
        close = first - 2
        if self.text_at(close) != ")" or close not in self.pair:
            return ""
        return self.text[self.tokens[max(self.pair[close] - 1, 0)].start:self.tokens[close].end]

    def change(self, first, last, new):
        return Mutant(self, self.tokens[first].start, self.tokens[last].end, new)

    def quiet(self, first, last):
        """Tokens of assertions, of sizeof, and of the sizes of arrays that are declared and of allocations."""
        quiet = set()
        for at in range(first, last):
            token = self.tokens[at]
            if token.kind == "word" and self.text_at(at + 1) == "(" and at + 1 in self.pair and (
                    RELEASES.search(token.text) or ALLOCATES.search(token.text) or token.text == "sizeof"):
                quiet.update(range(at, self.pair[at + 1] + 1))
            if token.text in TYPES and self.text_at(at - 1) in (";", "{", "}", "("):
                end = at
                ends = (";",) if self.text_at(at + 1) == "error" else (";", "=", ")", "{")
                while end < last and self.text_at(end) not in ends:
                    quiet.add(end)
                    end += 1
                while end < last and self.text_at(end) not in (";", ")", "{"):
                    end = self.pair.get(end, end) if self.text_at(end) in ("(", "[") else end
                    end += 1
                    if self.text_at(end - 1) == "," and self.text_at(end + 1) == "[":
                        quiet.update(range(end, self.pair[end + 1]))
        return quiet

    def constants(self, at):
        token = self.tokens[at]
        if token.kind == "char":
            yield self.change(at, at, "(%s + 1)" % token.text)
        if token.kind == "word" and token.text in ("true", "false"):
            yield self.change(at, at, "false" if token.text == "true" else "true")
        match = INTEGER.match(token.text) if token.kind == "number" else None
        if match:
            octal = re.match(r"0\d", match[1])
            value = int(match[1], 8 if octal else 0)
            form = "%#x" if match[1][:2] in ("0x", "0X") else "0%o" if octal else "%d"
            for other in (value + 1, value - 1):
                if other >= 0:
                    yield self.change(at, at, form % other + match[2])

    def operators(self, at):
        token, before = self.tokens[at], self.tokens[at - 1]
        if token.kind != "sign":
            return
        for other in SWAPS.get(token.text, ()):
            if (token.text, other, self.text_at(at + 1)) != ("<", "<=", "ARRAY_COUNT"):
                yield self.change(at, at, other)
        operand = before.kind in ("number", "char") or before.text in (")", "]") or (
            before.kind == "word" and before.text not in KEYWORDS)
        if token.text in BINARY and operand and not self.cast(at - 1):
            yield self.change(at, at, BINARY[token.text])
        if token.text == "!":
            yield self.change(at, at, "")
        if token.text == "?":
            yield self.condition(at)

    def cast(self, at):
        """Whether the parenthesis that ends here is a cast, before a sign that is unary then."""
        return self.text_at(at) == ")" and at in self.pair and self.text_at(self.pair[at] + 1) in TYPES

    def condition(self, at):
        first = at
        while self.text_at(first - 1) not in ("return", "(", ",", ";", "{", "}", ":", "?", "[", "") and \
                self.text_at(first - 1) not in ASSIGNMENTS:
            first -= 1
            first = self.pair.get(first, first) if self.text_at(first) in (")", "]", "}") else first
        first = min(first, at - 1)
        written = self.text[self.tokens[first].start:self.tokens[at - 1].end]
        return self.change(first, at - 1, "!(%s)" % written)

    def statements(self, first, last):
        heads, inside = set(), set()
        for at in range(first, last):
            word = self.text_at(at)
            if word in ("if", "while", "for", "switch") and at + 1 in self.pair:
                heads.add(self.pair[at + 1])
                inside.update(range(at + 1, self.pair[at + 1] + 1))
                if word in ("if", "while"):
                    close = self.pair[at + 1]
                    written = self.text[self.tokens[at + 2].start:self.tokens[close - 1].end]
                    yield self.change(at + 2, close - 1, "!(%s)" % written)
        for at in range(first, last):
            if at not in inside and (at - 1 in heads or self.text_at(at - 1) in (";", "{", "}", "else", "do", ":")):
                yield from self.statement(at, last)

    def statement(self, first, last):
        end = first
        while end < last and self.text_at(end) != ";":
            if self.text_at(end) == "{":
                return
            end = self.pair[end] + 1 if self.text_at(end) in ("(", "[") and end in self.pair else end + 1
        if end >= last or end == first:
            return
        word = self.text_at(first)
        if word == "return":
            if end > first + 1 and self.text_at(first + 1) not in ("0", "NULL", "false", "true"):
                yield self.change(first + 1, end - 1, "0")
        elif word in ("break", "continue"):
            yield self.change(first, end, ";")
        elif self.tokens[first].kind == "word" and word not in KEYWORDS and word not in TYPES \
                or word in ("*", "(", "++", "--"):
            if self.removable(first, end):
                yield self.change(first, end, ";")

    def removable(self, first, end):
        """Whether the statement is a call, an assignment or a count, and no declaration."""
        if RELEASES.search(self.text_at(first)):
            return False
        if self.tokens[first].kind == "word" and (self.tokens[first + 1].kind == "word" or self.text_at(first + 1) == "*"):
            return False
        inner = range(first, end)
        assigned = any(self.text_at(at) in ASSIGNMENTS for at in inner)
        counted = any(self.text_at(at) in ("++", "--") for at in inner)
        return assigned or counted or self.text_at(end - 1) == ")"
