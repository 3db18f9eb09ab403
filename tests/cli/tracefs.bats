#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Where tracepoints come from on a machine that has mounted no tracefs.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "a tracefs that is mounted nowhere is this program's alone while it runs" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	grep -q tracefs /proc/filesystems || skip "this kernel has no tracefs"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cat >run.sh <<-'EOF'
	set -e
	while read -r _ dir type _; do
		case $type in tracefs | debugfs) umount -l "$dir" ;; esac
	done </proc/self/mounts
	! grep -E ' (tracefs|debugfs) ' /proc/self/mounts || exit 1
	cat /proc/self/mounts >before
	"$PERF" trace --no-bpf -o out sh -c 'cat /proc/self/mounts >during' 2>said
	"$PERF" stat -e raw_syscalls:sys_enter true 2>counted
	cmp before during
	cmp before /proc/self/mounts
	"$PERF" record -q -e raw_syscalls:sys_enter -o data true
	"$PERF" script -i data >script
	chmod 777 .
	if setpriv --reuid 65534 --clear-groups "$PERF" stat -e raw_syscalls:sys_enter true 2>refused; then exit 1; fi
	EOF
	unshare -m --propagation private bash -e run.sh || { cat said counted; return 1; }
	grep -qE ' ms\): [^ ]+ (execve|brk)\(' out
	grep -qE '[0-9] +raw_syscalls:sys_enter' counted
	grep -q ' raw_syscalls:sys_enter: NR ' script
	grep -qx 'error: no tracepoints: tracefs is not mounted' refused
}
