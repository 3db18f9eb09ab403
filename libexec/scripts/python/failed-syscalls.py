# SPDX-License-Identifier: GPL-2.0-or-later
"""How many system calls failed, by command."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Table, Wanted, by_count

wanted = Wanted("usage: perf script -s failed-syscalls.py [comm|pid]")
failed = {}


def raw_syscalls__sys_exit(event_name, context, cpu, secs, nsecs, pid, comm, callchain, id, ret):
    if ret < 0 and (pid, comm) in wanted:
        failed[comm] = failed.get(comm, 0) + 1


syscalls__sys_exit = raw_syscalls__sys_exit


def trace_end():
    print("\nfailed syscalls by comm:\n")
    table = Table(("comm", "%-20s", "%-20s"), ("# errors", "%10s", "%10d"))
    for comm, count in by_count(failed):
        table.row(comm, count)
