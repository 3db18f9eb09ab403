# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and writes by thread, a table of the last seconds again and again.

[interval] is in seconds of the recording; 3 by default."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from ReadWrite import ReadWrite
from Summary import Interval, clear_terminal, nanoseconds

MOST = 20  # lines

args = sys.argv[1:]
if len(args) > 1 or (args and not (args[0].isdigit() and int(args[0]))):
    sys.exit("usage: perf script -s rwtop.py [interval]")
interval = Interval(int(args[0]) if args else 3)
activity = ReadWrite()
handlers = activity.handlers()


def show():
    clear_terminal()
    print("\nread counts by pid:\n")
    activity.show_reads(MOST)
    print("\nwrite counts by pid:\n")
    activity.show_writes(MOST)
    activity.reads.clear()
    activity.writes.clear()
    sys.stdout.flush()


def trace_unhandled(event_name, context, fields):
    if interval.passed(nanoseconds(fields)):
        show()
    handler = handlers.get(event_name)
    if handler:
        handler(fields, context)


def trace_end():
    show()
