#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `explain --prose`: the steps of the bundled crashes in sentences, with the numbers of the dump.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

x86=$srcdir/data/crashes/frame-data-x86
inlines=$srcdir/data/crashes/inlines-amd64
scan=$srcdir/data/crashes/scan-only-amd64
sframe=$srcdir/data/crashes/sframe-amd64
pac=$srcdir/data/crashes/pac-arm64

# tell CRASH OPTION...: the step, its lines joined to paragraphs.
tell() {
	crash=$1
	shift
	"$UNSPOOL" explain --prose "$@" "$crash/crash.dmp" "$crash/symbols" >"$scratch/lines" 2>"$scratch/errors"
	$AWK '/^$/ { if (text != "") print text; text = ""; next }
		/^ ? ? ? ?[^ ]/ { sub(/^ */, ""); text = text (text == "" ? "" : " ") $0; next }
		{ if (text != "") print text; text = ""; print }
		END { if (text != "") print text }' "$scratch/lines" >"$scratch/told"
}
says() { t "$1" grep -qF -- "$2" "$scratch/told"; }

# word CRASH OFFSET: eight bytes of the dump as a little-endian number.
word() {
	od -An -tx1 -j "$(($2))" -N 8 "$1/crash.dmp" | $AWK '{ for (i = 8; i > 0; i--) printf "%s", $i }' | sed 's/^0*//'
}

# The page of a step has the words of its drawing, each as what the drawing says it is.
for frame in 0 1 2; do
	"$UNSPOOL" explain --drawing --frame $frame "$inlines/crash.dmp" "$inlines/symbols" | grep '|' >"$scratch/drawing"
	is "the page of frame $frame has the words of its drawing" \
		"$("$UNSPOOL" explain --prose --format html --frame $frame "$inlines/crash.dmp" "$inlines/symbols" |
			grep -oE 'class="word( returns| saves|)"' | sed 's/.*word//; s/[" ]//g')" \
		"$(sed 's/.*return address:.*/returns/; s/.*|.* saved [a-z].*/saves/; s/.*|.*//' "$scratch/drawing")"
done

# STACK CFI --------------------------------------------------------------------------------------

tell "$inlines" --frame 0
is 'a step is described' $? 0
if command -v python3 >/dev/null; then
	"$UNSPOOL" explain --json --prose --frame 0 "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/json" 2>"$scratch/errors"
	is 'JSON has the sentences of the text, without marks' "$(python3 -c 'import json, sys
items = [item for item in json.load(open(sys.argv[1]))["prose"] if not item["detail"]]
text = " " + " ".join(open(sys.argv[2]).read().replace("_", "").split())
print(len(items) > 10, [item["text"] for item in items if " " + " ".join(item["text"].replace("_", "").split()) not in text])
' "$scratch/json" "$scratch/lines")" 'True []'
else
	skip 1 'there is no python3'
fi
says 'the prose has the place of the return address' \
	"So the return address was read at 0x7ffde1b672e8, 8 bytes below the CFA: the word 0x$(word "$inlines" 0x3e0), crash.dmp+0x3e0 in the dump."
sed -n 's/^  *\(\$r[a-z0-9]* =.*\)/\1/p; s/^ *= \(0x[0-9a-f]*\)   crash\.dmp+\(0x[0-9a-f]*\)$/\1 \2/p' "$scratch/lines" |
	$AWK 'NF == 2 { print $1, $2 }' >"$scratch/words"
is 'each saved register has its word and the place in the dump' "$(wc -l <"$scratch/words" | tr -d ' ')" 5
while read -r value offset; do
	[ "$value" = "0x$(word "$inlines" "$offset")" ] || echo "$value at $offset"
done <"$scratch/words" >"$scratch/wrong"
none 'the prose has the bytes in the dump' "$(cat "$scratch/wrong")"
t 'the word of the glossary is listed at the end' grep -qxF '    CFA: The address from which a function'\''s frame is measured.' "$scratch/lines"
none 'no line is wider than 78 columns, but for arithmetic' "$(grep -v '^      ' "$scratch/lines" | grep -E '.{79}')"

# Registers without a delta: no delta is in force.
tell "$srcdir/data/crashes/broken-cfi-amd64" --frame 0
says 'a record without deltas is described' '0 deltas in force.'
none 'the prose of a record without deltas does not explain deltas' "$(grep 'Each _delta_ behind it' "$scratch/told")"

# Several frames, and repeated ones.
tell "$inlines"
is 'a run without --frame describes all steps' "$(grep -c '^From frame' "$scratch/lines")" 8
t 'all steps are described to the end' grep -qxF 'From frame 7 to the end of the stack' "$scratch/lines"
is 'an explanation is given once' "$(grep -c 'Every function may change' "$scratch/told")" 1
is 'the prose explains how a method works' "$(grep -c 'records of the symbol file\|records of the _symbol file_' "$scratch/told")" 1
says 'the explanation of a method has its reason' 'The stack ends with frame 7: 0x55f654b5d261 is at the entry point of the process: no caller.'
says 'a caller is looked up before its return address' 'Frame 1 is at 0x55f654b5ded2, a return address. It is looked up just before that, at +0x1ed1 in inline_o2_dw4,'
tell "$pac"
says 'repeated frames are counted' 'Frames 4 to 123 are in the same functions as the 3 before them, again and again; their steps are left out.'

# A rule that reads twice: [[rsp + 40] * 0 + CFA - 8].
mkdir "$scratch/nested"
cp -R "$inlines/symbols" "$inlines/crash.dmp" "$scratch/nested"
chmod -R u+w "$scratch/nested"
edit() {
	for symbols in "$scratch"/nested/symbols/inline_o2_dw4/*/*.sym; do
		sed "$1" "$inlines/${symbols#"$scratch/nested/"}" >"$symbols"
	done
}
edit 's/^\(STACK CFI INIT 2780 .*\.ra:\) .*/\1 $rsp 40 + ^ 0 * .cfa 8 - + ^/'
tell "$scratch/nested" --frame 0
is 'the pointer to a word is read first' "$(sed -n '/^      \.ra = /,/crash\.dmp/p' "$scratch/lines" | tr -s ' ')" \
" .ra = [[\$rsp + 40] * 0 + .cfa - 8]
 = [[0x7ffde1b672c0 + 0x28] * 0 + 0x7ffde1b672f0 - 8]
 = [0x$(word "$inlines" 0x3e0) * 0 + 0x7ffde1b672f0 - 8]
 = [0x7ffde1b672e8]
 = 0x$(word "$inlines" 0x3e0) crash.dmp+0x3e0"
edit 's/^\(STACK CFI INIT 2780 .*\.ra:\) .*/\1 .cfa $rsp $rsp 8 - - - ^/'
tell "$scratch/nested" --frame 0
t 'the subtracted expression has parentheses' grep -qF '.ra = [.cfa - ($rsp - ($rsp - 8))]' "$scratch/lines"
edit 's/^\(STACK CFI INIT 2780 .*\.ra:\) .*/\1 .cfa 4096 * ^/'
tell "$scratch/nested" --frame 0
says 'a rule that fails refuses the method' 'It was refused: the rule of .ra fails: memory at 0x'
says 'the values of the rules are reported' 'Its rules, as far as they were computed:'
t 'the values are reported up to the rule that fails' grep -qE '^ +\.ra = \[\.cfa \* 4096\]' "$scratch/lines"
t 'the rule that fails has no result' grep -qE '^ +.* = not in the dump$' "$scratch/lines"

# Scans, SFrame ----------------------------------------------------------------------------------

tell "$scan" --frame 0
none 'a guess is never called exact' "$(grep 'Nothing in this step is a guess' "$scratch/told")"
tell "$scan" --frame 1
says 'a frame that was found from a guess is described so' 'Frame 1 was already a guess, and no caller is more reliable'
"$UNSPOOL" explain --prose --frame 1 --binaries "$sframe/binaries" "$sframe/crash.dmp" >"$scratch/told" 2>&1
says 'the bytes of an SFrame row with their meaning' '      40 01          CFA: sp+320'
none 'the stack pointer is described once' "$(grep 'it pointed there just' "$scratch/told")"

# Every processor ----------------------------------------------------------------------------------

# Crashes of every kind, whose records are often wrong: complete sentences, and sums that are right.
if command -v python3 >/dev/null 2>&1; then
	for kind in amd64:64:little arm:32:little arm64:64:little big-amd64:64:big big-mips:32:big mips:32:little \
		mips64:64:little ppc:32:big ppc64:64:big riscv:32:little riscv64:64:little sparc:32:big x86:32:little; do
		made=$srcdir/tests/differential/recorded/small-${kind%%:*}
		rm -f "$scratch"/thread.*
		for thread in 0 1 2 3 4 5 6 7 8; do
			"$UNSPOOL" explain --prose --thread $thread "$made/crash.dmp" "$made/symbols" \
				>"$scratch/thread.$thread" 2>/dev/null || break
		done
		bits=${kind#*:}
		python3 "$srcdir/tests/lib/check-prose.py" "$made/crash.dmp" "${bits%%:*}" "${kind##*:}" \
			"$scratch"/thread.* >"$scratch/sums" 2>&1
		is "the sums of ${kind%%:*} are right and its words are those of the dump" \
			"$(sed 's/^\([0-9]*\) sums, \([0-9]*\) words$/\1 \2/' "$scratch/sums" | $AWK 'NF != 2 || $1 < 10 || $2 < 4')" ''
		cat "$scratch"/thread.* >>"$scratch/all"
	done
	is 'methods of few processors are described' "$(sed -n 's/^The method: //p' "$scratch/all" | LC_ALL=C sort -u | tr '\n' ';')" \
		'STACK CFI;STACK WIN;back chain;bad call;frame pointer;frame record;link register;register window;stack scan;stack scan of mips;'
else
	skip 14 'no python3'
fi

# Other forms --------------------------------------------------------------------------------------

"$UNSPOOL" explain --prose --frame 0 --format markdown "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/told" 2>&1
t 'Markdown has headings' grep -qxF '### Where the frame ends: the CFA' "$scratch/told"
says 'the Markdown has marked words' 'The rule for the **CFA**, from the delta'
"$UNSPOOL" explain --prose --frame 0 --format html "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/told" 2>&1
says 'a word of the page has the text of the glossary' '<dfn class="value" tabindex="0">CFA<span class="why">CFA: The address from which'
"$UNSPOOL" explain --prose --frame 0 --json "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/told" 2>&1
says 'JSON has the passages with their words and their event' '"words":["CFA","postfix"],"event":4,"detail":false'
"$UNSPOOL" explain --frame 0 --json "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/told" 2>&1
says 'the JSON has passages only if they are requested' '"prose":null'

# The page that is stepped ------------------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if ! command -v python3 >/dev/null 2>&1; then
	browser=
fi
[ -z "$browser" ] || timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
	--dump-dom about:blank 2>/dev/null | grep -q '<html' || browser=
# steps TITLE CRASH FRAME [OPTION...]: step through the page by its keys.
steps() {
	title=$1 crash=$2 frame=$3
	shift 3
	set -- --frame "$frame" "$@" "$crash/crash.dmp"
	[ "$crash" = "$sframe" ] || set -- "$@" "$crash/symbols"
	"$UNSPOOL" explain --prose --format html "$@" >"$scratch/page.html" 2>/dev/null
	"$UNSPOOL" explain --json "$@" >"$scratch/page.json" 2>/dev/null
	if [ -z "$browser" ]; then
		skip 1 'no Chromium, or no python3'
		return
	fi
	is "stepped forwards and backwards, a page shows the engine's values: $title" \
		"$(timeout 120 python3 "$srcdir/tests/lib/drive-page.py" "$browser" "$scratch/profile" \
			"$scratch/page.html" "$scratch/page.json" 2>&1)" "steps: $(grep -c 'data-step=' "$scratch/page.html")"
}
steps 'STACK CFI' "$inlines" 0
t 'the page has a step for each token' test "$(grep -c '<mark>' "$scratch/page.html")" = 23
t 'the page loads nothing' grep -qF "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" "$scratch/page.html"
none 'the page has no address to load from' "$(grep -iE '(src|href) *=|url\(|@import' "$scratch/page.html")"
if command -v python3 >/dev/null 2>&1; then
	t 'the only script of the page is the one that its policy allows' python3 -c 'import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
scripts = re.findall("<script[^>]*>(.*?)</script>", page, re.S)
digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
assert len(scripts) == 1 and f"sha256-{digest}\x27" in page' "$scratch/page.html"
else
	skip 1 'no python3'
fi
steps 'STACK WIN' "$x86" 1
steps 'sizes of an FPO record' "$x86" 0
steps 'a scan' "$scan" 0
steps 'a signed return address' "$pac" 1
steps 'SFrame' "$sframe" 5 --binaries "$sframe/binaries"
"$UNSPOOL" explain --prose --frame 0 --redact --format html "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/page.html" 2>/dev/null
is 'a redacted stack has no words' "$(grep -c '<code class="cell"[^>]*><span class="dim">redacted *</span>' "$scratch/page.html")" 6

# A name that looks like the page's own mark of a word, or contains a control character.
edit "s/^\\(FUNC 2780 238 0\\) .*/\\1 [[CFA]]{pc}$(printf '\001CFA\002x\003')/"
tell "$scratch/nested" --frame 0
says 'a name with marks is not read as a part of a sentence' 'in [[CFA]]{pc}\x01CFA\x02x\x03 ('
edit 's/^\(FUNC 1ea0 7f 0\) .*/\1 <script>alert(1)<\/script>"/'
"$UNSPOOL" explain --prose --format html "$scratch/nested/crash.dmp" "$scratch/nested/symbols" >"$scratch/page.html" 2>/dev/null
t 'a page shows no script of the name' grep -qF '&lt;script&gt;alert(1)&lt;/script&gt;&quot;' "$scratch/page.html"
is 'a page with such a name has one script' "$(grep -ci '<script' "$scratch/page.html")" 1

done_testing
