# SPDX-License-Identifier: GPL-2.0-or-later
"""Cycles per instruction of each interval, CPU and thread, from perf stat record."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import defaultdict

values = defaultdict(dict)  # (cpu, thread) -> {"cycles": (value, enabled, running)}


def keep(name):
    def handler(cpu, thread, time, value, enabled, running):
        values[cpu, thread][name] = value
    return handler


for suffix in "", "_u", "_k":
    globals()["stat__cycles" + suffix] = keep("cycles" + suffix)
    globals()["stat__instructions" + suffix] = keep("instructions" + suffix)


def stat__interval(time):
    for (cpu, thread), v in sorted(values.items()):
        for suffix in "", "_u", "_k":
            if "cycles" + suffix not in v and "instructions" + suffix not in v:
                continue
            cycles, instructions = v.get("cycles" + suffix, 0), v.get("instructions" + suffix, 0)
            cpi = cycles / instructions if instructions else 0
            print("%15f: cpu %d, thread %d -> cpi%s %f (%d/%d)" %
                  (time / 1e9, cpu, thread, suffix, cpi, cycles, instructions))
    values.clear()
