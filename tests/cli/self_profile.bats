#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Runs beside others: it reads files, or records what it starts itself.
# perf --self-profile: where perf's own time goes.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	"$BATS_TEST_DIRNAME/../bench/generate-chains" --program "$PERF" --samples 100000 --chains 20000 chains.data >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
}

# The document is one that viewers can read, and its spans are whole: python code that follows
# has `doc`, `spans` and `threads`, spans by thread in the order of their begins.
spans() { # FILE <CODE
	cat >code.py
	python3 - "$1" "$BATS_TEST_DIRNAME/../../util/COMPONENTS" <<-'EOF'
		import json, sys
		doc = json.load(open(sys.argv[1], encoding="utf-8"))
		components = {line.split(":")[0].split("/")[-1] for line in open(sys.argv[2]) if line[0] not in "#\t"} | {"perf"}
		spans = [e for e in doc["traceEvents"] if e["ph"] == "X"]
		assert spans and doc["otherData"]["spans_left_out"] == 0
		threads, named = {}, {e["tid"] for e in doc["traceEvents"] if e["name"] == "thread_name"}
		for e in spans:
		    assert e["cat"] in components, e
		    assert e["ts"] >= 0 and e["dur"] >= 0 and e["args"]["cpu_us"] >= 0, e
		    assert e["ts"] + e["dur"] <= doc["otherData"]["wall_us"], e
		    threads.setdefault(e["tid"], []).append(e)
		assert set(threads) <= named and 0 in threads
		for list_ in threads.values():
		    list_.sort(key=lambda e: (e["ts"], -e["dur"]))
		    ends = []
		    for e in list_:
		        while ends and ends[-1] <= e["ts"]:
		            ends.pop()
		        # two clocks are read at each end of a span, so that it may seem to end a bit late
		        assert not ends or e["ts"] + e["dur"] <= ends[-1] + 0.002, e
		        ends.append(e["ts"] + e["dur"])
		exec(open("code.py").read())
	EOF
}

@test "phases nest, and those of the main thread account for its time" {
	run -0 --separate-stderr "$PERF" report --stdio -i chains.data
	plain=$output
	run -0 --separate-stderr "$PERF" --self-profile trace.json report --stdio -i chains.data
	[ "$output" == "$plain" ]
	spans trace.json <<-'EOF'
		main = threads[0]
		whole = main[0]
		assert whole["name"] == "command" and whole["dur"] >= 0.9 * doc["otherData"]["wall_us"]
		# what is directly within it
		parts, end = [], 0
		for e in main[1:]:
		    if e["ts"] >= end:
		        parts.append(e)
		        end = e["ts"] + e["dur"]
		assert sum(e["dur"] for e in parts) >= 0.6 * whole["dur"], parts
		assert {"read the recording", "draw"} <= {e["name"] for e in parts}
		assert {"session", "hist", "report", "data"} <= {e["cat"] for e in spans}
	EOF
}

@test "blocks are phases of the workers, and have all bytes of the file" {
	PERF_WORKERS=2 "$PERF" --self-profile two.json report --stdio -i chains.data >out 2>table
	PERF_WORKERS=1 "$PERF" --self-profile one.json report --stdio -i chains.data >out 2>table
	for n in one two; do
		spans $n.json <<-'EOF'
			import os
			blocks = [e for e in spans if e["name"] == "pass 2: samples of a block"]
			read = sum(e["args"]["bytes"] for e in blocks)
			assert 0.9 * os.path.getsize("chains.data") < read <= os.path.getsize("chains.data")
			assert len(blocks) > 4
			assert len({e["tid"] for e in blocks}) <= (1 if sys.argv[1] == "one.json" else 2)
		EOF
	done
	"$PERF" --self-profile script.json script -i chains.data >out 2>table
	spans script.json <<-'EOF'
		import os
		written = sum(e["args"]["bytes"] for e in spans if e["name"] == "write output")
		assert written == os.path.getsize("out")
	EOF
}

@test "threads that help in a phase have one of its name, and share the line of those before them" {
	PERF_WORKERS=2 "$PERF" --self-profile two.json report --stdio -i chains.data >out 2>table
	spans two.json <<-'EOF'
		for name in ("merge frames", "fold frames", "name frames"):
		    assert {e["tid"] for e in spans if e["name"] == name} > {0}, name
		# one for each of many phases would be more
		assert len(threads) < 8, len(threads)
	EOF
}

@test "the table has the same sums, the most time first" {
	"$PERF" --self-profile trace.json report --stdio -i chains.data >out 2>table
	spans trace.json <<-'EOF'
		import re
		rows = [line.split(None, 5) for line in open("table") if re.match(r" +[0-9.]+ +[0-9.]+ +[0-9.]+ +\d+ +\d+ ", line)]
		own = [float(row[0]) for row in rows]
		assert own == sorted(own, reverse=True) and own[0] > 0
		for row in rows:
		    component, name = re.sub(r"^[0-9.]+ +", "", row[5].rstrip()).split(": ", 1)
		    these = [e for e in spans if e["name"] == name and e["cat"] == component]
		    assert int(row[3]) == len(these), row
		    assert int(row[4]) == len({e["tid"] for e in these}), row
		    assert abs(float(row[1]) - sum(e["dur"] for e in these) / 1000) < 0.01 + 0.000001 * len(these), row
		assert {r[5].split(": ", 1)[-1].rstrip() for r in rows} == {e["name"] for e in spans}
		# each moment of a thread counts for the innermost span alone
		outermost = 0
		for list_ in threads.values():
		    end = -1
		    for e in list_:
		        if e["ts"] >= end:
		            outermost += e["dur"]
		            end = e["ts"] + e["dur"]
		assert abs(sum(own) - outermost / 1000) < 0.01 + 0.001 * len(rows) + 0.001 * len(spans), (sum(own), outermost)
	EOF
}

@test "a recording: its phases, and the command's own exit code" {
	run -3 "$PERF" --self-profile trace.json record -q -e cpu-clock:u -o r.data sh -c 'exit 3'
	spans trace.json <<-'EOF'
		names = [e["name"] for e in threads[0]]
		at = [names.index(n) for n in ("open the events", "begin the file and describe what runs", "record", "finish the file")]
		assert at == sorted(at)
	EOF
}

@test "a file that cannot be written is refused before anything runs" {
	run -1 "$PERF" --self-profile /no/such/dir/trace.json report --stdio -i chains.data
	[[ "$output" == "error: cannot write '/no/such/dir/trace.json': "* ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "what would run in perf's place is refused, and the profile is a document all the same" {
	mkdir -p core/scripts/python/bin
	printf '#!/bin/sh\necho ran\n' >core/perf-hello
	chmod +x core/perf-hello
	cp core/perf-hello core/scripts/python/bin/hello-report
	: >core/scripts/python/hello.py
	printf '[alias]\n\tshell = "!echo ran"\n' >config
	export PERF_CONFIG=$PWD/config
	for command in hello shell "script report hello"; do
		run -0 --separate-stderr "$PERF" --exec-path=core $command
		[ "$output" = ran ]
		run -1 --separate-stderr "$PERF" --exec-path=core --self-profile trace.json $command
		[ -z "$output" ]
		[[ "$stderr" == "error: --self-profile measures perf itself, but '"*"' would run in its place"* ]]
		echo 'assert [e["name"] for e in spans] == ["command"]' | spans trace.json
	done
}

@test "the name of a command cannot change the terminal, nor spoil the document" {
	run -1 "$PERF" --self-profile trace.json $'no"such\\\033[31m\xff'
	[[ "$output" == *$'\nperf no"such\\\\x1b[31m'*": "*" ms of CPU time, 1 threads"* ]] || { cat -v <<<"$output"; return 1; }
	[[ "$output" != *$'\033'* ]]
	echo 'assert [e["name"] for e in spans] == ["command"]' | spans trace.json
}
