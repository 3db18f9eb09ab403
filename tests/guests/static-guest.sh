# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The static program in a guest, in a root that holds it, /proc and a directory for files (busybox sh): one "ok NAME" or
# "not ok NAME" a check.  Neither sysfs nor tracefs is mounted anywhere.
umount /sys/kernel/tracing && umount /sys || exit 1
cd /tmp || exit 1
mkdir -p bare/proc bare/tmp
cp /bin/perf bare/perf
mount -t proc none bare/proc

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
bare() { chroot bare /perf "$@"; }

alone() {
	[ "$(ls bare)" = "perf
proc
tmp" ] && ! grep -E ' (sysfs|tracefs|debugfs) ' /proc/mounts
}
counted() {
	bare stat -x, -o /tmp/st -e page-faults,task-clock,raw_syscalls:sys_enter /perf version
	cat bare/tmp/st
	for event in page-faults task-clock raw_syscalls:sys_enter; do
		grep -qE "^[1-9][0-9.]*,[a-z]*,$event," bare/tmp/st || return 1
	done
}
recorded() {
	bare record -q -e cpu-clock:u -o /tmp/data /perf test -w noploop 1 || return 1
	bare report -i /tmp/data --stdio >report
	cat report
	awk '/\[\.\] noploop$/ { share = $1 + 0 } END { exit !(share > 90) }' report || return 1
	bare script -i /tmp/data -F event,ip,sym >script
	[ "$(grep -c 'cpu-clock:u: .* noploop' script)" -gt 100 ]
}
traced() {
	bare trace -o /tmp/trace /perf version
	cat bare/tmp/trace
	grep -qE ' ms\): ([^ ]+ )?write\(fd: 1[^,]*, buf: 0x[0-9a-f]+, count: [0-9]+\) += [0-9]+' bare/tmp/trace
}
check alone alone
check counted counted
check recorded recorded
check traced traced
