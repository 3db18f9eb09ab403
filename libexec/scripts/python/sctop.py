# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls, a table of the last seconds again and again: top for system calls.

[interval] is in seconds of the recording; 3 by default."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Interval, Table, by_count, clear_terminal
from Util import syscall_name

usage = "usage: perf script -s sctop.py [comm] [interval]"
args = sys.argv[1:]
for_comm = args.pop(0) if args and not args[0].isdigit() else None
interval = Interval(int(args.pop(0)) if args and args[0].isdigit() and int(args[0]) else 3)
if args:
    sys.exit(usage)
counts = {}


def show():
    clear_terminal()
    print("\nsyscall events for %s:\n" % for_comm if for_comm else "\nsyscall events:\n")
    table = Table(("event", "%-40s", "%-40s"), ("count", "%10s", "%10d"))
    for id, count in by_count(counts):
        table.row(syscall_name(id), count)
    counts.clear()
    sys.stdout.flush()


def raw_syscalls__sys_enter(event_name, context, cpu, secs, nsecs, pid, comm, callchain, id, args):
    if interval.passed(secs * 1000000000 + nsecs):
        show()
    if for_comm is None or comm == for_comm:
        counts[id] = counts.get(id, 0) + 1


syscalls__sys_enter = raw_syscalls__sys_enter


def trace_end():
    show()
