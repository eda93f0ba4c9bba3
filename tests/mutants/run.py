#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes the sources of a room in small wrong ways, one at a time, and counts how many its tests notice.

	make mutants ROOM=walk MUTANTS=200 SEED=1

	ROOM	a room of tests/mutants/rooms, or several
	MUTANTS	how many changes are counted (60)
	SEED	which (1): a change's place in the order depends on the seed and on its own lines only
	QUICK	1: only the unit tests are run
	JOBS	mutants at a time (one for each processor)
	MUTANT	the name of one: it alone is made, all tests run, and what notices it is listed
	AGAINST	the source tree of another commit: only changes are made that can be made there, too. There the
		same seed makes the same changes, so the scores of two commits can be compared.

The tree is copied to mutants/ of the build folder and built there with -O1; a mutant is one
object, compiled and linked as a library that stands before that of all others, for each job in a folder of
its own. Each file of tests/scenes counts as a test. Of the tests that run the changed line (gcov says which;
without gcov of all tests) first those run that are fast and noticed much before, until one fails; a line that
no test runs makes a survivor at once. A test that does not end counts as one that failed. Not counted is a
change that does not compile, that leaves the object code as it is (also with optimization), or that
tests/mutants/equivalent lists with the reason. What was killed stays killed when the command is repeated;
survivors are tried again by tests that have changed.
"""

import bisect
import filecmp
import fnmatch
import glob
import hashlib
import json
import math
import multiprocessing
import os
import re
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
MEMORY, FILE_SIZE = 2 << 30, 4 << 30
# This program plays the files of this folder, each a test of its own.
PLAYER, SCENES = "tests/unit/cmd/t-scenes", "tests/scenes"
FLAGS = "-O1 -g0 -fPIC"
# In the order in which programs name them.
ARCHIVES = ("libunspoolcmd", "libunspoolui", "libunspool")
# A number in place of a pointer compiles, but is not a realistic mistake.
STRICT = ["-Werror=int-conversion", "-Werror=incompatible-pointer-types"]
# Lines that were run are written when a program ends, also by _exit() or a signal that it raises: for that it enters
# no sandbox.
OPEN = """#include <stdbool.h>
#include <sys/syscall.h>
long syscall(long number, ...); void __gcov_dump(void); void _exit(int status); int raise(int signal);
bool sandbox_enter(void); bool sandbox_enter(void) { return true; }
void _exit(int status) { __gcov_dump(); for (;;) syscall(SYS_exit_group, status); }
int raise(int signal) { __gcov_dump(); return (int)syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal); }
"""


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
        self.jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
        self.make = [os.environ.get("MAKE", "make"), "-s", "-j%d" % self.jobs, "-C", self.build]
        self.cc = os.environ.get("CC", "cc")
        os.makedirs(self.top, exist_ok=True)
        for name in glob.glob(os.path.join(self.top, "base-*.o")):
            os.unlink(name)
        for name in glob.glob(os.path.join(self.top, "job-*")):
            shutil.rmtree(name)

    def copy(self):
        """
        Bring the copy up to date. Files that are gone go. A file that has changed gets the time of now: its own
        may be before that of the object that an earlier copy was compiled to, which make would keep then.
        """
        kept, now = set(), time.time_ns()
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
                if not os.path.exists(new):
                    shutil.copy2(old, new)
                elif not filecmp.cmp(old, new, shallow=False):
                    shutil.copy(old, new)
                    os.utime(new, ns=(now, now))
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
        # The messages of make about its own file would be read as values.
        must([*self.make, "Makefile"], "make")

    def values(self, names):
        """The words of each of these variables of make."""
        text = "show: ; " + " ".join("$(info $(%s))" % name for name in names)
        lines = must([*self.make, "--eval=" + text, "show"], "make").split("\n")
        return [shlex.split(line) for line in lines[:len(names)]]

    def value(self, name):
        return self.values([name])[0]

    def make_all(self, programs):
        """The objects, and programs linked to the library that a mutant is in."""
        must([*self.make, *(name + ".a" for name in ARCHIVES), "libtests.a", "compile_commands.json"], "make")
        self.wrap = self.value("UNSPOOL_WRAP_LINK")
        self.commands = {os.path.relpath(row["file"], self.tree): row["command"] for row in json.load(
            open(os.path.join(self.build, "compile_commands.json")))}
        mutant, libraries = os.path.join(self.top, "libmutant.so"), {}
        for name in ARCHIVES:
            libraries[name + ".a"] = [mutant, os.path.join(self.top, name + ".so")]
            objects = [os.path.join(self.build, file) for file in self.value(name + "_a_OBJECTS")]
            # The explorer's library names its own libraries: unit tests link none of them.
            self.link(self.top, name + ".so", objects, libraries=self.value("READLINE_LIBS") + self.value(
                "CURSES_LIBS") if name == "libunspoolui" else ())
        self.link(self.top, "libmutant.so", [])
        written = open(os.path.join(self.build, "Makefile")).read()
        names = re.findall(r"^(\w*LDADD) =", written, re.M)
        linked = ["%s=%s" % (name, " ".join(one for word in words for one in libraries.get(word, [word])))
                  for name, words in zip(names, self.values(names))]
        # A library of objects takes what it needs of libiberty from the program, which must not hide it.
        linked.append("UNSPOOL_WRAP_LINK=" + " ".join(word for word in self.wrap if "--exclude-libs" not in word))
        # A job's own library is found by LD_LIBRARY_PATH, which comes before RUNPATH.
        must([*self.make, "LDFLAGS=-Wl,--no-as-needed,--enable-new-dtags,-rpath," + self.top, *linked, *programs], "make")

    def compile(self, path, text, out, more=()):
        """Compile `text` as the file at `path`; false if the compiler refuses it."""
        command = [word for word in shlex.split(self.commands[path])[:-2] if os.path.basename(word) != "ccache"]
        with tempfile.TemporaryDirectory(dir=self.top) as folder:
            # An object has the base name of its source, so same_code needs the same name for both.
            source = os.path.join(folder, os.path.basename(path))
            with open(source, "w") as file:
                file.write('# 1 "%s"\n%s' % (path, text))
            done = run([*command, *STRICT, *more, "-c", source, "-o", out], cwd=self.build)
        return done.returncode == 0

    def same_code(self, path, text, mutated, more=()):
        """Whether both texts compile to the same bytes."""
        digest = hashlib.sha1((path + text + str(more)).encode()).hexdigest()
        base = os.path.join(self.top, "base-%s.o" % digest[:16])
        if not os.path.exists(base):
            own = "%s.%d" % (base, os.getpid())
            self.compile(path, text, own, more)
            os.rename(own, base)
        return open(base, "rb").read() == open(mutated, "rb").read()

    def link(self, folder, name, objects, more=(), libraries=()):
        """
        A library of objects. What libmutant.so has is taken from there and not from the others, because programs
        name it first and the loader lets the first definition win, inside libraries as well.
        """
        library = os.path.join(folder, name)
        must([*shlex.split(self.cc), "-shared", *more, "-o", library + ".new", "-Wl,-soname," + name, *self.wrap,
              *(objects or ["-x", "c", os.devnull]), *libraries], "linking", cwd=folder)
        os.rename(library + ".new", library)


class Lines:
    """Which tests run a line of the room's sources, as gcov counts."""

    def __init__(self, tree, texts):
        self.tree, self.texts = tree, texts
        self.folder = os.path.join(tree.top, "lines")
        self.counted, self.tests = {path: set() for path in texts}, {}
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.usable = shutil.which("gcov") is not None
        objects = []
        for path in texts if self.usable else ():
            new = os.path.join(self.folder, path.replace("/", "_")[:-1] + "o")
            # GNU C calls gcov's exec functions, which keep the counts of a child.
            self.usable &= tree.compile(path, texts[path], new, ("--coverage", "-O0", "-std=gnu17"))
            objects.append(new)
        if self.usable:
            with open(os.path.join(self.folder, "open.c"), "w") as file:
                file.write(OPEN)
            tree.link(self.folder, "libmutant.so", [*objects, "open.c"], ("--coverage", "-fPIC"))

    def take(self, test):
        """Note the lines that a test has run by now; counts begin again."""
        data = glob.glob(os.path.join(self.folder, "*.gcda"))
        if not data:
            return
        shown = run(["gcov", "--json-format", "--stdout", *data], cwd=self.folder).stdout
        for line in shown.split("\n"):
            if not line.startswith("{"):
                continue
            for file in json.loads(line)["files"]:
                if file["file"] in self.texts:
                    for row in file["lines"]:
                        self.counted[file["file"]].add(row["line_number"])
                        if row["count"]:
                            self.tests.setdefault((file["file"], row["line_number"]), set()).add(test)
        for name in data:
            os.unlink(name)

    def of(self, mutant, tests):
        """Of these tests, those that run a mutant; all for what is no code."""
        lines = sorted(self.counted[mutant.path])
        if not self.usable or not lines or not mutant.code:
            return list(tests)
        at = bisect.bisect_right(lines, mutant.line)
        near = lines[max(at - 1, 0):at] if at and lines[at - 1] == mutant.line else lines[max(at - 1, 0):at + 1]
        return [test for test in tests if any(test in self.tests.get((mutant.path, line), ()) for line in near)]


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
        self.digests = {name: self.digest(name) for name in names}

    def digest(self, name):
        """Of a test and what it includes, plays or compares with."""
        program, *words = name.split()
        path = os.path.join(self.tree.tree, program)
        files = [path] if name.endswith(".t") else [path + ".c", *glob.glob(os.path.dirname(path) + "/*.h")]
        files += glob.glob(path[:-2] + "/**", recursive=True) if name.endswith(".t") else []
        files += [os.path.join(self.tree.tree, SCENES, word) for word in words]
        files += glob.glob(os.path.dirname(path) + "/*/*.txt")
        digest = hashlib.sha1()
        for file in sorted(files):
            digest.update(open(file, "rb").read() if os.path.isfile(file) else b"")
        return digest.hexdigest()[:16]

    def measure(self, lines):
        """Time of the processor, so that a busy machine changes nothing; then the lines."""
        for name in list(self.names):
            start = os.times()
            passed = self.passes(name, 100)
            end = os.times()
            self.seconds[name] = end.children_user + end.children_system - \
                start.children_user - start.children_system
            if not passed:
                print("mutants: %s fails without a change and is left out" % name, flush=True)
                self.names.remove(name)
            elif lines.usable:
                self.use(lines.folder)
                self.passes(name, 200, False)
                lines.take(name)
                self.use(self.tree.top)

    def use(self, folder):
        """Run tests with the library of this folder."""
        self.environment["LD_LIBRARY_PATH"] = folder

    def order(self, names):
        return sorted(names, key=lambda name: self.seconds[name] / (self.kills[name] + 0.3))

    def limit(self, name):
        return 0.5 + 4 * self.seconds[name]

    def passes(self, name, seconds, stops=True):
        """Run a test until its first 'not ok', for some seconds of the processor or ten times that."""
        program, *words = name.split()
        path = os.path.join(self.tree.tree if name.endswith(".t") else self.tree.build, program)
        child = subprocess.Popen([path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, cwd=self.tree.build, env=self.environment,
                                 preexec_fn=lambda: limits(math.ceil(seconds)))
        try:
            return self.read(child, time.monotonic() + 10 * seconds + 5, stops)
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
            child.stdout.close()

    @staticmethod
    def read(child, end, stops):
        text, count, plan = b"", 0, None
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    return False
                part = os.read(child.stdout.fileno(), 65536)
                *lines, text = (text + part).split(b"\n")
                for line in lines:
                    if stops and line.startswith(b"not ok"):
                        return False
                    count += line.startswith((b"ok", b"not ok"))
                    plan = int(line[3:].split()[0]) if line.startswith(b"1..") else plan
                if not part:
                    break
        try:
            return child.wait(max(0.1, end - time.monotonic())) == 0 and plan == count
        except subprocess.TimeoutExpired:
            return False

    def killer(self, names):
        """The first test that fails, or None."""
        for name in self.order(names):
            if not self.passes(name, self.limit(name)):
                self.kills[name] += 1
                return name
        return None


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


def read_sources(top, room):
    """The texts of a room's sources by their paths."""
    paths = (path for pattern in room.sources for path in sorted(glob.glob(os.path.join(top, pattern))))
    return {os.path.relpath(path, top): open(path).read() for path in paths}


def mutants_of(texts):
    return {name: mutant for path, text in texts.items() for name, mutant in mutate.Source(path, text).mutants()}


class Campaign:
    def __init__(self, tree, room, tests):
        self.tree, self.room, self.tests = tree, room, tests
        self.equivalent = tables.read_equivalent(os.path.join(tree.tree, "tests/mutants/equivalent"))
        self.results = Results(os.path.join(tree.top, "results-%s.json" % room.name))
        self.texts = read_sources(tree.tree, room)
        self.mutants = mutants_of(self.texts)
        against = os.environ.get("AGAINST")
        self.possible = self.mutants.keys() & mutants_of(read_sources(against, room)) if against else self.mutants
        self.folder = self.lines = None

    def measure(self):
        self.lines = Lines(self.tree, self.texts)
        self.tests.measure(self.lines)
        for row in self.results.rows.values():
            if row["what"] == KILLED and row["test"] in self.tests.kills:
                self.tests.kills[row["test"]] += 1

    def drawn(self, seed):
        """Names of mutants in the order in which the seed has them."""
        return sorted(self.possible, key=lambda name: hashlib.sha1(("%s %s" % (seed, name)).encode()).digest())

    def begin_job(self):
        """A folder for the libraries of this process."""
        self.folder = tempfile.mkdtemp(dir=self.tree.top, prefix="job-")
        self.tests.use(self.folder)

    def try_one(self, mutant, judge):
        """What becomes of a mutant: (what, result of the judge)."""
        text = self.texts[mutant.path]
        mutated, new = mutant.apply(text), os.path.join(self.folder, "mutant.o")
        if not self.tree.compile(mutant.path, mutated, new):
            return BROKEN, None
        if self.tree.same_code(mutant.path, text, new):
            return SAME, None
        self.tree.link(self.folder, "libmutant.so", [new])
        found = judge()
        if not found and self.tree.compile(mutant.path, mutated, new, ("-O2",)) and \
                self.tree.same_code(mutant.path, text, new, ("-O2",)):
            return SAME, None
        return KILLED if found else SURVIVED, found

    def state(self, mutant):
        """What a survivor was tried with: its source and the tests that run it."""
        tests = {name: self.tests.digests[name] for name in self.lines.of(mutant, self.tests.names)}
        return dict(tests, source=hashlib.sha1(self.texts[mutant.path].encode()).hexdigest()[:16])

    def result(self, name):
        """The result of a mutant, as it was kept or as it is found now: (its name, row, whether it is new)."""
        mutant, row = self.mutants[name], self.results.rows.get(name)
        if (mutant.path, mutant.before, mutant.after) in self.equivalent:
            return name, {"what": LISTED, "test": None}, False
        state, old = self.state(mutant), row["tried"] if row and row["what"] == SURVIVED else {}
        if row and (row["what"] != SURVIVED or state == old):
            return name, row, False
        same = old.get("source") == state["source"]
        tests = [test for test in state if test != "source" and not (same and old.get(test) == state[test])]
        begun = time.monotonic()
        what, test = self.try_one(mutant, lambda: self.tests.killer(tests))
        row = {"what": what, "test": test, "seconds": time.monotonic() - begun}
        return name, dict(row, tried=state) if what == SURVIVED else row, True

    def results_of(self, names, pool):
        """Results in the order of the names, kept and shown when they are new."""
        for name, row, new in pool.imap(result_in_job, names):
            mutant = self.mutants[name]
            if new:
                self.results.keep(name, row)
                print("%s %s:%d %s %.1f s%s" % (name, mutant.path, mutant.line, row["what"], row["seconds"],
                                                " " + row["test"] if row["test"] else ""), flush=True)
            yield name, row

    def run(self, count, seed):
        counted, killed, start = 0, 0, time.monotonic()
        survivors, others, drawn = [], {}, self.drawn(seed)
        with multiprocessing.get_context("fork").Pool(self.tree.jobs, begin_job, (self,)) as pool:
            while counted < count and drawn:
                some, drawn = drawn[:count - counted], drawn[count - counted:]
                for name, row in self.results_of(some, pool):
                    if row["what"] in (KILLED, SURVIVED):
                        counted += 1
                        killed += row["what"] == KILLED
                    else:
                        others[row["what"]] = others.get(row["what"], 0) + 1
                    if row["what"] == SURVIVED:
                        survivors.append(self.mutants[name])
        self.report(survivors, counted, killed, others, seed, time.monotonic() - start)

    def report(self, survivors, counted, killed, others, seed, seconds):
        names = {mutant: name for name, mutant in self.mutants.items()}
        for mutant in sorted(survivors, key=lambda mutant: (mutant.path, mutant.line)):
            run_by = self.lines.of(mutant, self.tests.names)
            print("\n%s:%d survived%s\n- %s\n+ %s\n\tmake mutants ROOM=%s MUTANT=%s" % (
                mutant.path, mutant.line, "" if run_by else " (no test runs the line)", mutant.before, mutant.after,
                self.room.name, names[mutant]))
        print("\n%s: %d of %d killed, %.1f %%, seed %s; not counted: %s; %.0f s" % (
            self.room.name, killed, counted, 100 * killed / max(counted, 1), seed,
            ", ".join("%d %s" % (number, what) for what, number in sorted(others.items())) or "none", seconds), flush=True)

    def show(self, name):
        """All about one mutant."""
        mutant = self.mutants.get(name) or fail("no mutant %s in room %s" % (name, self.room.name))
        print("%s:%d\n- %s\n+ %s" % (mutant.path, mutant.line, mutant.before, mutant.after), flush=True)
        self.begin_job()
        what, failed = self.try_one(mutant, lambda: [test for test in self.tests.order(self.lines.of(mutant, self.tests.names))
            if not self.tests.passes(test, self.tests.limit(test))])
        print("%s%s" % (what, "" if not failed else ": " + " ".join(failed)))


# The campaign of one job, which is a process.
campaign_of_job = None


def begin_job(campaign):
    global campaign_of_job
    campaign_of_job = campaign
    campaign.begin_job()


def result_in_job(name):
    return campaign_of_job.result(name)


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
    known = tree.value("TESTS")
    for name in wanted:
        room = rooms[name]
        chosen = [test for test in known if any(fnmatch.fnmatch(test, pattern) for pattern in room.tests)]
        if os.environ.get("QUICK"):
            chosen = [test for test in chosen if not test.endswith(".t")]
        if not chosen:
            fail("room %s has no tests" % name)
        programs = [test for test in chosen if not test.endswith(".t")]
        if PLAYER in chosen:
            chosen.remove(PLAYER)
            chosen += ["%s %s" % (PLAYER, name) for name in sorted(os.listdir(os.path.join(tree.tree, SCENES)))]
        if any(test.endswith(".t") for test in chosen):
            programs += ["unspool", *tree.value("check_PROGRAMS")]
        tree.make_all(list(dict.fromkeys(programs)))
        campaign = Campaign(tree, room, Tests(tree, chosen))
        campaign.measure()
        if os.environ.get("MUTANT"):
            campaign.show(os.environ["MUTANT"])
        else:
            campaign.run(int(os.environ.get("MUTANTS") or 60), os.environ.get("SEED") or "1")


if __name__ == "__main__":
    main()
