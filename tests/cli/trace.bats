#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: lines, arguments, tables; of BPF programs, of tracepoints and of recordings.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/calls.c" <<-'END'
	#define _GNU_SOURCE
	#include <errno.h>
	#include <fcntl.h>
	#include <poll.h>
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <string.h>
	#include <sys/epoll.h>
	#include <sys/mman.h>
	#include <sys/socket.h>
	#include <sys/stat.h>
	#include <sys/syscall.h>
	#include <sys/uio.h>
	#include <sys/un.h>
	#include <time.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		char *no_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), buf[64];
		struct timespec ts = { 0, 1000 };
		struct iovec v[2] = { { "one", 3 }, { "second", 6 } };
		struct sockaddr_un un = { AF_UNIX, "/nonexistent/socket" };
		struct epoll_event ev = { EPOLLIN | EPOLLET, { .u64 = 0x1234 } };
		struct pollfd p = { 1, POLLOUT, 0 };
		struct stat st;
		int fd, fds[2], ep;

		fd = syscall(SYS_openat, AT_FDCWD, "file", O_RDWR | O_CREAT | O_TRUNC, 0640);
		write(fd, "text\n\t\033[31m\1", 13);
		writev(fd, v, 2);
		pread(fd, buf, 4, 0);
		lseek(fd, 2, SEEK_SET);
		read(fd, buf, 5);
		fstat(fd, &st);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		syscall(SYS_openat, AT_FDCWD, no_page, O_RDONLY);
		syscall(SYS_openat, fd, "x", O_RDONLY);
		close(fd);
		nanosleep(&ts, NULL);
		pipe2(fds, O_CLOEXEC);
		close(fds[0]);
		close(fds[1]);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		connect(fd, (void *)&un, sizeof(un));
		close(fd);
		ep = epoll_create1(EPOLL_CLOEXEC);
		epoll_ctl(ep, EPOLL_CTL_ADD, 0, &ev);
		syscall(SYS_poll, &p, 1, 1000);
		close(ep);
		kill(getpid(), 0);
		syscall(SYS_mkdirat, AT_FDCWD, "dir", 0755);
		syscall(SYS_unlinkat, AT_FDCWD, "dir", AT_REMOVEDIR);
		return syscall(999) == -1 && errno == ENOSYS ? argc > 1 ? *argv[1] - '0' : 0 : 1;
	}
	END
	gcc -O1 -w -o "$FILES/calls" "$FILES/calls.c"
	cat >"$FILES/threads.c" <<-'END'
	#include <pthread.h>
	#include <unistd.h>
	#include <stdio.h>
	static int fds[2];
	static void *reader(void *arg) { char c; read(fds[0], &c, 1); return 0; }
	int main(void)
	{
		pthread_t t;
		pipe(fds);
		pthread_create(&t, 0, reader, 0);
		usleep(200000);
		access("/between", 0);
		write(fds[1], "x", 1);
		pthread_join(t, 0);
		return 0;
	}
	END
	gcc -O1 -w -pthread -o "$FILES/threads" "$FILES/threads.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	# whatever goes wrong, a trace ends
	REAL=$PERF
	printf '#!/bin/sh\nexec timeout -k 5 60 %s "$@"\n' "$PERF" >perf-in-time
	chmod +x perf-in-time
	PERF=$PWD/perf-in-time
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
}

teardown() {
	end_jobs
}

need_bpf() {
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
}

# A line of `out` without its time and duration: "call(args) = result".
lines() {
	sed -E 's/^ *([0-9.]+|\?) \([^)]*\): ([^ ]+\/[0-9]+ )?//; s/\) +(= |\.\.\.)/) \1/; s, /\* read at the exit \*/,,g' out
}

has() { # line, as fixed text
	lines | grep -qxF -- "$1" || { echo "missing: $1"; lines; return 1; }
}

@test "arguments and results of known calls" {
	need_bpf
	cp "$FILES/calls" calls
	# the runner's own descriptors would take the first numbers
	"$PERF" trace -o out ./calls 7 >stdout 3>&- 4>&- || [ $? -eq 7 ]
	dir=$PWD
	# (of pages that were not in memory, the variables cannot be counted any more at the exit)
	vars=' /\* [0-9]+ vars \*/'
	! head -n 1 out | grep -qF '/* read at the exit */' || vars="($vars)?"
	lines | head -n 1 | grep -qE '^execve\(filename: "\./calls", argv: \["\./calls", "7"\], envp: 0x[0-9a-f]+'"$vars"'\) = 0$'
	has 'openat(dfd: CWD, filename: "file", flags: RDWR|CREAT|TRUNC, mode: 0640) = 3'
	has "write(fd: 3<$dir/file>, buf: \"text\\n\\t\\33[31m\\1\\0\", count: 13) = 13"
	has "writev(fd: 3<$dir/file>, vec: [{ .base: \"one\", .len: 3 }, { .base: \"second\", .len: 6 }], vlen: 2) = 9"
	has "pread64(fd: 3<$dir/file>, buf: \"text\", count: 4) = 4"
	has "lseek(fd: 3<$dir/file>, offset: 2, whence: SET) = 2"
	has "read(fd: 3<$dir/file>, buf: \"xt\\n\\t\\33\", count: 5) = 5"
	has "fcntl(fd: 3<$dir/file>, cmd: SETFD, arg: CLOEXEC) = 0"
	# what cannot be read stays a pointer, never an empty string
	lines | grep -qE '^openat\(dfd: CWD, filename: 0x[0-9a-f]+, flags: RDONLY\) = -1 EFAULT \(Bad address\)$'
	has "openat(dfd: 3<$dir/file>, filename: \"x\", flags: RDONLY) = -1 ENOTDIR (Not a directory)"
	lines | grep -qE "^(newfstatat|fstat)\\(.*3<$dir/file>, .*\\.st_mode: S_IFREG\\|0640, \\.st_size: 22 \\}.*\\) = 0$"
	lines | grep -qE 'nanosleep\(.*rqtp: \{ \.tv_sec: 0, \.tv_nsec: 1000 \}.*\) = 0$'
	has 'pipe2(fildes: [3, 4], flags: CLOEXEC) = 0'
	has 'socket(family: LOCAL, type: STREAM|CLOEXEC) = 3'
	has 'connect(fd: 3<UNIX>, uservaddr: { .family: LOCAL, .path: "/nonexistent/socket" }, addrlen: 110) = -1 ENOENT (No such file or directory)'
	has 'epoll_create1(flags: CLOEXEC) = 3'
	lines | grep -qE '^epoll_ctl\(epfd: 3<anon_inode:\[eventpoll\]>, op: ADD, fd: 0.*, event: \{ \.events: IN\|ET, \.data: 0x1234 \}\) = '
	lines | grep -qE '^poll\(ufds: \[\{ \.fd: 1<.*>, \.events: OUT, \.revents: OUT \}\], nfds: 1, timeout_msecs: 1000\) = 1$'
	# a 0 that says something: no access, no signal; all others with -v
	lines | grep -qE '^mmap\(len: 4096, prot: NONE, flags: PRIVATE\|ANONYMOUS\) = 0x'
	lines | grep -qE '^kill\(pid: [0-9]+ \(calls\), sig: 0\) = 0$'
	"$PERF" trace -v -e mmap,kill -o verbose ./calls >stdout 3>&- 4>&-
	grep -qE 'mmap\(addr: 0, len: 4096, prot: NONE, flags: PRIVATE\|ANONYMOUS\) ' verbose
	has 'mkdirat(dfd: CWD, pathname: "dir", mode: 0755) = 0'
	has 'unlinkat(dfd: CWD, pathname: "dir", flag: REMOVEDIR) = 0'
	has 'exit_group(error_code: 7) = ?'
	# the screen is safe from what programs pass
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out
}

@test "only the calls of -e: names, globs, expressions, groups, all but these" {
	cp "$FILES/calls" calls
	names() { "$PERF" trace -o out "$@" ./calls >stdout && lines | sed 's/(.*//' | sort -u | tr '\n' ' '; }
	[ "$(names -e lseek,pipe2)" = "lseek pipe2 " ]
	[ "$(names -e 'epoll_c*')" = "epoll_create1 epoll_ctl " ]
	[ "$(names -e '/^(p?read64|writev)$/')" = "pread64 writev " ]
	[ "$(names -e '%network')" = "connect socket " ]
	[ "$(names -e '{lseek,pipe2}')" = "lseek pipe2 " ]
	run -129 "$PERF" trace -e '{lseek,' ./calls
	run -129 "$PERF" trace -e '!{lseek}' ./calls
	"$PERF" trace -o out -e 'lseek,{sched:sched_process_exec,sched:sched_process_exit}' ./calls >stdout
	[ "$(grep -c sched_process_ex out)" -eq 2 ]
	grep -q lseek out
	names -e '%file' | grep -q 'openat .*unlinkat'
	# the lists of perf's strace/groups
	[ "$(names -e file | grep -o 'openat')" = openat ]
	names -e string | grep -q 'openat .*unlinkat'
	for words in '!lseek,!mmap' '!lseek,mmap' '!/^(lseek|lseek,)$/,!/^mm[a,p]p$/'; do
		names -e "$words" >all
		grep -q ' pipe2 ' all
		run ! grep -qE '(^| )(lseek|mmap) ' all
	done
	run -129 --separate-stderr "$PERF" trace -e 'lseek,!mmap' true
	[[ "$stderr" == *"calls to trace and calls to leave out exclude each other"* ]]
	[[ "$stderr" == *"hint: name either those to trace or, after '!', those to leave out"* ]]
	run -129 --separate-stderr "$PERF" trace -e '!openat,sched:sched_switch' true
	[[ "$stderr" == *"'!' leaves out system calls, and 'sched:sched_switch' is not one"*"-e '!CALL' -e sched:sched_switch"* ]]
	run -129 "$PERF" trace -e '!!mmap' true
	run -129 "$PERF" trace -e '!' true
	names -e '!%file,mmap' >all
	grep -q 'lseek' all
	run ! grep -qE 'openat|mmap|execve' all
	run ! grep -q '' <(names -e '%signal' | grep -v 'kill')
	[ "$(names --no-bpf -e lseek,pipe2)" = "lseek pipe2 " ]
	[ "$(names --no-bpf -e '!%file,mmap' | tr ' ' '\n' | grep -cE '^(openat|mmap|execve)$')" -eq 0 ]
}

@test "filters by outcome, duration, path, descriptor; an end after some lines" {
	cp "$FILES/calls" calls
	"$PERF" trace --failure -o out ./calls >stdout
	[ -s out ]
	run ! grep -v -- '= -1 ' out
	"$PERF" trace --duration 150 -e access,nanosleep,clock_nanosleep -o out "$FILES/threads"
	[ "$(wc -l <out)" -eq 1 ]
	grep -q 'clock_nanosleep' out
	"$PERF" trace --max-events 3 -o out ./calls >stdout
	[ "$(wc -l <out)" -eq 3 ]
	# of events alone, too
	"$PERF" trace -a -e sched:sched_switch --max-events 1 -o out -- sleep 1 2>err
	[ "$(wc -l <out)" -eq 1 ]
	[ ! -s err ]
	need_bpf
	"$PERF" trace --path "$PWD/file" -o out ./calls >stdout
	lines | grep -q '^openat.*"file"'
	lines | grep -q '^close'
	run ! grep -v "file" out
	"$PERF" trace --fd 3 -e close,lseek,pipe2 -o out ./calls >stdout 3>&- 4>&-
	run ! grep -v 'fd: 3' out
}

@test "a call that waits is shown when another thread's call comes, and again as it ends" {
	for how in "" --no-bpf; do
		# shellcheck disable=SC2086 # nothing or one option
		"$PERF" trace $how -e read,access -o out "$FILES/threads"
		grep -E '/[0-9]+ read\(fd: [0-9]+.*\) +\.\.\.$' out
		grep -nE 'access\(' out | grep -v ld.so | tail -n 1
		# what the call has filled is known only now
		filled='buf: "x"'
		[ -z "$how" ] || filled=
		grep -E '\.\.\. \[continued\]: read\('"$filled"'\) += 1$' out
		# its time is that of its begin, its duration the whole
		awk '/continued.*read/ { gsub(/[()]/, ""); if ($2 < 150) exit 1; found = 1 } END { exit !found }' out
		awk '/\.\.\.$/ { a = NR } /between|access/ { b = NR } /continued.*read/ { c = NR } END { exit !(a < b && b < c) }' out
	done
}

@test "the values that a waiting call fills stand in its second line" {
	need_bpf
	"$PERF" trace -e wait4,nanosleep,clock_nanosleep -o out sh -c '(sleep 0.2; exit 3) & sleep 0.6; wait'
	grep -qE '\[continued\]: wait4\(stat_addr: \{ exited: 3 \}\) += [0-9]+' out
	# the time that is left is filled only if a signal comes
	grep -qE '\[continued\]: (clock_)?nanosleep\(\) += 0$' out
}

@test "a path that could not be read at the entry stands in the second line" {
	need_bpf
	cat >late.c <<-'END'
	#include <fcntl.h>
	#include <pthread.h>
	#include <sys/mman.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	static void *write_it(void *arg)
	{
		usleep(100000);
		syscall(SYS_openat, AT_FDCWD, "fifo", O_WRONLY);
		return arg;
	}
	int main(void)
	{
		/* the program's page tables lack this page until the kernel reads the path */
		char *path = mmap(0, 4096, PROT_READ, MAP_PRIVATE, open("name", O_RDONLY), 0);
		pthread_t t;

		pthread_create(&t, 0, write_it, 0);
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
		pthread_join(t, 0);
		return 0;
	}
	END
	gcc -w -pthread -o late late.c
	mkfifo fifo
	printf fifo >name
	"$PERF" trace -e openat,nanosleep,clock_nanosleep -o out ./late
	grep -qE 'openat\(dfd: CWD, filename: 0x[0-9a-f]+, flags: RDONLY\) +\.\.\.$' out
	grep -qE '\[continued\]: openat\(filename: "fifo" /\* read at the exit \*/\) += [0-9]+$' out
}

@test "a process that runs already: its call was not seen to begin, and the trace ends with it" {
	sleep 1.5 3>&- &
	"$PERF" trace -o out -p $!
	grep -qE '^ +\? \( +\): +(sleep/[0-9]+ )? ?\.\.\. \[entry not seen\]: (clock_)?nanosleep\(\) += 0$' out
	tail -n 1 out | grep -qE 'exit_group\(\) += \?$'
}

@test "a descriptor of a call that was not seen to begin has its own name, not that of descriptor 0" {
	cat >server.c <<-'END'
	#include <stdio.h>
	#include <sys/socket.h>
	#include <unistd.h>
	int main(void)
	{
		struct sockaddr a[64];
		socklen_t size = sizeof(a);
		int s = socket(AF_INET, SOCK_STREAM, 0), fd;
		char c;

		listen(s, 1);
		getsockname(s, a, &size);
		printf("%d\n", (((unsigned char *)a)[2] << 8) + ((unsigned char *)a)[3]);
		fflush(stdout);
		close(s + 1);
		fd = accept(s, 0, 0);
		read(fd, &c, 1);
		usleep(500000); /* for who asks what its descriptors are */
		return 0;
	}
	END
	gcc -w -o server server.c
	./server </dev/null >port 3>&- &
	server=$!
	for i in $(seq 100); do
		[ ! -s port ] || break
		sleep 0.05
	done
	"$PERF" trace -o out -p $server 3>&- &
	trace=$!
	sleep 1
	bash -c "exec 6<>/dev/tcp/127.0.0.1/$(cat port); echo x >&6; sleep 0.2"
	wait $server $trace
	grep -qE 'entry not seen\]: accept' out
	grep -qE ' read\(fd: 4(<(TCP|socket)[^>]*>)?, ' out
}

@test "children of a command are traced, and not with --no-inherit" {
	"$PERF" trace -e execve -o out sh -c '/bin/true; /bin/true; :'
	[ "$(grep -c execve out)" -eq 3 ]
	"$PERF" trace --no-inherit -e execve -o out sh -c '/bin/true; /bin/true; :'
	[ "$(grep -c execve out)" -eq 1 ]
}

@test "-p, -t and -u with a command: they are traced while it runs, and it is not" {
	sh -c 'while sleep 0.02; do :; done' & pid=$!
	for how in "-p $pid" "-t $pid" "-p $pid --no-bpf" "-u $(id -u)"; do
		case $how in -t*) call=wait4 ;; *) call=execve ;; esac
		# shellcheck disable=SC2086
		run -5 "$PERF" trace $how -e wait4,execve -o out -- sh -c 'sleep 0.5; exit 5'
		[ "$(grep -c "$call(" out)" -ge 3 ] || { echo "$how"; cat out; kill $pid; return 1; }
		[[ $how == -u* ]] || ! grep -q '0\.5' out
	done
	kill $pid
	# it ends with the command
	sleep 60 & pid=$!
	run -0 timeout 30 "$PERF" trace -p $pid -o out -- true
	kill $pid
}

@test "-u: what the user starts later, and the command if it runs as the user" {
	setpriv --reuid=65534 --clear-groups true 2>/dev/null || skip "no setpriv"
	need_bpf
	cp "$(type -P bash)" of_nobody
	cp of_nobody of_root
	chmod 755 "$BATS_TEST_TMPDIR" of_nobody of_root .
	[ "$(setpriv --reuid=65534 --clear-groups "$PWD/of_nobody" -c 'echo yes')" = yes ] || skip "the directory is private"
	echo "(cd /; setpriv --reuid=65534 --clear-groups $PWD/of_nobody -c :; $PWD/of_root -c :)" >both
	run -0 "$PERF" trace -u 65534 -o out sh both
	[[ "$output" == *"warning: the command runs as another user than '65534', so it is not traced"* ]]
	grep -q 'of_nobody/' out
	run ! grep -q 'of_root/' out
	run -0 "$PERF" trace -u "$(id -un)" -o out sh both
	[[ "$output" != *"another user"* ]]
	grep -q 'of_root/' out
	run ! grep -q 'of_nobody/' out
	# samples have no user: the list of today, and the command
	run -0 "$PERF" trace -v --no-bpf -u "$(id -un)" -o out sh both
	[[ "$output" == *"warning: -u traces what is recorded of the processes that '$(id -un)' has now, and of none that start later"* ]]
	grep -q 'sh/' out
	uid=$((60000 + $$ % 5000)) # who has no process
	run -1 "$PERF" trace --no-bpf -u $uid -o out sh both
	[[ "$output" == *"error: user '$uid' has no process now, and -u leaves out"*"only system calls that BPF"* ]]
	run -1 "$PERF" trace -u nobody-of-that-name true
}

@test "-C and -u: every line names its task" {
	cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
	for how in "-C $cpu" "-u $(id -u)"; do
		# shellcheck disable=SC2086
		taskset -c "$cpu" "$PERF" trace $how -e execve -o out -- sh -c '/bin/true; :'
		grep -q 'execve(' out
		! grep -vE ' [^ ]+/[0-9]+ +(\.\.\. .*)?execve\(' out || false
	done
}

@test "the whole system: another process's calls, not perf's own" {
	ln -s "$REAL" tracer # other perfs may run here
	timeout -k 5 60 ./tracer trace -a -e write,access -o out -- sh -c 'sleep 0.2; test -e /looked/for' || :
	run ! grep -E '\): tracer/[0-9]+ ' out
	"$PERF" trace -a -e 'access,faccessat*,newfstatat,statx' -o out -- sh -c 'sleep 0.1; test -e /looked/for' || :
	grep -q 'sh/' out
	need_bpf
	grep -q '/looked/for' out
}

@test "tables agree with lines, and with those that the kernel counted" {
	cp "$FILES/calls" calls
	"$PERF" trace -S -o out ./calls >stdout
	calls=$(grep -cE '^ +[0-9.]+ .*\): calls/[0-9]+ pread64\(' out)
	[ "$calls" -ge 1 ]
	"$PERF" trace -s --errno-summary -o sums ./calls >stdout
	for f in out sums; do
		awk -v want="$calls" '$1 == "pread64" && NF == 8 { got = $2 } END { exit got != want }' $f
		awk '$1 == "connect" { exit !($2 == 1 && $3 == 1) }' $f
	done
	grep -qE '^\s+ENOTDIR: 1$' sums
	# the mean of what stands in a row
	awk '$1 == "close" && NF == 8 { d = $4 / $2 - $6; exit !(d < 0.001 && d > -0.001) }' sums
	grep -qE '^ calls \([0-9]+\), [0-9]+ events, 100\.0%$' sums
	"$PERF" trace -s --summary-mode total --hist -o sums -- sh -c '/bin/true; /bin/true'
	[ "$(grep -c 'syscall  ' sums)" -eq 1 ]
	awk '$1 == "execve" { exit $2 != 3 }' sums
	# buckets add up to the calls
	awk '/^   [a-z]/ && NF == 8 && $1 != "syscall" { if (n && sum != want) bad = 1; n++; want = $2; sum = 0 } / ms +[0-9]+ \|/ { split($0, p, " ms "); split(p[2], q, "|"); sum += q[1] }
		END { exit bad || sum != want || n < 3 }' sums
}

@test "lines of a cgroup name their task, also when it is the only one" {
	need_bpf
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "cgroup v2 is not mounted"
	own="perf-trace-lines-$$"
	mkdir "$mount/$own" || skip "no cgroup can be made"
	cp "$(command -v bash)" grouped
	mkfifo fifo
	# a single task, which starts no program
	./grouped -c "echo \$\$ >'$mount/$own/cgroup.procs' && exec 9<>fifo && while :; do read -t 0.05 -u 9; done" 3>&- &
	pid=$!
	timeout 60 "$PERF" trace -a -G "$own" --max-events 3 -o out || echo "ended with $?"
	kill $pid
	wait $pid || :
	until_true rmdir "$mount/$own"
	cat out
	[ "$(grep -c . out)" -eq 3 ]
	run ! grep -vE "\): grouped/$pid .*\(" out
}

@test "a table for each cgroup has the cgroup's path" {
	need_bpf
	mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$mount" ] || skip "cgroup v2 is not mounted"
	own="/perf-trace-$$"
	mkdir "$mount$own" "$mount$own/inner" || skip "no cgroup can be made"
	run "$PERF" trace -s --summary-mode cgroup -o sums -- sh -c \
		"echo \$\$ >$mount$own/inner/cgroup.procs && env true && env true && exec true"
	"$PERF" trace -s --summary-mode cgroup --json -o json -- sh -c \
		"echo \$\$ >$mount$own/inner/cgroup.procs && exec true"
	"$PERF" trace -s --summary-mode cgroup -x '|' -o values -- sh -c \
		"echo \$\$ >$mount$own/inner/cgroup.procs && exec true"
	"$PERF" trace -S --summary-mode cgroup -o both -- sh -c \
		"echo \$\$ >$mount$own/inner/cgroup.procs && env true && env true && exec true"
	rmdir "$mount$own/inner" "$mount$own"
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
	# with the lines perf counts, without them the kernel does
	grep -qE ' execve\(' both
	sed -n '/^ Summary of events/,$p' both >tables
	grep -qE "^ $own/inner, [0-9]+ events, [0-9.]+%$" tables
	awk -v own="$own/inner," '/ events, / { in_own = $1 == own; rows++ } $1 == "execve" { n[in_own] += $2 - $3 } END { exit !(rows == 2 && n[0] == 1 && n[1] == 5) }' tables
	grep -qE "^ $own/inner, [0-9]+ events, [0-9.]+%$" sums
	# env, what it runs, twice, and the last program ran in it, the shell began elsewhere
	awk -v own="$own/inner," '/ events, / { in_own = $1 == own } $1 == "execve" { n[in_own] += $2 - $3 } END { exit !(n[0] == 1 && n[1] == 5) }' sums
	grep -qF "{\"cgroup\": \"$own/inner\", \"syscall\": \"execve\", \"calls\": " json
	grep -qE "^$own/inner\|execve\|[0-9]+\|" values
	run "$PERF" trace -s --summary-mode cgroup --no-bpf true
	[ "$status" -eq 129 ]
	[[ "$output" == *"only BPF counts inside the kernel"* ]]
}

@test "a call that the table lacks has its arguments from tracefs" {
	format=/sys/kernel/tracing/events/syscalls/sys_enter_setxattrat/format
	grep -q 'field:const char \* pathname' $format 2>/dev/null || skip "this kernel has no setxattrat"
	cat >new.c <<-'END'
	#include <unistd.h>
	#include <sys/syscall.h>
	int main(void)
	{
		char path[] = "/nonexistent/x", name[] = "user.name"; /* on the stack, whose page is there */
		return syscall(463, -100, path, 0x100, name, 0x1234, 5000000000) != -1;
	}
	END
	gcc -w -o new new.c
	"$PERF" trace --no-bpf -e setxattrat -o out ./new
	lines | grep -qE '^setxattrat\(dfd: CWD, pathname: 0x[0-9a-f]+, at_flags: SYMLINK_NOFOLLOW, name: 0x[0-9a-f]+, uargs: 0x1234, usize: 5000000000\) = -1 '
	need_bpf
	"$PERF" trace -e setxattrat -o out ./new
	lines | grep -qE '^setxattrat\(dfd: CWD, pathname: "/nonexistent/x", at_flags: SYMLINK_NOFOLLOW, name: "user.name", uargs: 0x1234, usize: 5000000000\) = -1 '
}

@test "events and page faults between calls" {
	"$PERF" trace -e 'sched:sched_process_exit,exit_group' -o out true
	grep -qE 'sched:sched_process_exit\(comm: "true", pid: [0-9]+, prio: ' out
	[ "$(awk '/exit_group/ { a = NR } /sched_process_exit/ { b = NR } END { print a < b }' out)" -eq 1 ]
	"$PERF" trace -F all -o out true
	grep -qE 'minfault \[[^]]+\] => .*libc.*@0x[0-9a-f]+ \(d\.\)$' out
	run ! grep -q 'openat(' out
	"$PERF" trace -F all --syscalls -o out true
	grep -q 'minfault' out
	grep -q 'openat(' out
}

@test "-s leaves out tasks that made no event" {
	[ -e /sys/kernel/tracing/events/sched ] || skip "no tracepoints"
	"$PERF" trace -s -e sched:sched_switch,getppid -a -o summary -- sh -c 'sleep 0.1; :'
	grep -qE '^ sh \([0-9]+\), [1-9][0-9]* events, ' summary
	run ! grep ', 0 events' summary
}

@test "--no-syscalls: tables of -s have the page faults alone" {
	for how in --bpf --no-bpf; do
		"$PERF" trace $how -F all --no-syscalls -s -o out true
		grep -qE '^ true \([0-9]+\), ([0-9]+) events, 100\.0%, \1 minfaults$' out
		run ! grep -qE 'syscall|mmap' out
		"$PERF" trace $how -F all -s -o out true
		grep -qE '^   mmap +[1-9]' out
	done
	run -129 "$PERF" trace --no-syscalls -s true
	[[ "$output" == *"--no-syscalls leaves nothing to trace"* ]]
	for words in "-e openat" "-s -e openat" "-e openat -e sched:sched_switch" "-e !openat"; do
		# shellcheck disable=SC2086 # words
		run -129 "$PERF" trace --no-syscalls $words true
		names=${words#-s } names=${names% -e sched*}
		[ "${lines[0]}" = "error: --no-syscalls contradicts $names, which is about system calls" ]
	done
	for words in --hist --errno-summary --summary-mode=cgroup --json -x,; do
		run -129 "$PERF" trace -F all --no-syscalls -s $words true
	done
}

@test "--no-syscalls: a recording and trace.add_events have events of their own" {
	"$PERF" record -q -e sched:sched_process_exec -o data true
	"$PERF" trace -i data --no-syscalls -o out
	grep -q 'sched:sched_process_exec(' out
	printf '[trace]\nadd_events = sched:sched_process_exec\n' >settings
	PERF_CONFIG=settings "$PERF" trace --no-syscalls -o out true
	grep -q 'sched:sched_process_exec(' out
	run ! grep -q 'exit_group(' out
	printf '[trace]\nadd_events = openat\n' >settings
	PERF_CONFIG=settings run -129 "$PERF" trace --no-syscalls -o out true
	[ "${lines[0]}" = "error: --no-syscalls contradicts trace.add_events openat, which is about system calls" ]
}

@test "stacks below lines" {
	"$PERF" trace --call-graph dwarf -e pipe2 -o out "$FILES/calls" >stdout
	grep -A 3 'pipe2(' out | grep -qE '^ {38} main \(.*/calls\)$'
	# objects of JSON have them as a member, and separated values have no place for them
	"$PERF" trace --json --call-graph dwarf -e pipe2 -o out "$FILES/calls" >stdout
	python3 - <<-'END'
	import json
	lines = [json.loads(l) for l in open("out")]
	assert len(lines) == 1 and lines[0]["syscall"] == "pipe2", lines
	frames = [(f.get("symbol"), f["dso"].rsplit("/", 1)[1]) for f in lines[0]["callchain"]]
	assert ("main", "calls") in frames and frames[0][1].startswith("libc"), frames
	END
	"$PERF" trace --json --call-graph dwarf -F all -e pipe2 -o out "$FILES/calls" >stdout
	python3 -c 'import json; o = [json.loads(l) for l in open("out")]; assert len(o) > 5 and sum(bool(x["callchain"]) for x in o) > 5'
	run -129 "$PERF" trace -x , --call-graph dwarf -e pipe2 "$FILES/calls"
}

@test "a recording shows the calls that a live trace shows" {
	cp "$FILES/calls" calls
	"$PERF" trace record -q -o data ./calls >stdout 2>&1 3>&- 4>&-
	"$PERF" trace -i data -o out
	lines >got
	grep -qE '^lseek\(fd: 3, offset: 2, whence: SET\) = 2$' got
	grep -qE '^openat\(dfd: CWD, filename: 0x[0-9a-f]+, flags: RDWR\|CREAT\|TRUNC, mode: 0640\) = 3$' got
	"$PERF" trace --no-bpf -o out ./calls >stdout 3>&- 4>&-
	sed 's/(.*//' <(lines) | grep -v execve >live
	sed 's/(.*//' got | grep -vE 'execve| \.\.\.' >file
	diff live file
}

@test "lines for programs: JSON and separated values" {
	"$PERF" trace --json -e pipe2,connect -o out "$FILES/calls" >stdout
	python3 - out <<-'END'
	import json, sys
	rows = [json.loads(l) for l in open(sys.argv[1])]
	assert [r["syscall"] for r in rows] == ["pipe2", "connect"], rows
	assert rows[0]["result"] == 0 and rows[0]["comm"] == "calls" and rows[0]["duration"] > 0
	assert rows[1]["result"] == -2 and rows[1]["error"] == "ENOENT"
	# arguments by name as well as in one text, which is what a line shows
	assert list(rows[0]["arguments"]) == ["fildes", "flags"] and rows[0]["arguments"]["flags"] == "CLOEXEC", rows[0]
	assert list(rows[1]["arguments"])[0] == "fd", rows[1]
	for r in rows:
	    assert r["args"] == ", ".join(f"{k}: {v}" for k, v in r["arguments"].items()), r
	END
	"$PERF" trace -x '|' -e pipe2 -o out "$FILES/calls" >stdout
	awk -F '|' '{ exit !(NF == 9 && $4 == "calls" && $7 == "pipe2" && $9 == 0) }' out
	"$PERF" trace -s -x, -o out "$FILES/calls" >stdout
	grep -qE '^calls,[0-9]+,[0-9]+,pipe2,1,0,[0-9]+,' out
}

@test "the calls of real programs are those that strace shows" {
	need_bpf
	command -v strace || skip "needs strace"
	# a small server, whose client is a child that is not traced
	cat >server.py <<-'END'
	import os, socket, urllib.request
	s = socket.socket()
	s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	s.bind(("127.0.0.1", 0))
	s.listen(5)
	url = f"http://127.0.0.1:{s.getsockname()[1]}/"
	if os.fork() == 0:
	    for _ in range(5):
	        urllib.request.urlopen(url).read()
	    os._exit(0)
	for _ in range(5):
	    c, peer = s.accept()
	    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
	    c.settimeout(20)
	    while b"\r\n\r\n" not in c.recv(4096):
	        pass
	    c.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	    c.close()
	os.wait()
	END
	echo 'int main(void) { return 0; }' >one.c
	for command in "ls -lR $BATS_TEST_DIRNAME/../unit" "tar cf archive $BATS_TEST_DIRNAME/../unit" "python3 -c print(1)" \
		"gcc -c one.c -o one.o" "$(gcc -print-prog-name=cc1) -quiet one.c -o one.s" "python3 server.py"; do
		# shellcheck disable=SC2086 # words
		CLEAN="archive one.o one.s" timeout -k 5 60 "$BATS_TEST_DIRNAME/strace-agrees" "$REAL" o $command >result
		head -n 1 result
		read -r agree of total rest <result
		[ "$total" -ge 50 ] && [ $((agree * 100)) -ge $((total * 98)) ] || { echo "$command"; cat result; return 1; }
	done
}

@test "strings that cannot be shown are told of once, where there are lines to read" {
	need_bpf
	says() { # text, arguments...
		"$PERF" trace "${@:2}" -e close -o out true 2>err
		[ "$(cat err)" = "${1:+note: strings and structs are shown as pointers: with $1 calls come from tracepoints}" ] ||
			{ echo "$*"; cat err; return 1; }
	}
	says ""
	says --no-bpf --no-bpf
	says --call-graph --call-graph fp
	says --min-stack --min-stack 1
	says --print-sample --print-sample
	says --max-stack --max-stack 1
	says --switch-on --switch-on sched:sched_process_exit -e sched:sched_process_exit
	says --switch-off --switch-off sched:sched_process_exit -e sched:sched_process_exit
	says "" --no-bpf --json
	says "" --no-bpf -x,
	says "" --no-bpf -s
}

@test "an ordinary user is told what is missing, and the ways out" {
	command -v setpriv >/dev/null || skip "no setpriv"
	! setpriv --reuid 65534 --regid 65534 --clear-groups ls /sys/kernel/tracing >/dev/null 2>&1 || skip "tracefs is open to all"
	cp "$REAL" user-perf
	chmod 755 user-perf
	user() { run setpriv --reuid 65534 --regid 65534 --clear-groups timeout 20 ./user-perf trace "$@" -- true; }
	user -F all
	[ "$status" -ne 126 ] || skip "an ordinary user may not enter the tests' directory"
	# no tracepoints to read, and none needed
	[ "$status" -le 1 ]
	for how in "" -s "--call-graph fp" --no-bpf; do
		# shellcheck disable=SC2086 # words
		user $how
		[ "$status" -eq 1 ]
		[ "$(grep -c '^error: ' <<<"$output")" -eq 1 ]
		[ "$(grep -c '^hint: ' <<<"$output")" -eq 1 ]
		[ "$(wc -l <<<"$output")" -eq 2 ]
		[[ "$output" == *"/sys/kernel/tracing may not be read by this user"* ]]
		[[ "$output" == *"hint: run it as root, or "*"sudo setcap cap_"*",cap_perfmon+ep"* ]]
	done
	need_bpf
	for how in "-S --summary-mode=cgroup" "-s --bpf-summary" --force-btf; do
		# shellcheck disable=SC2086 # words
		user $how
		[[ "$status" -eq 1 && "$output" == "error: ${how#-[sS] } needs BPF, which only root and programs with CAP_BPF"* ]]
	done
	command -v setcap >/dev/null || skip "no setcap"
	setcap cap_bpf,cap_perfmon+ep user-perf 2>/dev/null || skip "files take no capabilities here"
	run setpriv --reuid 65534 --regid 65534 --clear-groups ./user-perf trace -e openat -- cat /etc/passwd
	[ "$status" -eq 0 ]
	[[ "$output" == *'openat(dfd: CWD, filename: "/etc/passwd", flags: RDONLY)'* ]]
	# what the hint of --no-bpf names
	cp user-perf with-tracefs
	setcap cap_dac_read_search,cap_perfmon+ep with-tracefs
	run setpriv --reuid 65534 --regid 65534 --clear-groups ./with-tracefs trace --no-bpf -e openat -- cat /etc/passwd
	[ "$status" -eq 0 ]
	[[ "$output" == *'openat(dfd: CWD, filename: 0x'* ]]
	# tables, and a process of their own that runs already
	run setpriv --reuid 65534 --regid 65534 --clear-groups ./user-perf trace -s -- cat /etc/passwd
	[ "$status" -eq 0 ]
	grep -qE '^ +openat +[0-9]+ ' <<<"$output"
	setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'for i in $(seq 800); do cd /; sleep 0.05; done' 3>&- &
	theirs=$!
	setpriv --reuid 65534 --regid 65534 --clear-groups timeout 50 ./user-perf trace -p $theirs >seen 2>&1 3>&- &
	until_true test -s seen
	kill $theirs
	wait $! || :
	grep -q '[0-9] (.*): .*(.*) *= ' seen
}

@test "raw_syscalls by name are events; a recording shows no calls beside -e with events alone" {
	"$PERF" trace -e raw_syscalls:sys_enter -o lines true
	[ "$(grep -c ' raw_syscalls:sys_enter(id: ' lines)" -gt 5 ]
	run ! grep -v raw_syscalls:sys_enter lines
	"$PERF" trace record -q -o raw.data true
	"$PERF" trace -i raw.data -e raw_syscalls:sys_exit -o lines
	[ "$(grep -c ' raw_syscalls:sys_exit(id: ' lines)" -gt 5 ]
	run ! grep -v raw_syscalls:sys_exit lines
	"$PERF" trace -i raw.data -e sched:sched_switch -o lines
	[ ! -s lines ]
}

@test "events of syscalls:* and raw_syscalls:* are decoded, without the number that their name repeats" {
	[ -e /sys/kernel/tracing/events/syscalls/sys_enter_lseek ] || skip "this kernel has no tracepoints of each call"
	cp "$FILES/calls" calls
	"$PERF" trace -o out -e 'syscalls:sys_enter_openat,syscalls:sys_*_lseek,syscalls:sys_exit_openat' ./calls >stdout
	run ! grep -q __syscall_nr out
	grep -qE ' syscalls:sys_enter_openat\(dfd: CWD, filename: 0x[0-9a-f]+, flags: RDONLY(\|CLOEXEC)?\)$' out
	grep -qE ' syscalls:sys_enter_lseek\(fd: [0-9]+, offset: 2, whence: SET\)$' out
	grep -qE ' syscalls:sys_exit_lseek\(ret: 2\)$' out
	grep -qE ' syscalls:sys_exit_openat\(ret: -1 EFAULT \(Bad address\)\)$' out
	"$PERF" trace -o out -e 'raw_syscalls:*' ./calls >stdout
	grep -qE ' raw_syscalls:sys_enter\(id: [0-9]+ \(lseek\), fd: [0-9]+, offset: 2, whence: SET\)$' out
	grep -qE ' raw_syscalls:sys_exit\(id: [0-9]+ \(lseek\), ret: 2\)$' out
	run ! grep -q ', )' out
	# the same of a recording
	"$PERF" record -q -o names.data -e 'raw_syscalls:sys_enter,syscalls:sys_enter_lseek' ./calls >stdout || [ $? -eq 7 ]
	"$PERF" trace -i names.data -e raw_syscalls:sys_enter,syscalls:sys_enter_lseek -o out
	grep -qE ' syscalls:sys_enter_lseek\(fd: [0-9]+, offset: 2, whence: SET\)$' out
	grep -qE ' raw_syscalls:sys_enter\(id: [0-9]+ \(lseek\), fd: [0-9]+, offset: 2, whence: SET\)$' out
	"$PERF" trace --libtraceevent_print -o out -e syscalls:sys_enter_lseek ./calls >stdout
	grep -q ' syscalls:sys_enter_lseek(fd: 0x[0-9a-f]*, offset: 0x0*2, whence: 0x0*)$' out
}

@test "errors alone ask for tables, a length of stacks for stacks" {
	"$PERF" trace --errno-summary -o sums cat /nonexistent || :
	grep -q 'ENOENT: ' sums
	"$PERF" trace -s --json --errno-summary --hist -o sums cat /nonexistent || :
	python3 -c 'import json
rows = [json.loads(l) for l in open("sums")]
assert any(r["errnos"].get("ENOENT") == r["errors"] for r in rows if r["errors"])
assert all(sum(n for _, n in r["hist"]) == r["calls"] for r in rows if r["syscall"] == "openat")'
	"$PERF" trace --max-stack 1 -e openat -o lines true
	grep -qE '^ {39}[^ ]' lines
}

@test "wrong use is refused with a reason" {
	refuse() { # text, arguments...
		run "$PERF" trace "${@:2}"
		[ "$status" -eq 129 ] || { echo "$status: $output"; return 1; }
		[[ "$output" == *"$1"* ]] || { echo "$output"; return 1; }
	}
	refuse "'opneat' is neither a system call nor an event" -e opneat true
	refuse "did you mean 'openat'" -e opneat true
	refuse "there is no group of system calls '%nogroup'" -e %nogroup true
	refuse "is not a regular expression" -e '/(/' true
	refuse "--duration takes milliseconds" --duration x true
	refuse "-F takes all, maj or min" -F x true
	refuse "--json and -x exclude each other" --json -x, true
	refuse "--json and --print-sample exclude each other" --json --print-sample true
	refuse "-x and --tool_stats exclude each other" -x, --tool_stats true
	refuse "--no-bpf and --force-btf exclude each other" --no-bpf --force-btf true
	refuse "-x needs a separator" -x '' true
	refuse "--path: no call can match 'passwd'" --path passwd true
	refuse "-i reads a recording: BPF (--force-btf)" -i data --force-btf
	refuse "'nosuch' of --switch-on is not among the events" --switch-on nosuch true
	refuse "is for tables: add -s or -S" --hist true
	refuse "-p and -t exclude each other" -p 1 -t 1
	refuse "-i reads a recording" -i data -a
	refuse "--summary-mode is thread, total or cgroup" --summary-mode x -s true
	refuse "add -a" -G x true
	refuse "--libtraceevent_print prints them as lists" --bitmask-list true
	refuse "'bpftool map dump name pids' prints" --map-dump pids true
	run "$PERF" trace -p 999999999
	[ "$status" -ne 0 ]
	run "$PERF" trace nosuchprogram
	[ "$status" -eq 127 ]
	[[ "$output" == *"cannot run 'nosuchprogram'"* ]]
	run "$PERF" trace -o /nonexistent/file true
	[ "$status" -eq 1 ]
	[[ "$output" == *"cannot write '/nonexistent/file'"* ]]
}

@test "one signal ends what has no command, with its tables" {
	for how in "" --no-bpf; do
		for signal in INT:130 TERM:143; do
			rm -f out
			# without timeout(1), which passes a signal on twice
			"$REAL" trace $how -S -a -o out 3>&- &
			pid=$!
			until_true test -s out
			kill -"${signal%:*}" $pid
			code=0
			wait $pid || code=$?
			[ "$code" -eq "${signal#*:}" ]
			grep -q 'Summary of events' out
		done
	done
}

@test "other events are objects of JSON, too, and come in order" {
	"$PERF" trace --json -e 'sched:sched_process_exec,exit_group' -o out true
	python3 - out <<-'END'
	import json, sys
	rows = [json.loads(l) for l in open(sys.argv[1])]
	assert [r.get("syscall", r.get("event")) for r in rows] == ["sched:sched_process_exec", "exit_group"], rows
	assert rows[0]["time"] < rows[1]["time"]
	END
}

@test "a process that ran before perf has descriptors of its own" {
	python3 - <<-'END' 3>&- &
	import os, time
	fd = os.open("/etc/passwd", os.O_RDONLY)
	child = os.fork()
	if not child:
	    os.dup2(os.open("/etc/group", os.O_RDONLY), fd)
	open("pid.%d" % bool(child), "w").write(str(os.getpid()))
	for i in range(1000):
	    os.lseek(fd, 0, 0)
	    time.sleep(0.02 if child else 0.3) # what the parent has is known first
	END
	until_true test -s pid.0 -a -s pid.1
	"$PERF" trace -p "$(cat pid.1),$(cat pid.0)" -e lseek --max-events 80 -o out
	kill "$(cat pid.0)" "$(cat pid.1)"
	grep "/$(cat pid.1) " out | grep -q '</etc/passwd>'
	grep "/$(cat pid.0) " out | grep -q '</etc/group>'
}

@test "the reader comes before others, but not where its priority was chosen, and not its program" {
	need_bpf
	nice_of() { # pid
		sed -E 's/.*\) //' "/proc/$1/stat" | cut -d' ' -f17
	}
	# the runner may have a priority of its own
	zero=$((-$(nice)))
	for chosen in 0 5; do
		nice -n $((zero + chosen)) "$REAL" trace -o out sleep 30 3>&- &
		pid=$!
		begun() { pgrep -P $pid >begun; }
		until_true begun
		child=$(pgrep -P $pid)
		settled() { [ "$(nice_of $pid)" -eq "$1" ]; }
		until_true grep -qx sleep "/proc/$child/comm"
		[ "$chosen" -ne 0 ] || until_true settled -10
		[ "$chosen" -ne 5 ] || settled 5
		[ "$(nice_of "$child")" -eq "$chosen" ]
		kill "$child"
		wait $pid || :
	done
}

@test "nothing of it is left in the kernel" {
	need_bpf
	before=$(ls /proc/self/fd | wc -l)
	"$PERF" trace -a -o out 3>&- &
	pid=$!
	until_true test -s out
	kill -9 "$(pgrep -P $pid)" $pid
	wait $pid || :
	gone() { ! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q bpf-prog || ! command -v bpftool || ! bpftool prog show name trace_enter | grep -q trace_enter; }
	until_true gone
	[ "$before" -ge 3 ]
}
