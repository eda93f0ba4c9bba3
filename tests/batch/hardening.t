#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Protections of the build against exploits of memory errors, read from the program itself.
. "$(dirname "$0")/../lib/tap.sh"

[ -n "$UNSPOOL_HARDENING" ] || skip_all 'built without hardening'
command -v readelf >"$scratch/which" || skip_all 'readelf is not installed'
readelf -hldW "$UNSPOOL" >"$scratch/elf" || skip_all 'the program is no ELF file'
readelf -sW "$UNSPOOL" >"$scratch/symbols"

# asked FLAG: true if the build has it.
asked() { case " $UNSPOOL_HARDENING " in *" $1"*) ;; *) return 1 ;; esac; }
# hardened FLAG WHAT COMMAND...: the effect of FLAG is present.
hardened() {
	hardened_flag=$1 hardened_what=$2
	shift 2
	if asked "$hardened_flag"; then t "$hardened_what" "$@"; else skip 1 "no $hardened_flag here"; fi
}

hardened -pie 'the program may be loaded anywhere' grep -qE '^ *Type: *DYN' "$scratch/elf"
hardened '-z relro' 'what the linker resolved is read only' grep -q GNU_RELRO "$scratch/elf"
hardened '-z now' 'all of it is resolved at the start' grep -qE 'BIND_NOW|Flags: .*NOW' "$scratch/elf"
hardened '-z noexecstack' 'no stack is executable' grep -qE 'GNU_STACK .* RW +0x' "$scratch/elf"
hardened '-z noexecstack' 'no segment is both written and executed' sh -c '! grep -E "^ *LOAD .* RWE " "$1"' sh "$scratch/elf"
hardened -fstack-protector 'stacks have a guard' grep -q '__stack_chk_\(fail\|guard\)' "$scratch/symbols"
hardened '-U_FORTIFY_SOURCE' 'copies are checked' grep -q '__memcpy_chk' "$scratch/symbols"

# first_instruction FUNCTION: the first instruction of a function of the program.
first_instruction() {
	"$OBJDUMP" -d --no-show-raw-insn --disassemble="$1" "$UNSPOOL" | sed -n "/<$1>:/{n;p;q;}"
}
if command -v "$OBJDUMP" >"$scratch/which"; then
	asked -fcf-protection && is 'functions that may be jumped to say so' \
		"$(first_instruction main | grep -o 'endbr[0-9]*' | sed 's/[0-9]*$//')" endbr
	asked -mbranch-protection && is 'functions that may be jumped to say so' \
		"$(first_instruction main | grep -oE 'bti|paciasp' | head -n 1 | sed 's/paciasp/bti/')" bti
fi
done_testing
