#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Mangled names in symbol files are shown as source names by every command, and unchanged if an option asks for
# that or another walker is imitated.
. "$(dirname "$0")/../lib/tap.sh"

lacks libiberty && skip_all 'libiberty was left out'
crash=$srcdir/data/crashes/inlines-amd64

# The bundled symbols without namespaces, and with mangled names: foo becomes _ZN2us3fooEi, an inlined bar becomes _ZN2us3barEv.
for kind in plain mangled; do
	mkdir -p "$scratch/$kind"
	cp -R "$crash/symbols/." "$scratch/$kind"
	chmod -R u+w "$scratch/$kind"
	find "$scratch/$kind" -name '*.sym' >"$scratch/files"
	while read -r file; do
		"$AWK" -v kind=$kind '
		function changed(name, tail) {
			gsub(/::/, "_", name)
			if (kind == "plain" || name !~ /^[a-z][a-z_0-9]*$/)
				return name
			return sprintf("_ZN2us%d%sE%s", length(name), name, tail)
		}
		$1 == "FUNC" && $2 == "m" && NF == 6 { $6 = changed($6, "i") }
		$1 == "FUNC" && $2 != "m" && NF == 5 { $5 = changed($5, "i") }
		$1 == "INLINE_ORIGIN" && NF == 3 {
			$3 = changed($3 == "operator()" ? "call" : $3, "v")
		}
		{ print }' "$file" >"$scratch/one" && mv "$scratch/one" "$file"
	done <"$scratch/files"
done
walk() { "$UNSPOOL" walk "$@" "$crash/crash.dmp" "$scratch/mangled" 2>"$scratch/err"; }
"$UNSPOOL" walk --machine --crashed "$crash/crash.dmp" "$scratch/plain" >"$scratch/wanted" 2>/dev/null
walk --machine --crashed >"$scratch/shown"
walk --machine --crashed --no-demangle >"$scratch/raw"

t 'the walk shows demangled names' grep -q '|us::[a-z_0-9]*(int)|' "$scratch/shown"
t 'inlined calls have demangled names' grep -q '|us::[a-z_0-9]*()|' "$scratch/shown"
t 'the output has no mangled name' sh -c '! grep -q _ZN2us "$1"' sh "$scratch/shown"
is 'a demangled name is its function with namespace and parameters' \
	"$(sed 's/us::\([a-z_0-9]*\)([a-z]*)/\1/' "$scratch/shown")" "$(cat "$scratch/wanted")"
is '--no-demangle shows names as the file has them' \
	"$(sed 's/_ZN2us[0-9]*\([a-z][a-z_0-9]*\)E[iv]/\1/' "$scratch/raw")" "$(cat "$scratch/wanted")"
t 'the names are mangled with --no-demangle' grep -q '|_ZN2us[0-9]*[a-z_0-9]*Ei|' "$scratch/raw"
for walker in breakpad rust-minidump; do
	t "--compat $walker does not demangle" sh -c '"$@" | grep -q _ZN2us' sh "$UNSPOOL" walk --compat $walker --machine \
		"$crash/crash.dmp" "$scratch/mangled"
done
t '--policy demangle=1 demangles there' sh -c '! "$@" | grep -q _ZN2us' sh "$UNSPOOL" walk --compat breakpad --policy demangle=1 \
	--machine "$crash/crash.dmp" "$scratch/mangled"
walk --json >"$scratch/json"
t 'JSON has both names' grep -q '"function":"us::[a-z_0-9]*(int)","mangled":"_ZN2us[0-9]*[a-z_0-9]*Ei"' "$scratch/json"
for command in summary explain stack "disassemble --at 55f654b5e7f0"; do
	"$UNSPOOL" $command "$crash/crash.dmp" "$scratch/mangled" >"$scratch/out" 2>/dev/null
	t "$command shows no mangled name" sh -c '! grep -q _ZN2us "$1" && grep -q us:: "$1"' sh "$scratch/out"
done
name=$(sed -n 's/.*|\(us::[a-z_0-9]*\)(int)|.*/\1/p' "$scratch/shown" | head -n 1)
t 'identify finds a function by its demangled name' \
	sh -c '"$@" | grep -q "us::"' sh "$UNSPOOL" identify "$crash/crash.dmp" "$scratch/mangled" "$name(int)"
t 'cfi finds a function by its demangled name without parameters' \
	sh -c '"$@" | grep -q "us::.*(int)"' sh "$UNSPOOL" cfi "$crash/crash.dmp" "$scratch/mangled" --function "$name"

cat >"$scratch/x.sym" <<'END'
MODULE Linux x86_64 000000000000000000000000000000000 x
FILE 1 a.c
INLINE_ORIGIN 7 _ZN3foo5innerEv
FUNC 1000 40 0 _ZN3foo3barEi
INLINE 0 10 1 7 1010 10
1000 40 5 1
FUNC 1020 8 0 _RNvC1c6shadow
PUBLIC 2000 0 __ZN3foo8exportedEPKc
PUBLIC 3000 0 _ZN4core9panicking5panic17h0123456789abcdefE
PUBLIC 4000 0 _Zork
END
lookup() { "$UNSPOOL" lookup "$@" 2>"$scratch/err"; }
is 'lookup demangles FUNC and INLINE_ORIGIN' "$(lookup --brief "$scratch/x.sym" 1014)" \
'foo::inner()
a.c:5
foo::bar(int)
a.c:10'
is 'lookup demangles PUBLIC, of Macs and of Rust, and leaves other names' "$(lookup --brief "$scratch/x.sym" 2000 3000 4000 | grep -v :0)" \
'foo::exported(char const*)
core::panicking::panic
_Zork'
t 'lookup demangles the names of records that another record hides' sh -c '"$@" | grep -q "not c::shadow "' sh "$UNSPOOL" lookup "$scratch/x.sym" 1022
is 'lookup demangles no name with --no-demangle' "$(lookup --brief --no-demangle "$scratch/x.sym" 2000 | head -n 1)" '__ZN3foo8exportedEPKc'
t 'the JSON of lookup has both names' sh -c '"$@" | grep -q "\"function\":\"foo::bar(int)\",\"mangled\":\"_ZN3foo3barEi\""' sh \
	"$UNSPOOL" lookup --json "$scratch/x.sym" 1000
done_testing
