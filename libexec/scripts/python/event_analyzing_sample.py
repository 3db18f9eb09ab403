# SPDX-License-Identifier: GPL-2.0-or-later
"""All samples, counted by thread, symbol and object: a script to begin with.

Samples are objects (EventClass.py), kept in a database in memory, so that any question can be asked in SQL."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import math
import sqlite3

from EventClass import create_event, EVTYPE_PEBS_LL

db = sqlite3.connect(":memory:", isolation_level=None)


def trace_begin():
    db.execute("create table gen_events (name text, symbol text, comm text, dso text)")
    db.execute("create table pebs_ll (name text, symbol text, comm text, dso text, "
               "flags integer, ip integer, status integer, dse integer, dla integer, lat integer)")
    print("In trace_begin:\n")


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def process_event(sample):
    event = create_event(sample["ev_name"], sample["comm"], sample.get("dso", "Unknown_dso"),
                         sample.get("symbol", "Unknown_symbol"), sample["raw_buf"])
    names = tuple(t.encode("utf-8", "replace").decode() for t in
                  (event.name, event.symbol, event.comm, event.dso))
    if event.ev_type == EVTYPE_PEBS_LL:
        db.execute("insert into pebs_ll values (?,?,?,?,?,?,?,?,?,?)", names + tuple(
            signed(v) for v in (event.flags, event.ip, event.status, event.dse, event.dla, event.lat)))
    else:
        db.execute("insert into gen_events values (?,?,?,?)", names)


def trace_unhandled(event_name, context, fields, sample):
    process_event(sample)


def marks(count):
    """One for each power of two."""
    return "#" * (int(math.log2(count)) + 1)


def show(table, column):
    print("\n%16s %8s %16s\n%s" % (column, "number", "histogram", "=" * 46))
    for name, count in db.execute("select %s, count(%s) from %s group by %s order by -count(%s), %s" %
                                  (column, column, table, column, column, column)):
        print("%16s %8d     %s" % (name, count, marks(count)))


def statistics(table, title):
    count = db.execute("select count(*) from " + table).fetchone()[0]
    print("There is %d records in %s table" % (count, table))
    if count:
        print("Statistics about the %s grouped by thread/symbol/dso:" % title)
        for column in "comm", "symbol", "dso":
            show(table, column)
    return count


def trace_end():
    print("In trace_end:\n")
    statistics("gen_events", "general events")
    print()
    if statistics("pebs_ll", "PEBS Load Latency events"):
        show("pebs_ll", "dse")
        show("pebs_ll", "lat")
