# SPDX-License-Identifier: GPL-2.0-or-later
"""How long tasks waited for a CPU once they were woken: least, greatest, mean."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import dispatch, nanoseconds

woken = {}  # pid -> when
latencies = []


def wakeup(f, context):
    woken.setdefault(f['pid'], nanoseconds(f))


def switch(f, context):
    since = woken.pop(f['next_pid'], None)
    if since is not None:
        latencies.append(nanoseconds(f) - since)


trace_unhandled = dispatch({'sched__sched_wakeup': wakeup, 'sched__sched_switch': switch})


def trace_end():
    print("wakeup_latency stats:\n")
    print("total_wakeups: %d" % len(latencies))
    if latencies:
        print("avg_wakeup_latency (ns): %d" % (sum(latencies) // len(latencies)))
        print("min_wakeup_latency (ns): %d" % min(latencies))
        print("max_wakeup_latency (ns): %d" % max(latencies))
    else:
        print("avg_wakeup_latency (ns): N/A")
        sys.stderr.write("note: the table is empty: no task was seen both woken and switched to\n"
                         "hint: record all CPUs: perf script record wakeup-latency -a\n")
