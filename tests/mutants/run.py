#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes the sources of a room in small wrong ways, one at a time, and counts how many its tests notice.

	make mutants ROOM=walk MUTANTS=200 SEED=1

	ROOM	a room of tests/mutants/rooms, or several
	MUTANTS	how many changes are counted (60)
	SEED	which (1): a change's place in the order depends on the seed and on its own lines only
	QUICK	1: only the unit tests are run
	MUTANT	the name of one: it alone is made, all tests run, and what notices it is listed

The tree is copied to mutants/ of the build folder and built there without optimization; a mutant is one
object compiled and one library linked. Tests run in the order of their speed and of what they noticed
before, until one fails. A test that does not end counts as one that failed. Not counted is a change that
does not compile, that leaves the object code as it is (also with optimization), or that
tests/mutants/equivalent lists with the reason. What was killed stays killed when the command is
repeated; survivors are tried again when a test has changed.
"""

import fnmatch
import glob
import hashlib
import json
import os
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import mutate  # noqa: E402
import tables  # noqa: E402

KILLED, SURVIVED, BROKEN, SAME, LISTED = "killed", "survived", "does not compile", "same code", "equivalent"
MEMORY, FILE_SIZE = 4 << 30, 4 << 30
FLAGS = "-O0 -g0 -fPIC"
# A number for a pointer compiles, and is never what a slip of the hand makes.
STRICT = ["-Werror=int-conversion", "-Werror=incompatible-pointer-types"]


def fail(text):
    sys.exit("mutants: " + text)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def must(command, what, **more):
    done = run(command, **more)
    if done.returncode != 0:
        fail("%s failed:\n%s" % (what, done.stdout[-3000:]))
    return done.stdout


class Tree:
    """The copy of the tree and its build."""

    def __init__(self, source, build):
        self.source, self.build_of_user = os.path.abspath(source), os.path.abspath(build)
        self.top = os.path.join(self.build_of_user, "mutants")
        self.tree, self.build = os.path.join(self.top, "tree"), os.path.join(self.top, "build")
        self.library = os.path.join(self.top, "libmutant.so")
        self.make = [os.environ.get("MAKE", "make"), "-s", "-C", self.build]
        self.cc = os.environ.get("CC", "cc")
        os.makedirs(self.top, exist_ok=True)
        for name in glob.glob(os.path.join(self.top, "base-*.o")):
            os.unlink(name)

    def copy(self):
        """Bring the copy up to date. Files that are gone go."""
        kept = set()
        for folder, folders, files in os.walk(self.source):
            inner = os.path.relpath(folder, self.source)
            folders[:] = [name for name in folders if name not in (".git", "autom4te.cache") and
                          not os.path.exists(os.path.join(folder, name, "config.status")) and
                          os.path.join(folder, name) != self.top]
            os.makedirs(os.path.join(self.tree, inner), exist_ok=True)
            for name in files:
                if name.endswith((".o", ".a", ".log", ".trs")) or inner == "." and name in (
                        "config.status", "Makefile", "config.h", "stamp-h1"):
                    continue
                old, new = os.path.join(folder, name), os.path.join(self.tree, inner, name)
                kept.add(os.path.normpath(new))
                if not os.path.exists(new) or os.stat(old).st_mtime_ns != os.stat(new).st_mtime_ns:
                    shutil.copy2(old, new)
        for folder, _, files in os.walk(self.tree):
            for name in files:
                if os.path.normpath(os.path.join(folder, name)) not in kept:
                    os.unlink(os.path.join(folder, name))

    def configure(self):
        os.makedirs(self.build, exist_ok=True)
        if not os.path.exists(os.path.join(self.build, "Makefile")):
            given = shlex.split(must([os.path.join(self.build_of_user, "config.status"), "--config"], "config.status"))
            given = [word for word in given if not word.startswith(("CFLAGS=", "--enable-san", "--enable-cov"))]
            must([os.path.join(self.tree, "configure"), *given, "--disable-hardening", "CFLAGS=" + FLAGS],
                 "configure", cwd=self.build)

    def value(self, names):
        text = "show: ; @echo " + " ".join("$(%s)" % name for name in names)
        return shlex.split(must([*self.make, "--eval=" + text, "show"], "make"))

    def make_all(self, programs):
        """The objects, and programs linked to the library that a mutant is in."""
        must([*self.make, "libunspool.a", "libunspoolui.a", "libtests.a", "compile_commands.json"], "make")
        self.objects = self.value(["libunspool_a_OBJECTS"])
        self.wrap = self.value(["UNSPOOL_WRAP_LINK"])
        self.commands = {os.path.relpath(row["file"], self.tree): row["command"] for row in json.load(
            open(os.path.join(self.build, "compile_commands.json")))}
        self.link(None, None)
        linked = ["%s=%s" % (name, " ".join(self.library if word == "libunspool.a" else word
                                            for word in self.value([name])))
                  for name in ("LDADD", "unspool_LDADD")]
        must([*self.make, "LDFLAGS=-Wl,-rpath," + self.top, *linked, *programs], "make")

    def compile(self, path, text, out, more=()):
        """Compile `text` as the file at `path`; false if the compiler refuses it."""
        command = shlex.split(self.commands[path])[:-2]
        with tempfile.NamedTemporaryFile("w", suffix=".c", dir=self.top) as file:
            file.write('# 1 "%s"\n%s' % (path, text))
            file.flush()
            done = run([*command, *STRICT, *more, "-iquote", os.path.join(self.tree, os.path.dirname(path)),
                        "-c", file.name, "-o", out], cwd=self.build)
        return done.returncode == 0

    def same_code(self, path, text, mutated, more=()):
        """Whether both texts compile to the same bytes."""
        digest = hashlib.sha1((path + text + str(more)).encode()).hexdigest()
        base = os.path.join(self.top, "base-%s.o" % digest[:16])
        if not os.path.exists(base):
            self.compile(path, text, base, more)
        return open(base, "rb").read() == open(mutated, "rb").read()

    def link(self, replaced, object_file):
        objects = [object_file if name == replaced else name for name in self.objects]
        new = self.library + ".new"
        fast = ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
        must([*shlex.split(self.cc), "-shared", *fast, "-o", new, "-Wl,-soname,libmutant.so", *self.wrap,
              *objects],
             "linking", cwd=self.build)
        os.rename(new, self.library)


def limits(processor):
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Tests:
    """The tests of a room, with how long each takes and how often it noticed something."""

    def __init__(self, tree, names):
        self.tree, self.names = tree, names
        environment = dict(os.environ)
        for name in ("UNSPOOL_CORPUS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
            environment.pop(name, None)
        shown = must([*tree.make, "--eval=show: ; @$(AM_TESTS_ENVIRONMENT) env -0", "show"], "make", env=environment)
        self.environment = dict(entry.split("=", 1) for entry in shown.split("\0") if "=" in entry)
        self.environment["UNSPOOL_CORPUS"] = ""
        self.seconds, self.kills = {}, dict.fromkeys(names, 0)

    def measure(self):
        """Time of the processor, so that a busy machine changes nothing."""
        for name in list(self.names):
            start = os.times()
            if not self.passes(name, 100):
                print("mutants: %s fails without a change and is left out" % name, flush=True)
                self.names.remove(name)
            end = os.times()
            self.seconds[name] = end.children_user + end.children_system - \
                start.children_user - start.children_system

    def order(self):
        return sorted(self.names, key=lambda name: self.seconds[name] / (self.kills[name] + 0.3))

    def limit(self, name):
        return 2 + 5 * self.seconds[name]

    def passes(self, name, seconds):
        """Run a test until its first 'not ok', for some seconds of the processor or ten times that."""
        path = os.path.join(self.tree.tree if name.endswith(".t") else self.tree.build, name)
        child = subprocess.Popen([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 cwd=self.tree.build, env=self.environment,
                                 preexec_fn=lambda: limits(int(seconds) + 1))
        try:
            return self.read(child, time.monotonic() + 10 * seconds)
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
            child.stdout.close()

    @staticmethod
    def read(child, end):
        text, count, plan = b"", 0, None
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    return False
                part = os.read(child.stdout.fileno(), 65536)
                *lines, text = (text + part).split(b"\n")
                for line in lines:
                    if line.startswith(b"not ok"):
                        return False
                    count += line.startswith((b"ok", b"not ok"))
                    plan = int(line[3:].split()[0]) if line.startswith(b"1..") else plan
                if not part:
                    break
        try:
            return child.wait(max(0.1, end - time.monotonic())) == 0 and plan == count
        except subprocess.TimeoutExpired:
            return False

    def killer(self):
        """The first test that fails, or None."""
        for name in self.order():
            if not self.passes(name, self.limit(name)):
                self.kills[name] += 1
                return name
        return None

    def digest(self):
        digest = hashlib.sha1()
        for name in sorted(self.names):
            path = os.path.join(self.tree.tree, name)
            digest.update(open(path if name.endswith(".t") else path + ".c", "rb").read())
        return digest.hexdigest()


class Results:
    """What became of each mutant, kept for the next time."""

    def __init__(self, path):
        self.path = path
        self.rows = json.load(open(path)) if os.path.exists(path) else {}

    def keep(self, name, row):
        self.rows[name] = row
        with open(self.path + ".new", "w") as file:
            json.dump(self.rows, file, indent=0)
        os.rename(self.path + ".new", self.path)


class Campaign:
    def __init__(self, tree, room, tests):
        self.tree, self.room, self.tests = tree, room, tests
        self.equivalent = tables.read_equivalent(os.path.join(tree.tree, "tests/mutants/equivalent"))
        self.results = Results(os.path.join(tree.top, "results-%s.json" % room.name))
        self.texts, self.mutants = {}, {}
        for pattern in room.sources:
            for path in sorted(glob.glob(os.path.join(tree.tree, pattern))):
                path = os.path.relpath(path, tree.tree)
                self.texts[path] = open(os.path.join(tree.tree, path)).read()
                self.mutants.update(mutate.Source(path, self.texts[path]).mutants())

    def drawn(self, seed):
        """Names of mutants in the order in which the seed has them."""
        return sorted(self.mutants, key=lambda name: hashlib.sha1(("%s %s" % (seed, name)).encode()).digest())

    def try_one(self, mutant, judge):
        """What becomes of a mutant: (what, result of the judge)."""
        if (mutant.path, mutant.before, mutant.after) in self.equivalent:
            return LISTED, None
        text = self.texts[mutant.path]
        mutated, new = mutant.apply(text), os.path.join(self.tree.top, "mutant.o")
        if not self.tree.compile(mutant.path, mutated, new):
            return BROKEN, None
        if self.tree.same_code(mutant.path, text, new):
            return SAME, None
        self.tree.link(mutant.path[:-1] + "o", new)
        found = judge()
        if not found and self.tree.compile(mutant.path, mutated, new, ("-O2",)) and \
                self.tree.same_code(mutant.path, text, new, ("-O2",)):
            return SAME, None
        return KILLED if found else SURVIVED, found

    def run(self, count, seed):
        digest, counted, killed, start = self.tests.digest(), 0, 0, time.monotonic()
        survivors, others = [], {}
        for name in self.drawn(seed):
            if counted == count:
                break
            mutant, row = self.mutants[name], self.results.rows.get(name)
            if row and row["what"] == KILLED and row["test"] in self.tests.kills:
                self.tests.kills[row["test"]] += 1
            listed = (mutant.path, mutant.before, mutant.after) in self.equivalent
            if not row or listed or row["what"] == LISTED or (
                    row["what"] == SURVIVED and row["digest"] != digest):
                begun = time.monotonic()
                what, test = self.try_one(mutant, self.tests.killer)
                row = {"what": what, "test": test, "digest": digest, "seconds": time.monotonic() - begun}
                self.results.keep(name, row)
                print("%3d %s %s:%d %s %.1f s%s" % (counted + 1, name, mutant.path, mutant.line, what, row["seconds"],
                                                  " " + test if test else ""), flush=True)
            if row["what"] in (KILLED, SURVIVED):
                counted += 1
                killed += row["what"] == KILLED
            else:
                others[row["what"]] = others.get(row["what"], 0) + 1
            if row["what"] == SURVIVED:
                survivors.append((name, mutant))
        self.report(survivors, counted, killed, others, seed, time.monotonic() - start)

    def report(self, survivors, counted, killed, others, seed, seconds):
        for name, mutant in survivors:
            print("\n%s:%d survived\n- %s\n+ %s\n\tmake mutants ROOM=%s MUTANT=%s" % (
                mutant.path, mutant.line, mutant.before, mutant.after, self.room.name, name))
        print("\n%s: %d of %d killed, %.1f %%, seed %s; not counted: %s; %.0f s" % (
            self.room.name, killed, counted, 100 * killed / max(counted, 1), seed,
            ", ".join("%d %s" % (number, what) for what, number in sorted(others.items())) or "none", seconds),
            flush=True)

    def show(self, name):
        """All about one mutant."""
        mutant = self.mutants.get(name) or fail("no mutant %s in room %s" % (name, self.room.name))
        print("%s:%d\n- %s\n+ %s" % (mutant.path, mutant.line, mutant.before, mutant.after), flush=True)
        what, failed = self.try_one(mutant, lambda: [
            test for test in self.tests.order() if not self.tests.passes(test, self.tests.limit(test))])
        print("%s%s" % (what, "" if not failed else ": " + " ".join(failed)))


def main():
    source, build = os.environ.get("srcdir", "."), os.environ.get("builddir", "build")
    rooms = tables.read_rooms(os.path.join(source, "tests/mutants/rooms"))
    wanted = os.environ.get("ROOM", "").replace(",", " ").split() or sorted(rooms)
    for name in wanted:
        if name not in rooms:
            fail("no room '%s'; there are %s" % (name, ", ".join(sorted(rooms))))
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        os.environ.pop(name, None)
    tree = Tree(source, build)
    tree.copy()
    tree.configure()
    known = tree.value(["TESTS"])
    for name in wanted:
        room = rooms[name]
        chosen = [test for test in known if any(fnmatch.fnmatch(test, pattern) for pattern in room.tests)]
        if os.environ.get("QUICK"):
            chosen = [test for test in chosen if not test.endswith(".t")]
        programs = [test for test in chosen if not test.endswith(".t")]
        if len(programs) < len(chosen):
            programs += ["unspool", *tree.value(["check_PROGRAMS"])]
        tree.make_all(list(dict.fromkeys(programs)))
        tests = Tests(tree, chosen)
        tests.measure()
        campaign = Campaign(tree, room, tests)
        try:
            if os.environ.get("MUTANT"):
                campaign.show(os.environ["MUTANT"])
            else:
                campaign.run(int(os.environ.get("MUTANTS") or 60), os.environ.get("SEED") or "1")
        finally:
            tree.link(None, None)


main()
