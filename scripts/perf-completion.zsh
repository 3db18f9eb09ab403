#compdef perf
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for zsh, installed as the function _perf: perf itself knows its commands and options
# (perf --list-cmds, perf COMMAND --list-opts), events, settings, scripts and workloads. Only what perf does
# not print as a list is listed here: sort keys, unwind styles, the groups of calls of perf trace -e, and the
# words of perf --trace and perf --debug.

# Sets at to the index of the command among the words; 0 means that it is not there yet.
_perf_command_index()
{
	local -i i
	at=0
	for ((i = 2; i < CURRENT; i++)); do
		case $words[i] in
		(--buildid-dir | --debugfs-dir | --debug | --debug-file | --trace | --self-profile) ((i++)) ;;
		(-*) ;;
		(*)
			at=$i
			return
			;;
		esac
	done
}

# What perf prints for the arguments, as words in reply.
_perf_ask()
{
	reply=(${=$("$perf" "$@" 2>/dev/null)})
}

# Completes the last word of a list that commas separate.
_perf_list()
{
	compset -P '*,'
	compset -P '!' # !CALL is left out
	compadd -- "$@"
}

# Completes the last event of a list, in which a group begins with a brace.
_perf_events()
{
	_perf_ask list --raw-dump
	compset -P '*[,{ ]'
	compset -P '!'
	compadd -- "$reply[@]" "$@"
}

# Keys of --sort, as report and diff list them for one that is not known.
_perf_sort_keys='comm dso symbol pid tid cpu socket parent srcline srcfile addr symoff time trace
	cgroup cgroup_id weight local_weight code_page_size transaction dso_size tgid parallelism place
	dso_from dso_to symbol_from symbol_to srcline_from srcline_to mispredict abort in_tx cycles
	symbol_daddr dso_daddr symbol_iaddr locked tlb mem snoop dcacheline blocked phys_daddr
	data_page_size type typeoff overhead period sample'

# Puts the settings into reply, as the page of perf config lists them.
_perf_settings()
{
	local line
	reply=()
	for line in ${(f)"$("$perf" help config 2>/dev/null)"}; do
		[[ $line == ' '(#c3,8)[a-z0-9-]##.[a-z0-9_-]##(|,*) ]] && reply+=(${${=${line//,/ }}:#*[A-Z]*})
	done
}

# Puts the calls that perf trace -e knows by name, and its groups of them, into reply.
_perf_calls()
{
	_perf_ask list --raw-dump 'syscalls:sys_enter_*'
	reply=(desc file ipc memory network process signal string ${${(M)reply:#syscalls:sys_enter_*}#*:sys_enter_})
}

# Puts the first word of each line that perf prints for the arguments and that matches a pattern into reply.
_perf_first_words()
{
	local line pattern=$1
	shift
	reply=()
	for line in ${(f)"$("$perf" "$@" 2>/dev/null)"}; do
		[[ $line == ${~pattern} ]] && reply+=("${${=line}[1]%:}")
	done
}

_perf_scripts()
{
	_perf_first_words '  [^ ]*' script -l
}

# Puts the command and the subcommands after it into command; at becomes the index of the last of them.
_perf_subcommands()
{
	local -i i
	command=("$words[at]")
	for ((i = at + 1; i < CURRENT; i++)); do
		[[ $words[i] == -- ]] && return
		[[ $words[i] == -* ]] && continue
		_perf_ask "$command[@]" --list-cmds
		if ((reply[(Ie)$words[i]])); then
			command+=("$words[i]")
			at=$i
		elif [[ $words[i-1] != -* ]]; then
			return # not the value of an option either
		fi
	done
}

# Completes the value of the option that is the word before; fails where anything else is typed.
_perf_values()
{
	case $prev in
	(-e | --event)
		reply=()
		[[ $cmd != trace || $words[at+1] == record ]] || _perf_calls
		_perf_events "$reply[@]"
		;;
	(-M | --metrics)
		[[ $cmd == stat ]] || return
		_perf_ask list --raw-dump metric metricgroup
		_perf_list "$reply[@]"
		;;
	(feature)
		[[ $cmd == check ]] || return
		_perf_first_words ' #[A-Za-z0-9_-]##: \[*' version --build-options
		_perf_list "$reply[@]"
		;;
	(-s | --script | --sort | record | report)
		if [[ $cmd == script && $prev != --sort && $PREFIX != -* ]]; then
			_perf_scripts
			compadd -- "$reply[@]" || [[ $prev == rec* || $prev == rep* ]] || _files
		elif [[ $cmd == (report|diff|top) && $prev == -* ]]; then
			_perf_list ${=_perf_sort_keys}
		else
			return 1
		fi
		;;
	(-w | --workload)
		[[ $cmd == test ]] || return
		_perf_first_words '[a-z]*' test --list-workloads
		compadd -- "$reply[@]"
		;;
	(--for)
		_perf_list record stat top trace probe bpf
		;;
	(--unwind-style)
		_perf_list native libdw libunwind
		;;
	(*)
		return 1
		;;
	esac
	return 0
}

# Completes a word in front of the command, or the command.
_perf_front()
{
	case $prev in
	(--trace) _perf_list data session process object symbol unwind live bpf all ;;
	(--debug) compadd verbose perf-event-open ;;
	(--buildid-dir | --debugfs-dir | --debug-file | --self-profile) _files ;;
	(*)
		if [[ $PREFIX == -* ]]; then
			_perf_ask --list-opts
		else
			_perf_ask --list-cmds
		fi
		compadd -- "$reply[@]"
		;;
	esac
}

# Completes a word that is no option and no value of one.
_perf_word()
{
	reply=()
	if [[ $cmd == help ]] && ((CURRENT == at + 1)); then
		_perf_ask --list-cmds
	elif [[ $cmd == config ]]; then
		_perf_settings
	elif ((CURRENT == at + 1)); then
		_perf_ask "$command[@]" --list-cmds
		if [[ $cmd == script && $#command -eq 1 ]]; then
			local -a subcommands=("$reply[@]")
			_perf_scripts
			reply+=("$subcommands[@]" record report)
		fi
	fi
	compadd -- "$reply[@]" && return
	[[ $cmd == (record|stat|trace) && $prev != -* ]] && _command_names -e && return
	_files
}

_perf_complete()
{
	local perf=${(Q)words[1]} prev=$words[CURRENT-1] cmd
	local -i at
	local -a command reply

	# the program that is typed, which need not be the one called perf
	[[ $perf != \~* ]] || perf=${~perf}
	if [[ $PREFIX == --[a-z-]##=* ]]; then
		prev=${PREFIX%%=*}
		compset -P 1 '*='
	fi
	_perf_command_index
	if ((!at)); then
		_perf_front
		return
	fi
	cmd=$words[at]
	_perf_values && return
	_perf_subcommands
	if [[ $PREFIX == -* ]]; then
		_perf_ask "$command[@]" --list-opts
		compadd -- "$reply[@]"
	else
		_perf_word
	fi
}

_perf_complete "$@"
