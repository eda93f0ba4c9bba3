# SPDX-License-Identifier: GPL-3.0-or-later
#
# How close a walk comes to a debugger's stack: reads a truth file, then the human layout of a walk,
# and prints the true frames, how many of them were found, the frames shown and the false ones.
#
# A truth file has FR|thread|index|kind|pc|sp|... in each line; kind N is a physical frame, S a
# signal frame. Threads are matched by pc and sp of their first frame; frames by pc, as often as it
# occurs. thumb=1: the lowest bit of a pc is no part of the address.

function number(text) {
	text = tolower(text)
	sub(/^0x0*/, "", text)
	return text == "" ? "0" : text
}

function address(text) {
	text = number(text)
	if (thumb && text ~ /[13579bdf]$/)
		text = substr(text, 1, length(text) - 1) substr("02468ace", index("13579bdf", substr(text, length(text))), 1)
	return text
}

# The frames of one thread of the walk are known: compare them with the thread that begins so.
function finish(  i, thread, left) {
	thread = top[pcs[1] " " sps[1]]
	if (shown == 0 || thread == "") {
		shown = 0
		return
	}
	for (i = 1; i <= size[thread]; i++)
		left[truth[thread, i]]++
	for (i = 1; i <= shown; i++) {
		if (left[pcs[i]]-- > 0)
			all_found++
		else
			all_false++
	}
	all_shown += shown
	shown = 0
}

function take_frame() {
	if (pc != "" && !inlined) {
		pcs[++shown] = pc
		sps[shown] = sp
	}
	pc = sp = ""
	inlined = 0
}

FNR == NR {
	n = split($0, field, "|")
	if (n > 5 && field[1] == "FR" && (field[4] == "N" || field[4] == "S")) {
		truth[field[2], ++size[field[2]]] = address(field[5])
		if (size[field[2]] == 1)
			top[address(field[5]) " " number(field[6])] = field[2]
		all_true++
	}
	next
}

/^Thread / { finish(); walking = 1; next }
/^Loaded modules/ { finish(); walking = 0 }
!walking { next }

/ = 0x/ {
	count = split($0, word, " ")
	for (i = 1; i + 2 <= count; i++) {
		if (word[i + 1] != "=")
			continue
		if (word[i] == "rip" || word[i] == "eip" || word[i] == "pc")
			pc = address(word[i + 2])
		else if (word[i] == "rsp" || word[i] == "esp" || word[i] == "sp")
			sp = number(word[i + 2])
	}
}
/^ +Found by: / { inlined = /inline record/; take_frame() }

END {
	finish()
	print all_true + 0, all_found + 0, all_shown + 0, all_false + 0
}
