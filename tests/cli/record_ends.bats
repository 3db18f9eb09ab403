#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: how it ends, by signals and by what it was told, and that the file is whole each time.
bats_require_minimum_version 1.5.0

teardown() {
	umount full 2>/dev/null || :
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
}

# ends PERF: a table of what each case ends with: negative numbers are signals.
# A signal goes to perf alone, to perf and its command (as Ctrl-C does), or to the command alone.
ends() {
	python3 - "$1" <<-'X'
	import os, signal, subprocess, sys, time
	HANDLES = "trap 'kill $!; exit 3' INT TERM; : >ready; sleep 20 & wait"
	DIES = ": >ready; exec sleep 20"
	def one(name, options, command, sig, to):
	    if os.path.exists("ready"):
	        os.unlink("ready")
	    words = [sys.argv[1], "record", "-e", "cpu-clock", "-F", "50", "-o", "d"] + options
	    target = None
	    if command is None:
	        target = subprocess.Popen(["sleep", "20"], start_new_session=True)
	        if "-p" in options:
	            words += [str(target.pid)]
	    else:
	        words += ["--", "sh", "-c", command]
	    p = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL,
	                         stderr=subprocess.DEVNULL, preexec_fn=lambda: [
	                             signal.signal(s, signal.SIG_DFL)
	                             for s in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)])
	    begin = time.time()
	    # until the command runs; without one until there is a file
	    while time.time() < begin + 60:
	        if command is not None and os.path.exists("ready"):
	            break
	        if command is None and os.path.exists("d") and os.path.getsize("d") > 0:
	            break
	        time.sleep(0.05)
	    time.sleep(0.3)
	    if to == "perf":
	        os.kill(p.pid, sig)
	    elif to == "both":
	        os.killpg(p.pid, sig)
	    else:
	        for child in subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True,
	                                    text=True).stdout.split():
	            os.kill(int(child), sig)
	    sent = time.time()
	    code = p.wait()
	    late = " late" if time.time() - sent > 15 else ""
	    print(f"{name} {sig.name} to {to}: {code}{late}", flush=True)
	    if target:
	        target.kill()
	        target.wait()
	    if os.path.exists("d"):
	        os.rename("d", f"d.{name}.{sig.name}.{to}".replace(" ", ""))
	for name, options, command in [("dies", [], DIES), ("handles", [], HANDLES), ("-a", ["-a"], None),
	                               ("-a dies", ["-a"], DIES), ("-p", ["-p"], None)]:
	    for sig in (signal.SIGINT, signal.SIGTERM):
	        for to in ("perf", "both", "command"):
	            if command is not None or to != "command":
	                one(name, options, command, sig, to)
	X
}

@test "a signal that ended the recording ends perf, as perf 6.1; otherwise the command's status counts" {
	ends "$PERF" >ours
	diff - ours <<-'X'
	dies SIGINT to perf: -2
	dies SIGINT to both: -2
	dies SIGINT to command: -2
	dies SIGTERM to perf: -15
	dies SIGTERM to both: -15
	dies SIGTERM to command: -15
	handles SIGINT to perf: -2
	handles SIGINT to both: -2
	handles SIGINT to command: 3
	handles SIGTERM to perf: -15
	handles SIGTERM to both: -15
	handles SIGTERM to command: 3
	-a SIGINT to perf: -2
	-a SIGINT to both: -2
	-a SIGTERM to perf: -15
	-a SIGTERM to both: -15
	-a dies SIGINT to perf: -2
	-a dies SIGINT to both: -2
	-a dies SIGINT to command: -2
	-a dies SIGTERM to perf: -15
	-a dies SIGTERM to both: -15
	-a dies SIGTERM to command: -15
	-p SIGINT to perf: -2
	-p SIGINT to both: -2
	-p SIGTERM to perf: -15
	-p SIGTERM to both: -15
	X
	# whatever ended it, the file is whole
	for f in d.*; do
		"$PERF" report -i "$f" --stats >out 2>err || { echo "$f"; cat err; return 1; }
		run ! grep -q 'data size field is 0\|truncated' err
	done
}

@test "perf 6.1 ends by the same signals, but where it passes on its own SIGTERM" {
	[ -x "$ORACLE" ] || skip "no perf to compare with"
	ends "$ORACLE" >theirs
	# a command that gets SIGTERM from perf ends by that; shells that wait in a trap differ, too
	grep -v 'handles SIGTERM\|dies SIGINT to perf' theirs >kept
	ends "$PERF" | grep -v 'handles SIGTERM\|dies SIGINT to perf' | diff kept -
}

@test "Ctrl-C ends a loop of the shell around perf record, too" {
	cat >loop.sh <<-'X'
	for i in 1 2 3; do echo round >>rounds; "$PERF" record -q -e cpu-clock -o d -- sh -c ': >ready; sleep 20'; done
	X
	python3 - <<-'X'
	import os, signal, subprocess, time
	p = subprocess.Popen(["bash", "loop.sh"], start_new_session=True, preexec_fn=lambda:
	                     signal.signal(signal.SIGINT, signal.SIG_DFL))
	while not os.path.exists("ready"):
	    time.sleep(0.05)
	time.sleep(0.2)
	os.killpg(p.pid, signal.SIGINT)
	p.wait()
	X
	[ "$(wc -l <rounds)" -eq 1 ]
}

@test "what was asked to end the recording is no failure: the command's own status or 0" {
	"$PERF" record -q -e cpu-clock --timeout 300 -o d -- sleep 20
	run -3 "$PERF" record -q -e cpu-clock --timeout 60000 -o d -- sh -c 'exit 3'
	"$PERF" record -q -e cpu-clock -F 20000 -g --max-size 100K -o d -- sh -c 'while :; do :; done'
	run bash -c '"$PERF" record -q -e cpu-clock -o d -- sh -c "kill -SEGV \$\$"; echo "status $?"'
	[[ "$output" == *"status 139"* ]]
	[ -z "$(ls core* 2>/dev/null)" ]
}

@test "a limit on the size of files, or a full disk, leaves what was written readable" {
	for how in '' --aio -z '--aio -z'; do
		# SIGXFSZ is not ignored here: perf itself has to survive it
		run bash -c "ulimit -f 48; '$PERF' record $how -F 20000 -g -e cpu-clock -o limited -- \
			sh -c 'i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done'"
		[ "$status" -eq 1 ] || { echo "$how: $output"; return 1; }
		[[ "$output" == *"error: cannot write 'limited': File too large"* ]]
		[ "$("$PERF" script -F time -i limited 2>/dev/null | wc -l)" -gt 10 ] || { echo "$how"; return 1; }
		rm -f limited limited.old
	done
	mkdir full
	mount -t tmpfs -o size=512k none full 2>/dev/null || skip "no mounts here"
	for how in '' --aio; do
		run "$PERF" record $how -F 20000 -g -e cpu-clock -o full/d -- \
			sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done'
		"$PERF" script -F time -i full/d >times 2>/dev/null || :
		"$PERF" report --header-only -i full/d >head 2>/dev/null || :
		rm -f full/d full/d.old
		[ "$status" -eq 1 ] && [ "$(wc -l <times)" -gt 10 ] && grep -q cmdline head ||
			{ umount full; echo "$how $output"; return 1; }
	done
	umount full
}
