#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record sets the attr bits that Debian's perf sets, as its evlist -v shows them.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	[ -x "$ORACLE" ] || skip "no $ORACLE to compare with"
	[ -e /sys/kernel/tracing/events/sched ] || skip "tracefs is not mounted"
}

@test "the attrs are those of Debian's perf for the same options" {
	n=0
	while read -r options; do
		n=$((n + 1))
		echo "$options" >options.$n
		# it waits a second at its end: all of them at once
		# shellcheck disable=SC2086
		"$ORACLE" record -B -o theirs.$n $options >/dev/null 2>&1 3>&- &
	done <<-'X'
	true
	-g -F 99 true
	-a -- true
	-c 1000 -e page-faults true
	-e cpu-clock,page-faults true
	-e sched:sched_switch -a -- true
	-F 50 -e sched:sched_switch true
	--call-graph dwarf,4096 true
	--user-callchains -g true
	--kernel-callchains -g true
	-d -W -T -s --phys-data --sample-cpu true
	-k monotonic --switch-events --namespaces --all-cgroups true
	--user-regs=ax,ip --intr-regs=bx true
	--user-regs --intr-regs true
	--all-user --no-bpf-event true
	--all-kernel true
	-e cycles:u true
	-e cpu-clock:k true
	-e cpu-clock:P -e {cpu-clock,page-faults}:P true
	--per-thread -R true
	-i -e {cpu-clock,page-faults}:S true
	--per-thread -T -e cpu-clock true
	--no-timestamp -e cpu-clock true
	--no-timestamp -e cpu-clock -a -- true
	--group -e cpu-clock,page-faults true
	--buildid-mmap --data-page-size --code-page-size true
	--sample-identifier --running-time --no-period true
	--sample-identifier -F 500 -a -e cpu-clock -- true
	-D 10 true
	-D 10 -C 0 -- true
	-a -g -F 99 -- true
	-C 0 -g -F 99 -- true
	-D 10 -F 99 true
	-a -F 99 --call-graph dwarf -- true
	-a -F 99 -e cpu-clock,page-faults -- true
	-e cpu-clock -c 100000 -a -- true
	-n true
	--no-buffering true
	X
	wait
	for i in $(seq $n); do
		# shellcheck disable=SC2046
		"$PERF" record -q -B -o ours $(cat options.$i) 2>err ||
			{ cat options.$i err; return 1; }
		diff <("$ORACLE" evlist -v -i theirs.$i 2>&1) <("$ORACLE" evlist -v -i ours 2>&1) ||
			{ cat options.$i; return 1; }
	done
}

@test "--data-mmap tells of mappings without code, and takes no addresses" {
	"$PERF" record -q -B -e cpu-clock -o without true
	"$PERF" record -q -B -e cpu-clock --data-mmap -o with true
	run ! grep -q 'mmap_data' <("$ORACLE" evlist -v -i without)
	"$ORACLE" evlist -v -i with | grep -q 'mmap_data: 1'
	run ! grep -q 'ADDR' <("$ORACLE" evlist -v -i with)
	"$PERF" script -i with --show-mmap-events | grep -q 'MMAP2.*: r--p .*libc'
	! "$PERF" script -i without --show-mmap-events | grep -q 'MMAP2.*: r--p .*libc' || return 1
}

@test "--transaction and -W ask for them" {
	"$PERF" record -q -B -e cpu-clock --transaction -W -o d true
	"$PERF" evlist -v -i d | grep -q 'sample_type: .*WEIGHT.*TRANSACTION'
	"$PERF" record -q -B -e cpu-clock -o d true
	! "$PERF" evlist -v -i d | grep -q 'WEIGHT\|TRANSACTION' || return 1
}
