# SPDX-License-Identifier: GPL-2.0-or-later
"""How long threads waited for which futex."""

import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Summary import dispatch, nanoseconds
from Util import FUTEX_CMD_MASK

# FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2: what waits
WAITS = {0, 6, 9, 11, 13}
waiting = {}  # tid -> (lock, since)
locks = {}    # (tid, lock) -> list of ns
names = {}


def enter(f, context):
    if f['op'] & FUTEX_CMD_MASK & 0xffffffff in WAITS:
        names[f['common_pid']] = f['common_comm']
        waiting[f['common_pid']] = f['uaddr'], nanoseconds(f)


def leave(f, context):
    lock, since = waiting.pop(f['common_pid'], (None, 0))
    if lock is not None:
        locks.setdefault((f['common_pid'], lock), []).append(nanoseconds(f) - since)


trace_unhandled = dispatch({'syscalls__sys_enter_futex': enter, 'syscalls__sys_exit_futex': leave})


def trace_begin():
    print("Press control+C to stop and show the summary")


def trace_end():
    for (tid, lock), times in sorted(locks.items()):
        print("%s[%d] lock %x contended %d times, %d avg ns [max: %d ns, min %d ns]" %
              (names[tid], tid, lock, len(times), sum(times) // len(times), max(times), min(times)))
