#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: calls without a name, numbers by their types, what is selected in files and tables, separated values.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/numbers.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <signal.h>
	#include <sched.h>
	#include <sys/prctl.h>
	#include <sys/resource.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	static void handler(int sig) { (void)sig; }
	int main(void)
	{
		struct sigaction act = { .sa_handler = handler };
		char text[] = "a, \"b\"";

		sigaction(SIGUSR1, &act, NULL);
		syscall(999, 1, 2, 3, 4, 5, 6);
		syscall(570, 0, -1L, 0, 0, 0, 0);
		syscall(5000, 1, 2, 3, 4, 5, 6);
		syscall(6000, 1, 2, 3, 4, 5, 6);
		syscall(-1, 1, 2, 3, 4, 5, 6);
		char name[16];
		struct rlimit limit;
		cpu_set_t cpus;

		kill(getpid(), SIGUSR1);
		prctl(PR_GET_NAME, name, 0, 0, 0);
		syscall(SYS_getrlimit, RLIMIT_CORE, &limit);
		syscall(SYS_sched_getaffinity, 0, sizeof(cpus), &cpus);
		syscall(SYS_write, -1, text, ~0UL);
		syscall(SYS_openat, AT_FDCWD, "/nonexistent/a,b", O_RDONLY);
		syscall(SYS_openat, AT_FDCWD, "/nonexistent/c\"d", O_RDONLY);
		usleep(300000);
		return 0;
	}
	END
	gcc -O1 -w -o "$FILES/numbers" "$FILES/numbers.c"
	cat >"$FILES/again.c" <<-'END'
	#include <pthread.h>
	#include <stdlib.h>
	#include <unistd.h>
	static void *again(void *arg)
	{
		usleep(20000);
		putenv("AGAIN=1");
		execl("/proc/self/exe", "again", (char *)0);
		return arg;
	}
	int main(void)
	{
		pthread_t t;

		if (getenv("AGAIN"))
			return 0;
		pthread_create(&t, 0, again, 0);
		for (;;)
			pause();
	}
	END
	gcc -O1 -w -pthread -o "$FILES/again" "$FILES/again.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
	printf '#!/bin/sh\nexec timeout -k 5 60 %s "$@"\n' "$PERF" >perf-in-time
	chmod +x perf-in-time
	PERF=$PWD/perf-in-time
	cp "$FILES/numbers" numbers
}

teardown() {
	end_jobs
}

# Each way that calls come from: BPF programs where there are any, and tracepoints.
ways() {
	if "$PERF" check -q feature bpf_skeletons && [ -e /sys/kernel/btf/vmlinux ]; then
		echo --bpf
	fi
	echo --no-bpf
}

traced() { # way, arguments...
	local how=$1
	shift
	[ "$how" = --no-bpf ] || how=
	# shellcheck disable=SC2086 # nothing or one option
	"$PERF" trace $how -o out "$@" 2>err
}

lines() {
	sed -E 's/^ *([0-9.]+|\?) \([^)]*\): ((numbers|opens)\/[0-9]+ )?//; s/\) +(= |\.\.\.)/) \1/' "${1:-out}"
}

has() { # line, as fixed text
	lines | grep -qxF -- "$1" || { echo "missing: $1"; cat out; return 1; }
}

@test "a call whose number is in no table is shown with its arguments and its result" {
	for how in $(ways); do
		traced "$how" ./numbers
		has 'syscall_999(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)'
		has 'syscall_570(0, 0xffffffffffffffff, 0, 0, 0, 0) = -1 ENOSYS (Function not implemented)'
		has 'syscall_5000(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)'
		[ "$(uname -m)" != x86_64 ] || has 'syscall_-1(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)'
		traced "$how" -e syscall_999,close ./numbers
		[ "$(lines | sed 's/(.*//' | sort -u | tr '\n' ' ')" = "close syscall_999 " ]
		traced "$how" -e '!syscall_999,close' ./numbers
		[ "$(grep -c syscall_999 out)" -eq 0 ]
		[ "$(grep -c syscall_5000 out)" -eq 1 ]
		# in tables, too; two numbers that no call will ever have share a row
		for table in -s -S; do
			traced "$how" $table ./numbers
			awk '$1 == "syscall_999" && $2 == 1 && $3 == 1 { a = 1 } $1 == "(other" && $3 >= 2 && $3 == $4 { b = 1 }
				END { exit !(a && b) }' out
		done
		traced "$how" -s -e syscall_999 ./numbers
		[ "$(grep -cE '^   [a-z(]' out)" -eq 2 ] # the head, and this one
	done
	"$PERF" trace record -q -o data ./numbers >stdout 2>&1
	"$PERF" trace -i data -e syscall_999 -o out
	has 'syscall_999(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)'
	"$PERF" trace --json -e syscall_999 -o out ./numbers
	grep -q '"syscall": "syscall_999", "args": "0x1, 0x2, 0x3, 0x4, 0x5, 0x6", "result": -38, "error": "ENOSYS"' out
}

@test "the return of a signal handler has its exit, which has no number of its own" {
	for how in $(ways); do
		traced "$how" -e rt_sigreturn,kill ./numbers
		[ "$(lines | sed 's/(.*//' | tr '\n' ' ')" = "kill rt_sigreturn " ]
		has 'rt_sigreturn() = 0'
	done
}

@test "sizes are no negative numbers" {
	for how in $(ways); do
		traced "$how" -e write ./numbers
		lines | grep -qE "^write\(fd: -1, buf: .*, count: $((($(getconf LONG_BIT) == 64)) && echo 18446744073709551615 || echo 4294967295)\) = -1 EBADF"
	done
}

@test "names, limits and sets of CPUs are decoded" {
	[ "$(ways | head -n 1)" = --bpf ] || skip "no BPF programs here"
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
	(ulimit -c 0 && traced --bpf -e prctl,getrlimit,sched_getaffinity taskset -c "$cpu" ./numbers)
	has 'prctl(option: GET_NAME, arg2: "numbers") = 0'
	has 'getrlimit(resource: CORE, rlim: { .rlim_cur: 0, .rlim_max: 0 }) = 0'
	lines | grep -qE "^sched_getaffinity\(len: 128, user_mask_ptr: \[$cpu( \.\.)?\]\) = [0-9]+$" || [ "$cpu" -ge 256 ] || { cat out; return 1; }
}

@test "a recording shows the events of -e that pass their filters" {
	"$PERF" record -q -e sched:sched_process_exec,sched:sched_process_exit -o data -- sh -c '/bin/true; /bin/true; :' 2>err
	"$PERF" trace -i data -o out
	[ "$(grep -c sched_process_exec out)" -eq 3 ]
	[ "$(grep -c sched_process_exit out)" -eq 3 ]
	"$PERF" trace -i data -e sched:sched_process_exec -o out
	[ "$(grep -c sched_process_exec out)" -eq 3 ]
	[ "$(wc -l <out)" -eq 3 ]
	# as a live trace filters
	for filter in 'filename ~ "*/true"' 'COMM == "true" && pid > 1' '!(filename ~ "*/true") || common_pid < 0'; do
		"$PERF" trace -i data -e sched:sched_process_exec --filter "$filter" -o out
		"$PERF" trace -e sched:sched_process_exec --filter "$filter" -o live -- sh -c '/bin/true; /bin/true; :'
		[ "$(wc -l <out)" -eq "$(wc -l <live)" ] || { echo "$filter"; cat out live; return 1; }
		[ "$(wc -l <out)" -ge 1 ]
		[ "$(wc -l <out)" -le 2 ]
	done
	# each filter belongs to the event before it
	"$PERF" trace -i data -e sched:sched_process_exec --filter 'common_pid < 0' -e sched:sched_process_exit -o out
	[ "$(sed 's/(comm.*//; s/.* //' out | sort -u)" = sched:sched_process_exit ]
	run "$PERF" trace -i data -e sched:sched_process_exec --filter 'CPU & CPUS{0-3}'
	[ "$status" -ne 0 ]
	[[ "$output" == *"a recording does not hold this"*"^^^"* ]]
}

@test "tables count what --failure and --duration select" {
	for how in $(ways); do
		for table in -s -S; do
			traced "$how" $table --failure ./numbers
			awk '/^ Summary/ { in_table = 1 } in_table && NF == 8 && $2 ~ /^[0-9]+$/ { n++; bad += $2 != $3; open += $1 == "openat" ? $2 : 0 }
				END { exit !(n > 2 && !bad && open >= 2) }' out
			traced "$how" $table --duration 200 ./numbers
			awk '/^ Summary/ { in_table = 1 } in_table && NF == 8 && $2 ~ /^[0-9]+$/ { quick += $5 < 200; slow += $1 ~ /nanosleep/ }
				END { exit !(!quick && slow == 1) }' out
		done
	done
}

@test "separated values are quoted where they hold the separator" {
	need=$("$PERF" check -q feature bpf_skeletons && [ -e /sys/kernel/btf/vmlinux ] && echo yes || :)
	"$PERF" trace -x, -e openat,write -o out ./numbers 2>err
	NEED=$need python3 - <<-'END'
	import csv, os
	rows = list(csv.reader(open("out")))
	assert all(len(r) == 9 for r in rows), [r for r in rows if len(r) != 9]
	assert all(r[3] == "numbers" and r[6] in ("openat", "write") for r in rows), rows
	texts = [r[7].replace(" /* read at the exit */", "") for r in rows]
	assert any(t.startswith("dfd: CWD, filename: ") for t in texts), texts
	if os.environ["NEED"]:
	    assert 'dfd: CWD, filename: "/nonexistent/a,b", flags: RDONLY' in texts, texts
	    assert 'dfd: CWD, filename: "/nonexistent/c\\"d", flags: RDONLY' in texts, texts
	END
	# a name with a comma, in lines and tables; errors, latencies and the time that it ran are values, too
	cp numbers 'a,b"c'
	"$PERF" trace -s -x, --errno-summary --hist --sched -o out './a,b"c' 2>err
	"$PERF" trace -x, -e openat -o lines './a,b"c' 2>err
	"$PERF" trace -s --json --errno-summary --hist --sched -o objects './a,b"c' 2>err
	"$PERF" trace -x, -e sched:sched_process_exit -o events './a,b"c' 2>err
	python3 - <<-'END'
	import csv, json
	rows = list(csv.reader(open("out")))
	assert all(len(r) == 14 and r[0] == 'a,b"c' for r in rows), rows
	opened = [r for r in rows if r[3] == "openat"][0]
	errors = dict(p.split(":") for p in opened[11].split())
	assert int(errors["ENOENT"]) == int(opened[5]) >= 2, opened
	assert sum(int(p.split(":")[1]) for p in opened[12].split()) == int(opened[4]), opened
	assert int(opened[13]) > 0, opened
	assert all(r[3] == 'a,b"c' for r in csv.reader(open("lines")))
	objects = [json.loads(l) for l in open("objects")]
	assert objects and all(o["runtime"] > 0 for o in objects), objects
	events = list(csv.reader(open("events")))
	assert len(events) == 1 and len(events[0]) == 9 and events[0][7].startswith('comm: "a,b'), events
	END
	"$PERF" trace -s --summary-mode total --sched -o out ./numbers 2>err
	grep -qE '^ total, [0-9]+ events, [0-9]+\.[0-9]{3} msec$' out
}

@test "an exec by a thread that does not lead its process has one entry and one exit" {
	for how in $(ways); do
		traced "$how" -e execve,exit_group "$FILES/again"
		# the thread that began it, and the leader, whose number it has from then on
		awk '/ execve\(.*\.\.\.$/ { split($0, a, /[\/ ]/); began = $0 } /\[continued\]: execve\(\) += 0$/ { ended++ } /entry not seen/ { unseen++ }
			END { exit !(began && ended == 1 && unseen <= 1) }' out || { cat out; return 1; }
		[ "$how" = --no-bpf ] || ! grep -q 'entry not seen' out
	done
	"$PERF" trace record -q -o data "$FILES/again" >stdout 2>&1
	"$PERF" trace -i data -e execve -o out
	[ "$(grep -c '\[continued\]: execve() *= 0$' out)" -eq 1 ]
}

@test "what is about tables needs tables" {
	refuse() { # text, arguments...
		run "$PERF" trace "${@:2}" true
		[ "$status" -eq 129 ] && [[ "$output" == *"$1"* ]] || { echo "$status: $output"; return 1; }
	}
	for option in --hist --sched --bpf-summary --max-summary=3 --summary-mode=total; do
		name=${option%=*}
		refuse "$name is for tables: add -s or -S" $option
	done
	refuse "--summary-mode=cgroup and --sched exclude each other" -s --summary-mode=cgroup --sched
	refuse "--summary-mode=cgroup and -F exclude each other" -S --summary-mode=cgroup -F all
}

@test "options that would select nothing, or not what was asked for" {
	refuse() { # status, text, arguments...
		run "$PERF" trace "${@:3}"
		[ "$status" -eq "$1" ] && [[ "$output" == *"$2"* ]] || { echo "$status: $output"; return 1; }
	}
	refuse 129 "calls to trace and calls to leave out exclude each other" -e '!write' -e read true
	refuse 129 "calls to trace and calls to leave out exclude each other" -e read -e '!write' true
	refuse 129 "'!openat' leaves out a system call, and what precedes it names events" -e 'cpu-clock,!openat' true
	refuse 129 "hint: give each its own option: -e EVENT -e '!openat'" -e 'cpu-clock,!openat' true
	refuse 129 "--fd needs numbers of descriptors" --fd '' true
	refuse 129 "-G needs the name of a cgroup" -a -G '' true
	refuse 129 "without double quotes and line ends" -x '"' true
	refuse 129 "without double quotes and line ends" -x $'\n' true
	refuse 1 "nosuchgroup" -a -G nosuchgroup true
	run ! grep -q 'shown as pointers' <<<"$output"
	# processes that are named are not all processes
	cp "$(command -v sh)" asked
	./asked -c 'while :; do sleep 0.05; done' 3>&- &
	"$PERF" trace -a -p $! -e 'wait*' --max-events 3 -o out 2>err
	kill $!
	wait $! || :
	grep -qx 'warning: -a is left out: -p chooses tasks' err
	run ! grep -vE '(: | )(asked/[0-9]+ )? ?(\.\.\. \[[a-z ]+\]: )?wait' out
}

@test "descriptors have names although -e leaves out the calls that made them" {
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	cat >opens.c <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <sys/socket.h>
	#include <unistd.h>
	int main(void)
	{
		char buf[8];
		int fd = open("/etc/passwd", O_RDONLY), s = socket(AF_UNIX, SOCK_STREAM, 0), fds[2];

		pread(fd, buf, 1, 0);
		pipe(fds);
		pread(s, buf, 2, 0);
		dup2(fd, fds[0]);
		pread(fds[0], buf, 3, 0);
		close(fd);
		fd = open("/etc/group", O_RDONLY);
		pread(fd, buf, 4, 0);
		return 0;
	}
	END
	gcc -w -o opens opens.c
	"$PERF" trace -e pread64 -o out ./opens
	lines | grep -E 'count: [1-4],|count: [1-4]\)' | sed 's/fd: [0-9]*/fd: /; s/, buf.*count: /, /; s/,* *offset.*//; s/).*//' >named
	diff named - <<-'END'
	pread64(fd: </etc/passwd>, 1
	pread64(fd: <UNIX>, 2
	pread64(fd: </etc/passwd>, 3
	pread64(fd: </etc/group>, 4
	END
	# whether the calls that are followed failed or were fast makes no difference, and they are neither shown nor counted
	"$PERF" trace --failure -S -e pread64 -o out ./opens
	lines | grep -qE '^pread64\(fd: [0-9]+<UNIX>, .*= -1 '
	run grep -cE 'open|dup2|close|pipe' <(lines | sed 's/ opens (.*//')
	[ "$output" = 0 ]
}

@test "a page fault that the kernel causes in a program's memory names the file there" {
	cat >touches.c <<-'END'
	#include <fcntl.h>
	#include <sys/mman.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		int fd = open(argv[0], O_RDONLY), zero = open("/dev/zero", O_RDONLY);
		char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

		return read(zero, p, 1) != 1;
	}
	END
	gcc -w -o touches touches.c
	"$PERF" trace -F all -o out ./touches
	grep -qE '(min|maj)fault \[.*\] => [^ ]*/touches@0x0 \(dk\)$' out || { cat out; false; }
}

@test "--signals shows signals that are delivered, and how tasks end" {
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	cat >signals.c <<-'END'
	#include <signal.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static void handle(int sig) { }
	int main(void)
	{
		int child;

		signal(SIGUSR1, handle);
		signal(SIGCHLD, handle);
		kill(getpid(), SIGUSR1);
		child = fork();
		if (!child)
			kill(getpid(), SIGTERM);
		waitpid(child, 0, 0);
		child = fork();
		if (!child)
			_exit(3);
		waitpid(child, 0, 0);
		return 7;
	}
	END
	gcc -w -o signals signals.c
	# whether a call of -e is made by a task or not
	for calls in kill getppid; do
		run -7 "$PERF" trace --signals -e $calls -o out ./signals
		grep -oE '(---|\+\+\+) .*' out >shown
		grep -qxF -- '--- SIGUSR1 { .si_code: USER } ---' shown
		# the kernel may turn a signal that kills at once into this one
		grep -qxE -- '--- SIG(TERM|KILL) \{ .si_code: USER \} ---' shown
		grep -qxF -- '--- SIGCHLD { .si_code: KILLED } ---' shown
		grep -qxF -- '--- SIGCHLD { .si_code: EXITED } ---' shown
		grep -qxF '+++ killed by SIGTERM +++' shown
		grep -qxF '+++ exited with 3 +++' shown
		[ "$(tail -n 1 shown)" = '+++ exited with 7 +++' ]
	done
	run -129 "$PERF" trace --signals -s true
	[[ $output = *"-s and --signals exclude each other"* ]]
	run -129 "$PERF" trace --signals -i data
	run -7 "$PERF" trace -e kill -o out ./signals
	run grep -cE -- '---|\+\+\+' out
	[ "$output" = 0 ]
}

@test "a number that two tasks had is two rows of a table" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
	cat >twice.c <<-'END'
	#define _GNU_SOURCE
	#include <linux/sched.h>
	#include <signal.h>
	#include <sys/prctl.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <unistd.h>
	static int child(const char *name, int calls, int tid)
	{
		struct clone_args a = { .exit_signal = SIGCHLD, .set_tid = tid ? (unsigned long)&tid : 0, .set_tid_size = !!tid };
		int pid = syscall(SYS_clone3, &a, sizeof(a));

		if (!pid) {
			prctl(PR_SET_NAME, name);
			while (calls--)
				syscall(SYS_getppid);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, 0, 0);
		return pid;
	}
	int main(void)
	{
		int pid = child("first", 100, 0);

		prctl(PR_SET_NAME, "parent"); /* the name that the second has as its clone3 returns */
		return child("second", 300, pid) != pid;
	}
	END
	gcc -O1 -w -o twice twice.c
	./twice || ./twice || skip "no number can be chosen here"
	for how in bpf --no-bpf file -S; do
		[ $how = --no-bpf ] || [ $how = file ] || "$PERF" check -q feature bpf_skeletons || continue
		for _ in 1 2 3; do # another process may have taken the number
			case $how in
			bpf) "$PERF" trace -s -e getppid,clone3 -o out ./twice || continue ;;
			file)
				"$PERF" trace record -q -o data ./twice || continue
				"$PERF" trace -i data -s -e getppid,clone3 -o out
				;;
			*) "$PERF" trace $how -s -e getppid,clone3 -o out ./twice || continue ;;
			esac
			break
		done
		# of a clone3 each has its own return, at most
		awk '/^ [a-z]+ \(/ { who = $1 } NF == 8 && who ~ /first|second/ && ($1 == "getppid" || ($1 == "clone3" && $2 > 1)) {
			print who, $1, $2 }' out | sort >got
		printf 'first getppid 100\nsecond getppid 300\n' | diff - got || { cat out; return 1; }
	done
}

@test "a program that the kernel lets nobody measure is named in a warning" {
	[ "$(id -u)" -eq 0 ] && [ -e /sys/kernel/tracing/events/sched ] || skip "needs root and tracefs"
	cp "$(command -v sleep)" other && chown 1:1 other && chmod u+s other
	"$PERF" trace -e sched:sched_process_exit -o out ./other 0 2>err
	grep -q "^warning: the kernel ends the events of './other' when it starts, so nothing of it is measured: it is set-user-ID" err
	chmod u-s other
	"$PERF" trace -e sched:sched_process_exit -o out ./other 0 2>err
	[ ! -s err ] && grep -q sched_process_exit out
}

@test "tables of many tasks: rows of tasks that have ended leave room for others" {
	[ "$(ways | head -n 1)" = --bpf ] || skip "no BPF programs here"
	cat >tasks.c <<-'EOT'
	#include <stdlib.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		static const int calls[] = { SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
			SYS_gettid, SYS_sched_yield, SYS_sync, SYS_getsid, SYS_getpgid, SYS_capget, SYS_umask,
			SYS_getgroups, SYS_getcwd, SYS_times, SYS_uname, SYS_getpriority, SYS_getitimer, SYS_sched_getscheduler };
		for (int i = 0; i < atoi(argv[1]); i++) {
			pid_t pid = vfork();
			if (!pid) {
				for (unsigned n = 0; n < sizeof(calls) / sizeof(*calls); n++)
					if (calls[n] != SYS_sync)
						syscall(calls[n], 0, 0, 0);
				close(-1);
				_exit(0);
			}
			waitpid(pid, 0, 0);
		}
		return 0;
	}
	EOT
	gcc -O1 -w -o tasks tasks.c
	timeout -k 5 200 "$PERF" trace --bpf -s -o out ./tasks 7000 2>err
	! grep 'are missing in the table' err || return 1
	awk '$1 == "getuid" && $2 == 1 && !$3 { n++ } $1 == "close" && $2 == 1 && $3 == 1 { failed++ } $1 == "vfork" { v += $2 }
		END { print n, failed, v; exit !(n == 7000 && failed == 7000) }' out || { cat err; head -60 out; return 1; }
}

@test "tables alone: a call that waits sends nothing, so nothing can be lost" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
	run --separate-stderr "$PERF" trace -s -e clock_nanosleep -o out -- sh -c 'for i in 1 2 3 4 5 6 7 8; do python3 -c "
import time
for i in range(100): time.sleep(0.0001)" & done; wait'
	[ "$status" -eq 0 ]
	[[ "$stderr" != *lost* ]] || { echo "$stderr"; return 1; }
	[ "$(awk '$1 == "clock_nanosleep" && NF == 8 { n += $2 } END { print n }' out)" -eq 800 ]
}
