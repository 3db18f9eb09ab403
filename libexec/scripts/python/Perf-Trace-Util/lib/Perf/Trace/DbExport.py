# SPDX-License-Identifier: GPL-2.0-or-later
"""From samples to rows of tables, for scripts with perf_db_export_mode = True.

perf makes an Exporter once trace_begin() is done.  Each row is one call of a function of the
script, if it has it: evsel_table(id, name), machine_table(id, pid, root_dir), thread_table(id,
machine_id, process_id, pid, tid), comm_table(id, comm, thread_id, time, exec_flag),
comm_thread_table(id, comm_id, thread_id), dso_table(id, machine_id, short_name, long_name, build_id),
symbol_table(id, dso_id, start, end, binding, name), branch_type_table(id, name), call_path_table(id,
parent_id, symbol_id, ip), sample_table(25 values), context_switch_table(9 values).
A row that another one names comes before it.  Numbers are signed, as databases have them.
"""

import os
import re

from perf_trace_context import perf_command, perf_sample_place

BRANCH, CALL, RETURN, CONDITIONAL, SYSCALL, ASYNC, INTERRUPT, TX_ABORT, BEGIN, END = (1 << n for n in range(10))
VM_ENTRY, VM_EXIT = 1 << 11, 1 << 12

BRANCH_TYPES = [
    (0, "no branch"),
    (BRANCH | CALL, "call"),
    (BRANCH | RETURN, "return"),
    (BRANCH | CONDITIONAL, "conditional jump"),
    (BRANCH, "unconditional jump"),
    (BRANCH | CALL | INTERRUPT, "software interrupt"),
    (BRANCH | RETURN | INTERRUPT, "return from interrupt"),
    (BRANCH | CALL | SYSCALL, "system call"),
    (BRANCH | RETURN | SYSCALL, "return from system call"),
    (BRANCH | ASYNC, "asynchronous branch"),
    (BRANCH | CALL | ASYNC | INTERRUPT, "hardware interrupt"),
    (BRANCH | TX_ABORT, "transaction abort"),
    (BRANCH | CALL | VM_ENTRY, "vm entry"),
    (BRANCH | CALL | VM_EXIT, "vm exit"),
]
# each may also be the first or the last branch of a trace
BRANCH_TYPES += [(kind | edge, plain if kind == BRANCH else both % name) for edge, plain, both in (
    (BEGIN, "trace begin", "trace begin / %s"), (END, "trace end", "%s / trace end")) for kind, name in BRANCH_TYPES]

HOST = -1


def signed(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


class Exporter:
    def __init__(self, script):
        self.script = script
        self.ids = {}    # table -> {key: id}
        self.programs = {}  # task -> (its name, since when, was it an exec)
        self.rows = {"sample": 0, "context_switch": 0}
        self.chains = bool(script.get("perf_db_export_callchains"))
        for value, name in BRANCH_TYPES:
            self.call("branch_type_table", value, name)

    def call(self, name, *values):
        function = self.script.get(name)
        if callable(function):
            function(*values)

    def id_of(self, table, key):
        """The number of a row, and whether it is a new one."""
        rows = self.ids.setdefault(table, {})
        new = key not in rows
        return rows.setdefault(key, len(rows) + 1), new

    def next_row(self, table):
        self.rows[table] += 1
        return self.rows[table]

    def event(self, index, name):
        id, new = self.id_of("evsel", index)
        if new:
            self.call("evsel_table", id, name)
        return id

    def machine(self, pid):
        id, new = self.id_of("machine", pid)
        if new:
            self.call("machine_table", id, pid, "")
        return id

    def thread(self, machine, pid, tid):
        process = pid != tid and self.thread(machine, pid, pid)
        id, new = self.id_of("thread", (machine, pid, tid))
        if new:
            self.call("thread_table", id, machine, process or id, pid, tid)
        return id

    def program(self, context, pid):
        """What a process runs: neither its threads' names nor those that it gave itself later."""
        name, since, task = perf_command(context, pid, pid)
        return self.programs.setdefault(task, (name, since, 0))

    def execed(self, context, pid, tid):
        """A process runs another program from now on."""
        name, since, task = perf_command(context, pid, pid)
        self.programs[task] = name, since, 1

    def comm(self, program, thread, process):
        """The row of what a process runs."""
        name, since, execed = program
        id, new = self.id_of("comm", (name, since, process))
        if new:
            self.call("comm_table", id, name, process, signed(since), execed)
        pair, new = self.id_of("comm_thread", (id, thread))
        if new:
            self.call("comm_thread_table", pair, id, thread)
        return id

    def own_comm(self, context, pid, tid, thread):
        """The row of the name that the thread has now, unless it is that of its program."""
        name, since, _ = perf_command(context, pid, tid)
        id, new = self.id_of("comm", (name, since, thread))
        if new:
            self.call("comm_table", id, name, thread, signed(since), 0)

    def dso(self, machine, name, build_id):
        id, new = self.id_of("dso", (machine, name))
        if new:
            jit = re.fullmatch(r"/tmp/perf-(\d+)\.map", name)
            short = "[JIT] tid " + jit[1] if jit else os.path.basename(name) or name
            self.call("dso_table", id, machine, short, name, build_id)
        return id

    def symbol(self, dso, start, end, binding, name):
        id, new = self.id_of("symbol", (dso, start, name))
        if new:
            self.call("symbol_table", id, dso, signed(start), signed(end), binding, name)
        return id

    def place(self, machine, place):
        """Numbers of object and function, and the offset in it."""
        if place is None:
            return 0, 0, 0
        name, build_id, symbol, start, end, binding, offset, at = place
        dso = self.dso(machine, name, build_id)
        if symbol is None:
            symbol, start, end, binding, offset = "unknown", at, at, 0, 0
        return dso, self.symbol(dso, start, end, binding, symbol), offset

    def call_path(self, machine, chain):
        parent = 0
        if not chain:
            return 0
        if self.id_of("call_path", None)[1]:
            self.call("call_path_table", 1, 0, 0, 0)
        parent = 1
        for frame in reversed(chain):
            symbol, ip = 0, frame["ip"]
            if "sym" in frame:
                s = frame["sym"]
                symbol = self.symbol(self.dso(machine, frame["dso"], ""), s["start"], s["end"], s["binding"], s["name"])
                # one row for all calls in a function
                key, ip = (parent, symbol), 0
            else:
                key = (parent, 0, ip)
            id, new = self.id_of("call_path", key)
            if new:
                self.call("call_path_table", id, parent, symbol, signed(ip))
            parent = id
        return parent

    def sample(self, context, index, d):
        s = d["sample"]
        event = self.event(index, d["ev_name"])
        machine = self.machine(s.get("machine_pid", HOST))
        pid, tid = signed_32(s["pid"]), signed_32(s["tid"])
        thread = self.thread(machine, pid, tid)
        process = self.thread(machine, pid, pid)
        program = self.program(context, pid) if "machine_pid" not in s else (d["comm"], 0, 0)
        comm = self.comm(program, thread, process)
        if "machine_pid" not in s:
            self.own_comm(context, pid, tid, thread)
        id = self.next_row("sample")
        dso, symbol, offset = self.place(machine, perf_sample_place(context, False))
        path = self.call_path(machine, d["callchain"]) if self.chains else 0
        to_dso, to_symbol, to_offset = 0, 0, 0
        if s.get("addr_correlates_sym"):
            to_dso, to_symbol, to_offset = self.place(machine, perf_sample_place(context, True))
        self.call("sample_table", id, event, machine, thread, comm, dso, symbol, signed(offset), signed(s["ip"]),
                  signed(s["time"]), signed_32(s["cpu"]), to_dso, to_symbol, signed(to_offset), signed(s["addr"]),
                  signed(s["period"]), signed(s["weight"]), signed(s["transaction"]), signed(s["datasrc"]),
                  0, 0, path, s.get("insn_cnt", 0), s.get("cyc_cnt", 0), 0)

    def switch(self, context, time, cpu, pid, tid, other_pid, other_tid, out, preempted):
        machine = self.machine(HOST)
        this = self.thread(machine, pid, tid)
        other = self.thread(machine, other_pid, other_tid) if other_tid >= 0 else 0
        commands = [self.comm(self.program(context, p), th, self.thread(machine, p, p)) if th else 0
                    for p, th in ((pid, this), (other_pid, other))]
        for p, t, th in (pid, tid, this), (other_pid, other_tid, other):
            if th:
                self.own_comm(context, p, t, th)
        id = self.next_row("context_switch")
        left, entered = ((this, commands[0]), (other, commands[1]))[::1 if out else -1]
        self.call("context_switch_table", id, machine, signed(time), cpu, left[0], left[1], entered[0], entered[1],
                  (1 if out else 0) | (2 if preempted else 0))


def signed_32(value):
    return value - (1 << 32) if value >> 31 & 1 and value < 1 << 32 else value
