#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# What perf report writes for other programs: folded stacks, JSON, a flame graph.
bats_require_minimum_version 1.5.0

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES"
	mkdir many
	(cd many && seq 8000 | xargs touch)
	"$PERF" record -q -e cpu-clock -F 2999 -g -o chains sh -c \
		'ls -l many; printf "<b>&\"c; d" >/proc/$$/comm; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' >/dev/null
	"$PERF" record -q -e '{cpu-clock,page-faults}' -o group ls -l many >/dev/null
	"$BATS_TEST_DIRNAME/make-samples" branches branches
}

setup() {
	cd "$FILES"
}

samples_of() {
	"$PERF" script -i chains -F comm | grep -c .
}

@test "folded stacks: every sample once, frames as perf script has them" {
	"$PERF" report -i chains --folded --no-inline --no-call-sites >ours
	[ "$(awk '{ n += $NF } END { printf "%.0f", n }' ours)" -eq "$(samples_of)" ]
	[ -z "$(sed 's/ [0-9]*$//' ours | sort | uniq -d)" ]
	# the same from script's text: comm line, then frames leaf first
	"$PERF" script -i chains -F comm,ip,sym,dso --no-inline | python3 -c '
import re, sys
out = {}
for block in sys.stdin.read().split("\n\n"):
    lines = block.split("\n")
    if not lines[0].strip():
        continue
    frames = [lines[0].strip().replace(";", ":")]
    for line in reversed(lines[1:]):
        m = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", line)
        if not m:
            continue
        name, dso = m.groups()
        if name == "[unknown]":
            dso = dso.rsplit("/", 1)[-1]
            name = dso if dso.startswith("[") else "[" + dso + "]"
        frames.append(name.replace(";", ":"))
    key = ";".join(frames)
    out[key] = out.get(key, 0) + 1
for k, v in out.items():
    print(k, v)' | LC_ALL=C sort >want
	LC_ALL=C sort ours | diff want -
}

@test "folded stacks: periods, other keys, several events" {
	"$PERF" report -i chains --folded -g period >ours
	period=$("$PERF" report -i chains --stdio | sed -n 's/^# Event count (approx.): //p')
	[ "$(awk '{ n += $NF } END { printf "%.0f", n }' ours)" -eq "$period" ]
	"$PERF" report -i chains --folded -s pid,comm | head -1 | grep -qE '^[0-9]+:[^;]*;[^;]*;'
	"$PERF" report -i group --folded | cut -d';' -f1 | sort -u >events
	[ "$(tr '\n' ' ' <events)" = "cpu-clock page-faults " ]
	"$PERF" report -i chains --folded --comms ls | grep -qv '^ls;' && false
	"$PERF" report -i chains --folded --comms ls | grep -q '^ls;'
}

@test "JSON: one valid document whose numbers are those of the text" {
	"$PERF" report -i chains --json -n --show-total-period -g none >ours.json
	"$PERF" report -i chains --json -n --show-total-period -g graph,0,caller >chains.json
	"$PERF" report -i chains --stdio -q -t'|' -n --show-total-period -g none >rows
	python3 - <<-'EOF'
	import json, csv
	d = json.load(open("ours.json"))
	assert d["version"] == 1 and d["file"] == "chains" and d["sort"] == "comm,dso,symbol"
	(table,) = d["tables"]
	want = [r for r in csv.reader(open("rows"), delimiter="|") if r]
	assert len(want) == len(table["rows"])
	names = [c["name"] for c in table["columns"]]
	for row, text in zip(table["rows"], want):
	    for name, cell in zip(names, text):
	        v = row[name]
	        assert (f"{v:.2f}%" if cell.endswith("%") else str(v)) == cell, (row, text)
	event = table["events"][0]
	assert sum(r["sample"] for r in table["rows"]) == event["all"]["samples"] == event["shown"]["samples"]
	assert sum(r["period"] for r in table["rows"]) == event["all"]["period"]
	# a chain's branches never hold more than it does
	def check(t):
	    assert t["frames"]
	    below = t.get("children", [])
	    assert sum(c["samples"] for c in below) <= t["samples"]
	    for c in below:
	        check(c)
	(table,) = json.load(open("chains.json"))["tables"]
	assert any("chains" in r for r in table["rows"])
	for r in table["rows"]:
	    for c in r.get("chains", []):
	        check(c)
	EOF
}

@test "-t draws call chains only with -g or -G" {
	"$PERF" report -q --stdio -i chains --no-children -t, -s sym 2>/dev/null >rows
	[ -s rows ]
	run ! grep -vE '^([0-9.]+%,.*)?$' rows
	"$PERF" report -q --stdio -i chains --no-children -t, -s sym -g none 2>/dev/null | diff rows -
	for asked in -g -G "-g caller"; do
		# shellcheck disable=SC2086
		"$PERF" report -q --stdio -i chains --no-children -t, -s sym $asked 2>/dev/null | grep -q -- '--'
	done
	# callers are still counted
	"$PERF" report --stdio -i chains --children -t, -s sym 2>/dev/null | grep -q '^# Children,Self,Symbol$'
}

@test "JSON: groups, hierarchy, branches, nothing, other forms" {
	"$PERF" report -i group --json --hierarchy -s comm,dso -n | python3 -c '
import json, sys
(t,) = json.load(sys.stdin)["tables"]
assert [e["name"] for e in t["events"]] == ["cpu-clock", "page-faults"]
for row in t["rows"]:
    assert row["sample"] == [sum(x) for x in zip(*(r["sample"] for r in row["rows"]))]
    assert "dso" not in row and all("comm" not in r for r in row["rows"])'
	"$PERF" report -i branches --json | python3 -c '
import json, sys
kinds = json.load(sys.stdin)["branch_types"]
assert kinds["COND"] == 8 and kinds["CROSS_2M"] == 60'
	"$PERF" record -q -e sched:sched_kthread_stop -o nothing true
	"$PERF" report -i nothing --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["tables"] == []'
	"$PERF" report -i chains --json -c 'no such' | python3 -c 'import json, sys; assert json.load(sys.stdin)["tables"][0]["rows"] == []'
	for other in --folded -D "-t,"; do
		run "$PERF" report -i chains --json $other
		[ "$status" -eq 129 ]
	done
}

@test "JSON: header, counts of records, tasks and their mappings say what the text says" {
	"$PERF" report -i chains --json --stats >stats.json
	"$PERF" report -i chains --stats >stats.text
	"$PERF" report -i chains --json --mmaps >mmaps.json
	"$PERF" report -i chains --mmaps >mmaps.text
	"$PERF" report -i chains --json --tasks >tasks.json
	"$PERF" report -i chains --json --header -g none >header.json
	"$PERF" report -i chains --json --header-only >only.json
	"$PERF" report -i chains --header-only >header.text
	python3 - <<-'EOF'
	import json, re
	load = lambda name: json.load(open(name))
	stats, text = load("stats.json")["stats"], open("stats.text").read()
	counts = {k: int(n) for k, n in re.findall(r"^ *(\w+) events: +(\d+)", text, re.M)}
	assert counts.pop("TOTAL") == stats["total"] == sum(stats["records"].values())
	assert counts == stats["records"]
	assert sum(e["samples"] for e in stats["events"]) == counts["SAMPLE"]
	tasks, maps = [], []
	for t in load("mmaps.json")["tasks"]:
	    tasks.append((t["pid"], t["tid"], t["ppid"], t["level"], t["comm"]))
	    maps += [f'{m["start"]:x}-{m["end"]:x} {m["protection"]} {m["offset"]:08x} {m["inode"]} {m["path"]}'
	             for m in t["maps"]]
	lines = open("mmaps.text").read().splitlines()[1:]
	rows = [re.match(r" +(-?\d+) +(-?\d+) +(-?\d+) \|( *)(.*)$", l) for l in lines]
	assert tasks == [(int(m[1]), int(m[2]), int(m[3]), len(m[4]), m[5]) for m in rows if m]
	assert maps and maps == [l.strip() for l, m in zip(lines, rows) if not m]
	assert tasks == [(t["pid"], t["tid"], t["ppid"], t["level"], t["comm"]) for t in load("tasks.json")["tasks"]]
	assert "maps" not in load("tasks.json")["tasks"][0]
	d, text = load("header.json"), open("header.text").read()
	assert d["tables"] and d["header"] == load("only.json")["header"] and "tables" not in load("only.json")
	header = {h["name"]: h["value"] for h in d["header"] if "name" in h}
	assert f'# nrcpus online : {header["nrcpus online"]}\n' in text and header["arch"] in text
	assert len(d["header"]) == len([l for l in text.splitlines() if len(l) > 2 and "====" not in l])
	EOF
}

@test "a flame graph is valid SVG, its frames as wide as their samples" {
	"$PERF" report -i chains --flamegraph chains.svg
	"$PERF" report -i chains --folded >folded
	python3 - <<-'EOF'
	import re
	import xml.etree.ElementTree as tree
	ns = "{http://www.w3.org/2000/svg}"
	root = tree.parse("chains.svg").getroot()
	assert root.tag == ns + "svg" and root.find(ns + "script").text.strip()
	frames = []
	for g in root.iter(ns + "g"):
	    if g.get("class") != "f":
	        continue
	    title, rect = g.find(ns + "title").text, g.find(ns + "rect")
	    name, n, share = re.match(r"(.*) \(([\d,]+) samples, ([\d.]+)%\)$", title, re.S).groups()
	    frames.append((name, int(n.replace(",", "")), float(rect.get("x")), float(rect.get("width")), int(rect.get("y"))))
	total = sum(int(line.rsplit(" ", 1)[1]) for line in open("folded"))
	(everything,) = [f for f in frames if f[0] == "all"]
	assert everything[1] == total and everything[3] == 1180
	for name, n, x, width, y in frames:
	    assert abs(width - 1180 * n / total) < 0.02
	# a frame lies on the one it was called by
	for name, n, x, width, y in frames:
	    if name != "all":
	        below = [f for f in frames if f[4] == y + 17 and f[2] <= x + 0.02 and f[2] + f[3] >= x + width - 0.02]
	        assert len(below) == 1, name
	names = {f[0] for f in frames}
	assert '<b>&"c: d' in names, names
	EOF
	run ! grep -q '<b>' chains.svg
	"$PERF" report -i chains --flamegraph - | cmp - chains.svg
	run "$PERF" report -i chains --flamegraph /nowhere/x.svg
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot write '/nowhere/x.svg'"* ]]
}

@test "branches of a call graph: the larger first, equal ones by address, all of them at 0" {
	cat >make.py <<-'EOF'
	import struct
	def record(kind, misc, body):
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	data = record(3, 0x2000, struct.pack("<II", 100, 100) + b"prog\0\0\0\0")
	# main calls forty functions, one to four times each; the first of them another forty, once each
	chains = [(0x1000 + 16 * i, 0x500) for i in range(40) for _ in range(1 + i * 7 % 4)]
	chains += [(0x2000 + 16 * i, 0x1000, 0x500) for i in range(40)]
	for i, ips in enumerate(chains):
	    data += record(9, 2, struct.pack("<QIIQQQ", ips[0], 100, 100, 10**9 + i, 1000, len(ips) + 1)
	                   + struct.pack(f"<{len(ips) + 1}Q", 0xfffffffffffffe00, *ips))
	attr = struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", 1, 128, 0, 1000, 1 | 2 | 4 | 32 | 256, 0, 1 << 8 | 1 << 9 | 1 << 13, *[0] * 15)
	begin = 104 + len(attr) + 16
	head = struct.pack("<QQQ", 0x32454c4946524550, 104, len(attr) + 16)
	head += struct.pack("<QQQQQQ", 104, len(attr) + 16, begin, len(data), 0, 0) + b"\0" * 32
	open("ties", "wb").write(head + attr + b"\0" * 16 + data)
	EOF
	python3 make.py
	for n in 1 2 7; do
		PERF_WORKERS=$n "$PERF" report -i ties --json -n --no-children -s comm -g graph,0,caller >"all.$n" 2>/dev/null
	done
	cmp all.1 all.2
	cmp all.1 all.7
	"$PERF" report -i ties --json -n --no-children -s comm -g graph,1,caller >some 2>/dev/null
	python3 - <<-'EOF'
	import json
	def root(name):
	    (row,) = json.load(open(name))["tables"][0]["rows"]
	    (main,) = row["chains"]
	    return main
	def order(t):
	    return [(b["samples"], int(b["frames"][0], 16)) for b in t["children"]]
	whole = order(root("all.1"))
	assert len(whole) == 40 and whole == sorted(whole, reverse=True), whole
	assert whole[0] == (41, 0x1000)
	below = order(root("all.1")["children"][0])
	assert below == [(1, 0x2000 + 16 * i) for i in reversed(range(40))], below
	kept = order(root("some"))
	assert 1 < len(kept) < 40 and kept == [b for b in whole if b in kept]
	EOF
}

# columns OF TEXT...: of each line of standard input with the text, the terminal's column where it begins;
# one number, if they are all alike.
columns() {
	python3 -c '
import sys, unicodedata
def width(s):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in s)
lines = [l for l in sys.stdin.buffer.read().decode().split("\n") if sys.argv[1] in l]
print(*sorted({width(l[:l.index(sys.argv[1])]) for l in lines}))' "$1"
}

@test "names of letters that take several bytes, two columns or none: columns stay straight" {
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --program "$PERF" --samples 2000 --processes 4 --functions 20 plain >/dev/null
	# all of seven bytes
	sed $'s/worker0/\xe6\xbc\xa2\xe5\xad\x970/g; s/worker1/w\xc3\xb6rkr1/g; s/worker2/woe\xcc\x81r2/g' plain >letters
	for options in "-g none --no-children" "-g none" "-g none -s sym,comm,dso" "--hierarchy -s pid,dso -g none" "-g none -w 0,0,12"; do
		"$PERF" report --stdio -q -i letters $options 2>/dev/null >ours
		grep -q $'\xe6\xbc\xa2' ours
		grep -q $'woe\xcc\x81r2' ours
		[[ "$(columns plain.elf <ours)" =~ ^[0-9]+$ ]]
	done
	"$PERF" script -i letters -F comm,tid,cpu 2>/dev/null | grep . >ours
	[[ "$(columns '[0' <ours)" =~ ^[0-9]+$ ]]
	"$PERF" script -L -i letters 2>/dev/null | grep cpu-clock >ours
	[[ "$(columns 'cpu-clock' <ours)" =~ ^[0-9]+$ ]]
	"$PERF" diff -s comm,dso letters letters 2>/dev/null | grep '%' >ours
	[[ "$(columns plain.elf <ours)" =~ ^[0-9]+$ ]]
	# a width that is asked for cuts whole letters
	"$PERF" report --stdio -q -i letters -g none --no-children -s comm,dso -w 8,3 2>/dev/null >ours
	grep -qE $' \xe6\xbc\xa2   *plain.elf' ours
	[[ "$(columns plain.elf <ours)" =~ ^[0-9]+$ ]]
}

@test "the same bytes from 1, 2 and 7 workers" {
	for options in --folded "--folded -g period" --json "--json --hierarchy" "--flamegraph -"; do
		for n in 1 2 7; do
			PERF_WORKERS=$n "$PERF" report -i chains $options >"ours.$n"
		done
		cmp ours.1 ours.2
		cmp ours.1 ours.7
	done
}

@test "--samples: of each row so many of its samples, and no others" {
	"$PERF" report -i chains --json -s comm,tid,sym -g none --no-children -n --samples 3 >picked.json
	"$PERF" script --ns -i chains -F tid,time >script
	"$PERF" report -i chains --stdio --ns -s comm,tid,sym -g none --no-children --samples 3 >picked.text
	python3 - <<-'EOF'
	import json, re
	(table,) = json.load(open("picked.json"))["tables"]
	times = {(int(t), int(a) * 10**9 + int(b)) for t, a, b in
	         re.findall(r"^ *(\d+) +(\d+)\.(\d+): *$", open("script").read(), re.M)}
	assert times
	text = [tuple(map(int, m)) for m in re.findall(r"^ {12}.+ (\d+) (?:\[\d+\] )?(\d+)\.(\d{9}):$", open("picked.text").read(), re.M)]
	seen = []
	for row in table["rows"]:
	    picks = row["samples"]
	    assert len(picks) == min(3, row["sample"])
	    assert [p["time"] for p in picks] == sorted(p["time"] for p in picks)
	    for p in picks:
	        assert p["comm"] == row["comm"] and p["tid"] == int(row["tid"])
	        assert (p["tid"], p["time"]) in times, p
	    seen += [(p["tid"], p["time"]) for p in picks]
	assert len(seen) == len(set(seen))
	assert seen == [(t, a * 10**9 + b) for t, a, b in text]
	EOF
	# whatever moves samples between rows takes them along
	for options in "-p main -s parent" "--ignore-callees ." "-S main"; do
		"$PERF" report -i chains --json -g none --no-children -n --samples 1000000 $options | python3 -c '
import json, sys
rows = json.load(sys.stdin)["tables"][0]["rows"]
assert all(len(r["samples"]) == r["sample"] for r in rows if r["sample"])'
	done
	for other in --folded "--flamegraph -" "-t," --total-cycles; do
		run -129 "$PERF" report -i chains --samples 1 $other
		[[ "$output" == *"--samples"*"excludes"* ]]
	done
}
