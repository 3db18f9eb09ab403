# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and writes by thread, for rw-by-pid and rwtop."""

from Summary import Table, by_count


class Task:
    def __init__(self, comm):
        self.comm = comm
        self.calls = self.requested = self.done = 0
        self.errors = {}


class ReadWrite:
    def __init__(self):
        self.reads, self.writes = {}, {}

    def handlers(self):
        return {
            'syscalls__sys_enter_read': lambda f, context: self.enter(self.reads, f),
            'syscalls__sys_exit_read': lambda f, context: self.leave(self.reads, f),
            'syscalls__sys_enter_write': lambda f, context: self.enter(self.writes, f),
            'syscalls__sys_exit_write': lambda f, context: self.leave(self.writes, f),
        }

    @staticmethod
    def task(tasks, f):
        task = tasks.setdefault(f['common_pid'], Task(f['common_comm']))
        task.comm = f['common_comm']
        return task

    def enter(self, tasks, f):
        task = self.task(tasks, f)
        task.calls += 1
        task.requested += f['count']

    def leave(self, tasks, f):
        task = self.task(tasks, f)
        if f['ret'] >= 0:
            task.done += f['ret']
        else:
            task.errors[f['ret']] = task.errors.get(f['ret'], 0) + 1

    def show_reads(self, most=None):
        table = Table(("pid", "%6s", "%6d"), ("comm", "%-20s", "%-20s"), ("# reads", "%10s", "%10d"),
                      ("bytes_requested", "%15s", "%15d"), ("bytes_read", "%10s", "%10d"))
        for pid, t in sorted(self.reads.items(), key=lambda kv: (-kv[1].done, kv[0]))[:most]:
            table.row(pid, t.comm, t.calls, t.requested, t.done)

    def show_writes(self, most=None):
        table = Table(("pid", "%6s", "%6d"), ("comm", "%-20s", "%-20s"), ("# writes", "%10s", "%10d"),
                      ("bytes_written", "%13s", "%13d"))
        for pid, t in sorted(self.writes.items(), key=lambda kv: (-kv[1].requested, kv[0]))[:most]:
            table.row(pid, t.comm, t.calls, t.requested)

    @staticmethod
    def show_errors(tasks):
        table = Table(("pid", "%6s", "%6d"), ("comm", "%-20s", "%-20s"), ("error #", "%7s", "%7d"),
                      ("# errors", "%10s", "%10d"))
        errors = {(pid, error): n for pid, t in tasks.items() for error, n in t.errors.items()}
        for (pid, error), count in by_count(errors):
            table.row(pid, tasks[pid].comm, error, count)
