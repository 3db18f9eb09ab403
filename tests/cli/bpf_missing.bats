#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# What counts by BPF, on machines that lack something for it: the kernel's type information, capabilities.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# Each command that can do nothing without BPF, and the option that it names; for COMMAND, which may take rights away.
alone() { # COMMAND...
	if [ "$1" != without_rights ] || measuring_is_for_all; then
		echo "--filter record -o d -e page-faults -c 1 --filter ip>0 -- true"
	fi
	cat <<-'END'
		--use-bpf lock contention -b -- true
		--bpf kmem stat --bpf -- true
		--bpf kmem stat --bpf --page -- true
		--use-bpf kwork report -b
		--bpf sched latency --bpf -- true
		--bpf-counters stat --bpf-counters -e task-clock -- true
		--setup-filter record --setup-filter pin
	END
}

# refused PATTERN COMMAND...: each of them fails when COMMAND runs it, with the option's name and what is missing.
refused() {
	local option words pattern=$1 out code
	shift

	while read -r option words; do
		code=0
		# shellcheck disable=SC2086 # words
		out=$("$@" timeout 20 "$PERF" $words 2>&1 </dev/null) || code=$?
		[ $code -eq 1 ] && [[ "$out" == "error: $option"*$pattern* ]] || echo "$words: $code $out"
	done < <(alone "$@") >wrong
	cat wrong
	[ ! -s wrong ]
}

needs_bpf() {
	"$PERF" lock contention -b -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
}

without_types() {
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh "$@"
}

# Where nobody without rights may measure at all, which Debian's kernels begin with, the events are refused first.
measuring_is_for_all() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]
}

without_rights() {
	setpriv --inh-caps -sys_admin,-bpf,-perfmon --bounding-set -sys_admin,-bpf,-perfmon "$@"
}

@test "a kernel without type information: each command says so, with the kernel's option" {
	needs_bpf
	without_types true 2>why || skip "no mount namespace: $(cat why)"
	refused "no /sys/kernel/btf/vmlinux (CONFIG_DEBUG_INFO_BTF)" without_types
}

@test "without the capabilities: each command says so, and what gives them" {
	needs_bpf
	without_rights true 2>why || skip "setpriv: $(cat why)"
	refused "only root and programs with CAP_BPF and CAP_PERFMON"*"hint: run it as root" without_rights
}

@test "what has another way takes it, and says so once" {
	needs_bpf
	for f in sched/sched_switch raw_syscalls/sys_enter; do
		[ -e /sys/kernel/tracing/events/$f ] || skip "this kernel has no tracepoint $f"
	done
	without_types true 2>why || skip "no mount namespace: $(cat why)"
	without_types "$PERF" record -v -o d --off-cpu -e dummy -- sleep 0.1 2>said || { cat said; return 1; }
	[ "$(grep -c 'BTF' said)" -eq 1 ] || { cat said; return 1; }
	[ "$("$PERF" script -i d -F event | grep -c offcpu-time)" -ge 1 ]
	without_types "$PERF" trace -o lines -- true 2>said || { cat said; return 1; }
	grep -q 'exit_group' lines
	[ "$(grep -c 'BTF' said)" -eq 1 ]
}
