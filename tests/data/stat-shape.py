# SPDX-License-Identifier: GPL-2.0-or-later
"""stat-shape.py text|csv|json: what perf stat printed, each number as an N at its last digit's place;
units that depend on a number's size, and noise, are left out."""
import re, sys
for line in sys.stdin:
    if line.startswith("=="):
        print(line.rstrip())
        continue
    line = re.sub(r"([KMG])/sec", "/sec", line.rstrip("\n")).replace("(null)", "")
    if sys.argv[1] == "text":
        line = re.sub(r" *[0-9][0-9,.]*(?=[ %\n]|$)|(?<=[A-Z])[0-9]+", lambda m: "N".rjust(len(m.group(0))), line)
        line = re.sub(r" *\( \+- *N% \)", "", line)
        line = re.sub(r"\+- *N", "+- N", line)
    else:
        line = re.sub(r"[0-9]+(\.[0-9]+)?", "N", line)
    print(line.rstrip())
