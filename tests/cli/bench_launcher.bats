#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# What tests/bench measures: each request is run with the number of threads that it asks for.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bench=$BATS_TEST_DIRNAME/../bench
	cat >program <<'EOF'
#!/bin/sh
echo "${PERF_WORKERS-all}" >>seen
EOF
	chmod +x program
	# tests/bench/run as a module: its name is not that of one
	cat >as_module.py <<'EOF'
import importlib.machinery, importlib.util, sys

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("bench", sys.argv[1] + "/run")
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
loader.exec_module(bench)
EOF
}

@test "bench: a run has the threads of its request, whatever the runs before it had" {
	request() {
		printf '%s\0' "$PWD" "$1" "$PWD/program" | od -An -v -tx1 | tr -d ' \n'
		echo
	}
	{ request ""; request 1; request ""; request 2; } | env -u PERF_WORKERS python3 -I -S "$bench/launcher.py" >answers
	[ "$(wc -l <answers)" -eq 4 ]
	[ "$(cut -d' ' -f4 answers | sort -u)" = 0 ]
	[ "$(tr '\n' ' ' <seen)" = "all 1 all 2 " ]
}

@test "bench: rows are measured with one thread, too, and long ones twice at the same time" {
	cat >measure.py <<'EOF'
import sys
from as_module import bench

row = bench.Row("row", ["report"])
for bench.SHORT in (1e9, 0):
    found = bench.measure(row, sys.argv[2], None, 1, ".")
    print(len(found.ours), len(found.one), len(found.pairs), found.most() is not None)
EOF
	env -u PERF_WORKERS python3 measure.py "$bench" "$PWD/program" >said
	[ "$(cat said)" = "1 1 0 False
1 1 1 True" ]
	[ "$(tr '\n' ' ' <seen)" = "all all 1 all all 1 1 1 " ]
}

@test "bench: a check names the rows that have no kept figures" {
	cat >check.py <<'EOF'
import json, sys, types
from as_module import bench

with open("kept.json", "w", encoding="utf-8") as f:
    json.dump({bench.results.machine(False): {"old": {"time": 1}}}, f)
a = types.SimpleNamespace(check="kept.json", quick=False)
for names in (["old"], ["old", "new", "newer"]):
    into = types.SimpleNamespace(costs=lambda: {name: {"time": 1} for name in names})
    print(bench.check([], a, None, ".", into))
EOF
	python3 check.py "$bench" >said
	cat said
	[ "$(cat said)" = "1 figures compared, 0 rows worse
0
1 figures compared, 0 rows worse
2 rows have no kept figures ('make bench-keep' adds them): new; newer
0" ]
}

@test "bench: rows of a window run both programs at the same time, each on a terminal, and their wall time is no cost" {
	cat >meets <<'EOF'
#!/bin/sh
# ends well when the other one is there, too
[ -t 0 ] && [ -t 1 ] && : >"is-there.$1.${0##*/}"
while [ "$(ls | grep -c "^is-there.$1.")" -lt 2 ]; do sleep 0.02; done
echo "${0##*/} beside $(cat beside)" >>met
EOF
	chmod +x meets
	cp meets other
	cat >window.py <<'EOF'
import contextlib, os, sys
from as_module import bench

@contextlib.contextmanager
def beside(cwd):
    with open(os.path.join(cwd, "beside"), "w", encoding="ascii") as f:
        f.write("work")
    yield
    os.unlink(os.path.join(cwd, "beside"))

row = bench.Row("row", ["once"], cpu_aim=2, memory_aim=2, small=0, runs=1, seconds=30, beside=beside)
found = bench.measure(row, os.path.abspath("meets"), os.path.abspath("other"), 5, os.getcwd())
print([(wall, code) for kind in (found.ours, found.rival) for wall, _, _, code in kind])
found = bench.Runs([(30, 0.5, 20.0, 0)], [(30, 0.9, 50.0, 0)])
print(bench.aims(row, found.ours, found.rival))
into = bench.results.Results(None, "true", None)
into.add(bench.result(row, found, {}, "true", os.getcwd()))
print(into.rows[0]["ratio"], into.rows[0]["cpu_ratio"], into.rows[0]["window"], sorted(into.costs()["row"]))
EOF
	python3 window.py "$bench" >said
	cat said
	[ "$(cat said)" = "[(30, 0), (30, 0)]
[('CPU x2', False), ('memory x2', True)]
None 1.8 30 ['cpu', 'memory']" ]
	[ "$(sort met)" = "meets beside work
other beside work" ]
	[ ! -e beside ]
}

@test "bench: a second rival runs in turn with the others, as often as the first" {
	for name in ours other third; do
		printf '#!/bin/sh\necho %s >>turns\n' $name >$name
		chmod +x $name
	done
	cat >second.py <<'EOF'
import os
from as_module import bench

here = os.getcwd()
row = bench.Row("row", ["once"], runs=2)
found = bench.measure(row, here + "/ours", here + "/other", 2, here, here + "/third")
out = bench.result(row, found, {}, here + "/ours", here)
print(len(found.ours), len(found.rival), len(found.second), out["second"]["runs"], out["second_ratio"] > 0)
EOF
	[ "$(python3 second.py "$bench")" = "2 2 2 2 True" ]
	[ "$(paste -sd ' ' turns)" = "ours other third ours other third ours other third" ]
}

@test "bench: what was asked wrongly is said before anything is measured" {
	echo nonsense >nonsense.json
	echo '[]' >list.json
	wrong() { # how the only line begins, argument...
		run env PERF= OURS= python3 "$bench/run" --ours "$PWD/program" "${@:2}" version
		[ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ] && [[ "$output" == "$1"* ]] || { echo "${*:2}: $output"; return 1; }
	}
	wrong "no perf at none: 'make' builds it" --alone --ours none
	wrong "no perf at $PWD: " --alone --ours "$PWD"
	wrong "no other perf at $PWD/none: name one with PERF=FILE" --rival none
	wrong "no other perf at $PWD/none: SECOND=FILE names one more" --rival "$PWD/program" --second none
	wrong "cannot read the figures that 'nonsense.json' keeps: " --alone --check nonsense.json
	wrong "cannot read the figures that 'nonsense.json' keeps: " --alone --keep nonsense.json
	wrong "cannot read the figures that 'list.json' keeps: it holds no rows" --alone --check list.json
	wrong "cannot write 'no/dir.json'" --alone --json no/dir.json
	wrong "cannot write '.'" --alone --json .
	for argument in --runs=0 --runs=-1 --runs=x --scale=x --scale=0 --scale=1, --bogus; do
		run -2 python3 "$bench/run" --alone --ours "$PWD/program" $argument version
		[[ "${lines[-1]}" == "run: error: "* ]]
	done
	[ ! -e seen ]
	[ "$(cat nonsense.json)" = nonsense ]
}

@test "bench: a pattern that no row's name holds is an error" {
	run -1 python3 "$bench/run" --alone --ours "$PWD/program" --keep kept.json "no such row"
	[ "${lines[-1]}" = "no row's name holds 'no such row'" ]
	[ ! -e kept.json ]
}

@test "bench: tables of files, of windows, and of what is no such file" {
	figures() { echo "{\"wall\": $1, \"cpu\": $2, \"memory\": $3}"; }
	cat >bench.json <<EOF
{"machine": "m", "kernel": "k", "ours": "o", "rival": "r", "date": "d"}
{"name": "file", "bytes": 2000000, "ours": $(figures 0.5 0.9 12), "one_thread": $(figures 0.8 0.8 11), "rival": $(figures 5 5 99), "ratio": 10, "gain": 1.6, "read_limit": 0.001, "calls": 7, "load": 1.5}
{"name": "top", "window": 10, "ours": $(figures 10 0.25 18), "rival": $(figures 10 2.5 40), "ratio": null, "gain": null, "cpu_ratio": 10.0}
{"name": "alone", "window": 10, "ours": $(figures 10 0.5 20), "rival": null, "ratio": null, "gain": null, "cpu_ratio": null}
{"name": "keys", "window": 10, "ms_to_a_key": {"worst": 9, "median": 2, "keys": 5}}
EOF
	run -0 "$bench/table" bench.json
	[ "${lines[0]}" = "m; kernel k; o against r; d." ]
	[ "${lines[3]}" = "| file | 2.0 | 0.800 | 0.500 | 1.6 | | 5.000 | 10 | | 12 | 99 | 0.001 | 7 | 1.5 |" ]
	[ "${lines[4]}" = "| row | ours, CPU s | rival's | ratio | ours, MB | rival's |" ]
	[ "${lines[6]}" = "| top | 0.250 | 2.500 | 10.0 | 18 | 40 |" ]
	[ "${lines[7]}" = "| alone | 0.500 | | | 20 | |" ]
	[ "${#lines[@]}" -eq 8 ]
	sed -i -e 's/"date"/"second": "s", "date"/' -e "s/\"gain\": 1.6/\"second\": $(figures 3 3 9), \"second_ratio\": 6, \"gain\": 1.6/" bench.json
	run -0 "$bench/table" bench.json
	[ "${lines[0]}" = "m; kernel k; o against r and s, the second rival; d." ]
	[ "${lines[3]}" = "| file | 2.0 | 0.800 | 0.500 | 1.6 | | 5.000 | 10 | 3.000 | 6 | | 12 | 99 | 0.001 | 7 | 1.5 |" ]
	echo nonsense >nonsense.json
	echo '{"name": "file"}' >headless.json
	echo '[]' >list.json
	for wrong in none.json nonsense.json headless.json list.json; do
		run -1 "$bench/table" $wrong
		[[ "$output" == "cannot make tables of $wrong: "* ]] && [ "${#lines[@]}" -eq 1 ]
	done
}

@test "bench: record -a with a cold build-id cache has a new one each time, with a warm one always the same" {
	cat >program <<'EOF'
#!/bin/sh
[ "$1" = --buildid-dir ] && [ "$3 $5" = "record -a" ] && mkdir -p "$2" && echo "$2" >>seen
EOF
	cat >caches.py <<'EOF'
import os
from as_module import bench

for row in bench.cache_rows():
    found = bench.measure(row, os.path.abspath("program"), None, 2, os.getcwd())
    print(row.name, [code for _, _, _, code in found.ours])
EOF
	python3 caches.py "$bench" >said
	cat said seen
	[ "$(cat said)" = "record -a, cold build-id cache [0, 0]
record -a, warm build-id cache [0, 0]" ]
	# each row has three runs, the first to warm up
	[ "$(grep -c "^$PWD/cold" seen)" -eq 3 ]
	[ "$(grep "^$PWD/cold" seen | sort -u | wc -l)" -eq 3 ]
	[ "$(grep -c "^$PWD/warm.program$" seen)" -eq 3 ]
}
