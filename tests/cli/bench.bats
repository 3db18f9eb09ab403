#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# Benchmarks: lists, text, options, arithmetic of the figures, what other programs see of the work.
load wait

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	top=$BATS_TEST_DIRNAME/../..
}

teardown() {
	end_jobs
	# those whose parent has ended are nobody's jobs
	[ -z "${session:-}" ] || pkill -KILL -s "$session" || :
}

# FORMULA of awk over fields of the last output: true or the output is shown.
holds() {
	awk "$1" <<<"$output" || { echo "$output"; return 1; }
}

@test "the collections, and the benchmarks of each, are listed as in 6.1" {
	run "$PERF" bench
	[ "$status" -eq 0 ]
	[[ "$output" == *"List of all available benchmark collections:"*" sched: Scheduler and IPC benchmarks"* ]]
	for c in $("$PERF" bench --list-cmds); do
		[ "$c" != all ] || continue
		run "$PERF" bench "$c"
		[ "$status" -eq 0 ]
		[[ "$output" == *"List of available benchmarks for collection '$c':"* ]]
		[ "$(grep -cE '^ *[a-z_-]+: ' <<<"$output")" -eq "$("$PERF" bench "$c" --list-cmds | wc -w)" ]
		[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || continue
		# what 6.1 has is there, with the same words
		"${RIVAL_PERF:-/usr/bin/perf}" bench "$c" 2>/dev/null | grep -E '^ *[a-z_-]+: ' | grep -v 'all: ' >theirs || true
		while read -r line; do
			[[ "$output" == *"$line"* ]] || { echo "missing: $line"; return 1; }
		done <theirs
	done
}

@test "every option of every benchmark is in the page and has its help" {
	for c in $("$PERF" bench --list-cmds); do
		[ "$c" != all ] || continue
		"$PERF" help bench | sed -n "/^$(tr a-z A-Z <<<"$c")\$/,/^[A-Z]/p" >section
		for b in $("$PERF" bench "$c" --list-cmds); do
			[ "$b" != all ] || continue
			for o in $("$PERF" bench "$c" "$b" --list-opts); do
				grep -qE -- "(^|[^a-z-])$o([^a-z-]|\$)" section || echo "$c $b: $o"
			done
			"$PERF" bench "$c" "$b" -h | grep -q "Usage: perf bench $c $b \[<options>\]" ||
				echo "$c $b: no usage"
		done
	done >missing
	cat missing
	[ ! -s missing ]
}

@test "options of 6.1 are all known" {
	[ -x "${RIVAL_PERF:-/usr/bin/perf}" ] || skip "no other perf here"
	for c in sched syscall mem numa futex epoll internals breakpoint; do
		for b in $("$PERF" bench $c --list-cmds); do
			[ "$b" != all ] || continue
			timeout 5 "${RIVAL_PERF:-/usr/bin/perf}" bench $c "$b" -h 2>&1 | grep -oE '^ {4}(-., )? *--[a-z0-9_-]+' |
				grep -oE -- '-[a-zA-Z0-9]?(-[a-z0-9_-]+)?' | grep -vx -- - >theirs || true
			"$PERF" bench $c "$b" -h >ours 2>/dev/null || true
			while read -r o; do
				grep -qE -- "^ {4}.*$o\b" ours || echo "$c $b: $o"
			done <theirs
		done
	done >missing
	cat missing
	[ ! -s missing ]
}

@test "sched pipe: loops, and time, cost and rate that fit each other" {
	for how in "" -T -n "-n -T"; do
		run "$PERF" bench sched pipe -l 2000 $how
		[ "$status" -eq 0 ]
		[[ "$output" == *"# Running 'sched/pipe' benchmark:"*"# Executed 2000 pipe operations between two "* ]]
		# usecs/op times ops/sec is a million
		holds '/usecs\/op/ { us = $1 } /ops\/sec/ { rate = $1 } END { p = us * rate; exit !(p > 990000 && p < 1010000) }'
	done
}

@test "mem mmap: each way maps as much as was asked for" {
	command -v strace >/dev/null || skip "no strace"
	for way in demand populate; do
		strace -f -e trace=mmap -o calls "$PERF" bench mem mmap -f $way -s 7MB -l 3 >said
		grep -q "GB/sec\|MB/sec" said
		[ "$(grep -c "mmap(.*, 7340032, " calls)" -ge 3 ]
		grep "mmap(.*, 7340032, " calls | grep -q MAP_POPULATE && populated=populate || populated=demand
		[ $populated = $way ]
	done
}

@test "sched pipe: the system calls are really made" {
	command -v strace >/dev/null || skip "no strace"
	strace -f -c -e trace=read,write -o calls "$PERF" bench sched pipe -l 500
	[ "$(awk '$NF == "write" { print $4 }' calls)" -ge 1000 ]
	[ "$(awk '$NF == "read" { print $4 }' calls)" -ge 1000 ]
}

@test "sched messaging: so many tasks, as processes, threads, over pipes" {
	run "$PERF" bench sched messaging -g 2 -l 10
	[ "$status" -eq 0 ]
	[[ "$output" == *"# 20 sender and receiver processes per group"*"# 2 groups == 80 processes run"*"Total time: "* ]]
	run "$PERF" bench sched messaging -g 1 -l 10 -t -p
	[ "$status" -eq 0 ]
	[[ "$output" == *"# 1 groups == 40 threads run"* ]]
	run "$PERF" stat -x, -e task:task_newtask -- "$PERF" bench sched messaging -g 2 -l 1
	[ "$(id -u)" -ne 0 ] || holds -F, '/task_newtask/ { exit !($1 >= 80 && $1 <= 90) }' ||
		grep -qE '^8[0-9],,task:task_newtask' <<<"$output"
}

@test "sched messaging: too many open files are explained, and nothing is left running" {
	run bash -c "ulimit -n 100; '$PERF' bench sched messaging -g 10 -l 1 -t"
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: cannot start the tasks of group "*": Too many open files"*"hint: fewer groups"* ]]
}

@test "processes of a benchmark that is killed end with it" {
	processes_are() { [ "$(pgrep -c -s "$session")" -eq "$1" ]; }
	check() { # PROCESSES BENCHMARK...
		local processes=$1
		shift
		setsid "$PERF" bench "$@" >/dev/null 2>&1 3>&- &
		session=$!
		until_true processes_are "$processes"
		kill -KILL $session
		until_true processes_are 0
	}
	check 41 sched messaging -g 1 -l 100000000
	check 41 sched messaging -g 1 -l 100000000 -p
	check 4 numa mem -p 3 -t 1 -P 1 -s 1000 -l 1000000
}

@test "sched seccomp-notify: each call of the child is answered" {
	for how in "" -s; do
		run "$PERF" bench sched seccomp-notify -l 300 $how
		[ "$how$status" = -s1 ] && [[ "$output" == *"Linux 6.6"* ]] && continue
		[ "$status" -eq 0 ]
		[[ "$output" == *"# Executed 300 system calls"* ]]
	done
}

@test "syscall: the calls are really made, and counted" {
	command -v strace >/dev/null || skip "no strace"
	strace -f -c -o calls "$PERF" bench syscall basic -l 700
	[ "$(awk '$NF == "getppid" { print $4 }' calls)" -ge 700 ]
	strace -f -c -o calls "$PERF" bench syscall getpgid -l 300
	[ "$(awk '$NF == "getpgid" { print $4 }' calls)" -ge 300 ]
	strace -f -c -o calls "$PERF" bench syscall execve -l 20
	[ "$(awk '$NF == "execve" { print $4 }' calls)" -eq 21 ]
	run "$PERF" bench syscall fork -l 20
	[ "$status" -eq 0 ]
	[[ "$output" == *"# Executed 20 fork() calls"* ]]
}

@test "mem: each function by name, sizes and units, and one number" {
	for b in memcpy memset mmap; do
		run "$PERF" bench mem $b -f help
		[ "$status" -eq 0 ]
		names=$(awk '/ \.\.\. / { print $1 }' <<<"$output")
		[ -n "$names" ]
		for f in $names; do
			run "$PERF" bench -f simple mem $b -f "$f" -s 64kb -l 3
			[ "$status" -eq 0 ]
			grep -qE '^[0-9]+\.[0-9]+$' <<<"$output"
		done
	done
	run "$PERF" bench mem memcpy -f default -s 2MB
	[[ "$output" == *"# function 'default' (Default memcpy() provided by glibc)"*"# Copying 2MB bytes ..."* ]]
	grep -qE '^ +[0-9.]+ (MB|GB)/sec$' <<<"$output"
	# smaller calls cost more
	run "$PERF" bench mem memset -f default -s 1MB -k 64 -l 2
	[ "$status" -eq 0 ]
}

@test "mem: what makes no sense is refused" {
	for args in "-s 0" "-s x" "-s -1" "-l 0" "-p 8KB" "-k 2MB" "-f nothing"; do
		run "$PERF" bench mem memcpy $args
		[ "$status" -eq 129 ] || { echo "$args: $status $output"; return 1; }
		[[ "$output" == *"error: "* ]]
	done
	run "$PERF" bench mem memcpy -s 1000000TB
	[ "$status" -ne 0 ]
	[[ "$output" == *"error: cannot map 1000000TB of memory: "* ]]
}

@test "mem find_bit: every power of two up to 2048 bits" {
	run "$PERF" bench mem find_bit -i 1 -j 1
	[ "$status" -eq 0 ]
	[ "$(grep -c 'operations' <<<"$output")" -eq 78 ]
	[[ "$output" == *"1 operations 2048 bits set of 2048 bits"* ]]
	# one run does not deviate: a line is not about the sizes before it
	[ "$(grep -c '(+- 0.000 usec)' <<<"$output")" -eq 156 ]
}

@test "numa mem: figures that fit each other, binding, memory of each kind" {
	for how in "-P 4" "-T 4 -Z --no-data_rand_walk" "-G 4 --no-data_rand_walk -0" "-P 4 -L 2 -u 1" "-P 4 -H 1 -z"; do
		run "$PERF" bench numa mem -p 2 -t 2 -l 3 -s 0 $how
		[ "$status" -eq 0 ] || { echo "$how: $output"; return 1; }
		[[ "$output" == *"# 4 tasks will execute (on "* ]]
		# data by thread times threads; speed times time, which is rounded to milliseconds
		holds '$NF == "data/thread" { d = $2 } $NF == "data-total" { t = $2 } $NF == "runtime-max/thread" { s = $2 }
			$NF == "total-speed" { v = $2 } END { e = t - 4 * d; f = t - s * v; most = 0.0006 * v + 0.001; exit !(e * e < 0.0001 && f * f < most * most) }'
	done
	# three loops of two processes over 1 MB each and over 1 MB of their own
	run "$PERF" bench -j numa mem -p 2 -t 1 -l 3 -s 0 -P 1
	python3 -c 'import json, sys; m = {x["name"]: x["value"] for x in json.loads(sys.argv[1])["metrics"]}; assert abs(m["data-total"] - 12 * 1048576 / 1e9) < 1e-9, m' "$output"
	run "$PERF" bench numa mem -p 1 -t 2 -l 2 -s 0 -C 0x2 -M 0 -q
	[ "$status" -eq 0 ]
	[ "$(grep -c 'secs slowest (max) thread-runtime' <<<"$output")" -eq 1 ]
	run "$PERF" bench numa mem -l 1 -C 1000
	[[ "$output" == *"Test not applicable, system has only "*" CPUs."* ]]
	for args in "-C x" "-P -1" "-p 0" "-L 5" "-G 0" "-M 0-" "-l 0"; do
		run timeout 20 "$PERF" bench numa mem $args
		[ "$status" -eq 129 ] || { echo "$args: $status $output"; return 1; }
	done
}

@test "futex wake, wake-parallel, requeue: as many runs as asked for, and all threads" {
	for b in "wake -w 2" wake-parallel requeue "requeue -B" "requeue -p"; do
		run "$PERF" bench -r 2 futex $b -t 4
		[ "$status" -eq 0 ] || { echo "$b: $output"; return 1; }
		[ "$(grep -c '^\[Run ' <<<"$output")" -eq 2 ]
		[[ "$output" == *" 4 "*"threads"* ]]
		run "$PERF" bench -r 1 futex $b -t 4 -s
		! grep -q '^\[Run ' <<<"$output" || false
	done
	run "$PERF" bench futex wake-parallel -t 4 -w 3
	[ "$status" -eq 129 ]
	[[ "$output" == *"3 waking threads cannot share 4 threads evenly"* ]]
}

@test "futex hash, lock-pi: the mean is that of the threads; SIGINT ends it with figures" {
	for b in "hash -f 16" "hash -f 1" lock-pi "lock-pi -M"; do
		run "$PERF" bench futex $b -t 3 -r 0
		[ "$status" -eq 0 ]
		[ "$(grep -c '^\[thread' <<<"$output")" -eq 3 ]
		# rates of threads are cut to whole numbers
		holds '/ops\/sec/ { sum += $(NF - 2); n++ } /^Averaged/ { mean = $2 } END { d = mean - sum / n; exit !(n == 3 && d > -2 && d < 2) }'
	done
	run timeout -s INT 0.5 "$PERF" bench futex hash -r 60
	[[ "$output" == *"Averaged "* ]]
}

@test "futex hash --buckets: as many as asked for, or refused with the reason" {
	run "$PERF" bench futex hash -r 0 -t 1 -b 64
	if [ "$status" -eq 0 ]; then
		[[ "$output" == *"Futex hashing: 64 hash buckets"* ]]
	else
		[[ "$output" == *"Linux 6.16"* ]]
	fi
	run "$PERF" bench futex hash -r 0 -t 1 -b 3
	[ "$status" -eq 1 ]
}

@test "epoll wait and ctl in all forms" {
	for how in "" -m -S -E -B "-N 3 -m" "-R -n" "-N 9"; do
		run "$PERF" bench epoll wait -r 0 -t 2 -f 4 $how
		[ "$status" -eq 0 ] || { echo "$how: $output"; return 1; }
		[ "$(grep -c '^\[thread' <<<"$output")" -eq 2 ]
	done
	for how in "" -R "-N 2"; do
		run "$PERF" bench epoll ctl -r 0 -t 2 -f 4 $how
		[ "$status" -eq 0 ]
		[[ "$output" == *"Averaged "*" ADD operations"*"MOD operations"*"DEL operations"* ]]
	done
	# in order each is added, modified and deleted as often
	run "$PERF" bench epoll ctl -r 0 -t 1 -f 4
	holds '/ADD/ { a = $2 } /MOD/ { m = $2 } /DEL/ { d = $2 } END { exit !(a == m && m == d && a >= 4) }'
}

@test "internals: what perf itself does" {
	run "$PERF" bench internals synthesize -i 3
	[ "$status" -eq 0 ]
	[[ "$output" == *"synthesizing events on the perf process itself:"*"Average data synthesis took: "* ]]
	run "$PERF" bench internals synthesize -t -I 1 -m 2 -M 2
	[ "$status" -eq 0 ]
	[[ "$output" == *"Number of synthesis threads: 2"*"Average num. events: "* ]]
	run "$PERF" bench internals pmu-scan -i 2
	[ "$status" -eq 0 ]
	[[ "$output" == *"Computing performance of sysfs PMU event scan for 2 times"*"Average core PMU scanning took: "* ]]
	run "$PERF" bench internals inject-build-id -i 1 -m 5 -n 5
	[ "$status" -eq 0 ]
	[[ "$output" == *"Average build-id injection took: "*"Average build-id-all injection took: "* ]]
	run "$PERF" bench internals evlist-open-close -i 2 -n 3 -e cpu-clock:u
	[ "$status" -eq 0 ]
	[[ "$output" == *$'Number of events:\t3 ('*"Average open-close took: "* ]]
	run "$PERF" bench internals evlist-open-close -e nonsense
	[ "$status" -eq 1 ]
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run "$PERF" bench internals kallsyms-parse -i 1
	[ "$status" -eq 0 ]
}

@test "breakpoint: threads and switching" {
	"$PERF" stat -e mem:0x1000:rw true 2>/dev/null || skip "no breakpoints here"
	run "$PERF" bench -r 5 breakpoint thread -b 2 -p 2 -t 3
	[ "$status" -eq 0 ] || [[ "$output" == *"breakpoint"* ]]
	[[ "$output" == *"# Created/joined 15 threads with 2 breakpoints and 2 parallelism"* ]]
	run "$PERF" bench -r 3 breakpoint enable -p 2 -a 1
	[ "$status" -eq 0 ]
	[[ "$output" == *"# Enabled/disabled breakpoint 3 time with 2 passive and 1 active threads"* ]]
}

@test "uprobe: the program runs at each call, and the probe is gone afterwards" {
	[ "$(id -u)" -eq 0 ] || skip "not root"
	run "$PERF" bench uprobe baseline -l 5
	[ "$status" -eq 0 ]
	[[ "$output" == *"# Executed 5 usleep(1000) calls"* ]]
	[ -d /sys/bus/event_source/devices/uprobe ] || skip "no uprobe PMU"
	for b in empty trace_printk empty_ret trace_printk_ret; do
		run "$PERF" bench uprobe $b -l 5
		[ "$status" -eq 0 ] || { echo "$output"; return 1; }
		holds '/usecs\/op/ { exit !($1 >= 1000) }'
	done
	# the message arrives once for each call, at entry or return
	run "$PERF" stat -x, -e bpf_trace:bpf_trace_printk -- "$PERF" bench uprobe trace_printk -l 7
	[[ "$output" == *"7,,bpf_trace:bpf_trace_printk,"* ]]
	run "$PERF" stat -x, -e bpf_trace:bpf_trace_printk -- "$PERF" bench uprobe trace_printk_ret -l 4
	[[ "$output" == *"4,,bpf_trace:bpf_trace_printk,"* ]]
}

@test "--json: an object a line, with the figures" {
	"$PERF" bench -j sched pipe -l 500 >one
	"$PERF" bench --json mem memcpy >>one
	"$PERF" bench -j -r 1 futex wake >>one
	python3 - <<-'END'
		import json
		names = []
		for line in open("one"):
		    d = json.loads(line)
		    names.append(d["benchmark"])
		    assert d["metrics"], d
		    for m in d["metrics"]:
		        assert set(m) == {"name", "value", "unit"} and m["value"] >= 0, m
		assert names[:2] == ["sched/pipe", "mem/memcpy"], names
		m = {x["name"]: x["value"] for x in json.loads(open("one").readline())["metrics"]}
		assert abs(m["total-time"] * 1e6 / 500 - m["time-per-operation"]) < 0.01
	END
}

@test "wrong use" {
	run "$PERF" bench nothing
	[ "$status" -eq 129 ]
	[[ "$output" == *"error: there is no collection 'nothing' of benchmarks"* ]]
	run "$PERF" bench sced
	[[ "$output" == *"hint: did you mean 'sched'?"* ]]
	run "$PERF" bench sched pip
	[ "$status" -eq 129 ]
	[[ "$output" == *"the collection 'sched' has no benchmark 'pip'"*"hint: did you mean 'pipe'?"* ]]
	for args in "-f x" "-r 0" "-f simple -j sched" "sched pipe -l 0" "sched pipe -l -3" "sched pipe extra" \
		"sched pipe --nonsense" "sched pipe -G one" "sched messaging -g 0" "all -l 3" "sched all -l 3" \
		"sched pipe -l abc" "mem memcpy -s x" "futex hash -t x" "numa mem -p x" "syscall basic -l 0" "futex wake -w 0" "epoll wait -f 0" "breakpoint thread -t 0" \
		"internals inject-build-id -m 0" "internals synthesize -m 0" "uprobe baseline -l 0"; do
		run timeout 10 "$PERF" bench $args
		[ "$status" -eq 129 ] || { echo "$args: $status $output"; return 1; }
		[[ "$output" == "error: "* ]] || { echo "$args: $output"; return 1; } # nothing comes before it
	done
	run "$PERF" bench sched pipe -l 3 -G /no/such/a,/no/such/b
	[ "$status" -eq 1 ]
	[[ "$output" == *"/no/such/"* || "$output" == "error: no cgroup hierarchy is mounted"* ]]
}

@test "--help of a collection is the page" {
	"$PERF" bench --help >page
	"$PERF" bench sched --help >sched
	grep -q 'perf-bench' page
	diff page sched
}
