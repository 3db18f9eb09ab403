# SPDX-License-Identifier: GPL-2.0-or-later
"""What a decoder of Intel PT reported, in order of time: branches, instructions, marks that programs wrote
(ptwrite), power states, frequencies and asynchronous events.

It reads samples of traces that are decoded already, as perf inject --itrace=bep of a perf with a decoder
writes them.
"""

import argparse
import struct
import sys

from perf_trace_context import perf_sample_insn, perf_sample_srccode

parser = argparse.ArgumentParser(prog="intel-pt-events.py")
parser.add_argument("--insn-trace", action="store_true", help="the bytes of each sampled instruction")
parser.add_argument("--src-trace", action="store_true", help="the source line of each sampled instruction")
parser.add_argument("--no-branches", action="store_true", help="leave branches and instructions out")
parser.add_argument("--all-switch-events", action="store_true", help="context switches, too")
options = parser.parse_args()
counts = {}


def ptwrite(raw):
    flags, payload = struct.unpack_from("<IQ", raw)
    return "IP: %u payload: %#x %s" % (flags & 1, payload, as_text(payload))


def as_text(payload):
    """Programs often put eight characters into a mark."""
    text = payload.to_bytes(8, "little").rstrip(b"\0")
    return repr(text.decode()) if text and all(32 <= c < 127 for c in text) else ""


def mwait(raw):
    payload, = struct.unpack_from("<Q", raw, 4)
    return "hints: %#x extensions: %#x" % (payload & 0xff, payload >> 32 & 3)


def pwre(raw):
    payload, = struct.unpack_from("<Q", raw, 4)
    return "hw: %u cstate: %u sub-cstate: %u" % (payload >> 7 & 1, payload >> 12 & 15, payload >> 8 & 15)


def exstop(raw):
    flags, = struct.unpack_from("<I", raw)
    return "IP: %u" % (flags & 1)


def pwrx(raw):
    payload, = struct.unpack_from("<Q", raw, 4)
    return "deepest cstate: %u last cstate: %u wake reason: %#x" % (payload & 15, payload >> 4 & 15, payload >> 8 & 15)


def cbr(raw):
    ratios, frequency = struct.unpack_from("<II", raw)
    nominal = ratios >> 16 & 0xff
    share = " (%3u%%)" % ((5 + 1000 * (ratios & 0xff) // nominal) // 10) if nominal else ""
    return "%3u  freq: %4u MHz%s" % (ratios & 0xff, (frequency + 500) // 1000, share)


def psb(raw):
    return "offset: %#x" % struct.unpack_from("<Q", raw, 4)


KINDS = {1: "INTR", 2: "IRET", 3: "SMI", 4: "RSM", 5: "SIPI", 6: "INIT", 7: "VMENTRY", 8: "VMEXIT",
         9: "VMEXIT_INTR", 10: "SHUTDOWN"}
DATA = {0: "PFA", 1: "VMXQ", 2: "VMXR"}


def evt(raw):
    head, = struct.unpack_from("<I", raw)
    text = "cfe: %s IP: %u vector: %u" % (KINDS.get(head & 31, "?"), head >> 7 & 1, head >> 8 & 0xff)
    for i in range(min(head >> 16, (len(raw) - 4) // 16)):
        kind, value = struct.unpack_from("<QQ", raw, 4 + 16 * i)
        text += " %s: %#x" % (DATA.get(kind & 63, "?"), value)
    return text


def iflag(raw):
    flags, branch = struct.unpack_from("<IQ", raw)
    return "%u->%u %s branch at %#x" % (1 - (flags & 1), flags & 1, "by" if flags & 2 else "without", branch)


# an event of a decoder: what its raw data say, and their least size
EVENTS = {"ptwrite": (ptwrite, 12), "mwait": (mwait, 12), "pwre": (pwre, 12), "exstop": (exstop, 4),
          "pwrx": (pwrx, 12), "cbr": (cbr, 8), "psb": (psb, 12), "evt": (evt, 4), "iflag": (iflag, 12)}


def place(about, prefix, address):
    """Functions by name, where they are known."""
    name = about.get(prefix + "symbol")
    offset = about.get(prefix + "symoff", 0)
    where = " %s%s" % (name, "+%#x" % offset if offset else "") if name else ""
    return "%x%s (%s)" % (address, where, about.get(prefix + "dso", "[unknown]"))


def head(comm, fields, name):
    print("%16s %5d/%-5d [%03d] %9d.%09d  %-8s " % (comm, fields["pid"], fields["tid"], fields["cpu"],
                                                    fields["time"] // 10**9, fields["time"] % 10**9, name), end="")


def code(context):
    text = ""
    if options.insn_trace:
        text += "  insn: %s" % (perf_sample_insn(context) or b"").hex(" ")
    if options.src_trace:
        source, line, words = perf_sample_srccode(context)
        if source:
            text += "  %s:%d  %s" % (source, line, (words or "").strip())
    return text


def process_event(sample):
    fields, raw = sample["sample"], sample["raw_buf"]
    name = sample["ev_name"].split(":")[0].split("/")[0]
    if name in EVENTS:
        show, size = EVENTS[name]
        text = show(raw) if len(raw) >= size else "(%d bytes, where %d are needed)" % (len(raw), size)
    elif name.startswith("branch") and not options.no_branches:
        text = "%s -> %s" % (place(sample, "", fields["ip"]), place(fields, "addr_", fields["addr"]))
    elif name.startswith("instructions") and not options.no_branches:
        text = ""
    else:
        return
    counts[name] = counts.get(name, 0) + 1
    head(sample["comm"], fields, name)
    if not name.startswith("branch"):
        text += "  " * bool(text) + place(sample, "", fields["ip"])
    print(text + code(perf_script_context))


def context_switch(ts, cpu, pid, tid, np_pid, np_tid, machine_pid, out, out_preempt, *rest):
    if options.all_switch_events:
        counts["switch"] = counts.get("switch", 0) + 1
        head("", {"pid": pid, "tid": tid, "cpu": cpu, "time": ts}, "switch")
        print("%s%s" % ("out" if out else "in", " preempted" if out_preempt else ""))


def auxtrace_error(kind, code, cpu, pid, tid, ip, ts, message, cpumode, *rest):
    counts["error"] = counts.get("error", 0) + 1
    head("", {"pid": pid, "tid": tid, "cpu": cpu, "time": ts}, "error")
    print("%s, code %d, at %x" % (message, code, ip))


def trace_end():
    if not counts:
        print("warning: no sample of a decoded trace is in the file; perf inject --itrace=bep of a perf that "
              "decodes Intel PT makes them", file=sys.stderr)
    for name in sorted(counts):
        print("%s: %d" % (name, counts[name]))
