# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scheduler counts when kernel.sched_schedstats is 1, in an amd64 guest (busybox sh): one "ok NAME" or
# "not ok NAME" a check.
cd /tmp || exit 1
export PAGER=cat
setting=/proc/sys/kernel/sched_schedstats

check() { # name, command...
	name=$1
	shift
	if ("$@") >log 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' log
	fi
}
switches() { awk '/^cpu/ { sum += $4 } END { print sum }' "$1"; }

off() {
	echo 0 >$setting
	perf sched stats record -o off -- true && return 1
	perf sched stats record -o off -- true 2>&1 | grep 'kernel.sched_schedstats is 0' && [ ! -e off ]
}
# Between begin and end lie ten sleeps, and they lie between two looks of our own.
counted() {
	echo 1 >$setting
	cat /proc/schedstat >before
	perf sched stats record -o stats -- sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do sleep 0.05; done' || return 1
	cat /proc/schedstat >after
	perf sched stats report -i stats >report
	cat report
	perf sched stats report -C 0 -i stats >cpu0
	perf sched stats -C 0 report -i stats | cmp - cpu0 || return 1
	n=$(sed -n 's/^sched_count *: *\([0-9]*\).*/\1/p' report | head -n 1)
	most=$(($(switches after) - $(switches before)))
	echo "$n of $most"
	[ "$n" -ge 10 ] && [ "$n" -le "$most" ]
}
# How long a program slept is what it was asked to.
slept() {
	echo 1 >$setting
	perf record -q -a -e sched:sched_stat_sleep,sched:sched_switch,sched:sched_process_exit -o data -- sleep 0.5 || return 1
	perf inject -s -i data -o merged || return 1
	perf script -i merged -F comm,event,period >script
	cat script
	awk '$1 == "sleep" && $2 >= 500000000 && $2 < 5000000000 { found = 1 } END { exit !found }' script
}

check off off
check counted counted
check slept slept
