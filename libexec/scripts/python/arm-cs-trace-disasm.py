# SPDX-License-Identifier: GPL-2.0-or-later
"""The instructions that ran between the branches of a decoded trace, from where one branch landed to where
the next one left, as objdump shows them.

Made for traces of Arm CoreSight; any event whose samples are branches, from ip to addr, will do.
"""

import argparse
import os
import subprocess
import sys

parser = argparse.ArgumentParser(prog="arm-cs-trace-disasm.py")
parser.add_argument("-d", "--objdump", nargs="?", const="objdump", metavar="PROGRAM",
                    help="disassemble with this program (objdump)")
parser.add_argument("-k", "--vmlinux", metavar="FILE", help="the kernel's ELF file")
parser.add_argument("-v", "--verbose", action="store_true", help="say which ranges are left out, and why")
options = parser.parse_args()
objdump = options.objdump or os.environ.get("OBJDUMP", "objdump")

MOST = 64 << 10  # bytes between two branches; more is a gap of the trace
LONGEST = 16  # bytes of an instruction

landed = {}  # (CPU, thread) -> address, and its mapping
texts = {}  # (file, first, last) -> lines
counts = {"branches": 0, "instructions": 0, "ranges left out": 0}


def left_out(why, first, last):
    counts["ranges left out"] += 1
    if options.verbose:
        print("\t%x-%x is left out: %s" % (first, last, why))


def disassemble(path, shift, first, last):
    """Lines of the instructions from first to last; shift: where the file's address 0 lies.  Operands keep the
    file's addresses, whose names objdump knows."""
    key = path, shift, first, last
    if key not in texts:
        run = subprocess.run([objdump, "-d", "--no-show-raw-insn",
                              "--start-address=%#x" % (first - shift), "--stop-address=%#x" % (last - shift + LONGEST), path],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace")
        lines = []
        for line in run.stdout.splitlines():
            address, colon, text = line.strip().partition(":")
            if colon and text.startswith("\t") and first <= int(address, 16) + shift <= last:
                lines.append("\t%x\t%s" % (int(address, 16) + shift, text.strip()))
        texts[key] = lines
    return texts[key]


def show_code(sample, first, last):
    if last < first or last - first > MOST:
        return left_out("the trace has a gap", first, last)
    dso = sample.get("dso", "")
    start, end = sample.get("dso_map_start"), sample.get("dso_map_end")
    if dso.startswith("["):  # the kernel's parts have no files of these names
        path, shift = options.vmlinux, 0
        if not path or not dso.startswith("[kernel"):
            return left_out("%s has no file (--vmlinux)" % dso, first, last)
    elif not dso or start is None or not start <= first < end:
        return left_out("it is not in one object", first, last)
    else:
        path, shift = dso, start - sample.get("map_pgoff", 0)
    if not os.path.exists(path):
        return left_out("'%s' does not exist" % path, first, last)
    lines = disassemble(path, shift, first, last)
    if not lines:
        return left_out("'%s' has no code there" % path, first, last)
    counts["instructions"] += len(lines)
    for line in lines:
        print(line)


def process_event(sample):
    fields = sample["sample"]
    source, target = fields["ip"], fields["addr"]
    if not sample["ev_name"].startswith("branch"):
        return
    counts["branches"] += 1
    where = fields["cpu"], fields["tid"]
    before = landed.get(where)
    landed[where] = target
    if before and source:
        show_code(sample, before, source)
    name = fields.get("addr_symbol")
    print("%s %d/%d [%d] %d.%09d: %x -> %x%s" % (
        sample["comm"], fields["pid"], fields["tid"], fields["cpu"], fields["time"] // 10**9,
        fields["time"] % 10**9, source, target, " %s+%#x" % (name, fields.get("addr_symoff", 0)) if name else ""))


def trace_begin():
    try:
        subprocess.run([objdump, "--version"], stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        sys.exit("error: objdump cannot be run (-d PROGRAM names another one): %s" % e)


def trace_end():
    if not counts["branches"]:
        print("warning: no sample is a branch; perf inject --itrace=b of a perf that decodes CoreSight makes them",
              file=sys.stderr)
    print(", ".join("%s: %d" % count for count in counts.items()))
