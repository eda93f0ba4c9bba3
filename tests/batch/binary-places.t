#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Where modules' own files are searched: every place, near misses, the contents of the files, remedies; and
# the parts that dwz moved to another file.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/compiled.sh"

compiled_needs gcc objcopy
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES UNSPOOL_SYMBOLS_URL DEBUGINFOD_URLS

compile ledger -O1 -g <<\END || skip_all 'nothing can be compiled'
static inline __attribute__((always_inline)) int
balance_of(int *account)
{
	return *(volatile int *)account;
}

int
add_up(int *account)
{
	return balance_of(account) + 1;
}

int
main(void)
{
	int account = 0;

	return add_up(&account);
}
END
cd "$scratch" || exit 1
# In a folder that no search reaches.
mkdir -p kept/deep/down && mv ledger kept/deep/down
whole=$scratch/kept/deep/down/ledger
compiled_crash "$whole" "$(compiled_address "$whole" add_up | cut -d ' ' -f 1)" >crash
id=$(readelf -n "$whole" | sed -n 's/.*Build ID: //p')
rest=${id#??}
first=${id%"$rest"}
guid=$(sed -n 's/^M .* \([^ ]*\) ledger$/\1/p' crash)

# symbols DIRECTORY...: the report about the module; `status` gets the exit status.
symbols() {
	symbols_left=$#
	while [ "$symbols_left" -gt 0 ]; do
		symbols_left=$((symbols_left - 1))
		set -- "$@" --binaries "$1"
		shift
	done
	"$UNSPOOL" symbols --no-system-binaries crash "$@" >out 2>err
	status=$?
	sed 's/^ *//; s/ *$//' out >trimmed
}
# says TITLE LINE: the output has the line, ignoring blanks around it.
says() { t "$1" grep -qxF -e "$2" trimmed || sed 's/^/# /' out; }
# from LABEL TO: the rows from one label up to another, or to the end.
from() { sed -n "/^  $1/,/^  $2/p" out | sed "/^  $2/d"; }

"$UNSPOOL" symbols crash >out 2>err
is 'a module without symbols is a finding' $? 1
none 'there is no message about places that were not searched' "$(grep '^  binary' out)"
t "a message says that the module's own file would help" grep -qF \
	"the module's own file also has names and unwind rules: give it or its directory with '--binaries'" out

# This system's ------------------------------------------------------------------------------------------

mkdir none
sed "s,^\(M .*\) ledger\$,\1 $whole," crash >placed
"$UNSPOOL" symbols --brief --binaries none placed >out 2>err
is "this system's file is found after the directories, at the place in the dump" "$(cat out)" "ledger   $whole: names, lines, unwind rules"
"$UNSPOOL" symbols --brief --no-system-binaries --binaries none placed >out 2>err
is 'an option refuses the file of this system' "$(cat out)" 'ledger   no symbols, no file of its own'
"$UNSPOOL" symbols --brief placed >out 2>err
is 'the file of this system is not searched without --binaries' "$(cat out)" 'ledger   no symbols'
cp "$whole" right-build
objcopy --remove-section .note.gnu.build-id right-build "$whole"
"$UNSPOOL" symbols --brief --binaries none placed >out 2>err
is 'a file there without the ID is not used' "$(cat out)" 'ledger   no symbols, no file of its own'
is 'a file without the ID is not reported' "$(cat err)" ''
mv right-build "$whole"
"$UNSPOOL" symbols --binaries none crash >out 2>err
none 'a file of this system is not used for its name alone' "$(sed '1,/^ *\/$/d; /^  debug/q' out | grep -E '^ *not there *ledger')"
sed 's,^\(M .*\) [^ ]* \([^ ]*\)$,\1 000000000000000000000000000000000 \2,' placed >unknown
"$UNSPOOL" symbols --binaries none unknown >out 2>err
none 'modules without an ID have no file of the system' "$(grep -F /usr/lib/debug out)"

# Found -----------------------------------------------------------------------------------------------

mkdir empty right
cp "$whole" right
symbols empty right
is 'a file with names is as good as symbols' $status 0
is 'every searched place is listed, in order' "$(from binary debug)" "  binary    empty
              not there   ledger/$guid/ledger
              not there   ledger
            right
              not there   ledger/$guid/ledger
              used   ledger   by its name"
is 'the list names the records that the file has' "$(sed -n '/^  gives/,$p' out | head -2)" \
	'  gives     unwind rules of .eh_frame
            1 unit of DWARF: names, lines and inlined calls   the binary'
none 'the list has no further hint' "$(grep '^  help' out)"
is 'a message has all places in a line' "$("$UNSPOOL" symbols --brief --binaries right crash 2>err)" \
	'ledger   right/ledger: names, lines, unwind rules'
is 'UNSPOOL_BINARIES has the effect that it has on a walk' "$(UNSPOOL_BINARIES=empty:right "$UNSPOOL" symbols --brief crash 2>err)" \
	'ledger   right/ledger: names, lines, unwind rules'
symbols right/ledger
is 'a single given file is a place' "$(from binary end)" '  binary    right/ledger
              used   the given file or directory'

# Debug files -----------------------------------------------------------------------------------------

mkdir -p stripped ids/.build-id/"$first" linked
objcopy -S "$whole" stripped/ledger
symbols stripped
t 'the debug file of a stripped program is suggested with its places' grep -qF \
	"no DWARF, so no lines and no inlined calls: install its debug file, or give a directory that has '.build-id/$first/$rest.debug' with '--binaries'" \
	out
"$UNSPOOL" summary --binaries stripped crash >out 2>err
t 'the summary has one line about it' grep -q \
	"^  *ledger is stripped: give its debug file, or a directory that has it, with '--binaries'\$" out
shown() { "$UNSPOOL" walk "$@" crash 2>err | sed -n '/^Loaded/,$p' | grep -c 'WARNING: No symbols, ledger'; }
is 'the modules of a walk lack symbols if a file is stripped or absent, but not if it has names' \
	"$(shown --binaries stripped) $(shown) $(shown --binaries right)" '1 1 0'
is "Breakpad's layout never has them from the program" "$(shown --compat breakpad --binaries right)" 1
none 'no hint says to dump the symbols of a stripped program' "$(grep dump_syms out)"
objcopy --only-keep-debug "$whole" ids/.build-id/"$first/$rest".debug
symbols stripped ids
is 'a walk with the debug file has all names' $status 0
none 'the summary no longer calls the program stripped' \
	"$("$UNSPOOL" summary --binaries stripped --binaries ids crash 2>err | grep 'is stripped')"
says 'the debug file is found by the build id of the program' "used   .build-id/$first/$rest.debug   by its build id"
says 'the debug file has lines' '1 unit of DWARF: names, lines and inlined calls   the debug file'
symbols ids
t 'a debug file without an ID does not prove its module, so the program is searched' grep -qF "help      find 'ledger'" out
objcopy --only-keep-debug "$whole" linked/ledger.dbg
(cd linked && objcopy -S --add-gnu-debuglink=ledger.dbg "$whole" ledger)
symbols linked
says 'the file that .gnu_debuglink names is used' 'used   ledger.dbg   named in .gnu_debuglink'
echo more >>linked/ledger.dbg
symbols linked
says 'another file with the name in .gnu_debuglink is refused' '! refused   ledger.dbg   named in .gnu_debuglink'
t 'the other file is refused for its checksum' grep -q '  the checksum differs from .gnu_debuglink: expected .*, found ' out
if command -v xz >which; then
	mkdir mini
	objcopy --only-keep-debug --strip-debug "$whole" names && xz names
	objcopy -S --add-section .gnu_debugdata=names.xz "$whole" mini/ledger
	symbols mini
	says 'the program has compressed symbols' 'used   in its .gnu_debugdata'
	t 'names come from the compressed symbols' grep -q 'functions in .symtab   its .gnu_debugdata$' out
else
	skip 2 'there is no xz'
fi

# Near misses -----------------------------------------------------------------------------------------

compile other -O2 <<\END
int main(void) { return 7; }
END
mkdir -p near/other near/locked
mv other near/other/ledger
cp "$whole" near/locked
chmod 0 near/locked/ledger

# refused DIRECTORY PATTERN TITLE: the file in DIRECTORY is not used, with a reason that matches PATTERN. Other
# reasons are those of tests/unit/locate/t-places.c.
refused() {
	symbols "$1"
	is "$3 is not a file of the module" $status 1
	says "$3 is told" '! refused   ledger   by its name'
	t "the reason is reported: $3" grep -qE "^ {16}$2\$" out || sed 's/^/# /' out
}
refused near/other 'another build, an ELF file: expected id [0-9a-fA-F]{32}, found [0-9a-fA-F]{32}' 'another build'
t 'the build that would help is named' grep -qF "help      find 'ledger' of the build with the ID $guid, and" out
if [ "$(id -u)" -ne 0 ]; then
	refused near/locked '.*Permission denied' 'a file that is not readable'
else
	skip 3 'root may read everything'
fi
# Files with the right ID outside of every searched path.
mkdir -p near/deep/there
cp "$whole" near/deep/there
symbols near/deep
is 'a program in a directory further down is reported, with the help' "$(from near binary)" "  near      near/deep/there/ledger
              ! it is one directory further down
              name 'near/deep/there' with '--binaries'"
printf 'M 0000555500000000 0000000000000000 0000000000400000 %033d ledger\n' 0 >module
sed '/^M /d' crash | sed '/^C /r module' >unknown
"$UNSPOOL" symbols unknown --binaries right >out 2>err
is 'a file of this machine is used if the dump has no id' $? 0
t 'the use of a file without an id has a warning' grep -q 'used, because its name matches' err

# JSON ------------------------------------------------------------------------------------------------

"$UNSPOOL" symbols --json --binaries near/other --binaries right crash >json 2>err
t 'JSON has the refused file with the reason and the used one' grep -qE \
	'"outcome":"refused","why":"another build.*"outcome":"used","why":null' json

# dwz -------------------------------------------------------------------------------------------------

command -v dwz >which || { skip 9 'there is no dwz'; done_testing; exit; }
cat >src/shared.h <<'END'
struct account {
	int number;
	long balance;
	struct account *next;
	struct { int day, month, year; } opened;
	char name_of_the_holder[64];
};
static inline __attribute__((always_inline)) int
balance_in_the_shared_header(struct account *account)
{
	return *(volatile int *)&account->number + (int)account->balance;
}
END
for name in one two; do
	compile $name -O1 -g <<END
#include "shared.h"
int
${name}_main(struct account *account)
{
	return balance_in_the_shared_header(account) - 1;
}
int
main(void)
{
	struct account account = { 0 };

	return ${name}_main(&account);
}
END
	cp $name $name.whole
done
dwz -m shared.dwz one two 2>err || { skip 9 "dwz: $(head -n 1 err)"; done_testing; exit; }
[ -f shared.dwz ] || { skip 9 'dwz found nothing to share'; done_testing; exit; }
address=$(compiled_address one one_main | cut -d ' ' -f 1)
compiled_crash "$scratch/one" "$address" >crash
# answers DIRECTORY...: the inlined functions, their callers and lines.
answers() {
	symbols "$@"
	set --
	for directory in $dwz_directories; do
		set -- "$@" --binaries "$directory"
	done
	"$UNSPOOL" identify --no-system-binaries "$@" crash "0x$(printf %x $((0x$compiled_base + 0x$address)))" 2>err |
		sed -n 's/^ inlined *\(.*\), called at .*\(one.c:[0-9]*\).*/\1 \2/p'
}
mkdir -p pair alone names/.build-id
cp one shared.dwz pair
dwz_directories=pair
is 'entries that dwz moved are read from the file that the path names' "$(answers pair)" 'balance_in_the_shared_header one.c:5'
says 'the place where the file was found is reported' 'used   named in .gnu_debugaltlink'
cp one alone
dwz_directories=alone
is 'the name is missing without the file' "$(answers alone)" '<name omitted> one.c:5'
shared=$(readelf -n shared.dwz | sed -n 's/.*Build ID: //p')
t 'the file that would help is named' grep -qF "dwz moved some names to a missing file: give a directory that has '.build-id/${shared%"${shared#??}"}/${shared#??}.debug' with '--binaries'" out
for file in one shared.dwz; do
	id=$(readelf -n $file | sed -n 's/.*Build ID: //p')
	mkdir -p names/.build-id/"${id%"${id#??}"}"
	if [ $file = one ]; then
		objcopy --only-keep-debug one names/.build-id/"${id%"${id#??}"}/${id#??}.debug"
	else
		cp $file names/.build-id/"${id%"${id#??}"}/${id#??}.debug"
	fi
done
mkdir bare
objcopy -S one bare/one
dwz_directories='bare names'
is 'both files are found by their build ids' "$(answers bare names)" 'balance_in_the_shared_header one.c:5'
says 'the debug file is found' "used   .build-id/${id%"${id#??}"}/${id#??}.debug   by its build id"
cp two.whole pair/shared.dwz
dwz_directories=pair
is 'another file in place of the debug file is not read' "$(answers pair)" '<name omitted> one.c:5'
says 'another file in place of the debug file is refused' '! refused   named in .gnu_debugaltlink'
t 'the file is refused for its build id' grep -q 'not the file that .gnu_debugaltlink names: expected id' out
# glibc: the first chunk of the heap is the thread's cache, after a header of 16 bytes; bin (size - 32) / 16 has a chunk.
flights=$srcdir/data/cores/flights-amd64
"$UNSPOOL" identify --no-system-binaries --binaries "$flights/binaries" "$flights/core.gz" "$flights/symbols" 0x1e6ff040 >out 2>err
is 'a free chunk of 48 bytes is in bin 1 of the cache, at the start of the heap' \
	"$(sed -n 's/^ *heap list *//p' out), $(sed -n 's/^ *heap check *sizes lead from the first chunk at \([0-9a-f]*\) .*/\1/p' out)" \
	'bin 1 of the cache at 1e6ed010, position 0 of its list, 1e6ed000'

done_testing
