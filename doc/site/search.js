// SPDX-License-Identifier: GPL-3.0-or-later
//
// Searches the sections of search-index.js for all words that were typed. A page works without this script.
"use strict";

const MOST_FOUND = 20;
const AROUND = 70;
const up = document.currentScript.dataset.up;
const box = document.getElementById("search");
const list = document.getElementById("found");

// How well a section fits: a word in its title counts more than in its text; 0 if one is missing.
function score(section, words) {
	const title = section[2].toLowerCase();
	const text = section[3].toLowerCase();
	let sum = 0;
	for (const word of words) {
		if (title.includes(word))
			sum += 10;
		else if (text.includes(word))
			sum += 1;
		else
			return 0;
	}
	return sum;
}

// The text around the first word.
function excerpt(text, word) {
	const at = Math.max(0, text.toLowerCase().indexOf(word) - AROUND);
	return (at > 0 ? "... " : "") + text.slice(at, at + 2 * AROUND).trim() + " ...";
}

function row(section, word) {
	const item = document.createElement("li");
	const link = document.createElement("a");
	const words = document.createElement("p");
	link.href = up + section[0] + (section[1] ? "#" + section[1] : "");
	link.textContent = section[2] + " (" + section[0].replace(/\.html$/, "") + ")";
	words.textContent = excerpt(section[3], word);
	item.append(link, words);
	return item;
}

function search() {
	const words = box.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
	const found = words.length === 0 ? [] : sections
		.map((section) => [score(section, words), section])
		.filter((pair) => pair[0] > 0)
		.sort((one, other) => other[0] - one[0])
		.slice(0, MOST_FOUND);
	list.replaceChildren(...found.map((pair) => row(pair[1], words[0])));
	if (words.length > 0 && found.length === 0)
		list.append("no section has these words");
	list.hidden = words.length === 0;
}

// On a narrow screen the menu begins closed.
if (matchMedia("(max-width: 50rem)").matches)
	document.querySelector("nav details").open = false;
box.hidden = false;
box.addEventListener("input", search);
