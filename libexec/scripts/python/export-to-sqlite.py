# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as an SQLite database: samples with their threads, objects, functions and call paths.

Questions are asked in SQL, or through exported-sql-viewer.py."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import sqlite3

import DbSchema

name, perf_db_export_callchains = DbSchema.arguments("export-to-sqlite.py", "database")
perf_db_export_mode = True
database = None


def valid(value):
    """Names in the recording may hold bytes that are not UTF-8."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def write(table, rows):
    places = ",".join("?" * len(rows[0]))
    database.executemany("insert into %s values (%s)" % (table, places), [[valid(v) for v in row] for row in rows])


rows = DbSchema.Rows(write)
globals().update(rows.takers())


def trace_begin():
    global database
    database = sqlite3.connect(name, isolation_level=None)
    database.execute("pragma journal_mode = off")
    database.execute("pragma synchronous = off")
    database.execute("begin")
    for table in DbSchema.TABLES:
        database.execute(DbSchema.create(table, "integer"))
    rows.add_unknown()
    for view, text in DbSchema.VIEWS.items():
        database.execute("create view %s as %s" % (view, text))


def trace_end():
    rows.flush_all()
    for column in "thread_id", "symbol_id", "call_path_id":
        database.execute("create index samples_%s on samples (%s)" % (column, column))
    database.execute("commit")
    database.close()
    print("%d samples are in %s" % (rows.samples, name))


def trace_unhandled(event_name, context, fields):
    """Tracepoints are not exported."""
