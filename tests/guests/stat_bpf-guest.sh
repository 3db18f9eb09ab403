# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat in BPF programs, in a guest whose kernel lets programs be attached to others (busybox sh);
# and the programs of other commands, by its verifier.
cd /tmp || exit 1

check() { # name, command...
	name=$1
	shift
	if "$@" >log 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/# /' log
	fi
}
# The number of a program that a perf has loaded, by its order.
program_of() {
	sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -un | sed -n "$2p"
}
# Something that runs BPF programs often: slab allocations are counted by them.
begin() {
	perf kmem stat --bpf -a sleep 60 >kmem.out 2>&1 &
	loader=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -n "$(program_of $loader 2)" ] && return
		sleep 0.5
	done
	cat kmem.out
	echo "no program was loaded"
	return 1
}

counted() {
	begin || return 1
	id=$(program_of $loader 1)
	# what a program does not do is not counted (newer kernels switch tasks in it, but it has no page faults); the
	# time in it is a part of the whole
	perf stat -b "$id" -x, -e cpu-clock,page-faults -o got dd if=/dev/zero of=/dev/null bs=1 count=20000 || return 1
	cat got
	perf stat -b "$id" -x, -e cpu-clock,page-faults -o long sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ls /proc /sys >/dev/null; done' || return 1
	cat long
	grep -q '^0,,page-faults,' got && grep -q '^0,,page-faults,' long &&
		awk -F, '$3 == "cpu-clock" { ms = $1 } END { exit !(ms > 0 && ms < 20000) }' long
}
two() {
	id=$(program_of $loader 1),$(program_of $loader 2)
	perf stat -b "$id" -e cpu-clock true >out 2>&1 || return 1
	cat out
	grep -q "BPF program(s) $id" out && grep -q 'cpu-clock' out
}
gone() {
	kill -INT $loader
	wait $loader
	perf stat -b "${id%%,*}" -e cpu-clock true >out 2>&1 && return 1
	cat out
	grep -q 'there is no BPF program' out
}

# The programs of --bpf-counters, by the verifier of this kernel.
faults() {
	perf stat -x, -e page-faults,page-faults:b,cs:b -o got sh -c 'for i in 1 2 3 4 5; do ls /proc >/dev/null; done' ||
		return 1
	cat got
	awk -F, '$3 == "page-faults" { a = $1 } $3 == "page-faults:b" { b = $1 }
		END { d = a > b ? a - b : b - a; exit !(a > 100 && d <= 20) }' got
}
cgroups() {
	mkdir -p cg && mount -t cgroup2 none cg && mkdir cg/one || return 1
	for way in "" --bpf-counters; do
		perf stat $way -a -x, -e page-faults --for-each-cgroup one,/ -o "got$way" \
			sh -c 'echo $$ >cg/one/cgroup.procs; for i in 1 2 3 4 5; do ls /proc >/dev/null; done' || return 1
		cat "got$way"
	done
	paste -d, got got--bpf-counters | awk -F, '$4 == "one" { a = $1; b = $8 + 0 ? $8 : $9 } END {
		d = a > b ? a - b : b - a; exit !(a > 100 && d < a / 10 + 20) }'
}

# What a later kernel has is neither asked for nor missed.
locks() {
	for way in "" -l -o --lock-cgroup "-J 1us@mmap_lock,1ns@0x10"; do
		# shellcheck disable=SC2086 # two words
		perf lock contention -b -a $way -- ls /proc >/dev/null || return 1
	done
	case $(uname -r) in 6.1.*) ;; *) return 0 ;; esac
	perf lock contention -b -o -v -- true >out 2>&1 && return 1
	cat out
	grep -q 'needs Linux 6.2 or later, and this is Linux 6.1' out
}
pages() {
	perf kmem stat --bpf --page --caller -- ls /proc >out || return 1
	cat out
	awk '/^Total allocation requests/ { n = $5 } END { exit !(n > 20) }' out && grep -q 'GFP_KERNEL' out &&
		grep -qE '\| (do_anonymous_page|wp_page_copy|pte_alloc_one|[a-z_]+)$' out
}

check faults faults
check locks locks
check pages pages
check cgroups cgroups
check counted counted
check two two
check gone gone
