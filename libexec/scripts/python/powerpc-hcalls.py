# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of the hypervisor on PowerPC: how often each was made and how long it took.

Numbers of calls are those of PAPR, in steps of 4; the most common ones have names."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import dispatch, nanoseconds

NAMES = {
    0x04: "H_REMOVE", 0x08: "H_ENTER", 0x0c: "H_READ", 0x18: "H_PROTECT", 0x1c: "H_GET_TCE", 0x20: "H_PUT_TCE",
    0x54: "H_GET_TERM_CHAR", 0x58: "H_PUT_TERM_CHAR", 0x64: "H_EOI", 0x68: "H_CPPR", 0x6c: "H_IPI",
    0x74: "H_XIRR", 0xe0: "H_CEDE", 0xe4: "H_CONFER", 0xe8: "H_PROD", 0xdc: "H_REGISTER_VPA",
    0xec: "H_GET_PPP", 0xf0: "H_SET_PPP", 0xf4: "H_PURR", 0x138: "H_PUT_TCE_INDIRECT",
    0x13c: "H_STUFF_TCE", 0x114: "H_SEND_LOGICAL_LAN", 0x124: "H_BULK_REMOVE", 0x15c: "H_GET_MPP",
}
entered, calls = {}, {}


def entry(f, context):
    entered[f['common_cpu']] = f['opcode'], nanoseconds(f)


def leave(f, context):
    opcode, since = entered.pop(f['common_cpu'], (None, 0))
    if opcode == f['opcode']:
        calls.setdefault(opcode, []).append(nanoseconds(f) - since)


trace_unhandled = dispatch({'powerpc__hcall_entry': entry, 'powerpc__hcall_exit': leave})


def trace_end():
    row = '%-28s%10s%10s%10s%10s'
    print(row % ('hcall', 'count', 'min(ns)', 'max(ns)', 'avg(ns)'))
    print('-' * 68)
    for opcode, times in sorted(calls.items(), key=lambda kv: -len(kv[1])):
        print(row % (NAMES.get(opcode, "0x%x" % opcode), len(times), min(times), max(times), sum(times) // len(times)))
