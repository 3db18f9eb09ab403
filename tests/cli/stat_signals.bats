#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf stat and signals: who ends by them, what is printed, what perf itself ends with.

bats_require_minimum_version 1.5.0
load wait

RIVAL=${RIVAL_PERF:-/usr/bin/perf}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >signals.py <<-'END'
		# signals.py PERF COLUMN: runs each row of the table on standard input,
		#   ARGS | signal | to whom | ends early or at its end | ours ends with | 6.1 ends with
		# all at once; prints each row that came out otherwise. An end is a status or a signal's name.
		import os, signal, subprocess, sys, threading, time

		perf, column = sys.argv[1], int(sys.argv[2])
		COMMANDS = {
		    'SLEEP': ['sh', '-c', 'echo $$ >ready; exec sleep 2'],
		    'TRAP': ['sh', '-c', 'trap "exit 7" INT TERM; echo $$ >ready; '
		             'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; done'],
		}

		def is_ready(pid, has_command, where):
		    if has_command:
		        path = where + '/ready'
		        return os.path.exists(path) and os.path.getsize(path) > 0
		    try:
		        fds = os.listdir('/proc/%d/fd' % pid)
		        return any('perf_event' in os.readlink('/proc/%d/fd/%s' % (pid, f)) for f in fds)
		    except OSError:
		        return False

		def members(group):
		    found = []
		    for pid in filter(str.isdigit, os.listdir('/proc')):
		        try:
		            fields = open('/proc/%s/stat' % pid).read().rsplit(')', 1)[1].split()
		        except OSError:
		            continue
		        if int(fields[2]) == group and fields[0] != 'Z':
		            found.append(int(pid))
		    return found

		def run(row, number):
		    args, name, to, when = row[0], row[1], row[2], row[3]
		    where = 'row%d.%d' % (column, number)
		    os.mkdir(where)
		    words, command = [], None
		    for word in args.split():
		        word = str(os.getpid()) if word == 'SELF' else word
		        command = COMMANDS.get(word, command)
		        words += COMMANDS.get(word, [word])
		    p = subprocess.Popen([perf, 'stat', '-e', 'cs'] + words, stdout=subprocess.DEVNULL,
		                         stderr=open(where + '/err', 'wb'), cwd=where, start_new_session=True)
		    end = time.time() + 60
		    while not is_ready(p.pid, command, where) and time.time() < end:
		        time.sleep(0.02)
		    time.sleep(0.1)
		    sig = getattr(signal, 'SIG' + name)
		    if to == 'perf':
		        os.kill(p.pid, sig)
		    elif to == 'group':
		        os.killpg(p.pid, sig)
		    else:
		        os.kill(int(open(where + '/ready').read()), sig)
		    sent = time.time()
		    try:
		        code = p.wait(60)
		    except subprocess.TimeoutExpired:
		        code = None
		    took = time.time() - sent
		    got = 'nothing' if code is None else signal.Signals(-code).name[3:] if code < 0 else str(code)
		    bad = got not in row[column].split('/')
		    if column == 4:
		        time.sleep(0.2)
		        left = members(p.pid)
		        text = open(where + '/err').read()
		        # whole: it lasted, early: much shorter, though the machine is busy
		        bad |= bool(left) or (when == 'whole') != (took > 1.2) or ' cs ' not in text
		        bad |= 'time elapsed' not in text and '-I' not in args
		        got += ', %d left, after %.1f s, printed %s' % (len(left), took, text.split())
		    try:
		        os.killpg(p.pid, signal.SIGKILL)
		    except OSError:
		        pass
		    if bad:
		        failed.append('%s: not %s, but %s' % (' | '.join(row), row[column], got))

		failed, threads = [], []
		for number, line in enumerate(l for l in sys.stdin if l.strip()):
		    row = [field.strip() for field in line.split('|')]
		    threads.append(threading.Thread(target=run, args=(row, number)))
		    if len(threads) % 4 == 0:
		        for t in threads[-4:]:
		            t.start()
		        for t in threads[-4:]:
		            t.join()
		for t in threads[len(threads) // 4 * 4:]:
		    t.start()
		    t.join()
		print('\n'.join(failed))
		sys.exit(bool(failed) or not threads)
	END
	# 6.1 ends with 0 or by SIGINT, as SIGCHLD came last or first.
	# Where the last columns differ, 6.1 leaves the command running, goes on with the next run, hides
	# that the command died, or prints nothing.
	cat >table <<-'END'
		SLEEP          | INT  | perf  | whole | 0    | 0
		-a SLEEP       | INT  | perf  | whole | 0    | 0
		-p SELF SLEEP  | INT  | perf  | whole | 0    | 0
		TRAP           | INT  | perf  | whole | 0    | 0
		-I 300 SLEEP   | INT  | perf  | early | INT  | INT
		-r 2 SLEEP     | INT  | perf  | whole | INT  | 0/INT
		-r 0 SLEEP     | INT  | perf  | early | INT  | INT
		-a             | INT  | perf  | early | INT  | INT
		-p SELF        | INT  | perf  | early | INT  | INT
		-a -I 300      | INT  | perf  | early | INT  | INT
		SLEEP          | INT  | group | early | INT  | 0/INT
		-a SLEEP       | INT  | group | early | INT  | 0/INT
		TRAP           | INT  | group | early | 7    | 7/INT
		-I 300 SLEEP   | INT  | group | early | INT  | 0/INT
		-r 2 SLEEP     | INT  | group | early | INT  | 0/INT
		-r 2 TRAP      | INT  | group | early | INT  | 0/INT
		-r 0 SLEEP     | INT  | group | early | INT  | 0/INT
		SLEEP          | INT  | child | early | 130  | 0
		TRAP           | INT  | child | early | 7    | 7
		SLEEP          | TERM | perf  | early | TERM | TERM
		TRAP           | TERM | perf  | early | TERM | TERM
		-I 300 SLEEP   | TERM | perf  | early | TERM | TERM
		-r 2 SLEEP     | TERM | perf  | early | TERM | TERM
		-a             | TERM | perf  | early | TERM | TERM
		-p SELF        | TERM | perf  | early | TERM | TERM
		SLEEP          | TERM | group | early | TERM | TERM
		SLEEP          | TERM | child | early | 143  | 0
		TRAP           | TERM | child | early | 7    | 7
		SLEEP          | HUP  | perf  | early | HUP  | HUP
	END
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

teardown() {
	end_jobs
}

@test "each signal, to perf, its group or the command: who ends, how, and with what results" {
	python3 signals.py "$PERF" 4 <table
}

@test "the same table holds what Debian's perf ends with" {
	command -v "$RIVAL" >/dev/null || skip "no $RIVAL (Debian package linux-perf)"
	# its own -r 2 runs the command once more
	python3 signals.py "$RIVAL" 5 <table
}

@test "-r leaves out a run that a signal cuts short, unless it is the first" {
	cat >third <<-'END'
		echo >>runs
		[ $(grep -c '' runs) -lt 3 ] || { eval "kill -$*"; sleep 20; }
	END
	# a shell in the background has SIGINT ignored
	own='import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.setsid()
os.execvp("timeout", ["timeout", "--foreground", "60"] + sys.argv[1:])'
	for ends in 'TERM $PPID' 'INT 0'; do
		rm -f runs
		run python3 -c "$own" "$PERF" stat -r 5 -e page-faults sh -c ". ./third" sh "$ends"
		[[ "$output" == *"(2 runs)"* ]]
	done
}

@test "a loop of the shell ends with the measurement that Ctrl-C ends" {
	cat >loop <<-'END'
		for i in 1 2 3; do
			echo $i >>rounds
			"$PERF" stat -a -e cs
		done
		echo on >>rounds
	END
	: >rounds
	# a shell in the background has SIGINT ignored, one in a terminal has not
	python3 -c 'import os, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); os.setsid()
os.execvp("timeout", ["timeout", "--foreground", "60", "bash", "loop"])' 2>/dev/null 3>&- &
	loop=$!
	until_true test -s rounds
	perf_opened() {
		local pid

		pid=$(pgrep -g "$loop" -x perf) && ls -l "/proc/$pid/fd" | grep -q perf_event
	}
	until_true perf_opened
	kill -INT -- -"$loop"
	wait $loop || :
	[ "$(cat rounds)" = 1 ]
}

@test "under nohup a hang-up ends nothing" {
	(
		trap '' HUP
		exec "$PERF" stat -e cs sh -c 'echo $$ >ready; until [ -e go ]; do sleep 0.05; done' 2>results
	) 3>&- &
	pid=$!
	until_true test -s ready
	kill -HUP $pid
	touch go
	wait $pid
	grep -q 'time elapsed' results
}

@test "a signal in the delay of -D ends the run, without counting" {
	for sig in TERM HUP INT; do
		rm -f out
		begin=$SECONDS
		"$PERF" stat -D 300s -x, -o out -a -e cs -I 1000 2>err 3>&- &
		pid=$!
		until_true eval 'ls -l /proc/$pid/fd | grep -q perf_event'
		kill -$sig $pid
		wait $pid && code=0 || code=$?
		[ $code -eq $((128 + $(kill -l $sig))) ]
		cat out
		grep -q ',<not counted>,,cs,' out
		[ $((SECONDS - begin)) -lt 200 ]
	done
	# a command is ended, too
	"$PERF" stat -D 300s -x, -o out -e cs sleep 299 2>err 3>&- &
	pid=$!
	until_true eval 'pgrep -P $pid -x sleep'
	child=$(pgrep -P $pid -x sleep)
	kill $pid
	wait $pid && code=0 || code=$?
	[ $code -eq 143 ]
	[ ! -e /proc/$child ]
}

@test "a command that ends in the delay of -D ends the run" {
	begin=$SECONDS
	"$PERF" stat -D 300s -x, -o out -e cs sh -c 'exit 3' && code=0 || code=$?
	[ $code -eq 3 ]
	[ $((SECONDS - begin)) -lt 200 ]
	grep -q '^<not counted>,,cs,' out
}

@test "SIGINT to perf alone does not cut the delay short" {
	"$PERF" stat -D 60s -x, -o out -e cs,duration_time sh -c ': >ready; exec sleep 1' 2>err 3>&- &
	pid=$!
	until_true test -e ready
	kill -INT $pid
	wait $pid
	grep -q '^<not counted>,,cs,' out
}
