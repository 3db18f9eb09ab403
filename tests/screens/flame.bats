#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# The flame view of the terminal browser, on a file whose shares are known.
bats_require_minimum_version 1.5.0

load screen
bats_require_minimum_version 1.5.0

# A quarter of the samples is main>left>deep, half is main>right, a quarter main alone.
setup_file() {
	cd "$BATS_FILE_TMPDIR"
	export FILES=$BATS_FILE_TMPDIR
	cat >prog.c <<-'END'
	void deep(void) { }
	void left(void) { deep(); }
	void right(void) { }
	int main(void) { left(); right(); }
	END
	gcc -O0 -no-pie -fno-omit-frame-pointer prog.c -o prog
	cat >make.py <<-'END'
	import struct, subprocess, sys
	prog, out = sys.argv[1:]
	nm = subprocess.run(["nm", prog], capture_output=True, text=True).stdout
	at = {f[2]: int(f[0], 16) for f in map(str.split, nm.splitlines()) if len(f) == 3}
	def record(kind, misc, body):
	    body += b"\0" * (-len(body) % 8)
	    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body
	name = prog.encode() + b"\0"
	name += b"\0" * (-len(name) % 8)
	data = record(3, 0x2000, struct.pack("<II", 100, 100) + b"prog\0\0\0\0")
	data += record(10, 2, struct.pack("<IIQQQIIQQII", 100, 100, 0x400000, 0x10000, 0, 8, 1, 5, 0, 5, 2) + name)
	chains = [["deep", "left", "main"], ["right", "main"], ["right", "main"], ["main"]] * 250
	for i, chain in enumerate(chains):
	    ips = [at[f] + 4 for f in chain]
	    data += record(9, 2, struct.pack("<QIIQ", ips[0], 100, 100, 10**9 + i)
	                   + struct.pack("<QQ", 1000, len(ips) + 1)
	                   + struct.pack(f"<{len(ips) + 1}Q", 0xfffffffffffffe00, *ips))
	attr = struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", 1, 128, 0, 1000, 1 | 2 | 4 | 32 | 256, 0,
	                   1 << 8 | 1 << 9 | 1 << 13, *[0] * 15)
	begin = 104 + len(attr) + 16
	head = struct.pack("<QQQ", 0x32454c4946524550, 104, len(attr) + 16)
	head += struct.pack("<QQQQQQ", 104, len(attr) + 16, begin, len(data), 0, 0) + b"\0" * 32
	open(out, "wb").write(head + attr + b"\0" * 16 + data)
	END
	python3 make.py "$PWD/prog" data
}

setup() {
	screen_setup
}

teardown() {
	screen_teardown
}

open_flame() { # size
	start "$1" "$PERF report -i $FILES/data"
	see "Press '?'"
	key f
	see "all: 100.00%, self 0.00%, 1000 samples"
}

@test "boxes are as wide as their share, callers over callees" {
	open_flame 80x24
	wait_for line_is 2 '^all$'
	wait_for line_is 3 '^prog$'
	wait_for line_is 4 '^main$'
	# half of 80 columns, then a quarter
	wait_for line_is 5 '^right {35}left *$'
	wait_for line_is 6 '^ {40}deep *$'
	key Down Down
	see "main: 100.00%, 100.00% of its caller, self 25.00%, 1000 samples"
	key Down
	see "right: 50.00%, 50.00% of its caller, self 50.00%, 500 samples"
	key Right Down
	see "deep: 25.00%, 100.00% of its caller, self 25.00%, 250 samples"
	key Up Left Home
	see "all: 100.00%"
}

@test "zoom, and out again" {
	open_flame 80x24
	key Down Down Down Right Enter
	see "left: 25.00%"
	wait_for line_is 5 '^left *$'
	wait_for line_is 6 '^deep *$'
	gone right
	key BSpace
	see right
	key Enter
	gone right
	key Escape
	see right
	key Escape
	see "Press '?'"
	key f
	see "all: 100.00%"
	key q
	see "Press '?'"
	key q
	see "left=0"
}

@test "keys with the same meaning: zooms, searches, steps, help, the end" {
	open_flame 80x24
	# + zooms as ENTER does, - goes out by one caller
	key Down Down Down Right +
	see "left: 25.00%"
	wait_for line_is 5 '^left *$'
	key -
	see right
	wait_for line_is 5 '^right {35}left *$'
	key Left
	see "right: 50.00%"
	key Home
	see "all: 100.00%"
	key NPage
	see "right: 50.00%"
	key PPage
	see "all: 100.00%"
	key Space
	see "right: 50.00%"
	key Home C-s
	see "Part of a name"
	key e Enter
	see "[e: 25.00%]" "left: 25.00%"
	for k in h F1; do
		key $k
		see "Select the hottest callee"
		key q
		gone "Select the hottest callee"
	done
	key C-c
	see "left=0" " echo"
}

@test "search: matches, their share, the next one, none" {
	open_flame 80x24
	key /
	see "Part of a name"
	key e Enter
	# left and deep have one e each: their chains are counted once
	see "[e: 25.00%]" "left: 25.00%"
	key n
	see "deep: 25.00%"
	key N
	see "left: 25.00%"
	key /
	see "Part of a name"
	key zzz Enter
	see "no name contains 'zzz'"
}

@test "help is made from the keys; small, colourless and resized screens" {
	open_flame 80x24
	key '?'
	see "Select the hottest callee" "PGUP PGDN wheel SPACE" "ESC q f" "Zoom: the selected box fills the width"
	key q
	see "all: 100.00%"
	t resize-window -x 40 -y 5
	see "all: 100.00%"
	key Down Down Down Right Down
	see "deep: 25.00%"
	wait_for line_is 2 '^(prog|main|right)'
	t resize-window -x 10 -y 3
	key Up
	see "left: 25"
	key q
	start 60x20 "NO_COLOR=1 TERM=vt100 LC_ALL=C $PERF report -i $FILES/data"
	see "Press '?'"
	key f
	see "all: 100.00%"
}

@test "zooms of the list hold in the flame view; without call chains boxes are functions" {
	start 80x24 "$PERF report --no-children -i $FILES/data"
	see "Press '?'"
	key /
	see "Symbol to show"
	key -l right
	key Enter
	see "Symbols with: right"
	key f
	see "all: 100.00%, self 0.00%, 500 samples"
	gone left
	key q
	start 80x24 "$PERF report -g none --no-children -i $FILES/data"
	see "Press '?'"
	key f
	see "all: 100.00%"
}
