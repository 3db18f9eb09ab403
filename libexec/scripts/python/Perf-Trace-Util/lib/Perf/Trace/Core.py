# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts for perf script share: nested dictionaries, and names of values of fields.

perf calls the define_ functions before the first handler of an event; a script that wants
flag_str() or symbol_str() imports them: from Core import *
"""

from collections import defaultdict


def autodict():
    """A dictionary whose missing keys are such dictionaries."""
    return defaultdict(autodict)


flag_fields = autodict()
symbolic_fields = autodict()


def define_flag_field(event_name, field_name, delim):
    flag_fields[event_name][field_name]['delim'] = delim


def define_flag_value(event_name, field_name, value, field_str):
    flag_fields[event_name][field_name]['values'][value] = field_str


def define_symbolic_field(event_name, field_name):
    """Its values follow."""


def define_symbolic_value(event_name, field_name, value, field_str):
    symbolic_fields[event_name][field_name]['values'][value] = field_str


def _join_flags(value, names, delim):
    if not value:
        return names.get(0, "")
    shown = []
    for bits in sorted(names):
        if bits and value & bits == bits:
            shown.append(names[bits])
            value &= ~bits
    return delim.join(shown)


def flag_str(event_name, field_name, value):
    """The names of the bits that are set, with the field's delimiter between them."""
    field = flag_fields[event_name][field_name]
    if not field:
        return ""
    delim = field['delim']
    return _join_flags(value, field['values'], " " + delim + " " if delim else "")


def symbol_str(event_name, field_name, value):
    """The name of the value, or nothing."""
    field = symbolic_fields[event_name][field_name]
    if not field:
        return ""
    return field['values'].get(value, "")


trace_flags = {
    0x00: "NONE",
    0x01: "IRQS_OFF",
    0x02: "IRQS_NOSUPPORT",
    0x04: "NEED_RESCHED",
    0x08: "HARDIRQ",
    0x10: "SOFTIRQ",
}


def trace_flag_str(value):
    """common_flags() in words."""
    return _join_flags(value, trace_flags, " | ")


def taskState(state):
    return {0: "R", 1: "S", 2: "D", 64: "DEAD"}.get(state, "Unknown")


class EventHeaders:
    """The parameters that every handler gets first."""

    def __init__(self, common_cpu, common_secs, common_nsecs,
                 common_pid, common_comm, common_callchain):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        return self.secs * 10 ** 9 + self.nsecs

    def ts_format(self):
        return "%d.%d" % (self.secs, self.nsecs // 1000)
