# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a run of the bench found: a line of JSON for each row, and figures that are kept to compare with.

The first line describes the machine and the programs, each other one is a row:

	{"name": ..., "file": ..., "bytes": ..., "load": ..., "ours": F, "one_thread": F, "rival": F,
	 "ratio": ..., "cpu_ratio": ..., "gain": ..., "most_gain": ..., "same_output": ..., "threads_agree": ...,
	 "second": F, "second_ratio": ..., "aim": ..., "met": ..., "window": ...,
	 "read_limit": ..., "calls": ...}
	F: {"wall": ..., "cpu": ..., "least_wall": ..., "least_cpu": ..., "memory": ..., "runs": ...}

What recording costs has in their place "cpu_a_million", "bytes_a_sample" and "lost_share", each {"ours": ..., "rival": ...}:
CPU seconds of perf record alone for a million samples, and what the file holds and lacks.  What it loses at a rate has
"kind", "asked" (samples a second, 0: as many as possible) and "lost": {"ours": L, "rival": L}, L: {"lost": ..., "worst": ...,
"rate": ...}, shares of what came, and how many came a second.

second: one more program to compare with; null where none was named.  window: the seconds for which both programs ran at the same time, each on a terminal of its own (perf top); null for
programs that end by themselves.  What was given is no cost, so that of such rows CPU time and memory are kept.
Of perf top there are also rows with "lost_events" {"ours": ..., "rival": ...}, with "ms_to_a_key"
{"worst": ..., "median": ..., "keys": how many}, and with "first_table" {"ours": ..., "rival": ...} in seconds.

Times are seconds, medians where they are not the least of all runs; memory is the peak in MB.  ratio
is the rival's wall time by ours, cpu_ratio that of CPU times, gain that of one thread by that of two.  most_gain is twice the time of
one run with one thread by that of two such runs at the same time: what two processors of this machine
gain at most; null for rows that are too short.  read_limit: what it takes to read the file once from
memory.  calls: system calls of one run.

Kept figures are costs: times divided by what a fixed calculation takes in the same run, so that a
machine that is slower today, or shared, compares with itself as it was.
"""
import hashlib
import json
import os
import platform
import statistics
import subprocess
import time

WORSE = 1.15  # a row fails when it costs more than so many times what was kept
LEAST = 0.02  # seconds: what takes less says more of the clock than of the program


def machine(quick=False):
    """Machines of one kind compare with each other: the processor and how many there are; --quick has smaller files."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
        for line in f:
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "CPU part"):
                model = value.strip()
                break
    return f"{platform.machine()}, {model}, {os.cpu_count()} CPUs" + (", --quick" if quick else "")


def calibrate():
    """Seconds of CPU time that a fixed calculation takes now, at its best."""
    data = bytes(range(256)) * 65536

    def once():
        start = time.thread_time()
        for _ in range(2):
            hashlib.sha256(data).digest()
            sorted(range(200000), key=lambda n: n * 2654435761 % 1000003)
        return time.thread_time() - start

    return min(once() for _ in range(7))


def version(program):
    said = subprocess.run([program, "version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return said.stdout.decode(errors="replace").strip().split("\n")[0]


def figures(runs):
    """Of (wall, cpu, memory, exit code) of each run."""
    if not runs:
        return None
    return {"wall": round(statistics.median(r[0] for r in runs), 4),
            "cpu": round(statistics.median(r[1] for r in runs), 4),
            "least_wall": round(min(r[0] for r in runs), 4), "least_cpu": round(min(r[1] for r in runs), 4),
            "memory": round(statistics.median(r[2] for r in runs), 1), "runs": len(runs)}


def read_time(path):
    """Seconds to read a file once more, at its best of three: it is in memory."""
    best = None
    buffer = bytearray(1 << 20)
    for _ in range(3):
        start = time.monotonic()
        with open(path, "rb", buffering=0) as f:
            while f.readinto(buffer):
                pass
        took = time.monotonic() - start
        best = took if best is None else min(best, took)
    return round(best, 4)


class Results:
    """Where rows go; path None: nowhere."""

    def __init__(self, path, ours, rival, second=None):
        self.rows, self.calibration = [], calibrate()
        self.file = open(path, "w", encoding="utf-8") if path else None  # pylint: disable=consider-using-with
        self.line({"machine": machine(), "kernel": platform.release(), "calibration": round(self.calibration, 5),
                   "ours": version(ours), "rival": version(rival) if rival else None,
                   "second": version(second) if second else None,
                   "date": time.strftime("%Y-%m-%d", time.gmtime())})

    def line(self, what):
        if self.file:
            self.file.write(json.dumps(what) + "\n")
            self.file.flush()

    def add(self, row):
        self.rows.append(row)
        self.line({"load": round(os.getloadavg()[0], 1), **row})

    def costs(self):
        """By row: CPU and wall time by the calculation's, and memory; one thread apart; no wall time of windows."""
        out = {}
        for row in self.rows:
            for key, suffix in (("ours", ""), ("one_thread", ", one thread")):
                f = row.get(key)
                if f and f["least_wall"] >= LEAST:
                    out[row["name"] + suffix] = {
                        "cpu": round(f["least_cpu"] / self.calibration, 3), "memory": f["memory"]}
                    if not row.get("window"):
                        out[row["name"] + suffix]["wall"] = round(f["least_wall"] / self.calibration, 3)
        return out


def load_kept(path):
    try:
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def keep(path, kind, costs):
    """The figures of this kind of machine are replaced, row by row; those of others stay."""
    kept = load_kept(path)
    kept["licence"] = "SPDX-License-Identifier: GPL-2.0-or-later"  # JSON has no comments
    kept.setdefault(kind, {}).update(costs)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(kept, f, indent=1, sort_keys=True)
        f.write("\n")


def worse(kept, costs):
    """[(row, figure, kept, now)] of all that cost more than they may."""
    found = []
    for name, now in costs.items():
        for figure, was in kept.get(name, {}).items():
            if now[figure] > was * WORSE:
                found.append((name, figure, was, now[figure]))
    return found


def better_of(a, b):
    """The least of both, figure by figure."""
    return {name: {k: min(v, b.get(name, a[name])[k]) for k, v in figures_.items()} for name, figures_ in a.items()}
