#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the outputs of commands for all crashes of the tree, and compares them with those of another commit.

	make outputs [OUT=folder] [ONLY=pattern]
	make outputs-compare BASE=commit [ONLY=pattern]

	OUT	the folder (outputs in the build folder): one file for each command and crash, FOLDER-OF-CRASH/COMMAND
	BASE	a commit; it is built in the folder outputs-base of the build folder
	ONLY	run only commands whose file matches this regular expression, such as 'small-arm/explain'
	JOBS	commands that run at a time (one for each processor)

tests/outputs/commands lists the commands. Both programs read the crashes of this tree. The comparison prints each
change once, with the number of outputs that have it and the name of the first, and exits with 1 if there is a change.
"""

import concurrent.futures
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

VIEWS = ("summary stack source evidence eval registers memory frame drawing raw modules messages dump disassembly "
         "methods table walks versus teb").split()
# The settings of the user, and the system's headers, differ between machines.
HIDDEN = re.compile(r"UNSPOOL|XDG_|DEBUGINFOD_|COLOR|NO_COLOR|EDITOR|VISUAL|USER|LOGNAME|_NT_SYMBOL_PATH|http_proxy")
SETTINGS = {"HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "TZ": "UTC0"}
NO_HEADERS = ["--source", "/usr/include=/dev/null"]


def fail(text):
    sys.exit("outputs: " + text)


def script():
    """The steps that save each view when it opens and after some keys."""
    lines = []
    for place in (":frame 0", ":frame 1", ":step token 3"):
        lines.append(place)
        for view in VIEWS:
            name = "%s%s" % (view, place.replace(":", "-").replace(" ", "-"))
            save = ":save-screen --attributes " + name
            lines += [":view " + view, save, "j", "j", "j", save + "-jjj", "Enter", "Space", "l",
                      save + "-entered", "Esc", "C-f", save + "-page", ":view stack", place]
    for value in ("$pc", "$sp", "0x0"):
        lines += [":identify " + value, ":save-screen --attributes identify-" + value.strip("$")]
    lines += [":find 0", ":save-screen --attributes find", ":view registers", "j", "j", "b",
              ":save-screen --attributes history", ":fold", ":view stack", ":save-screen --attributes stack-fold"]
    for layout in ("unwind", "code", "single"):
        lines += [":layout " + layout, ":save-screen --attributes layout-" + layout]
    return "".join(line + "\n" for line in lines)


def files_of(path, previous):
    """The words that replace those in capitals for a crash; None for a file that it lacks."""
    folder, name = os.path.split(path)

    def first(pattern):
        found = sorted(glob.glob(os.path.join(folder, pattern)))
        return [os.path.relpath(found[0], folder)] if found else None

    binaries = name.split(".")[0] if name.endswith(".core.gz") else "binaries"
    has_binaries = os.path.isdir(os.path.join(folder, binaries))
    return {"CRASH": [name], "SYMBOLS": ["symbols"] if os.path.isdir(os.path.join(folder, "symbols")) else None,
        "BINARIES": ["--binaries", binaries, "--no-system-binaries"] if has_binaries else None,
        "FILE": first("symbols/*/*/*.sym"), "PREVIOUS": [os.path.relpath(previous, folder)] if previous else None,
        "PROGRAM": first(binaries + "/*"),
    }


def command_line(command, files):
    """The words of a command for a crash; None if the crash lacks a file."""
    line = []
    for word in command.split():
        name = word.rstrip("?")
        words = files.get(name, [word])
        if words is None and name == word:
            return None
        line += words or []
    return line


def outputs(top):
    """(name of the output, folder, words of its command) for each crash and command of the list."""
    rows, patterns, previous = [], [], None
    for line in open(os.path.join(top, "tests/outputs/commands")):
        line = line.strip()
        if line.startswith("for "):
            patterns, previous = line.split()[1:], None
            crashes = [path for pattern in patterns for path in sorted(glob.glob(os.path.join(top, pattern)))]
            known = []
            for path in crashes:
                files = files_of(path, previous)
                previous = os.path.join(os.path.dirname(path), files["FILE"][0]) if files["FILE"] else None
                known.append((path, files))
        elif line and not line.startswith("#"):
            for path, files in known:
                words = command_line(line, files)
                if words is None:
                    continue
                crash = os.path.relpath(path, top)
                crash = os.path.dirname(crash) if crash.endswith("crash.dmp") else crash
                name = re.sub(r"[^A-Za-z0-9,=-]+", "_", line).strip("_")
                rows.append((os.path.join(crash, name + ".txt"),
                             os.path.dirname(path), words if words[0] != "screens" else screens(words, files)))
    return rows


def screens(words, files):
    """The explorer's command for all screens of a size; SCRIPT is the file with the steps."""
    return ["--script", "SCRIPT", "--size", words[1], "--ascii", "--no-cache", *NO_HEADERS, *files["CRASH"],
            *(files["SYMBOLS"] or []), *(files["BINARIES"] or [])]


def hex_rows(data):
    """Bytes as rows that a comparison shows well: without addresses, equal rows once."""
    rows, last = [], None
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        if part == last:
            rows += ["*"] if rows[-1] != "*" else []
            continue
        last = part
        rows.append("%s  %s" % (part.hex(" ").ljust(47), "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)))
    return "\n".join(rows) + "\n"


def written(folder):
    """The files below a folder, or one file, as text."""
    paths = [folder] if os.path.isfile(folder) else sorted(
        os.path.join(inner, name) for inner, _, names in os.walk(folder) for name in names)
    text = ""
    for path in paths:
        data = open(path, "rb").read()
        name = os.path.relpath(path, os.path.dirname(folder))
        shown = hex_rows(data) if b"\0" in data else data.decode(errors="backslashreplace")
        text += "\n==> %s (%d bytes)\n%s" % (name, len(data), shown)
    return text


def output_of(program, folder, words):
    """The command, its output, exit status, messages, and the files that it writes."""
    environment = dict({name: value for name, value in os.environ.items() if not HIDDEN.match(name)}, **SETTINGS)
    with tempfile.TemporaryDirectory() as scratch:
        place, where = os.path.join(scratch, "OUTPUT"), folder
        words = [place if word == "OUTPUT" else word for word in words]
        if "SCRIPT" in words:
            # Screens are saved in the working folder.
            where = shutil.copytree(folder, os.path.join(scratch, "crash"))
            steps = os.path.join(scratch, "steps")
            with open(steps, "w") as file:
                file.write(script())
            words[words.index("SCRIPT")] = steps
            before = set(os.listdir(where))
        try:
            done = subprocess.run([program, *words], cwd=where, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=600)
            ended = "exit status %d" % done.returncode
        except subprocess.TimeoutExpired as error:
            done, ended = error, "stopped after 600 seconds"
        text = "$ unspool %s\n%s%s\n%s" % (shlex.join(words), (done.stdout or b"").decode(errors="backslashreplace"), ended,
            (done.stderr or b"").decode(errors="backslashreplace"))
        text += written(place)
        if where != folder:
            text += "".join(written(os.path.join(where, name)) for name in sorted(set(os.listdir(where)) - before))
        return text.replace(scratch + "/", "").replace(folder + "/", "")


def write_outputs(program, top, out):
    """Write the outputs of a program into a new folder; returns their number."""
    only = re.compile(os.environ.get("ONLY") or "")
    rows = [row for row in outputs(top) if only.search(row[0])]
    shutil.rmtree(out, ignore_errors=True)

    def write(row):
        path = os.path.join(out, row[0])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x") as file:
            file.write(output_of(program, row[1], row[2]))

    jobs = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, _ in enumerate(pool.map(write, rows), 1):
            if sys.stderr.isatty() and number % 20 == 0:
                print("\r%3d %%" % (100 * number // len(rows)), end="", file=sys.stderr)
    return len(rows)


def must(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        fail("%s failed:\n%s" % (shlex.join(command), done.stdout[-3000:]))
    return done.stdout.strip()


def build_base(top, build, base):
    """Build a commit in a folder of its own, with the options of this build; returns its program."""
    commit = must(["git", "-C", top, "rev-parse", "--verify", base + "^{commit}"])
    folder = os.path.join(build, "outputs-base", commit)
    program = os.path.join(folder, "build", "unspool")
    if os.path.exists(program):
        return program
    print("outputs: building %s" % commit[:12], file=sys.stderr)
    os.makedirs(os.path.join(folder, "build"), exist_ok=True)
    must(["sh", "-c", 'git -C "$1" archive "$2" | tar -x -C "$3"', "sh", top, commit, folder])
    given = [word for word in shlex.split(must([os.path.join(build, "config.status"), "--config"]))
             if not word.startswith(("CFLAGS=", "--enable-san", "--enable-cov"))]
    if shutil.which("ccache") and not any(word.startswith("CC=") for word in given):
        given.append("CC=ccache cc")
    must(["autoreconf", "-fi"], cwd=folder)
    must(["../configure", *given, "CFLAGS=-O1 -g0"], cwd=os.path.dirname(program))
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        os.environ.pop(name, None)
    must(["make", "-j%s" % (os.environ.get("JOBS") or os.cpu_count() or 1), "unspool"], cwd=os.path.dirname(program))
    return program


def read(path):
    try:
        return open(path).read().splitlines(keepends=True)
    except FileNotFoundError:
        return []


def hunks(old, new):
    """The places at which two files differ, each with three lines around."""
    shown = subprocess.run(["diff", "-U3", "--text", "-N", old, new], stdout=subprocess.PIPE, text=True).stdout
    return re.split(r"^@@ .*\n", shown, flags=re.M)[1:]


def compare(old, new):
    """Print each change of the outputs once; returns the number of outputs that differ."""
    names = sorted({os.path.relpath(os.path.join(folder, name), top) for top in (old, new)
                    for folder, _, files in os.walk(top) for name in files})
    changes, differ = {}, 0
    for name in names:
        before, after = os.path.join(old, name), os.path.join(new, name)
        if read(before) == read(after):
            continue
        differ += 1
        for hunk in hunks(before, after):
            changed = "".join(line for line in hunk.splitlines(keepends=True) if line[0] in "+-")
            changes.setdefault(changed, (hunk, []))[1].append(name)
    for hunk, found in changes.values():
        others = len(set(found)) - 1
        print("==> %s%s\n%s" % (found[0], " and %d more" % others if others else "", hunk))
    print("%d of %d outputs differ, in %d different places" % (differ, len(names), len(changes)))
    return differ


def main():
    top, build = os.path.abspath(os.environ.get("srcdir", ".")), os.path.abspath(os.environ.get("builddir", "build"))
    out = os.path.abspath(os.environ.get("OUT") or os.path.join(build, "outputs"))
    base = os.environ.get("BASE")
    if sys.argv[1:] == ["outputs-compare"]:
        if not base:
            fail("BASE is missing: make outputs-compare BASE=commit")
        program = build_base(top, build, base)
        write_outputs(program, top, out + "-of-base")
        write_outputs(os.path.join(build, "unspool"), top, out)
        sys.exit(compare(out + "-of-base", out) != 0)
    number = write_outputs(os.path.join(build, "unspool"), top, out)
    print("%d outputs in %s" % (number, out))


if __name__ == "__main__":
    main()
