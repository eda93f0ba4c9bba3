#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# signal-storm.py batch SEED ROUNDS FILE COMMAND...: send signals to a command at random moments. If a signal
# ends the command, FILE is complete or missing ('-': it writes none) and no other file is left; otherwise the
# output does not change.
# signal-storm.py explore SEED ROUNDS COMMAND...: send signals to the explorer in a terminal, after keys, resizes
# and stops: the last signal ends it, and the terminal has its old state.
# signal-storm.py vanish SEED ROUNDS COMMAND...: close the terminal at random moments: the explorer ends.
#
# Prints every failure; the last line counts the rounds.
import fcntl
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import time

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
PASSING = [signal.SIGWINCH, signal.SIGPIPE, signal.SIGTSTP, signal.SIGSTOP, signal.SIGXFSZ]
# Seconds, enough for a busy machine.
PATIENCE = 30
KEYS = b"fsFS1234567jk\t :\x1b"


def signal_of(name):
    return signal.Signals(name).name


def batch(rounds, path, command):
    def begin():
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def take():
        """The file, which is gone then, and what is left beside it once the broker is done."""
        if path == "-":
            return None, []
        folder, name = os.path.split(path)
        end = time.monotonic() + 5
        while True:
            left = [other for other in os.listdir(folder) if other.startswith(name + ".")]
            if not left or time.monotonic() > end:
                break
            time.sleep(0.02)
        content = None
        if os.path.exists(path):
            with open(path, "rb") as file:
                content = file.read()
            os.unlink(path)
        return content, left

    started = time.monotonic()
    child = begin()
    output = child.communicate()[0]
    status, length = child.returncode, time.monotonic() - started
    written = take()[0]
    for turn in range(rounds):
        number = random.choice(ENDING + PASSING)
        child = begin()
        time.sleep(random.uniform(0, length))
        os.killpg(child.pid, number)
        got, end = None, time.monotonic() + PATIENCE
        while got is None and time.monotonic() < end:
            # Repeat it, as fg does: a process that has just been forked may stop after the first SIGCONT.
            if number not in ENDING:
                os.killpg(child.pid, signal.SIGCONT)
            try:
                got = child.communicate(timeout=0.2)[0]
            except subprocess.TimeoutExpired:
                pass
        if got is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            print("%s: hangs" % signal_of(number))
            continue
        file, left = take()
        if number in ENDING and child.returncode == -number:
            if file not in (None, written):
                print("%s: the file is not whole" % signal_of(number))
        elif child.returncode == -number and not got and file is None:
            # Before main the signal is not yet ignored.
            continue
        elif child.returncode != status or got != output or file != written:
            print("%s: ends with %d and another output" % (signal_of(number), child.returncode))
        if left:
            print("%s: leaves %s" % (signal_of(number), left))


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, command):
        self.fd, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        self.output = b""
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for standard in 0, 1, 2:
                os.dup2(self.slave, standard)
            os.closerange(3, 256)
            os.execvp(command[0], command)

    def read(self, seconds):
        """What the command writes for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.output += os.read(self.fd, 65536)
                except OSError:
                    return

    def send(self, number):
        try:
            os.kill(self.child, number)
        except ProcessLookupError:
            pass

    def resize(self):
        size = struct.pack("HHHH", random.randint(1, 60), random.randint(1, 200), 0, 0)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, size)

    def wait(self, seconds, reads=True):
        """How the command ended; None: not in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            # Continue a stopped process, as the system does when its session ends.
            self.send(signal.SIGCONT)
            pid, status = os.waitpid(self.child, os.WNOHANG)
            if pid != 0:
                if reads:
                    self.read(0.02)
                return os.waitstatus_to_exitcode(status)
            if reads:
                self.read(0.02)
            else:
                time.sleep(0.02)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        return None

    def close(self):
        for fd in (self.fd, self.slave):
            try:
                os.close(fd)
            except OSError:
                pass


def disturb(terminal):
    """Keys, sizes, stops and signals that change nothing."""
    for step in range(random.randint(0, 12)):
        kind = random.randrange(4)
        if kind == 0:
            terminal.resize()
        elif kind == 1:
            terminal.send(random.choice(PASSING))
            terminal.read(random.uniform(0, 0.02))
            terminal.send(signal.SIGCONT)
        else:
            os.write(terminal.fd, bytes([random.choice(KEYS)]))
        terminal.read(random.uniform(0, 0.03))


def explore(rounds, command):
    screens = 0
    for turn in range(rounds):
        terminal = Terminal(command)
        number = random.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
        terminal.read(random.uniform(0, 0.4))
        disturb(terminal)
        terminal.send(number)
        status = terminal.wait(PATIENCE)
        screens += b"\x1b[?1049h" in terminal.output
        if status is None:
            print("%s: does not end" % signal_of(number))
        elif status != -number:
            print("%s: ends with %d" % (signal_of(number), status))
        elif termios.tcgetattr(terminal.slave)[:4] != terminal.modes[:4]:
            print("%s: the modes of the terminal are not restored" % signal_of(number))
        elif terminal.output.count(b"\x1b[?1049h") > terminal.output.count(b"\x1b[?1049l"):
            print("%s: the screen is not restored" % signal_of(number))
        terminal.close()
    return ", %d on a screen" % screens


def vanish(rounds, command):
    longest = 0
    for turn in range(rounds):
        terminal = Terminal(command)
        terminal.read(random.uniform(0, 0.4))
        disturb(terminal)
        used = os.times().children_user + os.times().children_system
        terminal.close()
        closed = time.monotonic()
        status = terminal.wait(PATIENCE, reads=False)
        longest = max(longest, time.monotonic() - closed)
        used = os.times().children_user + os.times().children_system - used
        if status is None:
            print("does not end without a terminal")
        elif status not in (0, 3, -signal.SIGHUP):
            print("ends with %d without a terminal" % status)
        elif used > 2:
            print("takes %.1f seconds of processor time to end without a terminal" % used)
    return ", ended in %.2f s" % longest


def main():
    what, seed, rounds, rest = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    random.seed(seed)
    # A test that runs in the background or under nohup ignores some of these signals.
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    if what == "batch":
        more = batch(rounds, rest[0], rest[1:])
    else:
        more = {"explore": explore, "vanish": vanish}[what](rounds, rest)
    print("%d rounds%s" % (rounds, more or ""))


main()
