#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# How commands that watch a running system end: by a signal, and when their program cannot be run.
# stat and record have tables of their own (stat_signals, record_signals).
bats_require_minimum_version 1.5.0
load wait

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "not root"
}

teardown() {
	end_jobs
}

# dies TEXT WORDS...: perf WORDS is sent SIGINT once it has printed TEXT and dies by it. It is
# started by Python, since a shell would start it with SIGINT ignored.
dies() {
	local text=$1
	shift
	run -0 timeout -k 5 60 python3 -c '
import signal, subprocess, sys, time
with open("printed", "wb") as out:
    p = subprocess.Popen(sys.argv[2:], stdout=out, stderr=subprocess.STDOUT, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
for _ in range(600):
    if sys.argv[1].encode() in open("printed", "rb").read() or p.poll() is not None:
        break
    time.sleep(0.05)
p.send_signal(signal.SIGINT)
code = p.wait()
assert code == -signal.SIGINT, (code, open("printed", "rb").read()[-500:])' "$text" "$PERF" "$@"
}

@test "SIGINT to perf alone: what was seen is printed, and then perf dies by the signal" {
	dies PerfTop top --stdio -d 0.3 -e cpu-clock
	grep -q PerfTop printed
	if [ -e /sys/kernel/tracing/events/raw_syscalls ] || [ -e /sys/kernel/debug/tracing/events/raw_syscalls ]; then
		dies nanosleep trace -e clock_nanosleep,nanosleep -- sh -c 'while :; do sleep 0.1; done'
	fi
	"$PERF" lock contention -b -- true >/dev/null 2>why || skip "no BPF: $(cat why)"
	dies "Starting trace" kwork -k softirq report -b
	grep -q 'Kwork Name' printed
}

@test "a loop of the shell ends when perf in it is ended by SIGINT" {
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || [ -e /sys/kernel/debug/tracing/events/raw_syscalls ] || skip "no tracepoints of system calls"
	run -0 timeout -k 5 60 python3 -c '
import os, pty, sys, time
pid, fd = pty.fork()
if not pid:
    os.execvp("bash", ["bash", "-c", "for i in 1 2 3; do echo round $i; \"$0\" trace -e nanosleep,clock_nanosleep -- sleep 2; done; echo rest", sys.argv[1]])
seen = b""
while b"nanosleep(" not in seen and b"round 2" not in seen:
    seen += os.read(fd, 4096)
    if b"round 1" in seen and b"sent" not in seen:
        time.sleep(1)
        os.write(fd, b"\x03")
        seen += b"sent"
        break
try:
    while True:
        more = os.read(fd, 4096)
        if not more:
            break
        seen += more
except OSError:
    pass
os.waitpid(pid, 0)
assert b"round 2" not in seen and b"rest" not in seen, seen' "$PERF"
}

@test "a program that cannot be run: 127 if there is none, otherwise 126" {
	: >no-program
	for how in "trace" "ftrace latency -T vfs_read" "lock contention -ab"; do
		# shellcheck disable=SC2086 # words
		run "$PERF" $how nosuchprog
		# where the tracer or BPF is missing, that is said first
		[[ "$output" == *"cannot run 'nosuchprog'"* ]] || { [ "$how" != trace ] && [ "$status" -eq 1 ]; } || return 1
		[[ "$output" != *"cannot run 'nosuchprog'"* ]] || [ "$status" -eq 127 ]
		# shellcheck disable=SC2086 # words
		run "$PERF" $how ./no-program
		[[ "$output" != *"cannot run './no-program'"* ]] || [ "$status" -eq 126 ]
	done
}
