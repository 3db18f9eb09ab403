#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf timechart: made-up recordings whose picture is known to the pixel, and browsers.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(id -u)" -eq 0 ] || return 0
	# sleeps, runs, and is woken by a pipe
	"$PERF" timechart record -q -g -o real -- sh -c 'seq 200000 | sort -n | tail -1; sleep 0.05' >/dev/null
	"$PERF" timechart record -I -q -o calls -- dd if=/dev/zero of=/dev/null bs=64k count=300 status=none
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	make=$BATS_TEST_DIRNAME/make-tracepoints
	here=$BATS_TEST_DIRNAME
}

events() {
	cat <<-END
	event sched:sched_switch prev_comm:text prev_pid:s32 prev_prio:s32 prev_state:s64 next_comm:text next_pid:s32 next_prio:s32
	event sched:sched_wakeup comm:text pid:s32 prio:s32 target_cpu:s32
	event power:cpu_idle state:u32 cpu_id:u32
	event power:cpu_frequency state:u32 cpu_id:u32
	END
}

calls() {
	cat <<-END
	event syscalls:sys_enter_read __syscall_nr:s32 fd:u64 buf:ptr count:u64
	event syscalls:sys_exit_read __syscall_nr:s32 ret:s64
	event syscalls:sys_enter_write __syscall_nr:s32 fd:u64 buf:ptr count:u64
	event syscalls:sys_exit_write __syscall_nr:s32 ret:s64
	event syscalls:sys_enter_select __syscall_nr:s32 n:u64
	event syscalls:sys_exit_select __syscall_nr:s32 ret:s64
	END
}

# A recording of these lines; times are written in microseconds.
made() {
	{
		${events:-events}
		sed -E 's/^(at|lost) ([0-9]+)/\1 \2000/'
	} | "$make" $order made
}

# A thousand pixels for a thousand microseconds; the rows of the picture, one line for each path:
# "CLASS X+WIDTH@Y,HEIGHT ..."
paths() {
	"$PERF" timechart -w 1226 -i made -o out.svg "$@" 2>/dev/null
	python3 - <<-'END'
	import re, xml.etree.ElementTree as tree
	svg = tree.parse("out.svg").getroot()
	names = {}
	for lane in svg.iter("{http://www.w3.org/2000/svg}g"):
	    if lane.get("class") != "lane":
	        continue
	    for path in lane.iter("{http://www.w3.org/2000/svg}path"):
	        boxes = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", path.get("d"))
	        print(path.get("class"), *(f"{float(x) - 216:g}+{float(w):g}@{y},{h}" for x, y, w, h in boxes))
	END
}

two_tasks() {
	made <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1400 0 10 sched:sched_switch first 10 120 2 second 20 120
	at 1500 0 20 sched:sched_wakeup first 10 120 0
	at 1600 0 20 sched:sched_switch second 20 120 256 first 10 120
	at 1900 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 2000 0 20 sched:sched_switch second 20 120 1 swapper/0 0 120
	END
}

# What the browser made of the picture: the document after the script ran.
browser() {
	# without a display, a sandbox or anything of the user's
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--hide-scrollbars --user-data-dir="$BATS_FILE_TMPDIR/browser" "$@" 2>/dev/null
}

@test "running, blocked, waiting: boxes where they belong, in both byte orders" {
	for order in "" --big-endian; do
		two_tasks
		paths >got
		diff got - <<-END
		p2 400+200@66,18 900+100@66,18
		p4 0+400@66,18 600+300@66,18
		run 0+400@96,16 600+300@96,16
		wait 500+100@96,16
		blocked 400+100@96,16
		run 400+200@115,16 900+100@115,16
		wait 0+400@115,16 600+300@115,16
		END
	done
	grep -q '<text class="name" x="6" y="108">first:10 (0.7ms)</text>' out.svg
	grep -q 'made: 0.001 seconds, 1 CPUs, 2 of 2 tasks' out.svg
	"$PERF" timechart -i made 2>said
	[ "$(cat said)" = "Written 0.0 seconds of trace to output.svg." ]
	cmp output.svg <("$PERF" timechart -i made -o -)
}

@test "a name is only written into a box that it fits in" {
	# six letters take 36 pixels and begin 2 pixels inside of the box: 38 microseconds are too few, 41 are enough
	made <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 narrow 10 120
	at 1038 0 10 sched:sched_switch narrow 10 120 1 swapper/0 0 120
	at 1500 0 0 sched:sched_switch swapper/0 0 120 0 enough 20 120
	at 1541 0 20 sched:sched_switch enough 20 120 1 swapper/0 0 120
	at 2000 0 0 sched:sched_switch swapper/0 0 120 0 narrow 10 120
	END
	"$PERF" timechart -w 1226 -i made -o out.svg 2>/dev/null
	grep -oE '<text x="[0-9.]+" y="[0-9]+">[a-z:0-9]+' out.svg >labels
	cat labels
	grep -q '<text x="718.0" y="78">enough' labels
	run ! grep -q narrow labels
}

@test "idle states and frequencies, and what leaves them out" {
	made <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 0 10 sched:sched_switch first 10 120 1 swapper/0 0 120
	at 1100 0 0 power:cpu_frequency 1000000 0
	at 1200 0 0 power:cpu_idle 2 0
	at 1600 0 0 power:cpu_idle 4294967295 0
	at 1600 0 0 power:cpu_frequency 2000000 0
	at 2000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	END
	paths >got
	diff got - <<-END
	p4 0+100@66,18
	c2 200+400@84,7
	freq 100+500@87.5,3.5 600+400@84,7
	run 0+100@103,16
	END
	paths -T >got
	diff got - <<-END
	p4 0+100@66,18
	run 0+100@96,16
	END
	paths -P >got
	run ! grep run got
	grep -q c2 got
}

@test "-p, -n and --highlight" {
	two_tasks
	[ "$(paths -p second | grep -c ^run)" -eq 1 ]
	[ "$(paths -p 10 -p 20 | grep -c ^run)" -eq 2 ]
	[ "$(paths -p nobody | grep -c ^run)" -eq 0 ]
	[ "$(paths -n 0 | grep -c ^run)" -eq 0 ]
	# the one that ran longer than the threshold that leaves one
	[ "$(paths -n 1 | grep ^run)" = "$(paths | grep ^run)" ]
	paths --highlight 350us >got
	grep -qx 'hi 0+400@66,18' got
	grep -qx 'hi 0+400@96,16' got
	paths --highlight second >got
	[ "$(grep -c ^hi got)" -eq 2 ]
	grep -qx 'hi 400+200@115,16 900+100@115,16' got
}

# The warnings of a picture with these options.
warnings() {
	"$PERF" timechart -i made "$@" 2>&1 >/dev/null | grep -v '^Written ' | sort
}

@test "tasks and calls that were asked for and are not there are said" {
	two_tasks
	[ "$(warnings -p first -p third -p 20 --highlight second)" = "warning: --process: no task of the recording is 'third'" ]
	[ "$(warnings -p 10 -p 99)" = "warning: --process: no task of the recording is '99'" ]
	[ "$(warnings --highlight secon)" = "warning: --highlight: no task of the recording is 'secon'" ]
	[ -z "$(warnings --highlight 5ms -p 10)" ]
	for option in --io-skip-eagain "--io-min-time 2ms" "--io-merge-dist 2us"; do
		[[ "$(warnings $option)" == "warning: the recording has no system calls, to which the options --io-... apply: "* ]]
	done
}

@test "system calls: what comes in above what goes out, merged and lengthened as asked" {
	events=calls
	made <<-END
	comm 7 worker
	at 1000 0 7 syscalls:sys_enter_read 0 3 0 0
	at 1200 0 7 syscalls:sys_exit_read 0 2097152
	at 1300 0 7 syscalls:sys_enter_write 1 4 0 0
	at 1350 0 7 syscalls:sys_exit_write 1 1048576
	at 1400 0 7 syscalls:sys_enter_read 0 3 0 0
	at 1450 0 7 syscalls:sys_exit_read 0 -11
	at 1500 0 7 syscalls:sys_enter_select 23 9
	at 1900 0 7 syscalls:sys_exit_select 23 1
	at 1900 0 7 syscalls:sys_enter_write 1 4 0 0
	at 2000 0 7 syscalls:sys_exit_write 1 1048576
	END
	# the writes have half of the bytes of the read, and so half of its height
	paths --io-min-time 1 >got
	diff got - <<-END
	poll 500+400@66,16
	read 0+200@66,8
	error 400+50@66,8
	write 300+50@78,4 900+100@78,4
	END
	grep -q 'worker:7 (4.0 Mbytes)' out.svg
	paths --io-min-time 1 --io-skip-eagain >got
	run ! grep error got
	paths --io-min-time 1 --io-merge-dist 600us >got
	# as high as its calls are on average
	grep -qx 'write 300+700@78,4' got
	paths --io-min-time 80us >got
	grep -qx 'write 300+80@78,4 900+100@78,4' got
}

@test "system calls alone come through a pipe, too" {
	events=calls made <<-END
	comm 7 worker
	at 1000 0 7 syscalls:sys_enter_read 0 3 0 0
	at 1200 0 7 syscalls:sys_exit_read 0 100
	at 1300 0 7 syscalls:sys_enter_write 1 4 0 0
	at 1350 0 7 syscalls:sys_exit_write 1 10
	END
	paths --io-min-time 1 >want
	grep -q '^read 0+' want
	"$PERF" inject -i made -o - >stream
	paths -i - --io-min-time 1 <stream >got
	diff want got
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" timechart record -I -q -o - -- dd if=/dev/zero of=/dev/null bs=1 count=100 2>/dev/null |
		"$PERF" timechart -i - -o live.svg
	grep -q 'dd:[0-9]* (' live.svg
	# a stream of something else is still refused
	"$PERF" record -q -e cpu-clock -o - -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' >other
	run -1 "$PERF" timechart -i - -o other.svg <other
	[[ "$output" == *"no event"* ]]
}

@test "after a loss nothing is drawn that is not known" {
	made <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 first 10 120
	at 1100 0 10 sched:sched_wakeup second 20 120 0
	lost 1500 0 9
	at 1600 0 10 sched:sched_switch first 10 120 1 second 20 120
	at 2000 0 20 sched:sched_switch second 20 120 1 swapper/0 0 120
	END
	paths >got
	# the first one ran until the last event before the loss, and from its end on: nobody came in between
	diff got - <<-END
	p2 600+400@66,18
	p4 0+100@66,18 500+100@66,18
	run 0+100@96,16 500+100@96,16
	run 600+400@115,16
	END
	"$PERF" timechart -i made 2>said
	grep -q 'warning: events were lost 1 times' said
}

@test "many short runs: merged below a pixel, whose shares are true" {
	{
		events
		# for a second, 20 us of 50 are busy, by two tasks in turn
		awk 'BEGIN { for (i = 0; i < 20000; i++) { t = 1000000000 + i * 50000; p = 10 + i % 2;
			print "at", t, 0, 0, "sched:sched_switch", "swapper/0", 0, 120, 0, "task" p, p, 120;
			print "at", t + 20000, 0, p, "sched:sched_switch", "task" p, p, 120, 1, "swapper/0", 0, 120 } }'
	} | "$make" made
	paths >got
	# two in five, in eighths: rounded up to a half of 18 pixels
	diff <(head -1 got) - <<-END
	mix 0+1000@75,9
	END
	[ "$(stat -c %s out.svg)" -lt 400000 ]
}

@test "the file stays below 5 MB, in little memory" {
	python3 - >lines <<-'END'
	import random
	random.seed(3)
	time, running = 10**9, [0, 0]
	for i in range(170000):
	    time += random.randrange(500, 40000)
	    cpu = random.randrange(2)
	    prev, next = running[cpu], random.randrange(300) * 2 + cpu
	    running[cpu] = next
	    name = lambda pid: f"task-number-{pid}" if pid else f"swapper/{cpu}"
	    print(f"at {time} {cpu} {prev} sched:sched_switch {name(prev)} {prev} 120 {random.choice([0, 1, 2])} {name(next)} {next} 120")
	END
	{ events; cat lines; } | "$make" made
	[ "$(stat -c %s made)" -gt 24000000 ]
	"$PERF" timechart -i made -o out.svg 2>/dev/null
	size=$(stat -c %s out.svg)
	echo "$size"
	[ "$size" -lt 5000000 ]
	[ "$size" -gt 1000000 ]
	# whichever threads merged, drew and wrote it
	for n in 1 2 3 7; do
		PERF_WORKERS=$n "$PERF" timechart -i made -o "out.$n" 2>/dev/null
		cmp out.svg "out.$n"
	done
	# merged as far as it must be, not further
	grep -o 'grain: [0-9]*' out.svg
	grain=$(grep -o 'grain: [0-9]*' out.svg | cut -d' ' -f2)
	[ "$grain" -gt 1 ]
	[ "$grain" -lt 2000000 ]
	# what was merged is no longer than that, and nothing was left out: it covers all that was busy
	python3 - <<-'END'
	import re
	svg = open("out.svg").read()
	grain, unit, whole = (int(re.search(name + r": (\d+)", svg).group(1)) for name in ("grain", "unit", "range"))
	digits = {c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")}
	merged, busy = 0, 0
	for kind, text in re.findall(r'^\[(\d),\d+,\d+,\d+,"([^"]*)"\]', svg, re.M):
	    numbers, v, shift = [], 0, 0
	    for c in text:
	        v |= (digits[c] & 31) << shift
	        shift += 5
	        if digits[c] < 32:
	            numbers.append(v)
	            v = shift = 0
	    i = 0
	    while kind in "03" and i < len(numbers):
	        length, head = numbers[i + 1], numbers[i + 2]
	        i += 3
	        if head >> 1 & 3 == 3:
	            assert length * unit <= grain + 2 * unit, (length * unit, grain)
	            merged += 1
	            i += 4
	        busy += length * (kind == "0")
	assert merged > 1000
	assert busy * unit > .95 * 2 * whole, (busy * unit, whole)
	END
}

@test "in a browser: rows, colours, hover, zoom, search" {
	command -v chromium >/dev/null || skip "no chromium"
	two_tasks
	"$PERF" timechart -w 1226 -i made -o out.svg 2>/dev/null
	svg=file://$PWD/out.svg
	at() { # what the foot says of a place
		browser --dump-dom "$svg#$1" >dom
		grep -oE 'class="details"[^<]*' dom | sed 's/.*>//'
	}
	[[ "$(at at=316,70)" == "CPU 0: first:10 runs 400.000 us from 0.001000 s (0.001100 s)" ]]
	[[ "$(at at=666,100)" == "first:10 (0.7ms): is blocked 100.000 us from 0.001400 s (0.001450 s)" ]]
	[[ "$(at at=766,120)" == "second:20 (0.3ms): runs on CPU 0 200.000 us from 0.001400 s (0.001550 s)" ]]
	[[ "$(at at=316,120)" == "second:20 (0.3ms): waits for a CPU 400.000 us from 0.001000 s (0.001100 s)" ]]
	[[ "$(at at=1196,104)" == "first:10 (0.7ms): sleeps or is not known (0.001980 s)" ]]
	# the script draws what the file was written with, and ten times as wide
	at "time=0,0.001" >/dev/null
	grep -q '<path class="blocked" d="M616 96h100v16h-100z"' dom
	at "time=0.0004,0.0005" >/dev/null
	grep -q '<path class="blocked" d="M216 96h1000v16h-1000z"' dom
	grep -q 'class="reset b"' dom
	[ -n "$(at "time=0.00045,0.00055&at=716,100" | grep 'waits for a CPU\|is blocked')" ]
	at search=sec >/dev/null
	[ "$(grep -o 'class="row[^"]*hit"' dom | wc -l)" -eq 1 ]
	grep -q '>1 of 3 rows<' dom
	grep -q '<path class="found" d="M616 66h200' dom
}

@test "in a browser: zoomed calls have the height of their bytes, too" {
	command -v chromium >/dev/null || skip "no chromium"
	events=calls made <<-END
	comm 7 worker
	at 1000 0 7 syscalls:sys_enter_read 0 3 0 0
	at 1200 0 7 syscalls:sys_exit_read 0 4000
	at 1300 0 7 syscalls:sys_enter_write 1 4 0 0
	at 1350 0 7 syscalls:sys_exit_write 1 2000
	at 1500 0 7 syscalls:sys_enter_select 23 9
	at 2000 0 7 syscalls:sys_exit_select 23 1
	END
	"$PERF" timechart --io-min-time 1 -w 1226 -i made -o out.svg 2>/dev/null
	browser --dump-dom "file://$PWD/out.svg#time=0,0.0005" >dom
	grep -q '<path class="read" d="M216 66h400v8h-400z"' dom
	grep -q '<path class="write" d="M816 78h100v4h-100z"' dom
}

@test "its picture in a browser has the colours of the states" {
	command -v chromium >/dev/null || skip "no chromium"
	two_tasks
	"$PERF" timechart -w 1226 -i made -o out.svg 2>/dev/null
	browser --window-size=1226,200 --screenshot="$PWD/out.png" "file://$PWD/out.svg"
	python3 - <<-'END'
	import struct, zlib
	data = open("out.png", "rb").read()
	at, packed = 8, b""
	while at < len(data):
	    size, kind = struct.unpack(">I4s", data[at:at + 8])
	    body = data[at + 8:at + 8 + size]
	    if kind == b"IHDR":
	        width, height, _, color = struct.unpack(">IIBB", body[:10])
	    elif kind == b"IDAT":
	        packed += body
	    at += 12 + size
	n = {2: 3, 6: 4}[color]
	raw, rows, last = zlib.decompress(packed), [], bytearray(width * n)
	for y in range(height):
	    line = bytearray(raw[y * (width * n + 1) + 1:(y + 1) * (width * n + 1)])
	    how = raw[y * (width * n + 1)]
	    for x in range(width * n):
	        a, b, c = (line[x - n] if x >= n else 0), last[x], (last[x - n] if x >= n else 0)
	        p = a + b - c
	        paeth = a if abs(p - a) <= min(abs(p - b), abs(p - c)) else b if abs(p - b) <= abs(p - c) else c
	        line[x] = (line[x] + [0, a, b, (a + b) // 2, paeth][how]) & 255
	    rows.append(line)
	    last = line
	def pixel(x, y):
	    return bytes(rows[y][x * n:x * n + 3]).hex()
	for x, y, want in ((400, 104, "5b8fd6"), (666, 104, "d64545"), (766, 104, "f0b93a"), (1000, 104, "5b8fd6"),
	                   (1166, 104, "f3f1ea"), (1000, 123, "f0b93a"), (400, 82, "d79a5b"), (700, 82, "c27ba0")):
	    assert pixel(x, y) == want, (x, y, pixel(x, y), want)
	END
}

@test "a real recording: tasks, call chains, and the share of CPU time is right" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_FILE_TMPDIR"
	"$PERF" timechart -i real -o "$BATS_TEST_TMPDIR/out.svg" 2>/dev/null
	cd "$BATS_TEST_TMPDIR"
	python3 -c 'import xml.etree.ElementTree as t; t.parse("out.svg")'
	grep -q '>sort:[0-9]* (' out.svg
	grep -qE '"(__)?schedule' out.svg || grep -q 'schedule' out.svg
	command -v chromium >/dev/null || skip "no chromium"
	browser --dump-dom "file://$PWD/out.svg#search=^sort" >dom
	grep -qE '>[1-9][0-9]* of [0-9]+ rows<' dom
}

@test "record -I: calls of a real program" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_FILE_TMPDIR"
	"$PERF" evlist -i calls | grep -q syscalls:sys_enter_read
	run ! grep sched: <("$PERF" evlist -i calls)
	"$PERF" timechart -i calls -o "$BATS_TEST_TMPDIR/out.svg" 2>/dev/null
	# 300 blocks of 64 KB came in and went out
	grep -oE 'dd:[0-9]+ \([0-9.]+ Mbytes\)' "$BATS_TEST_TMPDIR/out.svg" | head -1 | grep -qE '\((37|38)\.'
}

@test "names that could end the document or its script stay texts" {
	made <<-END
	at 1000 0 0 sched:sched_switch swapper/0 0 120 0 </svg>]]><x& 10 120
	at 2000 0 10 sched:sched_switch </svg>]]><x& 10 120 1 swapper/0 0 120
	END
	paths >got
	grep -q 'p4 0+1000' got
	run ! grep -F '</svg>]]><x' out.svg
	command -v chromium >/dev/null || skip "no chromium"
	browser --dump-dom "file://$PWD/out.svg#at=316,70" | grep -q 'CPU 0: &lt;/svg&gt;\]\]&gt;&lt;x&amp;:10 runs'
}

@test "files without these events, damaged files" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" record -q -e cpu-clock -o plain -- true
	run "$PERF" timechart -i plain
	[ "$status" -eq 1 ]
	[[ "$output" == *"has none of the events that this analysis reads"*"hint: record with: perf timechart record"* ]]
	[ ! -e output.svg ]
	two_tasks
	"$here/make-damage" made 40 5
	for f in bad*; do
		code=0
		timeout 10 "$PERF" timechart -i "$f" -o out.svg >/dev/null 2>said || code=$?
		[ "$code" -le 1 ] || { echo "$f: $code"; cat said; return 1; }
		[ "$code" -eq 1 ] || python3 -c 'import xml.etree.ElementTree as t; t.parse("out.svg")'
	done
}

@test "wrong use is refused and says what there is" {
	refused() {
		local want=$1
		shift
		run "$PERF" timechart "$@"
		[ "$status" -eq 129 ] || { echo "$*: $status"; return 1; }
		[[ "$output" == *"$want"* ]] || { echo "$*: $output"; return 1; }
	}
	refused "-P and -T cannot be used together" -P -T
	refused "-P and -T cannot be used together" record -P -T
	refused "-I records only system calls" record -I -g
	refused "--width must be between 400 and 100000" -w 3
	refused "unknown subcommand 'foo'" foo
	refused "unknown option '--foo'" --foo
	two_tasks
	run "$PERF" timechart -i made -o /no/such/dir/x.svg
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot write '/no/such/dir/x.svg': No such file"* ]]
	run "$PERF" timechart -i made -o /dev/full
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot write '/dev/full': No space left"* ]]
	run "$PERF" timechart -i nothing
	[ "$status" -eq 1 ]
}
