# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of unspool for bash. The lists are made by doc/generate.

_unspool()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options
	# begin: bash_commands
	local commands='walk explain policy'
	# end

	COMPREPLY=()
	case " $commands " in *" $command "*) ;; *) command=explorer ;; esac
	case $command in
	# begin: bash_options
	explorer) options='--compat --policy --source --color --ascii --script --size --help -h --version -V' ;;
	walk) options='--machine -m --compat --policy --thread -t --strict --help -h' ;;
	explain) options='--compat --policy --thread -t --frame -f --register -r --strict --help -h' ;;
	policy) options='--help -h' ;;
	# end
	esac
	case $previous in
	--compat) COMPREPLY=($(compgen -W 'breakpad rust-minidump unspool' -- "$word")) ; return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")) ; return ;;
	--script) COMPREPLY=($(compgen -f -- "$word")) ; return ;;
	# begin: bash_values
	--compat | --policy | --source | --color | --script | --size | --thread | -t | --frame | -f | --register | -r)
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
