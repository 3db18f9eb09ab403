#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf iostat is perf stat --iostat; its tables are tested with machines that have root ports, in
# tests/unit/test_stat_machine.c.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# The same as perf stat with these options, which come before a | in the arguments.
same() { # IOSTAT-ARGUMENTS... | STAT-ARGUMENTS...
	local ours=()
	while [ "$1" != "|" ]; do
		ours+=("$1")
		shift
	done
	shift
	"$PERF" stat "$@" >wanted 2>&1 && want=0 || want=$?
	"$PERF" iostat "${ours[@]}" >got 2>&1 && got=0 || got=$?
	diff wanted got
	[ "$want" -eq "$got" ]
}

@test "list, ports, options and a command go to perf stat" {
	same list "|" --iostat=list
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "figures differ from run to run"
	same "|" --iostat
	same 0000:16,0000:64 -- true "|" --iostat=0000:16,0000:64 -- true
	same -I 100 -x , -- true "|" --iostat -I 100 -x , -- true
	same true "|" --iostat -- true
	[ -s got ]
}

@test "a machine without root ports is an error that says so" {
	[ ! -d /sys/bus/event_source/devices/uncore_iio_0 ] || skip "this machine has root ports"
	run "$PERF" iostat list
	[ "$status" -eq 1 ]
	[[ "$output" == "error: "*iostat* || "$output" == "error: "*root* || "$output" == "error: "*uncore* ]]
}
