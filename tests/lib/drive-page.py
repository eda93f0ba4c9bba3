#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
#	drive-page.py BROWSER PROFILE PAGE STEP
#
# Step through a page of `explain --prose --format html` in a headless Chromium, by its keys, to the end
# and back to the start. Compare what the page shows with STEP, the output of `explain --json` for the
# same step. Prints differences, and "steps: N" at the end.
import json, re, sys
from browser import Browser

browser, profile, page, step_file = sys.argv[1:]
step = json.load(open(step_file, encoding="utf-8"))


# The visible elements of the page.
LOOK = """(() => {
	const seen = (e) => e.checkVisibility({ visibilityProperty: true });
	const texts = (what, from) => [...from.querySelectorAll(what)].filter(seen).map((e) => e.innerText);
	const steps = [...document.querySelectorAll(".step")].filter(seen), now = steps[0];
	const registers = {};
	for (const row of [...document.querySelectorAll(".registers tbody tr")].filter(seen)) {
		const value = row.querySelector("td:last-child span");
		if (seen(value))
			registers[row.querySelector("th").innerText.replace("> ", "")] = value.innerText;
	}
	return {
		shown: steps.length, where: document.querySelector("output").innerText,
		hash: location.hash, text: now.innerText, sentence: texts("p:not(.rule):not(.postfix)", now),
		token: texts(".rule mark", now), stack: texts(".postfix code", now),
		words: [...document.querySelectorAll(".word.read")].filter(seen).map((e) => [
			e.querySelector("code").innerText, e.querySelector(".cell").innerText.trim()]),
		registers, wide: document.documentElement.scrollWidth > innerWidth,
	};
})()"""


def number(text):
    """A value of the stack as the page writes it: hexadecimal, or a number of the rule."""
    if re.fullmatch(r"-\d+", text) or re.fullmatch(r"\d{1,4}", text):
        return int(text) % (1 << 8 * word)
    return int(text, 16)


problems = []


def check(good, what):
    if not good:
        problems.append(what)


word = (len(next(iter(step["caller"].values()))) - 2) // 2
chrome = Browser(browser, profile)
chrome.open_tab()
chrome.load(f"file://{page}")

# Step forwards with each of the keys for it in turn, then back.
forwards, backwards = [chrome.value(LOOK)], []
count = int(forwards[0]["where"].split()[-1])
for i in range(1, count):
    chrome.press(("ArrowRight", "j", "n")[i % 3])
    forwards.append(chrome.value(LOOK))
chrome.press("ArrowRight")
check(chrome.value(LOOK) == forwards[-1], "the last step has another one behind it")
for i in range(count - 1, 0, -1):
    backwards.insert(0, chrome.value(LOOK))
    chrome.press(("ArrowLeft", "k", "p")[i % 3])
backwards.insert(0, chrome.value(LOOK))
chrome.press("ArrowLeft")
check(chrome.value(LOOK) == forwards[0], "the first step has another one before it")
check(forwards == backwards, "the way back shows other steps than the way forwards")

# Each step is shown alone, has its number and fits the screen of a telephone.
for i, look in enumerate(forwards):
    check(look["shown"] == 1, f"step {i + 1}: {look['shown']} steps are shown")
    check(look["where"] == f"step {i + 1} of {count}" and look["hash"] == f"#{i + 1}", f"step {i + 1}: number")
    check(not look["wide"], f"step {i + 1} is wider than a telephone")
    check(i == 0 or look["text"], f"step {i + 1} says nothing")

# Tokens, stacks and reads are those of the attempt that found the caller.
events = step["events"]
taken = [e["event"] for e in events if e["kind"] == "attempt"][-1]
rules = [e["event"] for e in events if e["kind"] == "rule" and e["parent"] == taken]
tokens = [e for e in events if e["kind"] == "token" and e["parent"] in rules]
shown = [look for look in forwards if look["token"]]
check([t["name"] for t in tokens] == [look["token"][0] for look in shown], "the tokens are others")
for token, look in zip(tokens, shown):
    at = f"token {token['event']} {token['name']}"
    cells = []
    for text in look["stack"]:
        name = re.fullmatch(r"(\S+)(?: \((\S+)\))?", text)
        bare = not text.startswith(("$", "."))
        named = re.fullmatch(r"[a-z]\w*", text.split()[0]) and bare and not re.fullmatch(r"[0-9a-f]+", text)
        if bare and not named and name[2] is None:
            cells.append(("", number(text)))
        else:
            cells.append((name[1], number(name[2]) if name[2] else None))
    wanted = [(c.get("name", ""), int(c["value"], 16) if c["value"] else None) for c in reversed(token["stack"])]
    check(cells == wanted, f"{at}: the stack is {look['stack']}, not {wanted}")
    reads = [e for e in events if e["kind"] == "read" and e["parent"] == token["event"]]
    check([[int(a, 16), int(v, 16)] for a, v in look["words"]] ==
          [[int(r["address"], 16), int(r["value"], 16)] for r in reads], f"{at}: words {look['words']}")

# The last token of a register's rule makes the register known, not an earlier token.
for rule in rules:
    name = events[rule].get("register")
    last = [i for i, token in enumerate(tokens) if token["parent"] == rule]
    if name in step["caller"] and last:
        at = forwards.index(shown[last[-1]])
        check(name in forwards[at]["registers"], f"step {at + 1}: {name} is not there yet")
        check(name not in forwards[at - 1]["registers"], f"step {at}: {name} is there too early")

# The caller's registers become known one after the other and keep the right values.
known = {}
for i, look in enumerate(forwards):
    check(set(known) <= set(look["registers"]), f"step {i + 1} has lost a register")
    known = look["registers"]
    for name, value in known.items():
        wanted = step["caller"].get(name)
        check(value == "unknown" if wanted is None else value == wanted[2:], f"step {i + 1}: {name} {value}")
check(not forwards[0]["registers"], "the caller is known before the first step")
check(set(step["caller"]) <= set(known), "a register of the caller is missing at the end")

# A fragment names a step, buttons act like keys, and both 'a' and printing show all steps.
chrome.value('document.querySelector("[data-go=last]").click()')
check(chrome.value(LOOK) == forwards[-1], "a button goes elsewhere")
chrome.value('location.hash = "#3"')
chrome.value("new Promise((done) => setTimeout(done, 50))")
check(chrome.value(LOOK)["where"].startswith("step 3 "), "a fragment names no step")
chrome.press("a")
check(chrome.value(LOOK)["shown"] == count, "not all steps are shown")
chrome.press("a")
chrome.ask("Emulation.setEmulatedMedia", media="print")
check(chrome.value(LOOK)["shown"] == count, "not all steps are on paper")
chrome.ask("Emulation.setEmulatedMedia", media="")
chrome.ask("Emulation.setScriptExecutionDisabled", value=True)
chrome.load(f"file://{page}?plain")
chrome.ask("Emulation.setScriptExecutionDisabled", value=False)
check(chrome.value(LOOK)["shown"] == count, "without scripts not all steps are there")

problems += chrome.complaints(page)
chrome.process.terminate()
print("\n".join(problems[:20] + [f"steps: {count}"]))
