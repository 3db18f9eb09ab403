# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile in the format of the Firefox Profiler, on standard output or in a file.

Load it at https://profiler.firefox.com."""

import argparse
import json
import sys

parser = argparse.ArgumentParser(prog="gecko.py", description=__doc__)
parser.add_argument("--user-color", default="yellow")
parser.add_argument("--kernel-color", default="orange")
parser.add_argument("--save-only", metavar="FILE", help="write the profile into FILE")
options = parser.parse_args()

USER, KERNEL = 0, 1
threads = {}
span = [None, 0.0]  # ms


class Table:
    """Rows, each once, by what is in them."""

    def __init__(self):
        self.index, self.rows = {}, []

    def add(self, key, row):
        n = self.index.setdefault(key, len(self.rows))
        if n == len(self.rows):
            self.rows.append(row)
        return n


class Thread:
    def __init__(self, comm, pid, tid, start):
        self.comm, self.pid, self.tid, self.start = comm, pid, tid, start
        self.strings, self.frames, self.stacks, self.samples = Table(), Table(), Table(), []

    def frame(self, name, kernel):
        location = self.strings.add(name, name)
        category = KERNEL if kernel else USER
        return self.frames.add((location, category),
                               [location, False, 0, None, None, None, None, category, 0])

    def add(self, time, frames):
        stack = None
        for name, kernel in frames:
            frame = self.frame(name, kernel)
            stack = self.stacks.add((stack, frame), [stack, frame])
        self.samples.append([stack, time, 0.0])

    def to_json(self):
        return {
            "tid": self.tid, "pid": self.pid, "name": self.comm, "registerTime": self.start,
            "unregisterTime": None, "processType": "default",
            "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5},
                        "data": []},
            "samples": {"schema": {"stack": 0, "time": 1, "responsiveness": 2}, "data": self.samples},
            "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "innerWindowID": 2,
                                      "implementation": 3, "optimizations": 4, "line": 5, "column": 6,
                                      "category": 7, "subcategory": 8}, "data": self.frames.rows},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": self.stacks.rows},
            "stringTable": self.strings.rows,
        }


def is_kernel(dso):
    return bool(dso) and dso.startswith("[") and dso not in ("[vdso]", "[vsyscall]")


def frames_of(sample):
    if sample['callchain']:
        for f in reversed(sample['callchain']):
            dso = f.get('dso', "")
            name = f['sym']['name'] if 'sym' in f else "0x%x" % f['ip']
            yield "%s (in %s)" % (name, dso or "unknown"), is_kernel(dso)
    else:
        dso = sample.get('dso', "")
        name = sample.get('symbol') or "0x%x" % sample['sample']['ip']
        yield "%s (in %s)" % (name, dso or "unknown"), is_kernel(dso)


def process_event(sample):
    s = sample['sample']
    time = s['time'] / 1000000
    if span[0] is None:
        span[0] = time
    span[1] = time
    thread = threads.get(s['tid'])
    if thread is None:
        thread = threads[s['tid']] = Thread(sample['comm'], s['pid'], s['tid'], time)
    thread.comm = sample['comm']
    thread.add(time, frames_of(sample))


def trace_unhandled(event_name, context, fields, sample):
    process_event(sample)


def profile():
    return {
        "meta": {
            "interval": 1, "processType": 0, "product": "perf", "stackwalk": 1, "debug": 0, "gcpoison": 0,
            "asyncstack": 1, "startTime": span[0] or 0, "shutdownTime": None, "version": 24,
            "presymbolicated": True, "markerSchema": [],
            "categories": [{"name": "User", "color": options.user_color, "subcategories": ["Other"]},
                           {"name": "Kernel", "color": options.kernel_color, "subcategories": ["Other"]}],
        },
        "libs": [], "processes": [], "pausedRanges": [],
        "threads": [threads[tid].to_json() for tid in sorted(threads)],
    }


def trace_end():
    if options.save_only:
        with open(options.save_only, "w", encoding="utf-8", errors="replace") as f:
            json.dump(profile(), f, indent=2)
    else:
        json.dump(profile(), sys.stdout, indent=2)
        print()
