# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings of perf, and the events of the machine.

Read a recording:

    import perf
    for s in perf.open("perf.data", chains=True):
        print(s.time, s.comm, s.sym, [f.sym for f in s.callchain])

    columns = perf.open("perf.data").columns("comm", "sym", "period")
    numpy.asarray(columns["period"]).sum()      # no copy is made

    perf.open("perf.data").group_by("comm", "sym")   # {(comm, sym): (samples, period)}

Watch what runs now, as if it had been recorded:

    for s in perf.live("cycles", pids=4711, chains=True):
        print(s.time, s.comm, s.sym)

Events one by one: cpu_map, thread_map, evsel, evlist, parse_events.
"""
from ._perf import *  # noqa: F401,F403
from ._perf import __doc__ as _native_doc  # noqa: F401
from ._perf import error, open  # noqa: F401


class data:
    """A recording by its path (or a descriptor), for session()."""

    def __init__(self, path="perf.data", fd=-1):
        self.path = "/proc/self/fd/%d" % fd if fd >= 0 else path

    def __repr__(self):
        return "data(path=%r)" % self.path


class session:
    """The samples of a recording, or what perf stat record counted, each given to a function.

    sample: called with each Sample, in order of time.
    stat: called with each stat_event and the name of its event, and with the stat_round_event that
    ends each round and None.
    kallsyms, vmlinux: where the functions of the kernel are named, as for open().
    """

    def __init__(self, data, sample=None, stat=None, kallsyms=None, vmlinux=None):
        if not hasattr(data, "path"):
            raise TypeError("data must be a perf.data, not %s" % type(data).__name__)
        for name, function in (("sample", sample), ("stat", stat)):
            if function is not None and not callable(function):
                raise TypeError("%s must be callable" % name)
        self.data = data
        self._sample = sample
        self._stat = stat
        self._recording = open(data.path, chains=True, kallsyms=kallsyms, vmlinux=vmlinux)
        self._threads = {}
        self._parents = None

    def process_events(self):
        """Reads all of it: 0."""
        if self._stat is not None:
            self._recording._counters(self._stat)
            if self._sample is None:
                return 0
        for s in self._recording:
            self._threads[s.tid] = (s.pid, s.cpu, s.comm)
            if self._sample is not None:
                self._sample(s)
        return 0

    def find_thread(self, tid):
        """A thread of the recording, by the number that it had last; TypeError when there is none."""
        if tid in self._threads:
            return thread(tid, *self._threads[tid], self._parent_of)
        known = self._recording._task(tid)
        if known is None:
            raise TypeError("thread %d is not in the recording" % tid)
        return thread(tid, known[0], -1, known[1], self._parent_of)

    def _parent_of(self, pid):
        if self._parents is None:
            try:
                self._parents = self._recording._parents()
            except ValueError:  # a stream, which was read already
                self._parents = {}
        return self._parents.get(pid, 0)


class thread:
    """A thread that was recorded: its process, and the CPU and the name that its last sample had.

    Without a sample the CPU is -1, and the name the thread's last one.
    """

    def __init__(self, tid, pid, cpu, comm, parent_of):
        self.tid = tid
        self.pid = pid
        self.cpu = cpu
        self._comm = comm
        self._parent_of = parent_of

    @property
    def ppid(self):
        """The process that started its process, 0 where the recording does not say; read when it is asked for."""
        return self._parent_of(self.pid)

    def comm(self):
        """Its last name."""
        return self._comm

    def __repr__(self):
        return "thread(tid=%d, comm=%r)" % (self.tid, self._comm)
