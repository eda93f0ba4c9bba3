# SPDX-License-Identifier: GPL-3.0-or-later
#
# A headless Chromium that tests of pages drive.
import json, os, subprocess, sys


class Browser:
    """Chromium at the other end of two pipes: messages of its DevTools, each ended by a zero."""

    def __init__(self, program, profile):
        commands, self.to = os.pipe()
        self.back, answers = os.pipe()

        def pipes():
            a, b = os.dup(commands), os.dup(answers)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen([program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number, self.bytes, self.session, self.events = 0, b"", None, []

    def receive(self):
        while b"\0" not in self.bytes:
            more = os.read(self.back, 1 << 16)
            if not more:
                sys.exit("the browser has ended")
            self.bytes += more
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                return answer.get("result", {})
            self.events.append(answer)

    def value(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer.get("result", {}).get("value")

    def load(self, address):
        self.ask("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        self.events = [event for event in self.events if event["method"] != "Page.loadEventFired"]

    def press(self, key):
        for kind in "keyDown", "keyUp":
            self.ask("Input.dispatchKeyEvent", type=kind, key=key)

    def open_tab(self):
        """A page of the width of a telephone, whose messages and requests are recorded."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=False)

    def complaints(self, prefix):
        """What went wrong in the pages so far: errors, and requests of other files than PREFIX..."""
        for event in self.events:
            if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown"):
                yield f"the browser complains: {event['params']}"
            if event["method"] == "Network.requestWillBeSent":
                url = event["params"]["request"]["url"]
                if not url.startswith(f"file://{prefix}") and url != "about:blank":
                    yield f"it loads {url}"
