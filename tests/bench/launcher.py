# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands for the bench from a small process, and tells what each used.

The kernel counts as a program's peak memory at least that of the process that started it (ru_maxrss is kept over fork
and exec), so that nothing started by the bench itself could ever seem smaller than the bench.  This process has
imported next to nothing.  A request on standard input and its answer on standard output are a line each:
  request  hexadecimal digits of: the directory, the number of threads that our program is to have (empty: as many as
           it likes), then each argument, each followed by a zero byte
  answer   wall s, cpu s, peak MB, exit code (a signal's number as a negative one)
"""
import os
import sys
import time


def run(cwd, workers, argv):
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            null = os.open("/dev/null", os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(null, fd)
            os.chdir(cwd)
            # given with each request: this process was started before most of them
            if workers:
                os.environ["PERF_WORKERS"] = workers
            os.execv(argv[0], argv)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic() - start
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def serve():
    for line in sys.stdin:
        cwd, workers, *argv = [os.fsdecode(w) for w in bytes.fromhex(line).split(b"\0")[:-1]]
        print(*run(cwd, workers, argv), flush=True)


if __name__ == "__main__":
    serve()
