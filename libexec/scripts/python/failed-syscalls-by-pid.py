# SPDX-License-Identifier: GPL-2.0-or-later
"""System calls that failed, by command and pid, system call and error."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Wanted, by_count
from Util import strerror, syscall_name

wanted = Wanted("usage: perf script -s failed-syscalls-by-pid.py [comm|pid]")
tasks = {}


def trace_begin():
    print("Press control+C to stop and show the summary")


def raw_syscalls__sys_exit(event_name, context, cpu, secs, nsecs, pid, comm, callchain, id, ret):
    if ret < 0 and (pid, comm) in wanted:
        errors = tasks.setdefault((comm, pid), {}).setdefault(id, {})
        errors[ret] = errors.get(ret, 0) + 1


syscalls__sys_exit = raw_syscalls__sys_exit


def trace_end():
    print(wanted.title("syscall errors"))
    print("%-30s  %10s" % ("comm [pid]", "count"))
    print("%-30s  %10s" % ("-" * 30, "-" * 10))
    for comm, pid in sorted(tasks):
        print("\n%s [%d]" % (comm, pid))
        for id in sorted(tasks[comm, pid]):
            print("  syscall: %-16s" % syscall_name(id))
            for ret, count in by_count(tasks[comm, pid][id]):
                print("    err = %-20s  %10d" % (strerror(ret), count))
