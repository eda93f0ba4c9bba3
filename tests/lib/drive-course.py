#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
#	drive-course.py BROWSER PROFILE SITE ANSWERS
#
# Finish the lessons of a course (`lesson --html DIR`) in a headless Chromium with the keyboard. Each line of
# ANSWERS has a lesson, a task, the sentence that a wrong answer gets ("-": the answer is right), the answer, and
# its value, divided by tabs. Prints problems, and for each lesson the tasks passed of all that have a form.
import os, sys
from browser import Browser

program, profile, site, answers = sys.argv[1:]
lessons = {}
for line in open(answers, encoding="utf-8"):
    lesson, *rest = line.rstrip("\n").split("\t")
    lessons.setdefault(lesson, []).append(rest)

# The visible card.
LOOK = """(() => {
	const seen = (e) => e.checkVisibility();
	const card = [...document.querySelectorAll(".card")].filter(seen), form = card[0].querySelector("form.answer");
	return {
		cards: card.length, where: document.querySelector(".controls output").innerText,
		task: form && seen(form) ? form.dataset.task : null, reply: form?.querySelector("output").innerText,
		links: [...card[0].querySelectorAll("a")].filter(seen).map((a) => a.getAttribute("href")),
		views: [...document.querySelectorAll(".told.here .stage details[open] pre")].filter(seen).length,
		passed: document.querySelector(".passed").innerText, wide: document.documentElement.scrollWidth > innerWidth,
	};
})()"""
problems = []


def check(good, what):
    if not good:
        problems.append(what)


chrome = Browser(program, profile)
chrome.open_tab()


def answer(text, choice):
    """Type an answer, as a learner without a mouse does, and return the reply."""
    chrome.value("document.querySelector('.card.here').querySelector('input,select').focus()")
    if choice:
        chrome.value(f"document.activeElement.value = {text!r}")
    else:
        chrome.value("document.activeElement.value = ''")
        chrome.ask("Input.insertText", text=text)
        chrome.press("j")       # a letter in the answer turns no card
    chrome.value("document.activeElement.form.requestSubmit()")
    chrome.value("document.activeElement.blur()")
    return chrome.value(LOOK)["reply"]


for lesson, given in lessons.items():
    chrome.load(f"file://{site}/{lesson}.html")
    look, asked = chrome.value(LOOK), 0
    source = open(f"{site}/{lesson}.html", encoding="utf-8").read()
    for number in range(1, int(look["where"].split()[-1]) + 1):
        look = chrome.value(LOOK)
        at = f"{lesson}, card {number}"
        check(look["cards"] == 1 and look["where"].startswith(f"step {number} "), f"{at}: {look}")
        check(not look["wide"], f"{at} is wider than a telephone")
        check(look["views"] <= 1, f"{at}: {look['views']} views are open")
        tries = [one for one in given if one[0] == look["task"]]
        rule = chrome.value("document.querySelector('.card.here form')?.dataset.check === 'rule'")
        choice = chrome.value("!!document.querySelector('.card.here select')")
        for task, sentence, text, value in sorted(tries, key=lambda one: one[1] == "-"):
            reply = answer(text, choice)
            if reply.startswith("Not understood") and value:
                reply = answer(value, choice)
            asked += sentence == "-"
            if sentence == "-":
                check(reply.startswith("Right. ") and reply.isprintable() and reply.endswith("."), f"{at}: {text}: {reply}")
                check(reply[7:] not in source, f"{at}: the reply to the answer can be read in the page")
            else:
                # A rule that is no sum has no digest.
                check(reply == f"No. {sentence}" or (reply == "No." and rule), f"{at}: {text}: {reply} (not {sentence})")
        chrome.press("j")
    end = chrome.value(LOOK)
    print(lesson, end["passed"])
    for link in end["links"]:
        check(os.path.exists(f"{site}/{link}"), f"{lesson}: no page {link}")
    check(chrome.value("[...document.querySelectorAll('a[data-of]')].every((a) => !a.hidden)"), f"{lesson}: hidden steps")
    chrome.load(f"file://{site}/{lesson}.html?again")
    check(asked == 0 or chrome.value("[...document.querySelectorAll('a[data-of]')].some((a) => a.hidden)"),
          f"{lesson}: a step with answers can be opened before they are given")
    chrome.ask("Emulation.setEmulatedMedia", media="print")
    check(chrome.value("[...document.querySelectorAll('.card')].every((e) => e.checkVisibility() && "
                       "getComputedStyle(e).breakBefore === 'page')"), f"{lesson}: not all cards are on paper")
    chrome.ask("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    check(chrome.value("getComputedStyle(document.querySelector('input,select,body')).colorScheme") == "light dark",
          f"{lesson}: no dark colours")
    chrome.ask("Emulation.setEmulatedMedia", media="", features=[])
problems += chrome.complaints(site)
chrome.process.terminate()
print("\n".join(problems[:40]))
