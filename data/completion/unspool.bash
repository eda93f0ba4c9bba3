# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of unspool for bash. The lists are made by doc/generate.

_unspool()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options
	# begin: bash_commands
	local commands='walk summary explain stack way disassemble find whatis cfi lookup export-case symbols streams sframe unwind-check lint symdiff eval policy help cache'
	# end

	COMPREPLY=()
	case " $commands " in *" $command "*) ;; *) command=explorer ;; esac
	case $command in
	# begin: bash_options
	explorer) options='--dump-index --against --symbols-path --symbols-url --binaries --methods --compat --policy --no-demangle --redact --source --color --ascii --script --plain --record --config --no-state --size --help -h --version -V' ;;
	walk) options='--machine -m --json --format -f --brief --backtrace -b --stack -s --crashed -c --fold --thread -t --dump-index --against --symbols-path --symbols-url --binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	summary) options='--dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	explain) options='--json --markdown --thread -t --dump-index --frame -f --register -r --all-methods --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	stack) options='--json --all -a --thread -t --dump-index --frame -f --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	way) options='--json --thread -t --dump-index --register -r --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	disassemble) options='--json --thread -t --dump-index --frame -f --symbols-path --symbols-url --binaries --system-binaries --methods --at --function --compat --policy --no-demangle --redact --source --strict --help -h' ;;
	find) options='--json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --all --from --compat --policy --no-demangle --redact --strict --help -h' ;;
	whatis) options='--json --thread -t --dump-index --frame -f --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	cfi) options='--json --thread -t --dump-index --frame -f --symbols-path --symbols-url --binaries --system-binaries --function --at --rules --compat --policy --no-demangle --help -h' ;;
	lookup) options='--json --brief --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --help -h' ;;
	export-case) options='--thread -t --dump-index --frame -f --output -o --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --strict --help -h' ;;
	symbols) options='--json --brief --module --dump-index --symbols-path --symbols-url --symbols-cache --symbols-timeout --symbols-limit --binaries --system-binaries --compat --policy --help -h' ;;
	streams) options='--json --stream --hex -x --brief --redact --strict --help -h' ;;
	sframe) options='--json --section-address --function --at --rules --walk --strict --help -h' ;;
	unwind-check) options='--json --no-demangle --help -h' ;;
	lint) options='--json --brief --all -a --sarif --accept --accept-file --explain --strict --no-demangle --help -h' ;;
	symdiff) options='--json --lines --all -a --no-demangle --help -h' ;;
	eval) options='--json --arch --win --big-endian --help -h' ;;
	policy) options='--help -h' ;;
	help) options='--help -h' ;;
	cache) options='--clear --help -h' ;;
	# end
	esac
	case $previous in
	--compat) COMPREPLY=($(compgen -W 'breakpad rust-minidump unspool' -- "$word")) ; return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")) ; return ;;
	--script) COMPREPLY=($(compgen -f -- "$word")) ; return ;;
	# begin: bash_values
	--dump-index | --against | --symbols-path | --symbols-url | --binaries | --methods | --compat | --policy | --source | --color | --script | --record | --config | --size | --format | -f | --thread | -t | --frame | -f | --register | -r | --at | --function | --from | --output | -o | --module | --symbols-cache | --symbols-timeout | --symbols-limit | --stream | --section-address | --accept | --accept-file | --explain | --arch)
	# end
		return ;;
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
