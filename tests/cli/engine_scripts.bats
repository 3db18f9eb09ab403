#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The bundled scripts, on recordings with a known answer; record NAME, report NAME, live.

load rival

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" check -q feature libpython || return 0
	cat >work.c <<-'CODE'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <linux/futex.h>
		#include <stdint.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		static uint32_t word = 1;
		volatile long sink;
		/* one product after the other: about as long on each CPU, while memory is as quick as registers on some */
		__attribute__((noinline)) void burn(void)
		{
			register unsigned long product = 1;
			for (register int i = 0; i < 60000000; i++)
				product = product * 6364136223846793005 + i;
			sink = product;
		}
		int main(void)
		{
			char buf[100];
			int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
			for (int i = 0; i < 23; i++)
				syscall(SYS_getppid);
			for (int i = 0; i < 17; i++)
				syscall(SYS_close, -1);
			for (int i = 0; i < 11; i++)
				read(dup2(zero, 50), buf, 100);
			for (int i = 0; i < 13; i++)
				write(dup2(null, 60), buf, 70);
			for (int i = 0; i < 3; i++)
				read(-1, buf, 5);
			for (int i = 0; i < 4; i++) {
				struct timespec t = { 0, 20000000 };
				syscall(SYS_futex, &word, FUTEX_WAIT, 1, &t, 0, 0);
			}
			burn();
			return 0;
		}
	CODE
	gcc -O0 -g -fno-omit-frame-pointer -o work work.c
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	"$PERF" check -q feature libpython || skip "built without libpython"
	export PERF_PAGER=cat
}

# The one line of $output that begins with this.
line() {
	grep -- "^$1" <<<"$output"
}

@test "a live script ends as its command did" {
	cd "$BATS_TEST_TMPDIR"
	run -6 "$PERF" script flamegraph sh -c 'exit 6'
	run -0 "$PERF" script flamegraph true
	run -137 "$PERF" script flamegraph sh -c 'kill -9 $$'
}

@test "-l names each script with arguments and purpose, and all have both sides" {
	run "$PERF" script -l
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "List of available trace scripts:" ]
	grep -qE '^  syscall-counts \[comm\] {10,}system-wide syscall counts$' <<<"$output"
	grep -qE '^  rw-by-file <comm> {10,}r/w activity for a program, by file$' <<<"$output"
	dir=${PERF_EXEC_PATH:-$BATS_TEST_DIRNAME/../../libexec}/scripts/python
	for f in "$dir"/bin/*-report; do
		name=$(basename "$f" -report)
		[ -e "$dir/$name.py" ]
		[ -e "$dir/bin/$name-record" ]
		grep -q '^# description: .' "$f"
	done
	for f in "$dir"/*.py; do
		# it reads a database, not a recording
		[ "${f##*/}" = exported-sql-viewer.py ] || [ -e "$dir/bin/$(basename "$f" .py)-report" ]
		python3 -m py_compile "$f"
	done
	rm -rf "$dir/__pycache__"
}

@test "syscall-counts, and -by-pid" {
	"$PERF" script record syscall-counts -q -o calls ./work
	run "$PERF" script report syscall-counts -i calls
	[ "$status" -eq 0 ]
	[[ "$(line getppid)" =~ ^getppid\ +23$ ]]
	[[ "$(line futex)" =~ ^futex\ +4$ ]]
	[[ "$(line dup2)" =~ ^dup2\ +24$ ]]
	run "$PERF" script report syscall-counts nothing -i calls
	[[ "$output" == *"syscall events for nothing:"* ]]
	[ -z "$(line getppid)" ]
	run "$PERF" script report syscall-counts-by-pid work -i calls
	grep -qE '^work \[[0-9]+\]$' <<<"$output"
	[[ "$(line '  getppid')" =~ ^\ \ getppid\ +23$ ]]
}

@test "sctop: a table for each interval of the recording's time, and the rest" {
	cat >slow.sh <<-'CODE'
		for i in 1 2 3; do ./work; done
	CODE
	"$PERF" script record sctop -q -o top sh slow.sh
	run "$PERF" script report sctop work 1 -i top
	[ "$status" -eq 0 ]
	[ "$(grep '^getppid' <<<"$output" | awk '{ n += $2 } END { print n }')" -eq 69 ]
	run "$PERF" script report sctop a b c -i top
	[ "$status" -eq 1 ]
	[[ "$output" == *"usage:"* ]]
}

@test "failed-syscalls, and -by-pid" {
	"$PERF" script record failed-syscalls -q -o failed ./work
	run "$PERF" script report failed-syscalls-by-pid work -i failed
	[ "$status" -eq 0 ]
	grep -A1 'syscall: close' <<<"$output" | grep -qE 'err = EBADF +17$'
	grep -A1 'syscall: read' <<<"$output" | grep -qE 'err = EBADF +3$'
	grep -A1 'syscall: futex' <<<"$output" | grep -qE 'err = ETIMEDOUT +4$'
	run "$PERF" script report failed-syscalls -i failed
	[[ "$(line 'work ')" =~ ^work\ +[0-9]+$ ]]
	[ "$(line 'work ' | awk '{ print $2 }')" -ge 24 ]
}

@test "rw-by-file, rw-by-pid and rwtop" {
	"$PERF" script record rw-by-pid -q -o rw ./work
	run "$PERF" script report rw-by-file work -i rw
	[ "$status" -eq 0 ]
	[[ "$(line '    50')" =~ ^\ +50\ +11\ +1100$ ]]
	[[ "$(line '    60')" =~ ^\ +60\ +13\ +910$ ]]
	run "$PERF" script report rw-by-file -i rw
	[ "$status" -eq 1 ]
	run "$PERF" script report rw-by-pid -i rw
	[ "$(grep -cE '^ *[0-9]+ +work ' <<<"$output")" -eq 3 ]
	grep -qE '^ *[0-9]+ +work +-9 +3$' <<<"$output"
	grep -qE '^ *[0-9]+ +work +13 +910$' <<<"$output"
	run "$PERF" script report rwtop 5 -i rw
	grep -qE '^ *[0-9]+ +work +13 +910$' <<<"$output"
}

@test "futex-contention: each wait takes its time-out" {
	"$PERF" script record futex-contention -q -o futex ./work
	run "$PERF" script report futex-contention -i futex
	[ "$status" -eq 0 ]
	line=$(line work)
	[[ "$line" =~ ^work\[[0-9]+\]\ lock\ [0-9a-f]+\ contended\ 4\ times,\ ([0-9]+)\ avg\ ns\ \[max:\ ([0-9]+)\ ns,\ min\ ([0-9]+)\ ns\]$ ]]
	[ "${BASH_REMATCH[3]}" -ge 20000000 ]
	[ "${BASH_REMATCH[1]}" -ge "${BASH_REMATCH[3]}" ] && [ "${BASH_REMATCH[2]}" -ge "${BASH_REMATCH[1]}" ]
}

@test "wakeup-latency: what two events say of each task" {
	"$PERF" script record wakeup-latency -q -a -o wake ./work
	run "$PERF" script report wakeup-latency -i wake
	[ "$status" -eq 0 ]
	"$PERF" script -i wake --ns -F time,event,trace | python3 -c '
import re, sys
woken, found = {}, []
for line in sys.stdin:
    t, rest = re.match(r"\s*([\d.]+): (.*)", line).groups()
    ns = int(t.replace(".", ""))
    if "sched_wakeup:" in rest:
        woken.setdefault(int(re.search(r" pid=(\d+) prio", rest).group(1)), ns)
    else:
        pid = int(re.search(r"next_pid=(\d+) next_prio", rest).group(1))
        if pid in woken: found.append(ns - woken.pop(pid))
print(len(found), min(found), max(found), sum(found) // len(found))' >expected
	read -r count least most mean <expected
	[ "$(line total_wakeups)" = "total_wakeups: $count" ]
	[ "$(line min_)" = "min_wakeup_latency (ns): $least" ]
	[ "$(line max_)" = "max_wakeup_latency (ns): $most" ]
	[ "$(line avg_)" = "avg_wakeup_latency (ns): $mean" ]
}

@test "wakeup-latency without a latency says why, and what records one" {
	printf '%s\n' 'event sched:sched_wakeup comm:text pid:s32 prio:s32 target_cpu:s32' \
		'at 1000 0 7 sched:sched_wakeup other 8 120 0' >made
	"$BATS_TEST_DIRNAME/make-tracepoints" woken <made
	"$PERF" script report wakeup-latency -i woken >out 2>err
	grep -qx 'total_wakeups: 0' out
	grep -qx 'note: the table is empty: no task was seen both woken and switched to' err
	grep -qx 'hint: record all CPUs: perf script record wakeup-latency -a' err
}

@test "stackcollapse, flamegraph and gecko count the same samples" {
	"$PERF" script record stackcollapse -q -e cpu-clock:u -F 1000 -o stacks ./work
	samples=$("$PERF" script -i stacks -F comm | grep -c work)
	"$PERF" script report stackcollapse --include-pid -i stacks >folded
	[ "$(awk '{ n += $NF } END { print n }' folded)" -eq "$("$PERF" script -i stacks -F event | grep -c cpu-clock)" ]
	grep -qE '^work-[0-9]+;.*;main;burn [0-9]+$' folded || grep -qE '^work-[0-9]+;.*;burn [0-9]+$' folded
	"$PERF" script report flamegraph -f json -o - -i stacks >tree.json
	"$PERF" script report gecko --save-only profile.json -i stacks
	python3 - "$(awk '/;burn [0-9]+$/ { n += $NF } END { print n }' folded)" <<-'CODE'
		import json, sys
		burn = int(sys.argv[1])
		tree = json.load(open("tree.json"))
		def total(node): return (node["v"] if node["n"] == "burn" else 0) + sum(map(total, node["c"]))
		assert total(tree) == burn, (total(tree), burn)
		profile = json.load(open("profile.json"))
		assert profile["meta"]["version"] == 24
		found = 0
		for t in profile["threads"]:
		    for stack, time, zero in t["samples"]["data"]:
		        frame = t["stackTable"]["data"][stack][1]
		        found += t["stringTable"][t["frameTable"]["data"][frame][0]].startswith("burn (in ")
		assert found == burn, (found, burn)
	CODE
	mkdir -p template && cd template
	run "$PERF" script report flamegraph -i ../stacks
	[ "$output" = "dumping data to flamegraph.html" ]
	grep -q '"n": "burn"' flamegraph.html
}

@test "event_analyzing_sample and check-perf-trace" {
	"$PERF" script record event_analyzing_sample -q -e cpu-clock:u -F 1000 -o samples ./work
	run "$PERF" script report event_analyzing_sample -i samples
	n=$("$PERF" script -i samples -F event | grep -c cpu-clock)
	[[ "$output" == *"There is $n records in gen_events table"* ]]
	grep -qE "^ +burn +[0-9]+ +#+$" <<<"$output"
	"$PERF" script record check-perf-trace -q -a -o kmem -- ls >/dev/null
	run "$PERF" script report check-perf-trace -i kmem
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = trace_begin ]
	frees=$("$PERF" script -i kmem -F event | grep -c kfree)
	grep -qE "^kmem__kfree +$frees$" <<<"$output"
	grep -qE '^kmem__kmalloc .*common_preempt_count=[0-9]+, common_flags=' <<<"$output"
	grep -qE '^call_site=[0-9]+, ptr=[0-9]+, bytes_req=[0-9]+' <<<"$output"
}

@test "task-analyzer: schedules are what the switches say" {
	# Two of them on one CPU follow each other: a virtual CPU may tell nothing of its idle task.
	"$PERF" script record task-analyzer -q -a -o tasks -- sh -c 'taskset -c 0 ./work & taskset -c 0 ./work; wait'
	run "$PERF" script report task-analyzer --ns --csv runs.csv --csv-summary tasks.csv --summary --extended-times -i tasks
	[ "$status" -eq 0 ]
	grep -q '^Summary, times in ns$' <<<"$output"
	"$PERF" script -i tasks --ns -F cpu,time,event,trace >text
	python3 - <<-'CODE'
		import csv, re
		runs, on = [], {}
		for line in open("text"):
		    cpu, t, rest = re.match(r"\s*\[(\d+)\] *([\d.]+): *sched:sched_switch: (.*)", line).groups() if "sched_switch" in line else (0, 0, "")
		    if not rest: continue
		    ns, cpu = int(t.replace(".", "")), int(cpu)
		    before, after = int(re.search(r"prev_pid=(\d+) prev_prio", rest).group(1)), int(re.search(r"next_pid=(\d+) next_prio", rest).group(1))
		    tid, since = on.get(cpu, (None, 0))
		    if tid == before and tid: runs.append((tid, ns - since, since, ns))
		    on[cpu] = after, ns
		rows = list(csv.DictReader(open("runs.csv", errors="replace"), delimiter=";"))
		assert [r[:2] for r in runs] == [(int(r["TID"]), int(r["Runtime"])) for r in rows], (runs[:3], rows[:3])
		for r in csv.DictReader(open("tasks.csv", errors="replace"), delimiter=";"):
		    assert int(r["Accumulated"]) == sum(r2[1] for r2 in runs if r2[0] == int(r["TID"]))
		# from where a task left to where it came back
		left, seen = {}, 0
		for (tid, _, since, until), r in zip(runs, rows):
		    if r["Time Out-In"] and tid in left:
		        assert int(r["Time Out-In"]) == since - left[tid], (tid, since, r)
		        seen += 1
		    left[tid] = until
		assert seen > 0
	CODE
	run "$PERF" script report task-analyzer --summary-only --limit-to-tasks work -i tasks
	[ "$(grep -c ' work ' <<<"$output")" -ge 1 ]
	! grep -q swapper <<<"$output" || false
	run "$PERF" script report task-analyzer --ns --ms -i tasks
	[ "$status" -eq 2 ]
	[[ "$output" == *"--ns and --ms exclude each other"* ]]
}

@test "task-analyzer: names of tasks that are not UTF-8" {
	local name=$'b\xffx\xc3'
	cp "$(type -P sleep)" "./$name"
	"$PERF" record -q -a -e sched:sched_switch,sched:sched_migrate_task -o odd -- sh -c './"$1" .02; ./"$1" .02' sh "./$name"
	for LC_ALL in C C.UTF-8; do
		export LC_ALL
		for o in --summary "--csv c.csv --csv-summary s.csv" --summary-extended; do
			run --separate-stderr "$PERF" script report task-analyzer $o --limit-to-tasks "$name" -i odd
			[ "$status" -eq 0 ]
			[ -z "$stderr" ]
			[ "$(LC_ALL=C grep -ac $'b\xffx\xc3' <<<"$output")" -ge 1 ]
		done
		LC_ALL=C grep -aq $';b\xffx\xc3;' c.csv
	done
}

@test "sched-migration counts switches and migrations" {
	"$PERF" script record sched-migration -q -a -o migrations -- sh -c './work & ./work; wait'
	run "$PERF" script report sched-migration -i migrations
	[ "$status" -eq 0 ]
	"$PERF" script -i migrations -F event >events
	[ "$(awk '/^migrations$/ { exit } $1 ~ /^[0-9]+$/ { n += $2 } END { print n }' <<<"$output")" -eq "$(grep -c sched_switch events)" ]
	[ "$(awk '/^migrations$/ { on = 1 } /^migrations by/ { exit } on && $1 ~ /^[0-9]+$/ { n += $3 } END { print n + 0 }' <<<"$output")" -eq "$(grep -c sched_migrate events)" ]
	grep -qE '^CPU +0 \|.{64}\|$' <<<"$output"
}

@test "stat-cpi: quotients of what was counted" {
	"$PERF" record -q -e page-faults -o any ./work
	cat >counts.py <<-CODE
		import runpy, os
		g = runpy.run_path("${PERF_EXEC_PATH:-$BATS_TEST_DIRNAME/../../libexec}/scripts/python/stat-cpi.py")
		g["stat__cycles"](0, -1, 5, 300, 1, 1)
		g["stat__instructions"](0, -1, 5, 200, 1, 1)
		g["stat__cycles_u"](1, 7, 5, 10, 1, 1)
		g["stat__interval"](2500000000)
		g["stat__interval"](2600000000)
	CODE
	PERF_EXEC_PATH=${PERF_EXEC_PATH:-$BATS_TEST_DIRNAME/../../libexec} run python3 counts.py
	[ "$output" = "       2.500000: cpu 0, thread -1 -> cpi 1.500000 (300/200)
       2.500000: cpu 1, thread 7 -> cpi_u 0.000000 (10/0)" ]
}

@test "stat-cpi: an option of perf record that perf stat lacks is refused with the reason" {
	for form in "" record; do
		for option in "-m 8M" "--mmap-pages=8M" "-F 99"; do
			run "$PERF" script $form stat-cpi $option true
			[ "$status" -eq 129 ]
			[ "${lines[0]}" = "error: '${option%% *}' is an option of perf record, but the script 'stat-cpi' counts with perf stat" ]
			[[ "${lines[1]}" == "hint: 'perf stat -h' lists"* ]]
		done
	done
	# what both have is passed on, with its value
	"$PERF" script record stat-cpi -o cpi -i -- true
	"$PERF" stat report -i cpi 2>&1 | grep -q 'instructions'
}

@test "exports to a database: samples, functions and the calls between them" {
	"$PERF" record -q -g -e cpu-clock:u -F 1000 -o chains ./work
	rm -f x.db x.sql
	run --separate-stderr "$PERF" script report export-to-sqlite x.db callchains -i chains
	[ "$status" -eq 0 ]
	n=$("$PERF" script -i chains -F event | grep -c cpu-clock)
	[ "$output" = "$n samples are in x.db" ]
	viewer="${PERF_EXEC_PATH:-$BATS_TEST_DIRNAME/../../libexec}/scripts/python/exported-sql-viewer.py"
	burn=$("$PERF" script -i chains -G -F ip,sym | grep -c ' burn$')
	run python3 "$viewer" x.db symbols
	[[ "$(line 'burn ')" =~ ^burn\ +work\ +$burn\  ]]
	run python3 "$viewer" x.db callers burn
	[[ "$(line 'main ')" =~ ^main\ +[0-9]+$ ]]
	run python3 "$viewer" x.db calls
	grep -qE "^ +burn +$burn +$burn$" <<<"$output"
	run python3 "$viewer" x.db query "select count(*) as n from samples join symbols on symbols.id = symbol_id where name = 'burn'"
	[ "${lines[2]}" = "$burn" ]
	run python3 "$viewer" x.db query nonsense
	[ "$status" -eq 1 ]
	[[ "$output" == 'error: near "nonsense"'* ]]
	run "$PERF" script report export-to-sqlite x.db -i chains
	[ "$status" -eq 1 ]
	[ "$output" = "error: 'x.db' exists: name another file" ]
	"$PERF" script report export-to-postgresql x.sql callchains -i chains
	[ "$(sed -n '/^copy samples /,/^\\\.$/p' x.sql | grep -c '^[0-9]')" -eq "$n" ]
	[ "$(tail -1 x.sql)" = "commit;" ]
}

@test "databases keep the names of threads" {
	cat >names.c <<-'CODE'
		#define _GNU_SOURCE
		#include <pthread.h>
		static void *spin(void *name)
		{
			pthread_setname_np(pthread_self(), name);
			for (volatile long i = 0; i < 30000000; i++) ;
			return name;
		}
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, 0, spin, "first");
			pthread_create(&b, 0, spin, "second");
			pthread_join(a, 0);
			pthread_join(b, 0);
		}
	CODE
	gcc -O1 -pthread -o names names.c
	"$PERF" record -q -e cpu-clock:u -F 2000 -o named ./names
	rm -f x.db x.sql
	"$PERF" script report export-to-sqlite x.db -i named
	sql() { python3 -c 'import sqlite3, sys
for row in sqlite3.connect("x.db").execute(sys.argv[1]): print(*row)' "$1"; }
	[ "$(sql "select distinct name from threads_view where command = 'names' and tid <> pid order by 1" | xargs)" = "first second" ]
	[ "$(sql "select distinct command from samples_view where thread_name in ('first', 'second')")" = names ]
	for name in first second; do
		[ "$(sql "select count(*) from samples_view where thread_name = '$name'")" -eq "$("$PERF" script -i named -F comm | grep -c "$name")" ]
	done
	"$PERF" script report export-to-postgresql x.sql -i named
	sed -n '/^copy comms /,/^\\\.$/p' x.sql | cut -f2 | grep -qx second
}

@test "scripts that fill tables themselves get the rows that 6.1 gives them" {
	"$RIVAL" version --build-options 2>/dev/null | grep -q 'libpython: \[ on' || skip "no other perf with Python"
	cat >tables.py <<-'CODE'
		perf_db_export_mode = True
		perf_db_export_callchains = True
		names = {}
		# numbers of rows differ by the order in which names are met: what they name does not
		def evsel_table(id, name): names["e", id] = name
		def thread_table(id, machine, process, pid, tid): names["t", id] = (pid, tid)
		def comm_table(id, comm, thread, time, exec_flag): names["c", id] = (comm, names["t", thread], time, exec_flag)
		def dso_table(id, machine, short, long, build_id): names["d", id] = (short, long)
		def symbol_table(id, dso, start, end, binding, name): names["s", id] = (names["d", dso], start, end, binding, name)
		kinds = []
		def branch_type_table(id, name): kinds.append((id, name))
		def trace_end(): print(sorted(kinds))
		def call_path_table(id, parent, symbol, ip): names["p", id] = names.get(("p", parent), ()) + (names.get(("s", symbol), ip)[-1:] if symbol else (ip,))
		def sample_table(*r):
		    print(names["e", r[1]], names["t", r[3]], names["c", r[4]], names.get(("d", r[5])), names.get(("s", r[6])), r[7:11], r[14:17], names.get(("p", r[21])))
	CODE
	[ -e chains ] || "$PERF" record -q -g -e cpu-clock:u -F 1000 -o chains ./work
	rival script -i chains -s tables.py >theirs
	"$PERF" script -i chains -s tables.py >ours
	[ "$(wc -l <ours)" -gt 20 ]
	grep -q "'work', ([0-9]*, [0-9]*), [1-9][0-9]*, 1)" ours
	same_but_stubs theirs ours
}

@test "context switches in tables are those of programs, also before their first sample" {
	"$RIVAL" version --build-options 2>/dev/null | grep -q 'libpython: \[ on' || skip "no other perf with Python"
	cat >switches.py <<-'CODE'
		perf_db_export_mode = True
		threads, comms = {0: None}, {0: None}
		def thread_table(id, machine, process, pid, tid): threads[id] = (pid, tid)
		def comm_table(id, comm, thread, time, exec_flag): comms[id] = comm, threads[thread], time, exec_flag
		def context_switch_table(id, machine, time, cpu, a, a_comm, b, b_comm, flags):
		    # tasks that have no number any more, or were never heard of, are a matter of taste, and so are the
		    # numbers of rows that come after theirs
		    named = not any(comms[c] and comms[c][0][0] == ":" for c in (a_comm, b_comm))
		    if named and threads[a] and threads[b] and min(threads[a] + threads[b]) > 0:
		        print(time, cpu, threads[a], comms[a_comm], threads[b], comms[b_comm], flags)
	CODE
	"$PERF" record -q -a --switch-events -e cpu-clock:u -F 50 -o switches -- sh -c './work; (sleep 0.01; ./work) & ./work; wait'
	rival script -i switches -s switches.py >theirs
	"$PERF" script -i switches -s switches.py >ours
	[ "$(wc -l <ours)" -gt 10 ]
	grep -q "'work', ([0-9]*, [0-9]*), [1-9][0-9]*, 1)" ours
	diff theirs ours
}

@test "scripts that fill tables run with the helpers of another perf" {
	"$PERF" record -q -e page-faults -o any ./work
	mkdir -p other/scripts/python
	printf 'perf_db_export_mode = True\ndef sample_table(*r): print(len(r))\n' >count.py
	PERF_EXEC_PATH=$PWD/other run "$PERF" script -i any -s count.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 25 ]
}

@test "netdev-times: each packet from its interrupt to the task that read it" {
	[ -e /sys/class/net/lo ] || skip "no loopback"
	cat >net.py <<-'CODE'
		import socket
		s = socket.socket()
		s.bind(("127.0.0.1", 0))
		s.listen(1)
		t = socket.create_connection(s.getsockname())
		c, _ = s.accept()
		for i in range(5):
		    t.sendall(b"x" * 777)
		    left = 777
		    while left: left -= len(c.recv(left))
	CODE
	"$PERF" script record netdev-times -q -a -o net -- python3 net.py
	run "$PERF" script report netdev-times rx dev=lo debug -i net
	[ "$status" -eq 0 ]
	pid=$(sed -nE 's/.*skb_copy_datagram_iovec\(\+[0-9.]+msec ([0-9]+):python3\)$/\1/p' <<<"$output" | sort -u)
	[ "$(grep -c "skb_copy_datagram_iovec(+[0-9.]*msec $pid:python3)" <<<"$output")" -ge 5 ]
	[ "$(grep -c "netif_receive_skb(+[0-9.]*msec skb=[0-9a-f]* len=829)" <<<"$output")" -eq 5 ]
	grep -qE '^  napi_poll_exit\(\+[0-9.]+msec ' <<<"$output"
	grep -qE '^receive:remain:[0-9]+ overflow:0$' <<<"$output"
	! grep -q '^   dev ' <<<"$output" || false
	run "$PERF" script report netdev-times tx dev=lo -i net
	[ "${lines[0]}" = "   dev    len      Qdisc               netdevice             free" ]
	run "$PERF" script report netdev-times dev=none -i net
	[ "$(wc -l <<<"$output")" -eq 1 ]
	run "$PERF" script report netdev-times nonsense -i net
	[ "$status" -eq 1 ]
	[[ "$output" == usage:* ]]
}

@test "net_dropmonitor and workqueue-stats count what the events say, by function" {
	cat >drop.py <<-'CODE'
		import socket
		free = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		free.bind(("127.0.0.1", 0))
		where = free.getsockname()
		free.close()
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		for i in range(9):
		    s.sendto(b"x", where)
	CODE
	"$PERF" script record net_dropmonitor -q -a -o drops -- python3 drop.py
	run "$PERF" script report net_dropmonitor -i drops
	[ "$status" -eq 0 ]
	all=$("$PERF" script -i drops -F event,trace | grep kfree_skb | grep -cv 'reason: NOT_SPECIFIED_CONSUMED')
	[ "$(awk 'NR > 2 { n += $3 } END { print n }' <<<"$output")" -le "$all" ]
	[ "$(awk 'NR > 2 && $3 >= 9' <<<"$output" | wc -l)" -ge 1 ]
	"$PERF" script record workqueue-stats -q -a -o works -- sync
	run "$PERF" script report workqueue-stats -i works
	[ "$status" -eq 0 ]
	"$PERF" script -i works -F event >events
	[ "$(awk 'NR > 4 { n += $(NF - 3) } END { print n + 0 }' <<<"$output")" -eq "$(grep -c queue_work events)" ]
}

@test "mem-phys-addr: all samples are in some memory" {
	"$PERF" record -q -d --phys-data -e page-faults -o phys ./work
	run "$PERF" script report mem-phys-addr -i phys
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Event: page-faults" ]
	[ "$(awk 'NR > 3 { n += $(NF - 1) } END { print n }' <<<"$output")" -eq "$("$PERF" script -i phys -F event | grep -c page-faults)" ]
	# what is touched for the first time has no memory yet: address 0, which is reserved
	grep -qE '^(System RAM|Reserved) +[0-9]+ +[0-9.]+%$' <<<"$output"
}

@test "compaction-times and powerpc-hcalls: times and counts of given events" {
	export PERF_EXEC_PATH=${PERF_EXEC_PATH:-$BATS_TEST_DIRNAME/../../libexec}
	echo 'perf_script_context = None' >perf_trace_context.py
	echo 'def perf_syscall_name(context, id): return None' >>perf_trace_context.py
	cat >events.py <<-'CODE'
		import os, runpy, sys
		def event(g, name, ns, pid=7, cpu=0, **fields):
		    fields.update(common_s=ns // 10**9, common_ns=ns % 10**9, common_pid=pid, common_comm="task", common_cpu=cpu)
		    g["trace_unhandled"](name, None, fields)
		def load(name, *args):
		    sys.argv = [name] + list(args)
		    return runpy.run_path(os.environ["PERF_EXEC_PATH"] + "/scripts/python/" + name)
		g = load("compaction-times.py", "-p", "5-8")
		event(g, "compaction__mm_compaction_begin", 1000)
		event(g, "compaction__mm_compaction_migratepages", 1100, nr_migrated=4, nr_failed=1)
		event(g, "compaction__mm_compaction_isolate_freepages", 1200, nr_taken=3, nr_scanned=30)
		event(g, "compaction__mm_compaction_begin", 1250, pid=9)
		event(g, "compaction__mm_compaction_end", 1500)
		event(g, "compaction__mm_compaction_end", 9500, pid=9)
		g["trace_end"]()
		g = load("powerpc-hcalls.py")
		event(g, "powerpc__hcall_entry", 100, opcode=0xe0)
		event(g, "powerpc__hcall_entry", 150, cpu=1, opcode=0x58)
		event(g, "powerpc__hcall_exit", 400, opcode=0xe0)
		event(g, "powerpc__hcall_entry", 500, opcode=0xe0)
		event(g, "powerpc__hcall_exit", 600, opcode=0xe0)
		event(g, "powerpc__hcall_exit", 700, opcode=0x4)
		g["trace_end"]()
	CODE
	PYTHONPATH=$PWD run python3 events.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "total: time=500ns migration: moved=4 failed=1 free_scanner: isolated=3 scanned=30 migration_scanner: isolated=0 scanned=0" ]
	[ "${lines[1]}" = "7[task]: time=500ns migration: moved=4 failed=1 free_scanner: isolated=3 scanned=30 migration_scanner: isolated=0 scanned=0" ]
	[[ "${lines[4]}" =~ ^H_CEDE\ +2\ +100\ +300\ +200$ ]]
	[ "${#lines[@]}" -eq 5 ]
	rm perf_trace_context.py
}

@test "live: arguments of the script, then the command" {
	run --separate-stderr "$PERF" script syscall-counts ./work
	[ "$status" -eq 0 ]
	[[ "$(line getppid)" =~ ^getppid\ +23$ ]]
	run --separate-stderr "$PERF" script syscall-counts work -- ./work
	[[ "$output" == *"syscall events for work:"* ]]
	[[ "$(line getppid)" =~ ^getppid\ +23$ ]]
	run --separate-stderr "$PERF" script rw-by-file work ./work
	[[ "$(line '    50')" =~ ^\ +50\ +11\ +1100$ ]]
	run --separate-stderr "$PERF" script rw-by-file
	[ "$status" -eq 129 ]
	[[ "$stderr" == "error: the script 'rw-by-file' needs arguments: <comm>"* ]]
}

@test "live: options of record come first, and a script keeps its own" {
	run --separate-stderr timeout 60 "$PERF" script flamegraph -e cpu-clock:u -F 1000 -f json -o tree.json ./work
	[ "$status" -eq 0 ]
	grep -q '"burn"' tree.json
	# the clock is what -e asks for, in samples of -c nanoseconds
	run --separate-stderr timeout 60 "$PERF" script stackcollapse --no-comm -e page-faults:u -c 1 --all-user ./work
	[ "$status" -eq 0 ]
	[[ "$output" != *burn* ]]
	run --separate-stderr timeout 60 "$PERF" script syscall-counts -m 512K --mmap-flush=4K ./work
	[[ "$(line getppid)" =~ ^getppid\ +23$ ]]
	run --separate-stderr timeout 60 "$PERF" script syscall-counts -m 512K work -- ./work
	[[ "$output" == *"syscall events for work:"* ]]
	# record's own targets: nothing is added to them
	sleep 60 3>&- &
	pid=$!
	(
		sleep 3
		kill $pid
	) 3>&- &
	run --separate-stderr timeout 60 "$PERF" script syscall-counts -p $pid
	[ "$status" -eq 0 ]
	[[ "$output" == *"syscall events"* ]]
	! grep -q getppid <<<"$output" || false
	wait
	# what record refuses
	run --separate-stderr timeout 60 "$PERF" script syscall-counts -F nosuch ./work
	[ "$status" -ne 0 ]
	[[ "$stderr" == "error: option '--freq': 'nosuch' is not a frequency in Hz"* ]]
	# the script's own that take a value
	echo '/** @flamegraph_json **/' >page.txt
	run --separate-stderr timeout 60 "$PERF" script flamegraph -e cpu-clock:u --template page.txt --format html --output page ./work
	[ "$status" -eq 0 ]
	grep -q '"burn"' page
	# of perf script, where the script has none of its own
	run --separate-stderr timeout 60 "$PERF" script syscall-counts --ns ./work
	[[ "$(line getppid)" =~ ^getppid\ +23$ ]]
}

@test "live: an option that nothing has is refused before the command runs" {
	for words in "flamegraph --nosuch" "flamegraph --ns" "flamegraph -F 99 --nosuch=3" "syscall-counts --nosuch" \
		"syscall-counts work --nosuch" "stat-cpi --nosuch" "task-analyzer --summary --nosuch"; do
		# shellcheck disable=SC2086
		run --separate-stderr timeout 60 "$PERF" script $words touch ran
		echo "$words: $status $stderr"
		[ "$status" -eq 129 ]
		[[ "$stderr" == "error: '--n"*"' is an option neither of the recording nor of the script '${words%% *}'"*"hint: "* ]]
		[ ! -e ran ]
	done
	run --separate-stderr "$PERF" script gecko --nosuch true
	[[ "$stderr" == *"hint: the script's are: [--save-only FILE] "* ]]
}

@test "live: Ctrl-C ends the recording, and the script still sums up" {
	"$PERF" script syscall-counts >live 2>live.err 3>&- &
	pid=$!
	for i in $(seq 100); do
		grep -q 'Press control' live && break
		sleep 0.1
	done
	./work
	# as a terminal does it: all of them
	pkill -INT -P $pid || true
	for i in $(seq 100); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	wait $pid || true
	grep -q '^getppid ' live
}

@test "Ctrl-C at a pipe: the script sums up what was recorded; a second one ends it" {
	printf 'n = 0\ndef process_event(d):\n    global n; n += 1\n    print("first", flush=True) if n == 1 else None\ndef trace_end(): print("sum", n > 0)\n' >sum.py
	"$PERF" record -q -e page-faults -o - ./work >stream
	mkfifo pipe
	"$PERF" script -i - -s sum.py <pipe >summed &
	pid=$!
	exec 9>pipe
	cat stream >&9
	for i in $(seq 100); do grep -q first summed && break; sleep 0.1; done
	kill -INT $pid
	sleep 0.2
	exec 9>&-
	wait $pid
	grep -q '^sum True$' summed
	printf 'def trace_begin():\n    print("hangs", flush=True)\n    while True: pass\n' >hangs.py
	"$PERF" script -i - -s hangs.py <stream >hung &
	pid=$!
	for i in $(seq 100); do grep -q hangs hung && break; sleep 0.1; done
	kill -INT $pid
	sleep 0.2
	kill -INT $pid
	code=0
	wait $pid || code=$?
	[ "$code" -eq 130 ]
}

@test "scripts of one's own, by directory and by file" {
	mkdir -p own/scripts/python/bin
	printf 'def process_event(d): pass\ndef trace_end(): print("mine")\n' >own/scripts/python/mine.py
	printf '# description: my own\n# args: <x>\nperf script "$@" -s "$PERF_EXEC_PATH"/scripts/python/mine.py\n' >own/scripts/python/bin/mine-report
	printf 'perf record "$@"\n' >own/scripts/python/bin/mine-record
	run env PERF_EXEC_PATH="$PWD/own" "$PERF" script -l
	grep -qE '^  mine <x> +my own$' <<<"$output"
	"$PERF" record -q -e page-faults -o faults ./work
	run env PERF_EXEC_PATH="$PWD/own" "$PERF" script report mine -i faults
	[ "$output" = mine ]
	# -i before the name of a script is not forgotten
	run env PERF_EXEC_PATH="$PWD/own" "$PERF" script -i faults report mine
	[ "$status" -eq 0 ]
	[ "$output" = mine ]
	run -1 env PERF_EXEC_PATH="$PWD/own" "$PERF" script -i nosuch.data report mine
	[[ "$output" == *"'nosuch.data'"* ]]
	run -129 env PERF_EXEC_PATH="$PWD/own" "$PERF" script -i faults record mine
	[[ "$output" == *"-i is a file to read, but 'record' writes one"* ]]
	run -129 env PERF_EXEC_PATH="$PWD/own" "$PERF" script -i faults mine
	[[ "$output" == *"a file is read by: perf script report mine -i faults"* ]]
	run "$PERF" script -i faults ./own/scripts/python/mine.py
	[ "$output" = mine ]
	run --separate-stderr "$PERF" script nosuch
	[ "$status" -eq 129 ]
	[[ "$stderr" == "error: there is no script 'nosuch'"* ]]
	run --separate-stderr "$PERF" script report nosuch
	[ "$status" -eq 129 ]
	run --separate-stderr env PERF_EXEC_PATH=/nonexistent "$PERF" script -l
	[ "$status" -eq 1 ]
	[[ "$stderr" == "error: there are no scripts in '/nonexistent/scripts'"* ]]
}

@test "live: when the recording cannot begin, its error is the only one, and so is its status" {
	run --separate-stderr timeout 60 "$PERF" script failed-syscalls -- nosuchprog
	[ "$status" -eq 127 ]
	[ -z "$output" ]
	[ "$(grep -c '^error: ' <<<"$stderr")" -eq 1 ] || { echo "$stderr"; return 1; }
	[[ "$stderr" == *"error: cannot run 'nosuchprog'"* ]]
	run --separate-stderr timeout 60 "$PERF" script failed-syscalls -- ls /nosuch
	[ "$status" -eq 2 ] # that of ls
	grep -qE '^ls +[1-9]' <<<"$output"
}

@test "record sides for other machines: played PMUs, and what this one lacks" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	gcc -shared -fPIC -O1 -o aux-shim.so "$BATS_TEST_DIRNAME/aux-shim.c" -ldl
	mkdir -p empty devices/intel_pt/format devices/intel_pt/caps
	echo 8001 >devices/intel_pt/type
	echo config:4 >devices/intel_pt/format/pwr_evt
	echo config:12 >devices/intel_pt/format/ptw
	echo config:0 >devices/intel_pt/format/pt
	echo config:13 >devices/intel_pt/format/branch
	on_machine() { # DEVICES ARGS...: perf script record
		local devices=$1
		shift
		unshare -m sh -c 'mount --bind "$0" /sys/bus/event_source/devices && exec "$@"' "$devices" \
			env AUX_TYPE=8001 ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$PWD/aux-shim.so" "$PERF" script record "$@"
	}
	run -1 on_machine empty intel-pt-events -o none.data true
	[ "$output" = "error: this machine has no Intel PT (/sys/bus/event_source/devices/intel_pt)" ]
	run -1 on_machine empty arm-cs-trace-disasm -o none.data true
	[ "$output" = "error: this machine has no CoreSight (/sys/bus/event_source/devices/cs_etm)" ]
	[ ! -e none.data ]
	if [ "$(uname -m)" != ppc64le ]; then
		run -1 "$PERF" script record powerpc-hcalls -o none.data true
		[ "$output" = "error: this kernel has no tracepoints for calls of the POWER hypervisor (powerpc:hcall_entry)" ]
	fi
	on_machine devices intel-pt-events -o pt.data true
	"$PERF" evlist -v -i pt.data | grep -q '^intel_pt/pwr_evt,ptw/.*type: 8001.*config: 0x1010'
}

@test "one's own: calls paired by thread in awk, Python and Perl; folded stacks" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	"$PERF" record -q -o paired -e raw_syscalls:sys_enter,raw_syscalls:sys_exit sh -c './work & ./work; wait'
	# two processes do the same at once, so calls can be paired only by thread
	cat >pairs.awk <<-'CODE'
		{ tid = $1; split($2, at, "[.:]"); time = at[1] * 1000000000 + at[2] }
		$3 ~ /sys_enter/ { number[tid] = $5; since[tid] = time; next }
		tid in since && $5 == number[tid] { n[$5]++; ns[$5] += time - since[tid]; delete since[tid] }
		END { for (k in n) printf "%d %d %.0f\n", k, n[k], ns[k] }
	CODE
	"$PERF" script -i paired --ns -F tid,time,event,trace | awk -f pairs.awk | sort >by_awk
	cat >pairs.py <<-'CODE'
		from collections import defaultdict
		begun, n, ns = {}, defaultdict(int), defaultdict(int)
		def raw_syscalls__sys_enter(event_name, context, cpu, s, nsecs, pid, comm, callchain, id, args):
		    begun[pid] = id, s * 10**9 + nsecs
		def raw_syscalls__sys_exit(event_name, context, cpu, s, nsecs, pid, comm, callchain, id, ret):
		    what, since = begun.pop(pid, (None, 0))
		    if what == id:
		        n[id] += 1
		        ns[id] += s * 10**9 + nsecs - since
		def trace_end():
		    for id in n:
		        print(id, n[id], ns[id])
	CODE
	"$PERF" script -i paired -s pairs.py | sort >by_python
	diff by_awk by_python
	python3 - <<-'CODE'
		import subprocess
		rows = {int(a): int(b) for a, b, _ in (l.split() for l in open("by_python"))}
		def number(name):
		    import re
		    text = subprocess.run(["gcc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], capture_output=True, text=True).stdout
		    return int(re.search(r"^#define __NR_%s (\d+)$" % name, text, re.M).group(1))
		assert rows[number("getppid")] >= 46, rows # 23 of each; the shell may ask, too
		assert rows[number("futex")] >= 8, rows
	CODE
	if "$PERF" check -q feature libperl; then
		cat >pairs.pl <<-'CODE'
			my (%begun, %n, %ns);
			sub raw_syscalls::sys_enter
			{
				my ($name, $context, $cpu, $s, $nsecs, $pid, $comm, $chain, $id, $args) = @_;
				$begun{$pid} = [$id, $s * 1000000000 + $nsecs];
			}
			sub raw_syscalls::sys_exit
			{
				my ($name, $context, $cpu, $s, $nsecs, $pid, $comm, $chain, $id, $ret) = @_;
				my $was = delete $begun{$pid};
				return if !$was || $was->[0] != $id;
				$n{$id}++;
				$ns{$id} += $s * 1000000000 + $nsecs - $was->[1];
			}
			sub trace_end { print "$_ $n{$_} $ns{$_}\n" for keys %n; }
		CODE
		"$PERF" script -i paired -s pairs.pl | sort >by_perl
		diff by_awk by_perl
	fi
	# stacks folded by a script of one's own, and by the one that comes with perf
	cat >fold.py <<-'CODE'
		from collections import Counter
		folded = Counter()
		def process_event(s):
		    names = [f["sym"]["name"] if "sym" in f else "[unknown]" for f in s.get("callchain", [])]
		    folded[";".join([s["comm"]] + names[::-1])] += 1
		def trace_end():
		    for stack in folded:
		        print(stack, folded[stack])
	CODE
	"$PERF" record -q -g -e cpu-clock:u -F 1000 -o own.stacks ./work
	"$PERF" script -i own.stacks --no-inline -s fold.py | sort >own.folded
	[ "$(awk '{ n += $NF } END { print n }' own.folded)" -eq "$("$PERF" script -i own.stacks -F event -G | grep -c cpu-clock)" ]
	"$PERF" script -i own.stacks --no-inline -F comm,ip,sym | awk '
		function flush() { if (comm != "") n[comm stack]++; comm = stack = "" }
		!NF { flush(); next }
		comm == "" { comm = $1; next }
		{ stack = ";" $2 stack }
		END { flush(); for (k in n) print k, n[k] }' | sort >by_lines
	diff by_lines own.folded
	grep -q ';main;burn ' own.folded
}

@test "a live script that gets no event says so" {
	[ -r /sys/kernel/tracing/events/syscalls ] || skip "no tracepoints"
	run -0 --separate-stderr "$PERF" script failed-syscalls -- true
	[[ "$stderr" != *"no event was recorded"* ]]
	# the commands of a live script by hand, with a filter that nothing passes
	"$PERF" record -q -o - -e sched:sched_switch --filter 'prev_pid == 2147483647' -- true |
		"$PERF" script -i - -s "$BATS_TEST_DIRNAME/../../libexec/scripts/python/failed-syscalls.py" >out 2>said
	cat out said
	grep -q "note: no event was recorded for the script" said
}
