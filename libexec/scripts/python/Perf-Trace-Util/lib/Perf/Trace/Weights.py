# SPDX-License-Identifier: GPL-2.0-or-later
"""How much samples count: each one, or the time of a recording with waits (perf record --off-cpu), as perf report has it."""

import struct
import sys

SOFTWARE, TRACEPOINT, BREAKPOINT = 1, 2, 5
CPU_CLOCK, TASK_CLOCK, BPF_OUTPUT = 0, 1, 10
SAMPLE_PERIOD = 1 << 8
BY_FREQUENCY = 1 << 10
WAITS = "offcpu-time"
NS = 10**9


class Event:
    """What the periods of an event are: times that tasks waited, times that they ran, or neither."""

    def __init__(self, name, attr):
        kind, _, config, period, sample_type, _, flags = struct.unpack_from("=IIQQQQQ", attr)
        frequency = period if flags & BY_FREQUENCY else 0
        self.waits = kind == SOFTWARE and config == BPF_OUTPUT and name == WAITS
        self.clock = kind == SOFTWARE and config in (CPU_CLOCK, TASK_CLOCK)
        self.periods_are_ns = self.waits or (self.clock and bool(sample_type & SAMPLE_PERIOD))
        self.ns = 0  # of a sample whose period is not a time
        if frequency and (self.clock or kind not in (SOFTWARE, TRACEPOINT, BREAKPOINT)):
            self.ns = NS // frequency
        elif self.clock:
            self.ns = period

    def is_time(self):
        return self.periods_are_ns or self.ns > 0


class Weights:
    def __init__(self):
        self.events = {}

    def add(self, sums, sample):
        """Adds a sample to sums, a dictionary; value() says later what they come to."""
        name = sample['ev_name']
        event = self.events.get(name)
        if event is None:
            event = self.events[name] = Event(name, sample['attr'])
        count, ns = sums.get(name, (0, 0))
        sums[name] = (count + 1, ns + (sample['sample']['period'] if event.periods_are_ns else event.ns))

    def has_waits(self):
        return any(e.waits for e in self.events.values())

    def unit(self):
        return "ns" if self.has_waits() else "samples"

    def ran(self):
        """The event that says how long tasks ran, a clock if there is one; None if no event does."""
        times = [name for name, e in self.events.items() if not e.waits and e.is_time()]
        return next((name for name in times if self.events[name].clock), times[0] if times else None)

    def value(self, sums):
        """Samples; with waits the ns that tasks ran and waited, and 0 for events that do not measure time."""
        if not self.has_waits():
            return sum(count for count, _ in sums.values())
        return sum(ns for name, (_, ns) in sums.items() if self.events[name].waits or name == self.ran())

    def note_left_out(self):
        if not self.has_waits():
            return
        for name, event in self.events.items():
            if not event.waits and name != self.ran():
                print("note: event '%s' is left out: its samples do not measure time, as waits do" % name
                      if not event.is_time() else
                      "note: event '%s' is left out: '%s' measures the time that tasks ran" % (name, self.ran()),
                      file=sys.stderr)
