#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The explorer without a screen: commands in, rows out; scripts and records of sessions.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
export XDG_STATE_HOME XDG_CONFIG_HOME

# plain LINE...: the output of the program for these lines.
plain() { printf '%s\n' "$@" | "$UNSPOOL" --plain "$crash/crash.dmp" "$crash/symbols" 2>&1; }

# has TITLE TEXT REGEX, lacks TITLE TEXT REGEX
has() { t "$1" sh -c 'printf "%s\n" "$1" | grep -qE -- "$2"' sh "$2" "$3"; }
lacks() { none "$1" "$(printf '%s\n' "$2" | grep -E -- "$3")"; }

# Reading and printing ---------------------------------------------------------------------------

out=$(plain s '' | sed '1,/^frame 0 /d')
has 'an empty line repeats the command' "$out" '^> +2  \.raSearchStart'
lacks 'a repeated step prints no rest of the view' "$out" '^ +3 '

plain nonsense >/dev/null
is 'a pipe of commands ends with 1 if one fails' $? 1
plain bt >/dev/null
is 'else with 0' $? 0
none 'the session writes no state' "$(find "$scratch/state" -type f 2>/dev/null)"

# If a name had two rows, only the first would count.
none 'no setting has two rows' "$(grep -oE '^SF?\([a-z_.]*' "$srcdir/ui/session/setting.def" | sort | uniq -d)"
none 'no word of another debugger has two rows' "$(sed -n 's/^A("\([^"]*\)".*/\1/p' "$srcdir/ui/request/alias.def" | sort | uniq -d)"

# Scripts ----------------------------------------------------------------------------------------

# script NAME LINE...: a file of lines
script() { name=$1; shift; printf '%s\n' "$@" >"$scratch/$name"; }
run() { "$UNSPOOL" --script "$@" "$crash/crash.dmp" "$crash/symbols" 2>"$scratch/err" </dev/null; }

script good '# what must be' 'f' ':expect add_up' 'lm' 'expect kernel32.dll' ':try goto nowhere'
run "$scratch/good"
is 'a script of keys and commands exits with 0' $? 0
run "$scratch/good" --plain >"$scratch/out"
is 'the script runs without a screen' $? 0
t 'the script prints its results' grep -q '^\[modules\]' "$scratch/out"
script bad bt 'expect no_such_function' ':goto nowhere'
run "$scratch/bad"
is 'a missing expected text exits with 1' $? 1
is 'a missing expected text is reported with its line' "$(sed 's,.*/bad:,bad:,' "$scratch/err")" \
	"bad:2: expected 'no_such_function': not found in [stack]
bad:3: 'nowhere' not found"
run "$scratch/bad" --plain >"$scratch/out"
is 'a missing expected text exits with 1 without a screen' $? 1
script erased '/' 'ä' Backspace 'n' 'o' 's' 'u' 'c' 'h' Enter
run "$scratch/erased" --plain >"$scratch/out"
t 'Backspace takes a whole character away' grep -q "^'nosuch' not found in this view" "$scratch/out"
script values 'expect-value frame 1 rule program text $T0 $ebp' ':expect-value frame 0 read 1 value $esp 4 + ^' \
	'expect-value frame 0 method text STACK WIN' 'expect-value frame 0 set eip value 12' 'expect-value frame 0 set'
run "$scratch/values"
is 'answers of queries are expected, too: values by expressions, others as words' "$(sed 's,.*/values:,,' "$scratch/err" |
	cut -c 1-58)" "1: expected '\$T0 \$ebp', found '\$T0 \$ebp = \$eip \$T0 4 + ^ =
4: expected 0x12, found 0x401048
5: expected a name at the end"
"$UNSPOOL" --script - "$crash/crash.dmp" "$crash/symbols" <"$scratch/bad" 2>/dev/null
is 'a script comes from standard input' $? 1
script nonsense 'frobnicate this'
run "$scratch/nonsense"
is 'a line that is neither key nor command is refused before anything is done' $? 3

# Records ----------------------------------------------------------------------------------------

# Keys are recorded as commands that lead to the same screens, also with one key fewer and on another
# screen. The rows above the selection, which a page key changes, depend on the screen's size.
script session f s s ':' 'type goto 0x12fe90' Enter C-o 8 / 'type nt' Enter n '&' 'type 7c' Enter Down \
	'?' PgDn / 'type mark' Enter q m a 5 Down "'" a 4 PgDn PgUp Down ':try goto nowhere' . x zoom ':save-screen one'
(cd "$scratch" && run "$scratch/session" --record "$scratch/record")
t 'a session is recorded' test -s "$scratch/record"
none 'the record of a session has commands only' "$(grep -v '^[:#]' "$scratch/record")"
t 'the record has the commands of keys' grep -qx ':step frame' "$scratch/record"
t 'the record has the typed commands' grep -qx ':goto 0x12fe90' "$scratch/record"
t 'the record has the commands that failed' grep -qx ':try goto nowhere' "$scratch/record"
mv "$scratch/one" "$scratch/first"
(cd "$scratch" && run "$scratch/record")
is 'the record runs without an error' $? 0
is 'the record paints the same screen' "$(cat "$scratch/one")" "$(cat "$scratch/first")"
run "$scratch/record" --record "$scratch/record"
is 'a record does not overwrite another one' $? 3
sed '1d; /save-screen/d' "$scratch/record" >"$scratch/again"
run "$scratch/again" --record "$scratch/second"
is 'a record of a record is the same' "$(sed 1d "$scratch/second")" "$(cat "$scratch/again")"

# The first line is the command: with symbols, methods and all that a shell needs.
mkdir "$scratch/it's here"
rm -f "$scratch/one"
script scanned 3 ':save-screen one'
(cd "$scratch" && run "$scratch/scanned" --methods stack-scan --record=scanned2 --binaries "it's here")
mv "$scratch/one" "$scratch/first"
# shellcheck disable=SC2016
repeat=$(sed -n '1s,^# unspool --script THIS,"$UNSPOOL" --script scanned2,p' "$scratch/scanned2")
(cd "$scratch" && eval "$repeat")
is 'the first line of the record repeats the session' "$(cat "$scratch/one")" "$(cat "$scratch/first")"
t 'the session is repeated with its methods' grep -q 'stack scan' "$scratch/one"
t 'the session is repeated with its places' grep -qF " --binaries 'it'\\''s here' " "$scratch/scanned2"
none 'the session is repeated without the option that wrote the record' "$(grep -e --record "$scratch/scanned2")"

# Configuration ----------------------------------------------------------------------------------

mkdir -p "$scratch/config/unspool"
cat >"$scratch/config/unspool/config" <<\END
# a comment

bind F5 goto frame 2
bind gg last
set rows 2
set rows many
bind nokey quit
bind F6 frobnicate this
unbind F7
frobnicate
source-map one
symbols "not closed
END
has 'a bound key runs its command' "$(plain F5 2>&1)" '^> +2 win '
has 'a bound pair of keys runs its command' "$(plain gg 2>&1)" '^> \+ thread 1'
has 'a setting is set' "$(plain bt)" '^rows 1 to 2 of 9'
out=$(plain q)
for wrong in "config:6: 'rows' cannot be 'many'; expected a number" "config:7: unknown key 'nokey'; expected for example" \
	"config:8: unknown command 'frobnicate this'" "config:9: 'F7' has no binding" \
	"config:10: 'frobnicate': expected bind, unbind, set, symbols, symbols-url, binaries, system-binaries, offline, follow-pointers, demangle, sandbox, signature-rules or source-map" \
	"config:11: 'one': expected two paths" "config:12: 'symbols': expected one path"; do
	t "a wrong setting is reported: $wrong" sh -c 'printf "%s\n" "$1" | grep -qF -- "$2"' sh "$out" "$wrong"
done
printf 'reload\n' >"$scratch/reloads"
"$UNSPOOL" --script "$scratch/reloads" "$crash/crash.dmp" "$crash/symbols" >"$scratch/out" 2>"$scratch/err"
is 'a script on an invisible screen reports each wrong setting once, too' \
	"$?$(grep -o '^unspool: config:[0-9]*' "$scratch/err")" '0unspool: config:10
unspool: config:11
unspool: config:12
unspool: config:6
unspool: config:7
unspool: config:8
unspool: config:9'
lacks '--no-config reads no configuration' "$(printf 'q\n' |
	"$UNSPOOL" --plain --no-config "$crash/crash.dmp" "$crash/symbols" 2>&1)" 'config:'
printf 'symbols %s/symbols\n' "$crash" >"$scratch/mine"
# The first 1 MB of a file counts.
{ echo 'set base 10'; yes '#' | head -c 1048564; } >"$scratch/large"
plain_of_large() { printf 'Q\n' | "$UNSPOOL" --plain --config "$scratch/large" "$crash/crash.dmp" 2>&1 | grep -c 'has more than 1 MB'; }
is 'a configuration of 1 MB is read' "$(plain_of_large)" 0
echo >>"$scratch/large"
is 'a message says that the end of a larger configuration is ignored' "$(plain_of_large)" 1
has '--config names another file, and its symbols are used' "$(printf 'bt\n' |
	"$UNSPOOL" --plain --config "$scratch/mine" "$crash/crash.dmp" 2>&1)" ' balance_of '
"$UNSPOOL" --plain --config "$scratch/none" "$crash/crash.dmp" </dev/null 2>/dev/null
is 'a missing configuration is an error' $? 3
none 'the example changes nothing and has no error' "$(printf 'q\n' | "$UNSPOOL" --plain \
	--config "$srcdir/data/config.example" "$crash/crash.dmp" 2>&1 | grep config)"
sed -n 's/^#\(bind\|set\) /\1 /p' "$srcdir/data/config.example" >"$scratch/all"
t 'the example has keys' grep -q '^bind s step token' "$scratch/all"
none 'each line of the example may be used' "$(printf 'q\n' | "$UNSPOOL" --plain --config "$scratch/all" \
	"$crash/crash.dmp" "$crash/symbols" 2>&1 | grep 'all:')"

done_testing
