# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls of the whole system, or of one command or pid, and how often each was made."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Table, Wanted, by_count
from Util import syscall_name

wanted = Wanted("usage: perf script -s syscall-counts.py [comm|pid]")
counts = {}


def trace_begin():
    print("Press control+C to stop and show the summary")


def raw_syscalls__sys_enter(event_name, context, cpu, secs, nsecs, pid, comm, callchain, id, args):
    if (pid, comm) in wanted:
        counts[id] = counts.get(id, 0) + 1


syscalls__sys_enter = raw_syscalls__sys_enter


def trace_end():
    print(wanted.title("syscall events"))
    table = Table(("event", "%-40s", "%-40s"), ("count", "%10s", "%10d"))
    for id, count in by_count(counts):
        table.row(syscall_name(id), count)
