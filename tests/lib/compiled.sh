# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs that a test compiles, and crashes in them. To be sourced after tap.sh. POSIX sh.
#
#	compiled_needs gcc addr2line
#	compile program -O2 -g <<\END
#	int main(void) { return 0; }
#	END
#	compiled_crash "$scratch/program" "$(compiled_address program main)" >"$scratch/crash"

# compiled_needs COMMAND...: skip the test if a command is missing or the machine is not x86_64.
compiled_needs() {
	[ "$(uname -m)" = x86_64 ] || skip_all 'the dumps are those of x86_64'
	for compiled_command in "$@" readelf nm; do
		command -v "$compiled_command" >/dev/null 2>&1 || skip_all "there is no $compiled_command"
	done
}

# compile NAME OPTION... <source: compile a C program, position independent as most programs are.
compile() {
	compiled_name=$1
	shift
	mkdir -p "$scratch/src" && cat >"$scratch/src/$compiled_name.c" || return 1
	(cd "$scratch/src" && ${compiled_with:-gcc} -fPIE -pie -Wl,--build-id "$@" "$compiled_name.c" \
		-o "$scratch/$compiled_name") 2>"$scratch/compiled.err" ||
		{ diag "$(cat "$scratch/compiled.err")" && return 1; }
}

# compiled_address PROGRAM FUNCTION: its address and size, in hex as nm writes them.
compiled_address() {
	nm -S "$1" | sed -n "s/^\\([0-9a-f]*\\) \\([0-9a-f]*\\) [tT] $2\$/\\1 \\2/p"
}

# The load address of the crash's module.
compiled_base=555500000000

# compiled_crash PROGRAM OFFSET: a microdump whose only frame is at OFFSET (in hex) in the program.
compiled_crash() {
	compiled_id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p' | sed \
		's/^\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(.\{16\}\).*/\4\3\2\1\6\5\8\7\9/')
	compiled_id=${compiled_id}0
	compiled_pc=$(printf %x $((0x$compiled_base + 0x$2)) | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\6\5\4\3\2\1/')
	echo '-----BEGIN BREAKPAD MICRODUMP-----'
	echo 'V Test:1'
	echo 'O L x86_64 04 machine 6.1.0 #1'
	echo 'S 0 00007FFE00000000 00007FFE00000000 0000000000000040'
	printf 'S 00007FFE00000000 %0128d\n' 0
	# A context of 1232 bytes: flags at 0x30, rsp at 0x98, rip at 0xf8.
	printf 'C %096d0B001000%0200d00000000FE7F0000%0176d%s0000%01952d\n' 0 0 0 "$compiled_pc" 0
	printf 'M 0000%s 0000000000000000 0000000000400000 %s %s\n' "$compiled_base" "$compiled_id" "${1##*/}"
	echo '-----END BREAKPAD MICRODUMP-----'
}
