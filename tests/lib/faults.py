# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests share that run a command again and again, each time with another fault."""
import os
import signal
import subprocess


def run(command, seconds, environment=None):
    """Status, output and messages of a command; None if it hangs. All that it started ends with it."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=environment, start_new_session=True)
    try:
        output, messages = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return None
    return child.returncode, output, messages
