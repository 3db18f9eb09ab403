# SPDX-License-Identifier: GPL-2.0-or-later
"""Times, statistics, system calls and errors, for scripts."""

import errno
import sys

from perf_trace_context import perf_syscall_name
import perf_trace_context

FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

NSECS_PER_SEC = 1000000000


def avg(total, n):
    return total / n


def nsecs(secs, nsecs):
    return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
    return nsecs / NSECS_PER_SEC


def nsecs_nsecs(nsecs):
    return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
    return "%5u.%09u" % (nsecs // NSECS_PER_SEC, nsecs % NSECS_PER_SEC)


def add_stats(dict, key, value):
    """dict[key] = (least, greatest, mean, count)"""
    if key not in dict:
        dict[key] = (value, value, value, 1)
        return
    least, greatest, mean, count = dict[key]
    count += 1
    dict[key] = (min(least, value), max(greatest, value), mean + (value - mean) / count, count)


def clear_term():
    getattr(sys.stdout, "write_codes", sys.stdout.write)("\x1b[H\x1b[2J\n")


def syscall_name(id):
    """The system call of this number on the machine that was recorded."""
    name = None
    if id >= 0:
        name = perf_syscall_name(perf_trace_context.perf_script_context, id)
    return name or str(id)


def strerror(nr):
    """The name of an errno: ENOENT of 2 or -2."""
    return errno.errorcode.get(abs(nr), "Unknown %d errno" % nr)
