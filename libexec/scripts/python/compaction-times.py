# SPDX-License-Identifier: GPL-2.0-or-later
"""How long tasks spent in compaction of memory, and what it moved and scanned."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import argparse
import re

from Summary import dispatch, nanoseconds

parser = argparse.ArgumentParser(prog="compaction-times.py", description=__doc__)
parser.add_argument("-p", action="store_true", help="by process")
parser.add_argument("-pv", action="store_true", help="by process, and each compaction")
parser.add_argument("-u", action="store_true", help="times in microseconds, not nanoseconds")
parser.add_argument("-t", action="store_true", help="times alone")
parser.add_argument("-m", action="store_true", help="pages that were migrated")
parser.add_argument("-fs", action="store_true", help="pages of the free scanner")
parser.add_argument("-ms", action="store_true", help="pages of the migration scanner")
parser.add_argument("who", nargs="*", help="pid, pid-range (4-9) or a pattern of the command")
options = parser.parse_args()
all_counts = not (options.t or options.m or options.fs or options.ms)
running, tasks, total = {}, {}, None


class Counts:
    """Time, pages moved or not, free pages isolated and scanned, pages to move isolated and scanned."""

    def __init__(self):
        self.time, self.moved, self.free, self.source = 0, [0, 0], [0, 0], [0, 0]

    def add(self, other):
        self.time += other.time
        for mine, its in (self.moved, other.moved), (self.free, other.free), (self.source, other.source):
            mine[0] += its[0]
            mine[1] += its[1]

    def text(self):
        parts = ["time=%d%s" % ((self.time // 1000, "us") if options.u else (self.time, "ns"))]
        if all_counts or options.m:
            parts.append("migration: moved=%d failed=%d" % tuple(self.moved))
        if all_counts or options.fs:
            parts.append("free_scanner: isolated=%d scanned=%d" % tuple(self.free))
        if all_counts or options.ms:
            parts.append("migration_scanner: isolated=%d scanned=%d" % tuple(self.source))
        return " ".join(parts)


def matches(word, pid, comm):
    first, dash, last = word.partition("-")
    if word.isdigit():
        return pid == int(word)
    if dash and (first.isdigit() or not first) and (last.isdigit() or not last) and word != "-":
        return int(first or 0) <= pid <= int(last or 1 << 31)
    return re.search(word, comm) is not None


for word in options.who:
    try:
        re.compile(word)
    except re.error as e:
        parser.error("'%s' is no pattern: %s" % (word, e))
total = Counts()


def begin(f, context):
    pid, comm = f['common_pid'], f['common_comm']
    if not options.who or any(matches(w, pid, comm) for w in options.who):
        running[pid] = nanoseconds(f), Counts()


def end(f, context):
    pid = f['common_pid']
    since, counts = running.pop(pid, (0, None))
    if counts is None:
        return
    counts.time = nanoseconds(f) - since
    total.add(counts)
    tasks.setdefault((pid, f['common_comm']), []).append((since, counts))


def add(name, first, second):
    def handler(f, context):
        counts = running.get(f['common_pid'], (0, None))[1]
        if counts is not None:
            pair = getattr(counts, name)
            pair[0] += f[first]
            pair[1] += f[second]
    return handler


trace_unhandled = dispatch({
    'compaction__mm_compaction_begin': begin,
    'compaction__mm_compaction_end': end,
    'compaction__mm_compaction_migratepages': add('moved', 'nr_migrated', 'nr_failed'),
    'compaction__mm_compaction_isolate_freepages': add('free', 'nr_taken', 'nr_scanned'),
    'compaction__mm_compaction_isolate_migratepages': add('source', 'nr_taken', 'nr_scanned'),
})


def trace_end():
    print("total: " + total.text())
    if not (options.p or options.pv):
        return
    for (pid, comm), list in sorted(tasks.items()):
        sum = Counts()
        for since, counts in list:
            sum.add(counts)
        print("%d[%s]: %s" % (pid, comm, sum.text()))
        for since, counts in list if options.pv else []:
            print("%d[%s] %d.%09d: %s" % (pid, comm, since // 10 ** 9, since % 10 ** 9, counts.text()))
