# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and writes of one program, by file descriptor."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import Table, dispatch

if len(sys.argv) != 2:
    sys.exit("usage: perf script -s rw-by-file.py <comm>")
for_comm = sys.argv[1]
reads, writes = {}, {}


def count_into(files):
    def handler(f, context):
        if f['common_comm'] == for_comm:
            calls, size = files.get(f['fd'], (0, 0))
            files[f['fd']] = calls + 1, size + f['count']
    return handler


trace_unhandled = dispatch({
    'syscalls__sys_enter_read': count_into(reads),
    'syscalls__sys_enter_write': count_into(writes),
})


def show(files, calls, size):
    table = Table(("fd", "%6s", "%6u"), (calls, "%10s", "%10u"), (size, "%15s", "%15u"))
    for fd, (count, total) in sorted(files.items(), key=lambda kv: (-kv[1][1], kv[0])):
        table.row(fd, count, total)


def trace_end():
    print("file read counts for %s:\n" % for_comm)
    show(reads, "# reads", "bytes_requested")
    print("\nfile write counts for %s:\n" % for_comm)
    show(writes, "# writes", "bytes_written")
