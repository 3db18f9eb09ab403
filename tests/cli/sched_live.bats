#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# perf sched latency --bpf: delays as the kernel counts them, against a recording of the same work.
bats_require_minimum_version 1.5.0

ROUNDS=3000

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	# two processes on one CPU that wake each other: each read is a wait for a CPU
	cat >work.py <<-'END'
	import os, sys
	cpu = min(os.sched_getaffinity(0)) if len(sys.argv) < 3 else int(sys.argv[2])
	os.sched_setaffinity(0, {cpu})
	open("/proc/self/comm", "w").write("pipework")
	a, b, rounds = os.pipe(), os.pipe(), int(sys.argv[1])
	if not os.fork():
	    for i in range(rounds):
	        os.read(a[0], 1); os.write(b[1], b"x")
	    os._exit(0)
	for i in range(rounds):
	    os.write(a[1], b"x"); os.read(b[0], 1)
	os.wait()
	END
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" sched latency --bpf -- true >/dev/null 2>said || skip "no BPF here: $(cat said)"
}

# What the counted histograms of stdin make together, by their slots and by their last lines.
sums() {
	awk '/\|$/ { slots += $4 } /^  count / { n += $2 } END { print n + 0, slots + 0 }'
}

@test "delays are those of a recording of the same work" {
	"$PERF" sched record -q -o d -- "$PERF" sched latency --bpf --hist-mode=task -- \
		python3 work.py $ROUNDS 1>counted 2>said
	"$PERF" sched latency -i d >recorded
	read -r n avg < <(awk '/Delays of pipework/ { on = 1 } on && /^  count/ { print $2 + 0, $4; exit }' counted)
	read -r want want_avg < <(awk -F'|' '/^  pipework/ { n = $3; sub(/.*avg:/, "", $4); print n + 0, $4 + 0 }' recorded)
	echo "counted $n of $avg ms, recorded $want of $want_avg ms"
	# each side waits once in a round, but for the rounds in which nobody had to sleep
	[ "$n" -ge $((ROUNDS * 19 / 10)) ]
	awk -v a="$n" -v b="$want" 'BEGIN { exit !(a > b * .97 - 5 && a < b * 1.03 + 5) }'
	awk -v a="$avg" -v b="$want_avg" 'BEGIN { exit !(a > b * .7 - .002 && a < b * 1.3 + .002) }'
}

@test "rows of one name are one, and --pids parts them" {
	"$PERF" sched latency --bpf --hist-mode task -- python3 work.py 300 >merged
	grep -q 'Delays of pipework:(2)$' merged
	[ "$(grep -c 'Delays of pipework' merged)" -eq 1 ]
	"$PERF" sched latency --bpf --hist-mode task -p -s pid -- python3 work.py 300 >parted
	[ "$(grep -c 'Delays of pipework:[0-9]*$' parted)" -eq 2 ]
	sed -n 's/.*Delays of .*:\([0-9]*\)$/\1/p' parted >tids
	sort -nr tids | cmp - tids || sort -n tids | cmp - tids
}

@test "by CPU, and --CPU takes one of them" {
	cpu=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
	"$PERF" sched latency --bpf --hist-mode=cpu -- python3 work.py 1000 "$cpu" >counted
	n=$(awk -v cpu="$cpu" '$0 == "  Delays on CPU " cpu { on = 1 } on && /^  count/ { print $2 + 0; exit }' counted)
	[ "$n" -ge 1900 ]
	"$PERF" sched latency --bpf --hist-mode=cpu -C "$cpu" -- python3 work.py 1000 "$cpu" >counted
	[ "$(grep -c 'Delays on CPU' counted)" -eq 1 ]
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	other=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
	"$PERF" sched latency --bpf --hist-mode=task -C "$other" -- python3 work.py 1000 "$cpu" >counted
	n=$(awk '/Delays of pipework/ { on = 1 } on && /^  count/ { print $2 + 0; exit }' counted)
	[ "${n:-0}" -lt 100 ]
}

@test "by cgroup, with its path" {
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "no cgroup2 file system is mounted"
	group=perf-sched-live-$$
	mkdir "$mount/$group" 2>/dev/null || skip "no cgroup can be made"
	"$PERF" sched latency --bpf --hist-mode=cgroup -- sh -c "echo \$\$ >'$mount/$group/cgroup.procs' &&
		exec python3 work.py 1000" >counted && code=0 || code=$?
	rmdir "$mount/$group"
	[ "$code" -eq 0 ]
	n=$(awk -v name="/$group" '$0 == "  Delays of " name { on = 1 } on && /^  count/ { print $2 + 0; exit }' counted)
	echo "$n of $group"
	[ "$n" -ge 1900 ] && [ "$n" -lt 3000 ]
}

@test "each interval has its own delays, and none is lost between two" {
	"$PERF" sched latency --bpf --hist-mode task -I 0.05 -- python3 work.py 20000 >counted
	[ "$(grep -c '^# after ' counted)" -ge 3 ]
	awk '/Delays of/ { on = /pipework/ } on' counted | sums >made
	read -r n slots <made
	echo "$n delays, $slots in slots"
	[ "$n" -eq "$slots" ]
	[ "$n" -ge 39000 ] && [ "$n" -lt 44000 ]
}

@test "a long wait is in its slot" {
	# the second spinner waits while the first, of the higher priority, runs for 60 ms
	cat >spin.py <<-'END'
	import os, time
	os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
	a = os.pipe()
	if not os.fork():
	    open("/proc/self/comm", "w").write("waiter")
	    os.write(a[1], b"r")
	    time.sleep(.05)
	    os._exit(0)
	os.read(a[0], 1)
	os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
	end = time.monotonic() + .15
	while time.monotonic() < end: pass
	os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
	os.wait()
	END
	python3 -c 'import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))' || skip "no real-time priority"
	"$PERF" sched latency --bpf --hist-mode task -- python3 spin.py >counted
	awk '/Delays of waiter/ { on = 1 } on && /^  count/ { print; exit }' counted >line
	cat line
	max=$(sed 's/.* max \([0-9.]*\) ms.*/\1/' line)
	awk -v max="$max" 'BEGIN { exit !(max > 80 && max < 400) }'
}

@test "who was preempted waits, too" {
	# each of two uses 0.3 s of one CPU, and so one waits while the other runs
	cat >two.py <<-'END'
	import os, time
	os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
	open("/proc/self/comm", "w").write("spinner")
	child = os.fork()
	start = time.process_time()
	while time.process_time() < start + .3: pass
	if child: os.wait()
	END
	"$PERF" sched latency --bpf --hist-mode task -- python3 two.py >counted
	awk '/Delays of spinner/ { on = 1 } on && /^  count/ { print $2 * $4; exit }' counted >ms
	echo "$(cat ms) ms"
	awk '{ exit !($1 > 350) }' ms
}

@test "what does not fit is refused" {
	refused() { # TEXT OPTIONS...
		local text=$1
		shift
		run -129 "$PERF" sched latency "$@"
		[[ "$output" == "error: $text"* ]] || { echo "$output"; return 1; }
	}
	refused "--interval needs --bpf" -I 1
	refused "'true' is one argument too many: only --bpf" true
	refused "--hist-mode=cgroup needs --bpf" --hist-mode cgroup
	refused "--bpf measures what happens now" --bpf -i x
	refused "--bpf measures what happens now" --bpf --time 1,2
	refused "with --bpf, --sort and --pids need" --bpf -s avg
	refused "--pids needs --hist-mode=task" --bpf --hist-mode cgroup -p
	refused "--interval must be more than 0" --bpf -I 0
	refused "--hist-mode must be one of 'all', 'task', 'cpu' and 'cgroup', or of 'log' and 'linear', or one of each, not 'x'" --bpf --hist-mode x
	refused "--hist-mode must be one of 'all', 'task', 'cpu' and 'cgroup', or of 'log' and 'linear', or one of each, not 'task,cpu'" --hist-mode task,cpu
	refused "--hist-mode must be one of 'all', 'task', 'cpu' and 'cgroup', or of 'log' and 'linear', or one of each, not 'log,linear'" --hist-mode log,linear
	refused "--hist-mode=linear does not work with --bpf" --bpf --hist-mode linear
	refused "--sort=runtime does not work with --bpf" --bpf --hist-mode task -s runtime
	run -127 "$PERF" sched latency --bpf -- ./not-there
	[[ "$output" == *"not-there"* ]]
}
