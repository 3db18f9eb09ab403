#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The functions of a recording with the most samples: hot_functions.py [perf.data]"""
import sys

import perf


def main():
    groups = perf.open(sys.argv[1] if len(sys.argv) > 1 else "perf.data").group_by("sym", "dso")
    total = sum(period for _, period in groups.values()) or 1
    for (sym, dso), (samples, period) in list(groups.items())[:10]:
        print(f"{100 * period / total:6.2f}% {samples:8} {sym or '[unknown]'} ({dso or '[unknown]'})")


if __name__ == "__main__":
    main()
