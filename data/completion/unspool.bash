# SPDX-License-Identifier: GPL-3.0-or-later
#
# Completion of unspool for bash. The lists are made by doc/generate.

_unspool()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options words=
	# begin: bash_commands
	local commands='latest summary walk group report dap explain step cfi register-history eval policy stack locals identify find disassemble streams teb symbols lookup lint unwind-check repair symdiff cache dump-syms sframe sanitize export-case export-core export-minidump lesson demo-crash help'
	# end

	COMPREPLY=()
	case " $commands " in *" $command "*) ;; *) command=explorer ;; esac
	case $command in
	# begin: bash_options
	explorer) options='--at --script --play --plain --record --config --no-state --binaries --version -V --dump-index --against --symbols-path --symbols-url --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	latest) options='--dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --signature-rules --help -h' ;;
	summary) options='--json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --signature-rules --strict --help -h' ;;
	walk) options='--machine -m --format -f --brief --backtrace -b --stack -s --crashed -c --fold --binaries --json --thread -t --dump-index --against --symbols-path --symbols-url --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	group) options='--all -a --markdown --open --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --signature-rules --help -h' ;;
	report) options='--format -f --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --signature-rules --strict --help -h' ;;
	dap) options='--dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	explain) options='--format --frame -f --register -r --drawing --svg --prose --all-methods --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	step) options='--at --plain --script --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --help -h' ;;
	cfi) options='--frame -f --function --at --rules --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	register-history) options='--register -r --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	eval) options='--arch --win --big-endian --json --help -h' ;;
	policy) options='--print-rules --help -h' ;;
	stack) options='--all -a --frame -f --registers --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	locals) options='--format --frame -f --globals --variable --steps --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	identify) options='--frame -f --call --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	find) options='--all --from --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	disassemble) options='--frame -f --at --function --json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --source --strict --help -h' ;;
	streams) options='--stream --hex -x --brief --json --redact --strict --help -h' ;;
	teb) options='--json --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	symbols) options='--brief --module --symbols-cache --symbols-timeout --symbols-limit --debuginfod --offline --follow-pointers --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --redact --help -h' ;;
	lookup) options='--brief --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	lint) options='--brief --all -a --github --junit --sarif --accept --accept-file --baseline --binary --explain --strict --json --no-demangle --redact --help -h' ;;
	unwind-check) options='--brief --all -a --code --frames --github --sarif --baseline --strict --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	repair) options='--binary --output -o --force --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --compat --policy --no-demangle --redact --help -h' ;;
	symdiff) options='--lines --by-name --by-address --all -a --json --no-demangle --redact --help -h' ;;
	cache) options='--clear --help -h' ;;
	dump-syms) options='--output -o --store --force --mangled --no-inlines --no-cfi --check-cfi --no-publics --name --id --os --threads --binaries --system-binaries --no-comp-dir --help -h' ;;
	sframe) options='--section-address --function --at --rules --from --output -o --force --format-version --source --pcrel --big-endian --json --redact --strict --help -h' ;;
	sanitize) options='--output -o --keep -k --unused -u --list -l --json --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --strict --help -h' ;;
	export-case) options='--frame -f --output -o --thread -t --dump-index --symbols-path --symbols-url --binaries --system-binaries --methods --compat --policy --no-demangle --redact --strict --help -h' ;;
	export-core) options='--output -o --help -h' ;;
	export-minidump) options='--output -o --help -h' ;;
	lesson) options='--list --progress --reset --text --answers --hand-in --grade --csv --lessons --html --student --teacher --exam --new --from --frame -f --stack --seal --lint --json --help -h' ;;
	demo-crash) options='--output -o --lessons --help -h' ;;
	help) options='--help -h' ;;
	# end
	esac
	case $previous in
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")) ; return ;;
	# begin: bash_values
	--methods) COMPREPLY=($(compgen -W 'crash-report signal-frame system-call bad-call stack-win stack-cfi sframe frame-table code leaf-function link-register realigned-frame back-chain register-window frame-record frame-pointer stack-scan-of-mips stack-scan' -- "$word")) ; return ;;
	--compat) COMPREPLY=($(compgen -W 'breakpad rust-minidump unspool' -- "$word")) ; return ;;
	--policy) COMPREPLY=($(compgen -W 'symbol-error-limit= public-at-zero= inline-levels= public-reach= public-names= public-bounds= scan-stripped= scan-entry-points= scan-linker= scan-same-call= scan-context= module-list-strict= module-limit= stack-only= stale-registers= failed-rule-forwards= align-unchecked= register-aliases= cfi-zero-continues= delta-keeps-good= parameters-of-innermost= parameters-of-public= win-failure-scans= scan-words= scan-words-context= scan-proven= return-alignment= function-alignment= call-instruction= chain-over-calls= stack-bottom= system-call-stub= scan-frame-pointer= scan-top-drops-frame= link-register-is-pc= link-register-of-record= strip-in-modules= callee-saved-windows= end-of-stack= call-bad-pointer= signal-frames= link-register-leaf= realigned-frames= xstate-unread= native-context= stack-by-descriptor= symbols-by-code-file= symbols-any-layout= rare-processors= long-call-steps= mips-t0= mips-return-wins= mips-scan-frame= ppc-frame-of-macos= sparc-frame-skipped= riscv-frame-of-arm64= scan-behind-chain= return-search= win-rescans= win-repairs-ebp= win-keeps-saved= win-numbers= leaf-return= windows-frame-offsets= scan-long-behind-cfi= sframe= frame-tables= code= code-wins= file-names= scan-limit= ios-frame-pointer= stack-pointer-stays= demangle= repeated-streams-void=' -- "$word")) ; return ;;
	--format) COMPREPLY=($(compgen -W 'human machine json markdown html' -- "$word")) ; return ;;
	--explain) COMPREPLY=($(compgen -W 'unreadable utf16 other-file byte-order-mark compressed-cut compressed-extra empty-file nul-byte byte-ff not-utf8 lone-cr blank-line long-line no-final-newline no-names module-missing module-late module-second module-system module-architecture module-id code-id code-id-invalid module-other-architecture wrong-binary binary-id binary-name binary-line binary-call binary-parameters outside-binary module-name module-place unknown-record malformed-record error-limit number-base number-range extra-field field-spaces interleaved file-duplicate file-undefined file-late origin-duplicate origin-undefined origin-late origin-old-form func-size-zero func-wraps func-duplicate func-overlap func-unsorted func-lost line-without-func line-before line-outside line-size-zero line-wraps line-overlap line-hole inline-without-func inline-level inline-outside inline-split inline-overlap inline-size-zero inline-old-form inline-too-long public-inside-func public-duplicate public-zero public-far stack-unknown cfi-init-size-zero cfi-init-wraps cfi-init-overlap cfi-init-duplicate cfi-init-at-zero cfi-no-cfa cfi-no-ra cfi-delta-before-init cfi-delta-apart cfi-delta-outside cfi-delta-at-end cfi-delta-unsorted cfi-delta-duplicate cfi-syntax cfi-colon cfi-unknown-register cfi-untracked-register cfi-unknown-name cfi-rule-twice cfi-ra-itself cfi-expression cfi-division cfi-alignment cfi-constant-read cfi-cfa-falls cfi-ra-elsewhere cfi-ra-unusual cfi-not-read cfi-slot-above cfi-slot-shared cfi-unaligned cfi-cfa-register cfi-entry cfi-shifted cfi-saved-below win-type win-type-unused win-program-type win-size-zero win-duplicate win-overlap win-functions win-no-eip win-no-esp win-program win-input win-sizes win-parameters win-architecture no-unwind code-without-unwind unwind-without-code rule-differs rule-missing rule-late rule-early code-contradicts no-record extra-record unusable-record outermost-lost expression-lost' -- "$word")) ; return ;;
	--from) COMPREPLY=($(compgen -W 'program symbols a' -- "$word")) ; return ;;
	--script | --play | --record | --config | --binaries | --against | --symbols-path | --signature-rules | --from | --symbols-cache | --accept-file | --baseline | --binary | --output | -o | --store | --answers | --hand-in | --lessons | --new)
		COMPREPLY=($(compgen -f -- "$word")) ; return ;;
	--at | --dump-index | --symbols-url | --source | --thread | -t | --open | --frame | -f | --register | -r | --function | --arch | --variable | --call | --stream | --module | --symbols-timeout | --symbols-limit | --accept | --name | --id | --os | --threads | --section-address | --format-version | --keep | -k | --unused | -u) return ;;
	# end
	esac
	case $command in
	# begin: bash_words
	lesson | demo-crash) words='basics-01-frame basics-03-cfa cfi-01-postfix basics-02-frame-pointers cfi-02-deltas cfi-03-registers call-01-less-one dwarf-01-eh-frame signal-01-frame end-01-last-frame inline-01-records basics-04-scan broken-01-number scan-02-old-words trust-01-two-sources broken-02-five-files sframe-01-bytes sframe-02-losses arm64-01-link-register mac-01-compact-unwind mac-02-large-frames win64-01-pdata win-01-sizes win-02-program win-03-search compare-01-walkers ' ;;
	help) words='age .ARM.exidx attempt base bottom callee-saved caller-saved .cbParams CFA check code confidence context contradicted covers delta disassembly drawing dump dwz edits end endianness epilogue evaluation evidence exact FDE FILE finding found FPO frame FrameData FRE FUNC guess identify INIT kept leaf lesson lock lost memory message methods microdump minidump MODULE modules operators overlay PAC .pdata PDB PEB poison policy postfix prologue provenance PUBLIC .raSearch raw record registers rule RVA scan SFrame signature source stack step stream stripped summary table TEB telescope thread TOC token trace trampoline trust unwinder variables verdict versus walks WoW64 explore latest summary walk group report dap explain step cfi register-history eval policy stack locals identify find disassemble streams teb symbols lookup lint unwind-check repair symdiff cache dump-syms sframe sanitize export-case export-core export-minidump lesson demo-crash help quick-start keys tour gdb-users why-is-my-stack-wrong reading-an-unwind walkers-compared checking-symbols symbol-file-format sframe-fields defects json course lessons ' ;;
	# end
	esac
	case $word in
	-*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
	*)
		[ -z "$words" ] || { COMPREPLY=($(compgen -W "$words" -- "$word")) ; return ; }
		COMPREPLY=($(compgen -f -- "$word"))
		[ "$COMP_CWORD" -ne 1 ] || COMPREPLY+=($(compgen -W "$commands" -- "$word"))
		;;
	esac
}

complete -o filenames -F _unspool unspool
