#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The HTML pages of the documents (doc/site/make): every link leads to a page and a heading, nothing comes from
# a network, the search finds sections, and a screen of 360 pixels or in dark colours can be read.
. "$(dirname "$0")/lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
command -v cmark-gfm >/dev/null 2>&1 || skip_all 'cmark-gfm is not installed'
command -v mandoc >/dev/null 2>&1 || skip_all 'mandoc is not installed'
if lacks capstone; then
	skip_all 'the example needs capstone'
fi

site=$scratch/site
t 'the pages are made' "$srcdir/doc/site/make" "$UNSPOOL" "$site" || { done_testing; exit; }
for document in $(cd "$srcdir" && ls doc/*.md); do
	t "$document has a page" test -s "$site/${document%.md}.html"
done
for manual in $(cd "$srcdir" && ls doc/*.[1-9]); do
	t "$manual has a page" test -s "$site/$manual.html"
done
pages=$(cd "$site" && find . -name '*.html' | sed 's,^\./,,' | sort)

# targets PAGE: every link of a page, without those to other sites.
targets() { grep -oE '(href|src)="[^"]*"' "$site/$1" | sed 's/^[a-z]*="//; s/"$//' | grep -v '^[a-z]*:' | sort -u; }
for page in $pages; do
	targets "$page" | while read -r target; do
		case $target in
		'#'*) file=$page ;;
		*) file=$(dirname "$page")/${target%%#*} ;;
		esac
		[ -f "$site/$file" ] || { echo "$page: $target: no such file"; continue; }
		case $target in
		*'#'*) grep -qF "id=\"${target#*#}\"" "$site/$file" || echo "$page: $target: no such heading" ;;
		esac
	done
done >"$scratch/broken"
none 'every link leads to a page and to a heading of it' "$(cat "$scratch/broken")"
none 'no page loads anything from a network' \
	"$(cd "$site" && grep -nE '(src="|<link[^>]*href="|@import|url\()[ "]*(https?:)?//' $pages page.css)"
for page in $pages; do
	targets "$page" | while read -r target; do
		[ "$target" = "${page##*/}" ] || echo "${target%%#*}"
	done
done | sed 's,.*/,,' | sort -u >"$scratch/linked"
for page in $pages; do
	grep -qxF "$(basename "$page")" "$scratch/linked" || echo "$page"
done >"$scratch/alone"
none 'a link leads to each page' "$(cat "$scratch/alone")"
t 'the start page shows a stack that can be stepped' grep -q '<iframe src="doc/example.html"' "$site/index.html"
for play in "$srcdir"/doc/site/casts/*.play; do
	cast=doc/casts/$(basename "$play" .play)
	screens=$(sed '1,2d' "$play" | grep -cv '^say ')
	is "$cast: the page has each screen as text, 24 rows of it" \
		"$(grep -c '<pre>' "$site/$cast.html") $(sed -n '/<pre>/,/<\/pre>/p' "$site/$cast.html" | wc -l)" \
		"$screens $((24 * screens))"
	command -v python3 >/dev/null 2>&1 || { skip 1 'there is no python3'; continue; }
	is "$cast: the asciicast has a head of version 2, and each screen clears the one before" "$(python3 -c '
import json, sys
head, *events = map(json.loads, open(sys.argv[1]))
print(head["version"], head["width"], head["height"], len(events),
      all(time == 3 * i and kind == "o" and text.startswith("\x1b[H\x1b[2J") and text.count("\r\n") == 23
          for i, (time, kind, text) in enumerate(events)))' "$site/$cast.cast")" "2 80 24 $screens True"
done
t 'folders that are not pages are kept' sh -c '
	mkdir "$1/mine" && touch "$1/mine/file" && ! "$2" "$3" "$1/mine" && test -f "$1/mine/file"' \
	sh "$scratch" "$srcdir/doc/site/make" "$UNSPOOL"

# In a browser -----------------------------------------------------------------------------------

browser=
for candidate in chromium chromium-browser google-chrome; do
	command -v $candidate >/dev/null 2>&1 && { browser=$candidate; break; }
done
if [ -z "$browser" ]; then
	skip 4 'no headless browser (chromium) is installed'
	done_testing
	exit
fi
# rendered PAGE OPTION...: the page after its scripts have run.
rendered() {
	page=$1
	shift
	"$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --virtual-time-budget=20000 \
		--user-data-dir="$scratch/browser" "$@" --dump-dom "file://$page" 2>/dev/null
}
{
	cat <<'END'
<!DOCTYPE html><body><pre id="result"></pre><iframe id="narrow" style="width:360px;height:640px;border:0"></iframe>
<script>
const frame = document.getElementById("narrow"), result = document.getElementById("result");
const loaded = (url) => new Promise((done) => { frame.onload = done; frame.src = url; });
(async () => {
	for (const page of pages) {
		await loaded(page);
		const width = frame.contentDocument.documentElement.scrollWidth;
		if (width > 360)
			result.textContent += page + " is " + width + " pixels wide\n";
	}
	await loaded("index.html");
	const box = frame.contentDocument.getElementById("search");
	for (const words of ["return address", "zzzyx"]) {
		box.value = words;
		box.dispatchEvent(new Event("input"));
		result.textContent += "found " + frame.contentDocument.querySelectorAll("#found a").length + "\n";
	}
	const style = frame.contentWindow.getComputedStyle(frame.contentDocument.body);
	result.textContent += "colours " + style.color + " on " + style.backgroundColor + "\n";
	result.textContent += "end\n";
})();
</script>
END
} >"$site/check.html"
sed -i "s|^const frame|const pages = [$(echo "$pages" | sed 's/.*/"&",/' | tr -d '\n')]; const frame|" "$site/check.html"
rendered "$site/check.html" --blink-settings=preferredColorScheme=0 >"$scratch/dark"
if ! grep -q '^end' "$scratch/dark"; then
	skip 4 'the headless browser does not run here'
	done_testing
	exit
fi
none 'no page is wider than a screen of 360 pixels' "$(grep '[0-9] pixels wide' "$scratch/dark")"
is 'the search finds sections with all words' "$(grep -c '^.*found 20$' "$scratch/dark")" 1
is 'the search finds nothing without a match' "$(grep -c '^found 0$' "$scratch/dark")" 1
t 'pages are light on dark if the user wants that' grep -qE 'colours rgb\((2[0-9][0-9], ){2}2[0-9][0-9]\) on rgb\([0-4]?[0-9], [0-4]?[0-9], [0-4]?[0-9]\)' \
	"$scratch/dark"
done_testing
