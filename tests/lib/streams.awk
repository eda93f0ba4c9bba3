# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a listing of streams says, as lines `name=value` that two programs can be compared by.
# -v ours=1: what `unspool streams` printed; else Breakpad's minidump_dump. Left out is what they
# write differently by design: raw bytes, banks of floating point registers, and the flags of ARM64
# contexts, which Breakpad converts.

function tell(name, value) {
	gsub(/[()]/, "", name)
	gsub(/\[ +/, "[", name)
	sub(/^cv_record\./, "", name)
	if (name !~ /^misc_record\.(data_size|rva)$/)
		sub(/^misc_record\./, "", name)
	sub(/^"/, "", value)
	if (value ~ /^-?(0x[0-9a-f]|[0-9]+( |$))/)
		sub(/ .*/, "", value)
	sub(/".*/, "", value)
	sub(/ +$/, "", value)
	if (name ~ /^float_save\.(reg|extra|fpscr|fp[sc]r|st[0-7])/ || name ~ /^extended_registers/)
		return
	# Breakpad has no word for what it does not support, and ties the extended state to a flag of another field of MiscInfo.
	if (value == "" || value == "(null)" || (name == "code_identifier" && value == "id") ||
			name ~ /^(xstate_data|process_cookie)/)
		return
	print name "=" value
}

# The records of modules have names that others have too.
/^ *(cv_record|context) / && ours { next }

ours && /^ *[0-9]+ 0x[0-9a-f]+ / {
	type = $2; sub(/^0x0*/, "0x", type)
	if (type == "0x") type = "0x0"
	for (i = 3; i <= NF && $i !~ /^0x[0-9a-f]+$/; i++) ;
	rva = $i; sub(/^0x0*/, "0x", rva)
	if (rva == "0x") rva = "0x0"
	print "stream_type=" type
	print "location.data_size=" $(i + 1)
	print "location.rva=" rva
	next
}

/^MDRawContext/ { arm64 = /ARM64/ }
ours && /^ *context  / { arm64 = /arm64/ }

{
	at = index($0, " = ")
	if (at == 0 || $0 !~ /^ /)
		next
	name = substr($0, 1, at - 1)
	value = substr($0, at + 3)
	gsub(/^ +| +$/, "", name)
	if (name == "context_flags" && arm64)
		next
	if (!ours && name ~ /^iregs\[/ && arm64) {
		number = name
		gsub(/[^0-9]/, "", number)
		name = "x" number
		if (number == 29) name = "fp"
		if (number == 30) name = "lr"
		if (number == 31) name = "sp"
		if (number == 32) name = "pc"
	}
	if (!ours && name == "info_count")
		name = "number_of_entries"
	tell(name, value)
}
