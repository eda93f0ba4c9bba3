#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fail-calls.py STEP COMMAND...: run the command many times; in each run strace makes another system call
# fail: of each kind of call the first, the (1+STEP)th and so on. Prints each run that crashes or hangs,
# and each run that has another output than without a fault but reports no error and exits with the same
# status. The last line counts the runs.
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
import faults  # noqa: E402

# The error that the kernel reports for a kind of call; EIO for other kinds.
REASONS = {"mmap": "ENOMEM", "mremap": "ENOMEM", "munmap": "ENOMEM", "mprotect": "ENOMEM",
    "write": "ENOSPC", "pwrite64": "ENOSPC", "ftruncate": "ENOSPC", "socketpair": "EMFILE",
    "openat": "EMFILE", "pipe2": "EMFILE", "clone": "EAGAIN", "clone3": "EAGAIN",
    "mkdir": "EROFS", "link": "EPERM", "rename": "EIO", "futex": "ENOSYS", "madvise": "ENOMEM",
}
# Calls that end the process, cannot fail, or belong to the loader and come before main.
# No call for brk ever returns an error: the C library takes the result for an address.
SPARED = {"brk", "execve", "exit_group", "exit", "rt_sigreturn", "restart_syscall", "arch_prctl", "set_tid_address",
          "set_robust_list", "rseq", "wait4", "futex", "prlimit64", "clone3"}
SECONDS = 60
# A view that shows the failed call reports the error itself.
TOLD = re.compile(rb"Input/output error|Too many open files|[Oo]ut of memory|Cannot allocate memory")


def run(command, trace=()):
    """Status, output and messages; None: it hangs."""
    done = faults.run([*trace, *command], SECONDS)
    # The name of a temporary file contains the process ID.
    return done and (*done[:2], re.sub(rb"\.\d+-\d+", b"", done[2]))


def main():
    step, command = int(sys.argv[1]), sys.argv[2:]
    log = os.environ.get("TMPDIR", "/tmp") + "/fail-calls.%d" % os.getpid()
    whole = run(command)
    if whole is None or whole[0] not in (0, 1):
        sys.exit("the command does not work by itself: %r" % (whole,))
    run(command, ["strace", "-qq", "-f", "-o", log])
    counts, begun = collections.Counter(), False
    first = {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            name = re.match(r"\d+\s+(\w+)\(", line)
            if not name:
                continue
            counts[name[1]] += 1
            # The loader is finished when it unmaps its cache.
            if name[1] == "munmap" and not begun:
                first, begun = dict(counts), True
    os.unlink(log)
    runs = 0
    for name, count in sorted(counts.items()):
        if name in SPARED:
            continue
        for when in range(first.get(name, 0) + 1, count + 1, step):
            reason = REASONS.get(name, "EIO")
            fault = "inject=%s:error=%s:when=%d" % (name, reason, when)
            got = run(command, ["strace", "-qq", "-f", "-o", "/dev/null", "-e", fault])
            runs += 1
            if got is None:
                print("hangs:", fault, " ".join(command))
            elif got[0] not in (0, 1, 2, 3, 4):
                print("ends with %d:" % got[0], fault, " ".join(command))
            elif got[0] == whole[0] and got[1] != whole[1] and got[2] == whole[2] and not TOLD.search(got[1]):
                print("silently differs:", fault, " ".join(command))
    print("%d runs" % runs)


main()
