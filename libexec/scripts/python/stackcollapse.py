# SPDX-License-Identifier: GPL-2.0-or-later
"""Call chains in one line each, the outermost caller first, and how often each was sampled.

Of a recording with waits (perf record --off-cpu): the ns that tasks ran and waited.  What flamegraph.pl reads."""

import argparse
import os
import sys

sys.path.append(os.environ['PERF_EXEC_PATH'] + '/scripts/python/Perf-Trace-Util/lib/Perf/Trace')

from Weights import Weights

parser = argparse.ArgumentParser(prog="stackcollapse.py")
parser.add_argument("--include-tid", action="store_true", help="tasks are told apart by pid and tid")
parser.add_argument("--include-pid", action="store_true", help="tasks are told apart by pid")
parser.add_argument("--no-comm", dest="include_comm", action="store_false", help="chains do not begin with the command")
parser.add_argument("--tidy-java", action="store_true", help="shorten the signatures of Java methods")
parser.add_argument("--kernel", action="store_true", help="functions of the kernel end with _[k]")
options = parser.parse_args()
weights = Weights()
lines = {}


def tidy(name, dso):
    name = name.replace(";", ":")
    if options.tidy_java and "/" in name:
        name = name.lstrip("L")
    if options.kernel and dso and dso.startswith("[") and dso not in ("[vdso]", "[vsyscall]"):
        name += "_[k]"
    return name


def frames(sample):
    if sample['callchain']:
        for frame in sample['callchain']:
            yield tidy(frame['sym']['name'] if 'sym' in frame else "[unknown]", frame.get('dso'))
    else:
        yield tidy(sample.get('symbol', "[unknown]"), sample.get('dso'))


def task(sample):
    name = sample['comm'].replace(" ", "_")
    if options.include_tid:
        return "%s-%d/%d" % (name, sample['sample']['pid'], sample['sample']['tid'])
    if options.include_pid:
        return "%s-%d" % (name, sample['sample']['pid'])
    return name


def process_event(sample):
    stack = list(frames(sample))
    if options.include_comm:
        stack.append(task(sample))
    line = ";".join(reversed(stack))
    weights.add(lines.setdefault(line, {}), sample)


def trace_unhandled(event_name, context, fields, sample):
    process_event(sample)


def trace_end():
    weights.note_left_out()
    for line in sorted(lines):
        value = weights.value(lines[line])
        if value:
            print("%s %d" % (line, value))
