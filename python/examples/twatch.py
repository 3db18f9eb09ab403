#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tell when threads begin, end and change their names, on all CPUs, until it is interrupted."""
import perf


def main():
    cpus = perf.cpu_map()
    threads = perf.thread_map()
    # counts nothing: only its records of tasks are wanted
    evsel = perf.evsel(type=perf.TYPE_SOFTWARE, config=perf.COUNT_SW_DUMMY, task=1, comm=1, freq=0,
                       wakeup_events=1, watermark=1, sample_id_all=1,
                       sample_type=perf.SAMPLE_TID | perf.SAMPLE_CPU | perf.SAMPLE_TIME)
    evsel.open(cpus=cpus, threads=threads)
    evlist = perf.evlist(cpus, threads)
    evlist.add(evsel)
    evlist.mmap()
    while True:
        evlist.poll(timeout=-1)
        for cpu in cpus:
            while event := evlist.read_on_cpu(cpu):
                print(f"cpu: {event.sample_cpu}, pid: {event.sample_pid}, tid: {event.sample_tid} {event}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
