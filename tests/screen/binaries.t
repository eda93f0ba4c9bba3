#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The modules' own files, named in the explorer or by the configuration.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

till=data/crashes/broken-cfi-amd64
unset UNSPOOL_SYMBOLS UNSPOOL_SYMBOLS_URL UNSPOOL_BINARIES

mkdir "$scratch/empty" "$scratch/home"
cp -R "$srcdir/$till/binaries" "$scratch/home/bin"

screen_case 'a directory of binaries is added' 80x24 --ascii $till/crash.dmp <<\KEYS
:save-screen before
:binaries ../empty
:save-screen none
:binaries ../home/bin
:save-screen found
:binaries ../home/../home/bin/
:save-screen again
d
:save-screen code
:try binaries ../nowhere
:save-screen nowhere
:try binaries ../script
:save-screen script
:try binaries
:save-screen what
KEYS
expect_text before '^ *1 scan 55555555522a till \+ 0x122a'
expect_text none '^none of 2 modules has its file in ../empty: see the modules view$'
expect_text found '^1 module found its file in ../home/bin; 5 frames changed, 2 gone$'
expect_text found '^>\*    0 ctx  5555555551f5 post \+ 0x0'
expect_text found '^ \*    1 tab  55555555522a settle '
expect_text again '^asked again: 1 module found its file in ../home/../home/bin/$'
expect_text code 'add +qword ptr \[rdi\], rsi'
expect_text nowhere "^no files from '../nowhere': No such file or directory$"
expect_text script "^no files from '../script': not an ELF file, Mach-O file, PE file or PDB$"
expect_text what "^give a directory, a file or a URL with the modules' own files$"

screen_case 'one file is added for two dumps' 120x40 --ascii $till/crash.dmp \
	--against $till/crash.dmp <<\KEYS
v
:binaries ../home/bin/till
:save-screen found
KEYS
expect_text found '^1 module found its file in ../home/bin/till, 1 of the other dump; 5 frames changed, 2 gone$'
expect_text found ' settle .* settle '

# A changed file is reported, and is read again on request.
cp -R "$srcdir/$till/binaries" "$scratch/now"
printf '#!/bin/sh\nrm "%s"\n' "$scratch/now/till" >"$scratch/editor"
chmod +x "$scratch/editor"
VISUAL=$scratch/editor screen_case 'a binary is gone' 80x24 --ascii --binaries "$scratch/now" \
	$till/crash.dmp $till/symbols <<KEYS
d
:save-screen code
:reload
:save-screen same
2
e
1
:save-screen offered
L
:save-screen reloaded
d
:save-screen none
KEYS
expect_text code 'add +qword ptr'
expect_text same '^no file has changed on disk'
expect_text offered '^the file till has changed on disk; L walks again with it$'
expect_text reloaded '^walked again, every frame is as before$'
refuse_text none 'add +qword ptr'

# The configuration -------------------------------------------------------------------------------

cat >"$scratch/config" <<\END
binaries ~/bin
demangle off
END
HOME=$scratch/home screen_case 'the configuration names binaries' 80x24 --ascii \
	--config "$scratch/config" $till/crash.dmp <<\KEYS
:save-screen found
KEYS
expect_text found '^ *1 tab  55555555522a settle '
HOME=$scratch/home UNSPOOL_BINARIES=$scratch/empty screen_case 'behind those of the environment' 80x24 \
	--ascii --config "$scratch/config" $till/crash.dmp <<\KEYS
8
Enter
:save-screen found
KEYS
expect_text found '^ *1 tab  55555555522a settle '

# The configuration and the command line decide how C++ names are shown.
x86=data/crashes/frame-data-x86
cp -R "$srcdir/$x86/symbols" "$scratch/mangled"
for file in "$scratch"/mangled/*/*/*.sym; do
	sed 's/ balance_of$/ _ZN4shop7balanceEv/' "$file" >"$scratch/new" && cp "$scratch/new" "$file"
done
demangled() {
	# shellcheck disable=SC2086
	screen_case "$1" 80x24 --ascii --config "$scratch/config" $2 $x86/crash.dmp \
		"$scratch/mangled" <<\KEYS
:save-screen names
KEYS
}
demangled 'names are not demangled if the configuration says so'
expect_text names ' ctx  00401005 _ZN4shop7balanceEv '
demangled 'unless the command line says otherwise' '--policy demangle=1'
expect_text names ' ctx  00401005 shop::balance'

cat >"$scratch/wrong" <<\END
binaries
system-binaries maybe
demangle
nonsense x
END
screen_case 'an error in the configuration is reported' 120x40 --ascii --config "$scratch/wrong" $till/crash.dmp <<\KEYS
9
:save-screen messages
KEYS
expect_text messages "wrong:1: 'binaries': expected one path"
expect_text messages "wrong:2: 'maybe': expected on or off"
expect_text messages "wrong:3: 'demangle': expected on or off"
expect_text messages "wrong:4: 'nonsense': expected bind, unbind,"
done_testing
