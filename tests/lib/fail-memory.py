#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fail-memory.py DEPTH STEP SHIM FILE COMMAND...: run the command many times with SHIM, made of fail-memory.c.
# In each run another allocation fails, first alone, then together with all later ones. Tried is every STEP-th of
# those allocations that are the first with their DEPTH callers (0: of all). FILE is the command's output file
# ('-': none). Prints each run that crashes, hangs, succeeds with another output, fails without a message, or
# leaves an incomplete file. The last line counts the runs.
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import faults  # noqa: E402

SECONDS = 20
# A directory of its own, because each run empties it: never the user's home.
HOME = os.path.join(tempfile.mkdtemp(), "home")
atexit.register(shutil.rmtree, os.path.dirname(HOME), ignore_errors=True)


def run(command, shim=None, rule=None):
    """What the command does with an empty home, and what the shim has to do."""
    shutil.rmtree(HOME, ignore_errors=True)
    os.mkdir(HOME)
    environment = dict(os.environ, HOME=HOME)
    if shim:
        environment.update(LD_PRELOAD=shim, FAIL_MEMORY=rule)
    return faults.run(command, SECONDS, environment)


def content_of(path):
    """The bytes of a file, or of all files of a directory."""
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return file.read()
    return {name: content_of(os.path.join(path, name)) for name in sorted(os.listdir(path))}


def taken(path):
    """What was written, or None; it is gone afterwards. What else is there is named."""
    if path == "-":
        return None, []
    directory, name = os.path.split(path)
    left = [other for other in os.listdir(directory) if other.startswith(name) and other != name]
    for other in left:
        os.unlink(os.path.join(directory, other))
    if not os.path.exists(path):
        return None, left
    content = content_of(path)
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)
    return content, left


def is_part(file, whole, status):
    """Whether a file is the whole one; of a directory, if the command failed, each file that is there."""
    if status == 0 or not isinstance(whole, dict):
        return file == whole
    return all(name in whole and is_part(file[name], whole[name], status) for name in file)


def places(command, shim, depth):
    """The numbers of the allocations to be tried."""
    log = HOME + ".allocations"
    with open(log, "wb") as file:
        os.dup2(file.fileno(), 9)
        shutil.rmtree(HOME, ignore_errors=True)
        os.mkdir(HOME)
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, pass_fds=[9],
                       env=dict(os.environ, HOME=HOME, LD_PRELOAD=shim, FAIL_MEMORY="note:%d" % (depth or 1)))
        os.close(9)
    with open(log, encoding="ascii") as file:
        lines = file.read().split("\n")
    os.unlink(log)
    count = max([int(line.split()[0]) for line in lines if line.endswith("allocations")], default=0)
    if depth == 0:
        return range(1, count + 1)
    return sorted({int(line) for line in lines if line.isdigit()})


def main():
    depth, step, shim, path, command = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], sys.argv[5:]
    whole = run(command)
    written = taken(path)[0]
    if whole is None or whole[0] not in (0, 1) or (path != "-" and written is None):
        sys.exit("the command does not work by itself: %r" % (whole,))
    tried = places(command, shim, depth)[::step]
    taken(path)
    for number in tried:
        for kind in "only", "after":
            rule = "%s:%d" % (kind, number)
            got = run(command, shim, rule)
            file, left = taken(path)
            status, output, messages = got or (None, b"", b"")
            wrong = None
            if got is None:
                wrong = "hangs"
            elif status not in (0, 1, 2, 3, 4):
                wrong = "ends with %d" % status
            elif file is not None and not is_part(file, written, status):
                wrong = "ends with %d and another file" % status
            elif left:
                wrong = "leaves %s" % left
            elif status == whole[0] and (output != whole[1] or (path != "-" and file is None)):
                wrong = "silently differs"
            elif status != whole[0] and not messages:
                wrong = "ends with %d and says nothing" % status
            if wrong:
                print("%s: FAIL_MEMORY=%s %s" % (wrong, rule, " ".join(command)))
    print("%d runs" % (2 * len(tried)))


main()
