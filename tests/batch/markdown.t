#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Walks and steps as Markdown: complete tables, and names that cannot become markup.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

x86=$srcdir/data/crashes/frame-data-x86

"$UNSPOOL" walk --format markdown "$x86/crash.dmp" "$x86/symbols" >"$scratch/walk" 2>"$scratch/errors"
is 'the heading has the reason' "$(sed -n 1p "$scratch/walk")" '# EXCEPTION\_ACCESS\_VIOLATION\_READ in balance\_of'
t 'the address is a row' grep -qx '| address | 0x8, a small number |' "$scratch/walk"
t 'a frame is a row' grep -qx '| 1 | call frame info | `00401048` | add\\_up | ledger.c:21 |' "$scratch/walk"
t 'the trust of the stack is printed' grep -qx 'Stack trust: 6 frames: 5 exact, 1 by frame pointer; trust frames 0 to 5' "$scratch/walk"
t 'the end is printed' grep -qx 'End of the stack: return address 0: bottom of the stack' "$scratch/walk"
t 'modules are rows' grep -q '^| `00400000` | ledger.exe | .* | yes |$' "$scratch/walk"
# The number of cells of a row: unescaped bars, less one.
cells() { sed 's/\\|//g' "$1" | $AWK -F '|' '/^\|/ { print NF - 2 } !/^\|/ { print "-" }' | uniq; }
is 'every row of a table has as many cells' "$(cells "$scratch/walk" | grep -v -- - | tr '\n' ' ')" '2 5 5 4 '
is 'the Markdown does not depend on the time' "$("$UNSPOOL" walk --format markdown "$x86/crash.dmp" "$x86/symbols" 2>/dev/null)" \
	"$(cat "$scratch/walk")"
t '--brief leaves out modules' sh -c '! "$1" walk --format markdown --brief "$2" | grep -q Modules' sh "$UNSPOOL" "$x86/crash.dmp"

"$UNSPOOL" explain --format markdown "$x86/crash.dmp" "$x86/symbols" >"$scratch/step" 2>/dev/null
t 'a step has its registers' grep -qx '| eip | `00401005` | `00401048` |' "$scratch/step"
t 'the step has its unknown registers' grep -qx '| eax | `000000af` | `unknown` |' "$scratch/step"
is 'the step has all that explain prints' "$(sed '1,/^```$/d; $d' "$scratch/step")" \
	"$("$UNSPOOL" explain "$x86/crash.dmp" "$x86/symbols" 2>/dev/null)"

# The same as a page of HTML.
"$UNSPOOL" explain --format html "$x86/crash.dmp" "$x86/symbols" >"$scratch/step.html" 2>/dev/null
is 'the step is written as HTML' "$(grep -cF '<td data-column="frame 1"><code>00401048</code></td>' "$scratch/step.html")" 1
t 'the step in HTML has the drawing of the frame' grep -q '<svg ' "$scratch/step.html"
is 'the output of explain is a block of the page' \
	"$(sed -n '/^<pre>/,/<\/pre>$/p' "$scratch/step.html" | sed 's/<[^>]*>//g; s/&gt;/>/g; s/&lt;/</g; s/&#39;/'\''/g; s/&amp;/\&/g' | sed '$d')" \
	"$("$UNSPOOL" explain "$x86/crash.dmp" "$x86/symbols" 2>/dev/null)"
"$UNSPOOL" walk --format html "$x86/crash.dmp" "$x86/symbols" >"$scratch/walk.html" 2>/dev/null
t 'a walk is written as a page' grep -qF '<td data-column="function" class="breaks">add_up</td><td data-column="source">ledger.c:21</td>' \
	"$scratch/walk.html"

# A function whose name looks like markup: |, `, <b>, *, and a link.
cp -R "$x86" "$scratch/evil"
chmod -R u+w "$scratch/evil"
for symbols in "$scratch"/evil/symbols/ledger.pdb/*/ledger.sym; do
	sed 's/ add_up$/ a|b`c`<b>*x*[y](z)/' "$symbols" >"$scratch/new" && cp "$scratch/new" "$symbols"
done
"$UNSPOOL" walk --format markdown -c "$scratch/evil/crash.dmp" "$scratch/evil/symbols" >"$scratch/evil.md" 2>/dev/null
t 'a name cannot be markup' grep -qF '| a\|b\`c\`\<b\>\*x\*\[y\](z) | ledger.c:21 |' "$scratch/evil.md"
"$UNSPOOL" explain --markdown --frame 1 "$scratch/evil/crash.dmp" "$scratch/evil/symbols" >"$scratch/evil.step" 2>/dev/null
is 'a name cannot close the fence' "$(grep -c '^```*$' "$scratch/evil.step")" 2

done_testing
