# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash: perf itself knows its commands and options
# (perf --list-cmds, perf COMMAND --list-opts), so nothing is listed here.

# The word of the line that is the command, as an index, or nothing.
_perf_command_index()
{
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--buildid-dir | --debugfs-dir) ((i++)) ;;
		-*) ;;
		*)
			echo "$i"
			return
			;;
		esac
	done
}

_perf_events()
{
	# Events are comma-separated; names hold colons, which split words.
	local prefix=
	[[ $1 == *,* ]] && prefix=${1%,*},
	COMPREPLY=($(compgen -P "$prefix" -W "$(perf list --raw-dump 2>/dev/null)" -- "${1##*,}"))
	declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$1"
}

# A comma-separated list of the words given.
_perf_list()
{
	local cur=$1 prefix=
	shift
	[[ $cur == *,* ]] && prefix=${cur%,*},
	COMPREPLY=($(compgen -P "$prefix" -W "$*" -- "${cur##*,}"))
}

_perf()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at cmd
	local IFS=$' \t\n'
	COMPREPLY=()
	at=$(_perf_command_index)
	if [[ -z $at ]]; then
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "$(perf --list-opts 2>/dev/null)" -- "$cur"))
		else
			COMPREPLY=($(compgen -W "$(perf --list-cmds 2>/dev/null)" -- "$cur"))
		fi
		return
	fi
	cmd=${COMP_WORDS[at]}
	case $prev in
	-e | --event)
		if declare -F _get_comp_words_by_ref >/dev/null; then
			_get_comp_words_by_ref -n : cur
		fi
		_perf_events "$cur"
		return
		;;
	--unwind-style)
		_perf_list "$cur" native libdw libunwind
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(perf "$cmd" --list-opts 2>/dev/null)" -- "$cur"))
	elif [[ $cmd == help && $COMP_CWORD -eq $((at + 1)) ]]; then
		COMPREPLY=($(compgen -W "$(perf --list-cmds 2>/dev/null)" -- "$cur"))
	elif [[ $COMP_CWORD -eq $((at + 1)) ]]; then
		COMPREPLY=($(compgen -W "$(perf "$cmd" --list-cmds 2>/dev/null)" -- "$cur"))
	fi
}

complete -o default -o bashdefault -F _perf perf
