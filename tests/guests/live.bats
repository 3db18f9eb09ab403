#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: all that it watches is in a guest.
# Live commands, by BPF and without, on a guest's kernel: what they count must be right, or the command must name the
# version of Linux that can do it and another way.  One guest runs all checks, each is a test here.

load common

setup_file() {
	only_when_asked live || return 0
	live_guest
}

@test "every BPF program loads, or its feature is refused with a version" { passed programs; }
@test "every BPF program made by a newer clang loads" { passed programs_new_clang; }
@test "trace: 1,000 calls are 1,000 lines, with their buffers" { passed trace_lines; }
@test "trace: two paths of nearly PATH_MAX are whole" { passed trace_paths; }
@test "trace: calls of several tasks that wait keep their arguments" { passed trace_sleeps; }
@test "trace: the command's own exec has its path and arguments" { passed trace_exec; }
@test "trace -s: 1,000 calls are counted" { passed trace_summary; }
@test "trace -s --bpf-summary: 1,000 calls are counted in the kernel" { passed trace_bpf_summary; }
@test "trace --no-bpf: 1,000 calls are 1,000 lines" { passed trace_tracepoints; }
@test "trace says that the command made none of the chosen calls" { passed trace_nothing; }
@test "stat :b counts what the kernel counts" { passed stat_bpf; }
@test "stat --bpf-counters --for-each-cgroup" { passed stat_cgroups; }
@test "record --off-cpu: the sum of waits" { passed off_cpu; }
@test "sched latency --bpf" { passed sched_bpf; }
@test "lock contention -a -b" { passed lock_bpf; }
@test "ftrace latency -b: 1,000 calls are counted" { passed ftrace_bpf; }
@test "ftrace latency: 1,000 calls are counted" { passed ftrace_latency; }
@test "ftrace profile: 1,000 calls are counted" { passed ftrace_profile; }
@test "ftrace profile with small rings counts what is lost" { passed ftrace_overruns; }
@test "ftrace leaves tracefs as it was, also after kill -9" { passed tracefs_after; }
@test "kmem stat --bpf" { passed kmem_bpf; }
@test "kmem record" { passed kmem_record; }
@test "kwork -b prints its table after an early SIGINT" { passed kwork_early; }
@test "record -W" { passed weight; }
@test "record --data-page-size --code-page-size" { passed page_sizes; }
@test "record --buildid-mmap" { passed build_ids; }
@test "record --filter by BPF" { passed filter; }
@test "top --stdio: a busy task" { passed top_task; }
@test "daemon: a session is listed, signalled and stopped" { passed daemon_session; }
