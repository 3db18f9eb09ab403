# SPDX-License-Identifier: GPL-2.0-or-later
"""What kind of memory the physical addresses of samples are in, by /proc/iomem."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Table

ranges = []  # (start, end, name), inner ones after outer ones
counts = {}
names = set()


def trace_begin():
    for line in open("/proc/iomem"):
        span, colon, name = line.partition(" : ")
        start, end = (int(n, 16) for n in span.strip().split("-"))
        if end:
            ranges.append((start, end, name.strip()))


def kind_of(address):
    found = "N/A"
    for start, end, name in ranges:
        if start <= address <= end and (found == "N/A" or name in ("Persistent Memory",)):
            found = name
    return found


def process_event(sample):
    names.add(sample["ev_name"])
    kind = kind_of(sample["sample"]["phys_addr"])
    counts[kind] = counts.get(kind, 0) + 1


def trace_end():
    if not ranges:
        print("warning: /proc/iomem shows its addresses to root alone", file=sys.stderr)
    print("Event: %s" % ", ".join(sorted(names)))
    table = Table(("Memory type", "%-40s", "%-40s"), ("count", "%10s", "%10d"), ("percentage", "%10s", "%9.1f%%"))
    for kind, count in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])):
        table.row(kind, count, 100 * count / sum(counts.values()))
