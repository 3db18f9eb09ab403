# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as a file of SQL for PostgreSQL, with the tables of export-to-sqlite.

Load it with: createdb NAME; psql -q NAME <FILE"""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import DbSchema

usage = "usage: perf script -s export-to-postgresql.py <file name> [all|branches] [calls|callchains]"
args = sys.argv[1:]
if not args or any(a not in ("all", "branches", "calls", "callchains") for a in args[1:]):
    sys.exit(usage)
if "calls" in args:
    sys.exit("error: calls come from decoded hardware traces, and there are none: use callchains")
name = args[0]
perf_db_export_mode = True
perf_db_export_callchains = "callchains" in args[1:]
BATCH = 10000
output = None
count = 0
waiting = {table: [] for table in DbSchema.TABLES}


def trace_begin():
    global output
    if os.path.exists(name):
        sys.exit("error: '%s' exists: name another file" % name)
    output = open(name, "w", encoding="utf-8", errors="replace")
    output.write("begin;\n")
    for table in DbSchema.TABLES:
        output.write(DbSchema.create(table, "bigint") + ";\n")
    for table, row in DbSchema.UNKNOWN.items():
        add(table, row)


def escaped(value):
    text = str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def write(table):
    rows = waiting[table]
    if rows:
        output.write("copy %s from stdin;\n" % table)
        for row in rows:
            output.write("\t".join(escaped(v) for v in row) + "\n")
        output.write("\\.\n")
        rows.clear()


def add(table, row):
    waiting[table].append(row)
    if len(waiting[table]) >= BATCH:
        write(table)


def taker(table):
    def take(*row):
        global count
        count += table == "samples"
        add(table, row)
    return take


for function, table in DbSchema.CALLS.items():
    globals()[function] = taker(table)


def trace_end():
    for table in DbSchema.TABLES:
        write(table)
    for view, text in DbSchema.VIEWS.items():
        output.write("create view %s as %s;\n" % (view, text))
    for column in "thread_id", "symbol_id", "call_path_id":
        output.write("create index samples_%s on samples (%s);\n" % (column, column))
    output.write("commit;\n")
    output.close()
    print("%d samples are in %s" % (count, name))


def trace_unhandled(event_name, context, fields):
    """Tracepoints are not exported."""
