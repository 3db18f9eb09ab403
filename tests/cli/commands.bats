#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# The front end: the command table, the options in front of a command, the common
# option grammar, exit codes, output that cannot be written, pager, colour.

setup() {
	cd "$BATS_TEST_TMPDIR"
	top=$BATS_TEST_DIRNAME/../..
}

# Run a command on a terminal of its own; its output without carriage returns.
on_terminal() {
	python3 -c 'import os, pty, sys
status = pty.spawn(sys.argv[1:], stdin_read=lambda fd: b"")
sys.exit(os.waitstatus_to_exitcode(status))' "$@" | tr -d '\r'
	return "${PIPESTATUS[0]}"
}

@test "every command has its page and its test" {
	for c in $("$PERF" --list-cmds); do
		[ -f "$top/Documentation/perf-$c.1.scd" ] || { echo "no page: $c"; return 1; }
		# a suite that does not run in a guest has another name there
		[ -f "$top/tests/cli/$c.bats" ] || [ -f "$top/tests/cli/$c.bats.elsewhere" ] || { echo "no tests/cli/$c.bats"; return 1; }
		"$PERF" help "$c" | grep -q "perf-$c - " || { echo "no built-in page: $c"; return 1; }
	done
}

@test "every command answers -h with its options and 0" {
	for c in $("$PERF" --list-cmds); do
		run "$PERF" "$c" -h
		[ "$status" -eq 0 ] || { echo "$c -h: $status"; return 1; }
		[[ "$output" == *"Usage: perf $c"* ]] || { echo "$c -h: $output"; return 1; }
		# what is said of an option fits a terminal
		[ -z "$(grep -E '^ {4}.{77}' <<<"$output")" ] || { echo "$c -h: $output"; return 1; }
	done
}

@test "every command refuses a bad option with 129 and says how to list them" {
	for c in $("$PERF" --list-cmds); do
		run "$PERF" "$c" --no-such-option
		[ "$status" -eq 129 ] || { echo "$c: $status"; return 1; }
		[[ "$output" == *"error: unknown option '--no-such-option'"* ]]
		[[ "$output" == *"'perf $c -h'"* ]]
	done
}

@test "the table is in the order of names and every purpose is one line" {
	"$PERF" --list-cmds | tr ' ' '\n' | sed '/^$/d' >names
	LC_ALL=C sort -c names
	[ "$("$PERF" help | grep -cE '^   [a-z0-9-]+ +[a-z].*[^.]$')" -eq "$(wc -l <names)" ]
}

@test "perf help fits 80 columns" {
	run awk 'length > 80' <("$PERF" help)
	[ -z "$output" ]
}

@test "perf alone lists the commands and exits 1; perf help and --help exit 0" {
	run "$PERF"
	[ "$status" -eq 1 ]
	first=$output
	[[ "$first" == *"usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]"* ]]
	for how in help --help -h; do
		run "$PERF" $how
		[ "$status" -eq 0 ]
		[ "$output" = "$first" ]
	done
}

@test "an unknown command exits 1 and the nearest one is named" {
	run "$PERF" foo
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "perf: 'foo' is not a perf-command. See 'perf --help'." ]
	run "$PERF" versoin
	[ "$status" -eq 1 ]
	[[ "$output" == *"Did you mean this?"*version* ]]
}

@test "commands are not shortened" {
	run "$PERF" versio
	[ "$status" -eq 1 ]
}

@test "help.autocorrect runs the nearest command" {
	printf '[help]\nautocorrect = 1\n' >config
	PERF_CONFIG=config run "$PERF" versoin
	[ "$status" -eq 0 ]
	[[ "$output" == *"warning: 'versoin' is not a perf-command"*"perf version "* ]]
}

@test "an unknown option in front of the command exits 129" {
	run "$PERF" --foo version
	[ "$status" -eq 129 ]
	run "$PERF" --versoin
	[ "$status" -eq 129 ]
	[[ "$output" == *"did you mean '--version'?"* ]]
}

@test "unique prefixes of long options; an ambiguous one lists its candidates" {
	[ "$("$PERF" --vers)" = "$("$PERF" version)" ]
	run "$PERF" --list
	[ "$status" -eq 129 ] || [ "$output" = "$("$PERF" --list-cmds)" ]
	[ "$("$PERF" --no --pagi --v)" = "$("$PERF" version)" ]
	run "$PERF" --h
	[ "$status" -eq 129 ]
	[[ "$output" == *"ambiguous option '--h' (could be --help or --html-path)"* ]]
}

@test "-v is version, -vv is version --build-options" {
	[ "$("$PERF" -v)" = "$("$PERF" version)" ]
	[ "$("$PERF" --version)" = "$("$PERF" version)" ]
	[ "$("$PERF" -vv)" = "$("$PERF" version --build-options)" ]
}

@test "--help CMD, CMD --help and help CMD are the same page" {
	"$PERF" help config >a
	"$PERF" config --help >b
	"$PERF" --help config >c
	"$PERF" config -l --help >d
	cmp a b && cmp a c && cmp a d
	grep -q '^SYNOPSIS' a
}

@test "--help may be shortened after a command, too, and is suggested" {
	[ "$("$PERF" config --hel)" = "$("$PERF" help config)" ]
	run "$PERF" config --hlep
	[ "$status" -eq 129 ]
	[[ "$output" == *"did you mean '--help'?"* ]]
	# "--list" is --list of config, and "--list-o" only --list-opts
	[ "$("$PERF" config --list-o)" = "$("$PERF" config --list-opts)" ]
}

@test "the suggestion for a negated option is negated" {
	run "$PERF" report --no-childen
	[ "$status" -eq 129 ]
	[[ "$output" == *"did you mean '--no-children'?"* ]]
	run "$PERF" report --childen
	[[ "$output" == *"did you mean '--children'?"* ]]
	run "$PERF" stat --no-agr true
	[[ "$output" == *"did you mean '--no-aggr'?"* ]]
}

@test "--list-opts and --list-cmds answer at the top and after a command" {
	[[ "$("$PERF" --list-opts)" == *--version*--exec-path* ]]
	[[ " $("$PERF" --list-cmds)" == *" config "* ]]
	[[ "$("$PERF" config --list-opts)" == *--list*--user*--system* ]]
	[ "$("$PERF" check --list-cmds)" = "feature " ]
}

@test "--exec-path prints, --exec-path=DIR sets, --html-path prints" {
	[[ "$("$PERF" --exec-path)" == /*perf-core ]]
	[ "$("$PERF" --exec-path=/a/b --exec-path)" = /a/b ] ||
		[ "$(PERF_EXEC_PATH=/a/b "$PERF" --exec-path)" = /a/b ]
	[[ "$("$PERF" --html-path)" == /* ]]
}

@test "perf-NAME in the exec path is a command; what it is not allowed to be" {
	mkdir core
	printf '#!/bin/sh\necho "$# $*"\nexit 3\n' >core/perf-hello
	chmod +x core/perf-hello
	run "$PERF" --exec-path=core hello a --b
	[ "$status" -eq 3 ]
	[ "$output" = "2 a --b" ]
	PERF_EXEC_PATH=core run "$PERF" hello
	[ "$status" -eq 3 ]
	run "$PERF" --exec-path=core ../core/perf-hello
	[ "$status" -eq 1 ]
	# never in place of one of our own
	cp core/perf-hello core/perf-version
	[[ "$("$PERF" --exec-path=core version)" == "perf version "* ]]
}

@test "a full disk is an error, a reader that goes away is none" {
	"$PERF" record -q -e page-faults -c 1 -o d -- true
	for args in version help "help perf" "version --build-options" --list-cmds "config -h" \
		"evlist -i d" "buildid-list -i d" "report -i d" "script -i d"; do
		run bash -c "'$PERF' $args >/dev/full"
		[ "$status" -eq 1 ] || { echo "$args: $status"; return 1; }
		[[ "$output" == "error: cannot write to standard output: No space left on device" ]]
	done
	run bash -c "set -o pipefail; '$PERF' help perf | head -n 1"
	[ "$status" -eq 0 ] || [ "$status" -eq 141 ]
}

@test "closed standard descriptors do no harm" {
	run bash -c "'$PERF' version >&-"
	[ "$status" -le 1 ]
	run bash -c "'$PERF' foo 2>&-"
	[ "$status" -eq 1 ]
	# what is opened next does not take their place
	run timeout 60 bash -c "'$PERF' top -e cpu-clock:u -p \$\$ -d 0.2 --iterations 2 >&-"
	[ "$status" -eq 1 ]
	[ "$output" = "error: cannot write to standard output: Bad file descriptor" ]
	# for a command they are closed, as its user wanted
	"$PERF" record -q -e cpu-clock -o "$BATS_TEST_TMPDIR/closed" -- \
		bash -c '[ ! -e /proc/$$/fd/0 ] && [ -e /proc/$$/fd/1 ]' <&-
}

@test "control characters of arguments do not reach the terminal" {
	run "$PERF" $'\e[31mred'
	[ "$status" -eq 1 ]
	[[ "$output" != *$'\e'* ]]
	run "$PERF" help $'\e[31mred'
	[[ "$output" != *$'\e'* ]]
}

@test "on a terminal long output goes through the pager; --no-pager and cat keep it off" {
	export TERM=xterm NO_COLOR=1
	PERF_PAGER='sed s/^/paged:/' run on_terminal "$PERF" help
	[ "$status" -eq 0 ]
	[[ "$output" == *"paged: usage: perf"* ]]
	PAGER='sed s/^/paged:/' run on_terminal "$PERF" help version
	[[ "$output" == *"paged:NAME"* ]]
	PERF_PAGER='sed s/^/paged:/' run on_terminal "$PERF" --no-pager help
	[[ "$output" == *"usage: perf"* && "$output" != *paged:* ]]
	PERF_PAGER='sed s/^/paged:/' run on_terminal "$PERF" record -h
	[[ "$output" == *"paged: Usage: perf record"* ]]
	PERF_PAGER=cat PAGER='sed s/^/paged:/' run on_terminal "$PERF" help
	[[ "$output" != *paged:* ]]
	PERF_PAGER=/no/such/pager run on_terminal "$PERF" help
	[[ "$output" == *"usage: perf"* ]]
}

@test "what a command runs or records is not sent to the pager" {
	export TERM=xterm NO_COLOR=1 PERF_PAGER='sed s/^/paged:/'
	cd "$BATS_TEST_TMPDIR"
	[ -r /sys/kernel/tracing/events/kmem/kmalloc/id ] || skip "no tracepoints"
	for what in "kmem record -q" "lock record -q" "lock record -q --user" "kwork record -q" "sched record -q"; do
		rm -f perf.data
		run on_terminal "$PERF" $what -- sh -c 'test -t 1 && echo to the terminal'
		[[ "$output" == *"to the terminal"* && "$output" != *paged:* ]] || { echo "$what: $output"; return 1; }
		[ -s perf.data ] || { echo "$what: no file"; return 1; }
	done
	for what in "ftrace trace -t nop" "lock contention -b" "kmem stat --bpf"; do
		run on_terminal "$PERF" $what -- sh -c 'test -t 1 && echo to the terminal'
		# what it prints itself is
		[[ "$output" != *paged:* || "$output" == *"to the terminal"* ]] || { echo "$what: $output"; return 1; }
		[[ "$output" != *"paged:to the terminal"* ]] || { echo "$what: $output"; return 1; }
	done
	rm -f perf.data
	run on_terminal "$PERF" script record failed-syscalls-by-pid -q -- sh -c 'test -t 1 && echo to the terminal'
	[[ "$output" == *"to the terminal"* && "$output" != *paged:* ]] || { echo "$output"; return 1; }
	[ -s perf.data ]
	# tables of recordings are paged
	"$PERF" kmem record -q -o k.data true
	run on_terminal "$PERF" kmem stat -i k.data
	[[ "$output" == *"paged:Total bytes requested"* ]]
	run on_terminal "$PERF" script -i k.data
	[[ "$output" == *"paged:"*"kmem:kmalloc: "* ]]
}

@test "the pager: not in a pipe; -p for any command; pager.COMMAND in the settings" {
	export TERM=xterm NO_COLOR=1 PERF_PAGER='sed s/^/paged:/'
	[[ "$("$PERF" help)" != *paged:* ]]
	run on_terminal "$PERF" version
	[[ "$output" != *paged:* ]]
	run on_terminal "$PERF" -p version
	[[ "$output" == *"paged:perf version"* ]]
	printf '[pager]\nhelp = false\n' >config
	PERF_CONFIG=config run on_terminal "$PERF" help
	[[ "$output" != *paged:* ]]
}

@test "colour: on a terminal only, not with NO_COLOR, and as color.ui says" {
	export PERF_PAGER=cat TERM=xterm
	bold=$'\e[1m'
	run on_terminal "$PERF" help config
	[[ "$output" == *"$bold"* ]]
	NO_COLOR=1 run on_terminal "$PERF" help config
	[[ "$output" != *"$bold"* ]]
	TERM=dumb run on_terminal "$PERF" help config
	[[ "$output" != *"$bold"* ]]
	[[ "$("$PERF" help config)" != *"$bold"* ]]
	printf '[color]\nui = always\n' >config
	[[ "$(PERF_CONFIG=config "$PERF" help config)" == *"$bold"* ]]
	printf '[color]\nui = never\n' >config
	PERF_CONFIG=config run on_terminal "$PERF" help config
	[[ "$output" != *"$bold"* ]]
}

@test "--debug perf-event-open shows each call and its result; --debug-file takes it" {
	run "$PERF" --debug perf-event-open record -e cpu-clock:u -o x.data true
	[ "$status" -eq 0 ]
	[[ "$output" == *perf_event_attr:* ]]
	grep -qE '^sys_perf_event_open: pid [0-9-]+  cpu [0-9-]+  group_fd -1  flags 0x8 = [0-9]+$' <<<"$output"
	run "$PERF" --debug perf-event-open=1 --debug-file text record -e cpu-clock:u -o x.data true
	[[ "$output" != *sys_perf_event_open* ]]
	grep -q '^sys_perf_event_open: ' text
	run "$PERF" record -e cpu-clock:u -o x.data true
	[[ "$output" != *sys_perf_event_open* ]]
	run "$PERF" --debug nonsense version
	[ "$status" -eq 129 ]
	[[ "$output" == *"unknown variable 'nonsense'"* ]]
	run "$PERF" --debug-file /no/such/dir/file version
	[ "$status" -eq 1 ]
}

@test "every command of Debian's perf is there" {
	command -v "${RIVAL_PERF:-/usr/bin/perf}" >/dev/null || skip "no other perf (Debian package linux-perf)"
	"$PERF" --list-cmds | tr ' ' '\n' | sort >ours
	# archive and iostat are scripts beside it
	{ "${RIVAL_PERF:-/usr/bin/perf}" --list-cmds | tr ' ' '\n'; echo archive; echo iostat; } | sed '/^$/d' | sort -u >theirs
	[ "$(wc -l <theirs)" -gt 25 ]
	missing=$(comm -13 ours theirs)
	echo "$missing"
	[ -z "$missing" ]
}
