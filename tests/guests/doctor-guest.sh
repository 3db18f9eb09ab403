# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf doctor, in a guest in which the kernel's settings may be changed (busybox sh): "ok NAME" or "not ok NAME" a check.
cd /tmp || exit 1
export HOME=/tmp/home
mkdir -p $HOME
chmod 777 /tmp $HOME

check() { # name, command...
	name=$1
	shift
	"$@" >log 2>&1
	case $? in
	0) echo "ok $name" ;;
	77) echo "skipped $name: $(tail -1 log)" ;;
	*)
		echo "not ok $name"
		sed 's/^/# /' log
		;;
	esac
}
user() {
	/test/setpriv --reuid 1000 --regid 1000 --clear-groups "$@"
}
# ABILITY COMMAND...: it works
works() {
	text=$1
	shift
	"$@" doctor >found || return 1
	grep -A2 "^can $text" found
	grep -q "^can $text.*: yes$" found
}
# ABILITY CAUSE COMMAND...: it does not work, with these words; sets $cure
fails() {
	text=$1 words=$2
	shift 2
	"$@" doctor >found || return 1
	grep -A2 "^can $text" found
	grep -q "^can $text.*: no$" found && grep -A1 "^can $text" found | grep -q "    cause: .*$words" || return 1
	cure=$(grep -A2 "^can $text" found | sed -n 's/^    cure: //p')
}
# As printed: the command after the last "as root: "
cure() {
	echo "# ${cure##*as root: }"
	sh -c "${cure##*as root: }"
}

paranoid_3() {
	sysctl -w kernel.perf_event_paranoid=3
	fails "count events of programs" "perf_event_paranoid is 3, and measuring at all needs 2" user perf || return 1
	user perf doctor --for stat
	[ $? -eq 3 ] || return 1
	user perf stat -e page-faults true 2>err && return 1
	cat err
	grep -qF "hint: $cure" err || return 1
	cure && works "count events of programs" user perf && user perf doctor --for stat && user perf doctor --for record
}
paranoid() {
	sysctl -w kernel.perf_event_paranoid=2
	fails "sample the kernel" "measuring the kernel needs 1 or CAP_PERFMON" user perf || return 1
	cure && works "sample the kernel" user perf || return 1
	fails "measure all processes" "measuring every process of a CPU needs 0" user perf || return 1
	user perf doctor --for top
	[ $? -eq 3 ] || return 1
	cure && works "measure all processes" user perf && user perf doctor --for top &&
		user perf record -a -e cpu-clock -o /tmp/home/d true
}
kptr_users() {
	sysctl -w kernel.perf_event_paranoid=1
	sysctl -w kernel.kptr_restrict=1
	fails "name functions of the kernel" "kernel.kptr_restrict is 1" user perf || return 1
	cure && works "name functions of the kernel" user perf || return 1
	sysctl -w kernel.perf_event_paranoid=2
	fails "name functions of the kernel" "kernel.perf_event_paranoid is above 1" user perf || return 1
	cure && works "name functions of the kernel" user perf
}
kptr_root() {
	sysctl -w kernel.kptr_restrict=2
	fails "name functions of the kernel" "kernel.kptr_restrict is 2" perf || return 1
	perf kallsyms vfs_read 2>err && return 1
	cat err
	grep -qF "$cure" err || return 1
	cure && works "name functions of the kernel" perf && perf kallsyms vfs_read
}
yama() {
	if [ ! -e /proc/sys/kernel/yama/ptrace_scope ]; then
		echo "this kernel has no Yama"
		return 77
	fi
	sysctl -w kernel.yama.ptrace_scope=1
	fails "read the memory" "ptrace_scope is above 0" user perf || return 1
	# which measures all the same
	user perf doctor --for record || return 1
	cure && works "read the memory" user perf
}
sample_rate() {
	sysctl -w kernel.perf_event_max_sample_rate=1000
	fails "sample 4000 times a second" "4000 Hz is above the allowed 1000" perf || return 1
	perf record -F 4000 -e cpu-clock -o d true 2>err
	cat err
	cure && works "sample 4000 times a second" perf
}
max_stack() {
	sysctl -w kernel.perf_event_max_stack=32
	fails "record call chains" "127 entries are above the allowed 32" perf || return 1
	cure && works "record call chains" perf
}
clock() {
	sources=/sys/devices/system/clocksource/clocksource0
	cat $sources/available_clocksource $sources/current_clocksource
	was=$(cat $sources/current_clocksource)
	if ! grep -q acpi_pm $sources/available_clocksource; then
		echo "this machine has no acpi_pm"
		return 77
	fi
	echo acpi_pm >$sources/current_clocksource
	fails "take times from a clock" "clock source 'acpi_pm'" perf || return 1
	echo "$was" >$sources/current_clocksource
	[ "$cure" = "record with -k mono" ] && perf record ${cure#record with } -e cpu-clock -o d true &&
		perf evlist -v -i d | grep -q 'clockid: 1'
}
locked_memory() {
	old=$(cat /proc/sys/kernel/perf_event_mlock_kb)
	sysctl -w kernel.perf_event_paranoid=1
	sysctl -w kernel.perf_event_mlock_kb=8
	ulimit -l 8
	fails "map rings" "exceed the locked memory" user perf || return 1
	cure && works "map rings" user perf
	r=$?
	sysctl -w kernel.perf_event_mlock_kb="$old"
	return $r
}
kernel_probes() {
	works "define probes in the kernel" perf && works "define probes in programs" perf &&
		perf doctor --for probe && [ -z "$(cat /sys/kernel/tracing/kprobe_events)" ]
}

lockdown() {
	cat /sys/kernel/security/lockdown
	fails "use tracepoints" "the kernel is locked down" perf || return 1
	hint=$cure
	perf stat -e sched:sched_switch true 2>err && return 1
	cat err
	grep -qF "hint: $hint" err || return 1
	fails "define probes in programs" "the kernel is locked down" perf || return 1
	works "count events of programs" perf && works "sample user space" perf && works "sample the kernel" perf &&
		perf doctor --for record && perf record -e cpu-clock -o d true || return 1
	perf doctor --for probe
	[ $? -eq 3 ]
}

mount -t securityfs none /sys/kernel/security 2>/dev/null
if grep -q '\[confidentiality\]' /sys/kernel/security/lockdown; then
	check lockdown lockdown
	exit 0
fi
check paranoid-3 paranoid_3
check paranoid paranoid
check kptr-users kptr_users
check kptr-root kptr_root
check yama yama
check sample-rate sample_rate
check max-stack max_stack
check clock clock
check locked-memory locked_memory
check kernel-probes kernel_probes
