# SPDX-License-Identifier: GPL-2.0-or-later
"""What the bundled scripts share: tables, choice by command or pid, events by the names of their fields."""

import sys


class Table:
    """Columns ("title", "%-20s", "%-20s" of a row): a heading, a line of dashes, rows."""

    def __init__(self, *columns):
        self.formats = [row for title, head, row in columns]
        print("  ".join(head % title for title, head, row in columns))
        print("  ".join(head % ("-" * abs(int(head[1:-1]))) for title, head, row in columns))

    def row(self, *values):
        print("  ".join(f % v for f, v in zip(self.formats, values)).rstrip())


class Wanted:
    """The argument [comm|pid] of a script: is an event of that command?"""

    def __init__(self, usage, most=1):
        args = sys.argv[1:]
        if len(args) > most:
            sys.exit(usage)
        self.comm = self.pid = None
        if args and args[0].isdigit():
            self.pid = int(args[0])
        elif args:
            self.comm = args[0]

    def __contains__(self, who):
        pid, comm = who
        return (self.comm is None or comm == self.comm) and (self.pid is None or pid == self.pid)

    def title(self, text):
        who = self.comm if self.comm is not None else self.pid
        return "\n%s for %s:\n" % (text, who) if who is not None else "\n%s:\n" % text


def by_count(counts):
    """Pairs of a dictionary, the greatest value first, equal ones by key."""
    return sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))


def nanoseconds(fields):
    return fields['common_s'] * 1000000000 + fields['common_ns']


def dispatch(handlers):
    """A trace_unhandled() that calls handlers[event_name](fields, context).

    Fields are taken by their names, so that kernels with more or other fields are no obstacle.
    """
    def trace_unhandled(event_name, context, fields):
        handler = handlers.get(event_name)
        if handler:
            handler(fields, context)
    return trace_unhandled


class Interval:
    """Every so many seconds of the recording's clock: is it time to show a table?"""

    def __init__(self, seconds):
        self.length = int(seconds * 1000000000)
        self.next = None

    def passed(self, time):
        if self.next is None:
            self.next = time + self.length
        if time < self.next:
            return False
        self.next += (time - self.next) // self.length * self.length + self.length
        return True


def clear_terminal():
    if sys.stdout.isatty():
        getattr(sys.stdout, "write_codes", sys.stdout.write)("\x1b[H\x1b[2J")


def mean(total, count):
    return total / count if count else 0
