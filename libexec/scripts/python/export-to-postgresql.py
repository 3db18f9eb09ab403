# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as a file of SQL for PostgreSQL, with the tables of export-to-sqlite.

Load it with: createdb NAME; psql -q NAME <FILE"""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import DbSchema

name, perf_db_export_callchains = DbSchema.arguments("export-to-postgresql.py", "file")
perf_db_export_mode = True
output = None


def escaped(value):
    text = str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def write(table, rows):
    output.write("copy %s from stdin;\n" % table)
    for row in rows:
        output.write("\t".join(escaped(v) for v in row) + "\n")
    output.write("\\.\n")


rows = DbSchema.Rows(write)
globals().update(rows.takers())


def trace_begin():
    global output
    output = open(name, "w", encoding="utf-8", errors="replace")
    output.write("begin;\n")
    for table in DbSchema.TABLES:
        output.write(DbSchema.create(table, "bigint") + ";\n")
    rows.add_unknown()


def trace_end():
    rows.flush_all()
    for view, text in DbSchema.VIEWS.items():
        output.write("create view %s as %s;\n" % (view, text))
    for column in "thread_id", "symbol_id", "call_path_id":
        output.write("create index samples_%s on samples (%s);\n" % (column, column))
    output.write("commit;\n")
    output.close()
    print("%d samples are in %s" % (rows.samples, name))


def trace_unhandled(event_name, context, fields):
    """Tracepoints are not exported."""
