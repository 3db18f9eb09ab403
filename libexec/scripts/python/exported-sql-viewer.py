#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Questions to a database that export-to-sqlite.py made, answered as tables of text.

  exported-sql-viewer.py DATABASE                     the tables and how many rows they have
  exported-sql-viewer.py DATABASE symbols             samples by function
  exported-sql-viewer.py DATABASE threads             samples by thread
  exported-sql-viewer.py DATABASE dsos                samples by object
  exported-sql-viewer.py DATABASE samples             each sample
  exported-sql-viewer.py DATABASE calls               the call graph, callers first
  exported-sql-viewer.py DATABASE callers SYMBOL      who called a function
  exported-sql-viewer.py DATABASE query SQL           any other question
"""

import argparse
import os
import sqlite3
import sys

SUMMARY = """select {what}, count(*) as samples, sum(samples.period) as period,
printf('%.2f%%', 100.0 * count(*) / (select count(*) from samples)) as share from samples {joins}
group by {what} order by samples desc, {what}"""
JOINS = {
    "symbols": ("symbols.name, dsos.short_name",
                "join symbols on symbols.id = samples.symbol_id join dsos on dsos.id = samples.dso_id"),
    "threads": ("comms.comm, threads.pid, threads.tid",
                "join threads on threads.id = samples.thread_id join comms on comms.id = samples.comm_id"),
    "dsos": ("dsos.short_name", "join dsos on dsos.id = samples.dso_id"),
}


def show(cursor, limit):
    names = [d[0] for d in cursor.description or ()]
    rows = [["" if v is None else str(v) for v in row] for row in
            (cursor.fetchmany(limit) if limit else cursor.fetchall())]
    widths = [max([len(n)] + [len(r[i]) for r in rows]) for i, n in enumerate(names)]
    for row in [names, ["-" * w for w in widths]] + rows:
        print("  ".join(v.ljust(w) for v, w in zip(row, widths)).rstrip())


def tables(db):
    names = [n for n, in db.execute("select name from sqlite_master where type = 'table' order by name")]
    for name in names:
        print("%-20s %10d" % (name, db.execute('select count(*) from "%s"' % name).fetchone()[0]))


def tree(db):
    """call path -> (parent, name), and the samples of each with all that it called."""
    paths = {id: (parent, name) for id, parent, name in db.execute(
        "select c.id, c.parent_id, symbols.name from call_paths c join symbols on symbols.id = c.symbol_id")}
    totals, own, children = {}, {}, {}
    for id, count in db.execute("select call_path_id, count(*) from samples group by call_path_id"):
        own[id] = count
        seen = set()
        while id in paths and id not in seen:
            seen.add(id)
            totals[id] = totals.get(id, 0) + count
            id = paths[id][0]
    for id, (parent, name) in paths.items():
        if id != parent and id in totals:
            children.setdefault(parent, []).append(id)
    return paths, totals, own, children


def calls(db):
    paths, totals, own, children = tree(db)
    if not any(id for id in own):
        sys.exit("error: the database has no call chains: export it with 'callchains'")
    print("%-60s %10s %10s" % ("call", "samples", "own"))
    todo = [(id, 0) for id in sorted(children.get(1, ()), key=lambda i: totals[i])]
    while todo:
        id, depth = todo.pop()
        print("%-60s %10d %10d" % ("  " * depth + paths[id][1], totals[id], own.get(id, 0)))
        todo += [(c, depth + 1) for c in sorted(children.get(id, ()), key=lambda i: (totals[i], paths[i][1]))]


def callers(db, symbol):
    paths, totals, own, children = tree(db)
    found = {}
    for id, (parent, name) in paths.items():
        if name == symbol and id in totals:
            caller = paths[parent][1] if parent in paths and parent > 1 else "(none)"
            found[caller] = found.get(caller, 0) + totals[id]
    if not found:
        sys.exit("error: no sample was taken in '%s' or in what it called" % symbol)
    for caller, count in sorted(found.items(), key=lambda kv: (-kv[1], kv[0])):
        print("%-60s %10d" % (caller, count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("report", nargs="?", default="tables",
                        choices=["tables", "symbols", "threads", "dsos", "samples", "calls", "callers", "query"])
    parser.add_argument("argument", nargs="?", help="of callers and query")
    parser.add_argument("--limit", type=int, default=0, help="so many rows at most")
    options = parser.parse_args()
    if options.report in ("callers", "query") and options.argument is None:
        parser.error("'%s' needs an argument" % options.report)
    if not os.path.exists(options.database):
        sys.exit("error: there is no database '%s'" % options.database)
    db = sqlite3.connect("file:%s?mode=ro" % options.database.replace("?", "%3f").replace("#", "%23"), uri=True)
    if options.report == "tables":
        tables(db)
    elif options.report == "calls":
        calls(db)
    elif options.report == "callers":
        callers(db, options.argument)
    elif options.report == "samples":
        show(db.execute("select * from samples_view order by time"), options.limit)
    elif options.report == "query":
        show(db.execute(options.argument), options.limit)
    else:
        what, joins = JOINS[options.report]
        show(db.execute(SUMMARY.format(what=what, joins=joins)), options.limit)


try:
    main()
except sqlite3.Error as e:
    sys.exit("error: %s" % e)
except BrokenPipeError:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
