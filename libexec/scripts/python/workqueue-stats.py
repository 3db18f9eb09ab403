# SPDX-License-Identifier: GPL-2.0-or-later
"""Work items by function: how often they were queued and run, and for how long."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Table, dispatch, nanoseconds
from perf_trace_context import perf_resolve

running = {}  # work -> (function, since)
functions = {}


def stats(context, address):
    symbol = perf_resolve(context, address)[1] or "0x%x" % address
    return functions.setdefault(symbol, [0, 0, 0, 0])


def queue(f, context):
    stats(context, f['function'])[0] += 1


def start(f, context):
    running[f['work']] = stats(context, f['function']), nanoseconds(f)


def end(f, context):
    known, since = running.pop(f['work'], (None, 0))
    if known:
        time = nanoseconds(f) - since
        known[1] += 1
        known[2] += time
        known[3] = max(known[3], time)


trace_unhandled = dispatch({
    'workqueue__workqueue_queue_work': queue,
    'workqueue__workqueue_execute_start': start,
    'workqueue__workqueue_execute_end': end,
})


def trace_end():
    print("workqueue work stats:\n")
    table = Table(("function", "%-40s", "%-40s"), ("queued", "%8s", "%8d"), ("executed", "%8s", "%8d"),
                  ("total us", "%12s", "%12.3f"), ("max us", "%12s", "%12.3f"))
    for name, (queued, ran, total, longest) in sorted(functions.items(), key=lambda kv: (-kv[1][2], kv[0])):
        table.row(name, queued, ran, total / 1000, longest / 1000)
