# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of unspool for bash. The lists are made by doc/generate.

_unspool()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options
	# begin: bash_commands
	local commands='latest walk summary group report explain step stack locals register-history disassemble find identify teb cfi lookup export-case sanitize export-core export-minidump symbols streams sframe dap unwind-check repair lint symdiff dump-syms eval policy help lesson demo-crash cache'
	# end

	COMPREPLY=()
	case " $commands " in *" $command "*) ;; *) command=explorer ;; esac
	case $command in
	# begin: bash_options
	explorer) options='--at --script --play --plain --record --config --no-state --binaries --version -V --dump-index --against --symbols-path --symbols-url --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	latest) options='--dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --signature-rules --help -h' ;;
	walk) options='--machine -m --format -f --brief --backtrace -b --stack -s --crashed -c --fold --binaries --json --thread -t --dump-index --against --symbols-path --symbols-url --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	summary) options='--json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --signature-rules --strict --help -h' ;;
	group) options='--all -a --markdown --open --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --signature-rules --help -h' ;;
	report) options='--format -f --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --signature-rules --strict --help -h' ;;
	explain) options='--format --frame -f --register -r --drawing --svg --prose --all-methods --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	step) options='--at --plain --script --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	stack) options='--all -a --frame -f --registers --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	locals) options='--format --frame -f --globals --variable --steps --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	register-history) options='--register -r --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	disassemble) options='--frame -f --at --function --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --strict --help -h' ;;
	find) options='--all --from --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	identify) options='--frame -f --call --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	teb) options='--json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	cfi) options='--frame -f --function --at --rules --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	lookup) options='--brief --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	export-case) options='--frame -f --output -o --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	sanitize) options='--output -o --keep -k --unused -u --list -l --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --strict --help -h' ;;
	export-core) options='--output -o --help -h' ;;
	export-minidump) options='--output -o --help -h' ;;
	symbols) options='--brief --module --symbols-cache --symbols-timeout --symbols-limit --debuginfod --offline --follow-pointers --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --redact --help -h' ;;
	streams) options='--stream --hex -x --brief --json --redact --strict --help -h' ;;
	sframe) options='--section-address --function --at --rules --from --output -o --force --format-version --source --pcrel --big-endian --json --redact --strict --help -h' ;;
	dap) options='--dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	unwind-check) options='--brief --all -a --code --frames --sarif --baseline --strict --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	repair) options='--binary --output -o --force --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	lint) options='--brief --all -a --github --junit --sarif --accept --accept-file --baseline --binary --explain --strict --json --no-demangle --redact --help -h' ;;
	symdiff) options='--lines --by-name --by-address --all -a --json --no-demangle --redact --help -h' ;;
	dump-syms) options='--output -o --store --force --mangled --no-inlines --no-cfi --check-cfi --no-publics --name --id --os --threads --binaries --system-binaries --no-comp-dir --help -h' ;;
	eval) options='--arch --win --big-endian --json --help -h' ;;
	policy) options='--print-rules --help -h' ;;
	help) options='--help -h' ;;
	lesson) options='--list --progress --reset --text --answers --hand-in --grade --csv --lessons --html --student --teacher --exam --new --from --frame -f --stack --seal --lint --json --help -h' ;;
	demo-crash) options='--output -o --lessons --help -h' ;;
	cache) options='--clear --help -h' ;;
	# end
	esac
	case $previous in
	--compat) COMPREPLY=($(compgen -W 'breakpad rust-minidump unspool' -- "$word")) ; return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")) ; return ;;
	# begin: bash_values
	--script | --play | --record | --config | --binaries | --against | --symbols-path | --signature-rules | --from | --output | -o | --symbols-cache | --baseline | --binary | --accept-file | --store | --answers | --hand-in | --lessons | --new)
		COMPREPLY=($(compgen -f -- "$word")) ; return ;;
	--at | --dump-index | --symbols-url | --methods | --compat | --policy | --source | --format | --thread | -t | --open | --frame | -f | --register | -r | --variable | --function | --call | --keep | -k | --unused | -u | --module | --symbols-timeout | --symbols-limit | --stream | --section-address | --format-version | --accept | --explain | --name | --id | --os | --threads | --arch) return ;;
	# end
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
	*)
		COMPREPLY=($(compgen -f -- "$word"))
		[ "$COMP_CWORD" -ne 1 ] || COMPREPLY+=($(compgen -W "$commands" -- "$word"))
		;;
	esac
}

complete -o filenames -F _unspool unspool
