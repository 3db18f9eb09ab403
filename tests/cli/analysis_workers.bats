#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Analyses of tracepoints read ahead with a second thread: their text does not depend on how many threads there are.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	[ "$(id -u)" -eq 0 ] || return 0
	for event in sched:sched_switch irq:softirq_entry workqueue:workqueue_execute_start lock:contention_begin \
		raw_syscalls:sys_enter kmem:kmalloc kmem:mm_page_alloc power:cpu_idle power:cpu_frequency; do
		"$PERF" record -q -e "$event" -o probe -- true >/dev/null 2>probe.err ||
			{ echo "no recording of $event: $(head -1 probe.err)" >missing; return 0; }
	done
	# more than a few blocks of 256 KB, so that there is something to read ahead; others may be busy, too
	"$PERF" record -q -a -m 4M --max-size 8M -o data \
		-e 'sched:*,irq:*,workqueue:*,lock:contention_begin,lock:contention_end,raw_syscalls:*' \
		-e 'kmem:kmalloc,kmem:kfree,kmem:kmem_cache_alloc,kmem:kmem_cache_free,kmem:mm_page_alloc,kmem:mm_page_free' \
		-e 'power:cpu_idle,power:cpu_frequency' \
		-- sh -c 'for i in $(seq 600); do cat </dev/zero | head -c 200000; done' >/dev/null
	"$PERF" record -q -z -e cpu-clock -o probe -- true >/dev/null 2>probe.err ||
		{ echo "no compressed recording: $(head -1 probe.err)" >missing; return 0; }
	# inside of a compressed file there are no blocks to choose from
	"$PERF" record -q -a -z -m 4M --max-size 1M -o packed -e 'sched:*' -- sh -c 'for i in $(seq 600); do cat </dev/zero | head -c 200000; done' >/dev/null
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "recording all tasks needs root"
	cd "$BATS_FILE_TMPDIR" || return 1
	[ ! -e missing ] || skip "$(cat missing)"
}

# same FILE WORDS...: the same bytes with 1, 2 and 3 threads, and some of them.
same() {
	local file=$1 n
	shift
	for n in 1 2 3; do
		PERF_WORKERS=$n "$PERF" "$@" -i "$file" >"out.$n" 2>"said.$n" || {
			cat "said.$n"
			return 1
		}
	done
	echo "$* with 1, 2 and 3 threads:"
	[ -s out.1 ] && cmp out.1 out.2 && cmp out.1 out.3 && cmp said.1 said.2 && cmp said.1 said.3
}

@test "the recording has blocks to read ahead" {
	[ "$(stat -c %s data)" -gt 2500000 ]
}

@test "sched: the same bytes from 1, 2 and 3 threads" {
	same data sched latency
	same data sched latency -p -H --hist-mode=task
	same data sched map
	same data sched timehist
	same data sched timehist -S -w -n
	same packed sched latency
	same packed sched timehist
}

@test "kwork, lock, kmem, timechart: the same bytes from 1, 2 and 3 threads" {
	same data kwork report
	same data kwork latency
	same data kwork timehist
	same data kwork top
	same data lock contention
	same data timechart -o /dev/stdout
	for kind in --slab --page; do
		same data kmem "$kind" --caller --alloc stat
	done
}

@test "script and trace: the same bytes from 1, 2 and 3 threads" {
	same data script
	same data script -F comm,tid,time,event,trace
	same data trace -s -o /dev/stdout
}
