# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what handlers get, and how many events had none: a check of the engine."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Core import symbol_str, trace_flag_str
from perf_trace_context import common_pc, common_flags, common_lock_depth

unhandled = {}


def trace_begin():
    print("trace_begin")


def trace_end():
    if not unhandled:
        return
    print("\nunhandled events:\n")
    print("%-40s  %10s" % ("event", "count"))
    print("%-40s  %10s" % ("-" * 40, "-" * 10))
    for name in sorted(unhandled):
        print("%-40s  %10d" % (name, unhandled[name]))


def irq__softirq_entry(event_name, context, cpu, secs, nsecs, pid, comm, callchain, vec):
    print_header(event_name, cpu, secs, nsecs, pid, comm)
    print_uncommon(context)
    print("vec=%s" % symbol_str(event_name, "vec", vec))


def trace_unhandled(event_name, context, fields):
    if event_name != "kmem__kmalloc":
        unhandled[event_name] = unhandled.get(event_name, 0) + 1
        return
    print_header(event_name, *(fields["common_" + k] for k in ("cpu", "s", "ns", "pid", "comm")))
    print_uncommon(context)
    print("call_site=%u, ptr=%u, bytes_req=%u, bytes_alloc=%u" %
          tuple(fields[k] for k in ("call_site", "ptr", "bytes_req", "bytes_alloc")))


def print_header(event_name, cpu, secs, nsecs, pid, comm):
    print("%-20s %5u %05u.%09u %8u %-20s " % (event_name, cpu, secs, nsecs, pid, comm), end=' ')


def print_uncommon(context):
    print("common_preempt_count=%d, common_flags=%s, common_lock_depth=%d, " %
          (common_pc(context), trace_flag_str(common_flags(context)), common_lock_depth(context)))
