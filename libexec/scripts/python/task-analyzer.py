# SPDX-License-Identifier: GPL-2.0-or-later
"""When tasks ran, for how long, and how long they were away in between."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import argparse

from Summary import dispatch, nanoseconds

parser = argparse.ArgumentParser(prog="task-analyzer.py", description=__doc__)
parser.add_argument("--time-limit", metavar="FROM-TO", default="", help="seconds of the recording; either may be left out")
parser.add_argument("--summary", action="store_true", help="a table of tasks at the end, after the schedules")
parser.add_argument("--summary-only", action="store_true", help="nothing but the table of tasks")
parser.add_argument("--summary-extended", action="store_true", help="the table with times between runs, too")
parser.add_argument("--ns", action="store_true", help="times in nanoseconds")
parser.add_argument("--ms", action="store_true", help="times in milliseconds")
parser.add_argument("--extended-times", action="store_true", help="from out to in, in to in and out to out, too")
parser.add_argument("--filter-tasks", metavar="TASK,...", default="", help="leave these tids or commands out")
parser.add_argument("--limit-to-tasks", metavar="TASK,...", default="", help="these tids or commands alone")
parser.add_argument("--rename-comms-by-tids", metavar="TID:NAME,...", default="", help="other names for tasks")
parser.add_argument("--csv", metavar="FILE", help="the schedules as values separated by semicolons")
parser.add_argument("--csv-summary", metavar="FILE", help="the table of tasks likewise")
options = parser.parse_args()
if options.filter_tasks and options.limit_to_tasks:
    parser.error("--filter-tasks and --limit-to-tasks exclude each other")
if options.ns and options.ms:
    parser.error("--ns and --ms exclude each other")
divisor, unit = (1, "ns") if options.ns else (10 ** 6, "ms") if options.ms else (10 ** 3, "us")
decimals = 0 if options.ns else 6 if options.ms else 3


def words(text):
    return set(text.split(",")) - {""}


def parse_limit(text):
    first, dash, last = text.partition("-")
    try:
        return (float(first) if first else 0.0), (float(last) if last else float("inf"))
    except ValueError:
        parser.error("--time-limit takes FROM-TO in seconds, not '%s'" % text)


def parse_names(text):
    names = {}
    for pair in words(text):
        tid, colon, name = pair.partition(":")
        if not colon or not tid.isdigit():
            parser.error("--rename-comms-by-tids takes TID:NAME, not '%s'" % pair)
        names[int(tid)] = name
    return names


limit = parse_limit(options.time_limit) if options.time_limit else (0.0, float("inf"))
names = parse_names(options.rename_comms_by_tids)
left_out, chosen = words(options.filter_tasks), words(options.limit_to_tasks)
running = {}     # cpu -> (tid, since)
tasks = {}       # tid -> Task
schedules = []   # rows


class Task:
    def __init__(self, tid):
        self.tid, self.comm, self.runs, self.migrations = tid, "", [], 0
        self.last_in = self.last_out = None
        self.out_in, self.in_in, self.out_out = [], [], []

    def ran(self, since, until):
        row = (since - self.last_out if self.last_out is not None else None,
               since - self.last_in if self.last_in is not None else None,
               until - self.last_out if self.last_out is not None else None)
        for list, value in zip((self.out_in, self.in_in, self.out_out), row):
            if value is not None:
                list.append(value)
        self.runs.append(until - since)
        self.last_in, self.last_out = since, until
        return row


def wanted(tid, comm):
    if chosen:
        return str(tid) in chosen or comm in chosen
    return not (str(tid) in left_out or comm in left_out)


def task_of(tid, comm):
    task = tasks.setdefault(tid, Task(tid))
    task.comm = names.get(tid, comm)
    return task


def switch(f, context):
    now, cpu = nanoseconds(f), f['common_cpu']
    tid, since = running.get(cpu, (None, 0))
    running[cpu] = f['next_pid'], now
    if tid != f['prev_pid'] or tid == 0 or not wanted(tid, f['prev_comm']):
        return  # the idle task, or one whose beginning was not recorded
    if not limit[0] <= since / 1e9 <= limit[1]:
        return
    task = task_of(tid, f['prev_comm'])
    between = task.ran(since, now)
    schedules.append((since, now, cpu, tid, task.comm) + between)


def migrate(f, context):
    if wanted(f['pid'], f['comm']):
        task_of(f['pid'], f['comm']).migrations += 1


trace_unhandled = dispatch({'sched__sched_switch': switch, 'sched__sched_migrate_task': migrate})


def show_time(ns):
    return "" if ns is None else "%.*f" % (decimals, ns / divisor)


def schedule_cells(row):
    since, until, cpu, tid, comm, out_in, in_in, out_out = row
    cells = ["%.9f" % (since / 1e9), "%.9f" % (until / 1e9), "%03d" % cpu, str(tid), comm,
             show_time(until - since), show_time(out_in)]
    return cells + ([show_time(in_in), show_time(out_out)] if options.extended_times else [])


def print_schedules():
    head = ["Switched-In", "Switched-Out", "CPU", "TID", "Comm", "Runtime", "Time Out-In"]
    head += ["Time In-In", "Time Out-Out"] if options.extended_times else []
    widths = [16, 16, 4, 8, 16, 14, 14, 14, 14]
    if not options.summary_only:
        print("Times in %s\n" % unit)
        print(" ".join("%*s" % (w, h) for w, h in zip(widths, head)))
        for row in schedules:
            print(" ".join("%*s" % (w, c) for w, c in zip(widths, schedule_cells(row))))
    if options.csv:
        write_csv(options.csv, head, [schedule_cells(r) for r in schedules])


def write_csv(name, head, rows):
    with open(name, "w", encoding="utf-8", errors="surrogateescape") as f:
        for row in [head] + rows:
            f.write(";".join(row) + "\n")


def middle(values):
    values = sorted(values)
    n = len(values)
    return (values[n // 2] + values[(n - 1) // 2]) / 2 if n else None


def statistics(values):
    if not values:
        return [""] * 4
    return [show_time(v) for v in (sum(values) / len(values), middle(values), min(values), max(values))]


def summary_cells(task):
    cells = [str(task.tid), task.comm, str(len(task.runs)), show_time(sum(task.runs))]
    cells += statistics(task.runs) + [str(task.migrations)]
    if options.summary_extended:
        for values in task.out_in, task.in_in, task.out_out:
            cells += statistics(values)
    return cells


def print_summary():
    head = ["TID", "Comm", "Runs", "Accumulated", "Mean", "Median", "Min", "Max", "Migrations"]
    if options.summary_extended:
        for name in "Out-In", "In-In", "Out-Out":
            head += [name + " " + s for s in ("Mean", "Median", "Min", "Max")]
    rows = [summary_cells(t) for t in sorted(tasks.values(), key=lambda t: (-sum(t.runs), t.tid)) if t.runs]
    if options.summary or options.summary_only or options.summary_extended:
        print("\nSummary, times in %s\n" % unit)
        for row in [head] + rows:
            print(" ".join(("%8s %-16s %6s" if i == 0 else "%14s") % (tuple(row[:3]) if i == 0 else (c,))
                           for i, c in enumerate(row[2:])))
    if options.csv_summary:
        write_csv(options.csv_summary, head, rows)


def trace_end():
    print_schedules()
    print_summary()
