# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of an exported recording, and what the scripts that make them share.

Table -> its columns in the order of the rows that DbExport gives.  "number" is 64 bits.
"""

import os
import sys

TABLES = {
    "selected_events": ("id number primary key", "name text"),
    "machines": ("id number primary key", "pid integer", "root_dir text"),
    "threads": ("id number primary key", "machine_id number", "process_id number", "pid integer", "tid integer"),
    "comms": ("id number primary key", "comm text", "c_thread_id number", "c_time number", "exec_flag integer"),
    "comm_threads": ("id number primary key", "comm_id number", "thread_id number"),
    "dsos": ("id number primary key", "machine_id number", "short_name text", "long_name text", "build_id text"),
    "symbols": ("id number primary key", "dso_id number", "sym_start number", "sym_end number",
                "binding integer", "name text"),
    "branch_types": ("id integer primary key", "name text"),
    "call_paths": ("id number primary key", "parent_id number", "symbol_id number", "ip number"),
    "samples": ("id number primary key", "evsel_id number", "machine_id number", "thread_id number", "comm_id number",
                "dso_id number", "symbol_id number", "sym_offset number", "ip number", "time number",
                "cpu integer", "to_dso_id number", "to_symbol_id number", "to_sym_offset number", "to_ip number",
                "period number", "weight number", "transaction_ number", "data_src number",
                "branch_type integer", "in_tx integer", "call_path_id number", "insn_count number",
                "cyc_count number", "flags integer"),
    "context_switches": ("id number primary key", "machine_id number", "time number", "cpu integer",
                         "thread_out_id number", "comm_out_id number", "thread_in_id number", "comm_in_id number",
                         "flags integer"),
}

# What DbExport calls -> the table
CALLS = {
    "evsel_table": "selected_events", "machine_table": "machines", "thread_table": "threads",
    "comm_table": "comms", "comm_thread_table": "comm_threads", "dso_table": "dsos",
    "symbol_table": "symbols", "branch_type_table": "branch_types", "call_path_table": "call_paths",
    "sample_table": "samples", "context_switch_table": "context_switches",
}

# Rows that stand for what is not known: others name them by 0.
UNKNOWN = {
    "selected_events": (0, "unknown"), "machines": (0, 0, "unknown"), "threads": (0, 0, 0, -1, -1),
    "comms": (0, "unknown", 0, 0, 0), "dsos": (0, 0, "unknown", "unknown", ""),
    "symbols": (0, 0, 0, 0, 0, "unknown"), "call_paths": (0, 0, 0, 0),
}

VIEWS = {
    "threads_view": "select threads.id, threads.pid, threads.tid, "
                    "(select comm from comms join comm_threads on comms.id = comm_threads.comm_id "
                    "where comm_threads.thread_id = threads.id order by comms.id desc limit 1) as command, "
                    "(select comm from comms where c_thread_id = threads.id "
                    "order by comms.c_time desc, comms.id desc limit 1) as name from threads",
    "symbols_view": "select symbols.id, symbols.name, dsos.short_name as dso, symbols.sym_start, symbols.sym_end, "
                    "case symbols.binding when 0 then 'local' when 1 then 'global' else 'weak' end as binding "
                    "from symbols join dsos on dsos.id = symbols.dso_id",
    "samples_view": "select samples.id, samples.time, samples.cpu, threads.pid, threads.tid, comms.comm as command, "
                    "(select own.comm from comms own where own.c_thread_id = samples.thread_id "
                    "and own.c_time <= samples.time order by own.c_time desc, own.id desc limit 1) as thread_name, "
                    "selected_events.name as event, samples.ip, symbols.name as symbol, samples.sym_offset, "
                    "dsos.short_name as dso, samples.to_ip, samples.period, samples.weight, "
                    "branch_types.name as branch_type, samples.call_path_id from samples "
                    "join selected_events on selected_events.id = samples.evsel_id "
                    "join threads on threads.id = samples.thread_id join comms on comms.id = samples.comm_id "
                    "join symbols on symbols.id = samples.symbol_id join dsos on dsos.id = samples.dso_id "
                    "left join branch_types on branch_types.id = samples.branch_type",
    "call_paths_view": "select c.id, symbols.name as symbol, dsos.short_name as dso, c.ip, c.parent_id, "
                       "p.symbol_id as parent_symbol_id from call_paths c join symbols on symbols.id = c.symbol_id "
                       "join dsos on dsos.id = symbols.dso_id left join call_paths p on p.id = c.parent_id",
}


def create(table, number):
    return "create table %s (%s)" % (table, ", ".join(c.replace("number", number) for c in TABLES[table]))


def arguments(script, what):
    """The name of the output, and whether call chains are exported; exits when the call is wrong."""
    args = sys.argv[1:]
    if not args or any(a not in ("all", "branches", "calls", "callchains") for a in args[1:]):
        sys.exit("usage: perf script -s %s <%s name> [all|branches] [calls|callchains]" % (script, what))
    if "calls" in args:
        sys.exit("error: calls come from decoded hardware traces, and there are none: use callchains")
    if os.path.exists(args[0]):
        sys.exit("error: '%s' exists: name another file" % args[0])
    return args[0], "callchains" in args[1:]


class Rows:
    """Rows of the tables, handed to write(table, rows) in batches.  Counts the samples."""

    BATCH = 10000

    def __init__(self, write):
        self.write = write
        self.waiting = {table: [] for table in TABLES}
        self.samples = 0

    def add(self, table, row):
        self.samples += table == "samples"
        self.waiting[table].append(row)
        if len(self.waiting[table]) >= self.BATCH:
            self.flush(table)

    def add_unknown(self):
        for table, row in UNKNOWN.items():
            self.add(table, row)

    def flush(self, table):
        if self.waiting[table]:
            self.write(table, self.waiting[table])
            self.waiting[table].clear()

    def flush_all(self):
        for table in TABLES:
            self.flush(table)

    def takers(self):
        """The functions that DbExport calls, by name: each adds a row to its table."""
        def taker(table):
            return lambda *row: self.add(table, row)
        return {function: taker(table) for function, table in CALLS.items()}
