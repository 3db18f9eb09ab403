#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions that took most samples in each of the last seconds, of all CPUs or of the processes that are named."""
import collections
import sys
import perf


def main(pids):
    seen, until = collections.Counter(), None
    for s in perf.live("cpu-clock", pids=pids or None, freq=1000):
        until = until or s.time + 10**9
        if s.time >= until:
            for (comm, sym, dso), samples in seen.most_common(5):
                print(f"{samples:6} {comm} {sym or '[unknown]'} ({dso})")
            print(flush=True)
            seen.clear()
            until += 10**9
        seen[s.comm, s.sym, s.dso] += 1


if __name__ == "__main__":
    try:
        main([int(pid) for pid in sys.argv[1:]])
    except KeyboardInterrupt:
        pass
