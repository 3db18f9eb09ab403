#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top, without a terminal: tables one after the other, and what they say.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	# 70, 20 and 10 rounds in a hundred
	cat >"$FILES/shares.c" <<-'END'
	static volatile unsigned long n;
	/* in registers: how soon memory can be read that was just written differs from loop to loop */
	#define WORK(name, rounds) \
		__attribute__((noinline)) void name(void) { \
			register unsigned long x = n; \
			for (register int i = 0; i < rounds * 1000; i++) x = x * 5 + (x >> 7) * 3; \
			n = x; \
		}
	WORK(seventy, 70)
	WORK(twenty, 20)
	WORK(ten, 10)
	int main(void) { for (;;) { seventy(); twenty(); ten(); } }
	END
	gcc -O0 -o "$FILES/shares" "$FILES/shares.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

teardown() {
	end_jobs
}

start_shares() {
	"$FILES/shares" 3>&- &
	pid=$!
}

# The percentage of a function in the last table of a file.
share() {
	awk -v f="$1" '/PerfTop/ { v = "" } $NF == f { v = $1 + 0 } END { print v }' "$2"
}

# within FUNCTION PERCENT FILE: what the last table says, to 4 points and five standard deviations of
# as many samples as it has: few, where the machine is busy.
within() {
	awk -v f="$1" -v want="$2" '
		/PerfTop/ { got = "" } / 100% is / { n = $3 } $NF == f { got = $1 + 0 }
		END {
			most = 4 + 500 * sqrt(want / 100 * (1 - want / 100) / (n ? n : 1))
			print f ": " got " of " n " samples, not " want " +- " most
			exit !(n && got > want - most && got < want + most)
		}' "$3"
}

@test "a program of known shares reads as they are, in each table" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 1 --iterations 3 >tables
	[ "$(grep -c PerfTop: tables)" -eq 3 ]
	for want in seventy:70 twenty:20 ten:10; do
		within "${want%:*}" "${want#*:}" tables
	done
	# neither cursor codes nor heads
	run ! grep -q $'\033' tables
	grep -q '\[4000Hz cpu-clock:u\],  (target_pid: [0-9]*)' tables
}

@test "of several events, the title of each table is about its own samples" {
	yes >/dev/null 3>&- &
	"$PERF" top -e cpu-clock:u,cpu-clock:k -p $! -d 1 --iterations 2 >tables
	grep PerfTop tables >titles
	[ "$(wc -l <titles)" -ge 4 ]
	run ! grep -v -e 'kernel: 0.0%.*cpu-clock:u' -e 'kernel:100.0%.*cpu-clock:k' titles
	# a second, and as many samples as the table says are new
	awk '/PerfTop/ { rate = $2 } / 100% is/ { if ($5 / rate < 0.5 || $5 / rate > 5) exit 1 }' tables
}

@test "older samples fade, with -z they are forgotten" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 1 --iterations 3 >fading
	"$PERF" top -e cpu-clock:u -p "$pid" -d 1 --iterations 3 -z >fresh
	awk '/100% is/ && ++n == 3 { exit !($3 > $5) }' fading
	awk '/100% is/ && ++n == 3 { exit !($3 == $5) }' fresh
}

@test "how true a table is: in the title and in JSON, as perf report says it" {
	# the comparison is called by the C library, which keeps no frame pointers everywhere
	cat >sorts.c <<-'END'
	#include <stdlib.h>
	static volatile unsigned long sum;
	static int cmp(const void *a, const void *b) { sum++; return *(const int *)a - *(const int *)b; }
	int main(void)
	{
		static int v[4000];
		for (;;) {
			for (int i = 0; i < 4000; i++)
				v[i] = i * 7919 % 4001;
			qsort(v, 4000, sizeof(*v), cmp);
		}
	}
	END
	gcc -O1 -fno-omit-frame-pointer -o sorts sorts.c
	./sorts 3>&- &
	pid=$!
	"$PERF" top -e cpu-clock:u -p $pid --call-graph dwarf,512 -d 0.5 --iterations 2 >tables
	grep -qE ' of them new, [0-9.]+% whole, [0-9.]+% named; older ones' tables
	"$PERF" top -e cpu-clock:u -p $pid --call-graph dwarf,512 -d 0.5 --iterations 2 --json | tail -n 1 >json
	jq -e '.truth.events[0] | .whole.of == .samples and .named.of == .samples and .samples > 20 and
		.whole.percent < 60 and .whole.causes[0].why == "the recorded piece of stack is too small" and
		(.whole.of - .whole.samples) == ([.whole.causes[].samples] | add)' json
	jq -e '.truth.samples == .tables[0].events[0].all.samples and .truth.events[0].multiplexed.state == "unknown"' json
	# enough of the stack
	"$PERF" top -e cpu-clock:u -p $pid --call-graph dwarf,8192 -d 0.5 --iterations 2 --json | tail -n 1 >json
	jq -e '.truth.events[0].whole.percent > 95' json
	# chains of the kernel from frame pointers are judged as those of a recording
	"$PERF" top -e cpu-clock:u -p $pid -g -d 0.5 --iterations 2 --json | tail -n 1 >json
	"$PERF" record -q -e cpu-clock:u -p $pid -g -o d sleep 0.5 >/dev/null
	"$PERF" report --json -i d >report
	whys() { jq -r '.truth.events[0].whole.causes[] | "\(.dso) \(.why)"' "$1" | sort; }
	diff <(whys json) <(whys report)
	jq -e --slurpfile r report '.truth.events[0].whole.percent - $r[0].truth.events[0].whole.percent | fabs < 25' json
	# without chains there are no stacks; without symbols no names
	kill $pid
	strip sorts
	./sorts 3>&- &
	pid=$!
	"$PERF" top -e cpu-clock:u -p $pid -d 0.5 --iterations 2 -E 1 >tables
	grep -qE ' of them new, [0-9.]+% named; older ones' tables
	"$PERF" top -e cpu-clock:u -p $pid -d 0.5 --iterations 2 --json | tail -n 1 >json
	jq -e '.truth.events[0] | .whole.state == "not applicable" and
		([.named.causes[] | select(.dso | endswith("/sorts"))][0].why == "the object is stripped of its symbols")' json
}

@test "JSON: each table is an object on a line of its own, whose rows make its totals" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -g -H -d 0.5 --iterations 1 --json >json
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 2 --json >>json
	python3 - <<-'END'
	import json
	tables = [json.loads(line) for line in open("json")]
	assert tables[0]["tables"][0]["rows"][0]["rows"], tables[0]
	assert len(tables[1]["tables"][0]["rows"]) > 2, tables[1]
	del tables[0]
	assert [t["table"] for t in tables] == [1, 2], tables
	for t in tables:
	    assert t["new"]["samples"] == t["new"]["user"] > 100, t["new"]
	assert tables[1]["all"]["samples"] == sum(t["new"]["samples"] for t in tables)
	END
}

@test "columns separated by a character begin with the table's number and the event" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 2 -x, -E 2 >rows
	[ "$(head -n 1 rows)" = "# Table,Event,Overhead,Shared Object,Symbol" ]
	[ "$(grep -c '#' rows)" -eq 1 ]
	[ "$(grep -v '#' rows | cut -d, -f1 | sort -u | tr '\n' ' ')" = "1 2 " ]
	[ "$(grep -c . rows)" -le 5 ]
	grep -q '^1,cpu-clock:u,.*,\[\.\] seventy$' rows
}

@test "call chains: callers are totalled, also of stacks that are unwound" {
	start_shares
	for how in fp dwarf,4096 dwarf,live; do
		"$PERF" top -e cpu-clock:u -p "$pid" --call-graph "$how" -d 1 --iterations 1 >tables
		cat tables
		awk '$NF == "main" && !n++ { exit !($1 + 0 > 95) } END { exit !n }' tables
		grep -q -- '--seventy\|-seventy' tables
	done
	"$PERF" top -e cpu-clock:u -p "$pid" -g --no-children -d 1 --iterations 1 >tables
	awk '$NF == "seventy" && !n++ { exit !($1 + 0 < 80) } END { exit !n }' tables
}

@test "a reader that goes away ends it quietly" {
	start_shares
	run --separate-stderr bash -c '"$1" top -e cpu-clock:u -p "$2" -d 0.2 | head -1; echo "${PIPESTATUS[0]}"' _ "$PERF" "$pid"
	# by the signal, as any command in a pipeline
	[[ ${lines[1]} =~ ^(0|141)$ ]]
	[ -z "$stderr" ]
}

@test "a process that ends while it is watched: the tables go on and say so" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.3 --iterations 8 >tables 3>&- &
	top=$!
	until_true grep -q PerfTop tables
	kill "$pid"
	wait "$top"
	[ "$(grep -c PerfTop: tables)" -eq 8 ]
	grep -q 'what was watched has ended' tables
}

@test "Ctrl-C and SIGTERM end it in order, and it dies by them" {
	for sig in INT:130 TERM:143; do
		: >tables
		"$PERF" top -e cpu-clock -d 0.2 >tables 3>&- &
		top=$!
		until_true grep -q PerfTop tables
		kill -"${sig%:*}" "$top"
		code=0
		wait "$top" || code=$?
		[ "$code" -eq "${sig#*:}" ]
	done
}

@test "tracepoints are counted by command" {
	"$PERF" list tracepoint 2>/dev/null | grep -q raw_syscalls:sys_enter || skip "no raw_syscalls:sys_enter"
	sh -c 'while :; do :; read -r x </proc/self/comm; done' 3>&- &
	"$PERF" top -e raw_syscalls:sys_enter -p $! -ns comm -d 1 --iterations 1 >tables
	awk '/ sh *$/ { exit !($1 == "100.00%" && $2 > 100) } /PerfTop/ { seen = 1 } END { exit !seen }' tables
}

@test "fields of tracepoints are keys, and of tracepoints alone the text is the default" {
	"$PERF" list tracepoint 2>/dev/null | grep -q raw_syscalls:sys_enter || skip "no raw_syscalls:sys_enter"
	sh -c 'while :; do read -r x </proc/self/comm; done' 3>&- &
	"$PERF" top -e raw_syscalls:sys_enter -p $! -s id -d 0.5 --iterations 1 >keys
	awk '$1 ~ /%$/ { n++; sum += $1 } END { exit !(n > 2 && sum > 99) }' keys
	"$PERF" top -e raw_syscalls:sys_enter -p $! -d 0.5 --iterations 1 -E 3 >texts
	grep -q 'NR [0-9]* (' texts
}

@test "rows below --percent-limit are left out" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" --percent-limit 15 -d 3 --iterations 1 >tables
	[ -n "$(share seventy tables)" ] && [ -n "$(share twenty tables)" ]
	[ -z "$(share ten tables)" ]
}

@test "--sym-annotate prints a function below each table, and its samples add up" {
	start_shares
	# on a busy machine it may have had no sample when the first table comes
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 5 --sym-annotate seventy >tables
	[ "$(grep -c 'Source code & Disassembly of shares for cpu-clock:u' tables)" -ge 2 ]
	# of the last table: the percentages of its instructions are all of the function's samples
	awk '/Disassembly of shares/ { sum = 0 } /^ *[0-9.]+ :/ { sum += $1 }
	     END { exit !(sum > 99 && sum < 101) }' tables
	# the counts are those of all tables
	samples() { grep -o '([0-9]* samples' tables | tr -dc '0-9\n' | sed -n "$1p"; }
	[ "$(samples '$')" -gt "$(samples 1)" ]
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 --sym-annotate nosuch >tables
	grep -q "No samples in 'nosuch' yet, and no object with samples has a function of this name." tables
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 --sym-annotate _init >tables
	grep -q "No samples in '_init' yet.$" tables
}

@test "--switch-on and --switch-off: an event that never comes lets nothing or everything through" {
	"$PERF" list tracepoint 2>/dev/null | grep -q sched:sched_process_exec || skip "no sched:sched_process_exec"
	start_shares
	watch="-e cpu-clock:u -e sched:sched_process_exec -p $pid -d 0.5 --iterations 1"
	"$PERF" top $watch --switch-on sched:sched_process_exec >tables
	run ! grep -q " seventy$" tables
	"$PERF" top $watch --switch-off sched:sched_process_exec >tables
	grep -q " seventy$" tables
	# on at the first exec of many
	sh -c 'while :; do /bin/true; done' 3>&- &
	"$PERF" top -e cpu-clock -e sched:sched_process_exec -s comm -p $! -d 1 --iterations 1 \
		--switch-on sched:sched_process_exec >tables
	grep -q '% *sh *$' tables
}

@test "an ordinary user watches his own processes" {
	id nobody >/dev/null 2>&1 || skip "no user nobody"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "perf_event_paranoid forbids it"
	chmod 755 "$BATS_FILE_TMPDIR" "$FILES/shares"
	cp "$PERF" "$BATS_TEST_TMPDIR/perf"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
	setpriv --reuid nobody --clear-groups "$FILES/shares" 3>&- &
	pid=$!
	until_true comm_is $pid shares
	setpriv --reuid nobody --clear-groups "$BATS_TEST_TMPDIR/perf" top -e cpu-clock:u -p "$pid" -d 1 --iterations 1 >tables
	within seventy 70 tables
}

@test "what cannot be is refused, with a reason" {
	check() { # EXIT TEXT OPTION...
		local code=$1 text=$2
		shift 2
		run "$PERF" top --iterations 1 "$@"
		echo "$* -> $status: $output"
		[ "$status" -eq "$code" ] && [[ $output == *"$text"* ]]
	}
	check 129 "unknown option" --no-such-option
	check 129 "perf top runs no command" ls
	check 129 "-K and -U exclude each other" -K -U
	check 129 "exclude each other" -F 99 -c 100
	check 129 "not a size of a ring" -m none
	check 129 "the separator is empty" -x ""
	check 129 "hint: -c 1 takes a sample at each event" -c 0
	check 129 "hint: numbers with commas between them" -w x
	check 129 "nosuch:event" --switch-on nosuch:event
	check 129 "--tui and --stdio exclude each other" --tui --stdio
	check 129 "--tui and --json exclude each other" --tui --json
	check 129 "--tui and --field-separator exclude each other" --tui -x,
	check 129 "--tui and --iterations exclude each other" --tui
	check 129 "--json and --field-separator exclude each other" --json -x,
	check 129 "--sym-annotate and --json exclude each other" --sym-annotate main --json
	check 129 "--sym-annotate and --field-separator exclude each other" --sym-annotate main -x,
	check 129 "0.05 s" -d 0.001
	check 129 "nosuch" -e cpu-clock -s nosuch
	check 129 "percentage" --percent-limit x
	check 1 "--vmlinux is not used: '/bin/true' is not a kernel" -e cpu-clock -k /bin/true
	check 1 "--vmlinux: cannot read '/nonexist'" -e cpu-clock -k /nonexist
	check 1 "--kallsyms: cannot read '/nonexist'" -e cpu-clock --kallsyms /nonexist
	check 1 "--symfs: '/nonexist' is not a directory" -e cpu-clock --symfs /nonexist
	check 1 "999999999" -p 999999999
	check 1 "CPU" -C 9999
}

quiet_tables() { # number
	[ "$(grep -c '"new":{"samples":0,' watched)" -ge "$1" ]
}

# watch_and_record TOP-OPTIONS RECORD-OPTIONS SORT [REPORT-OPTIONS]: of one run of ./faults, each row of all tables
# of perf top has the samples, with the same call chains, that it has in the report of a recording. Rows are left in
# "recorded".
watch_and_record() {
	rm -f go
	./faults go 3>&- &
	pid=$!
	until_true grep -q faults /proc/$pid/maps
	# shellcheck disable=SC2086 # several options
	"$PERF" record -q $2 -c 1 -p $pid -o d 3>&- & recorder=$!
	# shellcheck disable=SC2086
	"$PERF" top $1 -c 1 -p $pid -d 0.5 -z --json --no-children -s "$3" -n >watched 3>&- & watcher=$!
	until_true has_rings $recorder
	until_true has_rings $watcher
	: >go
	wait $pid
	wait $recorder
	# two tables in which nothing is new: all is in those before
	quiet=$(grep -c '"new":{"samples":0,' watched || :)
	until_true quiet_tables $((quiet + 2))
	kill $watcher
	wait $watcher || :
	# shellcheck disable=SC2086
	"$PERF" report -i d --json --no-children --no-inline ${4:-} -s "$3" -n >reported 2>/dev/null
	python3 - "$3" <<-'END'
	import collections, json, sys
	keys = sys.argv[1].split(",")
	def rows(name):
	    text = open(name).read()
	    decoder, at, seen = json.JSONDecoder(), 0, collections.Counter()
	    while at < len(text):
	        table, at = decoder.raw_decode(text, at)
	        for t in table["tables"]:
	            for row in t["rows"]:
	                seen[tuple(row[key] for key in keys)] += row["sample"]
	                for chain in row.get("chains", []):
	                    seen[(*(row[key] for key in keys), *chain["frames"])] += chain["samples"]
	        while at < len(text) and text[at].isspace():
	            at += 1
	    return seen
	watched, reported = rows("watched"), rows("reported")
	for row in sorted(watched.keys() | reported.keys()):
	    assert watched[row] == reported[row], (row, watched[row], reported[row])
	open("recorded", "w").writelines("%s %d\n" % (" ".join(row), n) for row, n in sorted(reported.items()))
	END
}

# recorded_within LOW HIGH ROW: the number of its samples.
recorded_within() {
	local n
	n=$(sed -n "s/^$3 \([0-9]*\)\$/\1/p" recorded)
	[ "$n" -ge "$1" ] && [ "$n" -lt "$2" ] || { echo "$3: '$n'"; cat recorded; return 1; }
}

@test "who watches a run sees what its recording holds, row by row" {
	cat >faults.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/mman.h>
	#include <sys/wait.h>
	#include <unistd.h>
	#define TOUCH(name, pages) \
		__attribute__((noinline)) void name(char *p) { for (int i = 0; i < pages; i++) p[i * 4096L] = 1; }
	TOUCH(many, 900)
	TOUCH(some, 250)
	TOUCH(few, 40)
	__attribute__((noinline)) void calls_few(char *p)
	{
		few(p);
		for (int i = 0; i < 30; i++)
			lseek(-1, i % 3, SEEK_END);
	}
	int main(int argc, char **argv)
	{
		char *p = mmap(NULL, 2000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, 2000 * 4096L, MADV_NOHUGEPAGE);
		while (access(argv[1], F_OK))
			usleep(10000);
		many(p);
		for (int i = 0; i < 5; i++) {
			if (!fork()) { /* a child has the parent's name, until it is another program */
				some(p + 1000 * 4096L);
				if (i % 2)
					execl("/bin/true", "true", NULL);
				_exit(0);
			}
			wait(NULL);
		}
		calls_few(p + 1300 * 4096L);
		return argc > 2;
	}
	END
	gcc -O0 -g -fno-omit-frame-pointer -o faults faults.c
	watch_and_record "-e page-faults:u" "-e page-faults:u" comm,dso,symbol
	recorded_within 900 910 'faults faults \[\.\] many'
	recorded_within 1250 1270 'faults faults \[\.\] some'
	recorded_within 40 50 'faults faults \[\.\] few'
	grep -q '^true ' recorded
	# with call chains, of frame pointers and of copied stacks
	watch_and_record "-e page-faults:u --call-graph fp,flat,0" "-e page-faults:u -g" comm,dso,symbol "-g flat,0"
	recorded_within 40 50 'faults faults \[\.\] few few calls_few main .*'
	# rings for all of the stacks, however busy the machine is
	watch_and_record "-e page-faults:u --call-graph dwarf,1024,flat,0 -m 8M" \
		"-e page-faults:u --call-graph dwarf,live,1024 -m 8M" comm,dso,symbol "-g flat,0"
	recorded_within 40 50 'faults faults \[\.\] few few calls_few main .*_start'
	# by what a tracepoint says
	[ -e /sys/kernel/tracing/events/syscalls/sys_enter_lseek ] || skip "no tracepoints of system calls: the rest was tried"
	watch_and_record "-e syscalls:sys_enter_lseek" "-e syscalls:sys_enter_lseek" comm,trace
	for offset in 0 1 2; do
		recorded_within 10 11 "faults .*offset: 0x0*$offset, .*"
	done
}

@test "a CPU that goes offline is said" {
	last=$(($(getconf _NPROCESSORS_ONLN) - 1))
	[ $last -gt 0 ] || skip "needs two CPUs"
	online=/sys/devices/system/cpu/online
	cp $online list
	# what perf sees of it; the CPU goes on
	unshare -m mount --bind list $online 2>/dev/null || skip "no mount namespaces here"
	unshare -m sh -c 'mount --bind list /sys/devices/system/cpu/online; exec "$@"' - \
		"$PERF" top --stdio -e cpu-clock -d 0.3 -E 3 >tables 3>&- & watcher=$!
	until_true grep -q '100% is' tables
	run ! grep -q offline tables
	echo 0 >list
	until_true grep -q "not watched, since offline: .*CPU $last" tables
	# what is watched again is said no more
	cp $online list
	again() {
		grep '100% is' tables | tail -n 1 >newest
		! grep -q offline newest || false
	}
	until_true again
	kill $watcher
	wait $watcher || :
}

@test "--group-sort-idx without a group, or past its end, says that it has no effect" {
	run "$PERF" top --stdio --iterations 1 -d 0.2 -e cpu-clock --group-sort-idx 1
	[[ "$status" -eq 0 && "$output" == *"--group-sort-idx has no effect: no group of events"* ]] || { echo "$output"; return 1; }
	run "$PERF" top --stdio --iterations 1 -d 0.2 -e '{cpu-clock,page-faults}' --group-sort-idx 2
	[[ "$status" -eq 0 && "$output" == *"no group has an event 2"* ]]
	run "$PERF" top --stdio --iterations 1 -d 0.2 -e '{cpu-clock,page-faults}' --group-sort-idx 1
	[[ "$status" -eq 0 && "$output" != *"no effect"* ]]
}

@test "--force reads a perf map of another user; so does report -f" {
	[ "$(uname -m)" = x86_64 ] || skip "the program has machine code of x86-64"
	gcc -o jit "$BATS_TEST_DIRNAME/forever.c"
	./jit >address 3>&- &
	pid=$!
	until_true grep -q . address
	map=/tmp/perf-$pid.map
	echo "$(cat address) 2 made_for_ever" >"$map"
	chown 65534 "$map"
	"$PERF" top --stdio -p $pid --iterations 1 -d 1 -e cpu-clock:u -s sym >without 2>&1
	"$PERF" top --stdio -p $pid --iterations 1 -d 1 -e cpu-clock:u -s sym --force >with 2>&1
	"$PERF" record -q -p $pid -e cpu-clock:u -o d -- sleep 0.5
	"$PERF" report --stdio -i d -s sym >report 2>&1
	"$PERF" report -f --stdio -i d -s sym >forced 2>&1
	kill $pid
	rm -f "$map"
	for f in without report; do run ! grep -q made_for_ever $f; done
	grep -q 'is not owned by you or root' report
	grep -q -- '--force reads it all the same' report
	for f in with forced; do grep -q '\[\.\] made_for_ever' $f || { cat $f; return 1; }; done
}

@test "several columns of numbers have headings, one does not need any" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.3 --iterations 2 >one
	run ! grep -q '^#' one
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.3 --iterations 2 -n --show-total-period >three
	[ "$(grep -cE '^# Overhead +Samples +Period  Shared Object +Symbol' three)" -eq 2 ]
	# the numbers end where their headings do
	awk '/^# Overhead/ { end = index($0, "Period") + 5 }
	     / seventy$/ { n++; if (substr($0, end, 3) !~ /^[0-9]  $/) exit bad = 1 } END { exit bad || !n }' three
	"$PERF" top -e cpu-clock:u -p "$pid" -g -d 0.3 --iterations 1 >both
	grep -qE '^# Children +Self  Shared Object +Symbol' both
}

@test "events without samples share one line of a log; if no event has any, one has a table" {
	start_shares
	"$PERF" top -e cpu-clock:u,alignment-faults:u,major-faults:u -p "$pid" -d 0.5 --iterations 1 >tables
	[ "$(grep -c PerfTop: tables)" -eq 1 ]
	grep -q "^   No samples of 'alignment-faults:u', 'major-faults:u'$" tables
	"$PERF" top -e "sched:sched_kthread*" -e alignment-faults:u,major-faults:u,emulation-faults:u \
		-p "$pid" -d 0.3 --iterations 1 >tables
	[ "$(grep -c PerfTop: tables)" -eq 1 ]
	[ "$(wc -l <tables)" -lt 10 ]
	grep -qE "^   No samples of '[^']+', '[^']+', '[^']+' and [0-9]+ more events$" tables
	"$PERF" top -e alignment-faults:u -p "$pid" -d 0.3 --iterations 1 >tables
	[ "$(grep -c PerfTop: tables)" -eq 1 ]
}

@test "with -E and --percent-limit columns are as wide as the rows that are shown need" {
	start_shares
	long=a_program_whose_name_is_much_longer
	cat >rare.c <<-'END'
	#include <unistd.h>
	static volatile unsigned long n;
	int main(void)
	{
		for (;;) {
			for (int i = 0; i < 100000; i++)
				n += i;
			usleep(30000);
		}
	}
	END
	gcc -O0 -o $long rare.c
	./$long 3>&- &
	"$PERF" top -e cpu-clock:u -p "$pid,$!" -s dso,sym -d 2 --iterations 1 >all
	grep -q "$long" all
	grep -qE "%  shares {$((${#long} - 4))}\\[\\.\\] seventy$" all
	"$PERF" top -e cpu-clock:u -p "$pid,$!" -s dso,sym -d 2 --iterations 1 -E 1 >one
	grep -qE "%  shares {9}\\[\\.\\] seventy$" one
	# what a limit leaves out of a pipe has no part in it either
	"$PERF" top -e cpu-clock:u -p "$pid,$!" -s dso,sym -d 2 --iterations 1 --percent-limit 40 >limited
	run ! grep -q "$long" limited
	grep -qE "%  shares {9}\\[\\.\\] seventy$" limited
	"$PERF" top -e cpu-clock:u -p "$pid,$!" -s dso,sym -n -d 2 --iterations 1 -E 1 >headed
	grep -qE "^# Overhead +Samples  Shared Object  Symbol" headed
	grep -qE "[0-9]  shares {9}\\[\\.\\] seventy$" headed
}

@test "rows that round to nothing are left out of a pipe, and shown where they are asked for" {
	cat >faults.c <<-'END'
	#include <sys/mman.h>
	#include <unistd.h>
	static char *memory;
	__attribute__((noinline)) void rare(void) { memory[0] = 1; }
	__attribute__((noinline)) void often(void)
	{
		for (int i = 0; i < 60; i++) {
			for (int page = 0; page < 2000; page++)
				memory[page * 4096L] = 1;
			madvise(memory, 2000 * 4096L, MADV_DONTNEED);
		}
	}
	int main(void)
	{
		memory = mmap(0, 2000 * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(memory, 2000 * 4096L, MADV_NOHUGEPAGE);
		sleep(2);
		rare();
		often();
		sleep(60);
	}
	END
	gcc -O0 -w -o faults faults.c
	for limit in "" --percent-limit=0; do
		./faults 3>&- &
		pid=$!
		"$PERF" top -e page-faults -c 1 -p "$pid" -d 6 --iterations 1 $limit >"table$limit"
		kill "$pid"
	done
	grep -q ' often *$' table
	run ! grep -q ' rare *$' table
	grep -qE '^ *0\.00% .* rare *$' table--percent-limit=0
}

# rows ARGS...: the functions of one table, by name.
rows() {
	"$PERF" top -e cpu-clock:u -d 0.5 --iterations 1 "$@" | awk '/\[\.\]/ { print $NF }' | sort | xargs
}

@test "what chooses rows: functions, objects, commands, threads" {
	start_shares
	[ "$(rows -p "$pid" --symbols seventy,twentyfive)" = seventy ]
	[ "$(rows -p "$pid" --symbols seventy,ten)" = "seventy ten" ]
	[ "$(rows -p "$pid" --symbol-filter went)" = twenty ]
	[ "$(rows -t "$pid" --symbol-filter sev)" = seventy ]
	[ "$(rows -p "$pid" --dsos shares --symbol-filter sev)" = seventy ]
	[ -z "$(rows -p "$pid" --dsos libc.so.6 --symbol-filter sev)" ]
	[ "$(rows -a --comms shares --symbol-filter went)" = twenty ]
	[ -z "$(rows -p "$pid" --comms nobody)" ]
	[ -z "$(rows -p "$pid" -U)" ]
	[ "$(rows -p "$pid" -K --symbol-filter went)" = twenty ]
}

@test "--percentage relative: what passes is the whole" {
	start_shares
	for how in relative absolute; do
		"$PERF" top -e cpu-clock:u -p "$pid" -d 1 --iterations 1 -s sym --symbols seventy,twentyfive \
			--percentage "$how" | grep seventy >"$how"
	done
	grep -q '^ *100\.00% ' relative
	run ! grep -q '^ *100\.00% ' absolute
}

@test "what shapes the table: --fields, --hierarchy, -w, -v" {
	start_shares
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 --fields comm,overhead >fields
	grep -qE '^ *shares +100\.00% *$' fields
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 -H -s comm,sym >levels
	grep -qE '^ *100\.00% +shares *$' levels
	grep -qE '^ +[0-9.]+% +\[\.\] seventy *$' levels
	# a level sums what is left out below it
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 -H -s comm,sym -E 1 >levels
	grep -qE '^ *100\.00% +shares *$' levels
	[ "$(grep -cE '\[\.\]' levels)" -eq 1 ]
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 -s comm,sym -w 30 >wide
	grep -qE '^ {20,}[0-9.]+%  shares +\[\.\] seventy' wide
	"$PERF" top -e cpu-clock:u -p "$pid" -d 0.5 --iterations 1 -v >places
	grep -qE '0x[0-9a-f]+ +[a-zA-Z!] \[\.\] seventy' places
}

@test "tracepoints: --filter and --raw-trace" {
	while :; do kill -0 $$ || break; done 3>&- &
	"$PERF" top -e raw_syscalls:sys_enter --filter 'id == 100000' -d 0.5 --iterations 1 >none
	grep -q '100% is 0 samples' none
	"$PERF" top -e raw_syscalls:sys_enter --filter 'common_pid > 0' -d 0.5 --iterations 1 -s trace >words
	grep -qE '%  +NR [0-9]+ \(' words
	"$PERF" top -e raw_syscalls:sys_enter --filter 'common_pid > 0' -d 0.5 --iterations 1 -s trace --raw-trace >raw
	grep -qE '%  +id=[0-9]+ args=' raw
	run ! grep -q 'NR [0-9]* (' raw
}

# The rows of a screen are made alone: numbers, percentages and order are those of a whole table.
@test "--stdio: a terminal shows the first rows of the whole table" {
	command -v script >/dev/null || skip "needs script(1)"
	start_shares
	TERM=xterm script -qc "stty rows 6 cols 80; timeout -s INT 2 '$PERF' top --stdio -e cpu-clock:u -p $pid -d 1" /dev/null \
		</dev/null >screen
	grep -q seventy screen
	[ "$(tr '\r' '\n' <screen | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | awk '$NF == "seventy" { v = $1 + 0 } END { print (v > 50 && v < 90) }')" -eq 1 ]
	grep -q twenty screen
	run ! grep -qE '\[\.\] ten' screen
}

@test "--iterations: so many tables as text, on a terminal too" {
	command -v script >/dev/null || skip "needs script(1)"
	start_shares
	# without --stdio: the browser would not end
	script -qec "TERM=xterm timeout 60 '$PERF' top -e cpu-clock:u -p $pid -d 0.3 --iterations 3" /dev/null </dev/null >tables
	[ "$(grep -c PerfTop: tables)" -eq 3 ]
	# one below the other
	run ! grep -q $'\033\[[HJ]' tables
}
