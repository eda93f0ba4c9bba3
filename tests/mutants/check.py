# SPDX-License-Identifier: GPL-3.0-or-later
"""What mutants.t asks of `make mutants`: which changes it makes, and that its tables fit the tree."""

import fnmatch
import glob
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import mutate  # noqa: E402
import run  # noqa: E402
import tables  # noqa: E402

TEXT = r"""
/* if (no) < 3 */
#define HEAD(x) ((x) < 3)
static const int table[4] = { 7, 0x10 };
struct size { char text[32]; };

static int
f(struct size *size, int *list, int n)
{
	char buffer[64];
	char *made = malloc(n + 8);
	struct error error = { 0 };
	int both = call(n, list[1]), more[16];
	const char *name = "a < b && c";

	if (n < 2 && size != NULL)
		return n + 1;
	for (int i = 0; i < ARRAY_COUNT(table); i++)
		call(list, table);
	for (int i = 0; i < n; i++) {
		list[i] = '"' == name[i];
		call(list, buffer);
		release_all(list);
	}
	while (!done(n))
		n -= 1;
	assert(n > 5);
	return n > 3 ? call(list, name) : 0;
}

static int
compare(const void *x, const void *y)
{
	return x < y ? -1 : 1;
}

static unsigned
hash_of(const char *text)
{
	return *text * 33;
}
"""
MADE = """
if (n <= 2 && size != NULL)
if (n >= 2 && size != NULL)
if (n < 2 || size != NULL)
if (n < 2 && size == NULL)
if (!(n < 2 && size != NULL))
if (n < 3 && size != NULL)
if (n < 1 && size != NULL)
return n - 1;
return 0;
return n + 2;
for (int i = 0; i <= n; i++) {
for (int i = 1; i < n; i++) {
for (int i = 0; i >= ARRAY_COUNT(table); i++)
;
while (done(n))
while (!(!done(n)))
n += 1;
list[i] = '"' != name[i];
list[i] = ('"' + 1) == name[i];
return !(n > 3) ? call(list, name) : 0;
return n > 3 ? call(list, name) : 1;
static const int table[4] = { 8, 0x10 };
static const int table[4] = { 7, 0xf };
return x < y ? -1 : 0;
"""
NOT_MADE = ("HEAD", "[65]", "[5]", "[17]", "[33]", "a <= b", "assert", "release_all", "<= ARRAY_COUNT", "while (n", "9", "34", ": 2", "-2", "{ 1 }")

count = 0


def ok(good, title):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, title))


source = mutate.Source("a.c", TEXT)
mutants = [mutant for _, mutant in source.mutants()]
made = {mutant.after for mutant in mutants}
for after in MADE.strip().split("\n"):
    ok(after in made, "made: " + after)
for part in NOT_MADE:
    ok(not any(part in mutant.after and part not in TEXT or part in mutant.before and part in (
        "HEAD", "assert", "release_all") for mutant in mutants), "no change makes or meets " + part)
ok(all(mutant.apply(TEXT).count("\n") == TEXT.count("\n") for mutant in mutants), "lines keep their numbers")
ok(all(TEXT.split("\n")[mutant.line - 1].strip() and mutant.before.startswith(
    TEXT.split("\n")[mutant.line - 1].split()[0]) for mutant in mutants), "a change is at its line")
names = [name for name, _ in source.mutants()]
ok(len(set(names)) == len(names), "names tell changes apart")
moved = [name for name, _ in mutate.Source("a.c", "int before;\n\n" + TEXT).mutants()]
ok(moved == names, "and stay where lines move")



class OneFile(run.Tree):
    """A tree of one source, to be compiled in a folder."""

    def __init__(self, folder):
        self.top = self.tree = self.build = folder
        self.commands = {"a.c": os.environ.get("CC", "cc") + " -c a.c"}

    def same(self, text, other):
        made = os.path.join(self.top, "made.o")
        return self.compile("a.c", other, made) and self.same_code("a.c", text, made)


with tempfile.TemporaryDirectory() as folder:
    tree = OneFile(folder)
    ok(tree.same("int a = 1;\n", "int a = 0 + 1;\n"), "a change that makes the same code is told")
    ok(not tree.same("int a = 1;\n", "int a = 2;\n"), "from one that makes another")
    ok(not tree.compile("a.c", "int a = b;\n", os.devnull), "and from one that is not compiled")

top = sys.argv[1]
rooms = tables.read_rooms(os.path.join(top, "tests/mutants/rooms"))
listed = open(os.path.join(top, "tests/tests.am")).read().split()
for room in rooms.values():
    ok(all(glob.glob(os.path.join(top, pattern)) for pattern in room.sources), "room %s has sources" % room.name)
    ok(all(fnmatch.filter(listed, pattern) for pattern in room.tests), "and tests")
for path, before, after in sorted(tables.read_equivalent(os.path.join(top, "tests/mutants/equivalent"))):
    text = open(os.path.join(top, path)).read()
    ok(any((mutant.before, mutant.after) == (before, after) for _, mutant in mutate.Source(path, text).mutants()),
       "%s still has: %s" % (path, before))

# An object was compiled from a file that changed meanwhile: the file must have the time of the compiled copy.
with tempfile.TemporaryDirectory() as folder:
    source, kept, copied = (os.path.join(folder, name) for name in ("a.c", "same.c", "build/mutants/tree/a.c"))
    tree = run.Tree(folder, os.path.join(folder, "build"))
    for path, text in ((source, "old"), (kept, "same")):
        open(path, "w").write(text)
        os.utime(path, (1000, 1000))
    tree.copy()
    ok(os.stat(copied).st_mtime == 1000, "a copy has its file's time")
    open(source, "w").write("new")
    os.utime(source, (2000, 2000))
    tree.copy()
    ok(open(copied).read() == "new", "what has changed is copied again")
    ok(os.stat(copied).st_mtime > os.stat(source).st_mtime + 1000, "and is compiled again")
    ok(os.stat(os.path.join(tree.tree, "same.c")).st_mtime == 1000, "what has not is not")
print("1..%d" % count)
