# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as an SQLite database: samples with their threads, objects, functions and call paths.

Questions are asked in SQL, or through exported-sql-viewer.py."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import sqlite3

import DbSchema

usage = "usage: perf script -s export-to-sqlite.py <database name> [all|branches] [calls|callchains]"
args = sys.argv[1:]
if not args or any(a not in ("all", "branches", "calls", "callchains") for a in args[1:]):
    sys.exit(usage)
if "calls" in args:
    sys.exit("error: calls come from decoded hardware traces, and there are none: use callchains")
name = args[0]
perf_db_export_mode = True
perf_db_export_callchains = "callchains" in args[1:]
BATCH = 10000
database = None
waiting = {table: [] for table in DbSchema.TABLES}


def trace_begin():
    global database
    if os.path.exists(name):
        sys.exit("error: '%s' exists: name another file" % name)
    database = sqlite3.connect(name, isolation_level=None)
    database.execute("pragma journal_mode = off")
    database.execute("pragma synchronous = off")
    database.execute("begin")
    for table in DbSchema.TABLES:
        database.execute(DbSchema.create(table, "integer"))
    for table, row in DbSchema.UNKNOWN.items():
        add(table, row)
    for view, text in DbSchema.VIEWS.items():
        database.execute("create view %s as %s" % (view, text))


def write(table):
    rows = waiting[table]
    if rows:
        database.executemany("insert into %s values (%s)" % (table, ",".join("?" * len(rows[0]))), rows)
        rows.clear()


def add(table, row):
    # names in the recording may hold bytes that are not UTF-8
    row = tuple(v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in row)
    waiting[table].append(row)
    if len(waiting[table]) >= BATCH:
        write(table)


def taker(table):
    return lambda *row: add(table, row)


for function, table in DbSchema.CALLS.items():
    globals()[function] = taker(table)


def trace_end():
    for table in DbSchema.TABLES:
        write(table)
    count = database.execute("select count(*) from samples").fetchone()[0]
    for column in "thread_id", "symbol_id", "call_path_id":
        database.execute("create index samples_%s on samples (%s)" % (column, column))
    database.execute("commit")
    database.close()
    print("%d samples are in %s" % (count, name))


def trace_unhandled(event_name, context, fields):
    """Tracepoints are not exported."""
