# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the kernel dropped packets: a table by place."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import dispatch
from perf_trace_context import perf_resolve

NOT_DROPPED = 1  # SKB_CONSUMED, of kernels that tell the reason
drops = {}


def kfree_skb(f, context):
    if f.get('reason') == NOT_DROPPED:
        return
    place = perf_resolve(context, f['location'])[1:]
    if place[0] is None:
        place = "0x%x" % f['location'], 0
    drops[place] = drops.get(place, 0) + 1


trace_unhandled = dispatch({'skb__kfree_skb': kfree_skb})


def trace_begin():
    print("Starting trace (Ctrl-C to dump results)")


def trace_end():
    print("%25s %25s %25s" % ("LOCATION", "OFFSET", "COUNT"))
    for (symbol, offset), count in sorted(drops.items(), key=lambda kv: (-kv[1], kv[0])):
        print("%25s %25s %25s" % (symbol, offset, count))
