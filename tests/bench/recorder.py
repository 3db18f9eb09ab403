# SPDX-License-Identifier: GPL-2.0-or-later
"""
What recording costs and loses, by what is recorded.

Both are measured with a program of our own (LOAD) that calls functions to a given depth, or makes system calls at a
given rate on some threads.  Periods are given instead of rates, since the kernel lowers the rate that it allows.
"""
import concurrent.futures
import contextlib
import mmap
import os
import re
import shutil
import socket
import statistics
import struct
import subprocess
import tempfile
import time

LOAD = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double seconds, every;
volatile unsigned long n;
static double now(int clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) int leaf(int k) { for (int i = 0; i < 20000; i++) n += i * k; return n; }
__attribute__((noinline)) int deep(int d) { return (d ? deep(d - 1) : leaf(3)) + 1; }
static void *calls(void *arg)
{
	double end = now(CLOCK_MONOTONIC) + seconds, next = 0;
	while (next < end) {
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
		if (!next || now(CLOCK_MONOTONIC) > next + 1)
			next = now(CLOCK_MONOTONIC); /* it had no processor: that is not made up for */
		for (next += 100 * every; every && now(CLOCK_MONOTONIC) < next;)
			;
		if (!every)
			next = now(CLOCK_MONOTONIC);
	}
	return arg;
}
int main(int c, char **v) /* stacks SECONDS DEPTH | calls SECONDS THREADS EVERY_NS */
{
	pthread_t t[64];
	int threads = atoi(v[3]) % 64;
	seconds = atof(v[2]);
	if (!strcmp(v[1], "stacks")) {
		while (now(CLOCK_PROCESS_CPUTIME_ID) < seconds)
			n += deep(atoi(v[3]));
		return 0;
	}
	every = atof(v[4]) / 1e9;
	for (int i = 0; i < threads; i++)
		pthread_create(&t[i], 0, calls, 0);
	for (int i = 0; i < threads; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

LOST, SAMPLE, LOST_SAMPLES = 2, 9, 13
DWARF, LIVE = ["-B", "--call-graph", "dwarf,8192"], ["-B", "--call-graph", "dwarf,live"]
CALLS = ["-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"]
# Kind, options, does the rival know it, and rates: (samples a second, the load but for its seconds).
STACKS = ["stacks", "20"]
LOSSES = (
    ("addresses", [], True, ((100000, STACKS),)),
    ("-g", ["-g"], True, ((50000, STACKS), (100000, STACKS))),
    ("dwarf", DWARF, True, ((10000, STACKS), (50000, STACKS), (100000, STACKS))),
    ("dwarf,live", LIVE, False, ((10000, STACKS), (50000, STACKS), (100000, STACKS))),
    # two events for each call; 0: as fast as two threads can, which is ten times what 6.1 begins to lose at
    ("raw_syscalls", CALLS, True, ((100000, ["calls", "1", "20000"]), (0, ["calls", "2", "0"]))),
)
# Kind, options, the load, does the rival know it.
COSTS = (
    ("recorder alone, 20 kHz", ["-e", "cpu-clock:u", "-c", "50000"], "20", True),
    ("recorder alone, 20 kHz -g", ["-e", "cpu-clock:u", "-c", "50000", "-g"], "20", True),
    ("recorder alone, 20 kHz dwarf", ["-e", "cpu-clock:u", "-c", "50000", *DWARF], "20", True),
    ("recorder alone, 20 kHz dwarf,live", ["-e", "cpu-clock:u", "-c", "50000", *LIVE], "20", False),
    ("recorder alone, 20 kHz dwarf,live, 63 frames", ["-e", "cpu-clock:u", "-c", "50000", *LIVE], "60", False),
    ("recorder alone, 20 kHz dwarf,live, 123 frames", ["-e", "cpu-clock:u", "-c", "50000", *LIVE], "120", False),
    ("recorder alone, tracepoints", CALLS, None, True),
)


def counts(path):
    """(samples, lost) of a recording, by its records."""
    samples = lost = told = 0
    with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at, size = struct.unpack_from("<QQ", data, 40)
        header = struct.Struct("<IHH").unpack_from
        end = at + size
        while at < end:
            kind, _, step = header(data, at)
            if kind == SAMPLE:
                samples += 1
            elif kind == LOST:
                lost += struct.unpack_from("<Q", data, at + 16)[0]
            elif kind == LOST_SAMPLES:
                told += struct.unpack_from("<Q", data, at + 8)[0]
            at += step
    return samples, max(lost, told)  # the same ones, told by rings and by counters


def make_load(cwd):
    path = os.path.join(cwd, "load")
    if not os.path.exists(path):
        with open(path + ".c", "w", encoding="ascii") as f:
            f.write(LOAD)
        subprocess.run(["gcc", "-O2", "-fno-optimize-sibling-calls", "-pthread", "-o", path, path + ".c"], check=True)
    return path


def loss(perf, options, rate, load, seconds, cwd):
    """(share that is lost, events a second) of one run."""
    clock = ["-e", "cpu-clock:u", "-c", str(1000000000 // rate)] if load[0] == "stacks" else []
    subprocess.run([perf, "record", "-q", "-o", "l.data", *clock, *options, "--", "./load", load[0], str(seconds),
                    *load[1:]], cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples, lost = counts(os.path.join(cwd, "l.data"))
    os.unlink(os.path.join(cwd, "l.data"))
    return lost / max(samples + lost, 1), (samples + lost) / seconds


def share(runs):
    """Of all runs: the median, the worst, and the rate."""
    return {"lost": round(statistics.median(r[0] for r in runs), 5), "worst": round(max(r[0] for r in runs), 5),
            "rate": round(statistics.median(r[1] for r in runs))} if runs else None


def losses(ours, rival, runs, cwd, pattern, into):
    seconds = 0.5
    for kind, options, known, rates in LOSSES:
        for rate, load in rates:
            name = f"lost, {kind}, {rate or 'most'} a second"
            if pattern not in name:
                continue
            make_load(cwd)
            mine, its = [], []
            for i in range(runs):
                both = [(ours, mine)] + ([(rival, its)] if rival and known else [])
                for perf, to in both[::-1 if i % 2 else 1]:
                    to.append(loss(perf, options, rate, load, seconds, cwd))
            a, b = share(mine), share(its)
            met = a["lost"] <= b["lost"] if b else a["lost"] == 0
            said = ", ".join(f"{whose}{100 * s['lost']:.2f} % (worst {100 * s['worst']:.2f} %) of {s['rate']} a second"
                             for whose, s in (("", a), ("rival ", b)) if s)
            print(f"{name:46s} {said}  {'no more' if b else 'none'} {'met' if met else 'MISSED'}", flush=True)
            into.add({"name": name, "kind": kind, "asked": rate, "lost": {"ours": a, "rival": b}, "met": met})


def cost(perf, options, busy, once, cwd):
    """(CPU seconds of the recorder for a million samples, bytes of the file for each, samples, share lost)"""
    used = once([perf, "record", "-q", "-o", "r.data", *options, "-p", str(busy.pid), "--", "sleep", "3"], cwd)[1]
    path = os.path.join(cwd, "r.data")
    samples, lost = counts(path)
    return used * 1e6 / samples, os.path.getsize(path) / samples, samples, lost / (samples + lost)


def costs(ours, rival, runs, cwd, pattern, into, once):
    """
    Start and end included.  In the rows of 'record CMD' most of the time is CMD's and the kernel's that samples
    it.  Here what is recorded is no child of the recorder, so that its time is not told as the
    recorder's.
    """
    for name, options, depth, known in COSTS:
        if pattern not in name:
            continue
        load = ["calls", "1000000", "1", "20000"] if depth is None else ["stacks", "1000000", depth]
        with subprocess.Popen([make_load(cwd), *load]) as busy:
            try:
                pairs = [(cost(ours, options, busy, once, cwd),
                          cost(rival, options, busy, once, cwd) if rival and known else None) for _ in range(runs)]
            finally:
                busy.kill()
        mine, its = ([statistics.median(p[i][k] for p in pairs) for k in range(4)] if pairs[0][i] else None
                     for i in range(2))
        met = its is None or its[0] >= 2 * mine[0]
        said = ", ".join(f"{whose}{s[0]:.3f} CPU s for a million samples of {s[1]:.0f} bytes, {100 * s[3]:.2f} % lost"
                         for whose, s in (("", mine), ("rival ", its)) if s)
        verdict = f"  {its[0] / mine[0]:.1f}, x2 {'met' if met else 'MISSED'}" if its else ""
        print(f"{name:46s} {said}{verdict}", flush=True)
        into.add({"name": name, "cpu_a_million": {"ours": round(mine[0], 3), "rival": round(its[0], 3) if its else None},
                  "bytes_a_sample": {"ours": round(mine[1], 1), "rival": round(its[1], 1) if its else None},
                  "lost_share": {"ours": round(mine[3], 5), "rival": round(its[3], 5) if its else None}, "met": met})


# Stacks that are deep, of a program without frame pointers: an interpreter whose functions in C call it.
NESTED = """
def f(n):
    return n and 1 + sum(map(f, [n - 1]))
while True:
    for i in range(40):
        f(i)
"""
PIECES = 8192, 32768


def piece(perf, size, pid, once, meanwhile, cwd):
    """(percent of stacks that are cut, CPU seconds of the recorder a second, what meanwhile() returned) of one run."""
    done = []
    with tempfile.TemporaryDirectory(dir=cwd) as here:
        data = os.path.join(here, "data")
        command = [perf, "record", "-q", "-B", "-o", data, "-F", "999", "--call-graph", f"dwarf,live,{size}", "-p", str(pid)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            used = pool.submit(once, command + ["--", "sleep", "3"], here)
            done.append(meanwhile())
            used = used.result()[1]
        stats = subprocess.run([perf, "report", "--stats", "-i", data], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               check=True).stdout.decode()
    total, whole = (int(re.search(rf"{what} stacks: +(\d+)", stats)[1]) for what in ("TOTAL", "whole"))
    return 100 * (total - whole) / total, used / 3, done[0]


def redis_rate(port):
    """Requests a second of redis-benchmark, on for as long as a recording is."""
    said = subprocess.run(["redis-benchmark", "-p", str(port), "-q", "--csv", "-t", "get", "-n", "300000"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    return float(re.search(r'"GET","([0-9.]+)"', said)[1])


@contextlib.contextmanager
def redis(cwd):
    """The pid and the port of a server of our own, when it answers."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", cwd, "--save", ""],
                          stdout=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                if not subprocess.run(["redis-cli", "-p", str(port), "ping"], check=False, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL).returncode:
                    break
                time.sleep(0.1)
            yield server.pid, port
        finally:
            server.kill()


def show_pieces(name, runs, without, into):
    cut, cpu = (statistics.median(r[i] for r in runs) for i in range(2))
    rate = statistics.median(r[2] for r in runs) if without else None
    said = f", {rate:.0f} requests a second, {without:.0f} without" if without else ""
    print(f"{name:46s} {cut:.1f} % of stacks cut, {cpu:.3f} CPU s a second{said}", flush=True)
    into.add({"name": name, "cut_percent": round(cut, 2), "cpu_a_second": round(cpu, 4),
              "requests_a_second": {"recorded": rate and round(rate), "without": without and round(without)}})


def pieces(ours, runs, cwd, pattern, into, once):
    """How much of a stack --call-graph dwarf,live takes: what is cut, and what it costs, sizes in turn."""
    def measure(load, pid, meanwhile, without):
        names = {size: f"dwarf,live,{size}, {load}" for size in PIECES}
        found = {size: [] for size in PIECES if pattern in names[size]}
        for i in range(runs if found else 0):
            for size in list(found)[::-1 if i % 2 else 1]:
                found[size].append(piece(ours, size, pid, once, meanwhile, cwd))
        alone = statistics.median(without() for _ in range(runs)) if found and without else None
        for size, all_runs in found.items():
            show_pieces(names[size], all_runs, alone, into)

    if any(pattern in f"dwarf,live,{size}, python" for size in PIECES):
        with subprocess.Popen(["/usr/bin/python3", "-c", NESTED]) as busy:
            try:
                measure("python", busy.pid, lambda: None, None)
            finally:
                busy.kill()
    if any(pattern in f"dwarf,live,{size}, redis" for size in PIECES):
        if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
            print("# no rows of dwarf,live with redis: it is not installed (Debian packages redis-server, redis-tools)")
            return
        with redis(cwd) as (pid, port):
            measure("redis", pid, lambda: redis_rate(port), lambda: redis_rate(port))
