#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf trace: structs that depend on a command or on their own size, messages, and hostile programs.
bats_require_minimum_version 1.5.0

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cat >"$FILES/structs.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <linux/bpf.h>
	#include <linux/perf_event.h>
	#include <linux/sched.h>
	#include <net/if.h>
	#include <netinet/in.h>
	#include <arpa/inet.h>
	#include <pty.h>
	#include <sched.h>
	#include <signal.h>
	#include <string.h>
	#include <sys/ioctl.h>
	#include <sys/socket.h>
	#include <sys/syscall.h>
	#include <sys/wait.h>
	#include <termios.h>
	#include <unistd.h>
	int main(void)
	{
		struct winsize ws = { 24, 80, 0, 0 };
		struct flock lock = { F_WRLCK, SEEK_SET, 10, 20, 0 };
		struct f_owner_ex owner = { F_OWNER_PID, 1 };
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
			.sample_period = 1000, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME, .read_format = PERF_FORMAT_ID,
			.disabled = 1, .exclude_kernel = 1 };
		union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 3, .map_name = "named" };
		struct clone_args clone = { .flags = CLONE_VFORK, .exit_signal = SIGCHLD };
		struct sched_attr_own { unsigned size, policy; unsigned long long flags; int nice; unsigned prio; unsigned long long a, b, c; } sched = { 48 };
		struct sockaddr_in to = { AF_INET, htons(0), { htonl(INADDR_LOOPBACK) } };
		struct iovec v[2] = { { "first", 5 }, { "second", 6 } };
		struct mmsghdr out[2] = { { { &to, sizeof(to), &v[0], 1 } }, { { &to, sizeof(to), &v[1], 1 } } };
		char got[2][32];
		struct iovec w[2] = { { got[0], 32 }, { got[1], 32 } };
		struct mmsghdr in[2] = { { { NULL, 0, &w[0], 1 } }, { { NULL, 0, &w[1], 1 } } };
		struct ifreq ifr = { .ifr_name = "lo" };
		socklen_t length = sizeof(to);
		int main_fd, other, fds[2], n = 1, s;
		struct termios t;

		openpty(&main_fd, &other, NULL, NULL, NULL);
		ioctl(other, TIOCSWINSZ, &ws);
		memset(&ws, 0, sizeof(ws));
		ioctl(other, TIOCGWINSZ, &ws);
		ioctl(other, TCGETS, &t);
		t.c_lflag &= ~ECHO;
		ioctl(other, TCSETS, &t);
		pipe(fds);
		write(fds[1], "12345", 5);
		ioctl(fds[0], FIONREAD, &n);
		n = 1;
		ioctl(fds[0], FIONBIO, &n);
		n = open("locked", O_RDWR | O_CREAT, 0600);
		fcntl(n, F_SETLK, &lock);
		lock.l_type = F_RDLCK;
		fcntl(n, F_GETLK, &lock);
		fcntl(n, F_SETOWN_EX, &owner);
		fcntl(n, F_GETOWN_EX, &owner);
		syscall(SYS_perf_event_open, &attr, 0, -1, -1, 8);
		syscall(SYS_bpf, BPF_MAP_CREATE, &map, 48);
		if (syscall(SYS_clone3, &clone, sizeof(clone)) == 0)
			_exit(0);
		wait(NULL);
		syscall(SYS_sched_getattr, 0, &sched, 48, 0);
		sched.nice = 3;
		syscall(SYS_sched_setattr, 0, &sched, 0);
		s = socket(AF_INET, SOCK_DGRAM, 0);
		bind(s, (void *)&to, sizeof(to));
		getsockname(s, (void *)&to, &length);
		ioctl(s, SIOCGIFFLAGS, &ifr);
		ioctl(s, SIOCGIFADDR, &ifr);
		ioctl(s, SIOCGIFMTU, &ifr);
		sendmmsg(s, out, 2, 0);
		recvmmsg(s, in, 2, MSG_DONTWAIT, NULL);
		return 0;
	}
	END
	gcc -O1 -w -o "$FILES/structs" "$FILES/structs.c" -lutil
	cat >"$FILES/hostile.c" <<-'END'
	#define _GNU_SOURCE
	#include <fcntl.h>
	#include <pthread.h>
	#include <sched.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <sys/prctl.h>
	#include <sys/socket.h>
	#include <sys/syscall.h>
	#include <sys/uio.h>
	#include <unistd.h>
	static char *edge, changing[64] = "/etc/passwd";
	static volatile int begun, over;
	static void *change(void *arg)
	{
		while (!over) {
			begun = 1;
			memcpy(changing, "/a\0\033[2J", 8);
			memset(changing, 'x', sizeof(changing)); /* and no end */
		}
		return NULL;
	}
	int main(void)
	{
		char *pages = mmap(NULL, 5 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		char *large = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct iovec wild[4] = { { "ok", 2 }, { (void *)1, 5 }, { "x", -1UL }, { large, 131072 } };
		struct msghdr odd = { (void *)8, 0xffffffff, wild, -1UL };
		char *many[3000];
		pthread_t t;

		munmap(pages + 4096, 4096);
		edge = pages + 4096 - 3;
		prctl(PR_SET_NAME, "bad\n\033[31mname");
		open("/nonexistent/\033]0;title\007\033[2J\n     0.000 ( 0.000 ms): forged() = 0", O_RDONLY);
		memcpy(edge, "/ab", 3);
		open(edge, O_RDONLY);	      /* no NUL before the page's end */
		open((char *)-1, O_RDONLY);
		open((char *)0xffff888000000000, O_RDONLY);
		memset(large, 'L', 131072);
		open(large, O_RDONLY);
		write(-1, large, 131072);
		write(-1, edge, -1UL);
		writev(-1, wild, 4);
		writev(1, wild, -1);
		sendmsg(-1, &odd, 0);
		syscall(SYS_sendmmsg, -1, edge, -1, 0);
		syscall(SYS_sendmmsg, -1, wild, 1u << 31, 0);
		syscall(SYS_clone3, edge, -1UL);
		syscall(SYS_perf_event_open, edge, 0, 0, 0, 0);
		syscall(SYS_bpf, -1, edge, -1);
		syscall(SYS_bpf, 5, edge, 4096);
		syscall(SYS_fcntl, -1, F_SETLK, edge);
		syscall(SYS_ioctl, -1, 0xffffffff, edge);
		syscall(SYS_ioctl, -1, 0x5401, edge);
		for (int i = 0; i < 3000; i++)
			many[i] = large;
		many[2999] = NULL;
		syscall(SYS_execve, "/nonexistent", many, many);
		syscall(SYS_execve, edge, edge, edge);
		pthread_create(&t, NULL, change, NULL);
		while (!begun)
			sched_yield();
		for (int i = 0; i < 3000; i++)
			access(changing, 0);
		over = 1;
		pthread_join(t, NULL);
		return 0;
	}
	END
	gcc -O1 -w -pthread -o "$FILES/hostile" "$FILES/hostile.c"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	# the runner's own descriptors would take the first numbers
	printf '#!/bin/sh\nexec timeout -k 5 60 %s "$@" 3>&- 4>&-\n' "$PERF" >perf-in-time
	chmod +x perf-in-time
	PERF=$PWD/perf-in-time
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -e /sys/kernel/tracing/events/raw_syscalls ] || skip "this kernel has no raw_syscalls tracepoints"
	"$PERF" check -q feature bpf_skeletons || skip "built without BPF programs"
	[ -e /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
}

teardown() {
	# what a failed test saw
	[ -z "${BATS_TEST_COMPLETED:-}" ] && [ -e out ] && tail -n 40 out || :
}

lines() {
	sed -E 's/^ *([0-9.]+|\?) \([^)]*\): //; s,^[a-z]+/[0-9]+ ,,; s/\) +(= |\.\.\.)/) \1/; s, /\* read at the exit \*/,,' out
}

has() { # pattern of a whole line
	lines | grep -qE -- "^$1\$" || { echo "missing: $1"; return 1; }
}

@test "structs of ioctl and fcntl follow the command" {
	"$PERF" trace -o out "$FILES/structs" 3>&- 4>&-
	has 'ioctl\(fd: [0-9]+, cmd: TIOCSWINSZ, arg: \{ \.ws_row: 24, \.ws_col: 80, \.ws_xpixel: 0, \.ws_ypixel: 0 \}\) = 0'
	has 'ioctl\(fd: [0-9]+, cmd: TIOCGWINSZ, arg: \{ \.ws_row: 24, \.ws_col: 80, .*\}\) = 0'
	has 'ioctl\(fd: [0-9]+, cmd: TCGETS, arg: \{ \.c_iflag: .*ICRNL\|IXON.*, \.c_oflag: OPOST\|ONLCR.*, \.c_cflag: B38400\|CS8\|CREAD.*, \.c_lflag: ISIG\|ICANON\|ECHO\|.* \}\) = 0'
	has 'ioctl\(fd: [0-9]+, cmd: TCSETS, arg: \{ .*\.c_lflag: ISIG\|ICANON\|ECHOE\|.* \}\) = 0'
	has 'ioctl\(fd: [0-9]+<pipe>, cmd: FIONREAD, arg: \[5\]\) = 0'
	has 'ioctl\(fd: [0-9]+<pipe>, cmd: FIONBIO, arg: \[1\]\) = 0'
	has 'fcntl\(fd: [0-9]+<.*/locked>, cmd: SETLK, arg: \{ \.l_type: WRLCK, \.l_whence: SET, \.l_start: 10, \.l_len: 20, \.l_pid: 0 \}\) = 0'
	# nobody else holds it: the call says so in the struct
	has 'fcntl\(fd: [0-9]+<.*/locked>, cmd: GETLK, arg: \{ \.l_type: UNLCK, .* \}\) = 0'
	has 'fcntl\(fd: [0-9]+<.*/locked>, cmd: SETOWN_EX, arg: \{ \.type: PID, \.pid: 1 \}\) = 0'
	has 'fcntl\(fd: [0-9]+<.*/locked>, cmd: GETOWN_EX, arg: \{ \.type: PID, \.pid: 1 \}\) = 0'
	has 'ioctl\(fd: [0-9]+<UDP.*>, cmd: SIOCGIFFLAGS, arg: \{ \.ifr_name: "lo", \.ifr_flags: .*LOOPBACK.* \}\) = 0'
	has 'ioctl\(fd: [0-9]+<UDP.*>, cmd: SIOCGIFMTU, arg: \{ \.ifr_name: "lo", \.ifr_mtu: [0-9]+ \}\) = 0'
	lines | grep -qE 'cmd: SIOCGIFADDR, arg: \{ \.ifr_name: "lo", \.ifr_addr: \{ \.family: INET, \.port: 0, \.addr: 127\.0\.0\.1 \} \}\) = 0' ||
		lines | grep -qE 'cmd: SIOCGIFADDR, .* = -1 EADDRNOTAVAIL'
}

@test "structs with a size of their own, by command, and messages" {
	"$PERF" trace -o out "$FILES/structs" 3>&- 4>&-
	has 'perf_event_open\(attr_uptr: \{ \.type: SOFTWARE, \.size: [0-9]+, \.config: 0, \.sample_period: 1000, \.sample_type: IP\|TIME, \.read_format: ID, \.flags: DISABLED\|EXCLUDE_KERNEL \}, cpu: -1, group_fd: -1, flags: FD_CLOEXEC\) = .*'
	has 'bpf\(cmd: MAP_CREATE, uattr: \{ \.map_type: ARRAY, \.key_size: 4, \.value_size: 8, \.max_entries: 3, \.map_flags: 0, \.map_name: "named" \}, size: 48\) = .*'
	has 'clone3\(uargs: \{ \.flags: VFORK, \.exit_signal: CHLD, \.stack: 0, \.stack_size: 0 \}, size: [0-9]+\) *(\.\.\.|= .*)'
	has 'sched_getattr\(uattr: \{ \.size: 48, \.sched_policy: NORMAL, \.sched_flags: 0, \.sched_nice: -?[0-9]+, \.sched_priority: 0 \}, usize: 48\) = 0'
	has 'sched_setattr\(uattr: \{ \.size: 48, \.sched_policy: NORMAL, \.sched_flags: 0, \.sched_nice: 3, \.sched_priority: 0 \}\) = 0'
	has 'sendmmsg\(fd: [0-9]+<.*>, mmsg: \[\{ \.hdr: \{ \.name: \{ \.family: INET, \.port: [0-9]+, \.addr: 127\.0\.0\.1 \}, \.iov: \[\{ \.base: "first", \.len: 5 \}\] \} \}, \{ \.hdr: \{ .*\.iov: \[\{ \.base: "second", \.len: 6 \}\] \} \}\], vlen: 2\) = 2'
	has 'recvmmsg\(fd: [0-9]+<.*>, mmsg: \[\{ \.hdr: \{ \.iov: \[\{ \.base: "first", \.len: 32 \}\] \}, \.len: 5 \}, \{ \.hdr: \{ \.iov: \[\{ \.base: "second", \.len: 32 \}\] \}, \.len: 6 \}\], vlen: 2, flags: DONTWAIT\) = 2'
}

@test "a hostile program harms neither the screen nor perf" {
	for how in "" --json "-x ," "-s" "-v --string-limit 5000"; do
		# shellcheck disable=SC2086 # options
		"$PERF" trace -m 64M $how -o out "$FILES/hostile" >stdout
		# no control character and no line that the program made up
		run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f-\x9f]' out
		run ! grep -qE '^ +0\.000 \( 0\.000 ms\): forged' out
		[ "$(grep -c . out)" -gt 5 ]
	done
	"$PERF" trace -m 64M -o out "$FILES/hostile" >stdout
	# a pointer where nothing could be read, never an empty string
	lines | grep -v 'access(\|EMPTY_PATH' >most
	grep -qE 'filename: 0xffffffffffffffff, flags: RDONLY.* = -1 EFAULT' most
	grep -qE 'filename: 0xffff888000000000, flags: RDONLY.* = -1 EFAULT' most
	grep -E '(filename|buf|argv): ""' most | tee empty
	[ ! -s empty ]
	grep -qE 'open(at)?\(.*filename: "L{4095}"\.\., flags: RDONLY.* = -1 ENAMETOOLONG' most
	grep -qE 'write\(fd: -1, buf: "L{32}"\.\., count: 131072\) = -1 EBADF' most
	grep -qE 'writev\(fd: -1, vec: \[\{ \.base: "ok", \.len: 2 \}, \{ \.base: 0x1, \.len: 5 \}, ' most
	grep -qE 'bpf\(cmd: PROG_LOAD, uattr: 0x[0-9a-f]+, size: 4096\) = -1 E' most
	grep -qE 'execve\(filename: "/nonexistent", argv: \["L+", .*\.\.\], envp: 0x[0-9a-f]+ /\* [0-9]+ vars \*/\) = -1 ENOENT' most
	# each call of a buffer that changes is there
	[ "$(lines | grep -c 'access(.*) *= ')" -ge 3000 ]
}
