#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `unspool report`: its contents, names that cannot become markup, and the page in a browser: at the width of a
# telephone, with the keyboard alone, on paper.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

x86=$srcdir/data/crashes/frame-data-x86
inlines=$srcdir/data/crashes/inlines-amd64

# Markdown --------------------------------------------------------------------------------------

"$UNSPOOL" report "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/report.md" 2>/dev/null
has() { t "$1" grep -qxF -- "$2" "$scratch/report.md"; }
is 'the heading has the reason' "$(sed -n 1p "$scratch/report.md")" '# SIGSEGV / SEGV\_MAPERR in engine::level3'
has 'the report has the signature' '| signature | engine::level3 |'
has 'a finding has its evidence' '| found | null pointer (very likely)<br>a null pointer was used<br>- the base register rax is 0<br>- the address lies in the first 0x1000 bytes, which are never mapped |'
has 'the report has the system' '| system | Linux 6.18.44-fc-v669 \#1 SMP PREEMPT\_DYNAMIC @0 |'
has 'the report has the time of the dump' '| written | 2026-11-21 02:34:15 UTC |'
has 'the report has the version of unspool' "| report by | $("$UNSPOOL" --version | sed -n 1p) |"
has 'a frame is a row' '| 0 | given as instruction pointer in context | `000055f654b5e7f0` | engine::level3 (inlined) | inline\_o2.cc:21 |'
has 'an inlined call is a row' '|  |  |  | engine::level2 (inlined) | inline\_o2.cc:22 |'
has 'the report has the trust of the stack' 'Stack trust: 8 frames: 8 exact; trust frames 0 to 7'
has 'a module of a frame has its IDs' '| inline\_o2\_dw4 |  | B88A2D4774998A462863DE436971A9180 | 472d8ab89974468a2863de436971a9186885f35a | yes |'
none 'a module without frames is not listed' "$(grep libm.so "$scratch/report.md")"
t 'the source line is marked' grep -q '^=> 21  static inline int level3' "$scratch/report.md"
t 'registers' grep -q '^ rip   000055f654b5e7f0  \* 000055f654b5ded2' "$scratch/report.md"
t 'the instruction is marked' grep -q '^=> 55f654b5e7f0 +0x70  .*mov    eax, dword ptr \[rax\]' "$scratch/report.md"
t 'the report has words of the stack' grep -q '^ 00007ffde1b672e8 \*000055f654b5ded2   0  token 7 ' "$scratch/report.md"
none 'the report names no directory of this machine' "$(grep -F "$srcdir" "$scratch/report.md")"
is 'the report does not depend on the time' "$("$UNSPOOL" report "$inlines/crash.dmp" "$inlines/symbols" 2>/dev/null)" \
	"$(cat "$scratch/report.md")"
"$UNSPOOL" report "$x86/crash.dmp" "$x86/symbols" >"$scratch/report.md" 2>/dev/null
has 'another thread is one line of the report' '- thread 1: autosave  ledger.c:50'
"$UNSPOOL" report -t 1 "$x86/crash.dmp" "$x86/symbols" >"$scratch/report.md" 2>/dev/null
has 'another thread is reported on demand' '## Thread 1'
has 'the crashed thread is among the others if another one is reported' '- thread 0: balance\_of  ledger.c:12'

"$UNSPOOL" report --format html "$x86/crash.dmp" "$x86/symbols" >"$scratch/report.html" 2>/dev/null
t 'a fact of the dump has its bytes' \
	grep -qF 'Windows NT 5.1.2600 Service Pack 3<span class="why">from crash.dmp+0xd4</span>' "$scratch/report.html"
is 'the frame of the crash is drawn' "$(grep -c '<svg ' "$scratch/report.html")" 1
t 'the report has the ID of a module' \
	grep -qF '7A1C35E09B2D4F6885C3D1E0F2A4B6C81<span class="why">from crash.dmp+0x8bc</span>' "$scratch/report.html"

# A function whose name looks like markup.
cp -R "$x86" "$scratch/evil"
chmod -R u+w "$scratch/evil"
evil='<script>alert(1)</script>"'\''&|`'$(printf '\033[2J\342\200\256')
for symbols in "$scratch"/evil/symbols/ledger.pdb/*/ledger.sym; do
	EVIL=$evil $AWK '/ add_up$/ { sub(/add_up$/, ""); print $0 ENVIRON["EVIL"]; next } { print }' \
		"$symbols" >"$scratch/new" && cp "$scratch/new" "$symbols"
done
"$UNSPOOL" report "$scratch/evil/crash.dmp" "$scratch/evil/symbols" >"$scratch/evil.md" 2>/dev/null
t 'a name cannot be markup in Markdown' grep -qF '\<script\>alert(1)\</script\>"'\''\&\|\`\\x1b\[2J\\u202e' "$scratch/evil.md"
is 'a name cannot end a block of code' "$(grep -c '^```*$' "$scratch/evil.md")" 16

# HTML ------------------------------------------------------------------------------------------

"$UNSPOOL" report --format html "$scratch/evil/crash.dmp" "$scratch/evil/symbols" >"$scratch/evil.html" 2>/dev/null
t 'a name cannot be markup in HTML' grep -qF '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;|`\x1b[2J\u202e' "$scratch/evil.html"
none 'the page has no script' "$(grep -i '<script' "$scratch/evil.html")"
none 'the report loads no file' "$(grep -iE '(src|href) *=|url\(|@import' "$scratch/evil.html")"
is 'an unknown form is refused' "$("$UNSPOOL" report --format pdf "$x86/crash.dmp" 2>&1 | sed -n 1p)" \
	"unspool: --format is markdown or html, not 'pdf'"

# A browser -------------------------------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
browse() {
	timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
		--allow-file-access-from-files "$@" 2>/dev/null
}
# The page in frames of several widths, as a reader would see it.
cat >"$scratch/look.html" <<'HTML'
<!DOCTYPE html>
<html><body><script>
const found = [];
function look(width, name) {
	const frame = document.createElement("iframe");
	frame.style.cssText = `width:${width}px;height:800px;border:0`;
	frame.src = name;
	frame.onload = () => {
		const page = frame.contentDocument, body = page.documentElement;
		const say = (text) => { found.push(`${width} ${text}`); };
		say(body.scrollWidth <= body.clientWidth ? "fits" : `is ${body.scrollWidth} wide`);
		const value = page.querySelector("pre .value"), why = value.querySelector(".why");
		const shown = () => frame.contentWindow.getComputedStyle(why).display;
		const before = shown();
		value.focus();
		const box = why.getBoundingClientRect();
		say(`evidence ${before} then ${shown()} ${box.bottom <= 800 && box.left >= 0 && box.right <= width}`);
		say(`scripts ${page.scripts.length} folds ${page.querySelectorAll("details:not([open])").length}`);
		say(`cells ${frame.contentWindow.getComputedStyle(page.querySelector(".wide td")).display}`);
		say(`bold ${frame.contentWindow.getComputedStyle(page.querySelector(".title")).fontWeight}`);
		document.title = "done";
		document.body.replaceChildren(...found.flatMap((line) => [line, document.createElement("br")]));
	};
	document.body.append(frame);
}
look(Number(location.hash.slice(1)), "page.html");
</script></body></html>
HTML
[ -n "$browser" ] && browse --dump-dom about:blank >"$scratch/blank" && grep -q '<html' "$scratch/blank" || browser=
for page in evil inlines; do
	[ "$page" = evil ] && cp "$scratch/evil.html" "$scratch/page.html"
	[ "$page" = evil ] || "$UNSPOOL" report --format html "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/page.html" 2>/dev/null
	folds=$([ "$page" = evil ] && echo 1 || echo 0)
	for width in 390 1200; do
		if [ -z "$browser" ]; then
			skip 1 'no Chromium'
			continue
		fi
		cells=$([ $width = 390 ] && echo block || echo table-cell)
		browse --virtual-time-budget=9000 --dump-dom "file://$scratch/look.html#$width" >"$scratch/dom"
		is "the page '$page' is read at $width pixels, without a mouse" \
			"$(sed -n '/^<html><head><title>done/s/<br>/ /gp' "$scratch/dom" | sed 's/<[^>]*>//g; s/^done//; s/ *$//')" \
			"$width fits $width evidence none then block true $width scripts 0 folds $folds $width cells $cells $width bold 700"
	done
done
if [ -n "$browser" ] && command -v pdftotext >/dev/null 2>&1; then
	browse --print-to-pdf="$scratch/paper.pdf" "file://$scratch/evil.html" >/dev/null
	pdftotext -layout "$scratch/paper.pdf" "$scratch/paper"
	t 'a folded thread is printed' grep -q '7c90eb94' "$scratch/paper"
	t 'the evidence is printed' grep -q '0012fe8c\] = 00403008' "$scratch/paper"
else
	skip 2 'no Chromium, or no pdftotext'
fi

# More threads than are kept in memory: 8,192 empty statuses.
{
	printf '\177\105\114\106\002\001\001\000\000\000\000\000\000\000\000\000\004\000\076\000\001\000\000\000'
	printf '\000\000\000\000\000\000\000\000\100\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
	printf '\000\000\000\000\100\000\070\000\001\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000'
	printf '\170\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
	printf '\000\200\002\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
	printf '\005\000\000\000\000\000\000\000\001\000\000\000CORE\000\000\000\000%.0s' $(seq 8192)
	printf '\000'
} >"$scratch/threads.core"
"$UNSPOOL" report "$scratch/threads.core" >"$scratch/threads.md" 2>"$scratch/err"
t 'a report with very many threads walks some and counts the others' grep -qx '4096 threads were not walked' "$scratch/threads.md"

done_testing
