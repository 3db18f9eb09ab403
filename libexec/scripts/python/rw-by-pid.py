# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and writes of the whole system, by thread, and those that failed."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from ReadWrite import ReadWrite
from Summary import dispatch

activity = ReadWrite()
trace_unhandled = dispatch(activity.handlers())


def trace_end():
    print("read counts by pid:\n")
    activity.show_reads()
    print("\nfailed reads by pid:\n")
    activity.show_errors(activity.reads)
    print("\nwrite counts by pid:\n")
    activity.show_writes()
    print("\nfailed writes by pid:\n")
    activity.show_errors(activity.writes)
