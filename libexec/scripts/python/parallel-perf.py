# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a command of perf over pieces of a recording at once, and put the answers together in their order.

A piece is a part of the time, or a CPU.  The command needs --time or --cpu, as perf script and perf report
have them; what it prints for a piece must not depend on the pieces before.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

NS = 10**9


def arguments():
    parser = argparse.ArgumentParser(prog="parallel-perf.py", usage="%(prog)s [options] [-- perf script ...]",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="how many run at once (%(default)s: the CPUs)")
    parser.add_argument("-n", "--nr", type=int, help="pieces of time (as many as jobs)")
    parser.add_argument("--interval", type=float, help="length of a piece in seconds, in place of -n")
    parser.add_argument("--per-cpu", action="store_true", help="a piece for each CPU; with -n or --interval: for each part of it")
    parser.add_argument("-C", "--cpu", help="with --per-cpu: these CPUs only, as 0-2,5")
    parser.add_argument("-i", "--input", default="perf.data", help="the recording (%(default)s)")
    parser.add_argument("-o", "--output-dir", help="keep each piece's answer in a file of this new directory")
    parser.add_argument("--pipe-to", help="a command of the shell that each piece's answer goes through")
    parser.add_argument("-d", "--dry-run", action="store_true", help="print the commands, run none")
    parser.add_argument("-v", "--verbose", action="store_true", help="say when a piece is done")
    parser.add_argument("command", nargs="*", help="what to run (perf script)")
    a = parser.parse_args()
    a.command = a.command or ["perf", "script"]
    if len(a.command) < 2:
        parser.error("'%s' is no command of perf: perf script, for instance" % a.command[0])
    if a.input == "-":
        parser.error("a stream cannot be read in pieces: record into a file")
    if a.jobs < 1 or (a.nr is not None and a.nr < 1) or (a.interval is not None and a.interval <= 0):
        parser.error("-j, -n and --interval are greater than 0")
    if a.cpu and not a.per_cpu:
        parser.error("-C chooses among the pieces of --per-cpu")
    if a.output_dir and os.path.exists(a.output_dir):
        parser.error("'%s' exists already" % a.output_dir)
    if a.nr is None and a.interval is None:
        a.nr = 1 if a.per_cpu else a.jobs
    return a


def program(name):
    """The perf that runs this script, where it is known."""
    return os.environ.get("PERF", name) if name == "perf" else name


def header(a):
    run = subprocess.run([program("perf"), "script", "-i", a.input, "--header-only", "-I"],
                         stdout=subprocess.PIPE, text=True, errors="replace")
    if run.returncode:
        sys.exit(run.returncode)
    return run.stdout


def nanoseconds(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * NS + int(fraction.ljust(9, "0")[:9])


def times(a, head):
    """Ranges that touch each other: the first one has no begin, the last one no end."""
    if a.nr == 1:
        return [None]
    found = [re.search(r"^# time of %s sample : *([0-9.]+)" % which, head, re.M) for which in ("first", "last")]
    if not all(found):
        sys.exit("error: '%s' does not say when its samples begin and end: record it anew, or use --per-cpu" % a.input)
    first, last = (nanoseconds(f.group(1)) for f in found)
    step = int(a.interval * NS) if a.interval else (last - first + a.nr) // a.nr
    starts = list(range(first, last + 1, max(step, 1)))
    if len(starts) > 10**6:
        sys.exit("error: --interval makes %d pieces" % len(starts))
    ranges = []
    for i in range(len(starts)):
        begin = "" if not i else "%d.%09d" % divmod(starts[i], NS)
        end = "" if i + 1 == len(starts) else "%d.%09d" % divmod(starts[i + 1] - 1, NS)
        ranges.append(begin + "," + end if begin or end else None)
    return ranges


def cpus(a, head):
    if not a.per_cpu:
        return [None]
    if a.cpu:
        chosen = []
        for part in a.cpu.split(","):
            if not re.fullmatch(r"\d+(-\d+)?", part):
                sys.exit("error: -C takes CPUs as 0-2,5, not '%s'" % a.cpu)
            first, _, last = part.partition("-")
            chosen += range(int(first), int(last or first) + 1)
        return chosen
    found = re.search(r"^# nrcpus avail : *(\d+)", head, re.M)
    if not found:
        sys.exit("error: '%s' does not say how many CPUs there were: -C names them" % a.input)
    return list(range(int(found.group(1))))


def commands(a):
    head = "" if a.nr == 1 and (not a.per_cpu or a.cpu) else header(a)
    made = []
    for cpu in cpus(a, head):
        for time in times(a, head):
            words = [program(a.command[0]), a.command[1], "-i", a.input]
            if time:
                words += ["--time", time]
            if cpu is not None:
                words += ["--cpu", str(cpu)]
            made.append(words + a.command[2:])
    return made


def run(a, words, number, path):
    """One piece: its exit status."""
    with open(path, "wb") as out:
        first = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if a.pipe_to else out)
        if not a.pipe_to:
            status = first.wait()
        else:
            second = subprocess.Popen(a.pipe_to, shell=True, stdin=first.stdout, stdout=out)
            first.stdout.close()
            status = second.wait() or first.wait()
    if a.verbose:
        print("piece %d: exit status %d" % (number, status), file=sys.stderr)
    return status


def main():
    a = arguments()
    made = commands(a)
    if a.dry_run:
        for words in made:
            print(" ".join(words) + (" | " + a.pipe_to if a.pipe_to else ""))
        return 0
    directory = a.output_dir or tempfile.mkdtemp(prefix="parallel-perf.")
    try:
        if a.output_dir:
            os.makedirs(directory)
        paths = [os.path.join(directory, "piece-%0*d.txt" % (len(str(len(made))), i)) for i in range(len(made))]
        with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
            found = list(pool.map(run, [a] * len(made), made, range(len(made)), paths))
        if not a.output_dir:
            sys.stdout.flush()
            for path in paths:
                with open(path, "rb") as piece:
                    shutil.copyfileobj(piece, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        failed = [i for i, status in enumerate(found) if status]
        if failed:
            print("error: %d of %d pieces failed, the first one: %s" % (len(failed), len(made), " ".join(made[failed[0]])),
                  file=sys.stderr)
        return 1 if failed else 0
    finally:
        if not a.output_dir:
            shutil.rmtree(directory)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
