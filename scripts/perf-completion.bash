# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: perf itself knows its commands and options
# (perf --list-cmds, perf COMMAND --list-opts), events, settings, scripts and workloads. Only what perf does
# not print as a list is listed here: sort keys, unwind styles, the groups of calls of perf trace -e, and the
# words of perf --trace and perf --debug.

# The word of the line that is the command, as an index, or nothing.
_perf_command_index()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--buildid-dir | --debugfs-dir | --debug | --debug-file | --trace | --self-profile) ((i++)) ;;
		-*) ;;
		*)
			echo "$i"
			return
			;;
		esac
	done
}

# The word being typed and the one before it, in cur and prev; in quoted, whether it began with a
# quote.  bash splits words at ':' and '=', which stand inside of events and after long options.
_perf_words()
{
	local i=$COMP_CWORD
	cur=${COMP_WORDS[i]}
	while ((i > 1)) && [[ ${COMP_WORDS[i]} == : || ${COMP_WORDS[i - 1]} == : ]]; do
		((i--))
		cur=${COMP_WORDS[i]}$cur
	done
	if [[ $cur == = ]]; then
		cur=
		prev=${COMP_WORDS[i - 1]}
	elif [[ ${COMP_WORDS[i - 1]} == = ]]; then
		prev=${COMP_WORDS[i - 2]}
	else
		prev=${COMP_WORDS[i - 1]}
	fi
	# inside of a quote that is still open nothing is split, and bash replaces what is after the quote
	quoted=
	if [[ $cur == [\'\"]* ]]; then
		quoted=yes
		cur=${cur:1}
	fi
}

# Events are separated by commas, a group begins with a brace.
_perf_events()
{
	local last=${1##*[,\{ ]} before=
	COMPREPLY=($(compgen -P "${1%"$last"}" -W "$("$perf" list --raw-dump 2>/dev/null)" -- "$last"))
	# what is before a ':' is not part of the word for bash
	[[ -z $quoted && $1 == *:* && $COMP_WORDBREAKS == *:* ]] && before=${1%"${1##*:}"}
	COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

# Keys of --sort, as report and diff list them for one that is not known.
_perf_sort_keys='comm dso symbol pid tid cpu socket parent srcline srcfile addr symoff time trace
	cgroup cgroup_id weight local_weight code_page_size transaction dso_size tgid parallelism place
	dso_from dso_to symbol_from symbol_to srcline_from srcline_to mispredict abort in_tx cycles
	symbol_daddr dso_daddr symbol_iaddr locked tlb mem snoop dcacheline blocked phys_daddr
	data_page_size type typeoff overhead period sample'

# The settings, as the page of perf config lists them.
_perf_settings()
{
	"$perf" help config 2>/dev/null | grep -E '^ {3,8}[a-z0-9-]+\.[a-z0-9_-]+(,|$)' | tr -s ', ' '\n' | grep -v '[A-Z]'
}

# The calls that perf trace -e knows by name, and its groups of them.
_perf_calls()
{
	echo desc file ipc memory network process signal string
	"$perf" list --raw-dump 'syscalls:sys_enter_*' 2>/dev/null | tr ' ' '\n' | sed -n 's/^syscalls:sys_enter_//p'
}

_perf_features()
{
	"$perf" version --build-options 2>/dev/null | sed -nE 's/^ *([A-Za-z0-9_-]+): \[.*/\1/p'
}

_perf_scripts()
{
	"$perf" script -l 2>/dev/null | sed -nE 's/^  ([^ ]+) .*/\1/p'
}

# A comma-separated list of the words given.
_perf_list()
{
	local last=${1##*,} prefix=${1%"${1##*,}"}
	shift
	if [[ $last == '!'* ]]; then # !CALL is left out
		prefix+=!
		last=${last:1}
	fi
	COMPREPLY=($(compgen -P "$prefix" -W "$*" -- "$last"))
}

# The command and the subcommands after it, in command; the index of the last of these words, in at.
_perf_subcommands()
{
	local i
	command=("${COMP_WORDS[at]}")
	for ((i = at + 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -- ]] && return
		[[ ${COMP_WORDS[i]} == -* ]] && continue
		if "$perf" "${command[@]}" --list-cmds 2>/dev/null | tr ' ' '\n' | grep -qxF -- "${COMP_WORDS[i]}"; then
			command+=("${COMP_WORDS[i]}")
			at=$i
		elif [[ ${COMP_WORDS[i - 1]} != [-=]* ]]; then
			return # not the value of an option either
		fi
	done
}

_perf()
{
	local cur prev quoted at cmd command perf
	local IFS=$' \t\n'
	COMPREPLY=()
	# the program that is typed, which need not be the one called perf
	perf=$(type -P -- "${1:-perf}") || perf=perf
	_perf_words
	at=$(_perf_command_index)
	if [[ -z $at ]]; then
		case $prev in
		--trace)
			_perf_list "$cur" data session process object symbol unwind live bpf all
			return
			;;
		--debug)
			COMPREPLY=($(compgen -W 'verbose perf-event-open' -- "$cur"))
			return
			;;
		--buildid-dir | --debugfs-dir | --debug-file | --self-profile)
			return # a path
			;;
		esac
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "$("$perf" --list-opts 2>/dev/null)" -- "$cur"))
		else
			COMPREPLY=($(compgen -W "$("$perf" --list-cmds 2>/dev/null)" -- "$cur"))
		fi
		return
	fi
	cmd=${COMP_WORDS[at]}
	case $prev in
	-e | --event)
		if [[ $cmd == trace && ${COMP_WORDS[at + 1]} != record && $cur != *:* ]]; then
			# shellcheck disable=SC2046
			_perf_list "$cur" $(_perf_calls) $("$perf" list --raw-dump 2>/dev/null)
		else
			_perf_events "$cur"
		fi
		return
		;;
	-M | --metrics)
		if [[ $cmd == stat ]]; then
			# shellcheck disable=SC2046
			_perf_list "$cur" $("$perf" list --raw-dump metric metricgroup 2>/dev/null)
			return
		fi
		;;
	feature)
		if [[ $cmd == check ]]; then
			# shellcheck disable=SC2046
			_perf_list "$cur" $(_perf_features)
			return
		fi
		;;
	-s | --script | record | report)
		if [[ $cmd == script && $cur != -* ]]; then
			COMPREPLY=($(compgen -W "$(_perf_scripts)" -- "$cur"))
			return
		fi
		;;&
	-s | --sort)
		if [[ $cmd == report || $cmd == diff || $cmd == top ]]; then
			# shellcheck disable=SC2086
			_perf_list "$cur" $_perf_sort_keys
			return
		fi
		;;
	-w | --workload)
		if [[ $cmd == test ]]; then
			COMPREPLY=($(compgen -W "$("$perf" test --list-workloads 2>/dev/null |
				while read -r name _; do echo "$name"; done)" -- "$cur"))
			return
		fi
		;;
	--for)
		_perf_list "$cur" record stat top trace probe bpf
		return
		;;
	--unwind-style)
		_perf_list "$cur" native libdw libunwind
		return
		;;
	esac
	_perf_subcommands
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$("$perf" "${command[@]}" --list-opts 2>/dev/null)" -- "$cur"))
	elif [[ $cmd == help && $COMP_CWORD -eq $((at + 1)) ]]; then
		COMPREPLY=($(compgen -W "$("$perf" --list-cmds 2>/dev/null)" -- "$cur"))
	elif [[ $cmd == config ]]; then
		COMPREPLY=($(compgen -W "$(_perf_settings)" -- "$cur"))
	elif [[ $cmd == script && $COMP_CWORD -eq $((at + 1)) ]]; then
		COMPREPLY=($(compgen -W "record report $(_perf_scripts)" -- "$cur"))
	elif [[ $COMP_CWORD -eq $((at + 1)) ]]; then
		COMPREPLY=($(compgen -W "$("$perf" "${command[@]}" --list-cmds 2>/dev/null)" -- "$cur"))
	fi
}

complete -o default -o bashdefault -F _perf perf
