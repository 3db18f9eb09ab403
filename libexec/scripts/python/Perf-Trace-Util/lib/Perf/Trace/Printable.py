# SPDX-License-Identifier: GPL-2.0-or-later
"""Standard output that no name from a recording can use to control a terminal.

perf installs it before it runs one of its own scripts.  Control and bidirectional characters are
written as \\xNN, byte for byte; all other text is written as it is.
"""

import io
import re
import sys

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\udc80-\udc9f]")


def escaped(match):
    return "".join("\\x%02x" % byte for byte in match.group().encode("utf-8", "surrogateescape"))


class Printable(io.TextIOWrapper):
    def write(self, text):
        return super().write(CONTROL.sub(escaped, text) if CONTROL.search(text) else text)

    def write_codes(self, text):
        """For codes of our own, such as those that clear the screen."""
        return super().write(text)


def install():
    terminal = sys.stdout.isatty()
    sys.stdout = sys.__stdout__ = Printable(sys.stdout.detach(), encoding="utf-8", errors="surrogateescape",
                                            line_buffering=terminal)
