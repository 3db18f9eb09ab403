# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples as objects, of a class that depends on their raw data.

EVTYPE_IBS, EVTYPE_PEBS and EVTYPE_PEBS_LL are told apart by the size of the raw data, as hardware writes it:
registers of PEBS take 144 bytes, with the latency of a load 176.
"""

import struct

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1     # precise events
EVTYPE_PEBS_LL = 2  # with the latency of the load
EVTYPE_IBS = 3

PEBS_SIZE = 144
PEBS_LL_SIZE = 176


def create_event(name, comm, dso, symbol, raw_buf):
    if len(raw_buf) == PEBS_SIZE:
        return PebsEvent(name, comm, dso, symbol, raw_buf)
    if len(raw_buf) == PEBS_LL_SIZE:
        return PebsNHM(name, comm, dso, symbol, raw_buf)
    return PerfEvent(name, comm, dso, symbol, raw_buf)


class PerfEvent:
    event_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
        self.name = name
        self.comm = comm
        self.dso = dso
        self.symbol = symbol
        self.raw_buf = raw_buf
        self.ev_type = ev_type
        PerfEvent.event_num += 1

    def show(self):
        print("PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s" %
              (self.name, self.symbol, self.comm, self.dso))


class PebsEvent(PerfEvent):
    """Registers of the processor: flags, ip, and the general ones in its order."""

    pebs_num = 0
    NAMES = ("flags", "ip", "ax", "bx", "cx", "dx", "si", "di", "bp", "sp")

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
        for register, value in zip(self.NAMES, struct.unpack_from("<10Q", raw_buf)):
            setattr(self, register, value)
        PerfEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
    """Registers, and status, data address, data source and latency of a load."""

    pebs_nhm_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
        self.status, self.dla, self.dse, self.lat = struct.unpack_from("<4Q", raw_buf, PEBS_SIZE)
        PebsEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsNHM.pebs_nhm_num += 1
