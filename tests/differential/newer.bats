#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The perf of this machine, where it is newer than the pinned 6.1: what must hold between any two perfs, whose words
# may differ.  Each reads what the other one recorded, and finds the same samples, names and counts.  What differs
# on purpose is in tests/differences, in the lines that begin with "newer-".

bats_require_minimum_version 1.5.0

NEWER=/usr/bin/perf

setup_file() {
	export MISSING='' FILES=''
	case $("$NEWER" version 2>/dev/null) in
	'') MISSING="no other perf at $NEWER"; return ;;
	"perf version 6."[01].*) MISSING="$NEWER is not newer than 6.1"; return ;;
	esac
	cd "$BATS_FILE_TMPDIR"
	record ours "$PERF"
	record theirs "$NEWER"
	FILES=$(ls | grep -E '^(ours|theirs)\.(fp|dwarf|compressed|stream|tracepoints|counts)$')
}

setup() {
	[ -z "$MISSING" ] || skip "$MISSING"
	cd "$BATS_FILE_TMPDIR"
}

record() { # name of the files, perf
	local work=("$PERF" test -w thloop 1) perf=$2

	"$perf" record -g -e cpu-clock:u -F 500 -o "$1.fp" -- "${work[@]}"
	"$perf" record --call-graph dwarf,4096 -e cpu-clock:u -F 200 -o "$1.dwarf" -- "${work[@]}"
	"$perf" record -z -e cpu-clock,page-faults -F 500 -o "$1.compressed" -- "${work[@]}"
	"$perf" record -e cpu-clock,page-faults -F 500 -o - -- "${work[@]}" >"$1.stream"
	[ "$(id -u)" -ne 0 ] || "$perf" record -e sched:sched_switch,raw_syscalls:sys_enter -o "$1.tracepoints" -- ls -l /usr/lib
	"$perf" stat record -o "$1.counts" -e page-faults,task-clock,context-switches -- ls /usr/lib
} >"$BATS_FILE_TMPDIR/$1.log" 2>&1

# Prints the samples of a file as one perf shows them, one on each line, with single spaces between fields.  Only ours
# names functions that have nothing but an unwind table entry (unwind-ranges).
samples() { # perf, file, option of script...
	local perf=$1 file=$2

	shift 2
	if [ "${file##*.}" = stream ]; then
		"$perf" script -i - "$@" <"$file" 2>/dev/null
	else
		"$perf" script -i "$file" "$@" 2>/dev/null
	fi | sed -E 's/\[[^] ]+\+0x[0-9a-f]+\]/[unknown]/; s/[[:blank:]]+/ /g; s/^ //; s/ $//'
}

name_of() { [ "$1" = "$PERF" ] && echo by_ours || echo by_newer; }

same_samples() { # file, option of script...
	samples "$NEWER" "$@" >by_newer
	samples "$PERF" "$@" >by_ours
	[ "$(wc -l <by_ours)" -ge 20 ] || { echo "$1: $(wc -l <by_ours) lines"; return 1; }
	diff by_newer by_ours >unlike || { echo "$1 ${*:2}"; head -20 unlike; return 1; }
}

@test "the same samples: tasks, times, events, periods, addresses and names" {
	for file in $FILES; do
		[ "${file##*.}" != counts ] || continue
		same_samples "$file" -G -F comm,tid,time,period,event,ip,sym
	done
}

# Call chains as names alone, one a line: newer perfs print a caller's own address, 6.1 and ours its place in the
# object (newer-chain-addresses).
chains() { # perf, file
	samples "$1" "$2" --no-inline -F ip,sym | awk '/^$/ { if (c) print c; c = ""; next } { $1 = ""; c = c $0 } END { if (c) print c }'
}

@test "the same call chains" {
	for file in ours.fp theirs.fp; do
		chains "$NEWER" $file >by_newer
		chains "$PERF" $file >by_ours
		[ "$(wc -l <by_ours)" -ge 20 ]
		diff by_newer by_ours
	done
	# of stacks that each unwinds itself, where ours may go on
	for file in ours.dwarf theirs.dwarf; do
		chains "$NEWER" $file >by_newer
		chains "$PERF" $file >by_ours
		[ "$(wc -l <by_ours)" -ge 20 ] && [ "$(wc -l <by_ours)" -eq "$(wc -l <by_newer)" ]
		paste -d '#' by_newer by_ours | awk -F '#' 'index($2, $1) != 1' >unlike
		cat unlike
		[ "$(wc -l <unlike)" -le $(($(wc -l <by_ours) / 50)) ]
	done
}

@test "report counts the same samples of each function" {
	for file in $FILES; do
		case ${file##*.} in counts | stream) continue ;; esac
		for perf in "$NEWER" "$PERF"; do
			"$perf" report -i "$file" --stdio -g none --no-children -s comm,dso,sym -F sample,comm,dso,sym -t '|' 2>/dev/null |
				sed -E '/^(#|$)|\[[.k]\] (0x|\[)/d; s/ *\| */|/g; s/^ *//; s/ *$//' | sort >"$(name_of "$perf")"
		done
		[ -s by_ours ]
		diff by_newer by_ours || { echo "$file"; return 1; }
	done
}

@test "stat report shows the same counts" {
	for file in ours.counts theirs.counts; do
		for perf in "$NEWER" "$PERF"; do
			"$perf" stat report -i "$file" 2>&1 |
				awk '$1 ~ /^[0-9.,]+$/ && !/elapsed|user$|sys$/ { print $1, $2 == "msec" ? $3 : $2 }' >"$(name_of "$perf")"
		done
		[ "$(wc -l <by_ours)" -eq 3 ]
		diff by_newer by_ours
	done
}

@test "the same events, and build-ids of what was hit" {
	for file in $FILES; do
		case ${file##*.} in counts | stream) continue ;; esac
		diff <("$NEWER" evlist -i "$file" 2>/dev/null | grep -v '^#') <("$PERF" evlist -i "$file" 2>/dev/null | grep -v '^#')
		diff <("$NEWER" buildid-list -i "$file" 2>/dev/null | sort) <("$PERF" buildid-list -i "$file" 2>/dev/null | sort)
		[ -n "$("$PERF" buildid-list -i "$file")" ]
	done
}
