# SPDX-License-Identifier: GPL-2.0-or-later
"""How tasks were spread over the CPUs: run queues, migrations, and who was busy when."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from SchedGui import Timeline
from Summary import Table, by_count, dispatch, nanoseconds

cpus = {}  # cpu -> Cpu
migrations = {}  # (from, to) -> count
tasks = {}  # (comm, pid) -> migrations
timeline = Timeline()
times = [None, 0]


class Cpu:
    def __init__(self):
        self.switches = self.wakeups = self.forks = self.arrived = self.left = 0
        self.task, self.since = None, None
        self.queue, self.longest = set(), 0

    def grow(self, pid):
        if pid:
            self.queue.add(pid)
            self.longest = max(self.longest, len(self.queue))


def cpu_of(n):
    return cpus.setdefault(n, Cpu())


def note_time(f):
    now = nanoseconds(f)
    times[0] = now if times[0] is None else times[0]
    times[1] = max(times[1], now)
    return now


def switch(f, context):
    now, cpu = note_time(f), cpu_of(f['common_cpu'])
    if cpu.since is not None and cpu.task == f['prev_pid'] and cpu.task:
        timeline.add(f['common_cpu'], cpu.since, now, f['prev_comm'])
    cpu.switches += 1
    cpu.grow(f['prev_pid'])
    if f['prev_state']:
        cpu.queue.discard(f['prev_pid'])
    cpu.grow(f['next_pid'])
    cpu.task, cpu.since = f['next_pid'], now


def wakeup(f, context):
    note_time(f)
    cpu = cpu_of(f['target_cpu'])
    cpu.wakeups += 1
    cpu.grow(f['pid'])


def fork(f, context):
    wakeup(f, context)
    cpu = cpu_of(f['target_cpu'])
    cpu.wakeups -= 1
    cpu.forks += 1


def migrate(f, context):
    note_time(f)
    source, target = cpu_of(f['orig_cpu']), cpu_of(f['dest_cpu'])
    source.left += 1
    target.arrived += 1
    if f['pid'] in source.queue:
        source.queue.discard(f['pid'])
        target.grow(f['pid'])
    pair = f['orig_cpu'], f['dest_cpu']
    migrations[pair] = migrations.get(pair, 0) + 1
    who = f['comm'], f['pid']
    tasks[who] = tasks.get(who, 0) + 1


trace_unhandled = dispatch({
    'sched__sched_switch': switch, 'sched__sched_wakeup': wakeup, 'sched__sched_wakeup_new': fork,
    'sched__sched_migrate_task': migrate,
})


def trace_end():
    print("scheduler events by CPU, %.6f s\n" % ((times[1] - (times[0] or 0)) / 1e9))
    table = Table(*[(name, "%8s", "%8d") for name in
                    ("cpu", "switches", "wakeups", "forks", "arrived", "left", "longest")])
    for n in sorted(cpus):
        c = cpus[n]
        table.row(n, c.switches, c.wakeups, c.forks, c.arrived, c.left, c.longest)
    print("\nmigrations\n")
    table = Table(("from", "%6s", "%6d"), ("to", "%6s", "%6d"), ("count", "%10s", "%10d"))
    for (source, target), count in by_count(migrations):
        table.row(source, target, count)
    print("\nmigrations by task\n")
    table = Table(("comm [pid]", "%-30s", "%-30s"), ("count", "%10s", "%10d"))
    for (comm, pid), count in by_count(tasks):
        table.row("%s [%d]" % (comm, pid), count)
    print("\nbusy CPUs over the time\n")
    timeline.draw()
