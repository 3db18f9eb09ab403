#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in a guest: it needs neither a compiler nor another perf.
# A reader that has stopped reading, but has not gone: one signal ends perf all the same.

setup() {
	PERF=${PERF:?the binary to test}
	cd "$BATS_TEST_TMPDIR"
	cat >stuck.py <<-'EOF'
	# stuck.py SIGNAL COMMAND...: prints how COMMAND ended on that signal, sent when nobody had read for a while
	import fcntl, os, select, signal, subprocess, sys, time
	F_SETPIPE_SZ = 1031
	r, w = os.pipe()
	fcntl.fcntl(w, F_SETPIPE_SZ, 4096)
	err = open("err", "w")
	p = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=w, stderr=err)
	until = time.time() + 60
	full = 0
	while full < 5 and time.time() < until and p.poll() is None:
	    full = 0 if select.select([], [w], [], 0)[1] else full + 1
	    time.sleep(0.1)
	if full < 5:
	    sys.exit("the pipe did not fill up")
	p.send_signal(getattr(signal, sys.argv[1]))
	try:
	    print(p.wait(30))
	except subprocess.TimeoutExpired:
	    p.kill()
	    print("did not end", p.wait())
	EOF
}

ends_by() { # STATUS SIGNAL COMMAND...
	local want=$1
	shift
	run python3 stuck.py "$@"
	[ "$output" = "$want" ] || { echo "$*: $output"; cat err; return 1; }
}

@test "one SIGINT ends perf record -o - whose reader has stopped reading, also with --aio" {
	ends_by -2 SIGINT "$PERF" record -q -e cpu-clock -c 100000 -o - -- "$PERF" test -w noploop 60
	ends_by -2 SIGINT "$PERF" record -q -e cpu-clock -c 100000 --aio -o - -- "$PERF" test -w noploop 60
	ends_by -15 SIGTERM "$PERF" record -e cpu-clock -c 100000 -o - -- "$PERF" test -w noploop 60
	grep -qx 'warning: the stream is incomplete: its reader had stopped reading when the recording was ended' err
	! grep -q '^error' err || return 1
}

@test "one signal ends perf stat -I and perf top --stdio" {
	for signal in SIGINT:-2 SIGTERM:-15; do
		ends_by "${signal#*:}" "${signal%:*}" "$PERF" stat -I 1 -x, -o /dev/stdout -e cpu-clock,task-clock,page-faults -- "$PERF" test -w noploop 60
		ends_by "${signal#*:}" "${signal%:*}" "$PERF" top --stdio -d 1 -e cpu-clock -s pid,comm,cpu,dso,sym,srcline --iterations 600
	done
}

@test "one signal ends perf trace" {
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || [ -e /sys/kernel/debug/tracing/events/raw_syscalls ] || skip "no tracepoints of system calls"
	ends_by -2 SIGINT "$PERF" trace -o /dev/stdout -- sh -c 'while :; do /bin/true; done'
}

@test "a reader that is slow still gets everything after the signal" {
	"$PERF" record -q -e cpu-clock -c 1000000 -o - -- "$PERF" test -w noploop 60 3>&- 2>err |
		python3 -c '
import os, signal, sys, time
data = b""
more = b"-"
while more and b"perf-noploop" not in data: # the workload runs under its own name
    more = os.read(0, 4096)
    data += more
time.sleep(0.5)
for task in os.listdir("/proc"):
    if task.isdigit() and os.path.exists("/proc/%s/cmdline" % task):
        try:
            words = open("/proc/%s/cmdline" % task, "rb").read().split(b"\0")
            mine = os.getpgid(int(task)) == os.getpgid(0)
        except OSError:
            continue
        if mine and b"record" in words and b"cpu-clock" in words and b"-o" in words:
            os.kill(int(task), signal.SIGINT)
while True:
    more = os.read(0, 2048)
    if not more:
        break
    data += more
    time.sleep(0.02)
open("d", "wb").write(data)
'
	"$PERF" script -i d -F comm >out 2>err
	[ ! -s err ] || { cat err; return 1; }
	grep -q perf-noploop out
}
