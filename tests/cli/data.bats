#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf data convert: JSON and CTF against Debian's perf, against perf script, and on bad input.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$PWD
}

record() {
	"$PERF" record -q -o d "$@" >/dev/null 2>&1 || skip "cannot record here"
}

# the samples of a JSON file, a line each
samples_of() {
	python3 - "$1" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert d["linux-perf-json-version"] == 1
		for s in d["samples"]:
		    print(s["timestamp"], s["pid"], s["tid"], s.get("cpu"), s["comm"], [f["ip"] for f in s["callchain"]])
	END
}

@test "JSON: headers and samples are those of 6.1" {
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	record -g -k mono -e cpu-clock:u -- "$PERF" test -w thloop 0.3
	"${RIVAL_PERF:-/usr/bin/perf}" data convert --to-json theirs -i d 2>/dev/null || skip "the other perf cannot"
	run "$PERF" data convert --to-json ours -i d
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "[ perf data convert: Converted 'd' into JSON data 'ours' ]" ]]
	[[ "${lines[1]}" == "[ perf data convert: Converted and wrote "*" MB ("*" samples) ]" ]]
	python3 - <<-'END'
		import json
		a, b = json.load(open("theirs")), json.load(open("ours"))
		assert a["headers"] == b["headers"], (a["headers"], b["headers"])
		assert len(a["samples"]) == len(b["samples"]) > 50
		for x, y in zip(a["samples"], b["samples"]):
		    # names that 6.1 does not find may be there; what it finds is the same
		    for p, q in zip(x.pop("callchain"), y.pop("callchain"), strict=True):
		        assert p["ip"] == q["ip"], (p, q)
		        assert p.get("symbol", q.get("symbol")) == q.get("symbol"), (p, q)
		        assert p.get("dso", q.get("dso")) == q.get("dso"), (p, q)
		    assert x == y, (x, y)
	END
}

@test "JSON: fields of tracepoints, as perf script has them; names that are taken" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	record -e sched:sched_process_exec,sched:sched_switch -a -- sh -c 'true; true'
	"$PERF" data convert -q --to-json j -i d
	"$PERF" script -i d -e sched:sched_process_exec -F trace 2>/dev/null >traces ||
		"$PERF" script -i d -F event,trace | sed -n 's/.*sched:sched_process_exec: *//p' >traces
	python3 - <<-'END'
		import json, re
		want = [l.strip() for l in open("traces") if l.strip()]
		got = [s for s in json.load(open("j"))["samples"] if "old_pid" in s]
		assert len(got) == len(want) > 0
		for s, line in zip(got, want):
		    m = re.match(r"filename=(.*) pid=(\d+) old_pid=(\d+)", line)
		    # the sample's own pid keeps its name
		    assert m.groups() == (s["filename"], s["pid_dupl_1"], s["old_pid"]), (s, line)
		    assert s["pid"] == int(s["pid_dupl_1"])
	END
}

@test "JSON: names that are no UTF-8 or have quotes" {
	printf '#!/bin/sh\nexec sleep 0.01\n' >$'a"\\\xff\n'
	chmod +x $'a"\\\xff\n'
	record -e page-faults:u -c 1 -- "./"$'a"\\\xff\n'
	"$PERF" data convert -q --to-json - -i d >j
	python3 -c 'import json; d = json.load(open("j")); assert any("a\"" in a for a in d["headers"]["cmdline"]), d["headers"]; assert d["samples"]'
}

@test "CTF: babeltrace reads the same as of 6.1" {
	command -v babeltrace >/dev/null || skip "no babeltrace"
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	# numbers, texts, arrays, call chains, data addresses
	events="-e page-faults -c 1 -d -g"
	[ "$(id -u)" -ne 0 ] || events="$events -e sched:* -e signal:* -e kmem:* -e syscalls:*_openat -a"
	record $events -- sh -c 'ls -R /etc'
	"${RIVAL_PERF:-/usr/bin/perf}" data convert --to-ctf theirs -i d 2>/dev/null || skip "the other perf cannot"
	"$PERF" data convert -q --to-ctf ours -i d
	babeltrace theirs >a
	babeltrace ours >b
	[ "$(wc -l <a)" -gt 100 ]
	cmp a b
	grep -q 'tracer_name = "perf"' ours/metadata
	# with side-band; records of one time may change places
	"${RIVAL_PERF:-/usr/bin/perf}" data convert --all --to-ctf theirs2 -i d 2>/dev/null
	"$PERF" data convert -q --all --to-ctf ours2 -i d
	babeltrace --clock-cycles --no-delta theirs2 | sort >a
	babeltrace --clock-cycles --no-delta ours2 | sort >b
	cmp a b
	grep -q perf_comm b
	grep -q perf_mmap2 b
}

@test "--tod: times of the wall clock, in both" {
	record -k mono -e cpu-clock:u -- "$PERF" test -w thloop 0.3
	"$PERF" data convert -q --tod --to-json j -i d
	python3 - <<-'END'
		import json, os
		d = json.load(open("j"))
		h = d["headers"]
		now = os.stat("d").st_mtime * 1e9
		for s in d["samples"]:
		    assert now - 60e9 < s["timestamp"] < now + 1e9, s["timestamp"]
	END
	command -v babeltrace >/dev/null || skip "no babeltrace"
	"$PERF" data convert -q --tod --to-ctf c -i d
	[ "$(babeltrace --clock-seconds --no-delta c | head -n 1 | cut -c2-11)" = "$(python3 -c 'import json; print(str(json.load(open("j"))["samples"][0]["timestamp"])[:10])')" ]
	record -e cpu-clock:u -- true
	run "$PERF" data convert --tod --to-json k -i d
	[ "$status" -eq 1 ]
	[[ "$output" == *"--tod: the recording does not say what time of day it was"*"hint: record with -k CLOCK"* ]]
	[ ! -e k ]
}

@test "--time: as perf script chooses" {
	record -e cpu-clock:u -- "$PERF" test -w thloop 0.3
	"$PERF" data convert -q --to-json all -i d
	"$PERF" data convert -q --time 0%-50% --to-json half -i d
	n=$("$PERF" script -i d --time 0%-50% -F time | wc -l)
	[ "$n" -gt 0 ]
	[ "$(samples_of half | wc -l)" -eq "$n" ]
	[ "$(samples_of all | wc -l)" -gt "$n" ]
}

@test "a recording from a pipe" {
	"$PERF" record -q -e cpu-clock:u -g -o - -- "$PERF" test -w thloop 0.3 2>/dev/null >p || skip "cannot record here"
	"$PERF" data convert -q --to-json j -i - <p
	[ "$(samples_of j | wc -l)" -eq "$("$PERF" script -i p -F time | grep -c :)" ]
	command -v babeltrace >/dev/null || skip "no babeltrace"
	"$PERF" data convert -q --to-ctf c -i - <p
	[ "$(babeltrace c | wc -l)" -eq "$(samples_of j | wc -l)" ]
}

@test "what exists is kept, but for --force" {
	record -e cpu-clock:u -- true
	echo mine >j
	mkdir c
	echo mine >c/metadata
	for to in "--to-json j" "--to-ctf c"; do
		run "$PERF" data convert -i d $to
		[ "$status" -eq 1 ]
		[[ "$output" == *"exists"*"hint: --force"* ]]
	done
	[ "$(cat j)" = mine ]
	[ "$(cat c/metadata)" = mine ]
	"$PERF" data convert -q -f -i d --to-json j
	"$PERF" data convert -q -f -i d --to-ctf c
	samples_of j >/dev/null
	grep -q 'CTF 1.8' c/metadata
}

@test "the recording itself is never the output, by whatever name" {
	record -e page-faults:u -c 1 -- true
	mkdir recording
	cp d recording/data
	ln -s d link
	ln d hard
	cp d kept
	for to in "--to-json d" "--to-json ./link" "--to-json hard"; do
		# shellcheck disable=SC2086
		run "$PERF" data convert -f -i d $to
		[ "$status" -eq 1 ]
		[[ "$output" == "error: 'd' cannot be read and written at once"*"hint: write another file: "*".new" ]]
		cmp kept d
	done
	run "$PERF" data convert -f -i recording --to-ctf recording
	[ "$status" -eq 1 ]
	cmp kept recording/data
	[ "$(ls recording)" = data ]
	"$PERF" data convert -f -i d --to-json /dev/null
	run "$PERF" data convert -f -i recording --to-json recording/data
	[ "$status" -eq 1 ]
	cmp kept recording/data
	"$PERF" data convert -f -i recording --to-json recording/json
	# what comes through standard input
	for command in "data convert -f -i - --to-json hard" "trace -i - -o hard"; do
		# shellcheck disable=SC2086
		run "$PERF" $command <d
		[ "$status" -eq 1 ]
		[[ "$output" == *"'hard' cannot be read and written at once"* ]]
		cmp kept d
	done
	run "$PERF" lock report -i d --output hard
	[ "$status" -eq 1 ]
	cmp kept d
	run "$PERF" report -i d --flamegraph=hard
	[ "$status" -eq 1 ]
	cmp kept d
	run "$PERF" --self-profile hard report -i d
	[ "$status" -eq 1 ]
	[[ "$output" == "error: 'hard' is a recording, which the profile would replace" ]]
	cmp kept d
	# nor of others that read one and write something else
	for command in timechart trace; do
		run "$PERF" $command -i d -o hard
		[ "$status" -eq 1 ]
		[[ "$output" == *"cannot be read and written at once"* ]]
		cmp kept d
		[ ! -e hard.old ]
	done
}

@test "a full disk leaves nothing behind" {
	[ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=12k none full || skip "cannot mount"
	record -e cpu-clock:u -F 5000 -g -- "$PERF" test -w thloop 0.3
	run "$PERF" data convert -i d --to-json full/j
	one=$status
	first=$output
	run "$PERF" data convert -i d --to-ctf full/c
	two=$status
	left=$(ls full)
	umount full
	[ "$one" -eq 1 ]
	[[ "$first" == *"error: cannot write 'full/j': No space left on device"* ]]
	[ "$two" -eq 1 ]
	[[ "$output" == *"error: cannot write 'full/c/"*"': No space left on device"* ]]
	[ -z "$left" ]
	run bash -c "'$PERF' data convert -q -i d --to-json - >/dev/full"
	[ "$status" -eq 1 ]
}

@test "a conversion that fails, or is killed, leaves the trace that was there" {
	[ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=24k none full || skip "cannot mount"
	record -e cpu-clock:u -c 100000000 -- true
	"$PERF" data convert -q -i d --to-ctf full/c
	echo mine >full/c/notes
	touch full/c/perf_stream_999
	cp -r full/c before
	head -c 64k /dev/zero >full/filler 2>/dev/null || true
	record -e page-faults:u -c 1 -g -- true
	run "$PERF" data convert -f -i d --to-ctf full/c
	if [ "$status" -eq 1 ] && [[ "$output" == *"No space left on device"* ]]; then
		diff -r full/c before || status=9
	else
		status=9
	fi
	umount full
	[ "$status" -eq 1 ]
	cp -r before c
	mkfifo slow
	"$PERF" data convert -f -i - --to-ctf c <slow >said 2>&1 3>&- &
	pid=$!
	exec 4>slow
	"$PERF" record -q -o - -e cpu-clock:u -F 5000 -- "$PERF" test -w thloop 0.3 >stream
	head -c $(($(stat -c %s stream) - 1000)) stream >&4
	for _ in $(seq 100); do ls -A c | grep -q perf-new && break; sleep .05; done
	kill -KILL $pid
	wait $pid || true
	exec 4>&-
	[ -n "$(ls -A c | grep perf-new)" ]
	rm -r c/.*perf-new-*/ && diff -r c before
	cp -r before/. c && mkdir c/.trace.perf-new-abcdef && touch c/.trace.perf-new-abcdef/perf_stream_0
	"$PERF" data convert -q -f -i d --to-ctf c/
	[ "$(cat c/notes)" = mine ] && [ ! -e c/perf_stream_999 ] && [ -z "$(ls -A c | grep perf-new)" ]
	! cmp -s c/metadata before/metadata || return 1
	grep -q 'CTF 1.8' c/metadata
	"$PERF" data convert -q -i d --to-ctf new/
	[ "$(ls new | grep -v perf_stream)" = metadata ]
}

@test "a directory with links and devices where a trace has files is not written to" {
	record -e page-faults:u -c 1 -- true
	"$PERF" data convert -q -i d --to-ctf expected
	echo mine >mine
	mkdir c
	for what in "ln -s ../mine" mkfifo mkdir; do
		for name in metadata $(ls expected | grep perf_stream); do
			rm -rf c/metadata c/perf_stream*
			echo other >c/perf_stream_77
			$what c/$name
			before=$(ls -lA --time-style=+ c)
			run "$PERF" data convert -f -i d --to-ctf c
			[ "$status" -eq 1 ] && [[ "$output" == *"error: 'c/$name' is not a regular file, and is not replaced"*"hint: "* ]] ||
				{ echo "$what $name: $output"; return 1; }
			[ "$(ls -lA --time-style=+ c)" = "$before" ] && [ "$(cat mine)" = mine ]
		done
	done
	rm -r c/$name
	ln -s ../mine c/perf_stream_78
	"$PERF" data convert -q -f -i d --to-ctf c
	[ -L c/perf_stream_78 ] && [ ! -e c/perf_stream_77 ] && [ "$(ls c | grep -v _78)" = "$(ls expected)" ]
}

@test "damaged recordings: what is whole is converted, and said" {
	record -e page-faults:u -c 1 -g -- sh -c 'ls / >/dev/null'
	python3 - <<-'END'
		import random
		d = open("d", "rb").read()
		random.seed(7)
		for i in range(12):
		    b = bytearray(d)
		    for k in range(1 + i):
		        b[random.randrange(104, len(b))] = random.randrange(256)
		    open("bad%d" % i, "wb").write(b if i % 3 else b[:len(b) * (i + 1) // 14])
	END
	for f in bad*; do
		run timeout 20 "$PERF" data convert -f -i $f --to-json j
		[ "$status" -le 1 ] || { echo "$f: $status $output"; return 1; }
		run timeout 20 "$PERF" data convert -f -i $f --to-ctf c --all
		[ "$status" -le 1 ] || { echo "$f: $status $output"; return 1; }
		[ ! -s j ] || samples_of j >/dev/null
	done
}

@test "wrong use" {
	for args in "" "convert" "nothing" "convert --to-json a --to-ctf b" "convert --all --to-json a" \
		"convert --to-json a more" "convert --nonsense" "convert --to-json"; do
		run "$PERF" data $args
		[ "$status" -eq 129 ] || { echo "$args: $status $output"; return 1; }
		[[ "$output" == *"error: "* ]]
	done
	run "$PERF" data convert --to-json a -i /no/such/file
	[ "$status" -eq 1 ]
	[ ! -e a ]
	record -e cpu-clock:u -- true
	run "$PERF" data convert -i d --to-json /no/such/dir/a
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: cannot write '/no/such/dir/a': No such file or directory"* ]]
	run "$PERF" data convert -i d --to-ctf /no/such/dir/a
	[ "$status" -eq 1 ]
	run "$PERF" data convert -i d --to-ctf d
	[ "$status" -eq 1 ]
}
