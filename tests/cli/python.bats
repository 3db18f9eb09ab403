#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The Python module perf: recordings and live events as perf itself shows them.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >w.c <<-'EOF'
		#include <stdlib.h>
		#include <string.h>
		volatile long sink;
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
		int main(void)
		{
			for (int i = 0; i < 600; i++) {
				char *p = malloc(300000);
				leaf(30000);
				memset(p, 1, 300000);
				free(p);
			}
			return 0;
		}
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -o w w.c
	cat >touch.py <<-'EOF'
		import mmap, time
		def touch():
		    # the kernel lets task-clock begin at the next switch now and then (seen with 6.18)
		    time.sleep(0.01)
		    # a fault for each page, also where memory comes as huge pages
		    memory = mmap.mmap(-1, 50 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		    try: memory.madvise(mmap.MADV_NOHUGEPAGE)
		    except OSError: pass # a kernel that has none
		    for i in range(0, len(memory), mmap.PAGESIZE): memory[i] = 1
	EOF
	"$PERF" record -q -o chains -e cpu-clock,page-faults -F 5000 -g ./w >/dev/null
	"$PERF" record -q -o traces -a -e sched:sched_switch,sched:sched_process_exec sh -c './w; ./w' >/dev/null
	"$PERF" record -q -o stacks -e cpu-clock --call-graph dwarf,4096 ./w >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	make="$BATS_TEST_DIRNAME/make-samples"
	export PYTHONPATH=$BATS_TEST_DIRNAME/../../build/python
	[ -e "$PYTHONPATH/perf/_perf.abi3.so" ] || skip "the module was not built: no Python.h"
	for p in python3 /usr/bin/python3; do
		"$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && py=$p
	done
	[ -n "$py" ] || skip "no Python 3.11"
	unset LD_PRELOAD
}

# python CODE
run_py() {
	"$py" -X dev -W error -c "$1"
}

@test "samples are those of perf script: times, tasks, places, periods" {
	"$PERF" script -i chains -G --ns -F comm,pid,tid,time,event,period,ip,sym,symoff,dso | tr -s ' ' | sed 's/ $//; s/^ //' >text
	run_py '
import perf
for s in perf.open("chains"):
    place = "[unknown]" if s.sym is None else "%s+0x%x" % (s.sym, s.symoff)
    print("%s %d/%d %d.%09d: %d %s: %x %s (%s)" % (s.comm, s.pid, s.tid, s.time // 10**9, s.time % 10**9,
          s.period, s.event, s.ip, place, s.dso or "[unknown]"))' >again
	[ "$(wc -l <text)" -gt 20 ]
	diff <(sed 's/:  */: /g' text) again
}

@test "call chains, recorded and unwound, are those of perf script" {
	for f in chains stacks; do
		"$PERF" script -i $f --no-inline -F ip,sym | awk 'NF { print $2 }' >text
		run_py "
import perf
for s in perf.open('$f', chains=True):
    for f in s.callchain:
        print(f.sym or '[unknown]')" >again
		diff text again
		grep -q leaf again
	done
}

@test "call chains whose user part was recorded later are whole" {
	for order in "" --big-endian; do
		"$make" $order deferred later
		run_py '
import perf, warnings
warnings.simplefilter("ignore", perf.DamageWarning) # the file has no features
kernel, user = [0xffffffff81000010], [0x555555556010, 0x555555556100]
chains = [[f.ip for f in s.callchain] for s in perf.open("later", chains=True)]
assert chains == [kernel + user, kernel + user, kernel], chains'
	done
}

@test "fields of tracepoints: as attributes, as items, all of them; their text" {
	"$PERF" script -i traces -F trace | sed 's/^ *//; s/ *$//' >text
	run_py '
import perf
for s in perf.open("traces"):
    print(s.trace.strip())
    if s.event == "sched:sched_switch":
        assert s.prev_pid == s["prev_pid"] == s.fields["prev_pid"]
        assert s.trace.startswith("prev_comm=%s prev_pid=%d " % (s.prev_comm, s.prev_pid))
    else:
        assert s.filename in s.trace and s.raw' >again
	cmp text again
	grep -q filename again
}

@test "columns: buffers that say what the samples say, in order of time" {
	run_py '
import perf
rows = [(s.time, s.comm, s.sym, s.period, s.cpu) for s in perf.open("traces")]
c = perf.open("traces").columns("time", "comm", "sym", "period", "cpu", "next_comm", "event")
assert list(zip(*(c[n] for n in ("time", "comm", "sym", "period", "cpu")))) == rows
m = memoryview(c["time"])
assert m.format == "Q" and m.readonly and m.contiguous and m.shape == (len(rows),)
assert m.tolist() == [r[0] for r in rows] == sorted(m.tolist())
assert memoryview(c["comm"]).format == "I"
assert [c["comm"].names[k] for k in memoryview(c["comm"])] == [r[1] for r in rows]
assert len(c["next_comm"].names) > 1 # w is among them, but where the kernel leaves a switch out
kept = memoryview(c["period"]); del c
assert kept.tolist() == [r[3] for r in rows]
try: kept[0] = 1
except TypeError: pass
else: assert 0'
	[ "$(PERF_WORKERS=1 run_py 'import perf; print(list(perf.open("traces").columns("time", "tid")["tid"]))')" = \
		"$(run_py 'import perf; print(list(perf.open("traces").columns("time", "tid")["tid"]))')" ]
}

@test "columns: many rows, read by several workers, are in the order of the samples" {
	for z in "" -z; do
		"$PERF" record -q $z -a -m 4M -o many -e raw_syscalls:sys_enter,raw_syscalls:sys_exit sh -c \
			'for i in 1 2; do dd if=/dev/zero of=/dev/null bs=1 count=30000 2>/dev/null & done; wait' >/dev/null
		run_py '
import perf
names = "time", "cpu", "tid", "event", "comm", "period", "id"
c = perf.open("many").columns(*names)
n = 0
for row in zip(perf.open("many"), *(c[name] for name in names)):
    s = row[0]
    assert row[1:] == (s.time, s.cpu, s.tid, s.event, s.comm, s.period, s.id), (n, row)
    n += 1
assert n == len(c["time"]) > 60000'
	done
}

@test "columns: NumPy takes their memory as it is" {
	"$py" -c 'import numpy' 2>/dev/null || skip "no numpy"
	run_py '
import perf, numpy
from collections import Counter
rows = [(s.time, s.comm, s.sym, s.period, s.tid) for s in perf.open("chains")]
c = perf.open("chains").columns("time", "comm", "sym", "period", "tid")
for name, kind in (("time", numpy.uint64), ("period", numpy.uint64), ("tid", numpy.int64), ("comm", numpy.uint32)):
    a, b = numpy.asarray(c[name]), numpy.asarray(c[name])
    assert a.dtype == kind and a.shape == (len(rows),), (name, a.dtype, a.shape)
    assert numpy.shares_memory(a, b) and not a.flags.owndata and not a.flags.writeable
period, tid = numpy.asarray(c["period"]), numpy.asarray(c["tid"])
assert period.sum() == sum(r[3] for r in rows) and tid.tolist() == [r[4] for r in rows]
assert (numpy.diff(numpy.asarray(c["time"]).astype(numpy.int64)) >= 0).all()
sums = numpy.bincount(numpy.asarray(c["sym"]), weights=period, minlength=len(c["sym"].names))
expected = Counter()
for r in rows: expected[r[2]] += r[3]
got = Counter()
for name, n in zip(c["sym"].names, sums): got[name] += int(n)
assert got == expected
names = numpy.array(c["comm"].names)[numpy.asarray(c["comm"])]
assert names.tolist() == [r[1] for r in rows]
del c
assert period.sum() == sum(r[3] for r in rows)'
}

@test "group_by: what perf report counts" {
	run_py '
import perf
from collections import Counter
r = perf.open("chains")
samples, periods = Counter(), Counter()
for s in r:
    samples[s.comm, s.event, s.sym] += 1
    periods[s.comm, s.event, s.sym] += s.period
g = r.group_by("comm", "event", "sym")
assert g == {k: (samples[k], periods[k]) for k in samples}, g
p = [v[1] for v in g.values()]
assert p == sorted(p, reverse=True)
assert {k: v[0] for k, v in r.group_by("comm").items()} == Counter(s.comm for s in r)
t = perf.open("traces")
assert t.group_by("next_comm", "event") and sum(v[0] for v in t.group_by("next_pid").values()) == sum(1 for s in t)'
}

@test "what was not recorded is None; branches, registers, memory are what perf script shows" {
	for k in branches memory registers; do "$make" $k $k.data; done
	run_py '
import perf, subprocess, os, warnings
warnings.simplefilter("ignore", perf.DamageWarning) # the files have no features
def lines(*a):
    return subprocess.run([os.environ["PERF"], "script", *a], capture_output=True, text=True).stdout
text = lines("-i", "branches.data", "-F", "brstack").split()
again = ["0x%x/0x%x/%s/%s/%s/%d" % (b.from_ip, b.to_ip, {True: "P", False: "M", None: "-"}[b.predicted],
         "X" if b.in_tx else "-", "A" if b.abort else "-", b.cycles) for s in perf.open("branches.data") for b in s.brstack]
assert [t.rsplit("/", 1)[0] for t in text] == again
for s in perf.open("branches.data"):
    assert s.addr is s.weight is s.uregs is s.raw is s.cgroup is None and s.callchain == () and s.fields == {}
    # names of other perfs
    assert s.sample_addr == s.sample_weight == s.sample_phys_addr == s.sample_data_src == 0 and s.raw_buf == b""
    assert s.sample_insn_count == s.sample_cyc_count == 0 and s.type == perf.RECORD_SAMPLE
    assert type(s.callchain) is perf.callchain and type(s.brstack) is perf.branch_stack and isinstance(s.brstack, tuple)
text = lines("-i", "memory.data", "-F", "addr,weight,phys_addr").split()
assert [int(t, 16 if i % 3 != 1 else 10) for i, t in enumerate(text)] == \
       [v for s in perf.open("memory.data") for v in (s.addr, s.weight, s.phys_addr)]
regs = [s.uregs for s in perf.open("registers.data") if s.uregs]
assert regs and all(isinstance(v, int) for r in regs for v in r.values())'
}

@test "a sample outlives its iterator, its recording, and what is read later" {
	run_py '
import perf, gc
kept = [s for i, s in enumerate(perf.open("chains", chains=True)) if i % 10 == 0]
gc.collect()
it = iter(perf.open("chains")); first = next(it); del it
assert (first.time, first.sym) == (kept[0].time, kept[0].sym)
assert len({s.time for s in kept}) == len(kept) and any("leaf" in [f.sym for f in s.callchain] for s in kept)'
}

@test "nothing is lost: reference counts, memory, threads" {
	run_py '
import perf, gc, os, sys, threading
def work():
    r = perf.open("chains", chains=True)
    for s in r:
        s.comm, s.sym, s.dso, s.event, s.callchain, s.fields, s.raw, s.uregs, s.trace, repr(s), s.values, s.brstack
        try: s.nosuch
        except AttributeError: pass
    for i, s in enumerate(r):
        if i == 3: break
    c = r.columns("comm", "time", "sym"); list(c["sym"]); memoryview(c["time"]); r.group_by("comm", "dso"); r.warnings, r.events
    for bad in (lambda: r.columns("zz"), lambda: r.group_by(), lambda: perf.open("nosuch"), lambda: perf.evsel(x=1)):
        try: bad()
        except (ValueError, OSError, TypeError): pass
    e = perf.evsel(type=perf.TYPE_SOFTWARE, config=perf.COUNT_SW_DUMMY); l = perf.evlist(); l.add(e); l[0], len(l), repr(l)
def memory():
    gc.collect()
    return int(open("/proc/self/statm").read().split()[1]) * 4
shared = [None, True, "w", ()] + [perf.Sample, perf.Frame, perf.Column, perf.Recording, perf.evsel, perf.cpu_map]
for i in range(5): work()
memory() # which collects what is garbage by now
refs, threads = [sys.getrefcount(o) for o in shared], len(os.listdir("/proc/self/task"))
fds = len(os.listdir("/proc/self/fd"))
# the allocators of libc and Python keep some MB more from time to time: what leaks grows each time
grown = []
for k in range(6):
    before = memory()
    for i in range(10): work()
    grown.append(memory() - before)
assert min(grown) < 500, grown
after = [sys.getrefcount(o) for o in shared]
assert all(abs(a - b) < 15 for a, b in zip(refs, after)), (refs, after)
assert len(os.listdir("/proc/self/task")) == threads and len(os.listdir("/proc/self/fd")) == fds'
}

@test "several threads: recordings of their own, one recording, one iterator" {
	run_py '
import perf, threading
expected = [(s.time, s.sym) for s in perf.open("chains")]
shared, problems = perf.open("chains"), []
def own():
    if [(s.time, s.sym) for s in perf.open("chains")] != expected: problems.append("own")
def same():
    if [(s.time, s.sym) for s in shared] != expected: problems.append("same")
    if sum(v[0] for v in shared.group_by("sym").values()) != len(expected): problems.append("group")
seen, it = [], iter(perf.open("chains"))
def one():
    while True:
        try: seen.append(next(it).time)
        except StopIteration: return
        except ValueError: pass
threads = [threading.Thread(target=f) for f in (own, own, same, same, one, one, one)]
for t in threads: t.start()
for t in threads: t.join()
assert not problems, problems
assert sorted(seen) == sorted(t for t, _ in expected)'
}

@test "wrong use is an exception that says why" {
	run_py '
import perf
r = perf.open("chains")
for f, kind, text in (
    (lambda: perf.open("nosuch"), OSError, "nosuch"), (lambda: perf.open(3), TypeError, "str"),
    (lambda: perf.open("w"), perf.error, "w"), (lambda: r.columns(), ValueError, "names"),
    (lambda: r.columns("zz"), ValueError, "zz"), (lambda: r.columns(1), TypeError, "str"),
    (lambda: r.group_by(*["comm"] * 9), ValueError, "8"), (lambda: perf.Sample(), TypeError, "Sample"),
    (lambda: next(iter(r))["zz"], KeyError, "zz"), (lambda: next(iter(r))[1], TypeError, "str"),
    (lambda: perf.evsel(foo=1), TypeError, "foo"), (lambda: perf.evsel(1), TypeError, "keywords"),
    (lambda: perf.evsel(sample_freq=5, sample_period=3), ValueError, "exclude"),
    (lambda: perf.cpu_map("x"), ValueError, "x"), (lambda: perf.thread_map(99999999), OSError, "99999999"),
    (lambda: perf.evlist(1), TypeError, "cpu_map"), (lambda: perf.evlist().add(1), TypeError, "evsel"),
    (lambda: perf.evlist().read_on_cpu(0), ValueError, "mmap"), (lambda: perf.evlist().mmap(pages=3), ValueError, "power"),
    (lambda: perf.evlist().poll(), ValueError, "mmap"), (lambda: perf.evlist().poll(0), ValueError, "mmap"),
    (lambda: perf.evsel(type=1 << 40), OverflowError, "type has 32 bits"),
    (lambda: perf.evsel(precise_ip=4), OverflowError, "precise_ip has 2 bits"),
    (lambda: setattr(perf.evsel(), "wakeup_events", 1 << 32), OverflowError, "32 bits"),
    (lambda: perf.evsel().read(0, 0), ValueError, "not open"), (lambda: perf.parse_events("nosuch"), perf.error, "nosuch"),
    (lambda: perf.session(perf.data("chains"), stat=5), TypeError, "stat must be callable")):
    try:
        f()
    except kind as e:
        assert text in str(e), (text, str(e))
    else:
        assert 0, text
try: perf.open("nosuch")
except OSError as e: assert e.errno == 2
assert perf.open("nosuch" if 0 else "chains").path == "chains"'
}

@test "damaged files: exceptions or warnings, never a crash" {
	run_py '
import perf, random
data = open("chains", "rb").read()
random.seed(5)
for n in range(60):
    bad = bytearray(data)
    if n % 3 == 0:
        bad = bad[:random.randrange(len(bad))]
    for _ in range(0 if n % 3 == 0 else random.choice((1, 5, 50))):
        bad[random.randrange(len(bad))] = random.choice((0, 255, random.randrange(256)))
    open("bad", "wb").write(bad)
    try:
        r = perf.open("bad", chains=True)
        for s in r:
            s.comm, s.sym, s.callchain, s.fields, s.raw, s.brstack, s.uregs, s.values, s.trace, s.event
        r.warnings
        r.columns("comm", "sym", "time"); r.group_by("dso")
    except (OSError, ValueError, perf.DamageWarning):
        pass'
}

@test "a recording that is cut off is read up to there, and that is a warning" {
	for part in 2 3; do
		head -c $(($(stat -c %s chains) * part / 4 - 5)) chains >cut
		run -0 run_py '
import perf, warnings
r = perf.open("cut")
whole = [s.time for s in perf.open("chains")]
def warned(f):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        result = f()
    assert w and all(x.category is perf.DamageWarning and x.filename == "<string>" for x in w), w
    return result, [str(x.message) for x in w]
times, texts = warned(lambda: [s.time for s in r])
assert 0 < len(times) <= len(whole) and set(times) <= set(whole) and texts == r.warnings, (texts, r.warnings)
assert any("cut:" in t or "cut, offset" in t for t in texts), texts
assert list(warned(lambda: r.columns("time"))[0]["time"]) == times
assert sum(v[0] for v in warned(lambda: r.group_by("sym"))[0].values()) == len(times)
try:
    for i, s in enumerate(r): pass
except perf.DamageWarning: assert i == len(times) - 1 # -W error
else: assert 0
next(iter(r)) # who does not read to the end is not warned'
		# scripts and lines of text say it as well
		echo 'def process_event(s): print(s["comm"])' >lines.py
		run -1 --separate-stderr "$PERF" script -i cut
		[[ "$stderr" == *"warning: cut, offset "* ]]
		run -1 --separate-stderr "$PERF" script -i cut -s lines.py
		[[ "$stderr" == *"warning: cut, offset "* ]]
	done
	# a whole one is read without a word
	run -0 --separate-stderr run_py 'import perf; list(perf.open("chains")), perf.open("chains").columns("time")'
	[ -z "$stderr" ]
}

@test "samples have the members that other perfs name: mapping, object, function, instruction" {
	"$PERF" script -i chains -G --ns -F time,ip,sym,dso | grep -c leaf >count
	run_py '
import perf, subprocess
syms = subprocess.run(["nm", "-S", "w"], capture_output=True, text=True).stdout.split("\n")
start, size = next((int(l.split()[0], 16), int(l.split()[1], 16)) for l in syms if l.endswith(" leaf"))
r = [s for s in perf.open("chains") if s.sym == "leaf"]
assert len(r) == int(open("count").read()) > 0
note = subprocess.run(["readelf", "-n", "w"], capture_output=True, text=True).stdout.split("Build ID: ")
for s in r:
    assert s.symbol == "leaf" and s.map_start <= s.ip < s.map_end and s.ip - s.map_start + s.map_pgoff == s.dsoff
    assert (s.sym_end - s.sym_start, s.dsoff - s.sym_start) == (size, s.symoff), (s.sym_start, s.sym_end, s.symoff)
    assert s.dso_long_name == s.dso and (len(note) < 2 or s.dso_bid == note[1].split()[0])
    assert s.insn() and open("w", "rb").read()[s.dsoff:].startswith(s.insn())
    assert str(s.evsel) == "evsel(%s)" % s.event and s.evsel.sample_type & perf.SAMPLE_IP
    for n in "time", "pid", "tid", "ip", "period", "cpu", "addr", "id":
        absent = -1 if n in ("pid", "tid", "cpu") else 0
        assert getattr(s, "sample_" + n) == (absent if getattr(s, n) is None else getattr(s, n)), n
for s in perf.open("chains"):
    if s.dso is None:
        assert s.map_start is s.map_end is s.map_pgoff is s.dso_bid is s.dso_long_name is s.sym_start is s.insn() is None'
}

@test "counts_values: members, items, all of them" {
	run_py '
import perf
c = perf.counts_values()
assert c.values == [0] * 5 and len(c) == 4
c.val, c.lost = 7, 2**64 - 1
assert c.values == [7, 0, 0, 0, 2**64 - 1] and list(c) == [7, 0, 0, 0]
c.values = [1, 2, 3, 4, 5]
val, ena, run, id = c
assert (val, ena, run, id, c.lost) == (1, 2, 3, 4, 5) == (c.val, c.ena, c.run, c.id, 5)
assert repr(c) == "counts_values(val=1, ena=2, run=3, id=4, lost=5)"
for bad, kind in ([1] * 4, ValueError), ((1, 2, 3, 4, 5), TypeError), (["x"] * 5, TypeError), ([-1] * 5, OverflowError):
    try: c.values = bad
    except kind: pass
    else: assert 0, bad
assert c.values == [1, 2, 3, 4, 5]'
}

@test "settings, system calls, PMUs" {
	printf '[report]\n\tsort-order = dso,sym\n[colors]\n\ttop = red, default\n' >settings
	PERF_CONFIG=$PWD/settings run_py '
import perf, subprocess, os
assert perf.config_get("report.sort-order") == perf.config_get("Report.Sort-Order") == "dso,sym"
assert perf.config_get("report.nosuch") is None and perf.config_get("nosuch") is None
open("settings", "a").write("[broken\n")
try: perf.config_get("report.sort-order")
except perf.error as e: assert "settings" in str(e), e
else: assert 0
# the numbers of x86_64 and of aarch64, on whatever machine this is
for number, name, machine in (0, "read", 62), (59, "execve", 62), (63, "read", 183), (221, "execve", 183):
    assert perf.syscall_name(number, elf_machine=machine) == name and perf.syscall_id(name, elf_machine=machine) == number
for name in "read", "write", "execve":
    assert perf.syscall_name(perf.syscall_id(name)) == name
assert perf.syscall_name(99999) is perf.syscall_name(-1) is None
for bad in lambda: perf.syscall_id("nosuch"), lambda: perf.syscall_name(0, elf_machine=54321):
    try: bad()
    except ValueError as e: assert "nosuch" in str(e) or "54321" in str(e)
    else: assert 0
devices = "/sys/bus/event_source/devices"
if os.path.isdir(devices):
    assert [p.name() for p in perf.pmus()] == sorted(os.listdir(devices) + ["tool"])
    for p in perf.pmus():
        for e in p.events():
            assert e["topic"] and all(isinstance(text, str) for text in e.values()), e
        if p.name() in ("software", "tool"): assert all(e["desc"] for e in p.events()) and any("long_desc" in e for e in p.events())
        if p.name() == "tool":
            assert {"duration_time", "user_time", "num_cpus"} <= {e["name"] for e in p.events()}
            assert perf.parse_events("tool/duration_time/")[0].name
        assert repr(p) == "pmu(%s)" % p.name()
        if p.name() == "software": assert {"page-faults", "context-switches"} <= {e["name"] for e in p.events()}
        named = os.path.join(devices, p.name(), "events")
        files = [f for f in os.listdir(named) if "." not in f] if os.path.isdir(named) else []
        assert set(files) <= {e["name"] for e in p.events()}, p'
}

@test "every name that the example ilist of newer perfs uses is there" {
	run_py '
import perf
for n in "pmus", "metrics", "parse_events", "parse_metrics", "evlist", "evsel", "pmu":
    assert hasattr(perf, n), n
for n in "open", "close", "enable", "disable", "all_cpus", "compute_metric", "__getitem__":
    assert hasattr(perf.evlist, n), n
for n in "read", "cpus", "threads":
    assert hasattr(perf.evsel, n), n
assert hasattr(perf.pmu, "name") and hasattr(perf.pmu, "events") and hasattr(perf.counts_values, "val")
# it lists events and metrics, sorted by these keys, and joins the texts that are there
for m in sorted(perf.metrics(), key=lambda m: m["MetricName"]):
    assert isinstance(m["MetricGroup"], list) and m.get("PMU") != ""
    "".join(m[k] for k in ("BriefDescription", "PublicDescription", "MetricExpr", "MetricThreshold") if k in m)
for p in perf.pmus():
    try: events = sorted(p.events(), key=lambda e: e["name"])
    except perf.error: continue # not permitted
    for e in events:
        "".join(e[k] for k in ("topic", "event_type_desc", "desc", "long_desc", "encoding_desc") if k in e)'
}

@test "a stream is read once, from standard input" {
	"$PERF" record -q -o - -e cpu-clock ./w 2>/dev/null >stream
	run_py '
import perf
r = perf.open("-")
assert sum(1 for s in r) > 5
try: iter(r)
except ValueError as e: assert "once" in str(e)
else: assert 0' <stream
}

@test "perf.data and perf.session" {
	run_py '
import perf
names = []
s = perf.session(perf.data("chains"), sample=lambda s: names.append(s.comm))
assert s.process_events() == 0 and "w" in names
x = [x for x in perf.open("chains") if x.comm == "w"][-1]
t = s.find_thread(x.tid)
assert t.comm() == "w" and (t.tid, t.pid, t.cpu) == (x.tid, x.pid, x.cpu)
# without samples, threads are known by their records
s = perf.session(perf.data("chains"), stat=lambda e, name: None)
s.process_events()
t = s.find_thread(x.tid)
assert t.comm() == "w" and (t.tid, t.pid, t.cpu) == (x.tid, x.pid, -1) and t.ppid == 0 # perf ran it before it recorded
# parents are those of the records
import subprocess, os
shown = subprocess.run([os.environ["PERF"], "script", "-i", "traces", "--show-task-events", "-F", "comm,trace"], capture_output=True, text=True).stdout
import re
parents = {int(m[1]): int(m[2]) for m in re.finditer(r"PERF_RECORD_FORK\((\d+):\d+\):\((\d+):\d+\)", shown) if m[1] != m[2]}
s = perf.session(perf.data("traces"))
s.process_events()
ran = [x.pid for x in perf.open("traces") if x.comm == "w"]
assert ran and all(s.find_thread(p).ppid == parents[p] for p in ran), (parents, ran)
for f, why in (lambda: s.find_thread(123456789), "thread 123456789 is not in the recording"), \
        (lambda: s.find_thread("x"), "int"), (lambda: perf.session("chains"), "data must be a perf.data, not str"), \
        (lambda: perf.session(perf.data("chains"), sample=5), "sample must be callable"):
    try: f()
    except TypeError as e: assert why in str(e), e
    else: assert 0, why
# the kernel by another list: with a name for every address
kernel = [x.ip for x in perf.open("traces") if x.mode == "kernel"]
with open("symbols", "w") as f: f.write("%x T everything\nffffffffffffff00 T last\n" % min(kernel))
got = set()
perf.session(perf.data("traces"), sample=lambda x: got.add(x.symbol) if x.mode == "kernel" else None, kallsyms="symbols").process_events()
assert got == {"everything"}, got
# messages speak of arguments, not of options
for f, why in (lambda: perf.open("none"), "make it with"), (lambda: perf.open("chains", kallsyms="/none"), "kallsyms: cannot read"):
    try: f()
    except perf.error as e: assert why in str(e) and " -i" not in str(e) and "--" not in str(e), e
    else: assert 0, why'
}

@test "what perf stat recorded is given to a function of perf.session, round by round" {
	"$PERF" stat record -I 20 -o counts -e cpu-clock,page-faults -- ./w >/dev/null 2>&1
	"$PERF" script -i counts >table # CPU THREAD VAL ENA RUN TIME EVENT
	run_py '
import perf, random, warnings
from pathlib import Path
got = []
s = perf.session(perf.data("counts"), stat=lambda e, name: got.append((e, name)))
assert s.process_events() == 0
rounds = [e for e, name in got if name is None]
assert rounds and all(isinstance(e, perf.stat_round_event) and e.type == perf.RECORD_STAT_ROUND and e.evsel is None for e in rounds)
last, at, rows = {}, [], []
for e, name in got:
    if name is None:
        rows += [[n, v, ena, run, e.time] for n, (v, ena, run) in at]
        at = []
        continue
    assert isinstance(e, perf.stat_event) and e.type == perf.RECORD_STAT and e.evsel.name == name and e.thread == 0
    assert repr(e).startswith("{ type: stat, id: %d," % e.id)
    now, before = (e.val, e.ena, e.run), last.get(name, (0, 0, 0))
    at.append((name, [a - b for a, b in zip(now, before)]))
    last[name] = now
table = [l.split() for l in Path("table").read_text().splitlines()[1:]]
assert sorted(rows) == sorted([l[6], *map(int, l[2:6])] for l in table) and len(rows) >= 2
try: perf.session(perf.data("counts"), stat=lambda e, name: 1 / 0).process_events()
except ZeroDivisionError: pass
else: assert 0
try: perf.session(perf.data("counts"), stat="x")
except TypeError as e: assert str(e) == "stat must be callable"
else: assert 0
none = []
assert perf.session(perf.data("chains"), stat=lambda e, name: none.append(e)).process_events() == 0 and not none
warnings.simplefilter("ignore", perf.DamageWarning)
good, chance = Path("counts").read_bytes(), random.Random(1)
for i in range(300):
    bad = bytearray(good)
    for _ in range(3): bad[chance.randrange(len(bad))] = chance.randrange(256)
    Path("bad").write_bytes(bad)
    try: perf.session(perf.data("bad"), stat=lambda e, name: (repr(e), e.evsel)).process_events()
    except perf.error as e: assert str(e)'
}

@test "frames, branches and source lines have the members that other perfs name" {
	"$make" branches branches.data
	"$PERF" script -i chains -G -F ip,sym,srcline | awk '/ leaf$/ { getline; print $1 }' | sort | uniq -c | sort -rn >lines
	run_py '
import collections, os, perf, subprocess, warnings
from pathlib import Path
warnings.simplefilter("ignore", perf.DamageWarning) # the file has no features
n = 0
for s in perf.open("branches.data"):
    for b in s.brstack:
        assert isinstance(b, perf.branch_entry) and len(b) == 7
        assert b.mispred is True if b.predicted is False else b.mispred is False or b.predicted
        n += b.mispred
assert n
lines, source = collections.Counter(), Path("w.c").read_text().splitlines()
for s in perf.open("chains"):
    for f in s.callchain:
        assert isinstance(f, perf.callchain_node) and len(f) == 4 and f.symbol == (f.sym or "[unknown]")
    if s.sym != "leaf": continue
    file, line, text = s.srccode()
    assert file.endswith("/w.c") and source[line - 1] == text
    assert s.srccode(s.ip) == (file, line, text) and s.srccode(0) == (None, 0, None)
    lines["w.c:%d" % line] += 1
assert lines == {l.split()[1]: int(l.split()[0]) for l in Path("lines").read_text().splitlines()}, lines
# other code of the same process
s = next(s for s in perf.open("chains") if s.sym == "leaf")
main = int(next(l.split()[0] for l in subprocess.run(["nm", "w"], capture_output=True, text=True).stdout.splitlines() if l.endswith(" main")), 16)
file, line, text = s.srccode(s.ip - s.dsoff + main)
assert file.endswith("/w.c") and text in ("int main(void)", "{") and source[line - 1] == text
Path("w.c").write_bytes(Path("w.c").read_bytes() + b"// \xff\n") # not UTF-8
assert [s.srccode() for s in perf.open("chains") if s.sym == "leaf"][0][2]
os.rename("w.c", "gone.c")
assert [s.srccode() for s in perf.open("chains") if s.sym == "leaf"][0][2] is None
os.rename("gone.c", "w.c")'
}

@test "live: the calls of twatch, counters, tracepoints with their fields" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run_py '
import perf, os, subprocess
cpus, threads = perf.cpu_map(), perf.thread_map()
e = perf.evsel(type=perf.TYPE_SOFTWARE, config=perf.COUNT_SW_DUMMY, task=1, comm=1, mmap=0, freq=0, wakeup_events=1,
               watermark=1, sample_id_all=1, context_switch=0, sample_type=perf.SAMPLE_PERIOD | perf.SAMPLE_TID | perf.SAMPLE_CPU)
e.open(cpus=cpus, threads=threads)
l = perf.evlist(cpus, threads)
assert l.add(e) == 1 and len(l) == 1 and l[0] is e
l.mmap()
child = subprocess.Popen(["true"]); child.wait()
assert l.poll(timeout=5000) > 0
seen = []
for cpu in cpus:
    while ev := l.read_on_cpu(cpu):
        assert ev.sample_cpu == cpu
        seen.append((type(ev).__name__, ev.type, getattr(ev, "tid", None), str(ev)))
mine = [s for s in seen if s[2] == child.pid]
assert any(s[1] == perf.RECORD_FORK and "{ type: fork, pid: %d, ppid: %d" % (child.pid, os.getpid()) in s[3] for s in mine), seen
assert any(s[0] == "comm_event" and "comm: true }" in s[3] for s in mine) and any(s[1] == perf.RECORD_EXIT for s in mine)
l.close()
t = perf.evsel(type=perf.TYPE_TRACEPOINT, config=perf.tracepoint("sched", "sched_process_exec"), freq=0, sample_period=1,
               sample_type=perf.SAMPLE_TID | perf.SAMPLE_CPU | perf.SAMPLE_RAW | perf.SAMPLE_TIME, wakeup_events=1)
l = perf.evlist(cpus, threads); l.add(t); l.mmap()
child = subprocess.Popen(["true"]); child.wait()
got = [ev for c in cpus for ev in iter(lambda: l.read_on_cpu(c), None)]
assert any(ev.sample_pid == child.pid and ev.filename.endswith("/true") for ev in got)
c = perf.parse_events("task-clock,page-faults")
c[0].open(cpus=None, threads=perf.thread_map(os.getpid())) if 0 else c[0].open(threads=perf.thread_map(tid=os.getpid()), cpus=perf.cpu_map())
for i in range(300000): pass
assert sum(c[0].read(cpu, os.getpid())[0] for cpu in cpus) > 0'
}

@test "live: config() is what a recording asks for; tracking; all members of records" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run_py '
import perf, os, subprocess
cpus, threads = perf.cpu_map(), perf.thread_map()
assert perf.evsel().tracking and not perf.evsel(idx=1).tracking and perf.evsel().size == 128
l = perf.parse_events("dummy,sched:sched_process_exec", cpus, threads)
assert [e.tracking for e in l] == [True, False] and l[0].ids == []
l.config()
asked = perf.SAMPLE_IP | perf.SAMPLE_TID | perf.SAMPLE_TIME | perf.SAMPLE_CPU | perf.SAMPLE_ID
assert all(e.sample_type & asked == asked and e.wakeup_events == 1 for e in l)
assert l[0].sample_freq == 4000 and l[1].sample_period == 1
l.open(); l.mmap(); l.enable()
assert all(len(e.ids) == len(cpus) for e in l) and len(set(l[0].ids + l[1].ids)) == 2 * len(cpus)
try: l.config()
except ValueError as e: assert "before open()" in str(e)
else: assert 0
child = subprocess.Popen(["true"]); child.wait()
l.disable()
seen = [ev for c in cpus for ev in iter(lambda: l.read_on_cpu(c), None) if ev.sample_pid == child.pid]
kinds = {type(ev): ev for ev in seen}
assert {perf.mmap2_event, perf.comm_event, perf.task_event, perf.sample_event} <= set(kinds), kinds
for ev in seen:
    assert ev.evsel is (l[1] if isinstance(ev, perf.sample_event) else l[0]) and ev.sample_tid == child.pid and ev.sample_time > 0
    assert ev.sample_id in ev.evsel.ids and ev.sample_cpu in list(cpus)
    assert all(hasattr(ev, n) and n in dir(ev) for n in dir(type(ev)))
    if not isinstance(ev, perf.sample_event): assert ev.sample_ip == ev.sample_period == ev.sample_addr == 0
m = next(ev for ev in seen if isinstance(ev, perf.mmap2_event) and ev.filename.startswith("/"))
assert m.start and m.len and m.prot & 4 and m.flags and (m.build_id or m.ino)
assert str(m) == "{ type: mmap2, pid: %d, tid: %d, start: 0x%x, length: 0x%x, offset: 0x%x, flags: 0x%x, prot: 0x%x, filename: %s }" % (
    m.pid, m.tid, m.start, m.len, m.pgoff, m.flags, m.prot, m.filename)
x = kinds[perf.sample_event]
assert x.filename.endswith("/true") and "filename" in dir(x) and x.sample_period == 1
l.close()
# another event tracks
l = perf.parse_events("dummy,page-faults", cpus, threads)
l[0].tracking, l[1].tracking = False, True
l.config(); l.open(); l.mmap(); l.enable()
child = subprocess.Popen(["true"]); child.wait()
l.disable()
forks = [ev for c in cpus for ev in iter(lambda: l.read_on_cpu(c), None) if isinstance(ev, perf.task_event)]
assert forks and all(ev.evsel is l[1] for ev in forks)
l.close()
# without config() nothing but its own attr is asked for
l = perf.parse_events("dummy", cpus, threads)
l.mmap()
child = subprocess.Popen(["true"]); child.wait()
assert all(l.read_on_cpu(c) is None for c in cpus)'
}

@test "live: branch stacks are tuples of Branch, as in a recording" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	gcc -shared -fPIC -o branches.so "$BATS_TEST_DIRNAME/branch-shim.c" -ldl
	echo '3 77 401000 401000-402000-7,403000-404000-0 -' >samples
	BRANCH_SAMPLES=$PWD/samples LD_PRELOAD=$PWD/branches.so run_py '
import perf
cpus = perf.cpu_map("0")
l = perf.parse_events("cpu-clock/branch_type=any/", cpus, perf.thread_map())
l.config(); l.open(); l.mmap()
got = [ev for ev in iter(lambda: l.read_on_cpu(0), None) if isinstance(ev, perf.sample_event)]
assert len(got) == 3 and all(s.sample_pid == 77 and s.sample_ip == 0x401000 for s in got), got
assert type(got[0].brstack) is perf.branch_stack
one, two = got[0].brstack
assert (one.from_ip, one.to_ip, one.cycles, one.mispred, one.predicted) == (0x401000, 0x402000, 7, False, True), one
assert (two.from_ip, two.to_ip) == (0x403000, 0x404000)'
}

@test "live: samples know the object, the mapping and the function of their address" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	sed 's/i < 200/i >= 0/' w.c >endless.c
	gcc -O1 -g -fno-omit-frame-pointer -o endless endless.c
	run_py '
import perf, os, subprocess, time
cpus = perf.cpu_map()
with subprocess.Popen(["./endless"]) as p:
    try:
        l = perf.parse_events("cpu-clock:u", cpus, perf.thread_map(tid=p.pid))
        l.config(); l.open(); l.mmap(); l.enable()
        found = None
        while not found:
            assert l.poll(timeout=20000) > 0
            for s in (s for c in cpus for s in iter(lambda: l.read_on_cpu(c), None)):
                if isinstance(s, perf.sample_event) and s.symbol == "leaf": found = s
    finally:
        p.kill()
s = found
maps = subprocess.run(["nm", "-S", "endless"], capture_output=True, text=True).stdout.split("\n")
size = next(int(x.split()[1], 16) for x in maps if x.endswith(" leaf"))
assert s.dso == s.dso_long_name == os.path.realpath("endless"), (s.dso, s.dso_long_name)
assert s.map_start <= s.sample_ip < s.map_end and s.sym_end - s.sym_start == size
at = s.sample_ip - s.map_start + s.map_pgoff
assert s.sym_start <= at < s.sym_end and s.brstack is None
# as Sample has them: the bytes of the instruction, and the line of the source
with open("endless", "rb") as f: code = f.read()
with open("endless.c", errors="surrogateescape") as f: lines = f.read().split("\n")
assert s.insn() and code[at:].startswith(s.insn())
file, line, text = s.srccode()
assert file.endswith("/endless.c") and lines[line - 1] == text, (file, line, text)
assert s.srccode(s.sample_ip) == (file, line, text) and s.srccode(0) == (None, 0, None)
l.close()
k = perf.parse_events("page-faults:k,sched:sched_switch", cpus, perf.thread_map())
k.config(); k.open(); k.mmap(); k.enable()
time.sleep(0); subprocess.run(["true"])
k.disable()
kernel = [s for c in cpus for s in iter(lambda: k.read_on_cpu(c), None) if isinstance(s, perf.sample_event) and s.sample_ip >> 63]
assert kernel and all(s.dso for s in kernel) and all(s.map_start <= s.sample_ip < s.map_end for s in kernel)'
}

@test "an event that cannot join its group is counted alone, which is said" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run_py '
import perf, os, warnings
from touch import touch
pid, cpu = os.getpid(), os.sched_getaffinity(0).pop()
os.sched_setaffinity(0, [cpu])
here, mine, any = perf.cpu_map(str(cpu)), perf.thread_map(tid=pid), perf.thread_map()
def group():
    l = perf.parse_events("{page-faults,dummy,task-clock}", here, mine)
    for e in l: e.read_format = 1 | 2 | 8
    return l
l = group()
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    l[0].open(here, mine)
    l[1].open(here, any)
    l[2].open(here, mine)
assert [x.category for x in w] == [RuntimeWarning] and w[0].filename == "<string>"
text = str(w[0].message)
assert "dummy" in text and "counted alone" in text and "page-faults" in text and str(pid) in text, text
touch()
faults, dummy, clock = l[0].read(cpu, pid), l[1].read(cpu, -1), l[2].read(cpu, pid)
assert faults.val >= 100 and dummy.val == 0 and clock.val > 10 * faults.val, (faults, dummy, clock)
l = group() # whose leader is not open
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    l[2].open(here, mine)
assert "is not open" in str(w[0].message)
touch()
assert l[2].read(cpu, pid).val > 0
l = group()
try: l[1].open(here, mine) # -W error
except RuntimeWarning: pass
else: assert 0
assert l[1].cpus() is None and l[1].ids == []
l.open() # the whole group: no warning
touch()
assert l[2].read(cpu, pid).val > 10 * l[0].read(cpu, pid).val > 1000'
}

@test "groups: values are read at once, and each event has its own" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run_py '
import perf, os
from touch import touch
pid, cpu = os.getpid(), os.sched_getaffinity(0).pop()
os.sched_setaffinity(0, [cpu])
GROUP = 8
for format in 1 | 2, 1 | 2 | GROUP, 1 | 2 | 4 | GROUP, GROUP:
    l = perf.parse_events("{page-faults,dummy,task-clock}", perf.cpu_map(), perf.thread_map(tid=pid))
    for e in l: e.read_format = format
    l.open()
    l.enable()
    touch()
    l.disable()
    faults, dummy, clock = (e.read(cpu, pid) for e in l)
    assert faults[0] >= 100 and dummy[0] == 0 and clock[0] > 10 * faults[0], (format, faults, dummy, clock)
    assert bool(faults[1]) == bool(faults[2]) == bool(format & 1), (format, faults)
    if format & 4:
        assert len({faults[3], dummy[3], clock[3]}) == 3 and all((faults[3], dummy[3], clock[3]))
    try: l[0].read_format = 0
    except ValueError as e: assert "open" in str(e)
    else: assert 0
    l.close()
# a group of one
e = perf.evsel(type=perf.TYPE_SOFTWARE, config=perf.COUNT_SW_PAGE_FAULTS, freq=0, sample_type=0, read_format=GROUP)
e.open(perf.cpu_map(), perf.thread_map(tid=pid))
touch()
assert e.read(cpu, pid)[0] >= 100'
}

@test "metrics: what is known of them, and their values" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	"$PERF" list --json metric >listed
	run_py '
import perf, os, json, math
from touch import touch
known = {m["MetricName"]: m for m in perf.metrics()}
listed = {m["MetricName"]: m for m in json.load(open("listed"))}
assert known and set(known) == set(listed)
for name, m in known.items():
    assert m["BriefDescription"] == listed[name]["BriefDescription"] and isinstance(m["MetricGroup"], list), m
    assert None not in m.values() and all(isinstance(m[k], str) for k in m if k != "MetricGroup"), m # what is unknown is left out
for bad, kind, text in ((lambda: perf.parse_metrics("nosuch"), perf.error, "nosuch"),
                        (lambda: perf.parse_events("user_time"), perf.error, "user_time"),
                        (lambda: perf.parse_events("num_cpus"), perf.error, "num_cpus"),
                        (lambda: perf.parse_events("dummy").compute_metric("x", 0, -1), ValueError, "parse_metrics")):
    try: bad()
    except kind as e: assert text in str(e), e
    else: assert 0, text
assert perf.parse_events("dummy").metrics() == []
pid, cpu = os.getpid(), os.sched_getaffinity(0).pop()
os.sched_setaffinity(0, [cpu])
l = perf.parse_metrics("page_faults_per_second,CPUs_utilized", cpus=perf.cpu_map(), threads=perf.thread_map(tid=pid))
assert sorted(l.metrics()) == ["CPUs_utilized", "page_faults_per_second"] and list(l.all_cpus()) == list(perf.cpu_map())
try: l.compute_metric("CPUs_utilized", cpu, pid)
except ValueError as e: assert "not open" in str(e)
else: assert 0
l.open(); l.enable()
touch()
l.disable()
counts = {e.name: e.read(cpu, pid) for e in l}
faults, clock = counts["page-faults"][0], counts["task-clock"][0]
assert faults >= 100 and counts["duration_time"][0] >= clock * 0.9, counts
assert math.isclose(l.compute_metric("page_faults_per_second", cpu, pid), faults / (clock / 1e9), rel_tol=1e-6)
assert 0 < l.compute_metric("CPUs_utilized", cpu, pid) < 1.2
for bad in (lambda: l.compute_metric("IPC", cpu, pid), lambda: l.compute_metric("CPUs_utilized", 9999, pid)):
    try: bad()
    except ValueError: pass
    else: assert 0'
}

@test "live(): who watches a run gets the samples that a recording of it has" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run -0 run_py "
import collections, os, perf, subprocess
def seen_in(samples):
    return collections.Counter((s.comm, s.sym, s.dso, s.ip, s.period, s.event, s.cpumode,
                                tuple((f.ip, f.sym, f.dso) for f in s.callchain)) for s in samples)
program = 'read go; for i in 1 2 3 4 5 6; do /bin/true; ls / >/dev/null; done; ./w'
with subprocess.Popen(['sh', '-c', program], stdin=subprocess.PIPE) as p:
    enable, told = os.pipe(), os.pipe()
    with subprocess.Popen([os.environ['PERF'], 'record', '-q', '-o', 'watched', '-e', 'page-faults:u', '-c', '1', '-g', '-D', '-1',
                           '--control', 'fd:%d,%d' % (enable[0], told[1]), '-p', str(p.pid)],
                          pass_fds=(enable[0], told[1])) as recorder:
        os.write(enable[1], b'enable\n')
        assert os.read(told[0], 4) == b'ack\n'
        live = perf.live('page-faults:u', pids=p.pid, period=1, chains=True)
        p.stdin.close()
        a = seen_in(live)
        assert recorder.wait() == 0
b = seen_in(perf.open('watched'))
assert live.lost == 0 and sum(a.values()) > 500, (live.lost, sum(a.values()))
assert a == b, ((a - b).most_common(3), (b - a).most_common(3))
assert {'true', 'ls', 'w'} <= {k[0] for k in a}
assert list(live) == []
assert live.events[0]['name'] == 'page-faults:u' and live.events[0]['sample_period'] == 1"
}

@test "live(): stop() and Ctrl-C end it, copies of stacks are unwound, fields of tracepoints are there" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run -0 run_py "
import os, perf, signal, subprocess, threading
signal.signal(signal.SIGINT, signal.default_int_handler) # a job in the background may have been told to ignore it
with perf.live('cpu-clock', refresh=0.01) as live: # of all CPUs: it would never end
    subprocess.run(['./w'])
assert any(s.comm == 'w' for s in live)
quiet = perf.live('cpu-clock:u', pids=[os.getpid()], period=3600 * 10**9)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try: next(iter(quiet))
except KeyboardInterrupt: pass
else: assert False, 'a sample in an hour of CPU time'
assert list(quiet) == []
with subprocess.Popen(['sh', '-c', 'read go; exec ./w'], stdin=subprocess.PIPE) as p:
    live = perf.live('cpu-clock:u', pids=p.pid, freq=2000, chains='dwarf,4096')
    p.stdin.close()
    kept = [s for s in live if s.sym == 'leaf']
assert kept and all(s.comm == 'w' for s in kept)
assert any([f.sym for f in s.callchain][:2] == ['leaf', 'main'] for s in kept)
for s in perf.live('sched:sched_switch'):
    assert s.prev_comm == s.fields['prev_comm'] and 'next_pid=%d' % s.next_pid in s.trace
    break"
}

@test "live(): what is wrong is said" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run -0 run_py "
import perf
def refuses(kind, words, *args, **how):
    try: perf.live(*args, **how)
    except kind as e: assert words in str(e), e
    else: assert False, (args, how)
refuses(perf.error, \"unknown event 'nosuch'\", 'nosuch')
refuses(perf.error, 'no process 999999999', pids=999999999)
refuses(perf.error, 'is not a list of CPUs', cpus='x')
refuses(perf.error, 'not a kind of call graph', chains='nosuch')
refuses(ValueError, 'freq must be greater', freq=0)
refuses(ValueError, 'exclude each other', freq=1, period=1)
refuses(ValueError, 'exclude each other', pids=1, cpus='0')
refuses(ValueError, 'names no process', pids=[])
refuses(ValueError, 'refresh must lie between', refresh=float('nan'))
refuses(TypeError, 'integer', pids='1')"
}

@test "events with CPUs of their own are opened on those: of their PMU, and by cpu=" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "one CPU alone"
	read -r first last < <("$py" -c 'import perf; c = list(perf.cpu_map()); print(c[0], c[-1])')
	# a PMU that counts on the last CPU only, and is cpu-clock in truth
	mkdir -p devices/uncore_box/format devices/uncore_box/events
	for d in /sys/bus/event_source/devices/*; do ln -sfn "$(readlink -f "$d")" "devices/${d##*/}"; done
	echo 1 >devices/uncore_box/type
	echo "$last" >devices/uncore_box/cpumask
	echo config:0-7 >devices/uncore_box/format/event
	echo event=0x0 >devices/uncore_box/events/ticks
	cat >own.py <<-EOF
		import perf, os, sys
		first, last = $first, $last
		def refused(text, call):
		    try: call()
		    except ValueError as e: assert text in str(e), e
		    else: assert 0, text
		every = list(perf.cpu_map())
		l = perf.parse_events("uncore_box/ticks/,page-faults")
		box, faults = l
		assert list(box.cpus()) == [last] and faults.cpus() is None and box.threads() is None
		assert list(l.all_cpus()) == every
		refs = sys.getrefcount(box)
		l.open()
		assert list(box.cpus()) == [last] and list(faults.cpus()) == every
		assert box.read(last, -1)[1] > 0
		refused("not open on %d" % first, lambda: box.read(first, -1))
		faults.read(first, -1)
		l.close()
		assert list(box.cpus()) == [last] and faults.cpus() is None and sys.getrefcount(box) == refs
		alone = perf.parse_events("uncore_box/ticks/")
		assert list(alone.all_cpus()) == [last]
		refused("[%d] alone, and none of them" % last, perf.parse_events("uncore_box/ticks/", perf.cpu_map(str(first))).open)
		refused("cannot follow a task", perf.parse_events("uncore_box/ticks/", threads=perf.thread_map(tid=os.getpid())).open)
		own = perf.parse_events("cpu-clock/cpu=%d/" % last)
		own.open()
		assert list(own[0].cpus()) == [last]
		# others are as before
		assert perf.evsel(type=perf.TYPE_SOFTWARE).cpus() is None and list(perf.evlist().all_cpus()) == every
	EOF
	unshare -m sh -c 'mount --bind devices /sys/bus/event_source/devices && exec "$@"' sh "$py" -X dev -W error own.py
}

@test "the examples run: where they were built, and installed" {
	unset PYTHONPATH
	top=$BATS_TEST_DIRNAME/../../python/examples
	make -s -C "$BATS_TEST_DIRNAME/../.." install-files DESTDIR="$PWD/dest" prefix=/opt/p pythondir=/opt/p/python BIN="$PERF" >log
	[ "$(cd dest/opt/p/share/doc/perf/examples && echo *)" = "$(cd "$top" && echo *.py)" ]
	PYTHONPATH=$PWD/dest/opt/p/python run -0 "$py" dest/opt/p/share/doc/perf/examples/hot_functions.py chains
	[[ "$output" == *" leaf ("*"/w)"* ]]
	rm -r dest
	run -0 "$py" "$top/hot_functions.py" chains
	[[ "$output" == *" leaf ("*"/w)"* ]]
	[ "$(id -u)" -eq 0 ] || skip "not root"
	bash -c 'while :; do :; done' 3>&- & busy=$!
	timeout -s INT 30 "$py" "$top/live_top.py" $busy >seconds 3>&- & watcher=$!
	for _ in $(seq 200); do
		grep -q "^ *[0-9]* bash " seconds && break
		sleep 0.1
	done
	kill $busy
	wait $watcher # it ends with what it watches
	grep -q "^ *[0-9]* bash " seconds
	timeout -s INT 20 "$py" "$top/twatch.py" >watched &
	watcher=$!
	for _ in $(seq 100); do
		true | cat >/dev/null
		grep -q 'type: fork' watched && break
		sleep 0.1
	done
	kill -INT $watcher
	wait $watcher || true
	grep -qE '^cpu: [0-9]+, pid: [0-9]+, tid: [0-9]+ \{ type: fork, pid: ' watched
}

@test "pip install ./python needs no other package and no network" {
	"$py" -m pip --version >/dev/null 2>&1 || skip "no pip"
	mkdir -p target
	PIP_NO_INDEX=1 "$py" -m pip install -q --no-cache-dir --target target "$BATS_TEST_DIRNAME/../../python" >log 2>&1 ||
		{ cat log; return 1; }
	PYTHONPATH=target "$py" -c 'import perf; assert "target" in perf.__file__; print(len(list(perf.open("chains"))))'
}

@test "the stub names everything that is public, and nothing else; all of it has a docstring" {
	run_py '
import ast, pathlib, perf
tree = ast.parse((pathlib.Path(perf.__file__).parent / "__init__.pyi").read_text())
public = lambda names: {n for n in names if not n.startswith("_")}
names, classes = set(), {}
for node in tree.body:
    if isinstance(node, ast.FunctionDef): names.add(node.name)
    if isinstance(node, ast.AnnAssign): names.add(node.target.id)
    if isinstance(node, ast.Assign) and node.targets[0].id != "Path": names.add(node.targets[0].id)
    if isinstance(node, ast.ClassDef):
        names.add(node.name)
        own = {n.target.id if isinstance(n, ast.AnnAssign) else n.name for n in node.body if not isinstance(n, ast.Expr)}
        classes[node.name] = own.union(*(classes.get(b.id, set()) for b in node.bases if isinstance(b, ast.Name)))
assert public(names) == public(dir(perf)), public(names) ^ public(dir(perf))
foreign = set(dir(tuple)) | set(dir(RuntimeWarning)) | set(dir(OSError))
foreign |= {"n_fields", "n_sequence_fields", "n_unnamed_fields"}
for name, told in classes.items():
    if name == "_record": continue
    c = getattr(perf, name)
    there = public(dir(c)) - (foreign - told)
    if name in ("data", "session", "thread"): there |= {n for n in told if n in ("path", "data", "pid", "tid", "cpu")}
    assert public(told) == there, (name, public(told) ^ there)
    assert c.__doc__ and all(getattr(c, n).__doc__ for n in there if hasattr(c, n)), (name, [n for n in there if not getattr(c, n).__doc__])
for name in public(dir(perf)):
    assert name.isupper() or getattr(perf, name).__doc__, name
    if name.isupper(): assert isinstance(getattr(perf, name), int), name
assert perf.switch_event is perf.context_switch_event'
}
